package sim

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"qd1.example/qd1/nvme"
)

// ErrDisconnect is a command without an answer because the way to the drive is
// lost: by a fault script that says so, a reset or a loss of power. A server
// drops the connection then.
var ErrDisconnect = errors.New("the simulated drive dropped the connection")

// Errors of commands that were under way in a reset or a loss of power. Both
// wrap ErrDisconnect.
var (
	ErrReset     = fmt.Errorf("reset of the simulated drive: %w", ErrDisconnect)
	ErrPowerLoss = fmt.Errorf("loss of power of the simulated drive: %w", ErrDisconnect)
)

// Faults is a fault script: what a drive does wrong, and when. The same
// commands in the same order get the same faults, but for those by time.
type Faults struct {
	rules []Fault

	mu sync.Mutex
	// seen counts the commands that a rule is about, done how often it acted.
	seen, done []int
}

// NewFaults returns a script of these faults, of which the first that is about
// a command acts on it.
func NewFaults(rules ...Fault) *Faults {
	return &Faults{rules: rules, seen: make([]int, len(rules)), done: make([]int, len(rules))}
}

// WithFaults makes the drive follow a script, in place of the one it has; nil is
// none. It must be called before the drive is used.
func (d *Drive) WithFaults(f *Faults) {
	d.faults = f
	if f == nil {
		return
	}
	c := d.controller
	c.keepsOld, c.tracks = f.has(DoOldData), f.has(DoLeaveRecent, DoLeaveUnread)
	for _, n := range c.spaces.Load().list {
		if n != nil && c.tracks {
			n.store.track = newTrack()
		}
	}
}

// next returns the fault that a command meets, and its number among those of
// its rule.
func (f *Faults) next(cmd *nvme.Command, m moment) (Fault, int, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	hit := -1
	for i := range f.rules {
		r := &f.rules[i]
		if !r.When.about(cmd, m.block) || !r.meets(cmd, m) {
			continue
		}
		f.seen[i]++
		if hit < 0 && r.acts(f.seen[i], f.done[i], m.age) {
			hit = i
		}
	}
	if hit < 0 {
		return Fault{}, 0, false
	}
	f.done[hit]++
	return f.rules[hit], f.done[hit], true
}

// acts reports whether a fault acts on the command with this number among those
// that it is about.
func (r *Fault) acts(seen, done int, age time.Duration) bool {
	return seen > r.When.AfterCount && (r.Times == 0 || done < r.Times) &&
		age >= time.Duration(r.When.AfterMS)*time.Millisecond
}

// submit answers a command with the fault that it meets.
func (f *Faults) submit(ctx context.Context, d *Drive, cmd *nvme.Command) (nvme.Completion, error) {
	fault, n, ok := f.next(cmd, d.moment(cmd.NSID))
	if !ok {
		return d.submit(ctx, cmd)
	}
	if fault.Do == DoStatus {
		return nvme.Completion{Status: d.failWith(cmd, fault.Status)}, nil
	}
	if err := fault.before(ctx, d, cmd); err != nil {
		return nvme.Completion{}, err
	}
	if fault.Do == DoShort && cmd.Transfer() != nvme.NoTransfer {
		return fault.short(ctx, d, cmd)
	}
	cpl, err := d.submitWith(ctx, cmd, &fault)
	if err == nil && cpl.Status.OK() && cmd.Transfer() == nvme.ControllerToHost {
		fault.after(d, cmd, n)
	}
	return cpl, err
}

// short does a command of which only half of the data move. The drive still
// sees the length that was asked for: what it reads goes to a buffer of its
// own, and half of what it writes stays as it was.
func (r *Fault) short(ctx context.Context, d *Drive, cmd *nvme.Command) (nvme.Completion, error) {
	half := len(cmd.Data) / 2
	whole := *cmd
	whole.Data = make([]byte, len(cmd.Data))
	if cmd.Transfer() == nvme.HostToController {
		copy(whole.Data, cmd.Data[:half])
		d.old(&whole, half)
	}
	cpl, err := d.submit(ctx, &whole)
	if err == nil && cmd.Transfer() == nvme.ControllerToHost {
		copy(cmd.Data[:half], whole.Data)
	}
	return cpl, err
}

// old gives a write the data from an offset on that the drive has already.
func (d *Drive) old(cmd *nvme.Command, from int) {
	n := d.controller.spaces.Load().active(cmd.NSID)
	if cmd.Queue != nvme.IOQueue || cmd.Opcode != nvme.IOWrite || n == nil {
		return
	}
	off := int64(uint64(cmd.CDW11)<<32|uint64(cmd.CDW10))*int64(n.blockBytes()) + int64(from)
	if off >= 0 && off+int64(len(cmd.Data)-from) <= n.bytes() {
		n.store.readAt(cmd.Data[from:], off)
	}
}

// failWith logs and returns the status of a fault. Success is a lie: the
// command was not done.
func (d *Drive) failWith(cmd *nvme.Command, s nvme.Status) nvme.Status {
	if s == nvme.StatusSuccess {
		return s
	}
	r := d.controller.failIO(cmd, refuse(s, nowhere))
	return r.status
}

// move does an access of the first namespace with the fault that a command of
// the same blocks meets.
func (f *Faults) move(ctx context.Context, d *Drive, cmd *nvme.Command, p []byte, off int64) error {
	op, nsid := cmd.Opcode, cmd.NSID
	fault, number, ok := f.next(cmd, d.moment(nsid))
	if !ok {
		return d.access(ctx, op, p, off)
	}
	if fault.Do == DoStatus {
		if s := d.failWith(cmd, fault.Status); s != nvme.StatusSuccess {
			return commandError(op, nsid, s)
		}
		return nil
	}
	if err := fault.before(ctx, d, cmd); err != nil {
		return err
	}
	part := p
	if fault.Do == DoShort {
		part = p[:len(p)/2]
	}
	if err := d.access(ctx, op, part, off); err != nil {
		return err
	}
	switch {
	case fault.Do == DoNoAnswer:
		return d.silence(ctx)
	case fault.Do == DoOldData:
		d.recall(nsid, p, off)
	case op == nvme.IORead:
		fault.corrupt(p, number)
	}
	return nil
}

// before does what a fault does before the command.
func (r *Fault) before(ctx context.Context, d *Drive, cmd *nvme.Command) error {
	switch r.Do {
	case DoDelay:
		return d.medium.sleep(ctx, time.Duration(r.MS)*time.Millisecond)
	case DoSilence:
		return d.silence(ctx)
	case DoDisconnect:
		return ErrDisconnect
	case DoNewTelemetry:
		d.controller.replaceTelemetry(nvme.LID(cmd.CDW10))
	case DoReset, DoPowerLoss, DoGhost:
		if r.Percent == 0 {
			d.strikeNow(r)
			return r.cause()
		}
	}
	return nil
}

// after does what a fault does to the data that a command has read.
func (r *Fault) after(d *Drive, cmd *nvme.Command, n int) {
	if r.Do == DoOldData {
		slba := uint64(cmd.CDW11)<<32 | uint64(cmd.CDW10)
		d.recall(cmd.NSID, cmd.Data, int64(slba)*int64(d.blockBytes(cmd.NSID)))
		return
	}
	if r.Do == DoLongHeader {
		r.lengthen(cmd)
		return
	}
	r.corrupt(cmd.Data, n)
}

// corrupt flips one bit of what was read, in another place each time.
func (r *Fault) corrupt(p []byte, n int) {
	if r.Do == DoCorrupt && len(p) > 0 {
		p[mix(uint64(n))%uint64(len(p))] ^= 1 << (n % 8)
	}
}

func (d *Drive) blockBytes(nsid nvme.NSID) int {
	if n := d.controller.spaces.Load().at(nsid); n != nil {
		return n.blockBytes()
	}
	return 0
}

// age returns the time since the drive was opened or got its power back.
func (d *Drive) age() time.Duration { return time.Duration(time.Now().UnixNano() - d.powered.Load()) }
