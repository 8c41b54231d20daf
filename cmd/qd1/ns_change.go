package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/nsjob"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/ioctl"
	"qd1.example/qd1/nvme"
)

// nsWork is a change of the namespaces of a drive under way.
type nsWork struct {
	in        *invocation
	planner   planner
	format    string
	timeout   time.Duration
	agreement *guard.Agreement

	guarded *guarded
	drive   report.Identity
	change  *nsjob.Change
	before  *nsjob.Inventory
	after   *nsjob.Inventory
	looked  *guard.Case
	status  *nvme.Status
	// created is the namespace that was created, block the block device that an
	// attached one has, "" for none.
	created nvme.NSID
	block   string
	result  string
	outcome string
	next    string
}

// run looks, asks, sends and looks again.
func (w *nsWork) run(ctx context.Context, g *guarded) error {
	w.guarded, w.drive, w.result, w.outcome = g, identityOf(g.Drive), resultPlanned, "nothing was sent"
	if err := w.look(ctx); err != nil {
		return err
	}
	if g.inProcess {
		w.agreement.Serial = w.looked.Identity.Serial
	}
	if w.in.Bool("dry-run") {
		if err := w.show(givenAgreement(w.agreement)); err != nil {
			return err
		}
		return dryOutcome(w.checks(givenAgreement(w.agreement)), w.agreement)
	}
	if w.change.Refused() {
		if err := w.show(w.agreement); err != nil {
			return err
		}
		return refusal(&guard.Refusal{Checks: slices.DeleteFunc(slices.Clone(w.change.Checks), func(c guard.Check) bool { return c.Result != guard.Refuse })})
	}
	err := w.in.agree(ctx, w.looked, w.agreement,
		func() error { return w.text(w.in.env.stderr, w.in.messageStyle(), nil) },
		func() error { return w.show(w.agreement) })
	if err != nil {
		return err
	}
	return w.send(ctx)
}

// look plans the command and lets the guard look at it. It reads only.
func (w *nsWork) look(ctx context.Context) error {
	var err error
	if w.before, err = w.inventory(ctx); err != nil {
		return err
	}
	if w.change, err = w.planner(w.before); err != nil {
		return requestError(err)
	}
	bare := *w.change.Command
	bare.Data = nil
	op := guard.Operation{Name: string(w.change.Action), Commands: []nvme.Command{bare}, Timeout: w.timeout}
	op.KeepsData = nvme.EffectOf(&bare, nil).Access != nvme.Destroys
	w.looked, err = guard.Inspect(ctx, w.guarded.target(), op)
	return err
}

// inventory reads what the drive has now.
func (w *nsWork) inventory(ctx context.Context) (*nsjob.Inventory, error) {
	v, err := nsjob.Look(ctx, nvme.NewController(w.guarded.reading()))
	if err != nil {
		return nil, err
	}
	nameBlocks(v, w.guarded.hostNow())
	return v, nil
}

// hostNow is what the host shows of the drive now.
func (g *guarded) hostNow() *sysfs.Controller {
	c, err := sysfs.Read(g.host.Sysfs(), g.Drive.Host.Name)
	if err != nil {
		return g.Drive.Host
	}
	return c
}

// checks are all checks, those of the job first.
func (w *nsWork) checks(a *guard.Agreement) []guard.Check {
	return slices.Concat(w.change.Checks, w.looked.Judge(a))
}

// send sends the command, lets the kernel look again, and reads what the drive
// has then.
func (w *nsWork) send(ctx context.Context) error {
	permit, err := claimed(ctx, w.looked, w.agreement)
	if err != nil {
		return err
	}
	progress := w.in.env.startProgress()
	progress.step(string(w.change.Action) + ": waiting for the drive")
	answer, err := permit.Submit(ctx, w.change.Command, nil)
	progress.end()
	if closing := permit.Close(); closing != nil {
		w.in.env.say("%v", closing)
	}
	if err != nil {
		return unsentOrUnknown(err)
	}
	ctx = context.WithoutCancel(ctx) // What came of it is told in any case.
	w.status = &answer.Status
	if answer.Status.OK() && w.change.Action == nsjob.Create {
		w.created = nvme.NSID(answer.Result)
	}
	w.settle(ctx)
	if w.after, err = w.inventory(ctx); err != nil {
		w.in.env.say("what the drive has now could not be read: %v", err)
	}
	w.judge()
	if err := w.show(w.agreement); err != nil {
		return err
	}
	return w.exit()
}

// unsentOrUnknown is the error of a command without an answer: it was not sent,
// or the drive may still be working on it.
func unsentOrUnknown(err error) error {
	if !errors.Is(err, context.DeadlineExceeded) {
		return unsent(err)
	}
	return &exitError{status: exitWorking, err: fmt.Errorf("the drive did not answer in time: %w", err), hint: "it may still be working: qd1 ns list shows what it has"}
}

// settlePatience is how long the kernel may take to make or remove a block
// device.
const settlePatience = 10 * time.Second

// settle lets the kernel look at the namespaces again, and waits for the block
// device of one that was attached, or for its end.
func (w *nsWork) settle(ctx context.Context) {
	if !w.status.OK() || w.change.Action == nsjob.Create {
		return
	}
	if _, real := w.guarded.host.(realHost); !real {
		return
	}
	if err := rescan(w.guarded.Drive.Host.Name); err != nil {
		w.in.env.say("the kernel could not look at the namespaces again: %v", err)
	}
	w.block = w.await(ctx, w.change.Action == nsjob.Attach && slices.Contains(w.change.Controllers, w.before.Controller))
}

// await waits for the block device, or until it is gone, and returns its name.
func (w *nsWork) await(ctx context.Context, wanted bool) string {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(settlePatience); ; {
		block := blockOf(w.guarded.hostNow(), w.change.NSID)
		if (block != "") == wanted {
			return block
		}
		select {
		case <-end:
			return block
		case <-ctx.Done():
			return block
		case <-tick.C:
		}
	}
}

// rescan makes the kernel look at the namespaces of a controller.
func rescan(controller string) error {
	d, err := ioctl.Open(filepath.Join("/dev", controller))
	if err != nil {
		return err
	}
	return errors.Join(d.Rescan(), d.Close())
}

// judge says what came of it: the drive's word is held against what it has
// afterwards.
func (w *nsWork) judge() {
	w.result = resultDone
	if !w.status.OK() {
		text, hint := nsjob.Explain(*w.status)
		w.result, w.outcome, w.next = resultFailed, "the drive refused it: "+w.status.Error(), hint
		if text != "" {
			w.outcome += ": " + text
		}
		return
	}
	nsid := w.change.NSID
	if w.change.Action == nsjob.Create {
		nsid = w.created
	}
	var now *nsjob.Namespace
	if w.after != nil {
		now = w.after.At(nsid)
	}
	switch w.change.Action {
	case nsjob.Create:
		w.judgeCreated(now)
	case nsjob.Delete:
		w.outcome = "deleted"
		if now != nil || nsid == nvme.BroadcastNSID && w.after != nil && len(w.after.Namespaces) > 0 {
			w.result, w.outcome = resultFailed, "the drive reports success, and the namespace is still there"
		}
	case nsjob.Attach:
		w.judgeAttached()
	case nsjob.Detach:
		w.outcome, w.next = "detached: the data stay in the drive", fmt.Sprintf("qd1 ns attach %s --namespace-id %d brings it back", w.serial(), nsid)
		if w.block != "" && slices.Contains(w.change.Controllers, w.before.Controller) {
			w.outcome = "detached, and the kernel still shows /dev/" + w.block
		}
	}
}

func (w *nsWork) judgeCreated(now *nsjob.Namespace) {
	w.next = fmt.Sprintf("qd1 ns attach %s --namespace-id %d gives it a block device", w.serial(), w.created)
	switch wanted := w.change.Create; {
	case now == nil && w.after != nil:
		w.result, w.outcome = resultFailed, fmt.Sprintf("the drive reports that it created namespace %d, and does not list it", w.created)
	case now != nil && (now.Blocks != wanted.Blocks || now.LBABytes != wanted.LBABytes):
		w.result = resultFailed
		w.outcome = fmt.Sprintf("namespace %d was created with %d blocks of %d bytes, and %d of %d were asked for", w.created, now.Blocks, now.LBABytes, wanted.Blocks, wanted.LBABytes)
	default:
		w.outcome = fmt.Sprintf("namespace %d was created; it is attached to nothing yet", w.created)
	}
}

func (w *nsWork) judgeAttached() {
	switch {
	case !slices.Contains(w.change.Controllers, w.before.Controller):
		w.outcome = "attached to other controllers than this one"
	case w.block != "":
		w.outcome = "attached as /dev/" + w.block
	case w.guarded.Simulated:
		w.outcome = "attached; a simulated drive in this process has no block device"
	default:
		w.outcome, w.next = "attached, and the kernel shows no block device yet", "qd1 list; if it stays away: echo 1 > /sys/class/nvme/"+w.drive.Controller+"/rescan_controller"
	}
}

// serial is how the drive is named in the next command.
func (w *nsWork) serial() string {
	if w.guarded.inProcess {
		return "'" + w.guarded.Selector + "'"
	}
	return w.looked.Identity.Serial
}

// exit is the exit status of what was shown.
func (w *nsWork) exit() error {
	if w.result != resultFailed {
		return nil
	}
	return failf(w.next, "%s", w.outcome)
}

// nsJSON is the JSON of a change of namespaces.
type nsJSON struct {
	Schema    string          `json:"schema"`
	Simulated bool            `json:"simulated"`
	Drive     report.Identity `json:"drive"`
	*nsjob.Change
	Command commandJSON      `json:"command"`
	Checks  []guard.Check    `json:"checks"`
	Phrase  string           `json:"phrase,omitempty"`
	Sent    bool             `json:"sent"`
	Status  *statusJSON      `json:"status"`
	Created nvme.NSID        `json:"created_nsid,omitempty"`
	Block   string           `json:"block,omitempty"`
	Before  *nsjob.Inventory `json:"before"`
	After   *nsjob.Inventory `json:"after"`
	Result  string           `json:"result"`
	Outcome string           `json:"outcome"`
	Next    string           `json:"next,omitempty"`
}

// show writes the change as the result. A nil agreement leaves out what needs
// one.
func (w *nsWork) show(a *guard.Agreement) error {
	v := nsJSON{
		Schema: "qd1.ns/1", Simulated: w.guarded.Simulated, Drive: w.drive, Change: w.change, Command: newCommandJSON(w.change.Command),
		Checks: w.checks(a), Sent: w.status != nil, Created: w.created, Block: w.block, Before: w.before, After: w.after,
		Result: w.result, Outcome: w.outcome, Next: w.next,
	}
	if w.status != nil {
		v.Status = newStatusJSON(*w.status)
	} else {
		v.Phrase = w.looked.Phrase()
	}
	return w.in.show(w.format, v, func(out io.Writer, style render.Style) error { return w.text(out, style, a) })
}

func (w *nsWork) text(out io.Writer, style render.Style, a *guard.Agreement) error {
	c := &render.NamespaceChange{
		Change: w.change, Before: w.before, After: w.after, Sent: w.status != nil, Outcome: w.outcome, Failed: w.result == resultFailed, Next: w.next,
		Guarded: render.Guarded{Checks: w.checks(a), Identity: w.looked.Identity, Phrase: w.looked.Phrase()},
	}
	return render.NamespaceChanged(out, render.Part{Simulated: w.guarded.Simulated, Drive: &w.drive}, c, style)
}
