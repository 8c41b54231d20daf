package reference

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOrder is the whole list for the headline figure, worked out from the
// sources by hand: with 4096 bytes, MB/s are 4096 divided by µs.
func TestOrder(t *testing.T) {
	var got []string
	for _, n := range neighbours(Reading{MeanLatency, 12, QD1Read(), Linux}) {
		got = append(got, fmt.Sprintf("%.1f %s, %s", n.Value, n.Model, n.Software))
	}
	want := []string{
		"8.9 Intel Optane P4800X 375 GB, Linux",
		"13.4 Intel Optane P5800X 800 GB, Windows",
		"13.7 Intel Optane 905P 960 GB, Windows",
		"21.6 Intel Optane 800P 118 GB, Windows",
		"45.0 Crucial T705, Windows",
		"49.6 Corsair MP600 PRO XT, Windows",
		"67.1 Nextorage NEM-PA1TB, Windows",
		"77.9 Intel P3700, Linux",
		"95.5 Intel SSD 750 1.2 TB, Windows",
		"107.7 Micron 9100 MAX, Linux",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("drives by latency (-want +got):\n%s", diff)
	}
	var reversed []string
	for _, n := range neighbours(Reading{IOPS, 12, QD1Read(), Linux}) {
		reversed = append(reversed, n.Model)
	}
	for i, line := range want {
		if !strings.Contains(line, reversed[i]+",") {
			t.Errorf("by rate place %d is %s, want %s", i, reversed[i], line)
		}
	}
}

// TestPlaceOfAFigure: a figure itself has its drive as the faster neighbour.
func TestPlaceOfAFigure(t *testing.T) {
	for _, f := range All() {
		if f.Rated || f.Doubtful != "" || !f.known() {
			continue
		}
		p := Place(Reading{f.Metric, f.Value, f.Workload, f.Software})
		if p == nil || p.Faster == nil {
			t.Errorf("%+v has no place: %+v", f, p)
			continue
		}
		if f.Metric.higherIsBetter() && p.Faster.Value < f.Value || !f.Metric.higherIsBetter() && p.Faster.Value > f.Value {
			t.Errorf("%s %v is said to be faster than %s %v", p.Faster.Model, p.Faster.Value, f.Model, f.Value)
		}
	}
}

func TestLike(t *testing.T) {
	read := QD1Read()
	deep, spread := read, read
	deep.QueueDepth, spread.QueueDepth, spread.Workers = 32, 8, 4
	other := read
	other.BlockBytes = 512
	tests := []struct {
		name string
		a, b Workload
		want bool
	}{
		{"the same", read, read, true},
		{"as many in flight", deep, spread, true},
		{"more in flight", read, deep, false},
		{"another block size", read, other, false},
		{"a write", read, random("write", 1), false},
		{"in order", sequential("read", 1), Workload{"read", "random", 128 << 10, 1, 1}, false},
		{"no shape", Workload{}, Workload{}, false},
		{"depth not known", Workload{Op: "write", Pattern: "random", BlockBytes: 4096}, Workload{Op: "write", Pattern: "random", BlockBytes: 4096}, false},
	}
	for _, tt := range tests {
		if got := tt.a.like(tt.b); got != tt.want {
			t.Errorf("%s: got %t", tt.name, got)
		}
	}
}

func TestCaveat(t *testing.T) {
	here, there, polled := &Neighbour{Software: Linux, SameSoftware: true}, &Neighbour{Software: Windows}, &Neighbour{Software: LinuxPolled}
	tests := []struct {
		named []*Neighbour
		own   Software
		want  string
	}{
		{[]*Neighbour{here}, Linux, ""},
		{[]*Neighbour{here, here}, Linux, ""},
		{[]*Neighbour{there}, Linux, "; measured under Windows and not under Linux, whose own part of each operation differs"},
		{[]*Neighbour{there, polled}, Linux, "; measured under Windows and Linux, polled and not under Linux, whose own part of each operation differs"},
		{[]*Neighbour{here, there}, Linux, "; the one under Windows was measured with other software, whose own part of each operation differs"},
		{[]*Neighbour{there, there}, NoSoftware, "; measured under Windows, whose own part of each operation differs"},
	}
	for _, tt := range tests {
		if got := caveat(tt.own, tt.named); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
}

func TestPlacementJSON(t *testing.T) {
	b, err := json.Marshal(Place(Reading{P99Latency, 12, QD1Read(), Linux}))
	const want = `{"metric":"p99","unit":"µs","value":12,"faster":{"model":"Intel Optane P4800X 375 GB","value":10,"metric":"p99",` +
		`"software":"Linux","same_software":true,"indicative":false,"source":"AnandTech, Optane SSD DC P4800X review (show/11209), page 4"},` +
		`"slower":null,"rank":2,"of":2,"text":"12 µs: slower than all known figures, the next is Intel Optane P4800X 375 GB (10 µs)"}`
	if err != nil || string(b) != want {
		t.Errorf("got  %s, %v\nwant %s", b, err, want)
	}
}

func TestUnits(t *testing.T) {
	for m, want := range map[Metric]string{MeanLatency: "µs", P50Latency: "µs", P99Latency: "µs", P99999: "µs", IOPS: "IOPS", MBPerS: "MB/s", Seconds: "s"} {
		if got := m.Unit(); got != want {
			t.Errorf("%s: got %q, want %q", m, got, want)
		}
	}
}

// TestPublishedTables: the tables are as they were published.
func TestPublishedTables(t *testing.T) {
	var rates []string
	for _, f := range Lookup(m900P) {
		if f.Metric == MBPerS {
			rates = append(rates, fmt.Sprintf("%s %s %d: %v", f.Pattern, f.Op, f.QueueDepth, f.Value))
		}
	}
	want := []string{
		"sequential read 8: 2522", "sequential read 8: 2705.19", "sequential read 1: 2514", "sequential read 1: 2708.42",
		"random read 64: 561", "random read 64: 561", "random read 1: 567", "random read 1: 564",
		"sequential write 8: 2303", "sequential write 8: 2571", "sequential write 1: 2281", "sequential write 1: 2584",
		"random write 64: 41", "random write 64: 65", "random write 1: 50", "random write 1: 73",
	}
	if diff := cmp.Diff(want, rates); diff != "" {
		t.Errorf("900P (-want +got):\n%s", diff)
	}
	seconds := 0.0
	for _, f := range Lookup(m905P) {
		if f.Metric == Seconds {
			seconds += f.Value
		}
	}
	if seconds < 69.64 || seconds > 69.66 {
		t.Errorf("the starts with the 905P add up to %v s, want 69.65", seconds)
	}
}
