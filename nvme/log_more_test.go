package nvme

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSelfTestLog(t *testing.T) {
	log := decoded[SelfTestLog](t, "selftest", "toshiba-selftests.bin")
	want := []SelfTestResult{
		{Status: 0x20, PowerOnHours: 0x2232}, {Status: 0x10, PowerOnHours: 0x2232},
		{Status: 0x20, PowerOnHours: 0x2222}, {Status: 0x10, PowerOnHours: 0x2221},
	}
	if diff := cmp.Diff(want, log.Results[:4]); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if r := log.Results[0]; r.Result() != SelfTestPassed || r.Code() != 2 {
		t.Errorf("result %d of test %d, want passed of 2", r.Result(), r.Code())
	}
	if r := log.Results[4]; r.Result() != SelfTestUnused {
		t.Errorf("result %d, want an unused entry", r.Result())
	}
}

func TestSanitizeLog(t *testing.T) {
	stuck := decoded[SanitizeLog](t, "sanitize", "intel-660p-stuck.bin")
	want := &SanitizeLog{Progress: 655, Status: 2, CDW10: 2, OverwriteTime: 1<<32 - 1, BlockTime: 1<<32 - 1, CryptoTime: 1<<32 - 1}
	if diff := cmp.Diff(want, stuck, cmp.AllowUnexported(SanitizeLog{})); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if never := decoded[SanitizeLog](t, "sanitize", "crucial-never.bin"); never.Status.State() != SanitizeNever || never.Progress != 0xFFFF {
		t.Errorf("log %+v, want one of a drive that was never sanitized", never)
	}
	s := SanitizeGlobalDataErased | 3<<3 | SanitizeCompleted
	if s.State() != SanitizeCompleted || s.Passes() != 3 {
		t.Errorf("state %d, %d passes, want 1 and 3", s.State(), s.Passes())
	}
}

func TestEnduranceGroupLog(t *testing.T) {
	page := make([]byte, 512)
	page[5] = 7
	binary.LittleEndian.PutUint64(page[80:], 11)
	binary.LittleEndian.PutUint64(page[176:], 12)
	l := new(EnduranceGroupLog)
	if err := l.UnmarshalBinary(page); err != nil {
		t.Fatal(err)
	}
	if l.PercentageUsed != 7 || l.MediaUnitsWritten != U128(11) || l.UnallocatedCapacity != U128(12) {
		t.Errorf("log %+v", l)
	}
}

func TestPersistentEventLog(t *testing.T) {
	page := make([]byte, 512+24)
	page[0] = 0x0D
	page[4] = 1
	binary.LittleEndian.PutUint64(page[8:], uint64(len(page)))
	binary.LittleEndian.PutUint16(page[18:], 492)
	copy(page[512:], []byte{EventFormatStart, 1, 21})
	binary.LittleEndian.PutUint16(page[512+22:], 12)
	var h PersistentEventHeader
	var e PersistentEvent
	if err := h.UnmarshalBinary(page); err != nil {
		t.Fatal(err)
	}
	if err := e.UnmarshalBinary(page[512:]); err != nil {
		t.Fatal(err)
	}
	if h.LID != LIDPersistentEvent || h.Events != 1 || h.Bytes != 536 || h.HeaderBytes != 492 {
		t.Errorf("header %+v", h)
	}
	if e.Type != EventFormatStart || e.HeaderBytes != 21 || e.EventBytes != 12 {
		t.Errorf("event %+v", e)
	}
}

func TestFIDString(t *testing.T) {
	for f, want := range map[FID]string{
		FIDAutonomousTransition: "Autonomous Power State Transition",
		0x30:                    "FID 30h",
		0xC1:                    "Vendor Specific C1h",
	} {
		if got := f.String(); got != want {
			t.Errorf("FID %02Xh is %q, want %q", uint8(f), got, want)
		}
	}
}

func FuzzSelfTestLog(f *testing.F) {
	seed(f, "selftest/*.bin")
	f.Fuzz(func(t *testing.T, b []byte) { checkDecode[SelfTestLog](t, b) })
}

func FuzzSanitizeLog(f *testing.F) {
	seed(f, "sanitize/*.bin")
	f.Fuzz(func(t *testing.T, b []byte) { checkDecode[SanitizeLog](t, b) })
}

func FuzzEnduranceGroupLog(f *testing.F) {
	seed(f, "smart/*.bin")
	f.Fuzz(func(t *testing.T, b []byte) { checkDecode[EnduranceGroupLog](t, b) })
}

func FuzzPersistentEventLog(f *testing.F) {
	seed(f, "smart/*.bin")
	f.Fuzz(func(t *testing.T, b []byte) {
		checkDecode[PersistentEventHeader](t, b)
		checkDecode[PersistentEvent](t, b)
	})
}
