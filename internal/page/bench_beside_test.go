package page

import (
	"strings"
	"testing"

	"qd1.example/qd1/bench/reference"
	"qd1.example/qd1/internal/protocol"
	"qd1.example/qd1/internal/report"
)

// besideOf is a benchmark with figures of others beside its rows.
func besideOf() *report.BenchReport {
	b := benchOf("", 6, 12)
	b.Against = &report.Against{Ref: "x", Kind: report.AgainstResult, Name: "DRIVE X", Simulated: true}
	b.Rows[0].Against = []report.Beside{
		{Name: "DRIVE X", Metric: reference.P50Latency, OtherMetric: reference.P50Latency, Unit: "µs", Measured: 12.1, Other: 24.2, Speed: 2, SameSoftware: true, Source: "a page", Date: "2021"},
		{Name: "DRIVE Y", Metric: reference.P50Latency, OtherMetric: reference.MeanLatency, Unit: "µs", Measured: 12.1, Other: 10, Speed: 0.826, Software: reference.Windows, Source: "another page", Conditions: "Windows 10", Indicative: true, Doubtful: "it was cached"},
		{Name: "DRIVE Z", Metric: reference.MBPerS, OtherMetric: reference.MBPerS, Unit: "MB/s", Measured: 330, Other: 300, Speed: 1.1, Rated: true},
	}
	return b
}

func TestBeside(t *testing.T) {
	text := benchPage(t, besideOf())
	has(t, text, "Beside DRIVE X", "The figures beside are those of a simulated drive.", "RND4K Q1T1 read, median</figcaption>", "12.1\u00a0µs", "24.2\u00a0µs", "about 10\u00a0µs (mean)", "Shorter is better. It is no test",
		`data-head="there" class="n">24.2`, `data-head="times as fast" class="n">2<`, "a page, 2021", "another page, Windows 10", "measured with other software, whose own part of each operation differs: Windows", "DOUBTFUL: it was cached",
		"RND4K Q1T1 read, MB/s", "300\u00a0MB/s", "stated by the maker")
	if n := strings.Count(text, `class="bar s1"`); n != 2 {
		t.Errorf("%d bars of others, want the 2 of the same figure", n)
	}
	b := besideOf()
	b.Rows[0].Against = nil
	text = benchPage(t, b)
	has(t, text, "Beside DRIVE X", "Nothing that was measured here is known of it.")
	b = besideOf()
	b.Rows[0].Against = b.Rows[0].Against[2:]
	has(t, benchPage(t, b), "Longer is better.")
}

// TestProtocol holds that noise, drift, a control and an early end are shown.
func TestProtocol(t *testing.T) {
	b := benchOf("", 6, 12)
	b.Partial, b.Ended, b.Record = true, "the drive became too hot", "20260102T030405Z-aaaaaa"
	b.Rows[0].Noise = &protocol.Noise{Metric: "p50", Runs: 6, CVPercent: 0.9, PlannedRuns: 6, DetectablePercent: new(2.345)}
	b.Rows[0].Drift = &protocol.Drift{Runs: 6, ChangePercent: -3.21, P: 0.0028, Found: true}
	has(t, benchPage(t, b), "PARTIAL: Not all runs went to their end: the drive became too hot.", "<dt>noise</dt><dd>0.9\u00a0% from run to run, 6\u00a0runs a side find a change of 2.35\u00a0% in 8 of 10 cases, DRIFTS by −3.21\u00a0%",
		"record 20260102T030405Z-aaaaaa")
	b.Rows[0].Noise.DetectablePercent, b.Rows[0].Drift.Found = nil, false
	text := benchPage(t, b)
	has(t, text, "6\u00a0runs show no change, however large")
	lacks(t, text, "DRIFTS")
	b.Rows = append(b.Rows, b.Rows[0])
	has(t, benchPage(t, b), "<dt>noise of RND4K Q1T1 read</dt>")
}

func TestControl(t *testing.T) {
	b := benchOf("", 6, 12)
	b.Rows = append(b.Rows, b.Rows[0])
	tests := []struct {
		c    *protocol.Control
		want string
		tone tone
	}{
		{nil, "", ""},
		{&protocol.Control{Row: 7, Of: 0}, "", ""},
		{&protocol.Control{Row: 1, Of: -1}, "", ""},
		{&protocol.Control{Row: 1, Verdict: protocol.Alike, ChangePercent: new(0.31), CI95Percent: &[2]float64{-0.4, 1.1}}, "RND4K Q1T1 read was measured twice: alike. change +0.31 %, interval −0.4 to +1.1 %", plain},
		{&protocol.Control{Row: 1, Verdict: protocol.Differs}, "RND4K Q1T1 read was measured twice and DIFFERS, which is not the drive's doing.", bad},
		{&protocol.Control{Row: 1, Verdict: protocol.NotEnoughRuns, ChangePercent: new(-2.0)}, "RND4K Q1T1 read was measured twice: not enough runs. change −2 %", plain},
	}
	for _, tt := range tests {
		b.Control = tt.c
		got := controlFinding(b)
		if tt.want == "" {
			if got != nil {
				t.Errorf("%+v: %v", tt.c, got)
			}
			continue
		}
		if len(got) != 1 || plainText(join(" ", got[0].Text, got[0].More)) != tt.want || got[0].Tone != tt.tone {
			t.Errorf("%+v: %q, want %q", tt.c, got, tt.want)
		}
	}
}

// TestPlacement holds that a report draws its latency between those of others, and
// says where they are from.
func TestPlacement(t *testing.T) {
	r := reportOf(t, "optane-905p")
	q := resultOf(0, 1, latencies(20000, 12, 1)).Result
	place := &report.Placement{Placement: reference.Placement{Metric: reference.P50Latency, Unit: "µs", Value: 12.1, Rank: 2, Of: 3, Text: "between P5800X and 905P",
		Faster: &reference.Neighbour{Model: "P5800X", Value: 9.5, Source: "page one"}, Slower: &reference.Neighbour{Model: "905P", Value: 13.7, Source: "page two"}}}
	r.Bench.Data, r.Bench.Problem = &report.Bench{QD1Read: &q, Placement: place}, nil
	has(t, reportPage(t, r), "Among drives that others measured", "P5800X", "9.5\u00a0µs", "here", "12.1\u00a0µs", "905P", "13.7\u00a0µs", "Between P5800X and 905P. Shorter is better.", "P5800X: page one; 905P: page two")
	place.Slower = nil
	has(t, reportPage(t, r), "Among drives that others measured", "<dt>sources</dt><dd>P5800X: page one</dd>")
	place.Faster = nil
	lacks(t, reportPage(t, r), "Among drives that others measured", "<dt>sources</dt>")
}
