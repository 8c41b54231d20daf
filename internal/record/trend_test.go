package record

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// lived is a point some days after start.
func lived(days float64, hours, written uint64) Point {
	at := start.Add(time.Duration(days * float64(day)))
	return Point{ID: at.Format(stampLayout), Time: at, Hours: &hours, BytesWritten: &written}
}

func TestBackwards(t *testing.T) {
	a, b, c := lived(0, 100, 1000), lived(1, 90, 1000), lived(2, 95, 900)
	b.MediaErrors, c.MediaErrors = ptr(uint64(3)), ptr(uint64(0))
	blank := Point{ID: "blank", Time: start}
	d := lived(3, 200, 2000)
	tests := []struct {
		name   string
		points []Point
		want   []Step
	}{
		{"none", nil, nil},
		{"one", []Point{a}, nil},
		{"forwards", []Point{a, d}, nil},
		{"the same", []Point{a, a}, nil},
		{"several", []Point{a, b, c, d}, []Step{
			{"power_on_hours", 100, 90, a.ID, b.ID, b.Time},
			{"bytes_written", 1000, 900, b.ID, c.ID, c.Time},
			{"media_errors", 3, 0, b.ID, c.ID, c.Time},
		}},
		{"over records without counters", []Point{a, blank, b}, []Step{{"power_on_hours", 100, 90, a.ID, b.ID, b.Time}}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Backwards(tt.points)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// TestBackwardsCounters lets each counter go down once.
func TestBackwardsCounters(t *testing.T) {
	full := func(n uint64) Point {
		return Point{Hours: &n, PowerCycles: &n, BytesRead: &n, BytesWritten: &n, UnsafeShutdowns: &n, MediaErrors: &n, ErrorLogEntries: &n, PercentageUsed: &n}
	}
	steps := Backwards([]Point{full(5), full(4)})
	seen := map[string]bool{}
	for _, s := range steps {
		seen[s.Counter] = true
	}
	if len(steps) != 8 || len(seen) != 8 {
		t.Errorf("%d steps, %d counters, want 8: %v", len(steps), len(seen), steps)
	}
}

func TestTrendOf(t *testing.T) {
	withRest := func(p Point, read, used uint64) Point {
		p.BytesRead, p.PercentageUsed = &read, &used
		return p
	}
	noBytes := lived(4, 108, 0)
	noBytes.BytesWritten = nil
	full := lived(4, 108, math.MaxUint64)
	at := func(days int) time.Time { return start.AddDate(0, 0, days) }
	tests := []struct {
		name   string
		points []Point
		want   *Trend
	}{
		{"none", nil, nil},
		{"one", []Point{lived(0, 1, 1)}, nil},
		{"less than a day", []Point{lived(0, 1, 1), lived(0.99, 20, 20)}, nil},
		{"nothing but latencies", []Point{{Time: start}, {Time: at(9)}}, nil},
		{"a day", []Point{lived(0, 1, 10), lived(1, 3, 14)}, &Trend{
			From: start, To: at(1), Records: 2, Days: 1, HoursPerDay: ptr(2.0), BytesWrittenPerDay: ptr(4.0),
		}},
		{"first and last", []Point{withRest(lived(0, 100, 1000), 10, 1), lived(2, 101, 1001), {Time: at(3)}, withRest(lived(4, 108, 3000), 50, 2), {Time: at(8)}}, &Trend{
			From: start, To: at(4), Records: 3, Days: 4, HoursPerDay: ptr(2.0), BytesWrittenPerDay: ptr(500.0), BytesReadPerDay: ptr(10.0), PercentPerYear: ptr(daysPerYear / 4),
		}},
		{"after a step backwards", []Point{lived(0, 100, 1000), lived(2, 50, 2000), lived(4, 52, 2200)}, &Trend{
			From: at(2), To: at(4), Records: 2, Days: 2, HoursPerDay: ptr(1.0), BytesWrittenPerDay: ptr(100.0),
		}},
		{"step backwards at the end", []Point{lived(0, 100, 1000), lived(2, 50, 2000)}, nil},
		{"without bytes", []Point{lived(0, 100, 1000), noBytes}, &Trend{From: start, To: at(4), Records: 2, Days: 4, HoursPerDay: ptr(2.0)}},
		{"full counter", []Point{lived(0, 100, 1000), full}, &Trend{From: start, To: at(4), Records: 2, Days: 4, HoursPerDay: ptr(2.0)}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, TrendOf(tt.points), cmpopts.EquateApprox(1e-9, 0)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestForecastOf(t *testing.T) {
	rate := []Point{lived(0, 100, 1000), lived(2, 140, 3000)}
	rated := func(bytes uint64) []Point {
		with := []Point{rate[0], rate[1]}
		with[0].Rated = &Rated{Bytes: bytes, Source: "maker", Indicative: true}
		return append(with, Point{Time: start.AddDate(0, 0, 9)})
	}
	at := func(days int) *time.Time { return ptr(start.AddDate(0, 0, days)) }
	tests := []struct {
		name   string
		points []Point
		rated  *Rated
		want   *time.Time
		none   bool
	}{
		{"of the report", rated(10000), nil, at(9), false},
		{"given", rated(10000), &Rated{Bytes: 4000}, at(3), false},
		{"reached", rated(3000), nil, at(2), false},
		{"long reached", rated(1), nil, at(2), false},
		{"beyond the calendar", rated(math.MaxUint64), nil, nil, false},
		{"nothing is written", []Point{lived(0, 1, 5), lived(9, 2, 5)}, &Rated{Bytes: 10}, nil, false},
		{"no rating", rate, nil, nil, true},
		{"rating of nothing", rate, &Rated{}, nil, true},
		{"one record", rate[:1], &Rated{Bytes: 10000}, nil, true},
		{"less than a day", []Point{lived(0, 1, 1), lived(0.5, 2, 2)}, &Rated{Bytes: 10000}, nil, true},
		{"no bytes", []Point{{Time: start, Hours: ptr(uint64(1))}, lived(5, 2, 2)}, &Rated{Bytes: 10000}, nil, true},
	}
	for _, tt := range tests {
		got := ForecastOf(tt.points, tt.rated)
		if (got == nil) != tt.none {
			t.Errorf("%s: %+v, want none: %t", tt.name, got, tt.none)
		}
		if got == nil {
			continue
		}
		if diff := cmp.Diff(tt.want, got.Reached); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestAssumption(t *testing.T) {
	points := []Point{lived(0, 100, 1000), lived(30, 140, 3000)}
	got := ForecastOf(points, &Rated{Bytes: 5000})
	want := "that the host goes on writing as much a day as between 2026-01-02 and 2026-02-01 (30 days, 2 records, what benchmarks wrote included)"
	if got.Assumption != want || got.BytesWritten != 3000 || got.Rated.Bytes != 5000 || math.Abs(got.BytesPerDay-2000.0/30) > 1e-9 {
		t.Errorf("%+v, want %q", got, want)
	}
	if got := ForecastOf(points, &Rated{Bytes: 5000, Indicative: true}).Assumption; !strings.HasSuffix(got, "could not be checked, holds") {
		t.Errorf("%q, want it to say that the rating is not checked", got)
	}
}
