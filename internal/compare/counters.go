package compare

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
)

// Counter is one counter of the SMART log. The texts accompany what a reader with
// floating-point numbers would round.
//
// Source: NVM Express Base Specification, Revision 2.0, SMART / Health
// Information Log Page.
type Counter struct {
	// Key is that of the report, Name its words.
	Key        string   `json:"key"`
	Name       string   `json:"name"`
	Unit       string   `json:"unit"`
	Before     *big.Int `json:"before"`
	BeforeText string   `json:"before_s,omitempty"`
	After      *big.Int `json:"after"`
	AfterText  string   `json:"after_s,omitempty"`
	// Change is negative for a counter that went backwards.
	Change     *big.Int `json:"change"`
	ChangeText string   `json:"change_s,omitempty"`
	// PerDay is the change in a day of 24 hours by the clock of the host, nil for
	// less than an hour and for a counter that went backwards.
	PerDay *float64 `json:"per_day"`

	alarming bool
}

// Level is a figure that rises and falls.
type Level struct {
	Key    string `json:"key"`
	Name   string `json:"name"`
	Unit   string `json:"unit"`
	Before int    `json:"before"`
	After  int    `json:"after"`
	Change int    `json:"change"`
}

// Rates are what follows for a year. nil: not known, or less than an hour
// between.
type Rates struct {
	BytesReadPerDay    *float64 `json:"bytes_read_per_day"`
	BytesWrittenPerDay *float64 `json:"bytes_written_per_day"`
	PowerCyclesPerDay  *float64 `json:"power_cycles_per_day"`
	// PoweredPercent is the share of the time that the drive was on.
	PoweredPercent *float64 `json:"powered_percent"`
	// UsedPercentPerYear is the wear by Percentage Used, between two bounds
	// because that counts in whole percent.
	UsedPercentPerYear *[2]float64 `json:"percentage_used_percent_per_year"`
	// RatedPercentPerYear is the wear by bytes written as a share of the rated
	// endurance.
	RatedPercentPerYear *float64 `json:"rated_percent_per_year"`
	// Assumption says what a forecast from these rates takes for granted.
	Assumption string `json:"assumption"`
}

// yearDays is the length of a year in days.
const yearDays = 365.25

// entry is a counter of the SMART log. source is another key that a report must
// have for it, "" for none.
type entry struct {
	key, source, name, unit string
	alarming                bool
	of                      func(*report.SMART) *big.Int
}

func entries() []entry {
	wide := func(of func(*report.SMART) nvme.Uint128) func(*report.SMART) *big.Int {
		return func(s *report.SMART) *big.Int { return of(s).Big() }
	}
	narrow := func(of func(*report.SMART) uint32) func(*report.SMART) *big.Int {
		return func(s *report.SMART) *big.Int { return new(big.Int).SetUint64(uint64(of(s))) }
	}
	type s = *report.SMART
	return []entry{
		{"power_on_hours", "", "power-on hours", "h", false, wide(func(x s) nvme.Uint128 { return x.PowerOnHours })},
		{"power_cycles", "", "power cycles", "", false, wide(func(x s) nvme.Uint128 { return x.PowerCycles })},
		{"unsafe_shutdowns", "", "unsafe shutdowns", "", false, wide(func(x s) nvme.Uint128 { return x.UnsafeShutdowns })},
		{"bytes_read", "data_units_read", "bytes read", "B", false, func(x s) *big.Int { return x.BytesRead }},
		{"bytes_written", "data_units_written", "bytes written", "B", false, func(x s) *big.Int { return x.BytesWritten }},
		{"host_read_commands", "", "host read commands", "", false, wide(func(x s) nvme.Uint128 { return x.HostReadCommands })},
		{"host_write_commands", "", "host write commands", "", false, wide(func(x s) nvme.Uint128 { return x.HostWriteCommands })},
		{"controller_busy_minutes", "", "controller busy time", "min", false, wide(func(x s) nvme.Uint128 { return x.ControllerBusyMinutes })},
		{"percentage_used_percent", "", "percentage used", "%", false, func(x s) *big.Int { return big.NewInt(int64(x.PercentageUsedPercent)) }},
		{"media_errors", "", "media errors", "", true, wide(func(x s) nvme.Uint128 { return x.MediaErrors })},
		{"error_log_entries", "", "error log entries", "", true, wide(func(x s) nvme.Uint128 { return x.ErrorLogEntries })},
		{"warning_temperature_minutes", "", "time above the warning temperature", "min", true, narrow(func(x s) uint32 { return x.WarningTemperatureMinutes })},
		{"critical_temperature_minutes", "", "time above the critical temperature", "min", true, narrow(func(x s) uint32 { return x.CriticalTemperatureMinutes })},
		{"tmt1_transitions", "thermal_management.tmt1_transitions", "entries into light thermal throttling", "", true, narrow(func(x s) uint32 { return x.ThermalManagement.TMT1Transitions })},
		{"tmt2_transitions", "thermal_management.tmt2_transitions", "entries into heavy thermal throttling", "", true, narrow(func(x s) uint32 { return x.ThermalManagement.TMT2Transitions })},
	}
}

// in returns the counter of a log, nil if the report does not have it.
func (e entry) in(s *report.SMART) *big.Int {
	around, _, _ := strings.Cut(e.source, ".")
	if !s.Has(e.key) || !s.Has(e.source) || !s.Has(around) {
		return nil
	}
	return e.of(s)
}

// counters fills in the counters that both logs have.
func (d *Deltas) counters(was, is *report.SMART) {
	for _, e := range entries() {
		b, a := e.in(was), e.in(is)
		if b == nil || a == nil {
			continue
		}
		c := Counter{Key: e.key, Name: e.name, Unit: e.unit, Before: b, After: a, Change: new(big.Int).Sub(a, b), alarming: e.alarming}
		c.BeforeText, c.AfterText, c.ChangeText = twin(b), twin(a), twin(c.Change)
		if c.Change.Sign() < 0 {
			d.WentBackwards = append(d.WentBackwards, e.key)
		} else {
			c.PerDay = d.perDay(c.Change)
		}
		d.Counters = append(d.Counters, c)
	}
}

// twin is the text of a number that needs one.
func twin(n *big.Int) string {
	if n.BitLen() <= 53 {
		return ""
	}
	return n.String()
}

// perDay returns a change in a day, nil over too short a time.
func (d *Deltas) perDay(change *big.Int) *float64 {
	if d.AfterTime.Sub(d.BeforeTime) < leastApart {
		return nil
	}
	n, _ := new(big.Float).SetInt(change).Float64()
	return new(round(n / d.days()))
}

func (d *Deltas) days() float64 { return d.AfterTime.Sub(d.BeforeTime).Hours() / 24 }

func (d *Deltas) counter(key string) *Counter {
	if i := slices.IndexFunc(d.Counters, func(c Counter) bool { return c.Key == key }); i >= 0 {
		return &d.Counters[i]
	}
	return nil
}

func (d *Deltas) levels(was, is *report.SMART) {
	add := func(key, name, unit string, b, a *int) {
		if b != nil && a != nil && was.Has(key) && is.Has(key) {
			d.Levels = append(d.Levels, Level{key, name, unit, *b, *a, *a - *b})
		}
	}
	add("composite_temperature_celsius", "composite temperature", "°C", was.CompositeTemperatureCelsius, is.CompositeTemperatureCelsius)
	add("available_spare_percent", "available spare", "%", &was.AvailableSparePercent, &is.AvailableSparePercent)
}

// rates fills in what follows for a day and a year.
func (d *Deltas) rates(is *report.Report) {
	r := &d.Rates
	if d.AfterTime.Sub(d.BeforeTime) < leastApart {
		r.Assumption = "less than an hour between the reports: too short for a rate"
		return
	}
	r.Assumption = "that the drive goes on being used as between the reports, " + apart(d.AfterTime.Sub(d.BeforeTime))
	r.BytesReadPerDay, r.BytesWrittenPerDay = d.rate("bytes_read"), d.rate("bytes_written")
	r.PowerCyclesPerDay = d.rate("power_cycles")
	if hours := d.rate("power_on_hours"); hours != nil {
		r.PoweredPercent = new(round(min(100, 100**hours/24)))
	}
	if used := d.counter("percentage_used_percent"); used != nil && used.PerDay != nil {
		n := float64(used.Change.Int64())
		r.UsedPercentPerYear = &[2]float64{round(max(n-1, 0) / d.days() * yearDays), round((n + 1) / d.days() * yearDays)}
	}
	if e := is.Endurance; e != nil && e.RatedBytes != nil && *e.RatedBytes > 0 && e.NotJudged == "" && r.BytesWrittenPerDay != nil {
		r.RatedPercentPerYear = new(digits(100 * *r.BytesWrittenPerDay * yearDays / float64(*e.RatedBytes)))
	}
}

func (d *Deltas) rate(key string) *float64 {
	if c := d.counter(key); c != nil {
		return c.PerDay
	}
	return nil
}

// apart writes the time between the reports.
func apart(t time.Duration) string {
	if days := t.Hours() / 24; days >= 2 {
		return number(days) + " days"
	}
	return number(t.Hours()) + " h"
}
