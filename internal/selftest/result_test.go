package selftest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// TestDecode holds what each result code means.
func TestDecode(t *testing.T) {
	want := map[uint8]Outcome{
		0: Passed, 1: Aborted, 2: Aborted, 3: Aborted, 4: Aborted, 5: Failed, 6: Failed, 7: Failed, 8: Aborted, 9: Aborted,
		0xA: Unknown, 0xB: Unknown, 0xC: Unknown, 0xD: Unknown, 0xE: Unknown,
	}
	texts := map[string]bool{}
	for code, outcome := range want {
		e := Decode(&nvme.SelfTestResult{Status: 0x20 | code, PowerOnHours: 12, Segment: 3})
		if e == nil || e.Outcome != outcome || e.Code != code || e.Test != "extended" || e.PowerOnHours != 12 {
			t.Errorf("code %Xh: %+v, want %s", code, e, outcome)
			continue
		}
		if texts[e.Text] || e.Text == "" {
			t.Errorf("code %Xh: text %q, want one of its own", code, e.Text)
		}
		texts[e.Text] = true
		if (e.Segment != nil) != (code == 7) {
			t.Errorf("code %Xh: segment %v: only code 7h names one", code, e.Segment)
		}
	}
	if e := Decode(&nvme.SelfTestResult{Status: 0xF}); e != nil {
		t.Errorf("an unused entry is %+v, want nil", e)
	}
}

// TestDecodeDiagnostics checks that only what is valid is shown.
func TestDecodeDiagnostics(t *testing.T) {
	nsid, lba, segment := nvme.NSID(1), uint64(1234), uint8(5)
	for valid, want := range map[uint8]Entry{
		0:  {},
		1:  {NSID: &nsid},
		2:  {LBA: &lba},
		3:  {NSID: &nsid, LBA: &lba},
		4:  {},
		12: {Status: nvme.StatusUnrecoveredReadError.String()},
		15: {NSID: &nsid, LBA: &lba, Status: nvme.StatusUnrecoveredReadError.String()},
	} {
		got := Decode(&nvme.SelfTestResult{Status: 0x17, Segment: 5, Valid: valid, NSID: 1, LBA: 1234, SCT: 2, SC: 0x81})
		want.Test, want.Code, want.Outcome, want.Text, want.Segment = "short", 7, Failed, got.Text, &segment
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("valid %d (-want +got):\n%s", valid, diff)
		}
	}
}

func TestDecodeLog(t *testing.T) {
	l := emptyLog()
	if got := DecodeLog(l); got.Running != nil || got.Results == nil || len(got.Results) != 0 {
		t.Errorf("an empty log is %+v", got)
	}
	l.CurrentOperation, l.CurrentCompletion = 0x12, 0x80|41
	l.Results[0] = nvme.SelfTestResult{Status: 0x10}
	l.Results[3] = nvme.SelfTestResult{Status: 0x21}
	got := DecodeLog(l)
	if diff := cmp.Diff(&Running{Test: "extended", Code: Extended, Percent: 41}, got.Running); diff != "" {
		t.Errorf("running (-want +got):\n%s", diff)
	}
	if len(got.Results) != 2 || got.Results[0].Test != "short" || got.Results[1].Outcome != Aborted {
		t.Errorf("results %+v", got.Results)
	}
}

func TestKinds(t *testing.T) {
	for k, want := range map[Kind]string{1: "short", 2: "extended", 3: "host-initiated refresh", 0xE: "vendor specific", 7: "unknown"} {
		if got := k.String(); got != want {
			t.Errorf("kind %d is %q, want %q", k, got, want)
		}
	}
}

func TestCommands(t *testing.T) {
	if c := Start(Extended, 3); c.Opcode != nvme.AdminDeviceSelfTest || c.NSID != 3 || c.CDW10 != 2 || c.Queue != nvme.AdminQueue {
		t.Errorf("Start = %+v", c)
	}
	if c := Abort(); c.Opcode != nvme.AdminDeviceSelfTest || c.CDW10 != 0xF {
		t.Errorf("Abort = %+v", c)
	}
	for _, c := range []*nvme.Command{Start(Short, nvme.BroadcastNSID), Abort()} {
		if e := nvme.EffectOf(c, nil); e.Access != nvme.Changes {
			t.Errorf("%+v %v, want that it changes the state of the drive and no data", c, e)
		}
	}
}

func TestWhyNotAndEstimate(t *testing.T) {
	has := &nvme.IdentifyController{OACS: nvme.OACSSelfTest, EDSTT: 35}
	if why := WhyNot(has); why != "" {
		t.Errorf("a drive that has it: %q", why)
	}
	if WhyNot(&nvme.IdentifyController{}) == "" {
		t.Error("a drive without it has no reason")
	}
	if s, e := Estimate(Short, has), Estimate(Extended, has); s != 2*time.Minute || e != 35*time.Minute {
		t.Errorf("estimates %v and %v", s, e)
	}
	if got := Estimate(Extended, &nvme.IdentifyController{}); got != 0 {
		t.Errorf("estimate of a drive that says nothing: %v", got)
	}
	if StandStill(0) != 10*time.Minute || StandStill(time.Hour) != 3*time.Hour {
		t.Errorf("stand still %v and %v", StandStill(0), StandStill(time.Hour))
	}
}

func TestUnwilling(t *testing.T) {
	for status, want := range map[nvme.Status]bool{
		nvme.StatusInvalidNamespace: true, nvme.StatusInvalidField | 1<<14: true,
		nvme.StatusSelfTestInProgress: false, nvme.StatusInvalidOpcode: false, nvme.StatusSuccess: false,
	} {
		if got := Unwilling(status); got != want {
			t.Errorf("%v: %t, want %t", status, got, want)
		}
	}
}

// FuzzDecodeLog decodes any log.
func FuzzDecodeLog(f *testing.F) {
	f.Add(make([]byte, 564))
	f.Fuzz(func(t *testing.T, b []byte) {
		l := new(nvme.SelfTestLog)
		if l.UnmarshalBinary(b) != nil {
			return
		}
		got := DecodeLog(l)
		if len(got.Results) > len(l.Results) || got.Running != nil && got.Running.Percent > 127 {
			t.Errorf("%+v", got)
		}
	})
}
