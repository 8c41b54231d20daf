package sim

import (
	"slices"
	"time"

	"qd1.example/qd1/nvme"
)

// selfTesting is the state of the device self-test.
type selfTesting struct {
	// code is the test in progress, 0 for none.
	code uint8
	nsid nvme.NSID
	// span is the time of the test, until when it ends. lie is the fault that it
	// met, nil for none.
	span  span
	until time.Time
	lie   *Fault
	// results are the newest first.
	results []nvme.SelfTestResult
	// touched is set once the model's results are not the captured ones any
	// more.
	touched bool
}

// Values of Self-test Code.
const (
	testShort    = 1
	testExtended = 2
	testAbort    = 0xF
)

// maxResults is how many results the log keeps.
const maxResults = 20

// deviceSelfTest answers the Device Self-test command. The test goes on in the
// background.
//
// Source: NVM Express Base Specification, Revision 2.0, Device Self-test
// command: Device Self-test In Progress while one is, whatever its namespace;
// an abort without a test succeeds; a test of all namespaces is NSID FFFFFFFFh,
// of the controller alone NSID 0.
func (c *controller) deviceSelfTest(cmd *nvme.Command) reply {
	code := uint8(cmd.CDW10 & 0xF)
	if code == testAbort {
		c.abortSelfTest(nvme.SelfTestAbortedByCommand)
		return success(0)
	}
	if code != testShort && code != testExtended {
		return refuse(nvme.StatusInvalidField, inCDW10)
	}
	if cmd.NSID != 0 && cmd.NSID != nvme.BroadcastNSID && c.spaces.Load().active(cmd.NSID) == nil {
		return c.noNamespace(cmd.NSID)
	}
	if c.selfTest.code != 0 {
		return refuse(nvme.StatusSelfTestInProgress, nowhere)
	}
	d := c.personality.work.shortTest
	if code == testExtended {
		d = c.personality.work.extendedTest
	}
	t := &c.selfTest
	t.code, t.nsid, t.lie, t.touched = code, cmd.NSID, c.lie, true
	t.span, t.until = c.lie.testSpan(c.begins(), d)
	return success(0)
}

// abortSelfTest ends a test without a result of its own. It does nothing if
// there is none.
func (c *controller) abortSelfTest(result uint8) {
	if c.selfTest.code != 0 {
		c.endSelfTest(nvme.SelfTestResult{Status: result})
	}
}

// settleSelfTest ends a test that is due: with the profile's failure, or of
// what cannot be read.
func (c *controller) settleSelfTest(now time.Time) {
	t := &c.selfTest
	if t.code == 0 || now.Before(t.until) {
		return
	}
	c.endSelfTest(c.testResult())
}

// Bits of Valid Diagnostic Information, and the segment of the model that reads
// the medium.
const (
	validNSID, validLBA, validSCT, validSC = 1, 2, 4, 8

	mediumSegment = 5
)

// testResult returns what the test finds: an extended test reads the medium,
// and fails at a block that cannot be read.
func (c *controller) testResult() nvme.SelfTestResult {
	t := &c.selfTest
	if r, ok := t.lie.testResult(t.nsid); ok {
		return r
	}
	if t.code != testExtended || t.nsid == 0 {
		return nvme.SelfTestResult{Status: c.personality.selfTestResult}
	}
	for _, n := range c.spaces.Load().list {
		if n == nil || t.nsid != nvme.BroadcastNSID && n.nsid != t.nsid {
			continue
		}
		if at, bad := n.store.unreadable(0, n.bytes()); bad {
			s := nvme.StatusUnrecoveredReadError
			return nvme.SelfTestResult{
				Status: nvme.SelfTestFailedSegment, Segment: mediumSegment,
				Valid: validNSID | validLBA | validSCT | validSC, NSID: n.nsid,
				LBA: uint64(at) / uint64(n.blockBytes()), SCT: s.SCT(), SC: s.SC(),
			}
		}
	}
	return nvme.SelfTestResult{Status: c.personality.selfTestResult}
}

// endSelfTest puts a result into the log.
func (c *controller) endSelfTest(r nvme.SelfTestResult) {
	t := &c.selfTest
	r.Status |= t.code << 4
	r.PowerOnHours = c.powerOnHours()
	t.results = slices.Insert(t.results, 0, r)
	t.results = t.results[:min(len(t.results), maxResults)]
	t.code = 0
}

// selfTestPage returns the Device Self-test log.
//
// Source: NVM Express Base Specification, Revision 2.0, Device Self-test Log
// Page: entries that are not used have result Fh.
func (c *controller) selfTestPage() []byte {
	t := &c.selfTest
	log := nvme.SelfTestLog{CurrentOperation: t.code}
	if t.code != 0 {
		log.CurrentCompletion = uint8(100*t.span.share(c.now()) + 1e-9) // 29 % is 0.29, a little less.
	}
	for i := range log.Results {
		log.Results[i].Status = nvme.SelfTestUnused
	}
	copy(log.Results[:], t.results)
	return encode(&log)
}
