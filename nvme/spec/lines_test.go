package spec

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plainText writes lines without any layout, for comparison.
func plainText(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		indent := strings.Repeat("  ", l.Depth)
		fmt.Fprintf(&b, "%s%s\n", indent, join(" | ", l.Name, l.Value, l.Text))
		for _, d := range l.Details {
			fmt.Fprintf(&b, "%s    %s\n", indent, d)
		}
	}
	return b.String()
}

func TestLines(t *testing.T) {
	want := `KIND | 2 | Kind: long
N | 2 | Number of Parts
CAP | 0x802d | Capabilities
    Mode: fast, Slots: 3
    yes: X Command, Y Command
    reserved bits are set: 0x8000
SIZE | 32 768 bytes (32 KiB) | Size
LEFT | 10 | Left
DEG | -2 | Degrees
TIME | 700 ms | Time
SN | AB | Serial Number
ID | dead0001 | Identifier
20:18 | 5a005b | reserved bytes that are not zero
28:28 | 05 | reserved bytes that are not zero
Parts: 2
  PART | 513 bytes, 1027 bytes (1.03 kB)
`
	if diff := cmp.Diff(want, plainText(decoded(t, toy(), toyPage()).Lines(LineOptions{}))); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// TestLinesOfNothing holds that what says nothing is named together, and what
// zero means something of is not.
func TestLinesOfNothing(t *testing.T) {
	want := `KIND | 0 | Kind: reserved value
CAP | 0x0000 | Capabilities
    Mode: off, Slots: 1
    no: X Command, Y Command
LEFT | 1 | Left
0: N, DEG
no limit: SIZE
not reported: TIME
empty: SN, ID
Parts: none
`
	if diff := cmp.Diff(want, plainText(decoded(t, toy(), make([]byte, 32)).Lines(LineOptions{}))); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestFullLines(t *testing.T) {
	b := toyPage()
	b[1], b[7] = 9, 0
	want := `CAP | 0x802d | Capabilities
    [2:1] MODE Mode: fast
    [0] X X Command: yes
    [3] Y Y Command: supported
    [7:4] SLOTS Slots: 3
    reserved bits are set: 0x8000
SIZE | 32 768 bytes (32 KiB) | Size
LEFT | 10 | Left
DEG | -2 | Degrees
TIME | Time: not reported
`
	got := plainText(decoded(t, toy(), b).Lines(LineOptions{Full: true}))
	if !strings.Contains(got, want) || !strings.Contains(got, "Parts: 4 of the 9 that the page counts, as it is too short for them\n") {
		t.Errorf("full lines:\n%s\nwant in them:\n%s", got, want)
	}
}

func TestLinesOfEntries(t *testing.T) {
	v := decoded(t, entries(nil), []byte{1, 2, 0x34, 0x12, 9, 1, 7})
	want := `Entries: 2
  ENTRY 0 | TYPE 1, LEN 2, V 4660
  ENTRY 1 | TYPE 9, LEN 1, reserved byte 2: 07
`
	if diff := cmp.Diff(want, plainText(v.Lines(LineOptions{}))); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	want = `Entries: 2
  ENTRY 0
    TYPE | 1 | Type
    LEN | 2 | Length
    V | 4660 | Value
  ENTRY 1
    TYPE | 9 | Type
    LEN | 1 | Length
    2:2 | 07 | reserved bytes that are not zero
`
	if diff := cmp.Diff(want, plainText(v.Lines(LineOptions{Full: true}))); diff != "" {
		t.Errorf("full lines (-want +got):\n%s", diff)
	}
}

func TestLinesOfLongBytes(t *testing.T) {
	s := &Structure{Name: "Long", Source: "none", Bytes: 64, Fields: []Field{{Name: "VS", Title: "Vendor Specific", Len: 64, Kind: Hex}}}
	b := make([]byte, 64)
	b[40] = 1
	v := decoded(t, s, b)
	if diff := cmp.Diff("VS | 64 bytes | Vendor Specific: not zero\n", plainText(v.Lines(LineOptions{}))); diff != "" {
		t.Errorf("short (-want +got):\n%s", diff)
	}
	want := "VS | 64 bytes | Vendor Specific: not zero\n    0020  00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00\n"
	if diff := cmp.Diff(want, plainText(v.Lines(LineOptions{Vendor: true}))); diff != "" {
		t.Errorf("all bytes (-want +got):\n%s", diff)
	}
}

func TestUnits(t *testing.T) {
	tests := []struct {
		n    int64
		unit string
		want string
	}{
		{0, "bytes", "0 bytes"},
		{999, "bytes", "999 bytes"},
		{1, "bytes", "1 byte"},
		{1000, "bytes", "1000 bytes (1 kB)"},
		{524288, "bytes", "524 288 bytes (512 KiB)"},
		{33554432, "bytes", "33 554 432 bytes (32 MiB)"},
		{1, "entries", "1 entry"},
		{1, "us", "1 µs"},
		{1, "s", "1 s"},
		{960197124096, "bytes", "960 197 124 096 bytes (960 GB)"},
		{334, "kelvin", "334 K (61 °C)"},
		{7, "percent", "7 %"},
		{40, "us", "40 µs"},
		{-12345, "", "-12 345"},
		{3, "logical_blocks", "3 logical blocks"},
	}
	for _, tt := range tests {
		if got := withUnit(big.NewInt(tt.n), tt.unit); got != tt.want {
			t.Errorf("%d %s: %q, want %q", tt.n, tt.unit, got, tt.want)
		}
	}
}
