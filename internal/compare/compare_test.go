package compare

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/report"
)

// TestWorse: a delay of a tenth more is found, with its size, and nothing else
// is named.
func TestWorse(t *testing.T) {
	c := Bench(one(made(six(100))), one(made(six(111))), Options{})
	if diff := cmp.Diff([]Verdict{Worse, Worse, Worse, Worse}, verdicts(c)); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	if len(c.Differences) != 0 || len(c.BlockedBy) != 0 || len(c.OneSided) != 0 || len(c.Warnings) != 0 {
		t.Errorf("something else is named: %+v", c)
	}
	r := find(t, c, "row A", "latency_p50")
	if v := *r.ChangePercent; v < 10.9 || v > 11.1 {
		t.Errorf("change %v %%, want 11", v)
	}
	if r.CI95Percent[0] > 11 || r.CI95Percent[1] < 11 || *r.PHolm > 0.05 || *r.P > *r.PHolm || r.RunsNeeded != nil {
		t.Errorf("row is %+v", r)
	}
	if c.Overall != AllWorse || !strings.HasPrefix(c.Summary, "worse: row A IOPS -9.91 %, row A p50 +11.0 %") {
		t.Errorf("answer is %s, %q", c.Overall, c.Summary)
	}
}

func TestOverall(t *testing.T) {
	noisy := steady(100, 0, 900, -700, 500, -900, 100)
	tests := []struct {
		name          string
		before, after *report.BenchReport
		overall       Overall
		summary       string
	}{
		{"better", made(six(111)), made(six(100)), AllBetter, "better: row A IOPS"},
		{"mixed", made(six(100), six(100)), made(six(111), six(90)), Mixed, "better: row B IOPS +11.1 %, row B p50 -10.0 %"},
		{"none", made(six(100)), made(six(100)), Unchanged, "no change of 2 % or more"},
		{"noise", made(noisy), made(noisy), Unknown, "not enough runs to tell in 2 figures: 6 before and 6 after, and it takes about"},
		{"one run", made(steady(100, 0)), made(steady(120, 0)), Unknown, "not enough runs to tell in 2 figures: 1 before and 1 after, and it takes about 6 a side"},
		{"nothing", made(), made(six(1)), NotComparable, "there is no workload that both sides have"},
	}
	for _, tt := range tests {
		c := Bench(one(tt.before), one(tt.after), Options{})
		if c.Overall != tt.overall || !strings.HasPrefix(c.Summary, tt.summary) {
			t.Errorf("%s: got %s, %q, want %s, %q", tt.name, c.Overall, c.Summary, tt.overall, tt.summary)
		}
	}
}

func TestNoReports(t *testing.T) {
	c := Bench(nil, []*report.BenchReport{nil}, Options{})
	if c.Overall != NotComparable || c.Before.Results != 0 || c.After.Results != 0 {
		t.Errorf("got %+v", c)
	}
}

// TestDirection: more operations a second are better, more µs are worse.
func TestDirection(t *testing.T) {
	j := qd1()
	j.Pattern = bench.Sequential
	b, a := made(six(100)), made(six(90))
	b.Rows[0].Job, a.Rows[0].Job = j, j
	c := Bench(one(b), one(a), Options{})
	r := find(t, c, "row A", "mb_per_s")
	if *r.Verdict != Better || r.Better != "higher" || r.Unit != "MB/s" || *r.ChangePercent < 11 {
		t.Errorf("rate: %+v", r)
	}
	if r := find(t, c, "row A", "latency_p99"); *r.Verdict != Better || r.Better != "lower" || !r.Secondary || *r.ChangePercent > -9 {
		t.Errorf("tail: %+v", r)
	}
}

// TestPaced: what is paced has no rate of its own.
func TestPaced(t *testing.T) {
	b, a := made(six(100)), made(six(100))
	b.Rows[0].Job.Rate, a.Rows[0].Job.Rate = 1000, 1000
	for _, r := range Bench(one(b), one(a), Options{}).Rows {
		if r.Metric == "iops" {
			t.Errorf("the rate is compared: %+v", r)
		}
	}
}

// TestMatching: rows are matched by label, runs of several results are put
// together, and runs that were cut short are left out.
func TestMatching(t *testing.T) {
	first, second, other := made(six(100)[:4], six(50)), made(six(100)[4:]), made(six(100))
	second.Results[1].Partial = true
	other.Rows = append(other.Rows, report.BenchRow{Label: "row Z", Job: qd1()}, report.BenchRow{Label: "row A", Job: qd1()})
	other.Results = append(other.Results, single(7).result(1, 1), single(8).result(2, 1), single(9).result(99, 1))
	c := Bench([]*report.BenchReport{first, second}, one(other), Options{})
	r := find(t, c, "row A", "iops")
	if r.Before.N != 5 || r.After.N != 6 {
		t.Errorf("%d runs before and %d after, want 5 and 6", r.Before.N, r.After.N)
	}
	want := []OneSided{
		{"row B", "before", "there is no such row after"},
		{"row Z", "after", "there is no such row before"},
		{"row A", "after", "there is no such row before"},
	}
	if diff := cmp.Diff(want, c.OneSided); diff != "" {
		t.Errorf("one-sided (-want +got):\n%s", diff)
	}
	if want := []string{"before, row A: left out 1 run that did not go to the end"}; !slices.Equal(c.Warnings, want) {
		t.Errorf("warnings %q, want %q", c.Warnings, want)
	}
}

// TestControlRows: a row that repeats another one is no workload of its own, and
// takes nothing from what the others can show.
func TestControlRows(t *testing.T) {
	controlled := func() *report.BenchReport {
		r := made(six(100))
		r.Rows = append(r.Rows, report.BenchRow{Label: "row A, again", Job: qd1(), ControlOf: new(0)})
		r.Results = append(r.Results, single(9).result(1, 1))
		return r
	}
	got, want := Bench(one(controlled()), one(controlled()), Options{}), Bench(one(made(six(100))), one(made(six(100))), Options{})
	if diff := cmp.Diff(want.Rows, got.Rows, cmpopts.IgnoreUnexported(Row{})); diff != "" || len(got.OneSided) > 0 {
		t.Errorf("one-sided %v; rows (-want +got):\n%s", got.OneSided, diff)
	}
}

// TestOrderInTime: who names the newer results first is told.
func TestOrderInTime(t *testing.T) {
	at := func(when string) []*report.BenchReport {
		r := made(six(100))
		r.Time = when
		return one(r)
	}
	const early, late = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
	for _, tt := range []struct {
		before, after string
		want          bool
	}{{early, late, false}, {late, early, true}, {early, early, false}, {"", early, false}} {
		c := Bench(at(tt.before), at(tt.after), Options{})
		if got := slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.Contains(w, "other way round") }); got != tt.want {
			t.Errorf("before %q, after %q: warned %v, want %v", tt.before, tt.after, got, tt.want)
		}
	}
}

func TestCutShort(t *testing.T) {
	cut := func(r *report.BenchReport) *report.BenchReport {
		for i := range r.Results {
			r.Results[i].Partial = true
		}
		return r
	}
	tests := []struct {
		before, after *report.BenchReport
		want          OneSided
	}{
		{made(six(1)), cut(made(six(1))), OneSided{"row A", "before", "no run after went to its end"}},
		{cut(made(six(1))), made(six(1)), OneSided{"row A", "after", "no run before went to its end"}},
		{cut(made(six(1))), cut(made(six(1))), OneSided{"row A", "before", "no run of either side went to its end"}},
	}
	for _, tt := range tests {
		c := Bench(one(tt.before), one(tt.after), Options{})
		if diff := cmp.Diff([]OneSided{tt.want}, c.OneSided); diff != "" || len(c.Rows) != 0 {
			t.Errorf("%d rows; one-sided (-want +got):\n%s", len(c.Rows), diff)
		}
	}
}

// TestMissingTails: a percentile that a run does not have is no row.
func TestMissingTails(t *testing.T) {
	b := six(100)
	b[2].p999 = 0
	c := Bench(one(made(b)), one(made(six(100))), Options{})
	var got []string
	for _, r := range c.Rows {
		got = append(got, r.Metric)
	}
	if want := []string{"iops", "latency_p50", "latency_p99"}; !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

func TestWarnings(t *testing.T) {
	b, a := made(six(100)), made(six(100))
	b.Warnings = []string{"the target is small"}
	b.Results[0].Errors = 2
	b.Results[1].BlankPercent = new(30.0)
	disturb(b, 0, 1)
	c := Bench(one(b), one(a), Options{})
	want := []string{
		"before: the target is small",
		"before, row A: 2 of 6 runs were disturbed by other I/O",
		"before, row A: 1 of 6 runs read more than 1 % zeros, which may not have touched the medium",
		"before, row A: 1 of 6 runs had errors",
	}
	if diff := cmp.Diff(want, c.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// TestDescribe says what the sides are.
func TestDescribe(t *testing.T) {
	b, b2 := made(six(100)), made(six(100))
	b.Label, b2.Label, b2.Time, b2.Simulated = new("fresh"), new("fresh"), "2026-01-02T02:00:00Z", true
	a := made(six(100))
	a.Drive, a.Target.Name = nil, "/tmp/file"
	c := Bench([]*report.BenchReport{b, b2}, one(a), Options{})
	want := Side{[]string{"fresh"}, 2, "2026-01-02T02:00:00Z", "2026-01-02T03:04:05Z", "A1", "M", "1", "/dev/nvme0n1", true}
	if diff := cmp.Diff(want, c.Before); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	if c.After.Target != "/tmp/file" || c.After.Model != "" || c.After.Serial != "A1" {
		t.Errorf("after is %+v", c.After)
	}
}

// TestJSON holds the keys that other programs rely on.
func TestJSON(t *testing.T) {
	b, a := made(six(100)), made(six(111))
	a.Conditions.Kernel = new("6.18")
	c := Bench(one(b), one(a), Options{Changed: []string{"kernel"}})
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema      string
		Differences []map[string]any
		Rows        []map[string]any
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != "qd1.compare/1" || len(got.Differences) != 1 {
		t.Fatalf("got %s", text)
	}
	for _, key := range []string{"what", "before", "after", "severity"} {
		if got.Differences[0][key] == nil {
			t.Errorf("a difference has no %s: %s", key, text)
		}
	}
	for _, key := range []string{"metric", "unit", "before", "after", "change_percent", "ci95_percent", "p", "p_holm", "verdict", "detectable_percent"} {
		if got.Rows[0][key] == nil {
			t.Errorf("a row has no %s: %s", key, text)
		}
	}
	if got.Rows[0]["blocked_by"] == nil {
		t.Errorf("a row has no list of what blocks it: %s", text)
	}
	if side := got.Rows[0]["before"].(map[string]any); side["n"] != 6.0 || side["median"] == nil {
		t.Errorf("a side is %v", side)
	}
	for _, list := range []string{`"one_sided":[]`, `"doubts":[]`, `"ladders":[]`, `"warnings":[]`, `"blocked_by":[]`, `"reason":"between `} {
		if !strings.Contains(string(text), list) {
			t.Errorf("%s is missing in %s", list, text)
		}
	}
}
