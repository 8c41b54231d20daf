package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/bench/reference"
)

// qd1Result is a run of the quick benchmark.
func qd1Result(p50 float64) *bench.Result {
	return &bench.Result{
		Engine: bench.EnginePsync, Op: bench.OpRead, Pattern: bench.Random, BlockBytes: 4096, QueueDepth: 1, Workers: 1,
		Operations: 1000, MBPerS: 4096 / p50, Latency: bench.Latency{P50: &p50, Mean: &p50},
	}
}

func TestPlacementOf(t *testing.T) {
	p := placementOf(qd1Result(11.9), true)
	if p == nil || p.Faster == nil || p.Slower == nil || !strings.Contains(p.Faster.Model, "P4800X") || !strings.Contains(p.Slower.Model, "P5800X") || !p.Simulated {
		t.Fatalf("got %+v", p)
	}
	if p.Slower.Value != 13.356 {
		t.Errorf("the slower one has %v µs, want 13.356", p.Slower.Value)
	}
	b, err := json.Marshal(p)
	if err != nil || !strings.Contains(string(b), `"rank":2,"of":11,`) || !strings.HasSuffix(string(b), `"simulated":true}`) {
		t.Errorf("JSON %s, %v", b, err)
	}
	if p := placementOf(qd1Result(1), false); p == nil || p.Faster != nil || p.Simulated {
		t.Errorf("faster than all: %+v", p)
	}
}

// TestNoPlacement: what is not the latency of the medium has no place.
func TestNoPlacement(t *testing.T) {
	for name, change := range map[string]func(*bench.Result){
		"cut short":        func(r *bench.Result) { r.Partial = true },
		"a cache":          func(r *bench.Result) { r.Cached = true },
		"blank":            func(r *bench.Result) { r.BlankPercent = new(1.5) },
		"no engine":        func(r *bench.Result) { r.Engine = bench.EngineNull },
		"no median":        func(r *bench.Result) { r.Latency.P50 = nil },
		"a rate":           func(r *bench.Result) { r.RatePerS = 100 },
		"pauses":           func(r *bench.Result) { r.ThinkTimeUS = 100 },
		"another workload": func(r *bench.Result) { r.BlockBytes = 777 * 512 },
	} {
		r := qd1Result(11.9)
		change(r)
		if p := placementOf(r, false); p != nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// besides is a benchmark of QD1 reads, of sequential ones, and of what has no
// figures anywhere.
func besides() *BenchReport {
	deep := bench.Job{Engine: bench.EngineUring, Op: bench.OpRead, Pattern: bench.Sequential, BlockBytes: 1 << 20, QueueDepth: 8, Workers: 1}
	null := bench.QD1Read(1)
	null.Engine = bench.EngineNull
	paced := bench.QD1Read(1)
	paced.Rate = 100
	figure := func(us, mbs float64) *profile.Figure {
		return &profile.Figure{Pick: profile.PickMedian, MBPerS: mbs, LatencyUS: &us, LatencyIs: "median", Runs: 1}
	}
	return &BenchReport{
		Rows: []BenchRow{
			{Label: "RND4K Q1T1 read", Job: bench.QD1Read(1), Figure: figure(12, 330)}, {Label: "SEQ1M Q8T1 read", Job: deep, Figure: figure(3200, 2600)},
			{Label: "null", Job: null, Figure: figure(0.1, 40000)}, {Label: "paced", Job: paced, Figure: figure(12, 0.4)}, {Label: "failed", Job: bench.QD1Read(1)},
		},
		Results: []BenchResult{{Row: 0, Run: 1, Result: *qd1Result(12)}},
	}
}

func TestSetBesideFigures(t *testing.T) {
	b := besides()
	b.SetBesideFigures(Against{Ref: "905p", Kind: AgainstReference}, reference.Lookup("905p"))
	got := b.Rows[0].Against
	if len(got) != 2 || b.Against.Ref != "905p" {
		t.Fatalf("got %+v against %+v", got, b.Against)
	}
	want := Beside{
		Name: "Intel Optane 905P 960 GB", Metric: reference.P50Latency, OtherMetric: reference.MeanLatency, Unit: "µs", Measured: 12, Other: 13.653, Speed: 1.138,
		Software: reference.Windows, Source: got[0].Source, Conditions: got[0].Conditions, Date: "2024-08-30", Indicative: true,
	}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("beside (-want +got):\n%s", diff)
	}
	b = besides()
	b.SetBesideFigures(Against{}, reference.Lookup("900P 280"))
	if got := b.Rows[1].Against; len(got) != 2 || got[0].Metric != reference.MBPerS || got[0].Other != 2522 || got[0].Speed != 1.031 {
		t.Errorf("sequential: %+v", got)
	}
	if got := b.Rows[0].Against; len(got) != 2 || got[0].Doubtful == "" {
		t.Errorf("a doubtful figure does not say so: %+v", got)
	}
	for _, r := range b.Rows[2:] {
		if r.Against != nil {
			t.Errorf("%s stands beside %+v", r.Label, r.Against)
		}
	}
}

func TestSetBesideResults(t *testing.T) {
	b, other := besides(), besides()
	other.Simulated = true
	other.Results = []BenchResult{{Row: 0, Run: 1, Result: *qd1Result(20)}, {Row: 0, Run: 2, Result: *qd1Result(24)}, {Row: 0, Run: 3, Result: *qd1Result(26)}}
	other.Rows = append([]BenchRow{{Label: "control", Job: bench.QD1Read(1), ControlOf: new(1)}}, other.Rows...)
	for i := range other.Results {
		other.Results[i].Row = 1
	}
	b.SetBesideResults(Against{Ref: "before", Kind: AgainstResult, Name: "X"}, []*BenchReport{other})
	if !b.Against.Simulated || b.Against.Results != 1 {
		t.Errorf("against %+v", b.Against)
	}
	want := []Beside{{Name: "X", Metric: reference.P50Latency, OtherMetric: reference.P50Latency, Unit: "µs", Measured: 12, Other: 24, Speed: 2, Software: reference.Linux, SameSoftware: true, Source: "before"}}
	if diff := cmp.Diff(want, b.Rows[0].Against); diff != "" {
		t.Errorf("beside (-want +got):\n%s", diff)
	}
	// Without runs the figure itself is taken.
	if got := b.Rows[1].Against; len(got) != 1 || got[0].Other != 2600 || got[0].Speed != 1 {
		t.Errorf("sequential: %+v", got)
	}
	b = besides()
	b.SetBesideResults(Against{}, []*BenchReport{{}})
	if got := b.Rows[0].Against; got != nil || b.Against == nil {
		t.Errorf("beside nothing: %+v", got)
	}
}

func TestReadingSoftware(t *testing.T) {
	r := besides().Rows[0]
	r.Job.IOPoll, r.Figure.LatencyIs = true, "mean"
	got, ok := r.reading()
	if !ok || got.Software != reference.LinuxPolled || got.Metric != reference.MeanLatency {
		t.Errorf("got %+v, %t", got, ok)
	}
}
