package record

import (
	"fmt"
	"math"
	"time"
)

// day is the unit of rates.
const day = 24 * time.Hour

// Step is a counter that was lower in a record than in one before: the drive,
// its controller or its log was exchanged or reset, one of the records is of
// another drive, or the clock of the computer was wrong.
type Step struct {
	// Counter is the key of the counter in a Point's JSON.
	Counter string `json:"counter"`
	// From and To are the two values.
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
	// Before and After are the identifiers of the records.
	Before string `json:"before"`
	After  string `json:"after"`
	// Time is that of the second record.
	Time time.Time `json:"time"`
}

// counterOf names a counter that never goes down.
type counterOf struct {
	key   string
	value func(*Point) *uint64
}

func counters() []counterOf {
	return []counterOf{
		{"power_on_hours", func(p *Point) *uint64 { return p.Hours }},
		{"power_cycles", func(p *Point) *uint64 { return p.PowerCycles }},
		{"bytes_read", func(p *Point) *uint64 { return p.BytesRead }},
		{"bytes_written", func(p *Point) *uint64 { return p.BytesWritten }},
		{"unsafe_shutdowns", func(p *Point) *uint64 { return p.UnsafeShutdowns }},
		{"media_errors", func(p *Point) *uint64 { return p.MediaErrors }},
		{"error_log_entries", func(p *Point) *uint64 { return p.ErrorLogEntries }},
		{"percentage_used_percent", func(p *Point) *uint64 { return p.PercentageUsed }},
	}
}

// Backwards returns where counters went down, each between two records next to
// each other that have it, the oldest first. The points are of one drive,
// sorted as Points returns them.
func Backwards(points []Point) []Step {
	steps, _ := backwards(points)
	return steps
}

// backwards also returns the index of the second point of the last step, 0 if
// there is none.
func backwards(points []Point) (steps []Step, since int) {
	last := map[string]*Point{}
	for i := range points {
		p := &points[i]
		for _, c := range counters() {
			now := c.value(p)
			if now == nil {
				continue
			}
			if before := last[c.key]; before != nil && *now < *c.value(before) {
				steps = append(steps, Step{c.key, *c.value(before), *now, before.ID, p.ID, p.Time})
				since = i
			}
			last[c.key] = p
		}
	}
	return steps, since
}

// Trend is how a drive is used, by two of its records. Rates are nil where
// either does not have the counter.
type Trend struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// Records is how many lie between, these two included.
	Records            int      `json:"records"`
	Days               float64  `json:"days"`
	HoursPerDay        *float64 `json:"power_on_hours_per_day"`
	BytesReadPerDay    *float64 `json:"bytes_read_per_day"`
	BytesWrittenPerDay *float64 `json:"bytes_written_per_day"`
	// PercentPerYear is how fast Percentage Used grows, in % of the rated life.
	PercentPerYear *float64 `json:"percentage_used_per_year"`
}

// daysPerYear is that of the Gregorian calendar.
const daysPerYear = 365.2425

// TrendOf compares the first and the last of the points that have Power On
// Hours, after the last step backwards of any counter. It is nil if there are
// fewer than two or less than a day lies between. The points are of one drive,
// sorted as Points returns them.
func TrendOf(points []Point) *Trend {
	_, since := backwards(points)
	points = points[since:]
	var first, last *Point
	n := 0
	for i := range points {
		if points[i].Hours == nil {
			continue
		}
		if last = &points[i]; first == nil {
			first = last
		}
		n++
	}
	if first == nil || last.Time.Sub(first.Time) < day {
		return nil
	}
	days := last.Time.Sub(first.Time).Hours() / 24
	rate := func(value func(*Point) *uint64) *float64 { return perDay(value(first), value(last), days) }
	t := &Trend{
		From: first.Time, To: last.Time, Records: n, Days: days,
		HoursPerDay:        rate(func(p *Point) *uint64 { return p.Hours }),
		BytesReadPerDay:    rate(func(p *Point) *uint64 { return p.BytesRead }),
		BytesWrittenPerDay: rate(func(p *Point) *uint64 { return p.BytesWritten }),
		PercentPerYear:     rate(func(p *Point) *uint64 { return p.PercentageUsed }),
	}
	if t.PercentPerYear != nil {
		*t.PercentPerYear *= daysPerYear
	}
	return t
}

// perDay is nil if either is not known or the counter is full.
func perDay(from, to *uint64, days float64) *float64 {
	if from == nil || to == nil || *to < *from || *to == math.MaxUint64 {
		return nil
	}
	rate := float64(*to-*from) / days
	return &rate
}

// Forecast is when a drive has written what it is rated for.
type Forecast struct {
	Rated        Rated  `json:"rated"`
	BytesWritten uint64 `json:"bytes_written"`
	// BytesPerDay is the rate that it goes by.
	BytesPerDay float64 `json:"bytes_per_day"`
	// Reached is the day, nil if nothing is written or it is more than 200 years
	// away. If it has been reached, it is the time of the last record.
	Reached *time.Time `json:"reached"`
	// Assumption is a sentence that says what it rests on.
	Assumption string `json:"assumption"`
}

// maxYears is how far a forecast looks.
const maxYears = 200

// ForecastOf goes on from the last point at the rate of TrendOf. Rated is used
// where it is not nil, else what the last report knows. It is nil without a
// rating or a rate.
func ForecastOf(points []Point, rated *Rated) *Forecast {
	trend := TrendOf(points)
	if trend == nil || trend.BytesWrittenPerDay == nil {
		return nil
	}
	last := -1
	for i := range points {
		if points[i].Hours != nil {
			last = i
		}
	}
	for i := last; rated == nil && i >= 0; i-- {
		rated = points[i].Rated
	}
	if rated == nil || rated.Bytes == 0 {
		return nil
	}
	f := &Forecast{Rated: *rated, BytesWritten: *points[last].BytesWritten, BytesPerDay: *trend.BytesWrittenPerDay}
	f.Reached = f.reached(trend.To)
	f.Assumption = assumption(trend, rated)
	return f
}

// reached returns the day, counted from the last record.
func (f *Forecast) reached(from time.Time) *time.Time {
	if f.BytesWritten >= f.Rated.Bytes {
		return &from
	}
	days := float64(f.Rated.Bytes-f.BytesWritten) / f.BytesPerDay
	if !(days <= maxYears*daysPerYear) { // or infinite
		return nil
	}
	at := from.Add(time.Duration(days * float64(day)))
	return &at
}

func assumption(t *Trend, rated *Rated) string {
	text := fmt.Sprintf("that the host goes on writing as much a day as between %s and %s (%.0f days, %d records, what benchmarks wrote included)",
		t.From.Format(time.DateOnly), t.To.Format(time.DateOnly), t.Days, t.Records)
	if rated.Indicative {
		text += ", and that the rating, which could not be checked, holds"
	}
	return text
}
