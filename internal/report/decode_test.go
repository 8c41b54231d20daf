package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/vendor"
)

// thereAndBack writes a report, reads it and writes it again.
func thereAndBack(t *testing.T, r *Report) *Report {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	back := new(Report)
	if err := json.Unmarshal(text, back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(back)
	if diff := cmp.Diff(string(text), string(again)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	return back
}

func TestReportComesBack(t *testing.T) {
	r := fakeReport(t, optane(t), nil)
	r.Bench = Section[Bench]{Data: &Bench{QD1Read: &bench.Result{Operations: 7, Latency: bench.Latency{P50: new(11.9)}, Histogram: new(bench.Histogram)}}}
	r.VendorLogs.Data = &VendorLogs{Pages: []vendor.Reading{{Outcome: vendor.Decoded, Value: &vendor.TemperatureStatistics{Current: 35}, Raw: vendor.Raw{1}}}}
	back := thereAndBack(t, r)
	if back.SMART.Data.PowerOnHours != r.SMART.Data.PowerOnHours || !back.SMART.Data.Has("power_on_hours") || len(back.SMART.Data.missing) != 0 {
		t.Errorf("SMART is %+v", back.SMART.Data)
	}
	id := back.IdentifyController.Data
	if id.SerialNumber.String() != r.Drive.Serial || id.IEEE != r.IdentifyController.Data.IEEE || id.PSD[0] != r.IdentifyController.Data.PSD[0] {
		t.Errorf("Identify is %+v", id.IdentifyController)
	}
	if ns := (*back.Namespaces.Data)[0]; ns.NGUID != (*r.Namespaces.Data)[0].NGUID || ns.Fields.NSZE != (*r.Namespaces.Data)[0].Fields.NSZE {
		t.Errorf("namespace is %+v", ns)
	}
}

// TestProblemsComeBack: what could not be read is no data.
func TestProblemsComeBack(t *testing.T) {
	f := optane(t)
	delete(f.pages, "smart")
	delete(f.pages, "ns")
	back := thereAndBack(t, fakeReport(t, f, nil))
	if p := back.SMART.Problem; p == nil || p.Kind != KindStatus || p.Status == nil || *p.Status != uint16(nvme.StatusInvalidField) || back.SMART.Data != nil {
		t.Errorf("SMART is %+v", back.SMART)
	}
	if back.SATA != nil || back.VendorLogs.Data != nil || back.VendorLogs.Problem != nil {
		t.Errorf("what there is not came up: %+v", back)
	}
}

func TestDiskComesBack(t *testing.T) {
	s := disk(t)
	if back := thereAndBack(t, diskReport(t, s)); back.SATA == nil || back.SATA.Identity.Serial != s.Identity.Serial {
		t.Errorf("disk is %+v", back.SATA)
	}
}

// TestUnknownComesBack: null is what the source did not have, not 0, and what it
// had rounded is not exact.
func TestUnknownComesBack(t *testing.T) {
	r := fakeReport(t, optane(t), func(d *Drive, _ *Options) {
		d.Source = &Source{Tool: "x", Missing: []string{"smart.power_on_hours", "smart.tmt1_transitions", "identify_controller.mdts", "namespaces.nuse", "namespaces.lbafs"}, Rounded: []string{"smart.data_units_written"}}
	})
	s := thereAndBack(t, r).SMART.Data
	for key, want := range map[string]bool{
		"power_on_hours": false, "thermal_management.tmt1_transitions": false, "thermal_management.tmt2_transitions": true, "power_cycles": true, "bytes_read": true,
	} {
		if got := s.Has(key); got != want {
			t.Errorf("%s is known: %t, want %t", key, got, want)
		}
	}
	if !s.Rounded("bytes_written") || s.Rounded("bytes_read") {
		t.Errorf("rounded are %q", s.rounded)
	}
}

// TestForeignSMART: a log without its source, and of a version that did not have
// all keys.
func TestForeignSMART(t *testing.T) {
	var s Section[SMART]
	const text = `{"power_on_hours": null, "power_cycles": 3, "data_units_read": 340282366920938463463374607431768211455, "thermal_management": {"tmt1_transitions": 0, "tmt2_transitions": null}, "bytes_written": null, "critical_warning": null}`
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{
		"power_on_hours": false, "media_errors": false, "thermal_management.tmt2_transitions": false, "thermal_management.tmt1_seconds": false, "critical_warning": false,
		"power_cycles": true, "data_units_read": true, "thermal_management.tmt1_transitions": true,
	} {
		if got := s.Data.Has(key); got != want {
			t.Errorf("%s is known: %t, want %t", key, got, want)
		}
	}
	if s.Data.DataUnitsRead != (nvme.Uint128{Lo: 1<<64 - 1, Hi: 1<<64 - 1}) || s.Data.BytesWritten != nil {
		t.Errorf("got %+v", s.Data)
	}
}

func TestSectionFaults(t *testing.T) {
	for _, text := range []string{`{"smart": 1}`, `{"smart": {"power_on_hours": -1}}`, `{"smart": {"error": 1}}`, `{"namespaces": {}}`, `{"time": "x"}`, `{"identify_controller": {"sn": 1}}`, `{"errors": {"entries": 1}}`, `{"firmware": {"slots": 1}}`, `[]`} {
		if err := json.Unmarshal([]byte(text), new(Report)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
	var s Section[Bench]
	if err := json.Unmarshal([]byte(`{"error": {"kind": "host", "text": "no"}}`), &s); err != nil || s.Problem == nil || s.Problem.Text != "no" {
		t.Errorf("got %+v, %v", s, err)
	}
	if err := json.Unmarshal([]byte("null"), &s); err != nil || s.Problem != nil || s.Data != nil {
		t.Errorf("null leaves %+v, %v", s, err)
	}
}

func FuzzReport(f *testing.F) {
	text, err := json.Marshal(fakeReport(f, optane(f), nil))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(`{"source": {"missing": ["smart.x"], "rounded": null}, "smart": {"power_on_hours": null}, "namespaces": [{"identify": null}, null]}`)
	f.Add(`{"errors": {"entries": [{}, {"lba": null}], "groups": null}, "identify_controller": {"psds": [` + strings.Repeat("{},", 40) + `{}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		r := new(Report)
		if json.Unmarshal([]byte(text), r) != nil {
			return
		}
		once, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		back := new(Report)
		if err := json.Unmarshal(once, back); err != nil {
			t.Fatalf("%s became %s: %v", text, once, err)
		}
		if twice, err := json.Marshal(back); err != nil || string(twice) != string(once) {
			t.Errorf("%s became %s, then %s: %v", text, once, twice, err)
		}
	})
}
