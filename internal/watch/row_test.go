package watch

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

func reading(at time.Time, celsius int) *Reading {
	return &Reading{At: at, SMART: nvme.SMARTLog{CompositeTemperature: nvme.Kelvin(celsius + 273)}}
}

// after is a reading with counters, some seconds after the first one.
func after(seconds int, n uint64) *Reading {
	r := reading(time.Unix(int64(seconds), 0), 40)
	l := &r.SMART
	l.TemperatureSensors = [8]nvme.Kelvin{0, 320, 330}
	l.DataUnitsRead, l.DataUnitsWritten = nvme.Uint128{Hi: 1, Lo: 1000 * n}, nvme.Uint128{Lo: 100 * n}
	l.HostReadCommands, l.HostWriteCommands = nvme.Uint128{Lo: 500 * n}, nvme.Uint128{Lo: 50 * n}
	l.MediaErrors, l.ErrorLogEntries = nvme.Uint128{Lo: n}, nvme.Uint128{Lo: 2 * n}
	l.TMT1Transitions, l.TMT2Transitions, l.TMT1Time, l.TMT2Time = uint32(n), 1, uint32(10*n), 2
	l.WarningTemperatureTime, l.PercentageUsed, l.AvailableSpare, l.CriticalWarning = uint32(n), 3, 99, 4
	r.IO = &conditions.Counters{Reads: 200 * n, ReadSectors: 2000 * n, Writes: 20 * n, WriteSectors: 40 * n}
	speed, width, errs := 8.0, 4, 7*n
	r.Link = &sysfs.Link{SpeedGTs: &speed, Width: &width, AER: &sysfs.AER{Correctable: &errs, Fatal: &errs}}
	return r
}

func TestRows(t *testing.T) {
	tr := newTracker(Who{Device: "nvme0", Serial: "S", Model: "M"})
	first := tr.row(after(0, 10))
	if first.HostReadsPerSecond != nil || first.DriveReadsPerSecond != nil || *first.MediaErrors != 0 || *first.LinkCorrectable != 0 {
		t.Errorf("the first row has rates or growth: %+v", first)
	}
	tr.row(after(5, 12))
	got := tr.row(after(15, 32))
	want := map[string]any{
		"composite_temperature_celsius": 40., "hottest_sensor_celsius": 57.,
		"host_read_bytes_per_second": 2000. * 20 * 512 / 10, "host_written_bytes_per_second": 40. * 20 * 512 / 10, "host_reads_per_second": 400., "host_writes_per_second": 40.,
		"drive_read_bytes_per_second": 1000. * 20 * 512000 / 10, "drive_written_bytes_per_second": 100. * 20 * 512000 / 10, "drive_reads_per_second": 1000., "drive_writes_per_second": 100.,
		"throttle_transitions": 22., "throttle_seconds": 220., "hot_minutes": 22., "link_correctable": 154., "link_nonfatal": nil, "link_fatal": 154., "link_speed_gts": 8., "link_width": 4.,
		"percentage_used_percent": 3., "available_spare_percent": 99., "critical_warning": 4., "media_errors": 22., "error_log_entries": 44.,
		"device": "nvme0", "serial": "S", "model": "M", "simulated": false, "schema": Schema, "time": "1970-01-01T00:00:15Z",
	}
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{}
	if err := json.Unmarshal(b, &values); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Error(diff)
	}
}

// Nothing is made up where a counter went back, where no time has passed, or
// after a look that failed.
func TestNoRate(t *testing.T) {
	tr := newTracker(Who{})
	tr.row(after(0, 10))
	if r := tr.row(after(10, 5)); r.HostReadsPerSecond != nil || r.DriveReadsPerSecond != nil || *r.MediaErrors != 0 {
		t.Errorf("a counter that went back: %+v", r)
	}
	if r := tr.row(after(10, 6)); r.HostReadsPerSecond != nil || r.DriveReadsPerSecond != nil || *r.MediaErrors != 1 {
		t.Errorf("no time: %+v", r)
	}
	if r := tr.failed(time.Unix(20, 0), "mute"); r.Error != "mute" || r.CompositeTemperatureCelsius != nil {
		t.Errorf("failed: %+v", r)
	}
	if r := tr.row(after(30, 9)); r.HostReadsPerSecond != nil || *r.MediaErrors != 4 || *r.LinkFatal != 28 {
		t.Errorf("after a failure: %+v", r)
	}
	bare := after(40, 10)
	bare.IO, bare.Link, bare.SMART.CompositeTemperature, bare.SMART.TemperatureSensors = nil, nil, 0, [8]nvme.Kelvin{}
	if r := tr.row(bare); r.HostReadsPerSecond != nil || r.DriveReadsPerSecond == nil || r.LinkFatal != nil || r.LinkWidth != nil || r.CompositeTemperatureCelsius != nil || r.HottestSensorCelsius != nil {
		t.Errorf("a drive that reports little: %+v", r)
	}
}

func TestSummary(t *testing.T) {
	tr := newTracker(Who{Device: "nvme0", Serial: "S", Simulated: true})
	for i, celsius := range []int{40, 30, 50} {
		tr.row(reading(time.Unix(int64(10*i), 0), celsius))
	}
	tr.failed(time.Unix(30, 0), "mute")
	s := tr.summary()
	if s.Rows != 4 || s.Failed != 1 || s.Seconds != 30 {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff(Span{Name: "composite_temperature_celsius", Min: 30, Mean: 40, Max: 50, Rows: 3}, s.Figures[0]); diff != "" {
		t.Error(diff)
	}
	if len(s.Grown) != 0 {
		t.Errorf("grown: %v", s.Grown)
	}
	text := strings.Join(s.Lines(), "\n")
	for _, want := range []string{"nvme0  serial S: rows 4, without values 1, in 30 s  SIMULATED", "composite temperature      min 30  mean 40.0  max 50 °C", "drive written              min 0.0  mean 0.0  max 0.0 MB/s", "drive reads                min 0  mean 0.0  max 0 a second"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	full := newTracker(Who{})
	full.row(after(0, 1))
	full.row(after(10, 3))
	s = full.summary()
	if lines := s.Lines(); !strings.Contains(lines[len(lines)-1], "grew: error log entries +4, hot minutes +2, link correctable +14, link fatal +14, media errors +2") || s.Grown["written_bytes"] != 2*100*512000 {
		t.Errorf("%q, %v", lines, s.Grown)
	}
	if none := newTracker(Who{Device: "x"}).summary(); len(none.Figures) != 0 || !strings.Contains(none.Lines()[0], "serial -: rows 0") {
		t.Errorf("%+v", none)
	}
	if text, unit, by := words("other"); text != "other" || unit != "" || by != 1 {
		t.Errorf("%s %s %v", text, unit, by)
	}
}

func TestTable(t *testing.T) {
	tr := newTracker(Who{Device: "nvme0", Serial: "S1"})
	tr.row(after(0, 1))
	rows := []Row{tr.row(after(10, 3)), newTracker(Who{Device: "nvme10", Serial: "SERIAL2", Simulated: true}).row(reading(time.Unix(0, 0), 20)), newTracker(Who{Device: "nvme2"}).failed(time.Unix(0, 0), "no answer for 2s")}
	want := []string{
		"drive   serial   °C  hottest  read MB/s  reads/s  written MB/s  writes/s  throttle  link errors  used  media errors",
		"nvme0   S1       40       57        0.2       40           0.0         4         2           28   3 %             2",
		"nvme10  SERIAL2  20        -          -        -             -         -         0            -   0 %             0  SIMULATED",
		"nvme2   -        no answer for 2s",
	}
	if diff := cmp.Diff(want, Table(rows)); diff != "" {
		t.Error(diff)
	}
}

func TestCSV(t *testing.T) {
	tr := newTracker(Who{Device: "nvme0", Serial: `S,"1`})
	var b strings.Builder
	if err := WriteCSV(&b, []Row{tr.row(after(0, 1))}, true); err != nil {
		t.Fatal(err)
	}
	if err := WriteCSV(&b, []Row{tr.row(after(10, 3)), tr.failed(time.Unix(20, 0), "mute")}, false); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(lines) != 4 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	column := func(name string) []string {
		i := slices.Index(lines[0], name)
		if i < 0 {
			t.Fatalf("no column %s", name)
		}
		return []string{lines[1][i], lines[2][i], lines[3][i]}
	}
	for name, want := range map[string][]string{
		"time": {"1970-01-01T00:00:00Z", "1970-01-01T00:00:10Z", "1970-01-01T00:00:20Z"}, "serial": {`S,"1`, `S,"1`, `S,"1`}, "host_reads_per_second": {"", "40", ""},
		"media_errors": {"0", "2", ""}, "error": {"", "", "mute"}, "simulated": {"false", "false", "false"},
	} {
		if diff := cmp.Diff(want, column(name)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if lines[0][0] != "time" || slices.Contains(lines[0], "schema") {
		t.Errorf("keys %v", lines[0])
	}
	if err := WriteCSV(broken{}, []Row{{}}, true); err == nil {
		t.Error("no error of the writer")
	}
	nan := math.NaN()
	if err := WriteCSV(&b, []Row{{HostReadsPerSecond: &nan}}, false); err == nil {
		t.Error("no error of the row")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }
