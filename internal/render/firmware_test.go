package render_test

import (
	"bytes"
	"strings"
	"testing"

	"qd1.example/qd1/internal/firmware"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/render"
)

// firmwareRecord is an update of a drive with two slots.
func firmwareRecord() *firmware.Record {
	return &firmware.Record{
		Identity: guard.Identity{Serial: "SER", Model: "MODEL", Firmware: "OLD", Controller: "nvme0", Bytes: 1 << 30},
		Lineage:  "The drive is of a line for somebody.", Phrase: "UPDATE MODEL SER",
		Plan: &firmware.Plan{
			Image:    &firmware.Image{Name: "new.img", Bytes: 8000, SHA256: "abcd"},
			Revision: "OLD", ActiveSlot: 1, Slots: 2, Slot: 2, SlotWhy: "slot 1 is active", Action: 1, ActionWhy: "at a reset only",
			ChunkBytes: 4096, Chunks: 2, LastBytes: 4096, Padding: 192, Reset: firmware.PowerCycle, ResetWhy: "known to need it",
			Warnings: []string{"read this"}, Notes: []string{"know this"},
		},
		Checks: []guard.Check{
			{Check: "mains", Result: guard.Pass, Text: "on mains"}, {Check: "jobs", Result: guard.Pass, Warning: true, Text: "broken off"},
		},
		Earlier: []string{"an earlier one"}, Users: []string{"a mount"}, Result: firmware.Planned, Next: "qd1 firmware update SER",
	}
}

func TestFirmwarePlan(t *testing.T) {
	r := firmwareRecord()
	text := written(t, func(b *bytes.Buffer) error { return render.FirmwarePlan(b, r, render.Style{}) })
	for _, want := range []string{
		"PLAN  new firmware into slot 2", "serial SER", "OLD from slot 1 of 2", "2 (empty): slot 1 is active", "sha256 abcd", "2 of 4096 bytes", "192 bytes of FFh",
		"action 1: at a reset only", "a restart is not enough", "read this", "know this", "an earlier one", "a mount", "broken off", "UPDATE MODEL SER",
		"on mains", "line for somebody", "next",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	r.Result, r.Plan.Image, r.Plan.SlotHolds = firmware.Refused, nil, "OTHER"
	r.Checks = append(r.Checks, guard.Check{Check: "serial", Result: guard.Refuse, Text: "not named", Hint: "name it"})
	text = written(t, func(b *bytes.Buffer) error { return render.FirmwarePlan(b, r, render.Style{}) })
	for _, want := range []string{"REFUSED  activate the firmware of slot 2 (OTHER)", "serial: not named", "hint: name it", "has OTHER"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "UPDATE MODEL") || strings.Contains(text, "sha256") {
		t.Errorf("a refused activation shows a phrase or an image:\n%s", text)
	}
}

// written is what a page writes, with plain blanks and one line for each entry.
func written(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), "\u00a0", " ")
}

func TestFirmwareResult(t *testing.T) {
	for class, want := range map[firmware.Class]string{
		firmware.Changed: "UPDATED", firmware.Pending: "RESET NEEDED", firmware.Unchanged: "UNCHANGED", firmware.Cancelled: "STOPPED",
		firmware.Interrupted: "NOT KNOWN", firmware.Rejected: "REFUSED BY THE DRIVE", firmware.Failed: "FAILED",
	} {
		r := firmwareRecord()
		r.Result, r.Text, r.Error, r.ChunksSent, r.Retries = class, "what came of it", "the cause", 2, 1
		r.Replies = []firmware.Reply{{Command: "Firmware Commit, action 1, slot 2", Status: "0x111", Text: "accepted"}}
		r.ResetDone, r.ResetText = firmware.ControllerReset, "and more"
		r.Before = &firmware.Firmware{Revision: "OLD", ActiveSlot: 1, NextSlot: 2, Slots: []string{"OLD", ""}, Kernel: "OLDER"}
		r.Benchmark, r.BenchBefore = "no change of 2 % or more", "ID1"
		text := written(t, func(b *bytes.Buffer) error { return render.FirmwareResult(b, r, render.Style{}) })
		for _, part := range []string{
			want + "  MODEL", "what came of it", "the cause", "2 of 2 chunks, 1 sent again", "slot 2: 0x111, accepted", "controller reset done; and more",
			"next reset: slot 2", "slot 2 empty", "kernel says OLDER", "before ID1", "no change of 2 % or more",
		} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q in:\n%s", class, part, text)
			}
		}
		r.BenchAfter = "ID2"
		if both := written(t, func(b *bytes.Buffer) error { return render.FirmwareResult(b, r, render.Style{}) }); !strings.Contains(both, "qd1 compare ID1 ID2 --changed firmware") {
			t.Errorf("%s: no comparison in:\n%s", class, both)
		}
		if strings.Contains(text, "after ID") || strings.Contains(text, "  after ") {
			t.Errorf("%s: something afterwards:\n%s", class, text)
		}
	}
}
