package page

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/report"
)

// again encodes a value and decodes it, as what was kept comes back.
func again[T any](t *testing.T, v *T) *T {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	back := new(T)
	if err := json.Unmarshal(text, back); err != nil {
		t.Fatal(err)
	}
	return back
}

// TestPagesOfKept holds that a result that was kept has the same page as a new
// one.
func TestPagesOfKept(t *testing.T) {
	q := resultOf(0, 1, latencies(20000, 12, 1)).Result
	r := reportOf(t, "optane-905p-media-errors")
	r.Bench = report.Section[report.Bench]{Data: &report.Bench{QD1Read: &q}}
	b, aged := sustained(), agedDrive()
	aged.Before, aged.After = []*report.BenchReport{benchOf("before", 7, 12)}, []*report.BenchReport{benchOf("after a day", 7, 13.2)}
	for i := range aged.Comparison.Ladders {
		l := &aged.Comparison.Ladders[i]
		l.Before, l.After = nil, nil
	}
	tests := []struct {
		name       string
		fresh, old func(io.Writer) error
	}{
		{"bench", func(w io.Writer) error { return Bench(w, b) }, func(w io.Writer) error { return Bench(w, again(t, b)) }},
		{"report", func(w io.Writer) error { return Report(w, r) }, func(w io.Writer) error { return Report(w, again(t, r)) }},
		{"age", func(w io.Writer) error { return Age(w, aged) }, func(w io.Writer) error { return Age(w, again(t, aged)) }},
		{"deltas", func(w io.Writer) error { return Deltas(w, deltasOf()) }, func(w io.Writer) error { return Deltas(w, again(t, deltasOf())) }},
	}
	for _, tt := range tests {
		fresh, old := written(t, tt.fresh), written(t, tt.old)
		if fresh != old {
			t.Errorf("%s: %s", tt.name, firstDifference(fresh, old))
		}
	}
}

// firstDifference shows the first lines that are not the same.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return "new: " + x[i] + "\nkept: " + y[i]
		}
	}
	return "one is longer than the other"
}

func TestFirstDifference(t *testing.T) {
	if got := firstDifference("a\nb\nc", "a\nx\nc"); got != "new: b\nkept: x" {
		t.Errorf("got %q", got)
	}
	if got := firstDifference("a", "a\nb"); got != "one is longer than the other" {
		t.Errorf("got %q", got)
	}
}

// FuzzPages holds that whatever a file says, its page is a sound page or an
// error, never a crash.
func FuzzPages(f *testing.F) {
	small := benchOf(hostile, 0, 12)
	small.Results = []report.BenchResult{resultOf(0, 1, latencies(40, 12, 1))}
	aged := agedDrive()
	aged.Series, aged.Comparison, aged.Before = aged.Series[:2], nil, []*report.BenchReport{small}
	for _, v := range []any{small, deltasOf(), aged, compare.Bench([]*report.BenchReport{small}, []*report.BenchReport{small}, compare.Options{}), &report.Report{}} {
		text, err := json.Marshal(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"rows": [{"label": "x"}], "results": [{"row": 7, "run": -1, "latency_us": {"p50": 1e308}}, {"row": -1}]}`))
	f.Add([]byte(`{"comparison": {"ladders": [{"label": "x", "rungs": [{"percentile": "p50"}]}], "rows": [{"before": {"median": -1e300}}]}, "before": [{"results": [{"row": 9}]}], "probes": [{}], "series": [{"seconds": -5, "value": {"seconds": 1e-300}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, r, c, d, a := new(report.BenchReport), new(report.Report), new(compare.Comparison), new(compare.Deltas), new(aging.Record)
		for _, p := range []struct {
			into any
			page func(io.Writer) error
		}{
			{b, func(w io.Writer) error { return Bench(w, b) }}, {r, func(w io.Writer) error { return Report(w, r) }}, {c, func(w io.Writer) error { return Compare(w, c) }},
			{d, func(w io.Writer) error { return Deltas(w, d) }}, {a, func(w io.Writer) error { return Age(w, a) }},
		} {
			if json.Unmarshal(text, p.into) == nil {
				wellMade(t, written(t, p.page))
			}
		}
	})
}
