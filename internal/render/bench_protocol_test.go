package render

import (
	"bytes"
	"strings"
	"testing"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/bench/reference"
	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/protocol"
	"qd1.example/qd1/internal/report"
)

// noiseOfRuns is a noise of 0.9 % with 6 runs.
func noiseOfRuns() protocol.Noise {
	return protocol.Noise{Metric: "p50", Runs: 6, CVPercent: 0.9, PlannedRuns: 6, DetectablePercent: new(2.345), RunsFor1Percent: new(23)}
}

// benchProtocol is two rows and a control, interleaved, from a temperature on, and
// beside a published figure.
func benchProtocol() *report.BenchReport {
	b := benchDrive()
	b.Partial, b.Ended, b.Record = true, "interrupted", "20260102T030405Z-abc234"
	b.Conditions.Protocol.Order, b.Conditions.Protocol.StartMaxCelsius, b.Conditions.Protocol.AmbientCelsius = protocol.Interleaved, new(36), new(22.5)
	b.Pilot = []report.PilotRow{{Row: 0, Label: "RND4K Q1T1 read", Seconds: 0.25, Noise: noiseOfRuns()}}
	for i, label := range []string{"RND4K Q1T1 read", "RND4K Q8T1 read", "RND4K Q1T1 read, control"} {
		b.Rows = append(b.Rows, report.BenchRow{Label: label, Figure: figureOf(label, profile.PickMedian, 6, 336.9, 82250, 11.9), Noise: new(noiseOfRuns())})
		b.Results = append(b.Results, report.BenchResult{Row: i, Run: 1, Result: *result(), Start: &protocol.Start{AtSeconds: float64(5 * i), Celsius: new(34 + i), WaitedSeconds: 20}})
	}
	b.Rows[0].Job = bench.QD1Read(5)
	b.Rows[1].Drift = &protocol.Drift{Runs: 6, ChangePercent: -3.21, P: 0.002778, Found: true}
	b.Rows[2].ControlOf = new(0)
	b.Turns = []protocol.Turn{{Row: 0, Run: 1}, {Row: 1, Run: 1}, {Row: 2, Run: 1}, {Row: 2, Run: 2}, {Row: 1, Run: 2}, {Row: 0, Run: 2}}
	b.Control = &protocol.Control{Row: 2, Of: 0, Metric: "p50", Runs: 6, ChangePercent: new(0.31), CI95Percent: &[2]float64{-0.4, 1.1}, P: new(0.39), Verdict: protocol.Alike}
	b.SetBesideFigures(report.Against{Ref: "905p", Kind: report.AgainstReference, Name: "Intel Optane 905P 960 GB"}, reference.Lookup("905p"))
	return b
}

// benchBeside stands beside all that a figure can be.
func benchBeside() *report.BenchReport {
	b := benchRuns()
	b.Conditions.Protocol.Order = protocol.ByRow
	b.Rows[0].Noise, b.Rows[0].Drift = new(noiseOfRuns()), &protocol.Drift{Runs: 6, ChangePercent: 0.12, P: 0.7}
	b.Results[0].Start = &protocol.Start{Celsius: new(35)}
	b.Against = &report.Against{Ref: "x", Kind: report.AgainstResult, Name: "INTEL SSDPE21D960GA X “before”", Results: 1, Simulated: true}
	b.Rows[0].Against = []report.Beside{
		{Name: "A", Metric: reference.P50Latency, OtherMetric: reference.P50Latency, Unit: "µs", Measured: 11.9, Other: 23.8, Speed: 2, Software: reference.LinuxPolled, SameSoftware: true, Source: "x"},
		{Name: "B", Metric: reference.MBPerS, OtherMetric: reference.MBPerS, Unit: "MB/s", Measured: 300, Other: 600, Speed: 0.5, Rated: true, Source: "the maker"},
		{Name: "C", Metric: reference.P50Latency, OtherMetric: reference.MeanLatency, Unit: "µs", Measured: 11.9, Other: 7, Speed: 0.588, Software: reference.Windows, Source: "y", Date: "2018", Conditions: "z", Indicative: true,
			Doubtful: "2 to 15 % of what the drive is rated for: the set-up was measured and not the drive"},
	}
	return b
}

func TestProtocolTexts(t *testing.T) {
	en := lang.English
	few := protocol.Noise{Metric: "mb_per_s", CVPercent: 12.345, PlannedRuns: 3, StepPercent: 1.06}
	many := make([]protocol.Turn, 30)
	many[1].Row = 27
	b := &report.BenchReport{Rows: make([]report.BenchRow, 2)}
	ordered, byRow := *b, *b
	byRow.Conditions.Protocol.Order = protocol.ByRow
	ordered.Conditions.Protocol.Order = "by lot"
	strange := &report.BenchReport{Control: &protocol.Control{Row: 7, Verdict: "new", Metric: "mb_per_s"}}
	short := &report.BenchReport{Control: &protocol.Control{Row: -1, Verdict: protocol.NotEnoughRuns, Metric: "p50"}}
	differs := &report.BenchReport{Control: &protocol.Control{Verdict: protocol.Differs, Metric: "p50"}}
	for _, test := range []struct{ got, want string }{
		{noiseText(en, nil), ""}, {noiseText(en, new(noiseOfRuns())), "0.9 % from run to run (median), 6 runs find a change of 2.3 % in 80 % of cases, 1 % needs 23"},
		{noiseText(en, &few), "12 % from run to run (MB/s), 3 runs show no change, however large, the histogram tells medians apart by 1.1 %"},
		{noiseText(en, &protocol.Noise{Metric: "p50", PlannedRuns: 2}), "0 % from run to run (median), 2 runs show no change, however large, 1 % needs more than 1000 runs"},
		{driftText(en, nil), ""}, {driftText(en, &protocol.Drift{Runs: 6, ChangePercent: 0.123, P: 0.719}), "none to be seen in 6 runs (+0.12 %, p = 0.72)"},
		{driftText(en, &protocol.Drift{Runs: 6, ChangePercent: -12.6, P: 0.00278, Found: true}), "DRIFTS by -13 % from the first of 6 runs to the last (p = 0.0028)"},
		{turnsText(many), "A 28" + strings.Repeat("A", 22) + "…"}, {orderText(en, b), ""}, {orderText(en, &ordered), "by lot"}, {orderText(en, &byRow), "all runs of a row, then those of the next"},
		{startText(en, b), ""}, {controlText(en, b), ""},
		{controlText(en, strange), "– against –, new, 0 runs each, MB/s"}, {controlText(en, short), "– against –, too few runs to tell, 0 runs each, median"},
		{controlText(en, differs), "– against –, DIFFERS, which is not the drive's doing, 0 runs each, median"},
		{placeText(en, nil), ""}, {placeText(en, &report.Placement{}), ""},
		{placeText(en, &report.Placement{Placement: reference.Placement{Value: 5, Slower: &reference.Neighbour{Model: "Intel P3700", Value: 77.9, SameSoftware: true, Indicative: true}}}), "5 µs: faster than all known figures, the next is Intel P3700 (about 77.9 µs)"},
		{placeText(en, &report.Placement{Simulated: true, Placement: reference.Placement{Value: 500, Faster: &reference.Neighbour{Model: "Intel Optane 905P 960 GB", Value: 13.7, Software: reference.LinuxPolled}}}), "500 µs: slower than all known figures, the next is Optane 905P (13.7 µs, under Linux, polled); this drive's figure is simulated"},
		{metricWord(en, reference.P99Latency), "p99"}, {shortModel("Crucial T705"), "Crucial T705"}, {shortModel("Intel SSD 750 1.2 TB"), "Intel SSD 750"},
	} {
		if got := plain(test.got); got != test.want {
			t.Errorf("got  %q\nwant %q", got, test.want)
		}
	}
}

// TestAgainstNothing says that nothing is known.
func TestAgainstNothing(t *testing.T) {
	b := benchRun()
	b.Against = &report.Against{Name: "X"}
	if got := benchText(t, b); !strings.Contains(got, "Beside X") || !strings.Contains(got, "nothing that was measured here is known of it") {
		t.Errorf("got\n%s", got)
	}
}

// TestSourcesOnce: what is to be said of a figure stands at the first of them.
func TestSourcesOnce(t *testing.T) {
	got := benchText(t, benchProtocol())
	if n := strings.Count(got, "slot of the CPU"); n != 1 {
		t.Errorf("the source stands %d times:\n%s", n, got)
	}
	if n := strings.Count(got, "×1.1"); n != 2 {
		t.Errorf("%d ratios, want 2:\n%s", n, got)
	}
}

// TestReferences: the list has every drive, and says what is doubtful.
func TestReferences(t *testing.T) {
	for _, s := range []Style{{}, {Width: 60}, {Lang: lang.Japanese}} {
		got := text(t, func(w *bytes.Buffer) error { return References(w, reference.All(), s) })
		for _, model := range reference.Models() {
			if !strings.Contains(got, model+"\n") {
				t.Errorf("%s is not in the list:\n%s", model, got)
			}
		}
		if s.Lang == lang.Japanese {
			if !strings.Contains(got, "疑わしい: ドライブ単体の公称 10 µs より速い。") {
				t.Errorf("nothing is doubtful:\n%s", got)
			}
		} else if !strings.Contains(strings.Join(strings.Fields(got), " "), "doubtful: faster than the rated 10 µs") {
			t.Errorf("nothing is doubtful:\n%s", got)
		}
	}
}

// TestCauseInJapanese: why a rate fell, with all that shows it, has no English.
func TestCauseInJapanese(t *testing.T) {
	c := &profile.Cause{Text: "The fast cache was full in second 20, after 40.0 GB were written. The drive held itself back for heat from second 90 on.", Drops: []profile.Drop{
		{Second: 20, Evidence: []string{"no throttling was counted between second 16 and 24", "at most 50 °C, the first limit is 70 °C", "40.0 GB written before it, 61 % slower and steady after it"}},
		{Second: 90, Evidence: []string{"the count of throttling rose by 1 between second 86 and 94", "up to 71 °C"}, Missing: []string{"the temperature around it"}},
	}}
	got := causeText(lang.Japanese, c)
	if word := leftOver.FindString(got); word != "" {
		t.Errorf("%q is left in %s", word, got)
	}
	for _, want := range []string{"40.0 GB を書き込んだ 20 s 目に", "90 s 目から、ドライブが温度のため", "61 % 遅く", "最高 71 °C"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
}
