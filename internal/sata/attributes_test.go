package sata

import (
	"bytes"
	"encoding/binary"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/dswarbrick/smart/ata"
	"github.com/dswarbrick/smart/drivedb"
	"github.com/google/go-cmp/cmp"
)

const samsungModel = "Samsung SSD 860 EVO 500GB"

func TestParseAttributes(t *testing.T) {
	a := parsed(t, samsungModel, true, samsung()...)
	if a.Version != 1 || a.Family != "Samsung SSD" || !a.ChecksumOK || len(a.Table) != 9 {
		t.Fatalf("got %+v", a)
	}
	got := *a.Find(177)
	want := Attribute{ID: 177, Name: "Wear_Leveling_Count", Flags: 0x13, Prefailure: true, Value: 93, Worst: 93, Threshold: new(uint8), Raw: 71, RawText: "71", Count: 71}
	got.bytes, got.spare, got.format = want.bytes, 0, ""
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Attribute{})); diff != "" {
		t.Errorf("attribute 177 (-want +got):\n%s", diff)
	}
	if a.Find(241).Count != 23456789012 {
		t.Errorf("attribute 241: %+v", a.Find(241))
	}
	if a.Find(6) != nil {
		t.Error("an attribute that the drive does not have was found")
	}
}

// TestGaps checks that entries after an empty one are read: the library's own
// output stops there.
func TestGaps(t *testing.T) {
	data, limits := table(row{5, 0x33, 100, 100, 10, 1}, row{}, row{197, 0x32, 100, 100, 0, 3})
	a, err := ParseAttributes(data, limits, "X", false)
	if err != nil || len(a.Table) != 2 || a.Find(197) == nil {
		t.Errorf("got %+v, %v", a, err)
	}
	var p ata.SmartPage
	if _, err := binary.Decode(data[:bytesOfTable], binary.LittleEndian, &p); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	ata.PrintSMARTPage(p, drivedb.DriveModel{}, &out)
	if strings.Contains(out.String(), "\n197 ") {
		t.Error("the library reads on after a gap now")
	}
}

func TestAttributesWithoutThresholds(t *testing.T) {
	data, _ := table(samsung()...)
	for name, limits := range map[string][]byte{"none": nil, "empty": make([]byte, sectorBytes)} {
		a, err := ParseAttributes(data, limits, samsungModel, true)
		if err != nil || !a.ChecksumOK || a.Find(5).Threshold != nil || a.Find(5).WhenFailed != "" {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

// TestThresholdsInAnotherOrder checks that thresholds are found by identifier.
func TestThresholdsInAnotherOrder(t *testing.T) {
	data, _ := table(row{5, 0x33, 9, 9, 0, 0}, row{9, 0x32, 100, 100, 0, 0})
	_, limits := table(row{9, 0, 0, 0, 1, 0}, row{5, 0, 0, 0, 10, 0})
	a, err := ParseAttributes(data, limits, "X", false)
	if err != nil || *a.Find(5).Threshold != 10 || a.Find(5).WhenFailed != FailedNow || *a.Find(9).Threshold != 1 {
		t.Errorf("got %+v, %v", a, err)
	}
}

func TestParseAttributesRefuses(t *testing.T) {
	data, limits := table(samsung()...)
	if _, err := ParseAttributes(data[:400], limits, "X", true); !errors.Is(err, ErrShort) {
		t.Errorf("short data: %v", err)
	}
	if _, err := ParseAttributes(data, limits[:400], "X", true); !errors.Is(err, ErrShort) {
		t.Errorf("short thresholds: %v", err)
	}
	if _, err := ParseAttributes(make([]byte, 512), limits, "X", true); !errors.Is(err, ErrEmptyPage) {
		t.Errorf("zeros: %v", err)
	}
	for i, page := range [][]byte{data, limits} {
		page[100] ^= 0xFF
		if a, err := ParseAttributes(data, limits, "X", true); err != nil || a.ChecksumOK {
			t.Errorf("damaged page %d: %+v, %v", i, a, err)
		}
		page[100] ^= 0xFF
	}
}

func TestWhenFailed(t *testing.T) {
	tests := []struct {
		value, worst, limit uint8
		want                string
	}{
		{11, 11, 10, ""}, {10, 10, 10, FailedNow}, {9, 9, 10, FailedNow}, {11, 10, 10, FailedPast},
		{1, 1, 0, ""}, {1, 1, 0xFE, ""}, {1, 1, 0xFF, ""}, {0, 0, 10, ""}, {0xFE, 0xFE, 0xFD, ""}, {0xFD, 0xFD, 0xFD, FailedNow}, {1, 1, 1, FailedNow},
	}
	for _, tt := range tests {
		if got := whenFailed(tt.value, tt.worst, tt.limit); got != tt.want {
			t.Errorf("value %d, worst %d, threshold %d: got %q, want %q", tt.value, tt.worst, tt.limit, got, tt.want)
		}
	}
}

func TestRaw(t *testing.T) {
	tests := []struct {
		format string
		raw    uint64
		spare  uint8
		count  int64
		text   string
	}{
		{formatRaw48, 0xFFFFFFFFFFFF, 9, 1<<48 - 1, "281474976710655"},
		{"", 17, 0, 17, "17"},
		{formatRaw16, 0x0000_0000_0007, 0, 7, "7"},
		{formatRaw16, 0x0002_0001_0007, 0, 7, "7 (2 1)"},
		{formatAverage, 0x0000_0000_01A4, 0, 420, "420"},
		{formatAverage, 0x0000_01A5_01A4, 0, 420, "420 (average 421)"},
		{formatRaw24, 0x000000_003039, 0, 12345, "12345"},
		{formatRaw24, 0x0A0B0C_003039, 0, 12345, "12345 (10 11 12)"},
		{formatPair32, 0x0000_0001_0000, 0, 0, "0/65536"},
		{formatPair32, 0x0003_0001_0000, 1, 0x10003, "65539/65536"},
		{formatHex48, 0x2506_0D28_2506, 0, 0x25060D282506, "0x25060d282506"},
		{formatWords, 0x0003_0002_0001, 0, 1, "3 2 1"},
		{formatMSecHours, 7, 0, 7, "7h+00m+00.000s"},
		{formatMSecHours, 0xEE7F_0000_0007, 0x36, 7, "7h+59m+59.999s"},
		{formatTemp, 29, 0, 29, "29"},
		{formatTemp, 0xFB, 0, -5, "-5"},
		{formatTemp, 0xFFFB, 0, -5, "-5"},
		{formatTemp, 0x0000_300A_001D, 0, 29, "29 (min/max 10/48)"},
		{formatTemp, 0x0000_0A30_001D, 0, 29, "29 (min/max 10/48)"},
		{formatTemp, 0x0000_0030_0A1D, 0, 29, "29 (min/max 10/48)"},
		{formatTemp, 0x0030_000A_001D, 0, 29, "29 (min/max 10/48)"},
		{formatTemp, 0x0001_0002_001D, 0, 29, "29 (0 1 0 2 0)"},
	}
	for _, tt := range tests {
		a := Attribute{format: tt.format, spare: tt.spare}
		for i := range a.bytes {
			a.bytes[i] = byte(tt.raw >> (8 * i))
		}
		if count, text := a.decode(); count != tt.count || text != tt.text {
			t.Errorf("%s of %012x: got %d, %q, want %d, %q", tt.format, tt.raw, count, text, tt.count, tt.text)
		}
	}
}

func TestFamilies(t *testing.T) {
	tests := []struct{ model, family string }{
		{"Samsung SSD 840 EVO 750GB", "Samsung SSD"}, {"SAMSUNG MZ7LM480HCHP-00005", "Samsung SSD"}, {"Samsung SSD 980 PRO", ""},
		{"INTEL SSDSC2BB300G4", "Intel SSD"}, {"INTEL SSDPED1D280GA", ""},
		{"CT500MX500SSD1", "Micron or Crucial SSD"}, {"Crucial_CT512MX100SSD1", "Micron or Crucial SSD"}, {"CT240BX500SSD1", "Micron or Crucial SSD"}, {"CT240BX200SSD1", ""},
		{"Micron_5200_MTFDDAK480TDN", "Micron or Crucial SSD"}, {"Micron_M600_MTFDDAK256MBF", "Micron or Crucial SSD"},
		{"KINGSTON SA400S37240G", "Kingston SSD"}, {"KINGSTON SEDC500M480G", "Kingston SSD"}, {"KINGSTON SA2000M8500G", ""},
		{"WDC WDS500G2B0A-00SM50", "WD or SanDisk SSD"}, {"WDC  WDS100T1R0A-68A4W0", "WD or SanDisk SSD"}, {"WDC WD40EFRX-68N32N0", ""},
		{"ST4000DM004-2CV104", "Seagate disk"}, {"ST480FP0021", ""}, {"QEMU HARDDISK", ""}, {"", ""},
		// The expressions are for whole names.
		{"no Samsung SSD 860", ""},
	}
	for _, tt := range tests {
		if got := namesOf(tt.model, false).Family; got != tt.family {
			t.Errorf("%q: family %q, want %q", tt.model, got, tt.family)
		}
	}
}

// TestEachFamilyOnce checks that no model of the tests falls into two families,
// and that each family names its source.
func TestEachFamilyOnce(t *testing.T) {
	for _, model := range []string{"Samsung SSD 860 EVO 500GB", "INTEL SSDSC2BB300G4", "CT500MX500SSD1", "KINGSTON SA400S37240G", "WDC WDS500G2B0A", "ST4000DM004-2CV104"} {
		var hits []string
		for _, f := range families() {
			if regexp.MustCompile("^(?:" + f.ModelRegex + ")$").MatchString(model) {
				hits = append(hits, f.Family)
			}
		}
		if len(hits) != 1 {
			t.Errorf("%q: families %q, want one", model, hits)
		}
	}
	for _, f := range families() {
		if f.WarningMsg == "" || len(f.Presets) == 0 {
			t.Errorf("%s: no source or no names", f.Family)
		}
	}
}

// TestLookupDriveMutates shows the defect of the library, and that names do not
// leak from one drive to the next here.
func TestLookupDriveMutates(t *testing.T) {
	db := drivedb.DriveDb{Drives: []drivedb.DriveModel{
		{Family: generalFamily, Presets: presets{"241": {Name: "general"}}},
		{Family: "A", CompiledRegexp: regexp.MustCompile("^A$"), Presets: presets{"241": {Name: "of A"}}},
	}}
	db.LookupDrive([]byte("A"))
	if got := db.LookupDrive([]byte("B")).Presets["241"].Name; got != "of A" {
		t.Errorf("the library leaves its data alone now: %q", got)
	}
	before := namesOf("unknown", true)
	namesOf(samsungModel, true)
	if diff := cmp.Diff(before, namesOf("unknown", true), cmp.Comparer(func(a, b *regexp.Regexp) bool { return (a == nil) == (b == nil) })); diff != "" {
		t.Errorf("names of an unknown model after a known one (-before +after):\n%s", diff)
	}
}

// TestDiskNames checks that names of disks are not given to solid-state drives.
func TestDiskNames(t *testing.T) {
	r := row{3, 0x27, 100, 100, 0, 1}
	if got := parsed(t, "X", false, r).Table[0].Name; got != "Spin_Up_Time" {
		t.Errorf("disk: %q", got)
	}
	if got := parsed(t, "X", true, r).Table[0].Name; got != "Unknown_Attribute" {
		t.Errorf("solid-state drive: %q", got)
	}
}

// TestLibraryPage holds the sizes that decoding relies on: the page has 362
// bytes, and more in memory.
func TestLibraryPage(t *testing.T) {
	if n := binary.Size(ata.SmartPage{}); n != bytesOfTable {
		t.Errorf("page: %d bytes, want %d", n, bytesOfTable)
	}
	for name, n := range map[string]int{"directory": binary.Size(ata.SmartLogDirectory{}), "errors": binary.Size(ata.SmartSummaryErrorLog{}), "self-tests": binary.Size(ata.SmartSelfTestLog{})} {
		if n != sectorBytes {
			t.Errorf("%s: %d bytes", name, n)
		}
	}
}
