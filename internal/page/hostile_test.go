package page

import (
	"io"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/smart"
)

// hostileBench is a benchmark in which every text is hostile.
func hostileBench(us float64) *report.BenchReport {
	h := hostile
	b := benchOf(h, 6, us)
	b.Drive = &report.Identity{Model: h, Serial: h, Firmware: h, MarketingName: &h}
	b.Target.Name, b.Target.Detail, b.Target.Path, b.Time = h, h, h, h
	b.Tool = report.Tool{Name: h, Version: h}
	b.Profile = &report.BenchProfile{Name: h, Title: h, Skipped: []profile.Skipped{{Label: h, Reason: h}}}
	b.Warnings = []string{h}
	b.Rows[0].Label = h
	b.Conditions.CPUModel, b.Conditions.Kernel, b.Conditions.Governor = &h, &h, &h
	b.Conditions.Filesystem = &conditions.FileSystem{Type: h, Source: h}
	b.Layers = []report.LayerCost{{Layer: h, Engine: h}}
	b.Results[0].Engine, b.Results[0].Ended, b.Results[0].Partial = h, h, true
	return b
}

// pages is one of each, made of what the caller gives.
func pages(b, a *report.BenchReport) map[string]func(io.Writer) error {
	h := hostile
	c := compare.Bench([]*report.BenchReport{b}, []*report.BenchReport{a}, compare.Options{})
	c.Summary, c.Warnings, c.Tool = h, []string{h}, report.Tool{Name: h, Version: h}
	c.Differences = append(c.Differences, compare.Difference{Difference: conditions.Difference{What: h, Before: &h, After: &h}, Within: h})
	c.Doubts = append(c.Doubts, compare.Doubt{Label: h, Side: h, Rule: h, Text: h})
	c.Attributions = append(c.Attributions, compare.Attribution{Label: h, Text: h, Facts: []string{h}})
	c.OneSided = append(c.OneSided, compare.OneSided{Label: h, Side: h, Reason: h})
	q := b.Results[0].Result
	r := &report.Report{Drive: *b.Drive, Tool: b.Tool, Host: report.HostFacts{Kernel: h}, Verdict: smart.Assessment{Level: smart.Level(h), Summary: h, Findings: []smart.Finding{{Rule: h, Severity: smart.Severity(h), Text: h, Evidence: h}}}}
	r.Bench.Data = &report.Bench{QD1Read: &q}
	r.SMART.Problem = &report.Problem{Text: h, Hint: h}
	aged := &aging.Record{Summary: h, Label: &h, Job: h, Tool: b.Tool, Lost: []string{h}, Plan: &aging.Plan{Mode: aging.Mode(h), Target: aging.Target{Drive: b.Drive, Target: b.Target}}, Comparison: c,
		Stops: []aging.Stop{{Reason: aging.Reason(h), Text: h}}, Interruptions: []aging.Interruption{{Text: h}}, Changes: &conditions.Changes{Facts: []string{h}}}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	records := &Records{Tool: report.Tool{Name: h}, Time: now, Subject: record.Subject{Serial: h, Model: h}, Points: []record.Point{{ID: h, Kind: h, Label: h, Firmware: &h, Time: now, Hours: new(uint64(1))}},
		Forecast: &record.Forecast{Assumption: h, Rated: record.Rated{Source: h, Bytes: 5}}, Backwards: []record.Step{{Counter: h}}}
	return map[string]func(io.Writer) error{
		"bench":   func(w io.Writer) error { return Bench(w, b) },
		"compare": func(w io.Writer) error { return Compare(w, c) },
		"age":     func(w io.Writer) error { return Age(w, aged) },
		"report":  func(w io.Writer) error { return Report(w, r) },
		"history": func(w io.Writer) error { return History(w, records) },
		"deltas": func(w io.Writer) error {
			return Deltas(w, &compare.Deltas{Model: h, Serial: h, Facts: []string{h}, WentBackwards: []string{h}, NewWarnings: []string{h}, Changes: []compare.Change{{What: h, Before: h, After: h}}})
		},
	}
}

// TestHostileTexts holds that what a drive or a user is called is text.
func TestHostileTexts(t *testing.T) {
	for name, f := range pages(hostileBench(12), hostileBench(13)) {
		text := written(t, f)
		for _, fault := range faults(text) {
			t.Errorf("%s: %s", name, fault)
		}
		if !strings.Contains(text, "&lt;script&gt;alert(1)&lt;/script&gt;") {
			t.Errorf("%s does not show the name as it is", name)
		}
	}
}

// TestHostileMarkdown holds that they are no markup there either.
func TestHostileMarkdown(t *testing.T) {
	b, a := hostileBench(12), hostileBench(13)
	c := compare.Bench([]*report.BenchReport{b}, []*report.BenchReport{a}, compare.Options{})
	for name, f := range map[string]func(io.Writer) error{
		"bench":   func(w io.Writer) error { return MarkdownBench(w, b, MarkdownOptions{Serial: true}) },
		"compare": func(w io.Writer) error { return MarkdownCompare(w, c, MarkdownOptions{Serial: true}) },
	} {
		got := written(t, f)
		lacks(t, got, "<script", "[x](", "\x1b", "\x00")
		for line := range strings.Lines(got) {
			cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if strings.HasPrefix(line, "|") && cells != 7 && cells != 8 {
				t.Errorf("%s: a row of %d cells: %s", name, cells-1, line)
			}
		}
	}
}

// TestSize holds that 10 million operations, a long series and many records
// stay below 300 kB.
func TestSize(t *testing.T) {
	const limit, operations = 300_000, 10_000_000
	h := latencies(operations/16, 12, 1)
	for range 4 {
		again := *h
		h.Merge(&again)
	}
	if h.Count() != operations {
		t.Fatalf("%d operations", h.Count())
	}
	large := func() *report.BenchReport {
		b := profileOf()
		b.Results = nil
		for i := range 12 {
			b.Rows = append(b.Rows, b.Rows[i%3])
			for run := 1; run <= 9; run++ {
				r := resultOf(i, run, h)
				b.Results = append(b.Results, r)
				b.Series = append(b.Series, report.SeriesPoint{Row: i, Run: run})
			}
		}
		for second := 1; second <= 3000; second++ {
			b.Series = append(b.Series, report.SeriesPoint{Row: second % 6, Run: 1, Seconds: float64(second), Operations: int64(second * (50000 + second*second%999))})
		}
		return b
	}
	one := benchOf("long", 0, 12)
	one.Results = []report.BenchResult{resultOf(0, 1, h)}
	all := pages(large(), large())
	all["one run"] = func(w io.Writer) error { return Bench(w, one) }
	all["many records"] = func(w io.Writer) error { return History(w, manyRecords(5000)) }
	for name, f := range all {
		if n := len(written(t, f)); n > limit || n < 5000 {
			t.Errorf("%s has %d bytes, want at most %d", name, n, limit)
		}
	}
}
