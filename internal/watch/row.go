package watch

import (
	"time"

	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// Schema is the name and version of the JSON object of a Row. Keys are only
// ever added.
const Schema = "qd1.watch/1"

// Row is one look at one drive. null means not reported, not known yet, or not
// readable; Error then says why. Counters count since watching began.
type Row struct {
	Schema string    `json:"schema"`
	Time   time.Time `json:"time"`
	Who
	// CompositeTemperatureCelsius is the composite temperature, HottestSensorCelsius
	// that of the hottest sensor.
	CompositeTemperatureCelsius *int `json:"composite_temperature_celsius"`
	HottestSensorCelsius        *int `json:"hottest_sensor_celsius"`
	// HostReadBytesPerSecond and what follows are what the block layer of the
	// host did since the last row.
	HostReadBytesPerSecond    *float64 `json:"host_read_bytes_per_second"`
	HostWrittenBytesPerSecond *float64 `json:"host_written_bytes_per_second"`
	HostReadsPerSecond        *float64 `json:"host_reads_per_second"`
	HostWritesPerSecond       *float64 `json:"host_writes_per_second"`
	// DriveReadBytesPerSecond and what follows are by the drive's own count, in
	// steps of 512 000 bytes.
	DriveReadBytesPerSecond    *float64 `json:"drive_read_bytes_per_second"`
	DriveWrittenBytesPerSecond *float64 `json:"drive_written_bytes_per_second"`
	DriveReadsPerSecond        *float64 `json:"drive_reads_per_second"`
	DriveWritesPerSecond       *float64 `json:"drive_writes_per_second"`
	// ThrottleTransitions is how often the drive began to slow down for its heat,
	// ThrottleSeconds for how long it did.
	ThrottleTransitions *uint64 `json:"throttle_transitions"`
	ThrottleSeconds     *uint64 `json:"throttle_seconds"`
	// HotMinutes is the time above the drive's own warning or critical limit.
	HotMinutes *uint64 `json:"hot_minutes"`
	// LinkCorrectable and what follows are errors of the link.
	LinkCorrectable *uint64  `json:"link_correctable"`
	LinkNonFatal    *uint64  `json:"link_nonfatal"`
	LinkFatal       *uint64  `json:"link_fatal"`
	LinkSpeedGTs    *float64 `json:"link_speed_gts"`
	LinkWidth       *int     `json:"link_width"`
	// PercentageUsedPercent is the drive's own account of its wear.
	PercentageUsedPercent *int    `json:"percentage_used_percent"`
	AvailableSparePercent *int    `json:"available_spare_percent"`
	CriticalWarning       *int    `json:"critical_warning"`
	MediaErrors           *uint64 `json:"media_errors"`
	ErrorLogEntries       *uint64 `json:"error_log_entries"`
	// Error says why there are no values, "" where there are.
	Error string `json:"error,omitempty"`
}

// tracker makes rows of the readings of one drive.
type tracker struct {
	who Who
	// last is the reading before, nil after a look that failed.
	last *Reading
	// counts are the counters of the last reading, grown by how much they grew.
	counts, grown map[string]uint64
	// rows are all looks, fails those that gave nothing, at the first and the
	// last one's time.
	rows, fails int
	at          [2]time.Time
	figures     []Span
}

func newTracker(who Who) *tracker {
	return &tracker{who: who, counts: map[string]uint64{}, grown: map[string]uint64{}, figures: make([]Span, len(figures()))}
}

// failed makes the row of a look that gave nothing. The readings before it are
// no base for a rate any more.
func (t *tracker) failed(at time.Time, text string) Row {
	t.last = nil
	t.note(at)
	t.fails++
	return Row{Schema: Schema, Time: at.UTC(), Who: t.who, Error: text}
}

func (t *tracker) note(at time.Time) {
	t.rows++
	if t.at[0].IsZero() {
		t.at[0] = at
	}
	t.at[1] = at
}

// row makes the row of a reading.
func (t *tracker) row(r *Reading) Row {
	t.note(r.At)
	row := Row{Schema: Schema, Time: r.At.UTC(), Who: t.who}
	row.CompositeTemperatureCelsius, row.HottestSensorCelsius = celsius(r.SMART.CompositeTemperature), hottest(&r.SMART)
	t.rates(&row, r)
	t.counters(&row, r)
	row.PercentageUsedPercent, row.AvailableSparePercent = whole(r.SMART.PercentageUsed), whole(r.SMART.AvailableSpare)
	row.CriticalWarning = whole(uint8(r.SMART.CriticalWarning))
	if r.Link != nil {
		row.LinkSpeedGTs, row.LinkWidth = r.Link.SpeedGTs, r.Link.Width
	}
	for i, f := range figures() {
		t.figures[i].add(f.of(&row))
	}
	t.last = r
	return row
}

func (t *tracker) rates(row *Row, r *Reading) {
	if t.last == nil {
		return
	}
	seconds := r.At.Sub(t.last.At).Seconds()
	a, b := &t.last.SMART, &r.SMART
	row.DriveReadBytesPerSecond = rate(a.DataUnitsRead, b.DataUnitsRead, nvme.DataUnit, seconds)
	row.DriveWrittenBytesPerSecond = rate(a.DataUnitsWritten, b.DataUnitsWritten, nvme.DataUnit, seconds)
	row.DriveReadsPerSecond = rate(a.HostReadCommands, b.HostReadCommands, 1, seconds)
	row.DriveWritesPerSecond = rate(a.HostWriteCommands, b.HostWriteCommands, 1, seconds)
	if t.last.IO == nil || r.IO == nil {
		return
	}
	d := conditions.Stats{Counters: *r.IO, Kept: true}.Sub(conditions.Stats{Counters: *t.last.IO, Kept: true})
	if !d.Kept || seconds <= 0 {
		return
	}
	const sector = 512 // Bytes, whatever the size of a logical block.
	row.HostReadBytesPerSecond, row.HostWrittenBytesPerSecond = by(d.ReadSectors*sector, seconds), by(d.WriteSectors*sector, seconds)
	row.HostReadsPerSecond, row.HostWritesPerSecond = by(d.Reads, seconds), by(d.Writes, seconds)
}

// counters enters by how much the counters grew since watching began.
func (t *tracker) counters(row *Row, r *Reading) {
	l := &r.SMART
	row.ThrottleTransitions = t.since("throttle_transitions", uint64(l.TMT1Transitions)+uint64(l.TMT2Transitions))
	row.ThrottleSeconds = t.since("throttle_seconds", uint64(l.TMT1Time)+uint64(l.TMT2Time))
	row.HotMinutes = t.since("hot_minutes", uint64(l.WarningTemperatureTime)+uint64(l.CriticalTemperatureTime))
	row.MediaErrors = t.since("media_errors", l.MediaErrors.Lo)
	row.ErrorLogEntries = t.since("error_log_entries", l.ErrorLogEntries.Lo)
	t.since("read_bytes", l.DataUnitsRead.Lo*nvme.DataUnit)
	t.since("written_bytes", l.DataUnitsWritten.Lo*nvme.DataUnit)
	if r.Link == nil || r.Link.AER == nil {
		return
	}
	for _, e := range []struct {
		name  string
		total *uint64
		to    **uint64
	}{
		{"link_correctable", r.Link.AER.Correctable, &row.LinkCorrectable},
		{"link_nonfatal", r.Link.AER.NonFatal, &row.LinkNonFatal},
		{"link_fatal", r.Link.AER.Fatal, &row.LinkFatal},
	} {
		if e.total != nil {
			*e.to = t.since(e.name, *e.total)
		}
	}
}

// since returns by how much a counter grew. One that went back, as those of
// the link do when a drive is found anew, keeps what it had and goes on.
func (t *tracker) since(name string, now uint64) *uint64 {
	last, known := t.counts[name]
	if known && now > last {
		t.grown[name] += now - last
	}
	t.counts[name] = now
	grown := t.grown[name]
	return &grown
}

// rate is nil for a counter that went back, and where no time has passed.
func rate(before, now nvme.Uint128, unit uint64, seconds float64) *float64 {
	grown := now.Big()
	grown.Sub(grown, before.Big())
	if seconds <= 0 || grown.Sign() < 0 {
		return nil
	}
	v, _ := grown.Float64()
	v *= float64(unit) / seconds
	return &v
}

func by(n uint64, seconds float64) *float64 {
	v := float64(n) / seconds
	return &v
}

func whole(n uint8) *int {
	v := int(n)
	return &v
}

// celsius is nil for what is not reported and for what no drive can have.
func celsius(k nvme.Kelvin) *int {
	c, ok := smart.Temperature(k)
	if !ok {
		return nil
	}
	return &c
}

func hottest(l *nvme.SMARTLog) *int {
	var top *int
	for _, k := range l.TemperatureSensors {
		if c := celsius(k); c != nil && (top == nil || *c > *top) {
			top = c
		}
	}
	return top
}
