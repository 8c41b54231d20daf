package main

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"strings"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
)

// benchLog is a file with a line a second of a measurement. It grows on the
// disk, not in memory.
type benchLog struct {
	file *os.File
	out  *bufio.Writer
	csv  *csv.Writer
	err  error
}

// logLine is one line: what happened since the line before.
type logLine struct {
	Row     string  `json:"row"`
	Run     int     `json:"run"`
	At      float64 `json:"at_seconds"`
	Seconds float64 `json:"interval_seconds"`
	// Operations and what follows are of the interval; Errors is their number
	// since the start of the run.
	Operations  int64            `json:"operations"`
	IOPS        float64          `json:"iops"`
	MBPerS      float64          `json:"mb_per_s"`
	Latency     bench.Latency    `json:"latency_us"`
	Errors      int64            `json:"errors"`
	Temperature *int             `json:"composite_temperature_celsius"`
	Histogram   *bench.Histogram `json:"histogram"`
}

// openBenchLog makes the file, which must not be there yet; nil for no name.
func openBenchLog(name string) (*benchLog, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil, failf("choose another name, or remove the file", "--log %s: the file exists already", name)
	}
	if err != nil {
		return nil, failf(hintFolder, "--log: %w", err)
	}
	l := &benchLog{file: f, out: bufio.NewWriter(f)}
	if !strings.HasSuffix(name, ".jsonl") {
		l.csv = csv.NewWriter(l.out)
		l.err = l.csv.Write([]string{"row", "run", "at_seconds", "interval_seconds", "operations", "iops", "mb_per_s",
			"mean_us", "p50_us", "p99_us", "max_us", "errors", "composite_temperature_celsius"})
	}
	return l, nil
}

// add writes the interval of a progress. A file that cannot be written to is
// told of at the end.
func (l *benchLog) add(row string, s profile.Step, p bench.Progress, celsius *int) {
	if l == nil || l.err != nil || p.Interval == nil || p.IntervalSeconds <= 0 {
		return
	}
	n := p.Interval.Count()
	line := logLine{
		Row: row, Run: s.Run, At: p.Seconds, Seconds: p.IntervalSeconds, Operations: n, Errors: p.Errors,
		IOPS: float64(n) / p.IntervalSeconds, MBPerS: float64(n) * float64(s.Job.BlockBytes) / 1e6 / p.IntervalSeconds,
		Latency: bench.LatencyOf(p.Interval), Temperature: celsius, Histogram: p.Interval,
	}
	if l.csv != nil {
		l.err = l.csv.Write(line.fields())
		l.csv.Flush()
	} else {
		l.err = json.NewEncoder(l.out).Encode(line)
	}
	l.err = cmp.Or(l.err, l.out.Flush())
}

func (l *logLine) fields() []string {
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', 3, 64) }
	optional := func(f *float64) string {
		if f == nil {
			return ""
		}
		return number(*f)
	}
	celsius := ""
	if l.Temperature != nil {
		celsius = strconv.Itoa(*l.Temperature)
	}
	return []string{
		l.Row, strconv.Itoa(l.Run), number(l.At), number(l.Seconds), strconv.FormatInt(l.Operations, 10), number(l.IOPS), number(l.MBPerS),
		optional(l.Latency.Mean), optional(l.Latency.P50), optional(l.Latency.P99), optional(l.Latency.Max), strconv.FormatInt(l.Errors, 10), celsius,
	}
}

// close ends the file, and returns what went wrong with it.
func (l *benchLog) close() error {
	if l == nil {
		return nil
	}
	if l.csv != nil {
		l.csv.Flush()
		l.err = cmp.Or(l.err, l.csv.Error())
	}
	// One failure is behind all of them.
	if err := cmp.Or(l.err, l.out.Flush(), l.file.Close()); err != nil {
		return failf("is the disk full? the result is complete, the log is not", "--log: %w", err)
	}
	return nil
}
