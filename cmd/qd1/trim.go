package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/nsjob"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
)

func trimCommand() command {
	return command{
		name: "trim", args: "SERIAL", access: destroys, maxArgs: 1,
		short: "deallocate a namespace or a range of it: not an erase",
		help: `SERIAL is the full serial number of the drive. Tells the drive that it need not
keep the data of a namespace, or of the range from --start for --length, in
commands as large as the drive takes them. Ctrl-C ends it between two commands.
Samples are read before and afterwards. A trim is not an erase: qd1 erase is.`,
		flags: slices.Concat(outputFlags("json"), []cli.Flag{
			&cli.StringFlag{Name: "namespace-id", Aliases: []string{"n"}, Usage: "`NSID` of the namespace; without it the only one"},
			&cli.StringFlag{Name: "start", DefaultText: "0", Usage: "`BYTES` at which the range begins, such as 1GiB"},
			&cli.StringFlag{Name: "length", DefaultText: "to the end", Usage: "`BYTES` of the range"},
			&cli.StringFlag{Name: "timeout", Aliases: []string{"t"}, Value: "5m", Usage: "longest `TIME` that one command may take"},
		}, consentFlags()),
		run: (*invocation).trim,
	}
}

// trim is the command.
func (in *invocation) trim() error {
	w := &trimWork{in: in}
	var err error
	if w.request, err = in.trimRequest(); err != nil {
		return err
	}
	if w.format, err = in.format("json"); err != nil {
		return err
	}
	if w.timeout, err = in.timeout(); err != nil {
		return err
	}
	if w.agreement, err = in.agreementOf(in.arg(0)); err != nil {
		return err
	}
	g, err := openGuarded(w.agreement.Serial, w.agreement.PCI)
	if err != nil {
		return err
	}
	defer g.Close()
	return w.run(in.Context.Context, g)
}

// trimRequest reads from the flags what is to be trimmed.
func (in *invocation) trimRequest() (r nsjob.TrimRequest, err error) {
	if r.NSID, err = in.nsid(); err != nil {
		return r, err
	}
	if r.NSID == nvme.BroadcastNSID {
		return r, usagef("--namespace-id 0x%x: a trim is one of one namespace", uint32(r.NSID))
	}
	if r.Start, err = in.sizeFlag("start"); err != nil {
		return r, err
	}
	if r.Length, err = in.sizeFlag("length"); err == nil && in.IsSet("length") && r.Length == 0 {
		err = usagef("--length 0: there is nothing to trim")
	}
	return r, err
}

// sizeFlag reads a flag that is a number of bytes, 0 where it was not given.
func (in *invocation) sizeFlag(flag string) (uint64, error) {
	text := in.String(flag)
	if text == "" {
		return 0, nil
	}
	n, err := parseSize(flag, text)
	return uint64(n), err
}

// trimWork is a trim under way.
type trimWork struct {
	in        *invocation
	request   nsjob.TrimRequest
	format    string
	timeout   time.Duration
	agreement *guard.Agreement

	guarded *guarded
	drive   report.Identity
	plan    *nsjob.Trim
	looked  *guard.Case
	sent    int
	status  *nvme.Status
	samples *nsjob.Samples
	result  string
	outcome string
	// untold is why samples could not be read.
	untold error
}

// What came of a job, in JSON.
const (
	resultPlanned     = "planned"
	resultDone        = "done"
	resultFailed      = "failed"
	resultInterrupted = "interrupted"
)

// run looks, asks, sends and looks again.
func (w *trimWork) run(ctx context.Context, g *guarded) error {
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
		return dryOutcome(w.looked.Judge(givenAgreement(w.agreement)), w.agreement)
	}
	err := w.in.agree(ctx, w.looked, w.agreement,
		func() error { return w.text(w.in.env.stderr, w.in.messageStyle(), nil) },
		func() error { return w.show(w.agreement) })
	if err != nil {
		return err
	}
	return w.send(ctx)
}

// givenAgreement is the agreement that a dry run is judged by, nil for none.
func givenAgreement(a *guard.Agreement) *guard.Agreement {
	if a.Yes {
		return a
	}
	return nil
}

// dryOutcome is the exit status of a dry run: that of the command, if the flags
// give an agreement.
func dryOutcome(checks []guard.Check, a *guard.Agreement) error {
	for _, c := range checks {
		if c.Result == guard.Refuse || a.Yes && c.Result == guard.Consent {
			return silently(exitRefused)
		}
	}
	return nil
}

// look plans the commands and lets the guard look at them. It reads only.
func (w *trimWork) look(ctx context.Context) error {
	dev := nvme.NewController(w.guarded.reading())
	id, err := dev.Identify(ctx)
	if err != nil {
		return err
	}
	if id.ONCS&nvme.ONCSDatasetManagement == 0 {
		return refusef("qd1 erase overwrites it, where the drive has nothing better", "the drive has no Dataset Management (ONCS bit 2 is 0), so that nothing can be deallocated. Nothing was sent")
	}
	if err := w.chooseNamespace(ctx, dev, id); err != nil {
		return err
	}
	ns, err := dev.IdentifyNamespace(ctx, w.request.NSID)
	if err != nil {
		return err
	}
	limits, err := nsjob.ReadLimits(ctx, dev, id)
	if err != nil {
		return err
	}
	if w.plan, err = nsjob.PlanTrim(ns, w.request, limits); err != nil {
		return requestError(err)
	}
	op := guard.Operation{Name: "trim", Commands: w.plan.Bare(), Timeout: w.timeout}
	w.looked, err = guard.Inspect(ctx, w.guarded.target(), op)
	return err
}

// chooseNamespace completes the request: the only namespace, if none is named.
func (w *trimWork) chooseNamespace(ctx context.Context, dev *nvme.Controller, id *nvme.IdentifyController) error {
	active, err := dev.ActiveNamespaces(ctx, id)
	switch {
	case err != nil:
		return err
	case w.request.NSID != 0 && slices.Contains(active, w.request.NSID):
		return nil
	case w.request.NSID != 0:
		return refusef("qd1 ns list shows the namespaces of the drive", "namespace %d is not one that is attached. Nothing was sent", w.request.NSID)
	case len(active) == 1:
		w.request.NSID = active[0]
		return nil
	case len(active) == 0:
		return refusef("qd1 ns list shows the namespaces of the drive", "the drive has no namespace that is attached. Nothing was sent")
	}
	return usagef("the drive has the namespaces %s: give --namespace-id", nsidList(active))
}

func nsidList(list []nvme.NSID) string {
	text := ""
	for i, nsid := range list {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(uint32(nsid))
	}
	return text
}

// requestError is a request that makes no sense as wrong usage.
func requestError(err error) error {
	var bad *nsjob.RequestError
	if errors.As(err, &bad) {
		return &exitError{status: exitUsage, err: fmt.Errorf("%w. Nothing was sent", bad), hint: bad.Hint}
	}
	return err
}

// claimed claims the drive for an operation, a refusal as an error of its own
// exit status.
func claimed(ctx context.Context, looked *guard.Case, a *guard.Agreement) (*guard.Permit, error) {
	permit, err := looked.Claim(ctx, a)
	var refused *guard.Refusal
	if errors.As(err, &refused) {
		return nil, refusal(refused)
	}
	return permit, err
}

// send sends the commands and reads the samples.
func (w *trimWork) send(ctx context.Context) error {
	permit, err := claimed(ctx, w.looked, w.agreement)
	if err != nil {
		return err
	}
	defer permit.Close()
	progress := w.in.env.startProgress()
	failed := w.deallocate(ctx, permit, progress)
	progress.end()
	if failed != nil && w.sent == 0 && w.status == nil {
		return unsent(failed)
	}
	if err := permit.Refresh(); err != nil {
		w.in.env.say("the kernel could not look at the drive again: %v", err)
	}
	w.judge(failed)
	if err := w.show(w.agreement); err != nil {
		return err
	}
	return w.exit(failed)
}

// unsent is the error of a job that sent nothing.
func unsent(err error) error {
	var refused *guard.Refusal
	switch {
	case errors.As(err, &refused):
		return refusal(refused)
	case errors.Is(err, context.Canceled):
		return &exitError{status: exitInterrupted, err: errors.New("interrupted; nothing was sent to the drive")}
	}
	return err
}

// deallocate sends the commands, with samples before and after.
func (w *trimWork) deallocate(ctx context.Context, permit *guard.Permit, progress *progress) error {
	sampler, medium := w.plan.NewSampler(), permit.Medium(w.plan.NSID)
	progress.step("reading samples")
	if medium != nil {
		if err := sampler.Before(ctx, medium); err != nil {
			return err
		}
	}
	progress.step("deallocating")
	var err error
	w.sent, err = w.plan.Run(ctx, permit, func(done int) {
		progress.text(fmt.Sprintf("deallocating: %.0f %% done", float64(w.plan.BytesOf(done))*100/float64(w.plan.Length)))
	})
	var refused *nvme.CommandError
	if errors.As(err, &refused) {
		w.status = &refused.Status
	}
	if err == nil && medium != nil {
		progress.step("reading samples")
		w.samples, w.untold = sampler.After(ctx, medium)
	}
	return err
}

// judge says what came of it.
func (w *trimWork) judge(err error) {
	done, all := w.plan.BytesOf(w.sent), w.plan.Length
	switch {
	case w.status != nil:
		w.result, w.outcome = resultFailed, fmt.Sprintf("the drive refused command %d of %d: %s; %d of %d bytes were deallocated before", w.sent+1, w.plan.Commands, explained(*w.status), done, all)
	case errors.Is(err, context.Canceled):
		w.result, w.outcome = resultInterrupted, fmt.Sprintf("interrupted between two commands: %d of %d bytes are deallocated, and their data may be gone", done, all)
	case err != nil:
		w.result, w.outcome = resultFailed, fmt.Sprintf("command %d of %d failed: %v; %d of %d bytes were deallocated before", w.sent+1, w.plan.Commands, err, done, all)
	case w.untold != nil:
		w.result, w.outcome = resultDone, fmt.Sprintf("the drive was told to deallocate it, and no samples were read: %v", w.untold)
	default:
		w.result, w.outcome = resultDone, "the drive was told to deallocate it, and reports success"
	}
}

// explained is a status with what it means here.
func explained(s nvme.Status) string {
	if text, _ := nsjob.Explain(s); text != "" {
		return fmt.Sprintf("%s (%s)", text, s.Error())
	}
	return s.Error()
}

// exit is the exit status of what was shown.
func (w *trimWork) exit(err error) error {
	switch {
	case w.result == resultInterrupted:
		return &exitError{status: exitInterrupted, err: errors.New(w.outcome), hint: "the same command trims the rest"}
	case w.result != resultFailed:
		return nil
	case w.status == nil && errors.Is(err, context.DeadlineExceeded):
		return &exitError{status: exitWorking, err: errors.New(w.outcome), hint: "the drive may still be working: do not switch it off"}
	case w.status != nil:
		_, hint := nsjob.Explain(*w.status)
		return failf(hint, "%s", w.outcome)
	}
	return failf("look whether the drive still answers", "%s", w.outcome)
}

// trimJSON is the JSON of a trim.
type trimJSON struct {
	Schema    string          `json:"schema"`
	Simulated bool            `json:"simulated"`
	Drive     report.Identity `json:"drive"`
	Trim      *nsjob.Trim     `json:"trim"`
	Command   commandJSON     `json:"first_command"`
	Checks    []guard.Check   `json:"checks"`
	Phrase    string          `json:"phrase,omitempty"`
	Sent      int             `json:"commands_sent"`
	Bytes     uint64          `json:"sent_bytes"`
	Status    *statusJSON     `json:"status"`
	Samples   *nsjob.Samples  `json:"samples"`
	Erase     bool            `json:"erase"`
	Result    string          `json:"result"`
	Outcome   string          `json:"outcome"`
}

// show writes the trim as the result. A nil agreement leaves out what needs one.
func (w *trimWork) show(a *guard.Agreement) error {
	v := trimJSON{
		Schema: "qd1.trim/1", Simulated: w.guarded.Simulated, Drive: w.drive, Trim: w.plan, Command: newCommandJSON(w.plan.Command(0)),
		Checks: w.looked.Judge(a), Sent: w.sent, Bytes: w.plan.BytesOf(w.sent), Samples: w.samples, Result: w.result, Outcome: w.outcome,
	}
	if w.result == resultPlanned {
		v.Phrase = w.looked.Phrase()
	}
	if w.status != nil {
		v.Status = newStatusJSON(*w.status)
	}
	return w.in.show(w.format, v, func(out io.Writer, style render.Style) error { return w.text(out, style, a) })
}

func (w *trimWork) text(out io.Writer, style render.Style, a *guard.Agreement) error {
	r := &render.TrimResult{
		Trim: w.plan, Block: w.block(), Sent: w.sent, Samples: w.samples, Outcome: w.outcome, Failed: w.result == resultFailed,
		Guarded: render.Guarded{Checks: w.looked.Judge(a), Identity: w.looked.Identity, Phrase: w.looked.Phrase()},
	}
	return render.Trimmed(out, render.Part{Simulated: w.guarded.Simulated, Drive: &w.drive}, r, style)
}

// block is the kernel's name of the block device.
func (w *trimWork) block() string {
	for i := range w.looked.Radius {
		if m := &w.looked.Radius[i]; m.NSID == w.plan.NSID {
			return m.Block
		}
	}
	return ""
}
