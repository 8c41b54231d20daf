package compare

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/report"
)

func load1(t *testing.T, name string) []*report.BenchReport {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	r := new(report.BenchReport)
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	return one(r)
}

// TestPublishedTable is a table of a 900P before and after aging that was
// published with one run a side: nothing follows from it, whatever the size of
// the change, and the 4 KiB writes are not those of a 900P.
func TestPublishedTable(t *testing.T) {
	c := Bench(load1(t, "table-before.json"), load1(t, "table-after.json"), Options{})
	if c.Overall != Unknown || c.Summary != "not enough runs to tell in 8 figures: 1 before and 1 after, and it takes about 6 a side" {
		t.Errorf("answer is %s, %q", c.Overall, c.Summary)
	}
	change := map[string]float64{
		"SEQ1M Q8T1 read": 7.3, "SEQ1M Q1T1 read": 7.7, "RND4K Q64T1 read": 0, "RND4K Q1T1 read": -0.5,
		"SEQ1M Q8T1 write": 11.6, "SEQ1M Q1T1 write": 13.3, "RND4K Q64T1 write": 58.5, "RND4K Q1T1 write": 46,
	}
	if len(c.Rows) != len(change) {
		t.Errorf("%d rows, want %d", len(c.Rows), len(change))
	}
	for _, r := range c.Rows {
		if *r.Verdict != NotEnoughRuns || !strings.HasPrefix(r.Reason, "1 run before and 1 after: how much the figure differs from run to run by itself is not known; it takes at least 6 runs") {
			t.Errorf("%s: %s, %q", r.Label, *r.Verdict, r.Reason)
		}
		if d := *r.ChangePercent - change[r.Label]; d < -0.06 || d > 0.06 {
			t.Errorf("%s: change %v %%, want %v", r.Label, *r.ChangePercent, change[r.Label])
		}
		if r.CI95Percent != nil || r.DetectablePercent != nil || r.NoisePercent != nil || *r.P != 1 || *r.RunsNeeded != 6 {
			t.Errorf("%s knows too much: %+v", r.Label, r)
		}
	}
}

func TestPublishedTableIsDoubtful(t *testing.T) {
	c := Bench(load1(t, "table-before.json"), load1(t, "table-after.json"), Options{})
	var got []string
	for _, d := range c.Doubts {
		got = append(got, d.Side+" "+d.Label+" "+d.Rule)
	}
	want := []string{
		"before RND4K Q64T1 read depth-without-gain",
		"before RND4K Q1T1 read rated",
		"before RND4K Q64T1 write rated",
		"before RND4K Q64T1 write depth-without-gain",
		"before RND4K Q1T1 write rated-latency",
		"after RND4K Q64T1 read depth-without-gain",
		"after RND4K Q1T1 read rated",
		"after RND4K Q64T1 write rated",
		"after RND4K Q64T1 write depth-without-gain",
		"after RND4K Q1T1 write rated-latency",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("doubts (-want +got):\n%s", diff)
	}
	i := slices.IndexFunc(c.Doubts, func(d Doubt) bool { return d.Label == "RND4K Q64T1 write" && d.Rule == RuleRated })
	d := c.Doubts[i]
	if d.Rated.Plausibility != profile.HostLimited || d.Rated.Rated != 500000 || !strings.HasPrefix(d.Text, "10 010 IOPS, 2 % of the speed of the rated 500 000 IOPS: the set-up") {
		t.Errorf("doubt is %+v, %+v", d, d.Rated)
	}
	for _, r := range c.Rows {
		if want := strings.HasPrefix(r.Label, "RND4K"); r.Doubtful != want {
			t.Errorf("%s is doubtful: %t, want %t", r.Label, r.Doubtful, want)
		}
	}
}

// TestNoDoubt: an honest drive is not doubted, nor is one that nobody knows.
func TestNoDoubt(t *testing.T) {
	deepRow := func(r *report.BenchReport, iops float64) *report.BenchReport {
		j := qd1()
		j.QueueDepth = 32
		r.Rows = append(r.Rows, report.BenchRow{Label: "deep", Job: j})
		r.Results = append(r.Results, figures{iops: iops, p50: 100}.result(1, 1))
		return r
	}
	for _, model := range []string{"INTEL SSDPED1D280GA", "unknown"} {
		r := deepRow(made(six(12)), 540000)
		r.Drive.Model = model
		if c := Bench(one(r), one(r), Options{}); len(c.Doubts) != 0 {
			t.Errorf("%s: doubts %+v", model, c.Doubts)
		}
	}
	r := deepRow(made(six(100)), 10100)
	if c := Bench(one(r), one(r), Options{}); len(c.Doubts) != 2 || c.Doubts[0].Rule != RuleDepth || c.Doubts[0].Rated != nil {
		t.Errorf("a queue without effect: %+v", c.Doubts)
	}
	r.Rows[1].Job.Engine = "null"
	if c := Bench(one(r), one(r), Options{}); len(c.Doubts) != 0 {
		t.Errorf("an engine without a drive is doubted: %+v", c.Doubts)
	}
}
