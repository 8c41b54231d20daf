package firmware_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/firmware"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
)

// entry is a line of a journal with a record.
func entry(t *testing.T, s journal.State, r *firmware.Record) journal.Entry {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return journal.Entry{State: s, Data: b}
}

// TestKnown is what is said of an update that was broken off, at each step, with
// what the drive says since.
func TestKnown(t *testing.T) {
	rec := &firmware.Record{
		Schema: firmware.Schema, Before: &firmware.Firmware{Revision: "OLD", ActiveSlot: 1, Slots: []string{"OLD", ""}},
		Plan:    &firmware.Plan{Slot: 2, Image: &firmware.Image{Name: "new.img", SHA256: "0123456789abcdef"}},
		Replies: []firmware.Reply{{Text: "the drive has the image"}},
	}
	at := time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC)
	for _, tt := range []struct {
		name  string
		state journal.State
		now   *firmware.Firmware
		want  []string
	}{
		{"transferred", journal.Armed, nil, []string{"new.img (sha256 0123456789ab…)", "2026-03-04 05:06", "not committed; a reset drops them"}},
		{"committed", journal.Sent, nil, []string{"the answer is not known"}},
		{"answered", journal.Returned, nil, []string{"the drive had answered: the drive has the image"}},
		{"reset", journal.Verify, nil, []string{"had answered"}},
		{"runs it since", journal.Sent, &firmware.Firmware{Revision: "NEW", ActiveSlot: 2, Slots: []string{"OLD", "NEW"}}, []string{"ran OLD then and runs NEW now"}},
		{"waits for a reset", journal.Sent, &firmware.Firmware{Revision: "OLD", ActiveSlot: 1, NextSlot: 2, Slots: []string{"OLD", "NEW"}}, []string{"slot 2 has NEW, which waits"}},
		{"is in the slot", journal.Sent, &firmware.Firmware{Revision: "OLD", ActiveSlot: 1, Slots: []string{"OLD", "NEW"}}, []string{"slot 2 has NEW"}},
		{"as before", journal.Sent, &firmware.Firmware{Revision: "OLD", ActiveSlot: 1, Slots: []string{"OLD", ""}}, []string{"runs OLD, as before"}},
		{"another drive's slots", journal.Sent, &firmware.Firmware{Revision: "OLD", ActiveSlot: 1}, []string{"runs OLD, as before"}},
	} {
		j := &journal.Record{Kind: firmware.Kind, ID: "J", Time: at, Entries: []journal.Entry{entry(t, tt.state, rec)}}
		got := firmware.Known(j, tt.now)
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q", tt.name, got, want)
			}
		}
	}
}

// TestRecordOf takes the last record of a journal, else that of the header, else
// nothing.
func TestRecordOf(t *testing.T) {
	first, last := &firmware.Record{Schema: firmware.Schema, Text: "first"}, &firmware.Record{Schema: firmware.Schema, Text: "last"}
	header := entry(t, "", &firmware.Record{Schema: firmware.Schema, Text: "header"}).Data
	for _, tt := range []struct {
		name    string
		entries []journal.Entry
		want    string
	}{
		{"last", []journal.Entry{entry(t, journal.Armed, first), entry(t, journal.Sent, last)}, "last"},
		{"no data", []journal.Entry{entry(t, journal.Armed, first), {State: journal.Sent}}, "first"},
		{"not a record", []journal.Entry{{State: journal.Armed, Data: []byte(`{"schema":"other"}`)}}, "header"},
		{"garbage", []journal.Entry{{State: journal.Armed, Data: []byte(`[`)}}, "header"},
	} {
		got := firmware.RecordOf(&journal.Record{ID: "J", Header: header, Entries: tt.entries})
		if got.Text != tt.want || got.Job != "J" {
			t.Errorf("%s: %q of %q, want %q", tt.name, got.Text, got.Job, tt.want)
		}
	}
	if got := firmware.RecordOf(&journal.Record{ID: "J"}); got.Job != "J" || got.Plan != nil {
		t.Errorf("an empty journal: %+v", got)
	}
}

// TestLostCommitThatIsInTheSlot is a commit whose answer was lost, of firmware
// that waits for a greater reset.
func TestLostCommitThatIsInTheSlot(t *testing.T) {
	r := newRig(t, modern)
	r.behind = func(cmd *nvme.Command) (nvme.Completion, error, bool) {
		if cmd.Opcode != nvme.AdminFirmwareCommit {
			return nvme.Completion{}, nil, false
		}
		if _, err := r.drive.Submit(t.Context(), cmd); err != nil {
			t.Fatal(err)
		}
		return nvme.Completion{}, sim.ErrDisconnect, true
	}
	rec := r.update(firmware.Request{Image: r.image(modernModel, "QD1M0200", sim.SubsystemReset)})
	r.check(rec, firmware.Interrupted, rec.ResetNeeded, "slot 3 has QD1M0200 now, and the drive still runs QD1M0110")
	equal(t, "states", r.states(), []journal.State{journal.Armed, journal.Sent})
}

// TestCancelWhileTheDriveWorks is Ctrl-C between the last chunk and the commit:
// nothing is committed.
func TestCancelWhileTheDriveWorks(t *testing.T) {
	r := newRig(t, optane)
	rec, d := r.plan(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d.Wait = func(ctx context.Context, _ time.Duration) error {
		cancel()
		return ctx.Err()
	}
	r.behind = func(cmd *nvme.Command) (nvme.Completion, error, bool) {
		if len(r.sent) == 0 || cmd.Opcode != nvme.AdminGetLogPage {
			return nvme.Completion{}, nil, false
		}
		cmd.Data[0] = 0x81
		return nvme.Completion{}, nil, true
	}
	if err := firmware.Run(ctx, d, rec); err != nil {
		t.Fatal(err)
	}
	r.check(rec, firmware.Cancelled, firmware.NoReset, "3 of 3 chunks: nothing was committed")
	equal(t, "commits", r.commits(), nil)
}

// TestQuirks holds the table of vendors: each has a name and something to say, and
// none stands twice.
func TestQuirks(t *testing.T) {
	seen := map[uint32]bool{}
	for _, q := range firmware.Quirks() {
		key := uint32(q.VendorID)<<16 | uint32(q.DeviceID)
		if q.Vendor == "" || q.VendorID == 0 || !q.Shutdown && !q.ActivateNow && !q.Align || seen[key] {
			t.Errorf("%+v", q)
		}
		seen[key] = true
	}
	if len(seen) != 7 {
		t.Errorf("%d rows", len(seen))
	}
}

// TestRefusedRecord is a plan that a check of ours refuses.
func TestRefusedRecord(t *testing.T) {
	r := newRig(t, optane)
	rec, d := r.plan(firmware.Request{Image: r.image(optaneModel, "E2010650", sim.AnyReset)})
	refused := firmware.HealthGate(nvme.WarningReadOnly, false)
	got := firmware.NewRecord(firmware.Tool{}, time.Time{}, d.Case, rec.Plan, nil, []guard.Check{refused})
	if got.Result != firmware.Refused || got.Checks[len(got.Checks)-1].Check != refused.Check || got.Phrase == "" || rec.Result != firmware.Planned {
		t.Errorf("%s, %+v", got.Result, got.Checks)
	}
}
