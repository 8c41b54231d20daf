package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/report"
)

// arbitrary makes a side of results with holes: few runs, runs without
// percentiles, runs that were cut short, rows without runs and runs of rows that
// there are not.
func arbitrary(r *rand.Rand) []*report.BenchReport {
	var list []*report.BenchReport
	for range r.IntN(3) {
		var rows [][]figures
		for range r.IntN(4) {
			rows = append(rows, runs(r, r.IntN(9), 90+20*r.Float64(), 3*r.Float64()))
		}
		x := made(rows...)
		for i := range x.Rows {
			if r.IntN(6) == 0 {
				x.Rows[i].Job.QueueDepth = 4
			}
		}
		for i := range x.Results {
			damage(r, &x.Results[i])
		}
		list = append(list, x)
	}
	return list
}

// damage takes something away from a run now and then.
func damage(r *rand.Rand, x *report.BenchResult) {
	switch r.IntN(30) {
	case 0:
		x.Partial = true
	case 1:
		x.Latency.P999 = nil
	case 2:
		x.Latency = bench.Latency{}
	case 3:
		x.Row = r.IntN(9) - 3
	case 4:
		x.IOPS, x.MBPerS = 0, 0
	case 5:
		x.Histogram = &bench.Histogram{}
	}
}

// TestHoles: whatever is missing, the answer can be written down and does not
// contradict itself.
func TestHoles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	seen := map[Verdict]int{}
	for range 400 {
		c := Bench(arbitrary(r), arbitrary(r), Options{})
		if _, err := json.Marshal(c); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		for _, row := range c.Rows {
			if err := contradiction(row); err != nil {
				t.Errorf("%v: %+v", err, row)
			}
			if row.Verdict != nil {
				seen[*row.Verdict]++
			}
		}
		if c.Summary == "" || c.Overall == "" {
			t.Errorf("there is no answer: %+v", c)
		}
	}
	for _, v := range []Verdict{Better, Worse, NoChange, NotEnoughRuns} {
		if seen[v] == 0 {
			t.Errorf("no row is %s, so that nothing was shown of it: %v", v, seen)
		}
	}
}

// contradiction finds what cannot be true at once.
func contradiction(r Row) error {
	blocked := len(r.BlockedBy) > 0
	switch {
	case blocked != (r.Verdict == nil), blocked != (r.P == nil), blocked != (r.PHolm == nil):
		return fmt.Errorf("blocked is %t", blocked)
	case r.Before.N != len(r.Before.Values), r.After.N != len(r.After.Values), r.Before.N == 0, r.After.N == 0:
		return fmt.Errorf("the number of runs is wrong")
	case r.Reason == "":
		return fmt.Errorf("there is no reason")
	case blocked:
		return nil
	case *r.P > *r.PHolm+1e-9, *r.PHolm > 1:
		return fmt.Errorf("p is %v, corrected %v", *r.P, *r.PHolm)
	}
	changed := *r.Verdict == Better || *r.Verdict == Worse
	switch {
	case changed && (*r.PHolm > 0.05 || r.CI95Percent[0] <= 0 && r.CI95Percent[1] >= 0):
		return fmt.Errorf("a change that is not shown")
	case *r.Verdict == NoChange && math.Max(-r.CI95Percent[0], r.CI95Percent[1]) > DefaultMinEffectPercent+0.001:
		return fmt.Errorf("a change that is not ruled out")
	case *r.Verdict != NotEnoughRuns && r.RunsNeeded != nil:
		return fmt.Errorf("runs are needed for a verdict that stands")
	case r.RunsNeeded != nil && *r.RunsNeeded < AdvisedRuns:
		return fmt.Errorf("%d runs are needed", *r.RunsNeeded)
	}
	return nil
}

// TestMirror: with the sides exchanged, better is worse, and P is the same.
func TestMirror(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	mirrored := map[Verdict]Verdict{Better: Worse, Worse: Better, NoChange: NoChange, NotEnoughRuns: NotEnoughRuns}
	for range 100 {
		b := one(made(runs(r, 4+r.IntN(6), 100, 1), runs(r, 6, 100, 0.1)))
		a := one(made(runs(r, 4+r.IntN(6), 98+4*r.Float64(), 1), runs(r, 6, 100+r.Float64(), 0.1)))
		// The margin is not symmetric in percent: that of a factor of 1.02 is
		// -1.96 % the other way round. A tiny one leaves it out.
		there, back := Bench(b, a, Options{MinEffectPercent: 1e-6}), Bench(a, b, Options{MinEffectPercent: 1e-6})
		for i, x := range there.Rows {
			y := back.Rows[i]
			if *y.Verdict != mirrored[*x.Verdict] || math.Abs(*x.P-*y.P) > 1e-9 || math.Abs(*x.PHolm-*y.PHolm) > 1e-9 {
				t.Errorf("there %+v\nback  %+v", x, y)
			}
			if product := (1 + *x.ChangePercent/100) * (1 + *y.ChangePercent/100); math.Abs(product-1) > 1e-4 {
				t.Errorf("changes are %v and %v", *x.ChangePercent, *y.ChangePercent)
			}
		}
	}
}

// TestRecorded: results that were written and read again give the same answer.
func TestRecorded(t *testing.T) {
	b, a := spread(2000, [2]float64{10, 20}, [2]float64{11, 20}), spread(2000, [2]float64{15, 20}, [2]float64{16, 20})
	counted(b, "2026-01-02T01:00:00Z", 10, 1000, 1004)
	want := Bench(one(b), one(a), Options{})
	got := Bench(again(t, b), again(t, a), Options{})
	x, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	y, err := json.Marshal(got)
	if diff := cmp.Diff(string(x), string(y)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if len(got.Ladders) != 1 {
		t.Errorf("histograms were lost")
	}
}

func again(t *testing.T, r *report.BenchReport) []*report.BenchReport {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	out := new(report.BenchReport)
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatal(err)
	}
	return one(out)
}

// TestOrderOfRows: the rows of a workload stand together, the rate first.
func TestOrderOfRows(t *testing.T) {
	var got []string
	for _, r := range Bench(one(made(six(1), six(2))), one(made(six(1), six(2))), Options{}).Rows {
		got = append(got, r.Label+" "+r.Metric)
	}
	want := []string{
		"row A iops", "row A latency_p50", "row A latency_p99", "row A latency_p999",
		"row B iops", "row B latency_p50", "row B latency_p99", "row B latency_p999",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestConfidence: a higher one makes wider intervals and fewer verdicts.
func TestConfidence(t *testing.T) {
	b, a := one(made(six(100))), one(made(six(100.2)))
	loose, strict := Bench(b, a, Options{Confidence: 0.9}), Bench(b, a, Options{Confidence: 0.99})
	if loose.ConfidencePercent != 90 || strict.ConfidencePercent != 99 || loose.MinEffectPercent != 2 {
		t.Errorf("got %v and %v, %v", loose.ConfidencePercent, strict.ConfidencePercent, loose.MinEffectPercent)
	}
	x, y := loose.Rows[0].CI95Percent, strict.Rows[0].CI95Percent
	if x[0] <= y[0] || x[1] >= y[1] || *strict.Rows[0].CoveragePercent < 99 {
		t.Errorf("intervals are %v and %v", x, y)
	}
}
