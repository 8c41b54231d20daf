package record

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"
)

// Point is what one record says about the life of a drive. Numbers are nil
// where it does not say.
//
// Source of the counters: NVM Express Base Specification, Revision 2.0, SMART /
// Health Information Log Page.
type Point struct {
	ID    string    `json:"id"`
	Time  time.Time `json:"time"`
	Kind  string    `json:"kind"`
	Label string    `json:"label,omitempty"`

	Firmware *string `json:"firmware"`
	// Hours are Power On Hours. Counters that do not fit stay at the largest
	// number.
	Hours       *uint64 `json:"power_on_hours"`
	PowerCycles *uint64 `json:"power_cycles"`
	// BytesRead and BytesWritten are Data Units of 512 000 bytes, in bytes.
	BytesRead       *uint64 `json:"bytes_read"`
	BytesWritten    *uint64 `json:"bytes_written"`
	UnsafeShutdowns *uint64 `json:"unsafe_shutdowns"`
	MediaErrors     *uint64 `json:"media_errors"`
	ErrorLogEntries *uint64 `json:"error_log_entries"`
	// PercentageUsed and AvailableSpare are in %, Temperature in °C.
	PercentageUsed *uint64  `json:"percentage_used_percent"`
	AvailableSpare *uint64  `json:"available_spare_percent"`
	Temperature    *float64 `json:"composite_temperature_celsius"`
	// QD1P50US and QD1P99US are of random reads of 4 KiB at queue depth 1, in
	// µs: the medians over the runs.
	QD1P50US *float64 `json:"qd1_p50_us"`
	QD1P99US *float64 `json:"qd1_p99_us"`
	// Rated is the endurance that a report knows of, nil for others.
	Rated *Rated `json:"rated"`
}

// Rated is the rated endurance of a drive.
type Rated struct {
	Bytes  uint64 `json:"bytes"`
	Source string `json:"source"`
	// Indicative is a figure that is not of this very model.
	Indicative bool `json:"indicative"`
}

// Points returns what the records of a query say, the oldest first. It reads
// them one after the other.
func (s *Store) Points(q Query) ([]Point, []error) {
	var list []Point
	var faults []error
	more := s.walk(q, s.read, func(r *Record) {
		p, err := PointOf(r)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", r.File, err))
		}
		list = append(list, p)
	})
	sortPoints(list)
	return list, append(faults, more...)
}

func sortPoints(list []Point) {
	slices.SortStableFunc(list, func(a, b Point) int {
		return older(&Record{Time: a.Time, ID: a.ID}, &Record{Time: b.Time, ID: b.ID})
	})
}

// PointOf looks for the numbers of a Point in a qd1.report/1 or a qd1.bench/1.
// Bodies of other schemas say nothing. A part of the wrong type is an error
// beside the others, which matches ErrDamaged; a counter that is no whole
// number is nil.
func PointOf(r *Record) (Point, error) {
	p := Point{ID: r.ID, Time: r.Time, Kind: r.Kind, Label: r.Label}
	var b body
	err := json.Unmarshal(r.Body, &b)
	switch b.Schema {
	case "qd1.report/1":
		b.report(&p)
	case "qd1.bench/1":
		b.bench(&p)
	default:
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return p, nil
}

// body has the keys of both schemas that a Point needs.
type body struct {
	Schema string `json:"schema"`
	Drive  *struct {
		Firmware string `json:"firmware"`
	} `json:"drive"`

	SMART     *health `json:"smart"`
	Endurance *struct {
		RatedBytes json.RawMessage `json:"rated_bytes"`
		Source     *string         `json:"rated_source"`
		Indicative bool            `json:"rated_indicative"`
	} `json:"endurance"`
	Bench *struct {
		QD1Read *run `json:"qd1_read"`
	} `json:"bench"`

	Conditions struct {
		Before *driveState `json:"drive_before"`
		After  *driveState `json:"drive_after"`
	} `json:"conditions"`
	Results []run `json:"results"`
}

type driveState struct {
	Health *health `json:"health"`
}

// health has the same keys in a report and in the conditions of a benchmark.
type health struct {
	Hours            json.RawMessage `json:"power_on_hours"`
	PowerCycles      json.RawMessage `json:"power_cycles"`
	DataUnitsRead    json.RawMessage `json:"data_units_read"`
	DataUnitsWritten json.RawMessage `json:"data_units_written"`
	UnsafeShutdowns  json.RawMessage `json:"unsafe_shutdowns"`
	MediaErrors      json.RawMessage `json:"media_errors"`
	ErrorLogEntries  json.RawMessage `json:"error_log_entries"`
	PercentageUsed   json.RawMessage `json:"percentage_used_percent"`
	AvailableSpare   json.RawMessage `json:"available_spare_percent"`
	Temperature      *float64        `json:"composite_temperature_celsius"`
}

// run is a result of a benchmark.
type run struct {
	Op         string  `json:"op"`
	Pattern    string  `json:"pattern"`
	BlockBytes int64   `json:"block_bytes"`
	QueueDepth int     `json:"queue_depth"`
	Workers    int     `json:"workers"`
	Rate       float64 `json:"rate_per_s"`
	Latency    struct {
		P50 *float64 `json:"p50"`
		P99 *float64 `json:"p99"`
	} `json:"latency_us"`
}

// qd1 reports whether a run is of the kind that Points compare.
func (r *run) qd1() bool {
	return r.Op == "read" && r.Pattern == "random" && r.BlockBytes == 4096 && r.QueueDepth == 1 && r.Workers == 1 && r.Rate == 0
}

func (b *body) report(p *Point) {
	b.SMART.into(p)
	b.firmware(p)
	if b.Bench != nil && b.Bench.QD1Read != nil {
		b.Results = []run{*b.Bench.QD1Read}
	}
	b.latencies(p)
	if b.Endurance == nil {
		return
	}
	rated := counter(b.Endurance.RatedBytes, 1)
	if rated == nil || *rated == 0 {
		return
	}
	p.Rated = &Rated{Bytes: *rated, Indicative: b.Endurance.Indicative}
	if b.Endurance.Source != nil {
		p.Rated.Source = *b.Endurance.Source
	}
}

func (b *body) bench(p *Point) {
	state := b.Conditions.After
	if state == nil || state.Health == nil {
		state = b.Conditions.Before
	}
	if state != nil {
		state.Health.into(p)
	}
	b.firmware(p)
	b.latencies(p)
}

func (b *body) firmware(p *Point) {
	if b.Drive != nil && b.Drive.Firmware != "" {
		p.Firmware = &b.Drive.Firmware
	}
}

// latencies takes the medians over the runs that count.
func (b *body) latencies(p *Point) {
	var p50, p99 []float64
	for _, r := range b.Results {
		if !r.qd1() {
			continue
		}
		if r.Latency.P50 != nil {
			p50 = append(p50, *r.Latency.P50)
		}
		if r.Latency.P99 != nil {
			p99 = append(p99, *r.Latency.P99)
		}
	}
	p.QD1P50US, p.QD1P99US = median(p50), median(p99)
}

// median returns nil for no numbers.
func median(list []float64) *float64 {
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	m := (list[(len(list)-1)/2] + list[len(list)/2]) / 2
	return &m
}

// dataUnit is the size of a Data Unit in bytes.
const dataUnit = 512000

func (h *health) into(p *Point) {
	if h == nil {
		return
	}
	p.Hours = counter(h.Hours, 1)
	p.PowerCycles = counter(h.PowerCycles, 1)
	p.BytesRead = counter(h.DataUnitsRead, dataUnit)
	p.BytesWritten = counter(h.DataUnitsWritten, dataUnit)
	p.UnsafeShutdowns = counter(h.UnsafeShutdowns, 1)
	p.MediaErrors = counter(h.MediaErrors, 1)
	p.ErrorLogEntries = counter(h.ErrorLogEntries, 1)
	p.PercentageUsed = counter(h.PercentageUsed, 1)
	p.AvailableSpare = counter(h.AvailableSpare, 1)
	p.Temperature = h.Temperature
}

// counter returns a whole number times a unit, the largest one if it does not
// fit, and nil for what is none.
func counter(n json.RawMessage, unit int64) *uint64 {
	if len(n) > 60 { // 128 bits have 39 digits
		return nil
	}
	v, ok := new(big.Int).SetString(string(n), 10)
	if !ok || v.Sign() < 0 {
		return nil
	}
	v.Mul(v, big.NewInt(unit))
	result := uint64(math.MaxUint64)
	if v.IsUint64() {
		result = v.Uint64()
	}
	return &result
}
