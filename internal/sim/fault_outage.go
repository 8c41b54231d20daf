package sim

import (
	"context"
	"sync"
	"time"

	"qd1.example/qd1/nvme"
)

// DoGhost takes the power away and gives it back, after which the drive is not
// what it was: the boot code of its controller answers, as a drive of 1 GB of
// the model [GhostModel] at 0 kelvins, with counters that cannot be, without
// any command that erases, and with zeroes as its data. The serial number
// stays. It is ErrPowerLoss.
const DoGhost Do = "ghost"

// GhostModel is the model number after [DoGhost].
const GhostModel = "SM2270"

// happens reports whether the fault is an outage.
func (r *Fault) happens() bool {
	return r.Do == DoReset || r.Do == DoPowerLoss || r.Do == DoGhost
}

// cause returns the error of the commands that meet an outage.
func (r *Fault) cause() error {
	if r.Do == DoReset {
		return ErrReset
	}
	return ErrPowerLoss
}

// outages lets the commands that are under way end with an outage, in the
// middle of an erase. The commands before it and those after it have different
// contexts.
type outages struct {
	mu     sync.Mutex
	ctx    context.Context
	cancel context.CancelCauseFunc
	// waiting is how many commands are under way, missed an outage that none
	// was: the next command meets it.
	waiting int
	missed  error
	timer   *time.Timer
}

func newOutages() *outages {
	o := new(outages)
	o.ctx, o.cancel = context.WithCancelCause(context.Background())
	return o
}

// enter counts a command in. The error is that of an outage that nobody met.
func (o *outages) enter() (context.Context, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.missed; err != nil {
		o.missed = nil
		return nil, err
	}
	o.waiting++
	return o.ctx, nil
}

func (o *outages) leave() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting--
}

// strike lets everybody know of an outage. If none of the commands that are
// under way can and the outage is not met otherwise, the next one does.
func (o *outages) strike(cause error, met bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waiting == 0 && !met {
		o.missed = cause
	}
	o.cancel(cause)
	o.ctx, o.cancel = context.WithCancelCause(context.Background())
}

// stop ends an outage that has not come yet.
func (o *outages) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.timer != nil {
		o.timer.Stop()
	}
}

// after does something when a time has passed, at once if it is none.
func (o *outages) after(d time.Duration, f func()) {
	if d <= 0 {
		f()
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.timer = time.AfterFunc(d, f)
}

// underWay begins an access, and waits for the end that it returns. With a fault
// script an outage ends it before, whose error is then returned.
func (d *Drive) underWay(ctx context.Context, begin func() time.Duration) error {
	if d.faults == nil {
		return d.medium.wait(ctx, begin())
	}
	outage, err := d.outages.enter()
	if err != nil {
		return err
	}
	defer d.outages.leave()
	end := begin()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(outage, cancel)()
	err = d.medium.wait(ctx, end)
	if cause := context.Cause(outage); cause != nil {
		return cause
	}
	return err
}

// strikeLater arranges the outage of a fault for when so much of the erase that
// a command has begun is done.
func (d *Drive) strikeLater(cmd *nvme.Command, f Fault) {
	c := d.controller
	c.mu.Lock()
	s := &c.format.span
	if cmd.Opcode == nvme.AdminSanitize {
		s = &c.sanitize.span
	}
	rest := s.left(c.now(), f.Percent/100)
	c.mu.Unlock()
	d.outages.after(rest, func() {
		d.strike(f)
		d.outages.strike(f.cause(), false)
	})
}

// strikeNow lets an outage happen before a command, in which a format that is
// in progress goes on in a reset.
func (d *Drive) strikeNow(f *Fault) {
	switch f.Do {
	case DoReset:
		d.Reset()
	case DoPowerLoss:
		d.PowerCycle()
	default:
		d.strike(*f)
	}
	d.outages.strike(f.cause(), true)
}

// strike lets an outage happen. A format ends where it is, also in a reset,
// which is then one of the drive's own firmware.
func (d *Drive) strike(f Fault) {
	c := d.controller
	c.mu.Lock()
	defer c.mu.Unlock()
	c.breakFormat(f.Percent / 100)
	c.settle()
	if f.Do == DoReset {
		c.reset(controllerReset)
	} else {
		c.losePower()
		if f.Do == DoGhost {
			c.haunt()
		}
		c.reset(powerCycle)
		d.powered.Store(time.Now().UnixNano())
	}
}
