package sata

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// errorPage returns log 01h with entries in the slots given; hours tell them
// apart.
func errorPage(index byte, count uint16, hours map[int]uint16) []byte {
	b := make([]byte, sectorBytes)
	b[0], b[1] = 1, index
	for slot, h := range hours {
		e := b[2+slot*90+errorStructure:]
		e[1], e[3], e[4], e[5], e[6], e[7] = 0x40, 0x78, 0x56, 0x34, 0xE2, 0x51
		binary.LittleEndian.PutUint16(e[28:], h)
	}
	binary.LittleEndian.PutUint16(b[452:], count)
	return seal(b, 0)
}

func TestParseErrorLog(t *testing.T) {
	entry := func(hours uint16) ErrorEntry {
		return ErrorEntry{Hours: hours, Status: 0x51, Error: 0x40, LBA: 0x2345678, Text: "uncorrectable data"}
	}
	tests := []struct {
		name  string
		in    []byte
		count uint16
		want  []ErrorEntry
	}{
		{"none", errorPage(0, 0, nil), 0, []ErrorEntry{}},
		{"one", errorPage(1, 1, map[int]uint16{0: 10}), 1, []ErrorEntry{entry(10)}},
		{"wrapped", errorPage(2, 7, map[int]uint16{0: 60, 1: 70, 2: 30, 3: 40, 4: 50}), 7, []ErrorEntry{entry(70), entry(60), entry(50), entry(40), entry(30)}},
		{"index beyond the table", errorPage(6, 9, map[int]uint16{0: 10}), 9, []ErrorEntry{}},
		{"index of ones", errorPage(255, 9, map[int]uint16{0: 10}), 9, []ErrorEntry{}},
	}
	for _, tt := range tests {
		got, err := ParseErrorLog(tt.in)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(&ErrorLog{Count: tt.count, ChecksumOK: true, Entries: tt.want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestErrorText(t *testing.T) {
	for bits, want := range map[uint8]string{0x84: "interface CRC error", 0x40: "uncorrectable data", 0x10: "sector not found", 0x04: "command aborted", 0x01: "", 0: ""} {
		if got := errorText(bits); got != want {
			t.Errorf("%02xh: got %q, want %q", bits, got, want)
		}
	}
}

// selfTestPage returns log 06h with kind, status and hours by slot.
func selfTestPage(index byte, slots map[int][3]uint16) []byte {
	b := make([]byte, sectorBytes)
	b[0] = 1
	for slot, v := range slots {
		e := b[2+slot*24:]
		e[0], e[1] = byte(v[0]), byte(v[1])
		binary.LittleEndian.PutUint16(e[2:], v[2])
		binary.LittleEndian.PutUint32(e[5:], 0x123456)
	}
	b[508] = index
	return seal(b, 0)
}

func TestParseSelfTestLog(t *testing.T) {
	got, err := ParseSelfTestLog(selfTestPage(2, map[int][3]uint16{0: {1, 0x00, 20}, 1: {2, 0x79, 30}, 20: {0x81, 0x10, 10}}))
	if err != nil {
		t.Fatal(err)
	}
	want := &SelfTestLog{ChecksumOK: true, Entries: []SelfTest{
		{Kind: "extended", Status: 7, Text: "read element failed", RemainingPercent: 90, Hours: 30, FirstErrorLBA: new(uint32(0x123456))},
		{Kind: "short", Text: "completed without error", Hours: 20},
		{Kind: "short", Status: 1, Text: "aborted by the host", Hours: 10},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, index := range []byte{0, 22, 255} {
		if got, err := ParseSelfTestLog(selfTestPage(index, map[int][3]uint16{0: {1, 0, 1}})); err != nil || len(got.Entries) != 0 {
			t.Errorf("index %d: %+v, %v", index, got, err)
		}
	}
}

func TestSelfTestWords(t *testing.T) {
	for kind, want := range map[uint8]string{0: "offline", 1: "short", 2: "extended", 3: "conveyance", 4: "selective", 0x82: "extended", 0x40: "vendor"} {
		if got := selfTestKind(kind); got != want {
			t.Errorf("kind %02xh: got %q, want %q", kind, got, want)
		}
	}
	for status, failed := range map[uint8]bool{0: false, 2: false, 3: true, 7: true, 8: true, 9: false, 15: false} {
		if got := (&SelfTest{Status: status}).Failed(); got != failed {
			t.Errorf("status %d failed: %t", status, got)
		}
	}
	for status, want := range map[uint8]string{15: "in progress", 9: "reserved", 3: "fatal or unknown error"} {
		if got := selfTestText(status); got != want {
			t.Errorf("status %d: got %q, want %q", status, got, want)
		}
	}
}

func TestParseDirectory(t *testing.T) {
	d, err := ParseDirectory(directory(map[int]byte{1: 1, 4: 8, 255: 16}))
	if err != nil || d[0] != 1 || d[1] != 1 || d[4] != 8 || d[255] != 16 || d[2] != 0 {
		t.Errorf("got %v, %v", d, err)
	}
}

func TestLogsRefuseShortPages(t *testing.T) {
	page := make([]byte, sectorBytes-1)
	for name, parse := range map[string]func() error{
		"directory":  func() error { _, err := ParseDirectory(page); return err },
		"errors":     func() error { _, err := ParseErrorLog(page); return err },
		"self-tests": func() error { _, err := ParseSelfTestLog(page); return err },
		"statistics": func() error { _, err := ParseStatistics(page); return err },
	} {
		if err := parse(); !errors.Is(err, ErrShort) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseStatistics(t *testing.T) {
	var b []byte
	b = append(b, statisticsPage(0, nil)...)
	b = append(b, statisticsPage(1, map[int]uint64{8: valid(700), 16: valid(12350), 24: valid(1<<48 - 1), 40: valid(5)})...)
	b = append(b, statisticsPage(3, map[int]uint64{32: valid(3), 56: valid(2)})...)
	b = append(b, statisticsPage(4, map[int]uint64{8: valid(9)})...)
	b = append(b, statisticsPage(5, map[int]uint64{8: valid(29), 32: valid(48), 40: valid(0xF6), 80: valid(3), 88: valid(70)})...)
	b = append(b, statisticsPage(6, map[int]uint64{24: valid(17)})...)
	b = append(b, statisticsPage(7, map[int]uint64{8: valid(107)})...)
	got, err := ParseStatistics(b)
	if err != nil {
		t.Fatal(err)
	}
	n := func(v uint64) *uint64 { return &v }
	want := &Statistics{
		PowerOnResets: n(700), PowerOnHours: n(12350), SectorsWritten: n(1<<48 - 1), SectorsRead: n(5), ReallocatedSectors: n(3), CandidateSectors: n(2),
		UncorrectableErrors: n(9), InterfaceCRCErrors: n(17), PercentageUsed: new(107),
		TemperatureCelsius: new(29), HighestCelsius: new(48), LowestCelsius: new(-10), MaximumCelsius: new(70), OverMinutes: new(3),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStatisticsFlags(t *testing.T) {
	tests := []struct {
		name string
		page []byte
	}{
		{"not supported", statisticsPage(7, map[int]uint64{8: 7 | statisticValid})},
		{"not valid", statisticsPage(7, map[int]uint64{8: 7 | statisticSupported})},
		{"another page", statisticsPage(2, map[int]uint64{8: valid(7), 16: valid(7), 24: valid(7), 32: valid(7)})},
		{"no revision", append(make([]byte, 2), statisticsPage(7, map[int]uint64{8: valid(7)})[2:]...)},
		{"no temperature", statisticsPage(5, map[int]uint64{8: valid(0x80)})},
	}
	for _, tt := range tests {
		got, err := ParseStatistics(tt.page)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&Statistics{}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
