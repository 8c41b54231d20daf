package erase

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

func TestTakeSnapshot(t *testing.T) {
	r := newRig(t, "nand-modern?size=8388608&namespaces=2")
	s, err := TakeSnapshot(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Namespaces) != 2 || s.Namespaces[0].LBABytes != 512 || s.Namespaces[0].EUI64 == "" || total(s) != 8388608 {
		t.Errorf("namespaces %+v", s.Namespaces)
	}
	if s.Health == nil || s.Health.PowerCycles == nil || s.NewestError == nil || s.Sanitize == nil || len(s.Unread) != 0 || s.Model == "" {
		t.Errorf("snapshot %+v", s)
	}
}

// TestTakeSnapshotOfLittle holds that logs that cannot be read are told and no
// error, and that a drive that does not answer is one.
func TestTakeSnapshotOfLittle(t *testing.T) {
	r := newRig(t, small)
	r.behind = answers(nvme.AdminGetLogPage, nvme.Completion{Status: nvme.StatusInternalError}, nil)
	s, err := TakeSnapshot(t.Context(), r)
	if err != nil || len(s.Unread) != 2 || s.Health != nil || s.NewestError != nil || s.Sanitize != nil {
		t.Errorf("error %v, snapshot %+v", err, s)
	}
	r.behind = func(context.Context, *nvme.Command) (nvme.Completion, error, bool) {
		return nvme.Completion{}, syscall.ENODEV, true
	}
	if _, err := TakeSnapshot(t.Context(), r); !errors.Is(err, syscall.ENODEV) {
		t.Errorf("error %v", err)
	}
}

func TestGhost(t *testing.T) {
	n := uint64(1)
	drive := func(change func(*Snapshot)) *Snapshot {
		s := &Snapshot{
			Model: "M", Serial: "S", Namespaces: []NamespaceState{{NSID: 1, Bytes: 7680 * gb}},
			Health: &Health{Temperature: 300, PowerCycles: &n, PowerOnHours: &n, DataUnitsWritten: &n},
		}
		change(s)
		return s
	}
	same := func(*Snapshot) {}
	tests := []struct {
		name   string
		change func(*Snapshot)
		want   []string
	}{
		{"itself", same, nil},
		{"other format", func(s *Snapshot) { s.Namespaces[0].Bytes -= 1 << 30 }, nil},
		{"seen once", func(s *Snapshot) {
			s.Model, s.Namespaces[0].Bytes = "SM2270", 1<<30
			s.Health.Temperature, s.Health.PowerCycles = 0, nil
		}, []string{
			"its model was M and is SM2270", "its size was 7680000000000 bytes and is 1073741824",
			"it reports no temperature any more", "its counters are beyond what can be counted",
		}},
		{"no namespace", func(s *Snapshot) { s.Namespaces = nil }, []string{"its size was 7680000000000 bytes and is 0"}},
		{"serial", func(s *Snapshot) { s.Serial = "" }, []string{"its serial was S and is none"}},
		{"cold", func(s *Snapshot) { s.Health.Temperature = 1 }, []string{"it reports -272 °C"}},
		{"no logs", func(s *Snapshot) { s.Health = nil }, nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, ghost(drive(same), drive(tt.change))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if got := ghost(nil, drive(same)); got != nil {
		t.Errorf("without a before: %q", got)
	}
}

func TestCompare(t *testing.T) {
	count := func(n uint64) *uint64 { return &n }
	before := &Snapshot{
		Serial: "S", Model: "M", Firmware: "1", NewestError: count(5),
		Namespaces: []NamespaceState{{NSID: 1, Bytes: 1000, EUI64: "aa"}, {NSID: 2}},
		Health:     &Health{PowerCycles: count(3), UnsafeShutdowns: count(1), MediaErrors: count(math.MaxUint64), ErrorLogEntries: count(9)},
	}
	after := &Snapshot{
		Serial: "S", Model: "M", Firmware: "2", Namespaces: []NamespaceState{{NSID: 1, Bytes: 900, LBAF: 1}, {NSID: 3}},
		Health: &Health{PowerCycles: count(5), UnsafeShutdowns: count(1), MediaErrors: count(1)},
		errors: nvme.ErrorLog{{ErrorCount: 6, StatusInfo: 0x281 << 1}, {ErrorCount: 5, StatusInfo: 2 << 1}},
	}
	d := compare(before, after)
	want := []string{
		"firmware: 1 before, 2 after", "namespace 1 size: 1000 bytes before, 900 bytes after", "namespace 1 LBA format: 0 before, 1 after",
		"namespace 1 EUI-64: aa before, none after", "namespace 2 is not there any more", "namespace 3 is new",
	}
	if diff := cmp.Diff(want, d.Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if d.PowerCycles == nil || *d.PowerCycles != 2 || *d.UnsafeShutdowns != 0 || d.MediaErrors != nil || d.ErrorLogEntries != nil {
		t.Errorf("counters %+v", d)
	}
	if len(d.Errors) != 1 || !strings.Contains(d.Errors[0], "error 6: Unrecovered Read Error") || !d.mediaError {
		t.Errorf("errors %q, of the media %t", d.Errors, d.mediaError)
	}
	if compare(nil, after) != nil || compare(before, nil) != nil {
		t.Error("something is compared with nothing")
	}
	same := compare(before, before)
	if len(same.Changes) != 0 || !slices.Equal(same.Errors, []string{}) {
		t.Errorf("a drive differs from itself: %+v", same)
	}
}
