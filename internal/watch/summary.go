package watch

// SummarySchema is the name and version of the JSON object of a Summary.
const SummarySchema = "qd1.watch-summary/1"

// Summary is what the rows of a drive come to.
type Summary struct {
	Schema string `json:"schema"`
	Who
	// Rows is the number of rows, Failed how many of them have no values.
	Rows   int `json:"rows"`
	Failed int `json:"failed"`
	// Seconds is the time from the first to the last row.
	Seconds float64 `json:"seconds"`
	// Figures are those that the drive or the host reported.
	Figures []Span `json:"figures"`
	// Grown are the counters that grew since watching began, and by how much.
	Grown map[string]uint64 `json:"grown"`
}

// Span is the range of one figure.
type Span struct {
	// Name is the key of the figure in a Row.
	Name string  `json:"name"`
	Min  float64 `json:"min"`
	// Mean is over the rows that have the figure.
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
	// Rows is the number of rows that have it.
	Rows int `json:"rows"`
}

// add takes a value in; nil is none.
func (s *Span) add(v *float64) {
	if v == nil {
		return
	}
	if s.Rows == 0 {
		s.Min, s.Max = *v, *v
	}
	s.Min, s.Max = min(s.Min, *v), max(s.Max, *v)
	s.Rows++
	s.Mean += (*v - s.Mean) / float64(s.Rows)
}

// figure is a value of a row that a summary has.
type figure struct {
	name string
	of   func(*Row) *float64
}

func figures() []figure {
	return []figure{
		{"composite_temperature_celsius", func(r *Row) *float64 { return number(r.CompositeTemperatureCelsius) }},
		{"hottest_sensor_celsius", func(r *Row) *float64 { return number(r.HottestSensorCelsius) }},
		{"host_read_bytes_per_second", func(r *Row) *float64 { return r.HostReadBytesPerSecond }},
		{"host_written_bytes_per_second", func(r *Row) *float64 { return r.HostWrittenBytesPerSecond }},
		{"host_reads_per_second", func(r *Row) *float64 { return r.HostReadsPerSecond }},
		{"host_writes_per_second", func(r *Row) *float64 { return r.HostWritesPerSecond }},
		{"drive_read_bytes_per_second", func(r *Row) *float64 { return r.DriveReadBytesPerSecond }},
		{"drive_written_bytes_per_second", func(r *Row) *float64 { return r.DriveWrittenBytesPerSecond }},
		{"drive_reads_per_second", func(r *Row) *float64 { return r.DriveReadsPerSecond }},
		{"drive_writes_per_second", func(r *Row) *float64 { return r.DriveWritesPerSecond }},
	}
}

func number(v *int) *float64 {
	if v == nil {
		return nil
	}
	f := float64(*v)
	return &f
}

func (t *tracker) summary() Summary {
	s := Summary{Schema: SummarySchema, Who: t.who, Rows: t.rows, Failed: t.fails, Seconds: t.at[1].Sub(t.at[0]).Seconds(), Figures: []Span{}, Grown: map[string]uint64{}}
	for i, f := range figures() {
		if span := t.figures[i]; span.Rows > 0 {
			span.Name = f.name
			s.Figures = append(s.Figures, span)
		}
	}
	for name, n := range t.grown {
		if n > 0 {
			s.Grown[name] = n
		}
	}
	return s
}
