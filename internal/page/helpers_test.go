package page

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/report"
)

// hostile is what a drive or a user may be called.
const hostile = `"><script>alert(1)</script><img src=http://outside.example/x>'` + "`|*_[x](http://outside.example)\x00\x1b[31m\xff"

// latencies is a histogram of so many operations around a median in µs, with a
// tail.
func latencies(n int, medianUS float64, seed uint64) *bench.Histogram {
	r := rand.New(rand.NewPCG(seed, 1))
	h := new(bench.Histogram)
	for range n {
		us := medianUS * math.Exp(r.NormFloat64()*0.05)
		if r.IntN(100) == 0 {
			us *= 1 + 50*r.ExpFloat64()
		}
		h.Add(time.Duration(us * 1000))
	}
	return h
}

// resultOf is a run with the figures of its histogram.
func resultOf(index, run int, h *bench.Histogram) report.BenchResult {
	l := bench.LatencyOf(h)
	iops := 1e6 / *l.Mean
	return report.BenchResult{Row: index, Run: run, Result: bench.Result{
		Name: "RND4K Q1T1", Engine: "psync", Op: bench.OpRead, Pattern: bench.Random, BlockBytes: 4096, QueueDepth: 1, Workers: 1,
		Seconds: float64(h.Count()) / iops, Operations: h.Count(), IOPS: iops, MBPerS: iops * 4096 / 1e6, Latency: l, BytesRead: h.Count() * 4096,
		LatencyCI95: bench.LatencyIntervals{P50: &[2]float64{*l.P50 * 0.99, *l.P50 * 1.01}}, Histogram: h, Ended: "complete",
	}}
}

// benchOf is a benchmark of one row with so many runs around a median.
func benchOf(label string, runs int, medianUS float64) *report.BenchReport {
	b := &report.BenchReport{
		Schema: report.BenchSchema, Tool: report.Tool{Name: "qd1", Version: "1.2.3"}, Time: "2026-01-02T03:04:05Z", Label: &label,
		Drive:  &report.Identity{Model: "INTEL SSDPE21D960GA", Serial: "SERIAL0001", Firmware: "E2010480", MarketingName: new("Intel Optane SSD 905P 960 GB")},
		Target: report.BenchTarget{Name: "INTEL SSDPE21D960GA", Detail: "serial SERIAL0001", Target: bench.Target{Kind: bench.BlockTarget, Path: "/dev/nvme0n1", Bytes: 960197124096, BlockBytes: 512}},
		Rows:   []report.BenchRow{{Label: "RND4K Q1T1 read", Job: bench.Job{Op: bench.OpRead, Pattern: bench.Random, BlockBytes: 4096, QueueDepth: 1, Workers: 1}}},
	}
	b.Conditions.Kernel, b.Conditions.Arch = new("6.12.1"), "amd64"
	b.Conditions.Subject.Serial, b.Conditions.Subject.Firmware = "SERIAL0001", "E2010480"
	for run := 1; run <= runs; run++ {
		b.Results = append(b.Results, resultOf(0, run, latencies(20000, medianUS*(1+0.002*float64(run)), uint64(run))))
	}
	b.Rows[0].Figure = figureOf(b, 0)
	b.Rows[0].Rated = profile.Rated{ReadLatencyUS: 10}.Compare(b.Rows[0].Job, b.Rows[0].Figure)
	return b
}

// figureOf makes the figure of a row of its runs.
func figureOf(b *report.BenchReport, index int) *profile.Figure {
	var all []*bench.Result
	for i := range b.Results {
		if b.Results[i].Row == index {
			all = append(all, &b.Results[i].Result)
		}
	}
	return profile.Row{Name: "RND4K Q1T1", Job: b.Rows[index].Job, Pick: profile.PickMedian}.Figure(all)
}

// written returns what f writes.
func written(t *testing.T, f func(io.Writer) error) string {
	t.Helper()
	var b strings.Builder
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	addresses = regexp.MustCompile(`(?i)url\(|@import|srcset|xlink`)
	noNumbers = regexp.MustCompile(`\bNaN\b|[+-]Inf\b|%!`)
)

// wellMade holds what every page must be.
func wellMade(t *testing.T, text string) {
	t.Helper()
	for _, fault := range faults(text) {
		t.Error(fault)
	}
}

// faults says where a page has an element that is not closed, a script,
// something from elsewhere, or a number that is none.
func faults(text string) []string {
	var list []string
	dec := xml.NewDecoder(strings.NewReader(text))
	dec.Entity = xml.HTMLEntity
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return append(list, "the page is not well formed: "+err.Error())
		}
		if e, ok := tok.(xml.StartElement); ok {
			list = append(list, harms(e)...)
		}
	}
	for _, m := range []string{addresses.FindString(text), noNumbers.FindString(text)} {
		if m != "" {
			list = append(list, "the page has "+m)
		}
	}
	return list
}

// harms says what an element would run or load.
func harms(e xml.StartElement) []string {
	var list []string
	switch e.Name.Local {
	case "script", "iframe", "object", "embed", "img", "image", "use", "base", "form", "audio", "video":
		list = append(list, "the page has the element "+e.Name.Local)
	}
	for _, a := range e.Attr {
		name := strings.ToLower(a.Name.Local)
		if strings.HasPrefix(name, "on") || name == "src" || name == "href" && a.Value != "data:," {
			list = append(list, "the page has "+name+"="+a.Value)
		}
	}
	return list
}

// has holds that a text has all of the parts, in this order.
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, p := range parts {
		_, after, ok := strings.Cut(rest, p)
		if !ok {
			t.Errorf("%q is missing, or stands before what should precede it", p)
			continue
		}
		rest = after
	}
}

// lacks holds that a text has none of the parts.
func lacks(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(text, p) {
			t.Errorf("%q should not be there", p)
		}
	}
}

// TestFaults shows the check pages that break its rules, and one that does not.
func TestFaults(t *testing.T) {
	for _, text := range []string{
		"<p>a</p><script>x</script>", `<p onclick="x">a</p>`, `<a href="http://outside.example">a</a>`, `<img src="data:,">`, "<style>a { background: url(x) }</style>", "<p>NaN</p>", "<p>%!d(x)</p>", "<p><b>x</p>",
	} {
		if faults(text) == nil {
			t.Errorf("%s passes", text)
		}
	}
	if got := faults(`<p class="a">b<link rel="icon" href="data:," /></p>`); got != nil {
		t.Errorf("a sound page has the faults %q", got)
	}
}
