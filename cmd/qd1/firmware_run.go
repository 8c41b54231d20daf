package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"qd1.example/qd1/internal/firmware"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/hostpower"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/ioctl"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
	"qd1.example/qd1/smart/drivedb"
)

// exitPending is of a command that is done, but for a reset.
const exitPending = 9

// updating is a drive with the firmware that it is to get.
type updating struct {
	*guarded
	plan   *firmware.Plan
	looked *guard.Case
	// gates are the checks beside those of the guard.
	gates   []guard.Check
	earlier []string
	users   []string
	// lineage says who sold the drive, defects what is known of its firmware.
	lineage string
	defects []string
	store   *journal.Store
}

// prepareFirmware plans an update and lets the guard look at the drive. It reads
// only.
func (in *invocation) prepareFirmware(ctx context.Context, g *guarded, r firmware.Request) (*updating, error) {
	u := &updating{guarded: g}
	c := nvme.NewController(g.reading())
	id, err := c.Identify(ctx)
	if err != nil {
		return nil, err
	}
	log := new(nvme.FirmwareSlotLog)
	if id.OACS&nvme.OACSFirmware != 0 { // Others need not have the log.
		if log, err = c.FirmwareSlotLog(ctx); err != nil {
			return nil, err
		}
	}
	f := firmware.Facts{Controller: id, Slots: log}
	if pci := g.Drive.Host.PCI; pci != nil {
		f.VendorID, f.DeviceID = pci.VendorID, pci.DeviceID
	}
	var bad *firmware.RequestError
	u.plan, err = firmware.NewPlan(f, r)
	if errors.As(err, &bad) {
		return nil, refusef(bad.Hint, "%w. Nothing was sent", err)
	}
	if err != nil {
		return nil, err
	}
	if u.looked, err = guard.Inspect(ctx, g.target(), u.plan.Operation()); err != nil {
		return nil, err
	}
	u.describe(id)
	return u, u.gate(ctx, c, r)
}

// gate makes the checks that are not of the guard.
func (u *updating) gate(ctx context.Context, c *nvme.Controller, r firmware.Request) error {
	log, err := c.SMARTLog(ctx)
	if err != nil {
		return err
	}
	now, err := firmware.Look(ctx, u.reading())
	if err != nil {
		return err
	}
	dir, err := stateDir()
	if err != nil {
		return err
	}
	u.store = journal.Open(journalDir(dir))
	if u.users, err = u.whoUses(ctx); err != nil {
		return err
	}
	jobs, earlier := firmware.JobGate(u.store.Unfinished(u.looked.Identity.Serial), now)
	u.earlier = earlier
	u.gates = []guard.Check{firmware.HealthGate(log.CriticalWarning, r.AcceptHealth), jobs, firmware.ResetGate(r.Reset, u.users)}
	if !u.inProcess {
		u.gates = append(u.gates, firmware.PowerGate(hostpower.Read(hostSysfs(), os.DirFS("/run"))))
	}
	return nil
}

// describe says what is known of the drive by its model number.
func (u *updating) describe(id *nvme.IdentifyController) {
	facts := smart.Facts{Controller: id, Model: drivedb.Lookup(id.ModelNumber.String())}
	for _, f := range smart.Assess(&facts).Findings {
		switch f.Rule {
		case "firmware-oem", "oem-drive":
			u.lineage = f.Text
		case "firmware-defect-data", "firmware-defect-life", "firmware-defect-counters", "firmware-caution", "firmware-older":
			u.defects = append(u.defects, f.Text)
		}
	}
}

// whoUses tells who uses the drive, or why that is not known.
func (u *updating) whoUses(ctx context.Context) ([]string, error) {
	host := u.Drive.Host
	devices := []string{host.Name}
	for _, n := range host.Namespaces {
		devices = append(append(devices, n.Block, n.Generic), n.Partitions...)
	}
	devices = slices.DeleteFunc(devices, func(name string) bool { return name == "" })
	survey, err := u.host.Survey(ctx, devices)
	if err != nil {
		return nil, err
	}
	users := []string{}
	for i := range survey.Uses {
		x := &survey.Uses[i]
		if x.PID == os.Getpid() {
			continue
		}
		text := x.Text
		if text == "" {
			text = fmt.Sprintf("%s (%s %s)", x.Device, x.Kind, x.Name)
		}
		users = append(users, text)
	}
	return append(users, survey.Unchecked...), nil
}

// record is the plan with its checks; an agreement that is nil is left out.
func (u *updating) record(a *guard.Agreement) *firmware.Record {
	r := firmware.NewRecord(firmware.Tool(tool()), time.Now(), u.looked, u.plan, a, u.gates)
	r.Earlier, r.Users, r.Lineage = u.earlier, u.users, u.lineage
	r.Notes = append(r.Notes, u.defects...)
	if r.Result == firmware.Planned {
		name := r.Identity.Serial
		if u.inProcess {
			name = "'" + u.Selector + "'"
		}
		r.Next = "qd1 firmware activate " + name
		if i := u.plan.Image; i != nil {
			r.Next = fmt.Sprintf("qd1 firmware update %s --image %s", name, i.Name)
		}
	}
	return r
}

// performFirmware does it, with a benchmark before and after if that is wanted.
func (in *invocation) performFirmware(ctx context.Context, format string, u *updating, a *guard.Agreement, m *beforeAfter) error {
	if err := m.measureBefore(u); err != nil {
		return err
	}
	rec := u.record(a)
	rec.Next, rec.Text = "", ""
	progress := in.env.startProgress()
	err := firmware.Run(ctx, u.deps(a, func(e firmware.Event) { progress.step(firmwareEvent(e)) }), rec)
	progress.end()
	if rec.Job == "" {
		return firmwareNotBegun(rec, err)
	}
	m.measureAfter(u, rec)
	id := &rec.Identity
	rec.RecordID = in.keep("firmware", record.Subject{Serial: id.Serial, Model: id.Model, Bytes: id.Bytes, Simulated: rec.Simulated}, rec, true)
	if e := in.show(format, rec, func(w io.Writer, s render.Style) error { return render.FirmwareResult(w, rec, s) }); e != nil {
		return e
	}
	return firmwareOutcome(rec)
}

func firmwareEvent(e firmware.Event) string {
	if e.Total == 0 {
		return e.Text
	}
	return fmt.Sprintf("%s: %.0f %% of %s", e.Text, 100*float64(e.Done)/float64(e.Total), sizeText(int64(e.Total)))
}

// deps are what the job needs.
func (u *updating) deps(a *guard.Agreement, observe func(firmware.Event)) *firmware.Deps {
	return &firmware.Deps{
		Case: u.looked, Agreement: a, Journal: u.store, Observe: observe,
		Kernel: u.kernelRevision, Live: func() bool { s := u.state(); return s == "live" || s == "" },
		Reset: u.reset, Users: u.whoUses, Inhibit: u.inhibit,
	}
}

// kernelRevision is what sysfs says, "" for a drive of this process.
func (u *updating) kernelRevision() string {
	if u.inProcess {
		return ""
	}
	c, err := sysfs.Read(u.host.Sysfs(), u.Drive.Host.Name)
	if err != nil {
		return ""
	}
	return c.Firmware
}

// reset resets the controller or the subsystem, and is back when the host says
// so.
func (u *updating) reset(kind firmware.Reset) error {
	if d, ok := u.Passthru.(*sim.Drive); ok {
		if kind == firmware.SubsystemReset {
			d.SubsystemReset()
		} else {
			d.Reset()
		}
		return nil
	}
	d, err := ioctl.Open(filepath.Join("/dev", u.Drive.Host.Name))
	if err != nil {
		return err
	}
	defer d.Close()
	if kind == firmware.SubsystemReset {
		return d.SubsystemReset()
	}
	return d.Reset()
}

// firmwareNotBegun is the error of a job that did not begin: nothing was sent.
func firmwareNotBegun(rec *firmware.Record, err error) error {
	var refused *guard.Refusal
	var live *journal.LiveError
	switch {
	case errors.As(err, &refused):
		return refusal(refused)
	case errors.As(err, &live):
		return refusef("wait until that job has ended", "%w. Nothing was sent", err)
	case rec.Result == firmware.Cancelled:
		return &exitError{status: exitInterrupted, err: errors.New("interrupted; nothing was sent to the drive")}
	}
	return failf("look whether the drive still answers: qd1 report", "%w. Nothing was sent", err)
}

// firmwareOutcome is the exit status of a job that was shown.
func firmwareOutcome(rec *firmware.Record) error {
	status := exitFailed
	switch rec.Result {
	case firmware.Changed:
		return nil
	case firmware.Pending:
		return silently(exitPending)
	case firmware.Unchanged:
		status = exitUnproven
	case firmware.Cancelled:
		status = exitInterrupted
	case firmware.Interrupted:
		status = exitWorking
	}
	return &exitError{status: status, err: errors.New(rec.Text), hint: rec.Next}
}
