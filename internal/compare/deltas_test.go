package compare

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// reported makes a report so many hours after a fixed time, with a SMART log.
func reported(hours float64, change func(*nvme.SMARTLog)) *report.Report {
	l := &nvme.SMARTLog{
		CompositeTemperature: 313, AvailableSpare: 100, PowerOnHours: nvme.U128(1000), PowerCycles: nvme.U128(10),
		DataUnitsWritten: nvme.U128(1e6), DataUnitsRead: nvme.U128(2e6),
	}
	if change != nil {
		change(l)
	}
	r := &report.Report{Schema: report.Schema, Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(hours * float64(time.Hour)))}
	r.Drive = report.Identity{Serial: "A1", Model: "M", Firmware: "1"}
	r.SMART.Data = report.NewSMART(l)
	return r
}

func TestDeltas(t *testing.T) {
	is := reported(48, func(l *nvme.SMARTLog) {
		l.PowerOnHours, l.PowerCycles, l.DataUnitsWritten = nvme.U128(1024), nvme.U128(12), nvme.U128(1e6+2000)
		l.CompositeTemperature, l.PercentageUsed, l.MediaErrors, l.TMT1Transitions = 320, 1, nvme.U128(3), 4
		l.CriticalWarning, l.AvailableSpare = nvme.WarningReadOnly, 98
	})
	is.Drive.Firmware = "2"
	is.Endurance = &smart.Endurance{RatedBytes: new(int64(1e12))}
	d := Reports(reported(0, nil), is)
	if d.Refused != nil || d.Hours != 48 || d.Serial != "A1" || len(d.WentBackwards) != 0 {
		t.Fatalf("got %+v", d)
	}
	changes := map[string]int64{
		"power_on_hours": 24, "power_cycles": 2, "bytes_written": 1024e6, "bytes_read": 0, "percentage_used_percent": 1,
		"media_errors": 3, "tmt1_transitions": 4, "tmt2_transitions": 0, "unsafe_shutdowns": 0,
	}
	for key, want := range changes {
		c := d.counter(key)
		if c == nil || c.Change.Int64() != want || c.PerDay == nil || *c.PerDay != float64(want)/2 {
			t.Errorf("%s is %+v, want a change of %d", key, c, want)
		}
	}
	want := Rates{
		BytesReadPerDay: new(0.0), BytesWrittenPerDay: new(512e6), PowerCyclesPerDay: new(1.0), PoweredPercent: new(50.0),
		UsedPercentPerYear: &[2]float64{0, 365.25}, RatedPercentPerYear: new(18.7),
		Assumption: "that the drive goes on being used as between the reports, 2 days",
	}
	if diff := cmp.Diff(want, d.Rates); diff != "" {
		t.Errorf("rates (-want +got):\n%s", diff)
	}
	levels := []Level{{"composite_temperature_celsius", "composite temperature", "°C", 40, 47, 7}, {"available_spare_percent", "available spare", "%", 100, 98, -2}}
	if diff := cmp.Diff(levels, d.Levels); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	facts := []string{"media errors rose by 3 to 3", "entries into light thermal throttling rose by 4 to 4", "new critical warning: read_only", "firmware: 1, then 2"}
	if diff := cmp.Diff(facts, d.Facts); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	if !slices.Equal(d.NewWarnings, []string{"read_only"}) {
		t.Errorf("warnings %q", d.NewWarnings)
	}
}

func TestRefusals(t *testing.T) {
	with := func(f func(*report.Report)) *report.Report {
		r := reported(1, nil)
		f(r)
		return r
	}
	tests := []struct {
		was, is *report.Report
		want    string
	}{
		{nil, reported(1, nil), "there are not two reports"},
		{reported(0, nil), with(func(r *report.Report) { r.Drive.Serial = "B2" }), `the reports are of two drives: the serial numbers are "A1" and "B2"`},
		{reported(0, nil), with(func(r *report.Report) { r.Drive.Model = "N" }), `the reports are of two drives: the models are "M" and "N"`},
		{reported(0, nil), with(func(r *report.Report) { r.Drive.Serial = "" }), "a report has no serial number, so that nothing says that both are of one drive"},
		{reported(0, nil), with(func(r *report.Report) { r.Simulated = true }), "one report is of a simulated drive and the other is not"},
		{reported(0, nil), with(func(r *report.Report) { r.SATA = &report.SATA{} }), "only NVMe drives are compared"},
		{with(func(r *report.Report) { r.SMART.Data = nil }), reported(1, nil), "the first report has no SMART log"},
		{reported(0, nil), with(func(r *report.Report) { r.SMART.Data = nil }), "the second report has no SMART log"},
		{reported(2, nil), reported(1, nil), "the second report is older than the first: give them the other way round"},
	}
	for _, tt := range tests {
		d := Reports(tt.was, tt.is)
		if d.Refused == nil || *d.Refused != tt.want || len(d.Counters) != 0 || len(d.Facts) != 0 {
			t.Errorf("got %v, want %q", d.Refused, tt.want)
		}
	}
}

func TestBackwards(t *testing.T) {
	d := Reports(reported(0, nil), reported(24, func(l *nvme.SMARTLog) { l.PowerOnHours, l.PowerCycles = nvme.U128(5), nvme.U128(0) }))
	if want := []string{"power_on_hours", "power_cycles"}; !slices.Equal(d.WentBackwards, want) {
		t.Errorf("backwards %q, want %q", d.WentBackwards, want)
	}
	if c := d.counter("power_on_hours"); c.PerDay != nil || c.Change.Cmp(big.NewInt(-995)) != 0 || d.Rates.PoweredPercent != nil {
		t.Errorf("counter is %+v, rates %+v", c, d.Rates)
	}
	const want = "power-on hours went backwards from 1 000 h to 5 h: the counter was reset, or the log is not this drive's"
	if len(d.Facts) != 2 || d.Facts[0] != want {
		t.Errorf("facts %q", d.Facts)
	}
}

// TestTooManyHours: a drive cannot have been on for longer than it was.
func TestTooManyHours(t *testing.T) {
	d := Reports(reported(0, nil), reported(24, func(l *nvme.SMARTLog) { l.PowerOnHours = nvme.U128(1100) }))
	if want := "power-on hours rose by 100 in 24 h: the counter or a clock is wrong"; !slices.Contains(d.Facts, want) || *d.Rates.PoweredPercent != 100 {
		t.Errorf("facts %q, rates %+v", d.Facts, d.Rates)
	}
}

func TestTooShort(t *testing.T) {
	d := Reports(reported(0, nil), reported(0.5, func(l *nvme.SMARTLog) { l.DataUnitsWritten = nvme.U128(2e6) }))
	if r := d.Rates; r.BytesWrittenPerDay != nil || r.UsedPercentPerYear != nil || r.Assumption != "less than an hour between the reports: too short for a rate" {
		t.Errorf("rates %+v", r)
	}
	if c := d.counter("bytes_written"); c.PerDay != nil || c.Change.Int64() != 1e6*512000 {
		t.Errorf("counter %+v", c)
	}
}

// TestUnknownWear: an endurance that must not be judged gives no rate.
func TestUnknownWear(t *testing.T) {
	is := reported(24, nil)
	is.Endurance = &smart.Endurance{RatedBytes: new(int64(1e12)), NotJudged: "this firmware miscounts"}
	if d := Reports(reported(0, nil), is); d.Rates.RatedPercentPerYear != nil {
		t.Errorf("rate is %v", *d.Rates.RatedPercentPerYear)
	}
}

// TestLargeCounters: what floating point would round has a text.
func TestLargeCounters(t *testing.T) {
	d := Reports(reported(0, nil), reported(24, func(l *nvme.SMARTLog) { l.HostReadCommands = nvme.U128(1<<60 + 1) }))
	b, err := json.Marshal(d.counter("host_read_commands"))
	const want = `"before":0,"after":1152921504606846977,"after_s":"1152921504606846977","change":1152921504606846977,"change_s":"1152921504606846977"`
	if err != nil || !strings.Contains(string(b), want) {
		t.Errorf("got %s, %v", b, err)
	}
}

// TestBytesOfAForeignReport: a log without a number is no log of 0.
func TestBytesOfAForeignReport(t *testing.T) {
	was := reported(0, nil)
	was.SMART.Data.BytesWritten = nil
	d := Reports(was, reported(24, nil))
	if c := d.counter("bytes_written"); c != nil || d.Rates.BytesWrittenPerDay != nil {
		t.Errorf("counter %+v, rate %v", c, d.Rates.BytesWrittenPerDay)
	}
}

func TestReportTexts(t *testing.T) {
	was, is := reported(0, nil), reported(24, nil)
	was.Host.Kernel, is.Host.Kernel = "6.12", "6.18"
	was.Link.Data, is.Link.Data = &report.Link{SpeedGTs: new(8.0), Width: new(4)}, &report.Link{SpeedGTs: new(8.0), Width: new(1)}
	was.Verdict.Level, is.Verdict.Level = "keep", "return"
	us := func(v float64) *report.Bench {
		return &report.Bench{QD1Read: &bench.Result{Latency: bench.Latency{P50: &v}}}
	}
	was.Bench.Data, is.Bench.Data = us(10), us(12)
	d := Reports(was, is)
	want := []Change{{"kernel", "6.12", "6.18"}, {"link", "8 GT/s x4", "8 GT/s x1"}, {"verdict", "keep", "return"}}
	if diff := cmp.Diff(want, d.Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if q := d.QD1; q == nil || q.BeforeUS != 10 || *q.ChangePercent != 20 || !strings.Contains(q.Note, "no verdict") {
		t.Errorf("QD1 is %+v", q)
	}
	is.Bench.Data.QD1Read.Latency.P50 = nil
	if d := Reports(was, is); d.QD1 != nil {
		t.Errorf("QD1 is %+v", d.QD1)
	}
}
