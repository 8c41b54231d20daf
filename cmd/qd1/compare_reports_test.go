package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sim"
)

// comesBack holds that a report in JSON that is read and written again is the
// same, and that what was not reported is not known after that either.
func comesBack(t *testing.T, name, text string) *report.Report {
	t.Helper()
	r := new(report.Report)
	if err := json.Unmarshal([]byte(text), r); err != nil {
		t.Errorf("%s: %v", name, err)
		return r
	}
	again, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	want, got := decode(t, []string{name}, text), decode(t, []string{name}, string(again))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
	log, _ := want["smart"].(map[string]any)
	for key, value := range log {
		pointer := strings.HasSuffix(key, "_celsius") || strings.HasSuffix(key, "_kelvin") || strings.HasPrefix(key, "bytes_")
		if s := r.SMART.Data; s != nil && !pointer && s.Has(key) != (value != nil) {
			t.Errorf("%s: smart.%s is %v, and known: %t", name, key, value, s.Has(key))
		}
	}
	return r
}

// TestReportsComeBack reads the reports on all simulated drives, on drives made
// of all pages of the corpus, and on all dumps.
func TestReportsComeBack(t *testing.T) {
	for _, profile := range sim.Profiles() {
		_, out, msg := run(t.Context(), "report", "-o", "json", "--bench=off", "sim:"+profile.Name)
		if out == "" {
			t.Errorf("sim:%s: %s", profile.Name, msg)
			continue
		}
		comesBack(t, profile.Name, out)
		file := filepath.Join(t.TempDir(), "capture")
		if status, _, msg := run(t.Context(), "capture", "sim:"+profile.Name, file); status != exitDone {
			continue // A drive that is dead gives no capture.
		} else if _, out, _ = run(t.Context(), "report", "-o", "json", "replay:"+file); out == "" {
			t.Errorf("capture of %s: %s", profile.Name, msg)
		}
		comesBack(t, "capture of "+profile.Name, out)
	}
	eachDump(t, func(name string, _ map[string]any, args []string) {
		_, out, _ := run(t.Context(), append([]string{"report", "-o", "json"}, args...)...)
		comesBack(t, name, out)
	})
	pages, err := filepath.Glob(filepath.Join("..", "..", "nvme", "testdata", "*", "*.bin"))
	if err != nil || len(pages) < 30 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	read := 0
	for _, page := range pages {
		if _, out, _ := run(t.Context(), "report", "-o", "json", page); out != "" {
			comesBack(t, page, out)
			read++
		}
	}
	if read < 30 {
		t.Errorf("only %d of %d pages were read", read, len(pages))
	}
}
