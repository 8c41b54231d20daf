package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/bench/reference"
	"qd1.example/qd1/internal/protocol"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/report"
)

// simulatedMeasurement measures a simulated drive that is asked for its state as a
// real one is.
func simulatedMeasurement(t *testing.T, ctx context.Context, a arrangement, runs int) (*measurement, *bytes.Buffer) {
	t.Helper()
	d, err := openDrive("sim:optane-905p")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	s, err := report.Begin(ctx, d, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	e := &env{stdout: new(bytes.Buffer), stderr: &stderr, now: time.Now}
	c := cli.NewContext(e.app(), flag.NewFlagSet("", flag.ContinueOnError), nil)
	c.Context = ctx
	job := bench.QD1Read(0.1)
	m := &measurement{
		in: &invocation{Context: c, env: e}, arranged: a, progress: e.startProgress(), report: &report.BenchReport{},
		load:  &workload{profile: &profile.Profile{Runs: runs, Interval: time.Second, Rows: []profile.Row{{Name: "a", Job: job, Pick: profile.PickMedian}}}, sample: time.Millisecond},
		place: &place{BenchTarget: report.BenchTarget{Target: *d.Target}, drive: s},
	}
	if err := m.planRuns(profile.Options{}); err != nil {
		t.Fatal(err)
	}
	return m, &stderr
}

// TestCoolDown reads the temperature of the drive, which has 38 °C or less, and
// waits no longer than it is told.
func TestCoolDown(t *testing.T) {
	m, _ := simulatedMeasurement(t, t.Context(), arrangement{startMax: new(100), settle: time.Minute}, 1)
	m.started = time.Now().Add(-time.Second)
	s, err := m.coolDown(t.Context())
	if err != nil || s.Celsius == nil || *s.Celsius < 20 || *s.Celsius > 60 || s.AtSeconds < 1 {
		t.Fatalf("got %+v, %v", s, err)
	}
	m.arranged = arrangement{startMax: new(*s.Celsius - 1)}
	var x *exitError
	if _, err := m.coolDown(t.Context()); !errors.As(err, &x) || x.status != exitFailed || !strings.Contains(x.hint, "--settle") || !strings.Contains(x.Error(), "is still at") {
		t.Errorf("too hot: %v", err)
	}
	m.arranged.startMax = nil
	if s, err := m.coolDown(t.Context()); err != nil || s.Celsius != nil {
		t.Errorf("without a limit: %+v, %v", s, err)
	}
	if err := m.gateError(t.Context(), protocol.ErrNoTemperature); !errors.As(err, &x) || !strings.Contains(x.hint, "--ambient") {
		t.Errorf("no temperature: %v", err)
	}
	if broken := errors.New("broken"); !errors.Is(m.gateError(t.Context(), broken), broken) {
		t.Error("another error is lost")
	}
}

// TestCoolDownInterrupted ends with the status of Ctrl-C.
func TestCoolDownInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m, _ := simulatedMeasurement(t, ctx, arrangement{startMax: new(1), settle: time.Hour}, 1)
	m.load.sample = 0 // Every 10 s.
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := m.coolDown(ctx); !errors.Is(err, bench.ErrInterrupted) {
		t.Errorf("got %v", err)
	}
}

func TestCheckGate(t *testing.T) {
	m, _ := simulatedMeasurement(t, t.Context(), arrangement{startMax: new(36)}, 1)
	if err := m.checkGate(); err != nil {
		t.Errorf("a drive that can be asked: %v", err)
	}
	m.place.drive = nil
	for kind, want := range map[bench.TargetKind]string{bench.BlockTarget: "cannot be asked", bench.FileTarget: "a file has no temperature", bench.SimulatedTarget: "just switched on"} {
		m.place.Target.Kind = kind
		if err := m.checkGate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", kind, err, want)
		}
	}
	m.arranged.startMax = nil
	if err := m.checkGate(); err != nil {
		t.Errorf("without a limit: %v", err)
	}
}

// TestControlRow is the first row once more, after a pause, and is no workload of
// its own.
func TestControlRow(t *testing.T) {
	m, _ := simulatedMeasurement(t, t.Context(), arrangement{control: true}, 2)
	var got []string
	for _, s := range m.plan.Steps {
		got = append(got, m.plan.Rows[s.Row].SizedLabel+" "+s.Pause.String())
	}
	if diff := cmp.Diff([]string{"a read 0s", "a read 0s", "a read, control 1s", "a read, control 0s"}, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if n := m.workloads(); n != 1 {
		t.Errorf("%d workloads", n)
	}
	if diff := cmp.Diff([]int{0}, m.pilotRows()); diff != "" {
		t.Errorf("pilots (-want +got):\n%s", diff)
	}
	m.arranged.interleave = true
	if err := m.arrange(); err != nil || len(m.report.Turns) != 4 || m.report.Turns[2].Row != 1 {
		t.Errorf("turns %+v, %v", m.report.Turns, err)
	}
}

// TestPilotRows: what writes, waits, is not repeated or reaches no drive has no
// pilot, and four have one at most.
func TestPilotRows(t *testing.T) {
	m, _ := simulatedMeasurement(t, t.Context(), arrangement{}, 2)
	row := m.plan.Rows[0]
	for _, change := range []func(*bench.Job){
		func(j *bench.Job) { j.Op = bench.OpWrite }, func(j *bench.Job) { j.Rate = 1 }, func(j *bench.Job) { j.ThinkTime = 1 }, func(j *bench.Job) { j.Engine = bench.EngineNull },
	} {
		r := row
		change(&r.Job)
		m.plan.Rows[0] = r
		if got := m.pilotRows(); got != nil {
			t.Errorf("%+v has a pilot", r.Job)
		}
	}
	m.plan.Rows[0] = row
	for range 5 {
		old := *m.plan
		m.addRow(&old, 0, row)
	}
	if got := m.pilotRows(); len(got) != mostPilots {
		t.Errorf("%d pilots", len(got))
	}
	m.plan.Steps = m.plan.Steps[:1]
	if got := m.pilotRows(); got != nil {
		t.Errorf("one run has pilots of %v", got)
	}
}

func TestPilotJob(t *testing.T) {
	for _, tt := range []struct{ duration, warmup, want, wantWarmup time.Duration }{
		{30 * time.Second, 2 * time.Second, pilotTime, pilotWarmup}, {0, 0, pilotTime, 0}, {100 * time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, 10 * time.Millisecond},
	} {
		got := pilotJob(bench.Job{Duration: tt.duration, Warmup: tt.warmup, Operations: 7})
		if got.Duration != tt.want || got.Warmup != tt.wantWarmup || got.Operations != 7 {
			t.Errorf("%v: got %+v", tt.duration, got)
		}
	}
}

// TestPilotText names the row only where there are several.
func TestPilotText(t *testing.T) {
	p := &report.PilotRow{Label: "RND4K", Seconds: 0.25, Noise: protocol.Noise{Runs: 5, CVPercent: 0.912, PlannedRuns: 5, DetectablePercent: new(2.3), RunsFor1Percent: new(18)}}
	const want = "with 5 runs a change of 2.3 % or more will be found in 80 % of cases; 1 % needs 18 runs (a pilot of 5 runs of 0.25 s: noise of the median latency 0.91 %)"
	if got := pilotText(p, false); got != want {
		t.Errorf("got %s", got)
	}
	if got := pilotText(p, true); got != "RND4K: "+want {
		t.Errorf("got %s", got)
	}
	p.Metric = "mb_per_s"
	if got := pilotText(p, false); !strings.Contains(got, "noise of the rate 0.91 %") {
		t.Errorf("got %s", got)
	}
}

// driftingRuns are runs of a row that get slower, and of its control that are twice
// as slow.
func driftingRuns(m *measurement) {
	m.report.Rows = []report.BenchRow{{Label: "a", Job: bench.QD1Read(1)}, {Label: "a, control", Job: bench.QD1Read(1)}}
	for run := range 6 {
		for row := range 2 {
			us := float64((10 + run) * (row + 1))
			m.report.Results = append(m.report.Results, report.BenchResult{
				Row: row, Run: run + 1, Start: &protocol.Start{AtSeconds: float64(10 * run)},
				Result: bench.Result{QueueDepth: 1, Workers: 1, Operations: 1, Latency: bench.Latency{P50: &us}},
			})
		}
	}
}

func TestJudgeRuns(t *testing.T) {
	m, _ := simulatedMeasurement(t, t.Context(), arrangement{control: true}, 6)
	driftingRuns(m)
	m.judgeRuns()
	first := m.report.Rows[0]
	if first.Noise == nil || first.Noise.PlannedRuns != 6 || first.Drift == nil || !first.Drift.Found || first.ControlOf != nil {
		t.Errorf("first row: noise %+v, drift %+v", first.Noise, first.Drift)
	}
	c := m.report.Control
	if c == nil || c.Row != 1 || c.Of != 0 || c.Verdict != protocol.Differs || *m.report.Rows[1].ControlOf != 0 {
		t.Fatalf("control %+v", c)
	}
	m.warn()
	m.warnOfControl()
	all := strings.Join(m.report.Warnings, "\n")
	for _, want := range []string{"a: from the first run to the last the figure drifts by +40 % (p = 0.0028)", "a, measured twice, differs by +100 % (p = 0.0022)"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
}

func TestMarkPartial(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	cut := report.BenchResult{Result: bench.Result{Partial: true, Ended: "the drive is gone"}}
	for _, tt := range []struct {
		name    string
		ctx     context.Context
		results []report.BenchResult
		err     error
		partial bool
		ended   string
	}{
		{"whole", t.Context(), make([]report.BenchResult, 1), nil, false, ""},
		{"a run cut short", t.Context(), []report.BenchResult{cut}, nil, true, "the drive is gone"},
		{"interrupted", t.Context(), nil, bench.ErrInterrupted, true, "interrupted"},
		{"interrupted otherwise", over, nil, errors.New("x"), true, "interrupted"},
		{"failed", t.Context(), nil, errors.New("too hot"), true, "too hot"},
	} {
		m, _ := simulatedMeasurement(t, t.Context(), arrangement{}, 1)
		m.in.Context.Context, m.report.Results = tt.ctx, tt.results
		m.markPartial(tt.err)
		if m.report.Partial != tt.partial || m.report.Ended != tt.ended {
			t.Errorf("%s: got %t, %q", tt.name, m.report.Partial, m.report.Ended)
		}
	}
}

func TestOpponents(t *testing.T) {
	o := published("optane p5800x", reference.Lookup("p5800x"))
	if o.against.Name != "Intel Optane P5800X 800 GB, Intel Optane P5800X" {
		t.Errorf("named %q", o.against.Name)
	}
	body := func(b *report.BenchReport) json.RawMessage {
		b.Schema = report.BenchSchema
		raw, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	label := "before"
	drive := &report.Identity{Model: "M", Serial: "S"}
	o, err := recorded("x", []*record.Record{
		{Body: body(&report.BenchReport{Drive: drive, Label: &label})}, {Body: body(&report.BenchReport{Drive: drive, Label: &label})},
		{Body: body(&report.BenchReport{Target: report.BenchTarget{Name: "/file"}})},
	})
	if err != nil || o.against.Name != "M S “before”, /file" || len(o.results) != 3 {
		t.Errorf("got %+v, %v", o, err)
	}
	for _, bad := range []string{`{"schema":"qd1.erase/1"}`, `[]`, `{"schema":"qd1.bench/1","rows":7}`, `{"schema":"qd1.report/1","bench":7}`} {
		if o, err := recorded("x", []*record.Record{{Body: json.RawMessage(bad)}}); err == nil {
			t.Errorf("%s: got %+v", bad, o)
		}
	}
	o, err = recorded("x", []*record.Record{{Body: json.RawMessage(`{"schema":"qd1.report/1","drive":{"model":"M"},"bench":{"qd1_read":null}}`)}})
	if err != nil || len(o.results[0].Rows) != 0 || o.against.Name != "M" {
		t.Errorf("a report without a benchmark: %+v, %v", o, err)
	}
	(*opponent)(nil).beside(&report.BenchReport{})
}
