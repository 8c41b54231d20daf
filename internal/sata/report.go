package sata

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
)

// Report is all that is read of a drive. A part that was not read is null; a
// part that could not be read is also in Problems.
type Report struct {
	Host        *Host        `json:"host"`
	Advice      *Advice      `json:"advice"`
	Identity    *Identity    `json:"identity"`
	Status      *Status      `json:"smart_status"`
	Attributes  *Attributes  `json:"attributes"`
	Statistics  *Statistics  `json:"device_statistics"`
	ErrorLog    *ErrorLog    `json:"error_log"`
	SelfTestLog *SelfTestLog `json:"self_test_log"`
	Health      *Health      `json:"health"`
	Endurance   *Endurance   `json:"endurance"`
	Problems    []Problem    `json:"problems"`
	Verdict     Assessment   `json:"verdict"`
	Footprint   Footprint    `json:"footprint"`
}

// Problem is a part of a report that could not be read.
type Problem struct {
	// Section is one of the Section constants.
	Section string `json:"section"`
	// Kind is a word for the cause; see the Kind constants.
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}

// Names of sections.
const (
	SectionIdentity   = "IDENTIFY DEVICE"
	SectionStatus     = "SMART status"
	SectionAttributes = "SMART attributes"
	SectionDirectory  = "log directory"
	SectionStatistics = "device statistics"
	SectionErrors     = "error log"
	SectionSelfTests  = "self-test log"
)

// Kind says what stopped a section from being read.
type Kind string

// The kinds of Problem.
const (
	KindRefused    Kind = "refused"     // The drive does not carry the command out.
	KindNotATA     Kind = "not-ata"     // There is no ATA drive, or none that can be reached.
	KindBridge     Kind = "bridge"      // What stands between does not pass it on.
	KindTimeout    Kind = "timeout"     // No answer in time.
	KindGone       Kind = "gone"        // The drive was removed.
	KindPermission Kind = "permission"  // The host refused.
	KindInterrupt  Kind = "interrupted" // The context ended.
	KindNoData     Kind = "no-data"     // An empty page.
	KindSkipped    Kind = "skipped"     // Not tried after an earlier failure.
	KindFailed     Kind = "failed"      // Anything else.
)

// problemOf describes an error for a section.
func problemOf(section string, err error, host *Host) Problem {
	p := Problem{Section: section, Kind: kindOf(err), Text: err.Error()}
	switch p.Kind {
	case KindPermission:
		p.Hint = "ATA commands need root (CAP_SYS_RAWIO): run it with sudo"
	case KindTimeout:
		p.Hint = "look at the kernel log (dmesg) for resets of this drive; give more time with --timeout"
	case KindNotATA, KindBridge:
		if a := host.Advice(); a != nil {
			p.Hint = a.Hint
		}
	}
	return p
}

func kindOf(err error) Kind {
	for _, k := range []struct {
		err  error
		kind Kind
	}{
		{context.Canceled, KindInterrupt},
		{context.DeadlineExceeded, KindTimeout},
		{ErrTimeout, KindTimeout},
		{ErrGone, KindGone},
		{os.ErrClosed, KindGone},
		{ErrNotATA, KindNotATA},
		{ErrNotTranslated, KindBridge},
		{ErrNoRegisters, KindBridge},
		{ErrAborted, KindRefused},
		{ErrEmptyPage, KindNoData},
		{fs.ErrPermission, KindPermission},
	} {
		if errors.Is(err, k.err) {
			return k.kind
		}
	}
	return KindFailed
}

// ends reports whether nothing else can be read after a problem.
func (k Kind) ends() bool {
	switch k {
	case KindInterrupt, KindTimeout, KindGone, KindNotATA, KindPermission:
		return true
	}
	return false
}

// Collect reads a drive, each command with the time-out given, 0 for
// [DefaultTimeout], and judges it. Optional commands are sent only where the
// drive lists them: a refused one adds an entry to the drive's error log. A disk
// that sleeps may start to spin.
func Collect(ctx context.Context, d *Device, timeout time.Duration) *Report {
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	c := &collector{ctx: ctx, device: d, timeout: timeout, report: &Report{Host: d.Host(), Advice: d.Host().Advice(), Problems: []Problem{}}}
	c.identity()
	if r := c.report; r.Identity != nil && r.Identity.SMART.Supported && r.Identity.SMART.Enabled {
		c.smart()
	}
	c.report.finish()
	c.report.Footprint = d.Footprint()
	return c.report
}

// finish adds what follows from what was read.
func (r *Report) finish() {
	if r.Attributes != nil || r.Statistics != nil {
		r.Health = HealthOf(r.Identity, r.Attributes, r.Statistics)
		r.Endurance = EnduranceOf(r.Identity, r.Health)
	}
	r.Verdict = Assess(r.Facts())
}

// collector reads one section after the other until one of them ends it.
type collector struct {
	ctx     context.Context
	device  *Device
	timeout time.Duration
	report  *Report
	ended   bool
}

// section reads one section and keeps its problem. It returns nil for a
// section that was not read.
func section[T any](c *collector, name string, read func(context.Context) (T, error)) *T {
	if c.ended {
		c.report.Problems = append(c.report.Problems, Problem{Section: name, Kind: KindSkipped, Text: "not tried after an earlier failure"})
		return nil
	}
	ctx, cancel := context.WithTimeout(c.ctx, c.timeout)
	defer cancel()
	v, err := read(ctx)
	if err != nil {
		p := problemOf(name, err, c.device.Host())
		c.report.Problems = append(c.report.Problems, p)
		c.ended = c.ended || p.Kind.ends()
		return nil
	}
	return &v
}

// value takes the pointer out of a section of a pointer.
func value[T any](p **T) *T {
	if p == nil {
		return nil
	}
	return *p
}

func (c *collector) identity() {
	c.report.Identity = value(section(c, SectionIdentity, c.device.Identify))
}

func (c *collector) smart() {
	r, d := c.report, c.device
	r.Status = section(c, SectionStatus, d.Status)
	r.Attributes = value(section(c, SectionAttributes, func(ctx context.Context) (*Attributes, error) {
		return d.Attributes(ctx, r.Identity)
	}))
	var dir *Directory
	if r.Identity.GeneralLogging || r.Identity.ErrorLogging {
		dir = value(section(c, SectionDirectory, d.Directory))
	}
	if dir != nil && dir[logStatistics] > 0 {
		r.Statistics = value(section(c, SectionStatistics, func(ctx context.Context) (*Statistics, error) {
			return d.Statistics(ctx, dir)
		}))
	}
	if r.Identity.ErrorLogging {
		r.ErrorLog = value(section(c, SectionErrors, d.ErrorLog))
	}
	if r.Identity.SelfTest {
		r.SelfTestLog = value(section(c, SectionSelfTests, d.SelfTestLog))
	}
}
