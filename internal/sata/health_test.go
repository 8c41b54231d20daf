package sata

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHealthFromAttributes(t *testing.T) {
	n := func(v uint64) *uint64 { return &v }
	got := HealthOf(nil, parsed(t, samsungModel, true, samsung()...), nil)
	want := &Health{
		TemperatureCelsius: new(29), PowerOnHours: n(12345), PowerCycles: n(678), UnsafeShutdowns: n(44), ReallocatedSectors: n(0), UncorrectableErrors: n(0),
		CRCErrors: n(0), BytesWritten: n(23456789012 * 512), PercentageUsed: new(7),
		Sources: map[string]string{
			"temperature_celsius": "attribute 190", "power_on_hours": "attribute 9", "power_cycles": "attribute 12", "unsafe_shutdowns": "attribute 235",
			"reallocated_sectors": "attribute 5", "uncorrectable_errors": "attribute 187", "interface_crc_errors": "attribute 199", "bytes_written": "attribute 241",
			"percentage_used_percent": "attribute 177",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHealthByFamily checks the units of each family, and that a model that is
// not known gets none.
func TestHealthByFamily(t *testing.T) {
	tests := []struct {
		model   string
		solid   bool
		row     row
		written uint64
		used    int
	}{
		{"INTEL SSDSA2M160G2GC", true, row{225, 0x30, 200, 200, 0, 148487}, 148487 * 32 << 20, -1},
		{"INTEL SSDSC2BB300G4", true, row{241, 0x32, 100, 100, 0, 130000}, 130000 * 32 << 20, -1},
		{"INTEL SSDSC2BB300G4", true, row{233, 0x32, 98, 98, 0, 0}, 0, 2},
		{"CT500MX500SSD1", true, row{246, 0x32, 100, 100, 0, 1000}, 512000, -1},
		{"CT500MX500SSD1", true, row{202, 0x30, 94, 94, 1, 6}, 0, 6},
		{"KINGSTON SA400S37240G", true, row{241, 0x32, 100, 100, 0, 1500}, 1500 << 30, -1},
		{"KINGSTON SA400S37240G", true, row{231, 0x32, 88, 88, 0, 88}, 0, 12},
		{"WDC WDS500G2B0A-00SM50", true, row{241, 0x30, 253, 253, 0, 7000}, 7000 << 30, -1},
		{"WDC WDS500G2B0A-00SM50", true, row{230, 0x32, 1, 1, 0, 0x250606700D28}, 0, -1},
		{"ST4000DM004-2CV104", false, row{241, 0x00, 100, 253, 0, 5000}, 5000 * 512, -1},
		{"Samsung SSD 860 EVO 500GB", true, row{177, 0x13, 200, 200, 0, 0}, 0, -1},
		{"UNKNOWN SSD", true, row{241, 0x32, 100, 100, 0, 1500}, 0, -1},
		{"UNKNOWN SSD", true, row{177, 0x32, 50, 50, 0, 1500}, 0, -1},
		{"UNKNOWN SSD", true, row{231, 0x32, 50, 50, 0, 1500}, 0, -1},
	}
	for _, tt := range tests {
		h := HealthOf(nil, parsed(t, tt.model, tt.solid, tt.row), nil)
		written, used := uint64(0), -1
		if h.BytesWritten != nil {
			written = *h.BytesWritten
		}
		if h.PercentageUsed != nil {
			used = *h.PercentageUsed
		}
		if written != tt.written || used != tt.used {
			t.Errorf("%s, attribute %d: %d bytes written, %d %% used; want %d, %d", tt.model, tt.row.id, written, used, tt.written, tt.used)
		}
	}
}

func TestHealthOfDisk(t *testing.T) {
	h := HealthOf(nil, parsed(t, "ST4000DM004-2CV104", false,
		row{5, 0x33, 100, 100, 10, 0x0001_0000_0008}, row{9, 0x32, 80, 80, 0, 0x3A00_0000_4E20}, row{190, 0x22, 65, 40, 40, 35}, row{194, 0x22, 33, 60, 0, 0x0000_3C12_0021},
		row{197, 0x12, 100, 100, 0, 8}, row{198, 0x10, 100, 100, 0, 16}, row{188, 0x32, 100, 99, 0, 0x0001_0001_0002}, row{242, 0, 100, 100, 0, 10}), nil)
	if *h.ReallocatedSectors != 8 || *h.PowerOnHours != 20000 || *h.TemperatureCelsius != 33 || *h.PendingSectors != 8 || *h.OfflineUncorrectable != 16 || *h.BytesRead != 5120 {
		t.Errorf("got %+v, sources %v", h, h.Sources)
	}
	if h.Sources["temperature_celsius"] != "attribute 194" {
		t.Errorf("temperature from %s, want attribute 194", h.Sources["temperature_celsius"])
	}
}

func TestHealthImplausible(t *testing.T) {
	h := HealthOf(nil, parsed(t, "X", true, row{9, 0x32, 1, 1, 0, hoursLimit + 1}, row{194, 0x22, 1, 1, 0, 0}), nil)
	if h.PowerOnHours != nil || h.TemperatureCelsius != nil || len(h.Sources) != 0 {
		t.Errorf("got %+v", h)
	}
	h = HealthOf(nil, parsed(t, "X", true, row{9, 0x32, 1, 1, 0, hoursLimit}, row{194, 0x22, 1, 1, 0, 0x00FE}), nil)
	if *h.PowerOnHours != hoursLimit || *h.TemperatureCelsius != -2 {
		t.Errorf("at the limit: %+v", h)
	}
}

// TestStatisticsWin checks that the standard's own values come first.
func TestStatisticsWin(t *testing.T) {
	n := func(v uint64) *uint64 { return &v }
	s := &Statistics{PowerOnHours: n(1), SectorsWritten: n(100), SectorsRead: n(1 << 62), PercentageUsed: new(3), TemperatureCelsius: new(40)}
	h := HealthOf(&Identity{LogicalSectorBytes: 4096}, parsed(t, samsungModel, true, samsung()...), s)
	if *h.PowerOnHours != 1 || *h.BytesWritten != 409600 || *h.PercentageUsed != 3 || *h.TemperatureCelsius != 40 || *h.PowerCycles != 678 {
		t.Errorf("got %+v", h)
	}
	if h.BytesRead != nil {
		t.Errorf("a product that does not fit: %d", *h.BytesRead)
	}
	if h.Sources["bytes_written"] != statisticsSource || h.Sources["power_cycles"] != "attribute 12" {
		t.Errorf("sources: %v", h.Sources)
	}
	if h := HealthOf(nil, nil, s); *h.BytesWritten != 51200 {
		t.Errorf("without identity: %d bytes", *h.BytesWritten)
	}
}

func TestEndurance(t *testing.T) {
	n := func(v uint64) *uint64 { return &v }
	id := &Identity{CapacityBytes: 1000}
	tests := []struct {
		name  string
		h     Health
		id    *Identity
		full  float64 // -1 for null
		years float64
	}{
		{"nothing", Health{}, id, -1, -1},
		{"written", Health{BytesWritten: n(2345)}, id, 2.345, -1},
		{"no capacity", Health{BytesWritten: n(2345)}, nil, -1, -1},
		{"half used", Health{PercentageUsed: new(50), PowerOnHours: n(8766)}, id, -1, 1},
		{"too little used", Health{PercentageUsed: new(4), PowerOnHours: n(8766)}, id, -1, -1},
		{"at the limit", Health{PercentageUsed: new(5), PowerOnHours: n(8766)}, id, -1, 19},
		{"spent", Health{PercentageUsed: new(100), PowerOnHours: n(8766)}, id, -1, -1},
		{"99 %", Health{PercentageUsed: new(99), PowerOnHours: n(87660)}, id, -1, 0.1},
		{"new drive", Health{PercentageUsed: new(50), PowerOnHours: n(23)}, id, -1, -1},
		{"no hours", Health{PercentageUsed: new(50)}, id, -1, -1},
	}
	for _, tt := range tests {
		e := EnduranceOf(tt.id, &tt.h)
		if got := orMinus(e.FullDriveWrites); got != tt.full {
			t.Errorf("%s: %g full writes, want %g", tt.name, got, tt.full)
		}
		if got := orMinus(e.YearsLeftAtObservedRate); got != tt.years {
			t.Errorf("%s: %g years, want %g", tt.name, got, tt.years)
		}
		if e.PercentageUsed != tt.h.PercentageUsed {
			t.Errorf("%s: percentage used is not that of the health", tt.name)
		}
	}
}

// orMinus returns -1 for nil.
func orMinus(f *float64) float64 {
	if f == nil {
		return -1
	}
	if math.IsNaN(*f) || math.IsInf(*f, 0) {
		return -2
	}
	return *f
}
