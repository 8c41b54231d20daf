package sata

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// realTable is an attribute table of a real drive, as another program printed
// it.
type realTable struct {
	model string
	solid bool
	rows  []row
	texts []string
}

func readTable(t *testing.T, path string) realTable {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r realTable
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "#":
		case "model":
			r.model = rest
		case "solid":
			r.solid = rest == "true"
		default:
			f := strings.SplitN(line, " ", 7)
			n := make([]uint64, 6)
			for i := range n {
				if n[i], err = strconv.ParseUint(f[i], 10, 48); err != nil {
					t.Fatalf("%s: %q: %v", path, line, err)
				}
			}
			r.rows = append(r.rows, row{uint8(n[0]), uint16(n[1]), uint8(n[2]), uint8(n[3]), uint8(n[4]), n[5]})
			r.texts = append(r.texts, f[6])
		}
	}
	return r
}

// TestRealTables decodes the attributes of real drives, compares the words of
// their raw values with those of another program, and the quantities and the
// verdict with what was reviewed by hand.
func TestRealTables(t *testing.T) {
	tests := []struct {
		file     string
		health   string
		endured  string
		level    Level
		findings []string
	}{
		{
			"samsung-mz7wd240", "27 °C, 84619 h, 6 cycles, 1 unsafe, 0 reallocated, written 110825747394560, used 9 %", "461.664 full writes, 97.6 years",
			Keep, []string{"ok sata-smart-passed", "ok sata-media-ok", "ok sata-wear-ok"},
		},
		{
			"intel-s3500-1600", "23 °C, 67329 h, 32 cycles, 29 unsafe, 0 reallocated, 0 pending, written 2100306452152320, used 85 %", "1312.428 full writes, 1.4 years",
			Keep, []string{"ok sata-smart-passed", "ok sata-media-ok", "ok sata-wear-ok"},
		},
		{
			"intel-x25-m-160", "6855 h, 68 cycles, 30 unsafe, 1 reallocated, written 4982396944384, used 2 %", "31.132 full writes",
			Note, []string{"note sata-reallocated", "ok sata-smart-passed", "ok sata-wear-ok"},
		},
		{
			"seagate-7200.12-500", "32 °C, 44670 h, 26 cycles, 1 reallocated, 0 pending", "",
			Note, []string{"note sata-reallocated", "ok sata-smart-passed"},
		},
		{
			"wd-red-2000", "34 °C, 47657 h, 3 cycles, 0 reallocated, 0 pending", "",
			Keep, []string{"ok sata-smart-passed", "ok sata-media-ok"},
		},
		{
			"hitachi-7k1000-1000", "28 °C, 109245 h, 26 cycles, 0 reallocated, 0 pending", "",
			Keep, []string{"ok sata-smart-passed", "ok sata-media-ok"},
		},
		{
			"disk-failing-reads", "10 °C, 2126 h, 7765 cycles, 0 reallocated, 1 pending", "",
			Note, []string{"note sata-pending", "info sata-crc", "ok sata-smart-passed"},
		},
	}
	capacities := map[string]uint64{"samsung-mz7wd240": 240057409536, "intel-s3500-1600": 1600321314816, "intel-x25-m-160": 160041885696}
	for _, tt := range tests {
		r := readTable(t, filepath.Join("testdata", "tables", tt.file+".txt"))
		a := parsed(t, r.model, r.solid, r.rows...)
		for i, x := range a.Table {
			if x.RawText != r.texts[i] || x.WhenFailed != "" {
				t.Errorf("%s: attribute %d (%s): %q, failed %q; want %q", tt.file, x.ID, x.Name, x.RawText, x.WhenFailed, r.texts[i])
			}
		}
		h := HealthOf(nil, a, nil)
		if got := healthWords(h); got != tt.health {
			t.Errorf("%s: health %s, want %s", tt.file, got, tt.health)
		}
		id := &Identity{Model: r.model, CapacityBytes: capacities[tt.file], SolidState: &r.solid, SMART: Support{true, true}}
		if got := enduranceWords(EnduranceOf(id, h)); got != tt.endured {
			t.Errorf("%s: endurance %s, want %s", tt.file, got, tt.endured)
		}
		v := Assess(&Facts{Identity: id, Attributes: a, Health: h, Status: new(StatusPassed)})
		var rules []string
		for _, x := range v.Findings {
			rules = append(rules, string(x.Severity)+" "+x.Rule)
		}
		if diff := cmp.Diff(tt.findings, rules); diff != "" || v.Level != tt.level {
			t.Errorf("%s: %s, want %s; findings (-want +got):\n%s", tt.file, v.Level, tt.level, diff)
		}
	}
}

// healthWords lists the values that are known.
func healthWords(h *Health) string {
	var parts []string
	add := func(format string, n *uint64) {
		if n != nil {
			parts = append(parts, fmt.Sprintf(format, *n))
		}
	}
	if h.TemperatureCelsius != nil {
		parts = append(parts, fmt.Sprintf("%d °C", *h.TemperatureCelsius))
	}
	add("%d h", h.PowerOnHours)
	add("%d cycles", h.PowerCycles)
	add("%d unsafe", h.UnsafeShutdowns)
	add("%d reallocated", h.ReallocatedSectors)
	add("%d pending", h.PendingSectors)
	add("written %d", h.BytesWritten)
	if h.PercentageUsed != nil {
		parts = append(parts, fmt.Sprintf("used %d %%", *h.PercentageUsed))
	}
	return strings.Join(parts, ", ")
}

func enduranceWords(e *Endurance) string {
	var parts []string
	if e.FullDriveWrites != nil {
		parts = append(parts, fmt.Sprintf("%g full writes", *e.FullDriveWrites))
	}
	if e.YearsLeftAtObservedRate != nil {
		parts = append(parts, fmt.Sprintf("%g years", *e.YearsLeftAtObservedRate))
	}
	return strings.Join(parts, ", ")
}
