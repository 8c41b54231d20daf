package nvme

// Status is the status of a completion without the phase tag, 15 bits: Do Not
// Retry (bit 14), More (13), Command Retry Delay (12:11), Status Code Type
// (10:8) and Status Code (7:0). 0 is success.
type Status uint16

// ErrShort is a structure that came with fewer bytes than it has.
var ErrShort error = shortError{}

type shortError struct{}

func (shortError) Error() string { return "too short" }
