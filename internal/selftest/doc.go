// Package selftest starts the self-test of a drive, follows it and says what came
// of it. It sends nothing itself: commands go through the guard, and the log is
// read by a function that is given.
//
// Source: NVM Express Base Specification, Revision 2.0, Device Self-test command,
// Device Self-test Operations, Device Self-test Log Page.
package selftest
