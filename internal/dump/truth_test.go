package dump

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTruth compares the SMART log of every capture with its right answers.
func TestTruth(t *testing.T) {
	files, err := filepath.Glob("testdata/[ns]*/*.truth.json")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files with right answers, %v", len(files), err)
	}
	for _, f := range files {
		f, _ = filepath.Rel("testdata", f)
		stem := strings.TrimSuffix(f, ".truth.json")
		name := stem + ".txt"
		if _, err := os.Stat("testdata/" + name); err != nil {
			name = stem + ".json"
		}
		t.Run(name, func(t *testing.T) {
			got := smartOf(t, file(t, name))
			if diff := cmp.Diff(truthOf(t, f), got, cmp.AllowUnexported(*got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestForms reads one drive as every tool prints it: identity and SMART log
// must be the same, and every field that a form does not have must be named.
func TestForms(t *testing.T) {
	want := truthOf(t, "forms/truth.json")
	for _, tc := range []struct {
		name    string
		missing []string // Of the SMART log.
	}{
		{"forms/smartctl.txt", []string{"smart.endurance_group_critical_warning"}},
		{"forms/smartctl.json", []string{"smart.endurance_group_critical_warning", "smart.tmt1_transitions", "smart.tmt2_transitions", "smart.tmt1_seconds", "smart.tmt2_seconds"}},
		{"forms/id-ctrl-H-and-smart-log.txt", nil},
		{"forms/nvme-cli.json", nil},
		{"crystaldiskinfo/english-utf8.txt", nil},
		{"crystaldiskinfo/japanese-utf16.txt", nil},
		{"crystaldiskinfo/japanese-shift-jis.txt", []string{"smart.endurance_group_critical_warning"}},
		{"crystaldiskinfo/english-attributes.txt", []string{"smart.endurance_group_critical_warning"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := read(t, string(load(t, tc.name))).Drives[0]
			got := smartOf(t, d)
			// Sensors: the drive has none, which every form says by leaving
			// them out.
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(*got)); diff != "" {
				t.Errorf("SMART log (-want +got):\n%s", diff)
			}
			if d.Serial != "PHM2810300B2960CGN" || d.Model != "INTEL SSDPE21D960GA" || d.Firmware != "E2010650" {
				t.Errorf("identity %q %q %q", d.Serial, d.Model, d.Firmware)
			}
			var missing []string
			for _, name := range d.Missing() {
				if strings.HasPrefix(name, "smart") {
					missing = append(missing, name)
				}
			}
			if diff := cmp.Diff(tc.missing, missing); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
			if list := d.RoundedFields(); list != nil {
				t.Errorf("rounded: %v", list)
			}
		})
	}
}

// TestFormsController compares Identify Controller of the forms that have more
// than the identity: a field that two forms have is the same in both.
func TestFormsController(t *testing.T) {
	names := []string{"forms/smartctl.txt", "forms/smartctl.json", "forms/id-ctrl-H-and-smart-log.txt", "forms/nvme-cli.json", "crystaldiskinfo/english-utf8.txt"}
	first := read(t, string(load(t, names[0]))).Drives[0].controller
	for _, name := range names[1:] {
		p := read(t, string(load(t, name))).Drives[0].controller
		compared := 0
		for _, key := range p.fields() {
			if !p.knows(key) || !first.knows(key) {
				continue
			}
			compared++
			if got, want := p.field(key).Interface(), first.field(key).Interface(); got != want {
				t.Errorf("%s: %s is %v, %v in smartctl's text", name, key, got, want)
			}
		}
		if compared < 8 {
			t.Errorf("%s: only %d fields in common", name, compared)
		}
	}
}

// TestFormsNumbers reads JSON of one log with numbers as integers, as floating-point
// numbers and as strings.
func TestFormsNumbers(t *testing.T) {
	want := smartOf(t, file(t, "nvme-cli/smart-log-seagate-FireCuda530-nvmecli2.3.json"))
	for _, name := range []string{"floats", "strings"} {
		got := smartOf(t, file(t, "nvme-cli/smart-log-seagate-FireCuda530-"+name+".json"))
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(*got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
