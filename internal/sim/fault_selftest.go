package sim

import (
	"fmt"
	"time"

	"qd1.example/qd1/nvme"
)

// What a fault can do to a device self-test. The command that starts one meets
// it.
const (
	// DoTestEnds ends the test with Fault.Result when Fault.Percent of it are
	// done; 0 means all of it. A result of 7h names Fault.Segment, and with
	// Fault.LBAFrom the failing block.
	DoTestEnds Do = "test-ends"
	// DoTestStalls lets the test stand still at Fault.Percent, for Fault.MS or, if
	// that is 0, for ever.
	DoTestStalls Do = "test-stalls"
)

// checkTestEnds refuses a result that is none.
func (r *Fault) checkTestEnds() error {
	if r.Result == nil || *r.Result > 0xE {
		return fmt.Errorf(`"result" of 0 to 14 is needed`)
	}
	return nil
}

// startsTest reports whether a command starts a self-test.
func startsTest(cmd *nvme.Command) bool {
	return isAdmin(cmd, nvme.AdminDeviceSelfTest) && cmd.CDW10&0xF != testAbort
}

// tests reports whether the fault is about self-tests.
func (r *Fault) tests() bool {
	v, err := r.verb()
	return err == nil && v.tests
}

// testSpan returns the time of a test that begins at a moment and takes d, and
// when it ends.
func (r *Fault) testSpan(start time.Time, d time.Duration) (span, time.Time) {
	s := span{start: start, end: start.Add(d)}
	switch {
	case r == nil:
	case r.Do == DoTestEnds && r.Percent > 0:
		return s, start.Add(time.Duration(float64(d) * r.Percent / 100))
	case r.Do == DoTestStalls:
		s.stall, s.stallAt = forEver, r.Percent/100
		if r.MS > 0 {
			s.stall = time.Duration(r.MS) * time.Millisecond
		}
		s.end = s.end.Add(s.stall)
	}
	return s, s.end
}

// testResult returns the result that the fault gives to a test, and whether it
// gives one.
func (r *Fault) testResult(nsid nvme.NSID) (nvme.SelfTestResult, bool) {
	if r == nil || r.Do != DoTestEnds {
		return nvme.SelfTestResult{}, false
	}
	out := nvme.SelfTestResult{Status: *r.Result}
	if *r.Result == nvme.SelfTestFailedSegment {
		out.Segment = r.Segment
	}
	if r.LBAFrom != nil {
		if nsid == nvme.BroadcastNSID {
			nsid = 1
		}
		s := nvme.StatusUnrecoveredReadError
		out.Valid, out.NSID, out.LBA = validNSID|validLBA|validSCT|validSC, nsid, *r.LBAFrom
		out.SCT, out.SC = s.SCT(), s.SC()
	}
	return out, true
}
