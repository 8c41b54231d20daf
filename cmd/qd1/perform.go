package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/internal/render"
)

// prepared is a drive with what is to be done to it, looked at by the guard.
type prepared struct {
	*guarded
	method *erase.Method
	looked *guard.Case
}

// prepare chooses the technique and lets the guard look at the drive. It reads
// only. A read of a drive that does not answer cannot be interrupted, so it is
// left behind when ctx ends.
func prepare(ctx context.Context, g *guarded, r erase.Request) (*prepared, error) {
	type outcome struct {
		p   *prepared
		err error
	}
	ended := make(chan outcome, 1)
	go func() {
		p, err := look(ctx, g, r)
		ended <- outcome{p, err}
	}()
	select {
	case o := <-ended:
		return o.p, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func look(ctx context.Context, g *guarded, r erase.Request) (*prepared, error) {
	facts, err := g.facts(ctx)
	if err != nil {
		return nil, err
	}
	method, err := erase.Choose(facts, r)
	if err != nil {
		return nil, err
	}
	looked, err := guard.Inspect(ctx, g.target(), method.Operation())
	if err != nil {
		return nil, err
	}
	return &prepared{guarded: g, method: method, looked: looked}, nil
}

// stops reports whether the work can be stopped at any time.
func (p *prepared) stops() bool { return p.method.Technique == erase.Overwrite }

// plan is the record of what would be done, judged by an agreement if there is
// one already.
func (p *prepared) plan(a *guard.Agreement) *erase.Record {
	r := erase.NewPlan(&erase.Deps{Tool: eraseTool(), Case: p.looked, Method: p.method, Agreement: a, Now: time.Now})
	if p.inProcess {
		// Its serial number names no drive of this computer.
		r.Next = strings.ReplaceAll(r.Next, r.Identity.Serial, "'"+p.Selector+"'")
	}
	return r
}

func eraseTool() erase.Tool { return erase.Tool(tool()) }

// requester reads from the flags what is to be done.
type requester func(*invocation) (erase.Request, error)

// guardedChoices reads the flags that all commands behind the guard have. shows
// is the command that shows serial numbers.
func (in *invocation) guardedChoices(shows string) (format string, a *guard.Agreement, choice certificateChoice, err error) {
	if format, err = in.format("json"); err != nil {
		return
	}
	if a, err = in.agreement(); err != nil {
		return
	}
	if choice, err = in.certificateChoice(); err != nil {
		return
	}
	if a.Serial == "" {
		err = usagef("%s needs the full serial number of the drive; %s shows it", in.name, shows)
	}
	return
}

// runGuarded is a command that destroys data, from its flags to its exit
// status.
func (in *invocation) runGuarded(request requester) error {
	r, err := request(in)
	if err != nil {
		return err
	}
	format, a, choice, err := in.guardedChoices("qd1 list")
	if err != nil {
		return err
	}
	ctx := in.Context.Context
	g, err := openGuarded(a.Serial, a.PCI)
	if err != nil {
		return err
	}
	defer g.Close()
	p, err := prepare(ctx, g, r)
	if err != nil {
		return err
	}
	if g.inProcess {
		a.Serial = p.looked.Identity.Serial
	}
	if in.Bool("dry-run") {
		return in.showPlan(format, p, a)
	}
	if err := canCertify(choice); err != nil {
		return err
	}
	if err := in.consent(ctx, format, p, a); err != nil {
		return err
	}
	return in.perform(ctx, format, p, jobRequest{
		Selector: a.Serial, PCI: a.PCI, Request: r, Agreement: *a, Fingerprint: p.looked.Fingerprint(),
		Proof: in.proof(), Stops: p.stops(), Certificate: choice,
	})
}

// showPlan ends a dry run. Whether the flags would do as an agreement is only
// told if they give one.
func (in *invocation) showPlan(format string, p *prepared, a *guard.Agreement) error {
	if !a.Yes {
		a = nil
	}
	record := p.plan(a)
	if err := in.showErase(format, record, render.ErasePlan); err != nil {
		return err
	}
	return planOutcome(record)
}

func (in *invocation) showErase(format string, r *erase.Record, text func(io.Writer, *erase.Record, render.Style) error) error {
	return in.show(format, r, func(w io.Writer, s render.Style) error { return text(w, r, s) })
}

// consent completes the agreement to an erase.
func (in *invocation) consent(ctx context.Context, format string, p *prepared, a *guard.Agreement) error {
	return in.agree(ctx, p.looked, a,
		func() error { return render.ErasePlan(in.env.stderr, p.plan(nil), in.messageStyle()) },
		func() error { return in.showErase(format, p.plan(a), render.ErasePlan) })
}

// agree completes the agreement, on a terminal by what is typed. The error says
// that there is none; nothing was sent then. ask shows the plan on the
// terminal, refuse as the result.
func (in *invocation) agree(ctx context.Context, looked *guard.Case, a *guard.Agreement, ask, refuse func() error) error {
	input := in.env.terminalInput()
	asks := input != nil && !a.Yes && !refuses(looked.Judge(nil))
	if asks {
		if err := ask(); err != nil {
			return err
		}
		if err := in.env.ask(ctx, newLines(input), looked, a); err != nil {
			return err
		}
	}
	open := unmet(looked, a)
	if len(open) == 0 {
		return nil
	}
	if !asks { // Otherwise the plan was shown already.
		if err := refuse(); err != nil {
			return err
		}
	}
	return refusal(&guard.Refusal{Checks: open})
}

// unmet are the checks that speak against an operation.
func unmet(looked *guard.Case, a *guard.Agreement) []guard.Check {
	return slices.DeleteFunc(looked.Judge(a), func(c guard.Check) bool { return c.Result == guard.Pass })
}

func refuses(checks []guard.Check) bool {
	return slices.ContainsFunc(checks, func(c guard.Check) bool { return c.Result == guard.Refuse })
}

// ask lets a person agree: to what lies on the drive, by kind, and to the
// erase, by the phrase.
func (e *env) ask(ctx context.Context, typed *lines, looked *guard.Case, a *guard.Agreement) error {
	var kinds []string
	for _, c := range looked.Judge(&guard.Agreement{Serial: a.Serial, Destroy: a.Destroy}) {
		if c.Result != guard.Consent {
			continue
		}
		for _, k := range c.Kinds {
			kinds = append(kinds, string(k))
		}
	}
	if len(kinds) > 0 {
		list := strings.Join(kinds, ",")
		text, err := e.askLine(ctx, typed, "What lies on the drive will be destroyed. To agree, type its kinds", list)
		if err != nil {
			return err
		}
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
			kind, err := signature.ParseKind(word)
			if err != nil {
				return refusef("nothing was sent; start again", "%q was typed: %w", text, err)
			}
			a.Destroy = append(a.Destroy, kind)
		}
	}
	var err error
	a.Phrase, err = e.askLine(ctx, typed, "To go on, type this line; anything else, or Ctrl-C, ends here", looked.Phrase())
	return err
}

// refusal is the error of a refused operation, the checks in one line.
func refusal(r *guard.Refusal) error {
	var texts, hints []string
	for _, c := range r.Checks {
		texts = append(texts, c.Text)
		if c.Hint != "" && !slices.Contains(hints, c.Hint) {
			hints = append(hints, c.Hint)
		}
	}
	return refusef(strings.Join(hints, "; "), "%s. Nothing was sent", strings.Join(texts, "; "))
}

// perform does it, and follows it until its end or until Ctrl-C.
func (in *invocation) perform(ctx context.Context, format string, p *prepared, job jobRequest) error {
	progress := in.env.startProgress()
	res, err := in.env.follow(ctx, job, p.worker(in.env), progress.step)
	progress.end()
	if res.record == nil {
		return err
	}
	in.keepErase(res.record)
	if e := in.showErase(format, res.record, render.EraseResult); e != nil {
		return e
	}
	if res.certificate != "" && format == "text" {
		in.env.say("certificate: %s", res.certificate)
	}
	return eraseOutcome(res.record, err)
}

// worker carries a job out: a process of its own, or this one where the drive
// ends with it.
func (p *prepared) worker(e *env) worker {
	if !p.inProcess {
		return func(ctx context.Context, job jobRequest, observe func(erase.Event)) (jobResult, error) {
			if err := p.Close(); err != nil {
				return jobResult{}, err
			}
			return e.inJob(ctx, job, observe)
		}
	}
	return func(ctx context.Context, job jobRequest, observe func(erase.Event)) (jobResult, error) {
		return carryOut(ctx, p, job, observe)
	}
}

// eraseOutcome is the exit status of a job that was shown.
func eraseOutcome(r *erase.Record, err error) error {
	var refused *guard.Refusal
	switch r.Class() {
	case erase.Done, erase.Planned:
		return nil
	case erase.Refused:
		if errors.As(err, &refused) {
			return refusal(refused)
		}
		return refusef(r.Next, "%s. Nothing was sent", r.Error)
	case erase.NotErased:
		text := "the verification found data that should be gone"
		if command := r.Verification.Command; command.Verdict == proof.Fail {
			text = command.Text
		}
		return &exitError{status: exitUnproven, err: errors.New(text), hint: r.Next}
	case erase.Unproven:
		return &exitError{status: exitUndecided, err: errors.New("the verification came to no verdict"), hint: r.Next}
	case erase.Cancelled:
		return &exitError{status: exitInterrupted, err: errors.New("interrupted; no command was sent to the drive"), hint: r.Next}
	}
	if err == nil {
		err = errors.New(r.Error)
	}
	status := exitFailed
	if r.Class() == erase.Interrupted {
		status = exitWorking
	}
	return &exitError{status: status, err: err, hint: r.Next}
}
