// Package nvme is the NVM Express specification in Go: commands, wire
// structures and status codes, through NVM Express Base Specification,
// Revision 2.0 and NVM Command Set Specification, Revision 1.0.
//
// The package does no input or output. A device is anything that implements
// [Passthru]: a Linux device node (package ioctl), a recording, a simulated
// drive. [NewController] gives the commands as methods on top of one.
//
// Every structure has the field order of the specification, so that the Go
// type, the wire layout and the JSON object are one definition. The comment
// of a field starts with its byte range; a test compares the ranges with what
// the decoder does.
package nvme
