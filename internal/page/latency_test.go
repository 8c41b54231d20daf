package page

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/report"
)

// flat is a histogram of so many operations of each of the latencies in µs.
func flat(each int, us ...float64) *bench.Histogram {
	h := &bench.Histogram{}
	for _, v := range us {
		for range each {
			h.Add(time.Duration(v * 1000))
		}
	}
	return h
}

// TestBins holds that no operation is lost between the histogram and its picture,
// and that the units are µs.
func TestBins(t *testing.T) {
	total := 0.0
	for _, b := range bins(flat(500, 10, 12, 900)) {
		total += b.Count
		if b.Low >= b.High || b.Low < 9.9 || b.High > 910 {
			t.Errorf("a bin from %v to %v µs", b.Low, b.High)
		}
	}
	if total != 1500 {
		t.Errorf("%v operations in the bins, want 1500", total)
	}
	if got := bins(nil); got != nil {
		t.Errorf("bins of nothing: %v", got)
	}
}

func TestWindow(t *testing.T) {
	fast, slow := flat(1000, 10), flat(1000, 40)
	tail := flat(1000, 10)
	tail.Merge(flat(5, 90000))
	tests := []struct {
		name      string
		all       []*bench.Histogram
		low, high float64
	}{
		{"one", []*bench.Histogram{fast}, 10 / 1.05, 12.5},
		{"two overlaid", []*bench.Histogram{fast, slow}, 10 / 1.05, 50},
		{"in any order", []*bench.Histogram{slow, fast}, 10 / 1.05, 50},
		{"a few far away", []*bench.Histogram{tail}, 10 / 1.05, 12.5},
		{"one that is lost", []*bench.Histogram{nil, {}, slow}, 40 / 1.05, 50},
	}
	for _, tt := range tests {
		low, high := window(tt.all...)
		if math.Abs(low/tt.low-1) > 0.02 || math.Abs(high/tt.high-1) > 0.02 {
			t.Errorf("%s: from %v to %v, want %v to %v", tt.name, low, high, tt.low, tt.high)
		}
	}
}

// TestDistributionNote holds that what is not drawn is counted.
func TestDistributionNote(t *testing.T) {
	h := flat(1000, 10)
	h.Merge(flat(5, 2000))
	for _, tt := range []struct {
		s    side
		high float64
		want string
	}{
		{side{"", h}, 12, "1 005 operations, 5 of them slower than drawn, up to 2 000 µs."},
		{side{"after", h}, 3000, "after: 1 005 operations."},
		{side{"", flat(1, 5)}, 12, "1 operation."},
	} {
		if got := plainText(distributionNote(tt.s, tt.high)); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestLadderNote(t *testing.T) {
	l := bench.LatencyOf(flat(10000, 10, 20))
	if got := plainText(ladderNote(&l, 1)); !strings.HasPrefix(got, "p50 ") || !strings.Contains(got, " · p99 ") || !strings.HasSuffix(got, "The bars are 95 % intervals.") {
		t.Errorf("of one run: %q", got)
	}
	if got := plainText(ladderNote(&l, 3)); !strings.HasSuffix(got, "All 3 runs together; the bars reach from the lowest run to the highest.") {
		t.Errorf("of three runs: %q", got)
	}
	if got := ladderNote(&bench.Latency{}, 1); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

// TestBetween holds that the bars reach over all runs, and are left out where a run
// has no such percentile.
func TestBetween(t *testing.T) {
	var runs []*report.BenchResult
	for _, v := range []float64{12, 10, 11} {
		r := &report.BenchResult{}
		r.Latency.P99 = &v
		runs = append(runs, r)
	}
	p99 := func(l *bench.Latency) *float64 { return l.P99 }
	if low, high := between(runs, p99); low != 10 || high != 12 {
		t.Errorf("from %v to %v, want 10 to 12", low, high)
	}
	runs = append(runs, &report.BenchResult{})
	if low, high := between(runs, p99); low != 0 || high != 0 {
		t.Errorf("with a run that has none: from %v to %v", low, high)
	}
	if low, high := between(nil, p99); low != 0 || high != 0 {
		t.Errorf("of no run: from %v to %v", low, high)
	}
}

// TestMerged holds that runs of other rows are not counted with a row.
func TestMerged(t *testing.T) {
	b := &report.BenchReport{Rows: make([]report.BenchRow, 3)}
	for i, n := range []int{100, 200, 400} {
		b.Results = append(b.Results, report.BenchResult{Row: i % 2, Result: bench.Result{Histogram: flat(n, 10)}})
	}
	for row, want := range []int64{500, 200} {
		if got := merged(b, row); got.Count() != want {
			t.Errorf("row %d has %d operations, want %d", row, got.Count(), want)
		}
	}
	if got := merged(b, 2); got != nil {
		t.Errorf("a row without a run has %d operations", got.Count())
	}
	if n := b.Results[0].Histogram.Count(); n != 100 {
		t.Errorf("the first run now has %d operations", n)
	}
}

func TestSustainedNote(t *testing.T) {
	onset := &profile.Onset{Second: 9, BeforeMBPerS: 2600, AfterMBPerS: 1300, DropPercent: 50}
	for _, tt := range []struct {
		s    *profile.Sustained
		want string
	}{
		{nil, ""},
		{&profile.Sustained{Seconds: 60}, "The rate did not fall for good in 60 s."},
		{&profile.Sustained{Onset: onset}, "After 9 s the rate falls by 50 %, from 2 600 MB/s to 1 300 MB/s."},
		{&profile.Sustained{Onset: onset, Cause: &profile.Cause{Text: "the cache is full"}}, "The cache is full."},
	} {
		if got := plainText(sustainedNote(tt.s)); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.s, got, tt.want)
		}
	}
}

func TestRunGroups(t *testing.T) {
	for _, tt := range []struct {
		values   []float64
		median   float64
		interval bool
	}{{[]float64{3, 1, 2}, 2, false}, {[]float64{1, 2, 3, 4, 5, 6}, 3.5, true}} {
		g := group("name", tt.values, 1)
		if g.Median == nil || *g.Median != tt.median || (g.Interval != nil) != tt.interval || g.Side != 1 {
			t.Errorf("%v: %+v", tt.values, g)
		}
	}
	if g := group("name", nil, 0); g.Median != nil || g.Interval != nil {
		t.Errorf("of no run: %+v", g)
	}
}

// TestRunsTableIsBounded holds that of many runs the first are listed, and that it
// is said.
func TestRunsTableIsBounded(t *testing.T) {
	b := &report.BenchReport{}
	for i := range 100 {
		b.Results = append(b.Results, report.BenchResult{Run: i + 1})
	}
	got := runsTable(b)[0]
	if len(got.Rows) != mostRuns || got.Caption != fmt.Sprintf("The first %d of 100 runs", mostRuns) || got.Rows[mostRuns-1].Cells[0] != "run 60" {
		t.Errorf("%d rows, %q", len(got.Rows), got.Caption)
	}
	if runsTable(&report.BenchReport{}) != nil {
		t.Error("no runs have a table")
	}
}
