package sata

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCDB compares the commands with bytes written by hand from the tables of
// SAT-4.
func TestCDB(t *testing.T) {
	tests := []struct {
		command  command
		long, of []byte
	}{
		{identifyDevice(),
			[]byte{0x85, 0x08, 0x0E, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xEC, 0},
			[]byte{0xA1, 0x08, 0x0E, 0, 1, 0, 0, 0, 0, 0xEC, 0, 0}},
		{readData(),
			[]byte{0x85, 0x08, 0x0E, 0, 0xD0, 0, 1, 0, 0, 0, 0x4F, 0, 0xC2, 0, 0xB0, 0},
			[]byte{0xA1, 0x08, 0x0E, 0xD0, 1, 0, 0x4F, 0xC2, 0, 0xB0, 0, 0}},
		{readThresholds(),
			[]byte{0x85, 0x08, 0x0E, 0, 0xD1, 0, 1, 0, 0, 0, 0x4F, 0, 0xC2, 0, 0xB0, 0},
			[]byte{0xA1, 0x08, 0x0E, 0xD1, 1, 0, 0x4F, 0xC2, 0, 0xB0, 0, 0}},
		{readLog(logStatistics, 8),
			[]byte{0x85, 0x08, 0x0E, 0, 0xD5, 0, 8, 0, 4, 0, 0x4F, 0, 0xC2, 0, 0xB0, 0},
			[]byte{0xA1, 0x08, 0x0E, 0xD5, 8, 4, 0x4F, 0xC2, 0, 0xB0, 0, 0}},
		{returnStatus(),
			[]byte{0x85, 0x06, 0x28, 0, 0xDA, 0, 0, 0, 0, 0, 0x4F, 0, 0xC2, 0, 0xB0, 0},
			[]byte{0xA1, 0x06, 0x28, 0xDA, 0, 0, 0x4F, 0xC2, 0, 0xB0, 0, 0}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.long, tt.command.cdb16()); diff != "" {
			t.Errorf("%s, 16 bytes (-want +got):\n%s", tt.command.name, diff)
		}
		if diff := cmp.Diff(tt.of, tt.command.cdb12()); diff != "" {
			t.Errorf("%s, 12 bytes (-want +got):\n%s", tt.command.name, diff)
		}
	}
}

// TestAllowed tries every operation code and every SMART feature: five pass.
func TestAllowed(t *testing.T) {
	passed := map[[2]uint8]bool{}
	for op := range 256 {
		for feature := range 256 {
			c := command{opcode: uint8(op), feature: uint8(feature), lbaMid: signatureMid, lbaHigh: signatureHigh}
			err := c.allowed()
			if err == nil {
				passed[[2]uint8{c.opcode, c.feature}] = true
			} else if !errors.Is(err, ErrNotAllowed) {
				t.Fatalf("%02xh/%02xh: %v", op, feature, err)
			}
		}
	}
	for _, want := range [][2]uint8{{0xB0, 0xD0}, {0xB0, 0xD1}, {0xB0, 0xD5}, {0xB0, 0xDA}} {
		if !passed[want] {
			t.Errorf("%02x does not pass", want)
		}
		delete(passed, want)
	}
	for got := range passed {
		if got[0] != 0xEC {
			t.Errorf("%02x passes", got)
		}
	}
	if len(passed) != 256 {
		t.Errorf("IDENTIFY DEVICE passes with %d features, want all", len(passed))
	}
	unsigned := readData()
	unsigned.lbaMid = 0
	if err := unsigned.allowed(); !errors.Is(err, ErrNotAllowed) {
		t.Errorf("SMART without its signature: %v", err)
	}
}

// TestDisallowedIsNotSent checks that the list stands before the drive.
func TestDisallowedIsNotSent(t *testing.T) {
	f := healthyDrive(t)
	d := f.open(nil)
	for _, c := range []command{
		{name: "SECURITY ERASE UNIT", opcode: 0xF4}, {name: "DATA SET MANAGEMENT", opcode: 0x06}, {name: "SMART EXECUTE OFF-LINE", opcode: 0xB0, feature: 0xD4, lbaMid: 0x4F, lbaHigh: 0xC2},
		{name: "SMART WRITE LOG", opcode: 0xB0, feature: 0xD6, lbaMid: 0x4F, lbaHigh: 0xC2}, {name: "SMART DISABLE", opcode: 0xB0, feature: 0xD9, lbaMid: 0x4F, lbaHigh: 0xC2},
	} {
		if _, err := d.do(t.Context(), c); !errors.Is(err, ErrNotAllowed) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if got := d.Footprint().Commands; got != 0 {
		t.Errorf("%d commands were sent", got)
	}
}

// TestLayout compares with the offsets of struct sg_io_hdr of a C compiler.
func TestLayout(t *testing.T) {
	want64 := header{word: 8, data: 16, cdb: 24, sense: 32, timeout: 40, status: 64, senseLen: 67, host: 68, driver: 70, resid: 72, size: 88}
	want32 := header{word: 4, data: 16, cdb: 20, sense: 24, timeout: 28, status: 44, senseLen: 47, host: 48, driver: 50, resid: 52, size: 64}
	for word, want := range map[int]header{8: want64, 4: want32} {
		if got := layout(word); got != want {
			t.Errorf("%d bytes a pointer: got %+v, want %+v", word, got, want)
		}
	}
}

func TestFrame(t *testing.T) {
	f, err := newFrame([]byte{1, 2, 3}, 512, 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer f.free()
	b := f.buffer.Bytes()
	b[f.header.status], b[f.header.senseLen] = 0x03, 200 // reserved bits, and more sense data than there is room for
	b[f.header.resid+3] = 0xFF                           // a negative remainder
	if o := f.outcome(); o.status != 2 || len(o.sense) != senseBytes || o.length != 512 {
		t.Errorf("outcome: status %d, %d bytes of sense data, %d of data", o.status, len(o.sense), o.length)
	}
	if len(f.bytes(4)) != 4 {
		t.Error("data of another length")
	}
}
