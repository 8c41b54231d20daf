package render

import (
	"strings"
	"testing"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/report"
)

// TestBenchWarning checks that figures which are not those of the medium say
// so before they are shown.
func TestBenchWarning(t *testing.T) {
	for _, test := range []struct {
		engine string
		blank  *float64
		want   string
	}{
		{bench.EnginePsync, nil, ""},
		{bench.EnginePsync, new(50.0), ""},
		{bench.EnginePsync, new(50.1), "never written"},
		{bench.EngineNull, nil, "nothing was read"},
	} {
		var b strings.Builder
		r := &report.BenchReport{Results: []report.BenchResult{{Result: bench.Result{Engine: test.engine, BlankPercent: test.blank, Name: "RND4K Q1T1"}}}}
		if err := Bench(&b, r, Style{}); err != nil {
			t.Fatal(err)
		}
		warned := strings.Contains(b.String(), "warning")
		if warned != (test.want != "") || !strings.Contains(b.String(), test.want) {
			t.Errorf("%s, blank %v:\n%s", test.engine, test.blank, b.String())
		}
	}
}

// TestBrief checks that the short form is how the long one begins.
func TestBrief(t *testing.T) {
	r := &report.Report{Simulated: true}
	var brief, whole strings.Builder
	if err := Brief(&brief, r, Style{}); err != nil {
		t.Fatal(err)
	}
	if err := Report(&whole, r, Style{}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(whole.String(), brief.String()+"\n") || !strings.Contains(brief.String(), "SIMULATED") {
		t.Errorf("brief:\n%s", brief.String())
	}
}
