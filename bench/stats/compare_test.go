package stats

import (
	"encoding/json"
	"math"
	"testing"
)

func TestJudge(t *testing.T) {
	at := func(low, high float64) *Interval { return &Interval{Low: low, High: high, Coverage: 0.95} }
	tests := []struct {
		name   string
		change *Interval
		margin float64
		d      Direction
		want   Verdict
	}{
		{"latency up", at(3, 5), 2, LowerIsBetter, Worse},
		{"latency down", at(-5, -3), 2, LowerIsBetter, Better},
		{"rate up", at(3, 5), 2, HigherIsBetter, Better},
		{"rate down", at(-5, -3), 2, HigherIsBetter, Worse},
		{"inside the margin", at(-1, 1), 2, LowerIsBetter, NoChange},
		{"real but inside the margin", at(0.5, 1.5), 2, LowerIsBetter, NoChange},
		{"on the margin", at(-2, 2), 2, LowerIsBetter, NoChange},
		{"real and across the margin", at(0.5, 4), 2, LowerIsBetter, Worse},
		{"across 0 and the margin", at(-1, 4), 2, LowerIsBetter, NotEnoughRuns},
		{"touches 0", at(0, 4), 2, LowerIsBetter, NotEnoughRuns},
		{"no margin, no change", at(0, 0), 0, LowerIsBetter, NoChange},
		{"no margin", at(-1, 1), 0, LowerIsBetter, NotEnoughRuns},
		{"no interval", nil, 2, LowerIsBetter, NotEnoughRuns},
	}
	for _, tt := range tests {
		if got := Judge(tt.change, tt.margin, tt.d); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCompare(t *testing.T) {
	before := []float64{13.7, 13.8, 13.6, 13.7, 13.9, 13.75}
	after := []float64{15.1, 15.2, 15.0, 15.1, 15.25, 15.15}
	got := Compare(before, after, Question{MarginPercent: 2})
	if got.Verdict != Worse || got.ChangePercent == nil || !near(*got.ChangePercent, 10.2, 0.3) {
		t.Errorf("Compare = %+v, want worse by about 10 %%", got)
	}
	if got.ChangeCI == nil || !got.ChangeCI.Contains(*got.ChangePercent) || got.ChangeCI.Low < 8 || got.ChangeCI.High > 12 {
		t.Errorf("interval of the change = %+v", got.ChangeCI)
	}
	if !near(got.Test.P, LeastP(6, 6), 1e-12) || got.PHolm != nil || got.Before.N != 6 || got.After.Median < got.Before.Median {
		t.Errorf("Compare = %+v", got)
	}
	if got.DetectablePercent == nil || !near(*got.DetectablePercent, 1.4, 0.5) || got.Effect == nil || *got.Effect < 10 {
		t.Errorf("detectable %v, effect %v", got.DetectablePercent, got.Effect)
	}
	if rate := Compare(before, after, Question{Direction: HigherIsBetter, MarginPercent: 2}); rate.Verdict != Better {
		t.Errorf("as a rate: %q, want better", rate.Verdict)
	}
}

func TestCompareTooLittle(t *testing.T) {
	if got := Compare(nil, []float64{1}, Question{}); got != nil {
		t.Errorf("an empty side: %+v, want nil", got)
	}
	one := Compare([]float64{11.9}, []float64{13.7}, Question{MarginPercent: 2})
	if one.Verdict != NotEnoughRuns || one.ChangeCI != nil || one.DetectablePercent != nil || one.ChangePercent == nil || !near(*one.ChangePercent, 15.126, 0.01) {
		t.Errorf("one run a side: %+v, want not enough runs", one)
	}
	three := Compare([]float64{1, 1.01, 1.02}, []float64{2, 2.01, 2.02}, Question{MarginPercent: 2})
	if three.Verdict != NotEnoughRuns || !near(three.Test.P, 0.1, 1e-12) {
		t.Errorf("three runs a side: %+v, want not enough runs", three)
	}
	zero := Compare([]float64{0, 0, 0, 0}, []float64{1, 2, 3, 4}, Question{})
	if zero.Verdict != NotEnoughRuns || zero.ChangePercent != nil || zero.Test.P > 0.05 {
		t.Errorf("zeros: %+v, want no change in percent", zero)
	}
	same := Compare([]float64{5, 5, 5, 5}, []float64{5, 5, 5, 5}, Question{MarginPercent: 1})
	if same.Verdict != NoChange || same.Effect != nil {
		t.Errorf("equal values: %+v, want no change", same)
	}
}

// TestCompareJSON: every comparison of real figures can be written down.
func TestCompareJSON(t *testing.T) {
	for _, x := range [][]float64{{1}, {0}, {0, 0}, {-1, 1}, {1e9, 1e9}, {1e-9, 1, 1e9, 2}} {
		for _, y := range [][]float64{{1}, {0, 0, 0, 0}, {1, 2, 3, 4}} {
			c := Compare(x, y, Question{})
			if _, err := json.Marshal(c); err != nil {
				t.Errorf("%v and %v: %v", x, y, err)
			}
		}
	}
}

func TestCorrect(t *testing.T) {
	row := func(shift float64, n int) *Comparison {
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i], b[i] = 100+float64(i), 100+shift+float64(i)
		}
		return Compare(a, b, Question{MarginPercent: 1})
	}
	six := []*Comparison{row(50, 5), row(50, 5), row(50, 5), nil, row(50, 5), row(50, 5), row(50, 5)}
	Correct(six, 0.05)
	for i, c := range six {
		if c != nil && (c.Verdict != Worse || !near(*c.PHolm, 6*2.0/252, 1e-9)) {
			t.Errorf("row %d of 6: %q, corrected P %v", i, c.Verdict, *c.PHolm)
		}
	}
	var many []*Comparison
	for range 7 {
		many = append(many, row(50, 5))
	}
	many = append(many, row(0, 5), row(0, 5))
	Correct(many, 0.05)
	if many[0].Verdict != NotEnoughRuns || *many[0].PHolm <= 0.05 {
		t.Errorf("5 runs among 9 rows: %q, corrected P %v, want not enough runs", many[0].Verdict, *many[0].PHolm)
	}
	if many[8].Verdict != NotEnoughRuns || *many[8].PHolm != 1 {
		t.Errorf("no change: %q, corrected P %v", many[8].Verdict, *many[8].PHolm)
	}
	Correct(nil, 0.05)
}

func TestEquivalent(t *testing.T) {
	if Equivalent(nil, 1) || !Equivalent(&Interval{Low: -1, High: 1}, 1) || Equivalent(&Interval{Low: -1.1, High: 1}, 1) {
		t.Error("Equivalent does not say whether the interval lies inside the margin")
	}
	if Equivalent(&Interval{Low: math.NaN(), High: math.NaN()}, 1) {
		t.Error("an interval of NaN is equivalent")
	}
}
