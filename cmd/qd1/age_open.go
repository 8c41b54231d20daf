package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// ageJob is one call of the age command that works on a job.
type ageJob struct {
	in *invocation
	// place is what is aged, nil where no drive is needed.
	place *place
	// identity is nil for what is no drive that says who it is.
	identity *report.Identity
	// guarded and sim are the simulated drive of this process, nil for others.
	guarded  *guarded
	sim      *sim.Drive
	timeout  time.Duration
	progress *progress
	// began says that something was measured, silent that the drive did not
	// answer.
	began, silent bool
	// keepsWhole says that the job had ended before: its result is kept again, if
	// it is not there.
	keepsWhole bool
	// told is the last state that was said.
	told journal.State
	// kept is the result as it is among the records, nil if it is not.
	kept *aging.Record
}

// openAged opens a drive or a block device. Nothing is written yet.
func (in *invocation) openAged(selector string, nsid nvme.NSID) (*ageJob, error) {
	j := &ageJob{in: in, place: &place{}}
	var err error
	if j.timeout, err = in.timeout(); err != nil {
		return nil, err
	}
	if profile, ok := strings.CutPrefix(selector, "sim:"); ok {
		err = j.openSim(selector, profile, nsid)
	} else {
		err = j.openReal(selector, nsid)
	}
	if err != nil {
		return nil, errors.Join(err, j.close())
	}
	return j, nil
}

// openSim makes a simulated drive that lives as long as this process, so that
// what is written to it and how warm it gets is seen.
func (j *ageJob) openSim(selector, profile string, nsid nvme.NSID) error {
	g, err := openGuardedSim(selector, profile)
	if err != nil {
		return err
	}
	j.place.onClose(g.Close)
	j.guarded, j.sim = g, g.host.(simHost).drive
	spaces := g.Drive.Host.Namespaces
	if len(spaces) == 0 || nsid != 0 && spaces[0].NSID != uint32(nsid) {
		return usagef("--namespace-id %d: of a simulated drive only the first namespace is measured", nsid)
	}
	d := *g.Drive
	d.Passthru = nvme.ReadOnly(g.Passthru)
	d.Target = &bench.Target{Kind: bench.SimulatedTarget, Path: profile, Bytes: j.sim.Size(), BlockBytes: j.sim.BlockBytes(), NSID: spaces[0].NSID}
	return j.begin(&d)
}

// openReal opens a drive, or exactly the block device that was named: a
// partition, or one that need not be of NVMe.
func (j *ageJob) openReal(selector string, nsid nvme.NSID) error {
	var exact *bench.Target
	if isBlockDevice(selector) {
		var err error
		if exact, err = deviceTarget(selector); err != nil {
			return err
		}
		if nsid != 0 {
			return usagef("--namespace-id is of a drive; %s is aged as it is", selector)
		}
		j.place.device = filepath.Base(realName(selector))
		j.place.BenchTarget = report.BenchTarget{Name: selector, Detail: "a block device", Target: *exact}
		if _, err := sysfs.Select(hostSysfs(), selector); err != nil {
			return nil
		}
	}
	d, err := openDrive(selector)
	if err != nil {
		return err
	}
	j.place.onClose(d.Close)
	switch {
	case exact != nil:
		d.Target = exact
	case nsid != 0:
		d.Target, d.WhyNoTarget = blockTarget(d.Host, &sysfs.Selection{NSID: uint32(nsid)})
	}
	return j.begin(d)
}

// begin asks the drive who it is.
func (j *ageJob) begin(d *report.Drive) error {
	p := j.place
	if d.Target == nil {
		return failf("name a drive or a block device; qd1 list shows the namespaces", "%s: %s", d.Selector, cmp.Or(d.WhyNoTarget, "there are no data to read"))
	}
	s, err := report.Begin(j.in.Context.Context, d, j.timeout)
	if err != nil {
		return err
	}
	j.identity, p.drive, p.Target = &s.Identity, s, *d.Target
	p.Name, p.Detail = orSelector(s.Identity.Model, d.Selector), "serial "+s.Identity.Serial
	if p.Target.Kind == bench.BlockTarget {
		p.device = filepath.Base(realName(p.Target.Path))
		p.whole(d.Host)
	}
	return nil
}

// agedSelector names what a job is about, after a restart too: a namespace by
// the serial number of its drive, anything else by its path.
func agedSelector(p *aging.Plan) string {
	t := &p.Target.Target
	switch {
	case t.Kind == bench.SimulatedTarget:
		return "sim:" + t.Path
	case t.NSID != 0 && p.Drive != nil && p.Drive.Serial != "":
		return p.Drive.Serial
	}
	return t.Path
}

// target is what is aged, as it is now.
func (j *ageJob) target() aging.Target {
	if j.place == nil {
		return aging.Target{}
	}
	t := aging.Target{Drive: j.identity, Target: j.place.BenchTarget}
	t.Simulated = j.place.drive != nil && j.place.drive.Drive.Simulated
	return t
}

// controller asks the drive, nil where there is none to ask.
func (j *ageJob) controller() *nvme.Controller {
	if j.place == nil {
		return nil
	}
	return j.place.controller()
}

// state is that of the drive now.
func (j *ageJob) state() conditions.DriveState {
	if c := j.controller(); c != nil {
		return conditions.ReadDrive(j.in.Context.Context, c)
	}
	return conditions.DriveState{}
}

// ratedBytes is the rated endurance in bytes, 0 if it is not known.
func (j *ageJob) ratedBytes() int64 {
	if j.identity == nil {
		return 0
	}
	if e := drivedb.Lookup(j.identity.Model); e != nil {
		return e.RatedBytesWritten
	}
	return 0
}

// measure runs a job: on a simulated drive in this process, on others in one of
// its own.
func (j *ageJob) measure(ctx context.Context, job bench.Job, observe bench.Observer) (*bench.Result, error) {
	j.began = true
	job.StallLimit = j.timeout
	if j.sim != nil {
		e := bench.NewTimed("sim", j.sim)
		defer e.Close()
		return bench.Run(ctx, e, j.place.Target, job, observe)
	}
	job.HoldCPULatency = job.Rate == 0 // The treatment does not need it.
	res, err := j.in.env.runWorker(ctx, bench.Spec{Target: j.place.Target, Job: job}, j.place.claimed, observe)
	j.silent = j.silent || errors.Is(err, bench.ErrStalled) || errors.Is(err, bench.ErrGone)
	return res, err
}

// close gives up what was taken. It may be called twice.
func (j *ageJob) close() error {
	if j.progress != nil {
		j.progress.end()
		j.progress = nil
	}
	if j.place == nil {
		return nil
	}
	return j.place.close()
}

// ageStore is the journal that jobs are in.
func ageStore() (*journal.Store, error) {
	dir, err := stateDir()
	if err != nil {
		return nil, err
	}
	return journal.Open(journalDir(dir)), nil
}

// findAge returns the job with an ID, or the newest one of a drive, or of all
// if word is "".
func findAge(word string) (*journal.Store, *aging.Status, error) {
	store, err := ageStore()
	if err != nil {
		return nil, nil, err
	}
	records, faults := store.List()
	for i := len(records) - 1; i >= 0; i-- {
		r := &records[i]
		if r.Kind == aging.Kind && (word == "" || r.ID == word || r.Serial == word) {
			s, err := aging.StatusOf(r)
			return store, s, err
		}
	}
	what := "there is no aging in the journal"
	if word != "" {
		what = fmt.Sprintf("there is no aging with the ID or of a drive with the serial number %s in the journal", word)
	}
	if len(faults) > 0 {
		what += fmt.Sprintf("; %d entries cannot be read: %v", len(faults), errors.Join(faults...))
	}
	return nil, nil, failf("the journal is in "+store.Dir()+"; it belongs to the user who began the job", "%s", what)
}
