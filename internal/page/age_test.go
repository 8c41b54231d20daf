package page

import (
	"io"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/report"
)

// agedDrive is a drive after three hours of mixed work, with a pause and an
// interruption.
func agedDrive() *aging.Record {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := compared(7, 0.1)
	b := benchOf("", 1, 12)
	r := &aging.Record{
		Schema: aging.Schema, Tool: report.Tool{Name: "qd1", Version: "1.2.3"}, Time: start.Add(5 * time.Hour), Job: "20260102-030405", Label: new("winter"),
		Plan: &aging.Plan{Mode: aging.Mixed, TreatmentSeconds: 10800, Target: aging.Target{Drive: b.Drive, Target: b.Target}}, State: journal.Done, Complete: true, Summary: "3h0m0s in the mode mixed: worse",
		TreatedSeconds: 10800, Sittings: make([]aging.Sitting, 2), Comparison: c, Changes: &conditions.Changes{Facts: []string{"1 media error came up"}},
		Wear:          aging.Wear{WrittenBytes: 700e9, RatedBytes: new(int64(17.52e15)), Percent: new(0.004), DriveWrittenBytes: new(uint64(720e9))},
		Stops:         []aging.Stop{{Reason: aging.Heat, State: aging.Treating, Time: start.Add(time.Hour), Seconds: 95, Text: "the drive is at 71 °C"}},
		Interruptions: []aging.Interruption{{From: start.Add(2 * time.Hour), To: start.Add(3 * time.Hour), Text: "the computer was started again"}},
	}
	for i := range 180 {
		at := float64(i) * 60
		r.Series = append(r.Series, conditions.Point[aging.Slice]{Seconds: at, Value: aging.Slice{Seconds: 60, ReadBytes: int64(4.2e9 - float64(i)*1e6), WrittenBytes: 1.8e9, Celsius: new(45 + i/12)}})
	}
	for i := range 3 {
		p50, p99 := 12.1+float64(i)/10, 19.0
		r.Probes = append(r.Probes, aging.Probe{Probe: i + 1, TreatedSeconds: float64(i+1) * 3600, IOPS: 80000, Latency: bench.Latency{P50: &p50, P99: &p99}, Celsius: new(50 + i), MediaErrors: new(uint64(0)), Throttles: 2})
	}
	return r
}

func agePage(t *testing.T, r *aging.Record) string {
	t.Helper()
	text := written(t, func(w io.Writer) error { return Age(w, r) })
	wellMade(t, text)
	return text
}

func TestAge(t *testing.T) {
	has(t, agePage(t, agedDrive()), "<title>WORSE · aging of Intel Optane SSD 905P 960 GB</title>", `<header class="bad">`, "Before and after aging", "<h1>WORSE</h1>", "3h0m0s in the mode mixed: worse.", "“winter”", "serial SERIAL0001",
		"The treatment", "<b>PAUSED</b>", "The drive is at 71 °C.", "temperature, 2026-01-02 04:04:05 UTC, for 1\u00a0min 35\u00a0s", "<b>INTERRUPTED</b>", "The computer was started again.", "MB/s of the treatment", "°C",
		"Median latency of the probes", "p99 of the probes", "<dt>treatment</dt><dd>mixed</dd>", "3\u00a0h of 3\u00a0h", "740\u00a0GB", "324\u00a0GB", "700\u00a0GB", "0.004\u00a0% of the rated 17.5\u00a0PB", "720\u00a0GB", "1 media error came up", "2\u00a0processes",
		"The probes", ">1\u00a0h<", "12.1", "What else differs", "What changed", "The runs")
}

// TestAgeUnderWay holds that a job that is not done says so, and names the drive.
func TestAgeUnderWay(t *testing.T) {
	r := agedDrive()
	r.Comparison, r.State, r.Summary, r.Simulated = nil, aging.Treating, "1h0m0s of 3h0m0s in the mode mixed; nothing to compare yet", true
	r.Lost = []string{"1 of 6 runs before the treatment are there"}
	text := agePage(t, r)
	has(t, text, "SIMULATED", `<header class="warn">`, "<h1>UNDER WAY</h1>", "nothing to compare yet.", "serial SERIAL0001", "LOST: 1 of 6 runs", "The treatment")
	lacks(t, text, "What changed")
	r.State = journal.Done
	r.Stops = append(r.Stops, aging.Stop{Reason: aging.MediaErrors, Ends: aging.EndsJob, Text: "there are new media errors"})
	has(t, agePage(t, r), "<h1>NOT COMPARED</h1>", "<b>ENDED EARLY</b>", "There are new media errors.", "media-errors")
}

// TestAgeIdle holds that what was not done is not drawn.
func TestAgeIdle(t *testing.T) {
	r := agedDrive()
	for i := range r.Series {
		r.Series[i].Value.ReadBytes, r.Series[i].Value.WrittenBytes = 0, 0
	}
	r.Series[0].Value.Seconds = 0
	for i := range r.Probes {
		r.Probes[i].Latency.P99, r.Probes[i].Celsius, r.Probes[i].MediaErrors = nil, nil, nil
	}
	r.Wear = aging.Wear{}
	text := agePage(t, r)
	has(t, text, "Median latency of the probes", "No probe has this figure.", "The probes", absent)
	lacks(t, text, "MB/s of the treatment", "read by the treatment", "of the rated")
}

func TestAgeOfNothing(t *testing.T) {
	text := agePage(t, &aging.Record{})
	has(t, text, "UNDER WAY", "unknown target", "The treatment")
	lacks(t, text, "<svg", "<table")
}

// TestAgeIsBounded holds that of many incidents and probes a page has some.
func TestAgeIsBounded(t *testing.T) {
	r := agedDrive()
	for range 3000 {
		r.Stops = append(r.Stops, r.Stops[0])
		r.Probes = append(r.Probes, r.Probes[2])
	}
	text := agePage(t, r)
	has(t, text, "… and 2962 more.", "The last 100 of 3003 probes")
	if n := strings.Count(text, "<b>PAUSED</b>"); n != mostIncidents {
		t.Errorf("%d pauses are listed, want %d", n, mostIncidents)
	}
	if len(text) > 300_000 {
		t.Errorf("the page has %d bytes", len(text))
	}
}

func TestClock(t *testing.T) {
	for _, tt := range []struct {
		seconds float64
		want    string
	}{{0, "0 s"}, {95.4, "1 min 35 s"}, {10800, "3 h"}, {3661, "1 h 1 min 1 s"}, {360000, "100 h"}, {0.2, "0 s"}} {
		if got := strings.ReplaceAll(clock(tt.seconds), nbsp, " "); got != tt.want {
			t.Errorf("clock(%v) = %q, want %q", tt.seconds, got, tt.want)
		}
	}
}

// TestAgeFromDisk holds that a record that was kept has the pictures that a new
// one has: the latencies are those of its runs.
func TestAgeFromDisk(t *testing.T) {
	r := agedDrive()
	r.Before, r.After = []*report.BenchReport{benchOf("before", 7, 12)}, []*report.BenchReport{benchOf("after", 4, 13.2), benchOf("after", 3, 13.2)}
	for i := range r.Comparison.Ladders {
		r.Comparison.Ladders[i].Before, r.Comparison.Ladders[i].After = nil, nil
	}
	has(t, agePage(t, r), "RND4K Q1T1 read: how often which latency", "before: 140\u00a0000\u00a0operations", "after: after a day: 140\u00a0000\u00a0operations")
	if l := r.Comparison.Ladders[0]; l.Before != nil || l.After != nil {
		t.Error("the record itself was changed")
	}
	r.Before[0].Results[3].Histogram = nil
	r.After[0].Results[0].Row = 7
	text := agePage(t, r)
	has(t, text, "after: after a day: 120\u00a0000\u00a0operations")
	lacks(t, text, "before: 140\u00a0000\u00a0operations")
}
