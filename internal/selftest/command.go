package selftest

import (
	"time"

	"qd1.example/qd1/nvme"
)

// Kind is a Self-test Code (STC).
type Kind uint8

// The kinds of test, and the code that ends one.
const (
	Short    Kind = 0x1
	Extended Kind = 0x2
	abort    Kind = 0xF
)

// String returns the name of the test in words.
func (k Kind) String() string {
	switch k {
	case Short:
		return "short"
	case Extended:
		return "extended"
	case 0x3:
		return "host-initiated refresh"
	case 0xE:
		return "vendor specific"
	}
	return "unknown"
}

// Start is the command that begins a test. The namespace is
// [nvme.BroadcastNSID] for all, 0 for the controller alone.
func Start(k Kind, nsid nvme.NSID) *nvme.Command {
	return &nvme.Command{Queue: nvme.AdminQueue, Opcode: nvme.AdminDeviceSelfTest, NSID: nsid, CDW10: uint32(k)}
}

// Abort is the command that ends the test that is running, whatever its
// namespace.
func Abort() *nvme.Command { return Start(abort, nvme.BroadcastNSID) }

// WhyNot says why a drive has no self-test, "" if it has one.
func WhyNot(id *nvme.IdentifyController) string {
	if id.OACS&nvme.OACSSelfTest != 0 {
		return ""
	}
	return "the drive does not list Device Self-test (OACS bit 4 is 0): there is no test in its firmware that could be started"
}

// shortTime is how long a short test takes at most.
//
// Source: NVM Express Base Specification, Revision 2.0, Short Device Self-Test
// Operation: it should complete in two minutes or less.
const shortTime = 2 * time.Minute

// Estimate is how long a test takes, as the specification or the drive says. 0:
// the drive does not say.
func Estimate(k Kind, id *nvme.IdentifyController) time.Duration {
	if k == Short {
		return shortTime
	}
	return time.Duration(id.EDSTT) * time.Minute
}

// Unwilling reports whether a drive refused a test for the namespace that it was
// asked to test, so that it is worth asking once for another one.
func Unwilling(status nvme.Status) bool {
	return status.Code() == nvme.StatusInvalidNamespace || status.Code() == nvme.StatusInvalidField
}
