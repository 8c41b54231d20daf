package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/watch"
)

// A terminal shows the last rows over those before, cut to its width.
func TestWatchRedraws(t *testing.T) {
	var b bytes.Buffer
	o := &watchOutput{env: &env{stdout: &b, stderr: &b}, format: "text", live: true}
	celsius := 30
	for range 2 {
		if err := o.rows([]watch.Row{{Who: watch.Who{Device: "nvme0"}, CompositeTemperatureCelsius: &celsius}, {Who: watch.Who{Device: "nvme1"}, Error: "is\x1b gone"}}); err != nil {
			t.Fatal(err)
		}
		celsius++
	}
	got := b.String()
	if strings.Count(got, clearLine) != 6 || strings.Count(got, "\x1b[3A") != 1 || !strings.Contains(got, "31") || strings.Contains(got, "is\x1b gone") {
		t.Errorf("drawn: %q", got)
	}
}

func TestWatchSessionOfASimulatedDrive(t *testing.T) {
	drives, err := watched([]string{"sim:optane-905p", "sim:optane-905p", "sim:dead"}, openDrive)
	if err != nil || len(drives) != 2 {
		t.Fatalf("%d drives, %v", len(drives), err)
	}
	s, who, err := drives[0].Open()
	if err != nil || who.Device != "sim:optane-905p" || !who.Simulated || who.Model != "INTEL SSDPE21D960GA" {
		t.Fatalf("%+v, %v", who, err)
	}
	defer s.Close()
	r, err := s.Read(t.Context())
	if err != nil || r.IO != nil || r.Link == nil || r.SMART.CompositeTemperature == 0 || time.Since(r.At) > time.Minute {
		t.Errorf("%+v, %v", r, err)
	}
}
