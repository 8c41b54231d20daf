package reference

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFigures holds what every figure must have.
func TestFigures(t *testing.T) {
	if len(All()) < 50 {
		t.Fatalf("%d figures, want all of them", len(All()))
	}
	for _, f := range All() {
		name := f.Model + " " + string(f.Metric) + " " + f.Test
		if f.Model == "" || f.Source == "" || !(f.Value > 0) {
			t.Errorf("%s: model, source or value is missing: %+v", name, f)
		}
		if (f.Test == "") == (f.Workload == Workload{}) {
			t.Errorf("%s: has a workload and a test, or neither", name)
		}
		if f.Rated != (f.Software == NoSoftware) {
			t.Errorf("%s: software %q of a figure with Rated = %t", name, f.Software, f.Rated)
		}
		if f.Metric == Seconds && f.Test == "" {
			t.Errorf("%s: seconds of what", name)
		}
		if !slices.Contains([]string{"", "read", "write"}, f.Op) || !slices.Contains([]string{"", "random", "sequential"}, f.Pattern) {
			t.Errorf("%s: workload %+v", name, f.Workload)
		}
	}
}

func TestFiguresAreOnce(t *testing.T) {
	seen := map[Figure]bool{}
	for _, f := range All() {
		if seen[f] {
			t.Errorf("%+v stands twice", f)
		}
		seen[f] = true
	}
}

// TestMeasuredIsNotDoubtful: what is placed fits what the drive is rated for.
func TestMeasuredIsNotDoubtful(t *testing.T) {
	for _, f := range All() {
		us, ok := f.In(MeanLatency)
		if !ok || f.BlockBytes != 4096 || f.inFlight() != 1 || f.Rated || !strings.Contains(f.Model, "Optane") {
			continue
		}
		if doubtful := us < 8 || us > 30; doubtful != (f.Doubtful != "") {
			t.Errorf("%s: %.1f µs is marked as doubtful %q", f.Model, us, f.Doubtful)
		}
	}
}

func TestIn(t *testing.T) {
	one := QD1Read()
	deep := one
	deep.QueueDepth = 32
	tests := []struct {
		name   string
		f      Figure
		metric Metric
		want   float64
		ok     bool
	}{
		{"itself", Figure{Metric: P99Latency, Value: 10, Workload: one}, P99Latency, 10, true},
		{"latency of MB/s", Figure{Metric: MBPerS, Value: 300, Workload: one}, MeanLatency, 13.653, true},
		{"IOPS of MB/s", Figure{Metric: MBPerS, Value: 300, Workload: one}, IOPS, 73242.188, true},
		{"MB/s of IOPS", Figure{Metric: IOPS, Value: 1000, Workload: one}, MBPerS, 4.096, true},
		{"IOPS of latency", Figure{Metric: MeanLatency, Value: 8, Workload: one}, IOPS, 125000, true},
		{"no IOPS of a median", Figure{Metric: P50Latency, Value: 8, Workload: one}, IOPS, 0, false},
		{"no latency of several in flight", Figure{Metric: MBPerS, Value: 300, Workload: deep}, MeanLatency, 0, false},
		{"no IOPS of the latency of several", Figure{Metric: MeanLatency, Value: 8, Workload: deep}, IOPS, 0, false},
		{"no tail of a rate", Figure{Metric: IOPS, Value: 8, Workload: one}, P99Latency, 0, false},
		{"another test", Figure{Metric: Seconds, Value: 8, Test: "boot"}, IOPS, 0, false},
	}
	for _, tt := range tests {
		got, ok := tt.f.In(tt.metric)
		if ok != tt.ok || math.Abs(got-tt.want) > 1e-3 {
			t.Errorf("%s: got %v, %t, want %v, %t", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}

func TestPlace(t *testing.T) {
	read, deep := QD1Read(), random("read", 32)
	tests := []struct {
		name string
		r    Reading
		want string
	}{
		{
			"between two kinds of software", Reading{P50Latency, 11.9, read, Linux},
			"11.9 µs: between Intel Optane P4800X 375 GB (9 µs) and Intel Optane P5800X 800 GB (13.4 µs); the one under Windows was measured with other software, whose own part of each operation differs",
		},
		{
			"like with like", Reading{MeanLatency, 13.5, read, Windows},
			"13.5 µs: between Intel Optane P5800X 800 GB (13.4 µs) and Intel Optane 905P 960 GB (about 13.7 µs)",
		},
		{
			"other software on both sides", Reading{MeanLatency, 30, read, Linux},
			"30 µs: between Intel Optane 800P 118 GB (about 21.6 µs) and Crucial T705 (about 45 µs); measured under Windows and not under Linux, whose own part of each operation differs",
		},
		{
			"software not known", Reading{MeanLatency, 30, read, NoSoftware},
			"30 µs: between Intel Optane 800P 118 GB (about 21.6 µs) and Crucial T705 (about 45 µs); measured under Windows, whose own part of each operation differs",
		},
		{
			"the fastest", Reading{P50Latency, 5, read, Linux},
			"5 µs: faster than all known figures, the next is Intel Optane P4800X 375 GB (9 µs)",
		},
		{
			"the slowest", Reading{IOPS, 1000, read, Linux},
			"1000 IOPS: slower than all known figures, the next is Micron 9100 MAX (9285 IOPS)",
		},
		{
			"a rate", Reading{MBPerS, 900, deep, Windows},
			"900 MB/s: faster than all known figures, the next is Intel SSD 750 1.2 TB (702 MB/s)",
		},
		{"nothing like it", Reading{MeanLatency, 30, random("read", 7), Linux}, ""},
		{"no value", Reading{MeanLatency, 0, read, Linux}, ""},
		{"no shape", Reading{MeanLatency, 10, Workload{}, Linux}, ""},
	}
	for _, tt := range tests {
		got := ""
		if p := Place(tt.r); p != nil {
			got = p.Text
		}
		if got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestPlaceOrder walks through all values: the rank rises, the neighbours
// enclose the value, and doubtful or rated figures are never named.
func TestPlaceOrder(t *testing.T) {
	last := 0
	for us := 5.0; us < 150; us *= 1.05 {
		p := Place(Reading{MeanLatency, us, QD1Read(), Linux})
		if p.Rank < last || p.Rank > p.Of {
			t.Fatalf("%.1f µs: rank %d of %d after rank %d", us, p.Rank, p.Of, last)
		}
		last = p.Rank
		if p.Faster != nil && p.Faster.Value > us || p.Slower != nil && p.Slower.Value <= us {
			t.Errorf("%.1f µs does not lie between %+v and %+v", us, p.Faster, p.Slower)
		}
		if strings.Contains(p.Text, "900P") {
			t.Errorf("%.1f µs: a doubtful figure is named: %s", us, p.Text)
		}
	}
	if last < 8 {
		t.Errorf("the slowest has rank %d, want more drives", last)
	}
}

// TestPlacePrefers: a drive stands once for each software, with the metric that
// was asked for.
func TestPlacePrefers(t *testing.T) {
	for metric, want := range map[Metric]float64{MeanLatency: 8.9, P50Latency: 9, P99Latency: 10, IOPS: 108300} {
		n := 0
		for _, got := range neighbours(Reading{metric, 1, QD1Read(), Linux}) {
			if got.Model != mP4800X {
				continue
			}
			n++
			if got.Value != want || got.Metric != metric || !got.SameSoftware {
				t.Errorf("%s: got %+v, want %v", metric, got, want)
			}
		}
		if n != 1 {
			t.Errorf("%s: stands %d times", metric, n)
		}
	}
}

func TestLookup(t *testing.T) {
	tests := []struct {
		name string
		want []string
	}{
		{"905p", []string{m905P}},
		{"Optane 905P", []string{m905P}},
		{"intel-optane-900p", []string{m900P, "Intel Optane 900P 480 GB"}},
		{"Intel Optane 900P 280 GB", []string{m900P}},
		{"P5800X", []string{"Intel Optane P5800X", "Intel Optane P5800X 800 GB"}},
		{"intel optane p5800x", []string{"Intel Optane P5800X"}},
		{"no such drive", nil},
		{"-", nil},
		{"", nil},
	}
	for _, tt := range tests {
		var got []string
		for _, f := range Lookup(tt.name) {
			got = append(got, f.Model)
		}
		slices.Sort(got)
		if diff := cmp.Diff(tt.want, slices.Compact(got)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestModels(t *testing.T) {
	got := Models()
	if !slices.IsSorted(got) || !slices.Contains(got, m905P) || len(slices.Compact(slices.Clone(got))) != len(got) {
		t.Errorf("models are %q", got)
	}
}

func TestAgainst(t *testing.T) {
	got := Against(Lookup("905p"), Reading{P50Latency, 12, QD1Read(), Linux})
	if len(got) != 2 {
		t.Fatalf("%d figures, want the two of QD1 reads: %+v", len(got), got)
	}
	b := got[0]
	if b.Is != MeanLatency || b.SameSoftware || b.Unit != "µs" || math.Abs(b.Reference-13.653) > 1e-3 || math.Abs(b.ChangePercent+12.11) > 0.01 {
		t.Errorf("got %+v", b)
	}
	if got := Against(Lookup("905p"), Reading{P99Latency, 12, QD1Read(), Linux}); got != nil {
		t.Errorf("a tail is compared with %+v", got)
	}
}

func TestFigureJSON(t *testing.T) {
	b, err := json.Marshal(Lookup("micron")[0])
	const want = `{"model":"Micron 9100 MAX","metric":"mean","value":107.7,"op":"read","pattern":"random","block_bytes":4096,"queue_depth":1,"workers":1,` +
		`"software":"Linux","conditions":"NAND","date":"2017","source":"AnandTech, Optane SSD DC P4800X review (show/11209), page 4"}`
	if err != nil || string(b) != want {
		t.Errorf("got  %s, %v\nwant %s", b, err, want)
	}
}
