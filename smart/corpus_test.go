package smart

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// page is one SMART page of a real drive or of a known problem, with the
// values that an independent decoder gave for it.
type page struct {
	Name   string `json:"name"`
	Model  string `json:"model"`
	SMART  string `json:"smart"`  // hexadecimal, without the zero bytes at the end
	Errors string `json:"errors"` // the same for the Error Information log
	Size   int64  `json:"size"`
	// Identify has fields of Identify Controller, nil where the dump has none.
	Identify *identity `json:"identify"`
	Truth    *struct {
		BytesWritten   json.Number `json:"bytes_written"`
		PowerOnHours   json.Number `json:"power_on_hours"`
		PowerCycles    json.Number `json:"power_cycles"`
		MediaErrors    json.Number `json:"media_errors"`
		PercentageUsed json.Number `json:"percentage_used"`
		TemperatureC   *int        `json:"temperature_c"`
	} `json:"truth"`
}

// identity has fields of Identify Controller as they lie on the wire.
type identity struct {
	Firmware string      `json:"firmware"`
	Serial   string      `json:"serial"`
	VID      uint16      `json:"vid"`
	SSVID    uint16      `json:"ssvid"`
	IEEE     string      `json:"ieee"`
	OACS     nvme.OACS   `json:"oacs"`
	WCTEMP   nvme.Kelvin `json:"wctemp"`
	TNVMCAP  uint64      `json:"tnvmcap"`
}

func (i *identity) controller(t *testing.T, model string) *nvme.IdentifyController {
	c := &nvme.IdentifyController{VID: i.VID, SSVID: i.SSVID, OACS: i.OACS, WCTEMP: i.WCTEMP, TNVMCAP: nvme.U128(i.TNVMCAP)}
	copy(c.ModelNumber[:], fmt.Sprintf("%-40s", model))
	copy(c.FirmwareRevision[:], fmt.Sprintf("%-8s", i.Firmware))
	copy(c.SerialNumber[:], fmt.Sprintf("%-20s", i.Serial))
	copy(c.IEEE[:], padded(t, i.IEEE, 3))
	return c
}

func corpus(t *testing.T) []page {
	t.Helper()
	b, err := os.ReadFile("testdata/corpus.json")
	if err != nil {
		t.Fatal(err)
	}
	var pages []page
	if err := json.Unmarshal(b, &pages); err != nil {
		t.Fatal(err)
	}
	return pages
}

func (p page) facts(t *testing.T) *Facts {
	t.Helper()
	f := &Facts{SMART: new(nvme.SMARTLog), Model: drivedb.Lookup(p.Model), ModelNumber: p.Model, SizeBytes: p.Size}
	if p.Identify != nil {
		f.Controller = p.Identify.controller(t, p.Model)
	}
	if err := f.SMART.UnmarshalBinary(padded(t, p.SMART, 512)); err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	if p.Errors != "" {
		if err := f.Errors.UnmarshalBinary(padded(t, p.Errors, 4096)); err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
	}
	return f
}

func padded(t *testing.T, digits string, size int) []byte {
	t.Helper()
	b, err := hex.DecodeString(digits)
	if err != nil || len(b) > size {
		t.Fatalf("bad page of %d bytes: %v", len(b), err)
	}
	return append(b, make([]byte, size-len(b))...)
}

// TestCorpus holds the verdict on every page: level, first rule and summary.
func TestCorpus(t *testing.T) {
	var got strings.Builder
	for _, p := range corpus(t) {
		f := p.facts(t)
		a, c := Assess(f), Plausibility(f, "")
		fmt.Fprintf(&got, "%s | %s | %s | %s\n", p.Name, a.Level, a.Reasons()[0].Rule, a.Summary)
		for _, x := range a.Findings {
			if x.Axis == AxisFirmware || x.Axis == AxisThermal || x.Rule == "capacity-smaller" {
				fmt.Fprintf(&got, "    %s %s: %s\n", x.Severity, x.Rule, x.Text)
			}
		}
		for _, s := range c.Signs {
			fmt.Fprintf(&got, "    sign %s %d: %s [%s]\n", s.ID, s.Weight, s.Text, s.Evidence)
		}
	}
	golden(t, "testdata/corpus.golden", got.String())
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (-want +got), run with -update and read the difference:\n%s", path, d)
	}
}

// TestCorpusTruth holds the values that the verdict is built on.
func TestCorpusTruth(t *testing.T) {
	checked := 0
	for _, p := range corpus(t) {
		if p.Truth == nil {
			continue
		}
		checked++
		s := p.facts(t).SMART
		got := fmt.Sprintln(bytesOf(s.DataUnitsWritten), s.PowerOnHours, s.PowerCycles, s.MediaErrors, s.PercentageUsed)
		want := fmt.Sprintln(p.Truth.BytesWritten, p.Truth.PowerOnHours, p.Truth.PowerCycles, p.Truth.MediaErrors, p.Truth.PercentageUsed)
		if got != want {
			t.Errorf("%s: got %s, want %s", p.Name, got, want)
		}
		celsius, ok := s.CompositeTemperature.Celsius()
		if ok != (p.Truth.TemperatureC != nil) || ok && celsius != *p.Truth.TemperatureC {
			t.Errorf("%s: temperature %d, %t", p.Name, celsius, ok)
		}
	}
	if checked < 70 {
		t.Errorf("%d pages with a truth, want at least 70", checked)
	}
}

// TestMediaErrorsOf905P is the drive that other programs call healthy.
func TestMediaErrorsOf905P(t *testing.T) {
	for _, p := range corpus(t) {
		if p.Name != "smartctl-text/optane-905P-SSDPED1D960GAY-media-errors" {
			continue
		}
		a := Assess(p.facts(t))
		if a.Level != Return || a.Findings[0].Rule != "media-errors-many" {
			t.Errorf("level %s by %s, want return by media-errors-many", a.Level, a.Findings[0].Rule)
		}
		if !strings.Contains(a.Summary, "2 481 614 media errors") {
			t.Errorf("summary %q does not name the media errors", a.Summary)
		}
		return
	}
	t.Error("the page is missing")
}
