// Package reference holds figures of drives that others measured and published,
// so that a reading can be placed among them.
//
// Each figure has its source and what is known of the circumstances. Figures
// are as the source gives them; what is computed from them is computed here:
// with one operation in flight, the mean latency is the time that one operation
// takes, 1/IOPS. A figure that the source gives as "about", or that was read from
// a text, is indicative. One that the drive cannot have reached by itself is
// doubtful and is never placed among the others.
//
// Only like is compared with like: operation, pattern, block size and number in
// flight must be equal. The software between program and drive is a few µs of
// each operation, which is as much as tells these drives apart; where it is
// another one, that is said.
package reference
