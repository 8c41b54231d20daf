package report

import (
	"context"
	"fmt"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
	"qd1.example/qd1/smart/drivedb"
)

// collection is the state of one Collect.
type collection struct {
	drive *Drive
	opt   *Options
	probe *probe
	ctl   *nvme.Controller
	r     *Report
	facts smart.Facts
}

// Collect reads everything about the drive. It always returns a report: what
// could not be read is a problem in its section. When ctx ends it returns what
// it has.
func Collect(ctx context.Context, d *Drive, opt Options) *Report {
	p := &probe{dev: d.Passthru, timeout: opt.Timeout}
	c := &collection{drive: d, opt: &opt, probe: p, ctl: nvme.NewController(p), r: &Report{
		Schema: Schema, Tool: opt.Tool, Time: opt.Now().UTC(), Host: hostOf(d, opt.Host),
		Simulated: d.Simulated, Drive: hostIdentity(d),
	}}
	if d.Source != nil {
		c.r.Source = d.Source.inReport()
	}
	if d.SATA != nil {
		c.collectSATA(ctx)
		return c.r
	}
	c.identify(ctx)
	c.smart(ctx)
	c.logs(ctx)
	c.link()
	c.bench(ctx)
	c.vendorLogs(ctx)
	c.footprint(ctx)
	c.judge()
	return c.r
}

// hostOf is the computer that the drive is or was in.
func hostOf(d *Drive, this HostFacts) HostFacts {
	if d.Source != nil {
		return HostFacts{Kernel: d.Source.Platform}
	}
	if d.Kernel != "" {
		this.Kernel = d.Kernel
	}
	return this
}

func (c *collection) identify(ctx context.Context) {
	c.opt.step("reading Identify")
	id, err := ReadIdentify(ctx, c.ctl)
	if err != nil {
		c.r.IdentifyController = Section[IdentifyController]{Problem: problemOf(err)}
		c.r.Namespaces = failf[[]Namespace](KindSkipped, "not tried: Identify Controller could not be read")
		c.lookUp()
		if c.r.Source != nil {
			c.namespaces(ctx, new(nvme.IdentifyController))
		}
		return
	}
	c.facts.Controller = id
	c.r.IdentifyController.Data = NewIdentifyController(id)
	c.r.IdentifyController.Data.Partial = c.r.Source.partial("identify_controller")
	c.r.Drive.fromController(id, c.r.IdentifyController.Data.Partial)
	c.lookUp()
	c.namespaces(ctx, id)
}

func (c *collection) namespaces(ctx context.Context, id *nvme.IdentifyController) {
	c.r.Namespaces = section(namespaces(ctx, c.ctl, id, c.drive.Host))
	list := c.r.Namespaces.Data
	for i := range orZero(list) {
		(*list)[i].Partial = c.r.Source.partial("namespaces")
		c.facts.SizeBytes += int64((*list)[i].SizeBytes)
	}
	if s := c.r.Source; s != nil && (list == nil || s.SomeNamespaces) {
		c.facts.SizeBytes = orZero(s.SizeBytes)
	}
}

func (c *collection) link() {
	c.r.Link = NewLink(c.drive.Host)
	if c.r.Source != nil && c.r.Link.Data == nil {
		c.r.Link = failf[Link](KindNotInDump, "not in this dump")
	}
}

// lookUp finds the model in the drive database.
func (c *collection) lookUp() {
	models := c.opt.Models
	if models == nil {
		models = drivedb.Builtin()
	}
	c.facts.Model = models.Lookup(c.r.Drive.Model)
	c.r.Drive.fromDatabase(c.facts.Model)
}

func (c *collection) smart(ctx context.Context) {
	c.opt.step("reading the SMART log")
	l, err := ReadSMART(ctx, c.ctl)
	c.facts.SMART = l
	if err != nil {
		c.r.SMART = Section[SMART]{Problem: problemOf(err)}
		return
	}
	s := NewSMART(l)
	s.Partial = c.r.Source.partial("smart")
	if id := c.facts.Controller; id != nil {
		s.setLimits(id)
	}
	c.r.SMART.Data = s
}

func (c *collection) logs(ctx context.Context) {
	c.opt.step("reading the error and firmware logs")
	id := c.facts.Controller
	fw, err := c.ctl.FirmwareSlotLog(ctx)
	if err != nil {
		c.r.Firmware = Section[Firmware]{Problem: problemOf(err)}
	} else {
		c.r.Firmware.Data = NewFirmware(fw, id)
		c.r.Firmware.Data.Partial = c.r.Source.partial("firmware")
	}
	if id == nil && c.r.Source != nil {
		id = &nvme.IdentifyController{ELPE: 255} // As much as there can be.
	}
	if id == nil {
		c.r.Errors = failf[Errors](KindSkipped, "not tried: its length is in Identify Controller, which could not be read")
		return
	}
	entries, err := c.ctl.ErrorLog(ctx, id)
	if err != nil {
		c.r.Errors = Section[Errors]{Problem: problemOf(err)}
		return
	}
	c.facts.Errors = append(nvme.ErrorLog{}, entries...) // Not nil: it was read.
	c.r.Errors.Data = NewErrors(entries, c.counters(), blocksOf(orZero(c.r.Namespaces.Data)))
	c.r.Errors.Data.Partial = c.r.Source.partial("errors")
}

// counters is the SMART log, nil if it could not be read or has no data.
func (c *collection) counters() *nvme.SMARTLog {
	if c.r.SMART.Problem != nil {
		return nil
	}
	return c.facts.SMART
}

// NewErrors returns the section of an error log. The SMART log may be nil.
func NewErrors(log nvme.ErrorLog, s *nvme.SMARTLog, sizes map[nvme.NSID]smart.Blocks) *Errors {
	e := &Errors{Entries: []ErrorEntry{}, Groups: smart.GroupErrors(log), Triage: smart.TriageErrors(log, s, sizes)}
	if e.Groups == nil {
		e.Groups = []smart.ErrorGroup{}
	}
	for _, entry := range log {
		s := entry.StatusInfo.Status()
		e.Entries = append(e.Entries, ErrorEntry{entry, uint16(s), s.String()})
	}
	return e
}

func (c *collection) bench(ctx context.Context) {
	switch {
	case c.opt.Bench == nil || c.drive.Target == nil && c.drive.WhyNoTarget == "":
	case c.drive.Target == nil:
		c.r.Bench = failf[Bench](KindSkipped, "%s", c.drive.WhyNoTarget)
	case c.probe.lost != nil:
		c.r.Bench = Section[Bench]{Problem: problemOf(c.probe.errLost())}
	case ctx.Err() != nil:
		c.r.Bench = Section[Bench]{Problem: problemOf(ctx.Err())}
	default:
		c.opt.step(fmt.Sprintf("measuring QD1 read latency for %v", c.opt.Bench.Duration))
		spec := bench.Spec{Target: *c.drive.Target, Job: *c.opt.Bench}
		res, err := c.opt.Runner(ctx, spec, c.opt.Progress)
		if res == nil || res.Operations == 0 {
			c.r.Bench = Section[Bench]{Problem: benchProblem(err)}
			return
		}
		c.r.Bench.Data = &Bench{QD1Read: res, Placement: placementOf(res, c.drive.Simulated)}
	}
}

// footprint reads the SMART log once more and compares.
func (c *collection) footprint(ctx context.Context) {
	if c.r.Source != nil {
		return // No drive was asked.
	}
	f := &c.r.Footprint
	if before := c.facts.SMART; c.r.SMART.Data != nil && ctx.Err() == nil {
		if after, err := ReadSMART(ctx, c.ctl); err == nil {
			added := int64(after.ErrorLogEntries.Lo - before.ErrorLogEntries.Lo)
			f.ErrorLogEntriesAdded = &added
			if e := c.r.Errors.Data; e != nil {
				e.EntriesAdded = &added
			}
			if c.r.Bench.Data != nil {
				c.r.SMART.Data.TemperatureAfterBenchCelsius = celsius(after.CompositeTemperature)
			}
		}
	}
	f.Commands, f.Refused = c.probe.commands, c.probe.refused
}
