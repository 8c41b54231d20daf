package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/firmware"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/report"
)

const (
	// benchRuns is how often a drive is measured before and after.
	benchRuns = 8
	// benchTime is how long each run takes.
	benchTime = 2 * time.Second
)

// firmwareBenchFlags are the flags of a benchmark before and after.
func firmwareBenchFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "bench", DisableDefaultText: true, Usage: "measure random reads at queue depth 1 before and after, and say whether they changed"},
		&cli.IntFlag{Name: "bench-runs", Value: benchRuns, Usage: "of --bench: measure `N` times on each side"},
		&cli.StringFlag{Name: "bench-seconds", Value: benchTime.String(), Usage: "of --bench: `TIME` of each run"},
		&cli.StringFlag{Name: "min-effect", DefaultText: "2", Usage: "of --bench: the least change that matters, `PERCENT`"},
	}
}

// beforeAfter is a benchmark on both sides of an update. A nil one measures
// nothing.
type beforeAfter struct {
	in            *invocation
	runs, seconds string
	effect        float64
	before        *report.BenchReport
}

// newBeforeAfter reads the flags.
func (in *invocation) newBeforeAfter() (*beforeAfter, error) {
	if !in.Bool("bench") {
		return nil, in.notWith("no benchmark: add --bench", "bench-runs", "bench-seconds", "min-effect")
	}
	if n := in.Int("bench-runs"); n < 2 || n > 1000 {
		return nil, usagef("--bench-runs %d: 2 to 1000 is possible", n)
	}
	if _, err := in.duration("bench-seconds"); err != nil {
		return nil, err
	}
	effect, err := in.percentFlag("min-effect", 0.001, 1000)
	return &beforeAfter{in: in, runs: fmt.Sprint(in.Int("bench-runs")), seconds: in.String("bench-seconds"), effect: effect}, err
}

// measure runs the benchmark of this program on a drive.
func (m *beforeAfter) measure(selector string) (*report.BenchReport, error) {
	var out bytes.Buffer
	e := &env{stdin: strings.NewReader(""), stdout: &out, stderr: m.in.env.stderr, now: m.in.env.now}
	args := []string{"qd1", "bench", "--format", "json", "--no-save", "--no-pilot", "--runs", m.runs, "--seconds", m.seconds, selector}
	if err := e.app().RunContext(m.in.Context.Context, args); err != nil {
		return nil, err
	}
	b := new(report.BenchReport)
	if err := json.Unmarshal(out.Bytes(), b); err != nil {
		return nil, fmt.Errorf("the result of the benchmark: %w", err)
	}
	if label := m.in.String("label"); label != "" {
		b.Label = &label
	}
	return b, nil
}

// measureBefore measures before anything is sent.
func (m *beforeAfter) measureBefore(u *updating) error {
	if m == nil {
		return nil
	}
	var err error
	if m.before, err = m.measure(m.selector(u, "")); err != nil {
		return fmt.Errorf("benchmark before the update: %w. No firmware command was sent", err)
	}
	return nil
}

// selector names the drive for the benchmark. A simulated drive of this process
// is measured as another instance with that firmware.
func (m *beforeAfter) selector(u *updating, revision string) string {
	if !u.inProcess {
		return u.looked.Identity.Serial
	}
	if revision == "" {
		return u.Selector
	}
	join := "?"
	if strings.Contains(u.Selector, "?") {
		join = "&"
	}
	return u.Selector + join + "firmware=" + revision
}

// measureAfter measures a drive that runs other firmware, keeps both results, and
// says what they come to. What fails is a note: the update is done.
func (m *beforeAfter) measureAfter(u *updating, rec *firmware.Record) {
	if m == nil {
		return
	}
	if rec.Result != firmware.Changed {
		rec.Benchmark = "not measured afterwards, because the drive runs no other firmware"
		if rec.Result == firmware.Pending {
			rec.Benchmark += " yet: after the reset, qd1 bench measures again and qd1 compare says what changed"
		}
		rec.BenchBefore = m.keep(m.before)
		return
	}
	after, err := m.measure(m.selector(u, rec.After.Revision))
	if err != nil {
		rec.Benchmark = "the benchmark after the update failed: " + err.Error()
		rec.BenchBefore = m.keep(m.before)
		return
	}
	rec.BenchBefore, rec.BenchAfter = m.keep(m.before), m.keep(after)
	rec.Benchmark = m.compare(after)
}

// keep keeps a result as a record.
func (m *beforeAfter) keep(b *report.BenchReport) string {
	b.Record = m.in.keep("bench", record.Subject{}, b, true)
	return b.Record
}

// compare says what changed, the firmware apart.
func (m *beforeAfter) compare(after *report.BenchReport) string {
	o := compare.Options{MinEffectPercent: m.effect}
	before := []*report.BenchReport{m.before}
	c := compare.Bench(before, []*report.BenchReport{after}, o)
	for _, name := range c.Names() {
		if strings.Contains(strings.ToLower(name), "firmware") {
			o.Changed = append(o.Changed, name)
		}
	}
	return compare.Bench(before, []*report.BenchReport{after}, o).Summary
}
