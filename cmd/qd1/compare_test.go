package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/report"
)

// storeOf makes an empty store that commands of this test use.
func storeOf(t *testing.T) *record.Store {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	in := &invocation{env: &env{now: time.Now}}
	s, err := in.store()
	if err != nil || !strings.HasPrefix(s.Dir(), dir) {
		t.Fatalf("the store is %v, %v", s, err)
	}
	return s
}

// benchBody is a benchmark of a drive with two runs around a median in µs.
func benchBody(serial string, us float64) *report.BenchReport {
	r := &report.BenchReport{Schema: report.BenchSchema, Time: "2026-01-02T03:04:05Z", Drive: &report.Identity{Serial: serial, Model: "M"}}
	r.Conditions.Subject.Serial = serial
	r.Rows = []report.BenchRow{{Label: "RND4K Q1T1 read", Job: bench.QD1Read(1)}}
	for run := range 2 {
		x := report.BenchResult{Run: run + 1}
		x.IOPS = 1e6/us + float64(run)
		r.Results = append(r.Results, x)
	}
	return r
}

// kept saves a result.
func kept(t *testing.T, s *record.Store, kind, label, serial string, body any) string {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Record{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Kind: kind, Label: label, Subject: record.Subject{Serial: serial, Model: "M"}, Body: raw}
	if _, err := s.Save(r); err != nil {
		t.Fatal(err)
	}
	return r.ID
}

// TestCompareRecords compares records by label, by identifier and by its
// beginning; a label is a set.
func TestCompareRecords(t *testing.T) {
	s := storeOf(t)
	for i := range 4 {
		kept(t, s, "bench", "fresh", "DRIVE0001", benchBody("DRIVE0001", 12+0.01*float64(i)))
		kept(t, s, "bench", "aged", "DRIVE0001", benchBody("DRIVE0001", 13.2+0.01*float64(i)))
	}
	kept(t, s, "bench", "aged", "DRIVE0002", benchBody("DRIVE0002", 20))
	single := kept(t, s, "bench", "", "DRIVE0001", benchBody("DRIVE0001", 12))
	for _, args := range [][]string{{"fresh", "aged", "--drive", "DRIVE0001"}, {"--drive", "0001", "fresh", "aged"}} {
		status, out, msg := run(t.Context(), append([]string{"compare", "--format", "json"}, args...)...)
		var c compare.Comparison
		if err := json.Unmarshal([]byte(out), &c); status != exitDone || err != nil || msg != "" {
			t.Fatalf("%v: status %d, %v, %s", args, status, err, msg)
		}
		if c.Overall != compare.AllWorse || c.Before.Results != 4 || c.Rows[0].After.N != 8 || !slices.Equal(c.Before.Labels, []string{"fresh"}) || !slices.Equal(c.After.Labels, []string{"aged"}) {
			t.Errorf("%v: got %s, %+v", args, c.Overall, c.Before)
		}
	}
	for _, args := range [][]string{{single, "fresh"}, {single[:len(single)-2], "fresh"}, {"fresh", single}} {
		if status, out, msg := run(t.Context(), append([]string{"compare"}, args...)...); status != exitDone || !strings.Contains(out, "serial DRIVE0001") {
			t.Errorf("%v: status %d, %s%s", args, status, out, msg)
		}
	}
}

// TestCompareRefuses: what cannot be compared is an error that says which is
// which, and the next step.
func TestCompareRefuses(t *testing.T) {
	s := storeOf(t)
	id := kept(t, s, "bench", "fresh", "DRIVE0001", benchBody("DRIVE0001", 12))
	kept(t, s, "bench", "aged", "DRIVE0001", benchBody("DRIVE0001", 13))
	kept(t, s, "bench", "aged", "DRIVE0002", benchBody("DRIVE0002", 20))
	erased := kept(t, s, "erase", "gone", "DRIVE0001", map[string]string{"schema": "qd1.erase/1"})
	bare := kept(t, s, "launch", "", "DRIVE0001", map[string]int{"a": 1})
	bad := kept(t, s, "bench", "", "DRIVE0001", map[string]any{"schema": "qd1.bench/1", "rows": 1})
	kept(t, s, "report", "fresh", "DRIVE0003", &report.Report{Schema: report.Schema})
	tests := []struct{ args, says, hint string }{
		{"fresh aged --drive DRIVE0009", `no record, label or file is named "fresh"; there are no records yet`, "qd1 history"},
		{id + " aged", `the label "aged" belongs to several drives, choose one of them: DRIVE000`, "--drive SERIAL"},
		{id + " agde", `did you mean "aged"?; labels: aged, fresh, gone`, "qd1 history"},
		{id + " " + id[:4], "is ambiguous", "write more of it"},
		{id + " gone", "gone is a record of an erase: " + erased + " is a record of an erase", "benchmarks and reports can be compared"},
		{erased + "," + bare + " " + id, erased + " is a record of an erase, " + bare + " is a record of a launch", "--kind bench"},
		{bare + " " + bare, bare + " is a record of a launch", "benchmarks and reports can be compared"},
		{bad + " " + id, bad + ": json: cannot unmarshal", "cut"},
		{id + " " + bad, bad + ": json: cannot unmarshal", "cut"},
		{id + " " + id, id + " is on both sides", "other results"},
	}
	for _, tt := range tests {
		status, out, msg := run(t.Context(), append([]string{"compare"}, strings.Fields(tt.args)...)...)
		if status != exitFailed || out != "" || !strings.Contains(msg, tt.says) || !strings.Contains(msg, tt.hint) {
			t.Errorf("%s: status %d, want %q, %q, got %s", tt.args, status, tt.says, tt.hint, msg)
		}
	}
}

// TestOfOneKind: --kind takes one kind where a label has several.
func TestOfOneKind(t *testing.T) {
	s := storeOf(t)
	for _, label := range []string{"fresh", "aged"} {
		kept(t, s, "bench", label, "DRIVE0001", benchBody("DRIVE0001", 12))
		kept(t, s, "report", label, "DRIVE0001", &report.Report{Schema: report.Schema})
	}
	if status, _, msg := run(t.Context(), "compare", "fresh", "aged"); status != exitFailed || !strings.Contains(msg, "fresh has results of several kinds") {
		t.Errorf("status %d, %s", status, msg)
	}
	if status, out, msg := run(t.Context(), "compare", "fresh", "aged", "--kind", "bench"); status != exitDone || !strings.Contains(out, "RND4K Q1T1 read") {
		t.Errorf("bench: status %d, %s", status, msg)
	}
	if status, out, _ := run(t.Context(), "compare", "fresh", "aged", "--kind", "report"); status != exitFailed || !strings.HasPrefix(out, "NOT COMPARED") {
		t.Errorf("report: status %d, %s", status, out)
	}
}

func TestGlobbed(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a1.json", "a2.json", "b.json", "odd*.json"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for word, want := range map[string]string{
		"a1.json": "[a1.json]", "a*.json": "[a1.json a2.json]", "label": "[label]", "x*": "[x*]", "a?.json,b.json": "[a1.json a2.json b.json]",
		"odd*.json": "[odd*.json]", "[a": "[[a]", "a1.json,b.json": "[a1.json,b.json]",
	} {
		if got := fmt.Sprint(globbed(word)); got != want {
			t.Errorf("%q: got %s, want %s", word, got, want)
		}
	}
}

func TestChangedNames(t *testing.T) {
	c := &compare.Comparison{}
	for _, what := range []string{"kernel", "kernel parameters", "composite temperature at the start in °C"} {
		c.Differences = append(c.Differences, compare.Difference{Difference: conditions.Difference{What: what}})
	}
	c.Rows = []compare.Row{{BlockedBy: []string{"kernel", "queue depth (1, 4)"}}}
	for list, want := range map[string]string{
		"kernel": "[kernel]", "parameters": "[kernel parameters]", "Temperature, queue depth": "[composite temperature at the start in °C queue depth]",
		"e": "", "kern": "", "governor": "", "kernel,": "",
	} {
		got, err := changedNames(list, c)
		if text := fmt.Sprint(got); (err == nil) != (want != "") || err == nil && text != want {
			t.Errorf("%q: got %s, %v, want %s", list, text, err, want)
		}
	}
}

func TestNearFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "before.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"befor.json": "did you mean " + dir + "/before.json?", "other.txt": "qd1 history", "no/x": "there is no directory " + dir + "/no",
	} {
		if got := nearFile(filepath.Join(dir, name)); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestPublishedTable: a table of a 900P before and after aging, which was published
// with one run a side, typed in as two records.
func TestPublishedTable(t *testing.T) {
	s := storeOf(t)
	for _, label := range []string{"before", "after"} {
		b, err := os.ReadFile("../../internal/compare/testdata/table-" + label + ".json")
		if err != nil {
			t.Fatal(err)
		}
		kept(t, s, "bench", label, "SEED900P00000001", json.RawMessage(b))
	}
	status, out, msg := run(t.Context(), "compare", "before", "after")
	text := strings.Join(strings.Fields(out), " ")
	if status != exitDone || msg != "" {
		t.Fatalf("status %d, %s", status, msg)
	}
	for _, want := range []string{
		"NOT ENOUGH RUNS to tell in 8 figures: 1 before and 1 after, and it takes about 6 a side",
		"1 run before and 1 after: how much the figure differs from run to run by itself is not known",
		"RND4K Q64T1 write 1 run before, 1 after DOUBTFUL, see below IOPS 10 010 15 869 +58.5 %",
		"RND4K Q64T1 write, before 10 010 IOPS, 2 % of the speed of the rated 500 000 IOPS: the set-up was measured and not the drive",
		"RND4K Q1T1 write, after 56.1 µs, 17.8 % of the speed of the rated 10 µs",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if n := strings.Count(text, "not enough runs: 1 and 1, 6 needed"); n != 8 {
		t.Errorf("%d rows have not enough runs, want 8", n)
	}
}
