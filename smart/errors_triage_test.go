package smart

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

func TestTriageErrors(t *testing.T) {
	with := func(e nvme.ErrorLogEntry, nsid nvme.NSID, sqid uint16, opcode uint8) nvme.ErrorLogEntry {
		e.NSID, e.SQID, e.Opcode = nsid, sqid, opcode
		return e
	}
	sizes := map[nvme.NSID]Blocks{1: {Count: 1_000_000, Bytes: 512}, 2: {Count: 1000, Bytes: 4096}}
	for _, tt := range []struct {
		name string
		log  nvme.ErrorLog
		want *Triage
	}{
		{"nothing", nil, &Triage{Spots: []Spot{}, Opcodes: []OpcodeCount{}}},
		{"an empty entry", nvme.ErrorLog{entry(0, 0x281, 1)}, &Triage{Spots: []Spot{}, Opcodes: []OpcodeCount{}}},
		{"probes alone", nvme.ErrorLog{with(entry(1, 0x002, 0), 0, 0, 6), with(entry(2, 0x109, 0), 0, 0, 2), with(entry(3, 0x109, 0), 0, 0, 2)}, &Triage{
			Command: 3, Spots: []Spot{}, Opcodes: []OpcodeCount{{2, "Get Log Page", true, 2}, {6, "Identify", true, 1}}}},
		{"one spot at the end", nvme.ErrorLog{entry(1, 0x281, 999_900), entry(2, 0x281, 999_824), entry(3, 0x281, 999_900)}, &Triage{
			Media: 3, Spots: []Spot{{NSID: 1, Entries: 3, LBAs: 2, LBAMin: 999_824, LBAMax: 999_900, FromEndBytes: new(uint64(88 << 10))}}, Opcodes: []OpcodeCount{}}},
		{"a mebibyte apart is one spot, more is two", nvme.ErrorLog{entry(1, 0x281, 0), entry(2, 0x281, 2048), entry(3, 0x281, 4097)}, &Triage{
			Media: 3, Spots: []Spot{
				{NSID: 1, Entries: 2, LBAs: 2, LBAMin: 0, LBAMax: 2048, FromEndBytes: new(uint64(512_000_000))},
				{NSID: 1, Entries: 1, LBAs: 1, LBAMin: 4097, LBAMax: 4097, FromEndBytes: new(uint64(512_000_000 - 4097*512))}}, Opcodes: []OpcodeCount{}}},
		{"blocks of 4 KiB, and of another namespace", nvme.ErrorLog{with(entry(1, 0x281, 0), 2, 1, 2), with(entry(2, 0x281, 257), 2, 1, 2), with(entry(3, 0x281, 7), 9, 1, 1)}, &Triage{
			Media: 3, Spots: []Spot{
				{NSID: 2, Entries: 1, LBAs: 1, LBAMin: 0, LBAMax: 0, FromEndBytes: new(uint64(4_096_000))},
				{NSID: 2, Entries: 1, LBAs: 1, LBAMin: 257, LBAMax: 257, FromEndBytes: new(uint64(743 * 4096))},
				{NSID: 9, Entries: 1, LBAs: 1, LBAMin: 7, LBAMax: 7}}, Opcodes: []OpcodeCount{{1, "Write", false, 1}, {2, "Read", false, 2}}}},
		{"behind the end", nvme.ErrorLog{entry(1, 0x281, math.MaxUint64), entry(2, 0x281, 1_000_000)}, &Triage{
			Media: 2, Spots: []Spot{{NSID: 1, Entries: 1, LBAs: 1, LBAMin: 1_000_000, LBAMax: 1_000_000},
				{NSID: 1, Entries: 1, LBAs: 1, LBAMin: math.MaxUint64, LBAMax: math.MaxUint64}}, Opcodes: []OpcodeCount{}}},
		{"of the path, and internal", nvme.ErrorLog{entry(1, 0x300, 0), entry(2, 0x006, 0)}, &Triage{Path: 1, Other: 1, Spots: []Spot{}, Opcodes: []OpcodeCount{}}},
	} {
		got := TriageErrors(tt.log, nil, sizes)
		if tt.name == "blocks of 4 KiB, and of another namespace" {
			got.Opcodes[0], got.Opcodes[1] = got.Opcodes[1], got.Opcodes[0] // The one with most entries is first.
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestTriageCounter(t *testing.T) {
	got := TriageErrors(nil, &nvme.SMARTLog{MediaErrors: nvme.Uint128{Hi: 1}}, nil)
	text, err := json.Marshal(got)
	want := `{"media_errors":18446744073709551616,"media":0,"command":0,"path":0,"other":0,"spots":[],"opcodes":[]}`
	if err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
}

// TestTriageOfRealLogs holds the error logs of real drives: only the one with
// media errors has spots.
func TestTriageOfRealLogs(t *testing.T) {
	files, err := filepath.Glob("../nvme/testdata/errlog/*.bin")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var log nvme.ErrorLog
		if err := log.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		got := TriageErrors(log, nil, map[nvme.NSID]Blocks{1: {Count: 1875385008, Bytes: 512}})
		if sum := got.Media + got.Command + got.Path + got.Other; sum != len(log) {
			t.Errorf("%s: %d entries counted, %d in the log", file, sum, len(log))
		}
		if filepath.Base(file) != "optane-905P-SSDPED1D960GAY-media-errors.bin" {
			if len(got.Spots) > 0 {
				t.Errorf("%s: spots %+v", file, got.Spots)
			}
			continue
		}
		want := []Spot{{NSID: 1, Entries: 16, LBAs: 2, LBAMin: 1875384832, LBAMax: 1875384968, FromEndBytes: new(uint64(88 << 10))}}
		if diff := cmp.Diff(want, got.Spots); diff != "" || !got.Spots[0].AtEnd() {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}
