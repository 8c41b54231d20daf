package sim

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"qd1.example/qd1/nvme"
)

// Drive is a simulated drive. It is an [nvme.Passthru], and an io.ReaderAt and
// io.WriterAt of its first namespace. Everything is safe for concurrent use.
type Drive struct {
	controller *controller
	medium     *medium
	silent     map[nvme.Queue]bool
	faults     *Faults
	outages    *outages
	trace      func(cmd *nvme.Command)
	// powered is when the power last came, for faults by time; nanoseconds.
	powered atomic.Int64

	close  sync.Once
	closed chan struct{}
}

var (
	_ nvme.Passthru = (*Drive)(nil)
	_ io.ReaderAt   = (*Drive)(nil)
	_ io.WriterAt   = (*Drive)(nil)
)

// Open returns a new drive of that profile, with parameters after "?"; see the
// package's documentation. Two drives share nothing.
func Open(profile string) (*Drive, error) {
	name, query, _ := strings.Cut(profile, "?")
	p, err := find(name)
	if err != nil {
		return nil, err
	}
	return openPersonality(name, &p.personality, query)
}

// openPersonality opens a drive with parameters.
func openPersonality(name string, p *personality, query string) (*Drive, error) {
	params, err := parseParameters(query)
	if err != nil {
		return nil, fmt.Errorf("simulated drive %s: %w", name, err)
	}
	params.apply(p)
	d, err := newDrive(p, params.silent, time.Now)
	if err != nil {
		return nil, fmt.Errorf("simulated drive %s: %w", name, err)
	}
	d.WithFaults(params.faults)
	return d, nil
}

// newDrive makes a drive whose model reads the time from now. The waiting is
// in real time in any case.
func newDrive(p *personality, silent map[nvme.Queue]bool, now func() time.Time) (*Drive, error) {
	d := &Drive{silent: silent, outages: newOutages(), closed: make(chan struct{})}
	c, err := newController(p, now, d.closed)
	if err != nil {
		return nil, err
	}
	d.controller, d.medium = c, c.medium
	d.powered.Store(time.Now().UnixNano())
	return d, nil
}

// WithTrace lets f see each command before the drive answers it, those of ReadAt
// and WriteAt too, without their data. f may be called on several goroutines at
// once, must not change the command, and must not use it afterwards. It must be
// set before the drive is used.
func (d *Drive) WithTrace(f func(cmd *nvme.Command)) { d.trace = f }

// Close ends every wait, those of silent queues included. The drive answers
// nothing afterwards.
func (d *Drive) Close() error {
	d.close.Do(func() {
		close(d.closed)
		d.controller.stopAlarm()
		d.outages.stop()
	})
	return nil
}

// Size returns the size of the first namespace in bytes, 0 if there is none.
func (d *Drive) Size() int64 {
	if n := d.controller.spaces.Load().first(); n != nil {
		return n.bytes()
	}
	return 0
}

// BlockBytes returns the data bytes of a logical block of the first namespace,
// 0 if there is none.
func (d *Drive) BlockBytes() int {
	if n := d.controller.spaces.Load().first(); n != nil {
		return n.blockBytes()
	}
	return 0
}

// Events returns the asynchronous events of the drive, which an Asynchronous
// Event Request also gets. At most 16 wait to be taken.
func (d *Drive) Events() <-chan Event { return d.controller.events }

// Submit answers a command. The error wraps fs.ErrClosed after Close, is that
// of ctx if it ends before the answer comes, [ErrDisconnect] where a fault
// script says so, and syscall.ENODEV from a dead drive.
func (d *Drive) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	if d.trace != nil {
		d.trace(cmd)
	}
	if err := d.answering(ctx, cmd.Queue); err != nil {
		return nvme.Completion{}, err
	}
	if d.controller.personality.dead {
		return nvme.Completion{}, die(cmd)
	}
	if cmd.Queue == nvme.AdminQueue && cmd.Opcode == nvme.AdminAsynchronousEventRequest {
		return d.nextEvent(ctx)
	}
	if d.faults != nil {
		return d.faults.submit(ctx, d, cmd)
	}
	return d.submit(ctx, cmd)
}

// submit answers a command without faults.
func (d *Drive) submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	if d.faults != nil {
		return d.submitWith(ctx, cmd, nil)
	}
	cpl, end := d.controller.begin(cmd)
	if err := d.medium.wait(ctx, end); err != nil {
		return nvme.Completion{}, err
	}
	return cpl, nil
}

// never is the end of an access that does not end.
const never = time.Duration(math.MaxInt64)

// submitWith answers a command of a drive with a fault script: an outage may
// end it. f is the fault that it meets, nil for none.
func (d *Drive) submitWith(ctx context.Context, cmd *nvme.Command, f *Fault) (nvme.Completion, error) {
	var cpl nvme.Completion
	err := d.underWay(ctx, func() (end time.Duration) {
		var lie *Fault
		if f != nil && f.lies() {
			lie = f
		}
		cpl, end = d.controller.beginWith(cmd, lie)
		if f != nil && f.happens() && cpl.Status.OK() {
			d.strikeLater(cmd, *f)
		}
		if f != nil && f.Do == DoNoAnswer {
			end = never
		}
		return end
	})
	if err != nil {
		return nvme.Completion{}, err
	}
	return cpl, nil
}

// Begin answers a command but for the waiting: the completion must be given to
// the host at the time returned, or later; a zero time is at once. So one timer
// can serve many commands. It does not know silent queues, dead drives, fault
// scripts and Asynchronous Event Requests: see [Drive.Scripted].
func (d *Drive) Begin(cmd *nvme.Command) (nvme.Completion, time.Time) {
	if d.trace != nil {
		d.trace(cmd)
	}
	cpl, end := d.controller.begin(cmd)
	if end == 0 {
		return cpl, time.Time{}
	}
	return cpl, d.medium.epoch.Add(end)
}

// Scripted reports whether the drive may do what [Drive.Begin] does not know,
// so that every command has to go through [Drive.Submit].
func (d *Drive) Scripted() bool {
	return d.faults != nil || len(d.silent) > 0 || d.controller.personality.dead
}

// KeepAlive returns when the drive answers a Keep Alive command: at once, but
// for one that does so only after a format. A server, to which Keep Alive
// belongs, asks before it answers.
func (d *Drive) KeepAlive(ctx context.Context) error {
	c := d.controller
	if !c.personality.keepAliveWaits {
		return nil
	}
	c.mu.Lock()
	c.settle()
	hold := c.hold()
	c.mu.Unlock()
	return d.medium.wait(ctx, hold)
}

// nextEvent answers an Asynchronous Event Request.
func (d *Drive) nextEvent(ctx context.Context) (nvme.Completion, error) {
	select {
	case e := <-d.controller.events:
		return nvme.Completion{Result: uint64(e.Result())}, nil
	case <-ctx.Done():
		return nvme.Completion{}, ctx.Err()
	case <-d.closed:
		return nvme.Completion{}, errClosed
	}
}

// answering returns when the queue takes a command: at once, or with an error
// if it is silent or the drive is closed.
func (d *Drive) answering(ctx context.Context, q nvme.Queue) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-d.closed:
		return errClosed
	default:
	}
	if !d.silent[q] {
		return nil
	}
	return d.silence(ctx)
}

// silence never answers.
func (d *Drive) silence(ctx context.Context) error {
	select {
	case <-d.closed:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *controller) stopAlarm() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.alarm != nil {
		c.alarm.Stop()
	}
}

var errClosed = fmt.Errorf("simulated drive: %w", fs.ErrClosed)
