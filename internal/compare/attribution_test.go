package compare

import (
	"strings"
	"testing"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/report"
)

// working sets the processor's time for each operation in all runs.
func working(r *report.BenchReport, us float64) *report.BenchReport {
	for i := range r.Results {
		r.Results[i].CPUPerOp = new(us)
	}
	return r
}

// withControl adds a row of an engine that never reaches a drive.
func withControl(r *report.BenchReport, us float64) *report.BenchReport {
	j := qd1()
	j.Engine = bench.EngineNull
	r.Rows = append(r.Rows, report.BenchRow{Label: "null", Job: j})
	for i, f := range six(us) {
		r.Results = append(r.Results, f.result(len(r.Rows)-1, i+1))
	}
	return r
}

func TestAttribution(t *testing.T) {
	asleep := func(r *report.BenchReport) *report.BenchReport {
		for i := range r.Results {
			r.Results[i].CPULatencyHeld = false
		}
		return r
	}
	tests := []struct {
		name          string
		before, after *report.BenchReport
		change        func(b, a *report.BenchReport)
		want          Origin
		text          string
	}{
		{name: "the drive", before: working(made(six(100)), 3), after: working(made(six(110)), 3.1), want: FromDrive, text: "the processor's own time did not change with it"},
		{name: "the processor", before: working(made(six(10)), 3), after: working(made(six(12)), 4.8), want: FromHost, text: "the processor's own time makes 90 % of the change"},
		{name: "both", before: working(made(six(10)), 3), after: working(made(six(12)), 3.7), want: CannotTell, text: "is a part of it"},
		{name: "faster by the drive", before: working(made(six(110)), 3), after: working(made(six(100)), 3), want: FromDrive, text: "more likely the drive"},
		{name: "no processor time", before: made(six(100)), after: made(six(110)), want: CannotTell, text: "without the processor's time"},
		{name: "polling", before: working(made(six(10)), 9.9), after: working(made(six(12)), 11.9), want: CannotTell, text: "with polling"},
		{name: "CPUs that sleep", before: asleep(working(made(six(100)), 3)), after: working(made(six(110)), 3), want: CannotTell, text: "were not kept awake"},
		{name: "more than any sleep", before: asleep(working(made(six(1000)), 3)), after: working(made(six(2000)), 3), want: FromDrive, text: "more likely the drive"},
		{name: "a control that moved", before: withControl(working(made(six(100)), 3), 1), after: withControl(working(made(six(110)), 3), 2), want: FromHost, text: "null, which never reaches the drive, changed"},
		{
			name: "a control that moved the other way", before: withControl(working(made(six(100)), 3), 2), after: withControl(working(made(six(110)), 3), 1),
			want: FromDrive, text: "more likely the drive",
		},
		{
			name: "the program itself", before: working(made(six(10)), 3), after: working(made(six(12)), 3),
			change: func(b, a *report.BenchReport) { b.SelfUS, a.SelfUS = new(1.0), new(2.5) }, want: FromHost, text: "the program's own share",
		},
		{
			name: "a condition of the host", before: working(made(six(100)), 3), after: working(made(six(110)), 3),
			change: func(_, a *report.BenchReport) {
				a.Conditions.ClockSource, a.Conditions.Microcode = new("hpet"), new("2")
			}, want: FromDrive, text: "more likely",
		},
		{
			name: "conditions of both hosts", before: working(made(six(100)), 3), after: working(made(six(110)), 3),
			change: func(b, a *report.BenchReport) {
				b.Conditions.ClockSource, a.Conditions.ClockSource = new("tsc"), new("hpet")
			},
			want: CannotTell, text: "but clock source differs",
		},
		{
			name: "the firmware, on purpose", before: working(made(six(100)), 3), after: working(made(six(110)), 3),
			change: func(_, a *report.BenchReport) { a.Conditions.Subject.Firmware = "2" }, want: FromDrive, text: "more likely the drive",
		},
		{
			name: "several in flight", before: working(made(six(100)), 3), after: working(made(six(110)), 3),
			change: func(b, a *report.BenchReport) { b.Rows[0].Job.QueueDepth, a.Rows[0].Job.QueueDepth = 4, 4 },
			want:   CannotTell, text: "several operations in flight",
		},
	}
	for _, tt := range tests {
		if tt.change != nil {
			tt.change(tt.before, tt.after)
		}
		c := Bench(one(tt.before), one(tt.after), Options{Changed: []string{"firmware"}})
		if len(c.Attributions) != 1 {
			t.Errorf("%s: %d attributions, %s", tt.name, len(c.Attributions), c.Summary)
			continue
		}
		if a := c.Attributions[0]; a.Origin != tt.want || !strings.Contains(a.Text, tt.text) || a.Label != "row A" {
			t.Errorf("%s: got %s, %q, want %s, %q", tt.name, a.Origin, a.Text, tt.want, tt.text)
		}
	}
}

func TestAttributionFacts(t *testing.T) {
	b, a := withControl(working(made(six(100)), 3), 1), withControl(working(made(six(110)), 3.2), 1)
	b.SelfUS, a.SelfUS = new(1.0), new(1.1)
	got := Bench(one(b), one(a), Options{}).Attributions[0]
	want := []string{
		"an operation takes +10.00 µs in the mean, of which the processor works +0.20 µs",
		"the program's own share of an operation, measured without a drive, changed by +0.10 µs",
		"null, which never reaches the drive, did not change",
	}
	if strings.Join(got.Facts, "\n") != strings.Join(want, "\n") {
		t.Errorf("facts are\n%s\nwant\n%s", strings.Join(got.Facts, "\n"), strings.Join(want, "\n"))
	}
	if *got.CPUChangeUS != 0.2 || *got.SelfChangeUS != 0.1 || *got.LatencyChangeUS < 9.9 {
		t.Errorf("got %+v", got)
	}
}

// TestNothingToExplain: what did not change needs no explanation, and a control
// is no drive.
func TestNothingToExplain(t *testing.T) {
	b, a := withControl(working(made(six(100)), 3), 1), withControl(working(made(six(100)), 3), 2)
	if c := Bench(one(b), one(a), Options{}); len(c.Attributions) != 0 {
		t.Errorf("attributions %+v", c.Attributions)
	}
}
