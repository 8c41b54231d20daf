package sim

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// TestSelfTestFaults lets a test end with each result, early, or not at all.
func TestSelfTestFaults(t *testing.T) {
	for _, tc := range []struct {
		script  string
		code    uint32
		after   time.Duration
		percent uint8 // of a test that goes on
		want    nvme.SelfTestResult
	}{
		{`{"do":"test-ends","result":5}`, testShort, 100 * time.Second, 0, nvme.SelfTestResult{Status: 0x15}},
		{`{"do":"test-ends","result":5}`, testShort, 99 * time.Second, 99, nvme.SelfTestResult{}},
		{`{"do":"test-ends","result":8,"percent":40}`, testExtended, 400 * time.Second, 0, nvme.SelfTestResult{Status: 0x28}},
		{`{"do":"test-ends","result":8,"percent":40}`, testExtended, 390 * time.Second, 39, nvme.SelfTestResult{}},
		{`{"do":"test-ends","result":7,"segment":3,"lba_from":77}`, testExtended, 1000 * time.Second, 0,
			nvme.SelfTestResult{Status: 0x27, Segment: 3, Valid: 15, NSID: 1, LBA: 77, SCT: 2, SC: 0x81}},
		{`{"do":"test-ends","result":6,"segment":3}`, testExtended, 1000 * time.Second, 0, nvme.SelfTestResult{Status: 0x26}},
		{`{"do":"test-stalls","percent":30}`, testShort, 1000 * time.Hour, 30, nvme.SelfTestResult{}},
		{`{"do":"test-stalls","percent":30,"ms":50000}`, testShort, 60 * time.Second, 30, nvme.SelfTestResult{}},
		{`{"do":"test-stalls","percent":30,"ms":50000}`, testShort, 100 * time.Second, 50, nvme.SelfTestResult{}},
		{`{"do":"test-stalls","percent":30,"ms":50000}`, testShort, 150 * time.Second, 0, nvme.SelfTestResult{Status: 0x10}},
	} {
		d, now := liar(t, nandModern(), tc.script, slowTests)
		accept(t, d, testCmd(all, tc.code))
		*now = now.Add(tc.after)
		log := selfTestLog(t, d)
		if tc.percent > 0 {
			if log.CurrentOperation != uint8(tc.code) || log.CurrentCompletion != tc.percent {
				t.Errorf("%s after %v: operation %d at %d %%, want %d %%", tc.script, tc.after, log.CurrentOperation, log.CurrentCompletion, tc.percent)
			}
			continue
		}
		tc.want.PowerOnHours = log.Results[0].PowerOnHours
		if diff := cmp.Diff(tc.want, log.Results[0], cmp.AllowUnexported(nvme.SelfTestResult{})); diff != "" || log.CurrentOperation != 0 {
			t.Errorf("%s after %v: operation %d, result (-want +got):\n%s", tc.script, tc.after, log.CurrentOperation, diff)
		}
	}
}

// TestSelfTestFaultsLeaveAborts checks that an abort meets no fault of a test, and
// ends one that stands still.
func TestSelfTestFaultsLeaveAborts(t *testing.T) {
	d, now := liar(t, nandModern(), `{"do":"test-stalls","percent":0}`, slowTests)
	accept(t, d, testCmd(all, testShort))
	*now = now.Add(time.Hour)
	accept(t, d, testCmd(all, testAbort))
	if log := selfTestLog(t, d); log.CurrentOperation != 0 || log.Results[0].Result() != nvme.SelfTestAbortedByCommand {
		t.Errorf("operation %d, result %+v, want an aborted test", log.CurrentOperation, log.Results[0])
	}
}

// TestSelfTestPowerLoss checks what a loss of power in the middle does.
func TestSelfTestPowerLoss(t *testing.T) {
	for code, want := range map[uint32]uint8{testShort: 0, testExtended: testExtended} {
		d, _ := liar(t, nandModern(), ``, slowTests)
		accept(t, d, testCmd(all, code))
		d.PowerCycle()
		if log := selfTestLog(t, d); log.CurrentOperation != want || want == 0 && log.Results[0].Result() != nvme.SelfTestAbortedByReset {
			t.Errorf("test %d after a loss of power: operation %d, result %+v", code, log.CurrentOperation, log.Results[0])
		}
	}
}

func TestSelfTestFaultsAreChecked(t *testing.T) {
	for _, script := range []string{`{"do":"test-ends"}`, `{"do":"test-ends","result":15}`, `{"do":"test-stalls","percent":101}`} {
		if _, err := ParseFaults(strings.NewReader(script)); err == nil {
			t.Errorf("%s was accepted", script)
		}
	}
}
