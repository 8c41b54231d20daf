// Package guard is the one gate to every command that writes to a drive.
//
// [Inspect] reads: it says which drive it is, what a command would reach, who
// uses that and what lies on it. [Case.Judge] says what speaks against it,
// given what the user consented to. [Case.Claim] takes the devices for itself,
// looks at everything again, and gives a [Permit], whose Submit is the only way
// to a command that writes, and sends only what was inspected. Its Medium and
// its Descriptor are the only ways to write to a block device of the drive.
package guard
