package page

import (
	"io"
	"math/big"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/report"
)

// compared is two sides of so many runs, the second slower by a share.
func compared(runs int, slower float64) *compare.Comparison {
	c := compare.Bench([]*report.BenchReport{benchOf("before", runs, 12)}, []*report.BenchReport{benchOf("after a day", runs, 12*(1+slower))}, compare.Options{})
	c.Tool, c.Time = report.Tool{Name: "qd1", Version: "1.2.3"}, "2026-01-02T03:04:05Z"
	return c
}

func comparePage(t *testing.T, c *compare.Comparison) string {
	t.Helper()
	text := written(t, func(w io.Writer) error { return Compare(w, c) })
	wellMade(t, text)
	return text
}

func TestCompare(t *testing.T) {
	has(t, comparePage(t, compared(7, 0.1)), `<header class="bad">`, "<h1>WORSE</h1>", "“before” → “after a day” · INTEL SSDPE21D960GA, serial SERIAL0001, firmware E2010480", "Nothing that is known differs", "A change of less than 2\u00a0% does not matter here.",
		"Change of each figure", "worse</text>", "RND4K Q1T1 read IOPS", "IOPS\u00a0(7)", "RND4K Q1T1 read median", ">worse</td>", "Latency of both sides", ">before</li>", ">after: after a day</li>", "140\u00a0000\u00a0operations",
		"percentiles", "<caption>RND4K Q1T1 read, 140\u00a0000 before and 140\u00a0000\u00a0operations after</caption>", "p99.9", "The runs", "IOPS of each run", "The sides, and what they cost", "SERIAL0001", "read by the runs")
}

// unchanged is a comparison without a change, and without an estimate of the
// second row.
func unchanged() *compare.Comparison {
	c := compared(7, 0)
	c.Overall, c.Rows = compare.Unchanged, c.Rows[:2]
	for i := range c.Rows {
		c.Rows[i].Verdict = new(compare.NoChange)
	}
	c.Rows[1].ChangePercent, c.Rows[1].CI95Percent = nil, nil
	return c
}

// TestCompareWithoutEstimate holds that a picture of no change at all says what
// it takes.
func TestCompareWithoutEstimate(t *testing.T) {
	c := unchanged()
	c.Rows = c.Rows[1:]
	has(t, comparePage(t, c), "No change could be estimated: it takes 4 runs a side.", `class="n absent"`)
}

func TestCompareVerdicts(t *testing.T) {
	tests := []struct {
		c    *compare.Comparison
		want []string
	}{
		{compared(7, -0.1), []string{`<header class="good">`, "BETTER", ">better</td>"}},
		{unchanged(), []string{`<header class="plain">`, "NO CHANGE", ">no change</td>"}},
		{compared(2, 0.1), []string{`<header class="warn">`, "NOT ENOUGH RUNS", ">not enough runs</td>"}},
		{&compare.Comparison{Overall: compare.NotComparable, Summary: "there is no workload that both sides have"}, []string{"NOT COMPARABLE", "There is no workload", "There is no row that both sides have."}},
		{&compare.Comparison{Overall: compare.Mixed}, []string{`<header class="warn">`, "BETTER AND WORSE"}},
		{&compare.Comparison{Overall: "new"}, []string{"NEW"}},
	}
	for _, tt := range tests {
		has(t, comparePage(t, tt.c), tt.want...)
	}
}

// TestCompareBlocked holds that what blocks a comparison stands before the
// figures, which then have no verdict.
func TestCompareBlocked(t *testing.T) {
	a, z := benchOf("before", 6, 12), benchOf("after", 6, 13)
	z.Conditions.Kernel, z.Conditions.Scheduler = new("6.18.0"), new("bfq")
	c := compare.Bench([]*report.BenchReport{a}, []*report.BenchReport{z}, compare.Options{})
	has(t, comparePage(t, c), "NOT COMPARABLE", "What else differs", "There is no verdict because of: ", "6.12.1", "6.18.0", "What changed", ">not comparable</td>")
	c = compare.Bench([]*report.BenchReport{a}, []*report.BenchReport{z}, compare.Options{Changed: []string{"kernel", "scheduler"}})
	has(t, comparePage(t, c), "WORSE", "changed on purpose")
}

func TestCompareParts(t *testing.T) {
	c := compared(5, 0.1)
	c.Warnings = []string{"the second side is warm", "the second side is warm"}
	c.Doubts = []compare.Doubt{{Label: "RND4K write", Side: "after", Rule: compare.RuleRated, Text: "41 MB/s is 3 % of what the maker states"}}
	c.Attributions = []compare.Attribution{{Label: "RND4K read", Origin: compare.FromHost, Text: "the processor took longer", Facts: []string{"fact one", "fact two"}}}
	c.OneSided = []compare.OneSided{{Label: "SEQ1M", Side: "before", Reason: "the other side has no such row"}}
	c.Cost.Before.PreparedBytes, c.Cost.Before.DriveBytesWritten, c.Cost.PowerOnHours = 7e12, new(uint64(8e12)), new(uint64(72))
	c.Cost.Between = &conditions.Changes{Facts: []string{"1 media error came up"}}
	c.Differences = append(c.Differences, compare.Difference{Difference: conditions.Difference{What: "temperature", Before: new("30"), Severity: conditions.Notes}, Within: "after"})
	c.Rows[0].Doubtful = true
	text := comparePage(t, c)
	has(t, text, "The second side is warm.", "note, within the side after", "Doubtful figures", "<b>AFTER</b>", "RND4K write: 41 MB/s is 3 % of what the maker states.", "A figure of this workload cannot be that of the drive.", "The host or the drive", "<b>HOST</b>",
		"The processor took longer.", "fact one; fact two", "Not compared", "before only, the other side has no such row", "written before", "7\u00a0TB", "8\u00a0TB", "72\u00a0power-on hours", "1 media error came up")
	if n := strings.Count(text, "The second side is warm."); n != 1 {
		t.Errorf("a warning stands there %d times", n)
	}
}

// TestCompareIsBounded holds that of many workloads some are drawn and all are
// in the tables, up to a limit that is said.
func TestCompareIsBounded(t *testing.T) {
	c := compared(4, 0.1)
	for range 9 {
		c.Ladders = append(c.Ladders, c.Ladders[0])
	}
	for len(c.Rows) < 300 {
		c.Rows = append(c.Rows, c.Rows[0])
	}
	text := comparePage(t, c)
	has(t, text, "Drawn for 4 of 10 workloads; the tables have all.")
	has(t, text, "The first 240 of 300 rows")
	if n := strings.Count(text, "how often which latency</figcaption>"); n != mostLadders {
		t.Errorf("%d distributions, want %d", n, mostLadders)
	}
	if n := strings.Count(text, "of each run</figcaption>"); n != mostRunCharts {
		t.Errorf("%d pictures of runs, want %d", n, mostRunCharts)
	}
}

func TestRungs(t *testing.T) {
	for _, tt := range []struct{ key, want string }{{"p50", "p50"}, {"p90", "p90"}, {"p99", "p99"}, {"p999", "p99.9"}, {"p9999", "p99.99"}, {"p99999", "p99.999"}, {"max", "max"}} {
		if got := rungName(tt.key); got != tt.want {
			t.Errorf("rungName(%q) = %q, want %q", tt.key, got, tt.want)
		}
	}
	l := &compare.Ladder{Label: "x", Rungs: []compare.Rung{{Percentile: "p50", Before: compare.Step{US: new(12.0), CI95US: &[2]float64{11, 13}}}, {Percentile: "p99"}}}
	got := ladderTable(l)[0].Rows
	if len(got) != 1 || got[0].Cells[1] != "12"+nbsp+"µs (11 to 13)" || got[0].Cells[2] != absent {
		t.Errorf("rows = %q", got)
	}
}

func TestMetricNames(t *testing.T) {
	for _, tt := range []struct{ metric, want string }{{"iops", "IOPS"}, {"latency_p50", "median"}, {"latency_p99", "p99"}, {"latency_p999", "p99.9"}, {"some_other", "some other"}} {
		if got := metricName(tt.metric); got != tt.want {
			t.Errorf("metricName(%q) = %q, want %q", tt.metric, got, tt.want)
		}
	}
}

// deltasOf is what became different in a drive in two days.
func deltasOf() *compare.Deltas {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &compare.Deltas{Tool: report.Tool{Name: "qd1", Version: "1.2.3"}, Serial: "SERIAL0001", Model: "INTEL", BeforeTime: at, AfterTime: at.Add(48 * time.Hour), Hours: 48,
		Counters: []compare.Counter{{Name: "bytes written", Unit: "B", Before: big.NewInt(1e12), After: big.NewInt(3e12), Change: big.NewInt(2e12), PerDay: new(1e12)}, {Name: "power cycles", Before: big.NewInt(7), After: big.NewInt(9), Change: big.NewInt(2)}},
		Levels:   []compare.Level{{Name: "temperature", Unit: "°C", Before: 40, After: 38, Change: -2}}, Facts: []string{"it wrote 2 TB"}, Changes: []compare.Change{{What: "firmware", Before: "E2010480", After: "E2010650"}},
		Rates: compare.Rates{BytesWrittenPerDay: new(1e12), PowerCyclesPerDay: new(1.0), PoweredPercent: new(50.0), UsedPercentPerYear: &[2]float64{0, 3}, RatedPercentPerYear: new(2.1), Assumption: "that all goes on"},
		QD1:   &compare.QD1{BeforeUS: 12, AfterUS: 12.6, ChangePercent: new(5.0), Note: "one run a side says little"}}
}

func TestDeltas(t *testing.T) {
	x := deltasOf()
	deltas := func() string {
		text := written(t, func(w io.Writer) error { return Deltas(w, x) })
		wellMade(t, text)
		return text
	}
	has(t, deltas(), "Two reports of INTEL", "serial SERIAL0001 · 2026-01-02 03:04:05 UTC → 2026-01-04 03:04:05 UTC · 48\u00a0h apart", "It wrote 2 TB.", "firmware", "E2010480", "E2010650", "bytes written", "1\u00a0TB", "3\u00a0TB", "2\u00a0TB", "1\u00a0TB</td>", "power cycles", ">7<", ">9<",
		"temperature", "40\u00a0°C", "−2\u00a0°C", "Rates", "1\u00a0TB a day", "50\u00a0% of the time", "0\u00a0% to 3\u00a0% a year", "2.1\u00a0% of the rated endurance a year", "That all goes on.", "12\u00a0µs", "12.6\u00a0µs", "&#43;5\u00a0%", "One run a side says little.")
	x.WentBackwards, x.NewWarnings = []string{"power cycles"}, []string{"read-only"}
	has(t, deltas(), `<header class="bad">`, "Counters went backwards, which they never should: power cycles.", "New critical warnings: read-only.")
	x.Refused = new("they are of two drives")
	text := deltas()
	has(t, text, `<header class="warn">`, "<h1>NOT COMPARED</h1>", "They are of two drives.")
	lacks(t, text, "<table")
}
