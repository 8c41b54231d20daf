package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/sysfs"
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

// The statistics of a drive are those of its namespaces together. Any block
// devices of this computer serve as namespaces.
func TestWatchStatistics(t *testing.T) {
	host := &sysfs.Controller{}
	var want conditions.Counters
	list, _ := os.ReadDir("/sys/block")
	for _, entry := range list {
		if st, err := conditions.ReadStats(hostRoot(), entry.Name()); err == nil && st.Kept && len(host.Namespaces) < 2 {
			host.Namespaces = append(host.Namespaces, sysfs.Namespace{Block: entry.Name()})
			want.Reads += st.Reads
		}
	}
	if len(host.Namespaces) == 0 {
		t.Skip("SKIPPED: this computer has no block device with statistics")
	}
	s := &watchSession{host: host}
	if got := s.statistics(host); got == nil || got.Reads < want.Reads {
		t.Errorf("got %+v, want at least %d reads", got, want.Reads)
	}
	host.Namespaces = append(host.Namespaces, sysfs.Namespace{}, sysfs.Namespace{Block: "nosuchdevice"})
	if got := s.statistics(host); got != nil {
		t.Errorf("one namespace has no statistics, and yet %+v", got)
	}
	if got := (&watchSession{}).statistics(host); got != nil {
		t.Errorf("a drive of another place has %+v", got)
	}
}
