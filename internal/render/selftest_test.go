package render

import (
	"bytes"
	"strings"
	"testing"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/selftest"
	"qd1.example/qd1/nvme"
)

func testedDrive() Part {
	return Part{Drive: &report.Identity{Model: "MODEL", Serial: "S1"}}
}

func TestSelfTest(t *testing.T) {
	segment, nsid, lba := uint8(3), nvme.NSID(1), uint64(77)
	refused := nvme.StatusInternalError
	failed := &selftest.Entry{Test: "short", Code: 7, Outcome: selftest.Failed, Text: "a segment failed", Segment: &segment, NSID: &nsid, LBA: &lba, Status: "Unrecovered Read Error", PowerOnHours: 9}
	for name, tt := range map[string]struct {
		r    selftest.Report
		g    Guarded
		want []string
	}{
		"failed": {
			selftest.Report{Test: "short", NSID: nvme.BroadcastNSID, EstimateSeconds: 120, Sent: true, Followed: &selftest.Followed{End: selftest.Ended, Text: "the test has ended", Result: failed}, Next: "save it"},
			Guarded{},
			[]string{"FAILED  short self-test  controller and all namespaces", "should take  2 min", "a segment failed (code 7h)", "segment      3 failed first", "failing LBA  77 of namespace 1: Unrecovered Read Error", "9 h when it ended", "save it"},
		},
		"stuck": {
			selftest.Report{Test: "extended", NSID: 2, Sent: true, Followed: &selftest.Followed{End: selftest.Stuck, Text: "stood still", Percent: 30}},
			Guarded{},
			[]string{"RUNNING  extended self-test  controller and namespace 2", "stood still", "progress  30 %"},
		},
		"refused": {
			selftest.Report{Test: "short", Sent: true, Status: &refused},
			Guarded{},
			[]string{"REFUSED  short self-test  controller without namespaces", "Internal Error"},
		},
		"not sent": {
			selftest.Report{Test: "short"},
			Guarded{Checks: []guard.Check{{Check: "consent", Result: guard.Refuse, Text: "nobody agreed"}}},
			[]string{"NOT STARTED", "REFUSED  consent: nobody agreed"},
		},
		"lost":    {selftest.Report{Sent: true, Followed: &selftest.Followed{End: selftest.Lost}}, Guarded{}, []string{"LOST"}},
		"aborted": {selftest.Report{Sent: true, Followed: &selftest.Followed{End: selftest.Ended, Result: &selftest.Entry{Outcome: selftest.Aborted}}}, Guarded{}, []string{"ABORTED"}},
	} {
		var b bytes.Buffer
		if err := SelfTest(&b, testedDrive(), &tt.r, tt.g, Style{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, b.String())
			}
		}
	}
}

func TestSelfTestLog(t *testing.T) {
	var b bytes.Buffer
	l := &selftest.Log{Running: &selftest.Running{Test: "extended", Percent: 40}, Results: []selftest.Entry{
		{Test: "short", Outcome: selftest.Passed, Text: "completed without error"}, {Test: "short", Outcome: selftest.Unknown, Code: 0xE, Text: "reserved"},
	}}
	if err := SelfTestLog(&b, testedDrive(), l, Style{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"RUNNING  extended self-test  40 % done", "PASSED  short self-test", "UNKNOWN  short", "reserved (code Eh)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
