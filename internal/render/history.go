package render

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"qd1.example/qd1/internal/record"
)

// minute is how the time of a record is shown.
const minute = "2006-01-02 15:04"

// Overview writes what there are records of, one line a subject.
func Overview(w io.Writer, o *record.Overview, style Style) error {
	p := &page{style: style.english()}
	g := &grid{columns: []column{{left: true, head: "records of"}, {left: true, head: "model", spare: 1}, {head: "records"}, {left: true, head: "kinds", spare: 3}, {left: true, head: "first", spare: 2}, {left: true, head: "last"}}}
	for i := range o.Subjects {
		k := &o.Subjects[i]
		g.rows = append(g.rows, gridRow{cells: cellsOf(subjectName(k), k.Subject.Model, count(k.Records), kindCounts(k.Kinds), k.First.Format(minute), k.Last.Format(minute))})
	}
	p.grid(g)
	if len(o.Subjects) == 0 && len(o.Unreadable) == 0 {
		p.note("There are no records yet. Results of benchmarks are kept as records by themselves, those of a report with --save.")
	}
	p.unreadable(o.Unreadable)
	p.labelled(Dim, "kept in", o.Directory)
	return p.writeTo(w)
}

// cellsOf are cells without a colour, absent where the text is empty.
func cellsOf(texts ...string) []piece {
	var cells []piece
	for _, text := range texts {
		if text == "" {
			text = absent
		}
		cells = append(cells, piece{Plain, text})
	}
	return cells
}

// subjectName is the word by which history finds a subject: the serial number,
// or the path.
func subjectName(k *record.Kept) string {
	switch s := k.Subject; {
	case s.Simulated:
		return k.Key + " (SIMULATED)"
	case s.Serial != "":
		return strings.TrimSpace(s.Serial)
	case s.Bytes > 0:
		return s.Path + ", " + size(uint64(s.Bytes))
	default:
		return s.Path
	}
}

// kindCounts lists the kinds of records with their numbers.
func kindCounts(numbers map[string]int) string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(numbers)) {
		parts = append(parts, strconv.Itoa(numbers[kind])+nbsp+kind)
	}
	return strings.Join(parts, ", ")
}

// unreadable names the files that were left out.
func (p *page) unreadable(list []record.Unreadable) {
	for _, u := range list {
		p.labelled(Warn, "left out", u.Text)
	}
}

// listedRecords is how many records the text lists. JSON has all that were
// read.
const listedRecords = 40

// History writes the newest records of a subject, the oldest first, and below
// them what they say together.
func History(w io.Writer, h *record.History, style Style) error {
	p := &page{style: style.english()}
	p.banner(h.Subject.Simulated)
	p.heading(piece{Strong, h.Subject.String()}, piece{Plain, counted(p.lang(), h.Total, "record", "records")})
	p.recordTable(h.Points)
	p.leftOut(h)
	p.unreadable(h.Unreadable)
	p.backwards(h.Backwards)
	p.trend(h)
	p.forecast(h.Forecast)
	p.levels(h.Points)
	return p.writeTo(w)
}

// recordTable lists the newest records.
func (p *page) recordTable(points []record.Point) {
	g := &grid{columns: []column{
		{left: true, head: "time (UTC)"}, {left: true, head: "kind"}, {left: true, head: "label"}, {left: true, head: "firmware", spare: 4}, {head: "hours"}, {head: "written"},
		{head: "used %", spare: 1}, {head: "°C", spare: 2}, {head: "media errors", spare: 3}, {head: "QD1 p50 µs"}, {head: "p99 µs", spare: 5}, {left: true, head: "record"},
	}}
	for i := max(0, len(points)-listedRecords); i < len(points); i++ {
		x := &points[i]
		g.rows = append(g.rows, gridRow{cells: cellsOf(x.Time.Format(minute), x.Kind, x.Label, deref(x.Firmware, ""), counterText(x.Hours), bytesText(x.BytesWritten),
			counterText(x.PercentageUsed), optional(x.Temperature), counterText(x.MediaErrors), optional(x.QD1P50US), optional(x.QD1P99US), x.ID)})
	}
	p.grid(g)
}

func counterText(n *uint64) string {
	if n == nil {
		return ""
	}
	return count(*n)
}

func bytesText(n *uint64) string {
	if n == nil {
		return ""
	}
	return size(*n)
}

func optional(v *float64) string {
	if v == nil {
		return ""
	}
	return decimal(*v)
}

// leftOut says how many records are not listed, and how many were not even
// read.
func (p *page) leftOut(h *record.History) {
	if n := len(h.Points) - listedRecords; n > 0 {
		p.labelled(Dim, "listed", fmt.Sprintf("the newest %d; %s older ones count below and are in --format json", listedRecords, count(n)))
	}
	if h.Omitted > 0 {
		p.labelled(Warn, "read", fmt.Sprintf("the newest and the oldest of %s records, %s in all; those between were left out (--last 0 reads all)", count(h.Total), count(len(h.Points))))
	}
}

// mostSteps is how many counters that went down are named.
const mostSteps = 8

// backwards names counters that went down.
func (p *page) backwards(steps []record.Step) {
	for i, s := range steps {
		if i == mostSteps {
			p.labelled(Warn, "BACKWARD", fmt.Sprintf("… and %d more", len(steps)-i))
			break
		}
		p.labelled(Bad, "BACKWARD", fmt.Sprintf("%s went from %s to %s between record %s and %s", s.Counter, count(s.From), count(s.To), s.Before, s.After))
	}
	if len(steps) > 0 {
		p.labelled(Plain, "", "The log was reset or exchanged, one of the records is of another drive, or the clock of the computer was wrong. Trend and forecast begin after the last of these.")
	}
}

// trend writes how the drive is used.
func (p *page) trend(h *record.History) {
	t := h.Trend
	if t == nil {
		if len(h.Points) > 0 {
			p.labelled(Dim, "trend", "none: it takes two records with power-on hours, a day or more apart")
		}
		return
	}
	p.labelled(Strong, "trend", join(" · ",
		fmt.Sprintf("over %s days, %s", decimal(t.Days), counted(p.lang(), t.Records, "record", "records")),
		perDayText("powered on %s"+nbsp+"h a day", t.HoursPerDay, decimal), perDayText("%s written a day", t.BytesWrittenPerDay, si), perDayText("%s read a day", t.BytesReadPerDay, si)))
	p.labelled(Plain, "wear", perDayText("by the drive's own count %s"+nbsp+"%% of its life a year", t.PercentPerYear, decimal))
}

func perDayText(format string, v *float64, text func(float64) string) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf(format, text(*v))
}

// forecast writes when the rating is reached, and what that rests on.
func (p *page) forecast(f *record.Forecast) {
	if f == nil {
		return
	}
	when := fmt.Sprintf("not reached within 200 years at %s a day", si(f.BytesPerDay))
	switch {
	case f.BytesWritten >= f.Rated.Bytes:
		when = "reached already"
	case f.Reached != nil:
		when = "reached on " + f.Reached.UTC().Format(time.DateOnly)
	}
	rating := terabytes(float64(f.Rated.Bytes))
	if f.Rated.Indicative {
		rating += " (indicative)"
	}
	p.labelled(Strong, "forecast", join("; ", fmt.Sprintf("%s written, the rating of %s is %s", size(f.BytesWritten), rating, when), prefixed("source of the rating: ", f.Rated.Source)))
	p.labelled(Plain, "", "It assumes "+f.Assumption+".")
}

// levels writes the first and last of what has no rate.
func (p *page) levels(points []record.Point) {
	p.labelled(Plain, "errors", join(" · ",
		firstToLast("media errors", points, func(x *record.Point) *uint64 { return x.MediaErrors }),
		firstToLast("unsafe shutdowns", points, func(x *record.Point) *uint64 { return x.UnsafeShutdowns }),
		firstToLast("entries of the error log", points, func(x *record.Point) *uint64 { return x.ErrorLogEntries })))
	p.labelled(Plain, "heat", spread("°C", points, func(x *record.Point) *float64 { return x.Temperature }))
	latency := spread("µs", points, func(x *record.Point) *float64 { return x.QD1P50US })
	if strings.Contains(latency, "first") {
		latency += "; whether that is a change, qd1 compare says"
	}
	p.labelled(Plain, "latency", prefixed("QD1 p50 ", latency))
}

// firstToLast is a counter in the first and in the last record that has it.
func firstToLast(name string, points []record.Point, value func(*record.Point) *uint64) string {
	var first, last *uint64
	for i := range points {
		if v := value(&points[i]); v != nil {
			if last = v; first == nil {
				first = v
			}
		}
	}
	switch {
	case first == nil:
		return ""
	case *first == *last:
		return count(*last) + nbsp + name
	}
	return fmt.Sprintf("%s to %s"+nbsp+"%s", count(*first), count(*last), name)
}

// spread is a figure in the first and in the last record that has it, and its
// least and greatest value.
func spread(unit string, points []record.Point, value func(*record.Point) *float64) string {
	var all []float64
	for i := range points {
		if v := value(&points[i]); v != nil {
			all = append(all, *v)
		}
	}
	switch n := len(all); n {
	case 0:
		return ""
	case 1:
		return decimal(all[0]) + nbsp + unit
	default:
		return fmt.Sprintf("%s first, %s last, %s to %s"+nbsp+"%s in %s"+nbsp+"records", decimal(all[0]), decimal(all[n-1]), decimal(slices.Min(all)), decimal(slices.Max(all)), unit, count(n))
	}
}

// Records writes the heads of records, one line each.
func Records(w io.Writer, list []*record.Record, style Style) error {
	p := &page{style: style.english()}
	g := &grid{columns: []column{{left: true, head: "record"}, {left: true, head: "kind"}, {left: true, head: "label"}, {left: true, head: "of"}}}
	for _, r := range list {
		g.rows = append(g.rows, gridRow{cells: cellsOf(r.ID, r.Kind, r.Label, r.Subject.String())})
	}
	p.grid(g)
	return p.writeTo(w)
}

// RecordHead writes what a record is, above what it carries.
func RecordHead(w io.Writer, r *record.Record, style Style) error {
	p := &page{style: style.english()}
	p.heading(piece{Strong, "record " + r.ID}, piece{Plain, r.Kind}, piece{Plain, r.Label}, piece{Plain, r.Time.UTC().Format(time.RFC3339)})
	p.labelled(Dim, "of", r.Subject.String())
	p.labelled(Dim, "made by", join(" ", r.Tool.Name, r.Tool.Version))
	p.line("")
	return p.writeTo(w)
}
