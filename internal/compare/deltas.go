package compare

import (
	"fmt"
	"time"

	"qd1.example/qd1/internal/report"
)

// DeltasSchema is the name and version of the JSON object of Deltas.
const DeltasSchema = "qd1.deltas/1"

// leastApart is the shortest time that a rate is computed over.
const leastApart = time.Hour

// Deltas is what became different in a drive between two reports.
type Deltas struct {
	Schema string      `json:"schema"`
	Tool   report.Tool `json:"tool"`
	// Refused says why the reports are not compared; nothing else is filled in
	// then but what is known of both. nil: they are.
	Refused *string `json:"refused"`

	Serial     string    `json:"serial"`
	Model      string    `json:"model"`
	Simulated  bool      `json:"simulated"`
	BeforeTime time.Time `json:"before_time"`
	AfterTime  time.Time `json:"after_time"`
	// Hours are those between the reports by the clock of the host.
	Hours float64 `json:"hours"`

	// Counters are those of the SMART log that both reports have.
	Counters []Counter `json:"counters"`
	// WentBackwards names the counters that fell, which they never should.
	WentBackwards []string `json:"went_backwards"`
	Levels        []Level  `json:"levels"`
	Rates         Rates    `json:"rates"`
	// NewWarnings are the bits of Critical Warning that came up.
	NewWarnings []string `json:"new_critical_warnings"`
	// Changes are the texts that differ, such as the firmware.
	Changes []Change `json:"changes"`
	// QD1 are the latencies of both reports, nil if one has none.
	QD1 *QD1 `json:"qd1_read"`
	// Facts says the important ones in sentences.
	Facts []string `json:"facts"`
}

// Change is a text that differs.
type Change struct {
	What   string `json:"what"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// QD1 is the median latency of reads of 4 KiB, one at a time, in µs. It is one
// run a side, from which no verdict follows.
type QD1 struct {
	BeforeUS      float64  `json:"before_p50_us"`
	AfterUS       float64  `json:"after_p50_us"`
	ChangePercent *float64 `json:"change_percent"`
	Note          string   `json:"note"`
}

// Reports compares two reports of one drive. What has to do with another drive,
// or has no SMART log, is refused with the reason.
func Reports(was, is *report.Report) *Deltas {
	d := &Deltas{
		Schema: DeltasSchema, Counters: []Counter{}, WentBackwards: []string{}, Levels: []Level{},
		NewWarnings: []string{}, Changes: []Change{}, Facts: []string{},
	}
	if was != nil && is != nil {
		d.Serial, d.Model, d.Simulated = is.Drive.Serial, is.Drive.Model, was.Simulated || is.Simulated
		d.BeforeTime, d.AfterTime = was.Time, is.Time
		d.Hours = round(is.Time.Sub(was.Time).Hours())
	}
	if reason := refusal(was, is); reason != "" {
		d.Refused = &reason
		return d
	}
	d.counters(was.SMART.Data, is.SMART.Data)
	d.levels(was.SMART.Data, is.SMART.Data)
	d.warnings(was.SMART.Data.CriticalWarning, is.SMART.Data.CriticalWarning)
	d.texts(was, is)
	d.qd1(was.Bench.Data, is.Bench.Data)
	d.rates(is)
	d.tell()
	return d
}

// refusal says why two reports cannot be compared, "" if they can.
func refusal(was, is *report.Report) string {
	switch {
	case was == nil || is == nil:
		return "there are not two reports"
	case was.SATA != nil || is.SATA != nil:
		return "only NVMe drives are compared"
	case was.Drive.Model != is.Drive.Model:
		return fmt.Sprintf("the reports are of two drives: the models are %q and %q", was.Drive.Model, is.Drive.Model)
	case was.Drive.Serial == "" || is.Drive.Serial == "":
		return "a report has no serial number, so that nothing says that both are of one drive"
	case was.Drive.Serial != is.Drive.Serial:
		return fmt.Sprintf("the reports are of two drives: the serial numbers are %q and %q", was.Drive.Serial, is.Drive.Serial)
	case was.Simulated != is.Simulated:
		return "one report is of a simulated drive and the other is not"
	case was.SMART.Data == nil:
		return "the first report has no SMART log"
	case is.SMART.Data == nil:
		return "the second report has no SMART log"
	case is.Time.Before(was.Time):
		return "the second report is older than the first: give them the other way round"
	}
	return ""
}

func (d *Deltas) warnings(was, is report.CriticalWarning) {
	for _, w := range []struct {
		was, is bool
		name    string
	}{
		{was.AvailableSpareLow, is.AvailableSpareLow, "available_spare_low"},
		{was.Temperature, is.Temperature, "temperature"},
		{was.ReliabilityDegraded, is.ReliabilityDegraded, "reliability_degraded"},
		{was.ReadOnly, is.ReadOnly, "read_only"},
		{was.VolatileBackupFailed, is.VolatileBackupFailed, "volatile_backup_failed"},
		{was.PMRUnreliable, is.PMRUnreliable, "pmr_unreliable"},
	} {
		if w.is && !w.was {
			d.NewWarnings = append(d.NewWarnings, w.name)
		}
	}
}

// texts compares what is no number.
func (d *Deltas) texts(was, is *report.Report) {
	add := func(what, x, y string) {
		if x != y && x != "" && y != "" {
			d.Changes = append(d.Changes, Change{what, x, y})
		}
	}
	add("firmware", was.Drive.Firmware, is.Drive.Firmware)
	add("kernel", was.Host.Kernel, is.Host.Kernel)
	add("link", link(was), link(is))
	add("verdict", string(was.Verdict.Level), string(is.Verdict.Level))
	add("version of qd1", was.Tool.Version, is.Tool.Version)
}

func link(r *report.Report) string {
	l := r.Link.Data
	if l == nil || l.SpeedGTs == nil || l.Width == nil {
		return ""
	}
	return fmt.Sprintf("%g GT/s x%d", *l.SpeedGTs, *l.Width)
}

func (d *Deltas) qd1(was, is *report.Bench) {
	if was == nil || is == nil || was.QD1Read == nil || is.QD1Read == nil {
		return
	}
	b, a := was.QD1Read.Latency.P50, is.QD1Read.Latency.P50
	if b == nil || a == nil {
		return
	}
	d.QD1 = &QD1{*b, *a, change(b, a), fmt.Sprintf("one run a side: no verdict follows from it; make %d a side with bench and compare those", AdvisedRuns)}
}

// tell says the important changes in sentences.
func (d *Deltas) tell() {
	fact := func(format string, args ...any) { d.Facts = append(d.Facts, fmt.Sprintf(format, args...)) }
	for _, c := range d.Counters {
		switch {
		case c.Change.Sign() < 0:
			fact("%s went backwards from %s to %s: the counter was reset, or the log is not this drive's", c.Name, whole(c.Before, c.Unit), whole(c.After, c.Unit))
		case c.alarming && c.Change.Sign() > 0:
			fact("%s rose by %s to %s", c.Name, whole(c.Change, c.Unit), whole(c.After, c.Unit))
		}
	}
	for _, w := range d.NewWarnings {
		fact("new critical warning: %s", w)
	}
	for _, c := range d.Changes {
		fact("%s: %s, then %s", c.What, c.Before, c.After)
	}
	if h := d.counter("power_on_hours"); h != nil && h.Change.IsInt64() && float64(h.Change.Int64()) > d.Hours+1 {
		fact("power-on hours rose by %s in %s h: the counter or a clock is wrong", h.Change, number(d.Hours))
	}
}
