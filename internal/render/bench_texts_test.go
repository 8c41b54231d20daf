package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/scratch"
)

const en = lang.English

// plain is text as it is written.
func plain(s string) string { return strings.ReplaceAll(s, nbsp, " ") }

func TestBenchTexts(t *testing.T) {
	figure := func(pick profile.Pick, runs int) *profile.Figure { return &profile.Figure{Pick: pick, Runs: runs} }
	reason := "the kernel keeps no statistics of this device"
	for _, test := range []struct{ got, want string }{
		{rough(0.04), "0 %"}, {rough(2.149), "2.1 %"}, {rough(9.96), "10 %"}, {rough(85.55), "86 %"},
		{between([2]float64{11.88, 11.92}), "11.9"}, {between([2]float64{11.8, 12.2}), "11.8–12.2"},
		{signed(1.3), "+1.3"}, {signed(-9.5), "-9.5"}, {signed(0), "0"},
		{costCell(nil), absent}, {costCell(&profile.Cost{RatePercent: -9.5}), "-9.5 %"}, {costCell(&profile.Cost{LatencyUS: new(0.8), RatePercent: 2}), "+0.8 µs +2 %"},
		{runsCell(en, figure(profile.PickBest, 1)), "1"}, {runsCell(en, figure(profile.PickMedian, 6)), "median of 6"},
		{rangeCell(figure(profile.PickBest, 1)), absent},
		{implausible(en, nil), ""}, {implausible(en, &profile.Comparison{}), ""},
		{implausible(en, &profile.Comparison{Figure: profile.RatedWriteIOPS, Rated: 550000, Plausibility: profile.HostLimited}), "limited by the host: the maker states random write 550 000 IOPS"},
		{implausible(en, &profile.Comparison{Figure: profile.RatedReadLatency, Rated: 10, Plausibility: profile.AboveRated}), "above what the maker states, read latency 10 µs"},
		{confidenceText(en, &profile.Figure{}), ""}, {confidenceText(en, &profile.Figure{MBPerSCI95: &[2]float64{330, 339}}), "95 % confidence: 330–339 MB/s"},

		{slowestText(en, nil), ""}, {failedAt(en, nil), ""}, {failedAt(en, []bench.ErrorOffset{{Offset: 4096, Count: 1}}), "byte 4 096"},
		{failedAt(en, make([]bench.ErrorOffset, 6)), "byte 0, 0, 0, 0, 0, and 1 more"},
		{transferred(en, &bench.Result{}), ""}, {transferred(en, &bench.Result{BytesWritten: 4096}), "wrote 4.1 kB, warm-up included"},
		{intervals(en, &bench.LatencyIntervals{}), ""}, {engineText(en, &bench.Result{Engine: "uring", Submission: "new"}), "uring, new"},

		{otherText(en, nil), ""}, {otherText(en, &conditions.OtherIO{Reason: reason}), "not known: " + reason}, {otherText(en, &conditions.OtherIO{Known: true, Reads: 3}), "too little to matter"},
		{otherText(en, &conditions.OtherIO{Known: true, Disturbed: true, Reads: 1, ReadBytes: 4096, Flushes: 2}), "DISTURBED by 1 read (4.1 kB), 2 flushes"},
		{cachedText(en, nil), ""}, {cachedText(en, &conditions.OtherIO{CachedPercent: new(12.34)}), "at least 12.3 %"},

		{supplyText(en, nil), ""}, {supplyText(en, new(true)), "mains"}, {throttledText(en, nil), ""}, {throttledText(en, &conditions.Changes{Throttled: new(true)}), "THROTTLED by heat"},
		{apstText(en, nil), ""}, {apstText(en, &conditions.APST{}), "APST off"}, {apstText(en, &conditions.APST{Enabled: true}), "APST on, without a transition"},
		{apstText(en, &conditions.APST{Enabled: true, Deepest: &conditions.PowerState{Number: 3}}), "APST on, down to state 3"},
		{writeCacheText(en, &conditions.DriveState{}), ""}, {writeCacheText(en, &conditions.DriveState{HasWriteCache: new(false)}), "no volatile write cache"},
		{writeCacheText(en, &conditions.DriveState{WriteCache: new(false)}), "volatile write cache off"},
		{loopText(en, nil), ""}, {loopText(en, &conditions.Loop{BackingFile: new("/a"), Direct: new(false)}), "on /a through the page cache"}, {loopText(en, &conditions.Loop{}), "on unknown"},
		{extentsText(en, &scratch.Extents{Method: scratch.MethodNone}), ""}, {extentsText(en, &scratch.Extents{Method: scratch.MethodSeek, UntouchedPercent: new(1.5)}), "1.5 % of it read without the medium"},
		{preparedText(en, &scratch.Preconditioned{Mode: "pts", Rounds: make([]scratch.Window, 1), Partial: true}), "pts, wrote 0 B, 1 round of random writes, not steady, PARTIAL"},
		{onOff(en, "turbo", nil), ""}, {onOff(en, "turbo", new(false)), "turbo off"}, {blankText(en, &scratch.Blank{}), ""},
		{kernelText(en, &conditions.Host{Arch: "arm64", ClockSource: new("hpet"), KernelParameters: []string{"idle=poll"}}), "arm64, clock source hpet, idle=poll"},
		{loadText(en, nil), ""}, {wearText(nil), "the rated endurance is not known"}, {wearText(new(0.012345)), "0.0123 % of the rated endurance"},
	} {
		if got := plain(test.got); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// Rows that were left out for one reason stand together.
func TestSkippedTexts(t *testing.T) {
	got := skippedTexts(en, []profile.Skipped{{Label: "a", Reason: "x"}, {Label: "b", Reason: "y"}, {Label: "c", Reason: "x"}, {Label: "d", Reason: "x"}})
	if diff := cmp.Diff([]string{"a: x; also c, d", "b: y"}, got); diff != "" {
		t.Error(diff)
	}
}

// The head of the latencies says what they are, unless rows differ in it.
func TestLatencyWord(t *testing.T) {
	mean, median := report.BenchRow{Figure: &profile.Figure{LatencyIs: "mean"}}, report.BenchRow{Figure: &profile.Figure{LatencyIs: "median"}}
	for _, test := range []struct {
		rows []report.BenchRow
		want string
	}{
		{nil, ""}, {[]report.BenchRow{{}, mean, mean}, "mean"}, {[]report.BenchRow{median, {}}, "median"}, {[]report.BenchRow{mean, median}, ""},
	} {
		if got := latencyWord(en, test.rows); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// A warning stands once and before every figure, whatever it is about.
func TestBenchWarningsFirst(t *testing.T) {
	b := benchProfile()
	b.Warnings = append(b.Warnings, b.Warnings[0])
	b.Copy = benchCopy().Copy
	b.Results[0].BlankPercent = new(99.0)
	b.Results[1].BlankPercent = new(99.0)
	got := benchText(t, b)
	above, below, _ := strings.Cut(got, "\n\n")
	if n := strings.Count(above, "  warning  "); n != 4 {
		t.Errorf("%d warnings, want 4:\n%s", n, above)
	}
	if strings.Contains(below, "warning  ") {
		t.Errorf("a warning stands below the figures:\n%s", below)
	}
	b.Layers = benchEngines().Layers
	b.Results[0].Engine = bench.EngineNull
	if got := benchText(t, b); strings.Contains(got, "nothing was read") {
		t.Errorf("the null engine is doubted among all engines:\n%s", got)
	}
}

// A plan that is refused asks for nothing.
func TestBenchPlanRefused(t *testing.T) {
	show := func(b *report.BenchPlan) string {
		return text(t, func(w *bytes.Buffer) error { return BenchPlan(w, b, Style{Lang: lang.Japanese}) })
	}
	if got := show(benchPlan()); !strings.HasPrefix(got, "PLAN  ") || !strings.Contains(got, "you will type: BENCH") {
		t.Errorf("a plan:\n%s", got)
	}
	got := show(refusedBenchPlan())
	if !strings.Contains(got, "\nREFUSED  ") || strings.Contains(got, "you will type") || !strings.Contains(got, "mounted on /srv") {
		t.Errorf("a refused plan:\n%s", got)
	}
}

// Every profile is in the list, with at least its name and what it is.
func TestProfilesAreListed(t *testing.T) {
	got := text(t, func(w *bytes.Buffer) error { return Profiles(w, profile.All(), Style{Width: 160}) })
	for _, p := range profile.All() {
		if !strings.Contains(got, p.ID()+"  ") || !strings.Contains(got, p.Description) {
			t.Errorf("%s is not in the list:\n%s", p.ID(), got)
		}
	}
}
