// Package surface reads the whole surface of a drive, or single blocks of it, and
// says what could not be read and what took long.
//
// [Serve] reads in a process of its own, which a drive that hangs may hold for
// ever. [Scan] tells it what to read and makes a [Map] of the answers, a cell for
// each chunk, which is kept between two sittings. [Map.Result] says what it shows.
package surface
