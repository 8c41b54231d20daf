package sata

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseSense(t *testing.T) {
	registers := &Registers{Error: 1, Status: 0x50, Device: 0xA0, Count: 2, LBALow: 3, LBAMid: 0x4F, LBAHigh: 0xC2}
	tests := []struct {
		name string
		in   []byte
		want Sense
	}{
		{"fixed with registers", fixedSense(1, 0, 0x1D, registers), Sense{Key: 1, ASCQ: 0x1D, Registers: registers}},
		{"descriptor with registers", descriptorSense(1, 0, 0x1D, registers), Sense{Key: 1, ASCQ: 0x1D, Registers: registers}},
		// The same bytes mean a block address when the code is another.
		{"fixed, another code", fixedSense(3, 0x11, 0, registers), Sense{Key: 3, ASC: 0x11}},
		{"descriptor of an error", descriptorSense(0xB, 0, 0, registers), Sense{Key: 0xB, Registers: registers}},
		{"descriptor, none", descriptorSense(5, 0x20, 0, nil), Sense{Key: 5, ASC: 0x20}},
		{"deferred", []byte{0x73, 6, 0x29, 0}, Sense{Key: 6, ASC: 0x29, Deferred: true}},
		{"fixed, deferred, marked valid", append([]byte{0xF1, 0, 0xF2}, make([]byte, 15)...), Sense{Key: 2, Deferred: true}},
		{"another descriptor first", append([]byte{0x72, 1, 0, 0x1D, 0, 0, 0, 18, 0x00, 2, 0, 0}, descriptorSense(0, 0, 0, registers)[8:]...), Sense{Key: 1, ASCQ: 0x1D, Registers: registers}},
		{"descriptor cut", descriptorSense(1, 0, 0x1D, registers)[:20], Sense{Key: 1, ASCQ: 0x1D}},
		{"length beyond the end", []byte{0x72, 1, 0, 0x1D, 0, 0, 0, 255, 9, 255}, Sense{Key: 1, ASCQ: 0x1D}},
		{"length before the end", append([]byte{0x72, 1, 0, 0x1D, 0, 0, 0, 0}, descriptorSense(0, 0, 0, registers)[8:]...), Sense{Key: 1, ASCQ: 0x1D}},
	}
	for _, tt := range tests {
		got, err := ParseSense(tt.in)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(&tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestParseSenseRefuses(t *testing.T) {
	for _, b := range [][]byte{nil, {0x72}, {0x72, 1, 2}, {0x70}, make([]byte, 13), {0x7E, 0, 0, 0}, {0x00}} {
		if len(b) == 13 {
			b[0] = 0x70
		}
		if s, err := ParseSense(b); err == nil {
			t.Errorf("% x: got %+v, want an error", b, s)
		}
	}
	if _, err := ParseSense(nil); !errors.Is(err, ErrShort) {
		t.Errorf("nothing: %v", err)
	}
}

func TestSenseWords(t *testing.T) {
	for code, want := range map[[2]uint8]string{
		{0x00, 0x1D}: "ATA pass-through information available", {0x20, 0}: "invalid command operation code", {0x24, 0}: "invalid field in the command",
		{0x25, 0}: "logical unit not supported", {0x29, 0}: "power on or reset", {0x3A, 0}: "medium not present", {0x04, 2}: "not ready, needs to be started", {1, 2}: "",
	} {
		if got := additional(code[0], code[1]); got != want {
			t.Errorf("%02x: got %q, want %q", code, got, want)
		}
	}
	for code, want := range map[uint8]string{0: "good", 2: "check condition", 8: "busy", 0x18: "reservation conflict", 0x28: "task set full", 0x40: "task aborted", 0x30: "status 30h"} {
		if got := scsiStatus(code); got != want {
			t.Errorf("status %02xh: got %q, want %q", code, got, want)
		}
	}
	if got := senseKey(0xB); got != "aborted command" {
		t.Errorf("key Bh: %q", got)
	}
}
