package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/selftest"
	"qd1.example/qd1/nvme"
)

func selftestCommand() command {
	return command{
		name: "selftest", short: "let a drive test itself", access: none,
		subs: func() []command { return []command{selftestRunCommand(), selftestAbortCommand(), selftestLogCommand()} },
	}
}

func selftestRunCommand() command {
	return command{
		name: "run", args: "[DRIVE]", access: told, maxArgs: 1,
		short: "start a self-test and follow it to its result",
		help: `The drive tests itself beside its work; user data stay as they are. Ctrl-C ends
the program and not the test. Drives without a self-test say so; "qd1 scan" reads
their surface instead.

Exit status: 0 passed, 1 failed, 5 not started, 7 aborted or without a result,
8 the test goes on in the drive.`,
		flags: append(selftestFlags(),
			&cli.BoolFlag{Name: "short", Aliases: []string{"s"}, DisableDefaultText: true, Usage: "the short test, of two minutes at most (the default)"},
			&cli.BoolFlag{Name: "extended", Aliases: []string{"e"}, DisableDefaultText: true, Usage: "the extended test, which takes as long as the drive says"},
			&cli.StringFlag{Name: "namespace-id", Aliases: []string{"n"}, DefaultText: "all", Usage: "`NSID` to test: 0 none, 0xffffffff all"},
			&cli.BoolFlag{Name: "no-wait", DisableDefaultText: true, Usage: "start it and end; qd1 selftest log shows how it goes on"},
			&cli.StringFlag{Name: "stand-still", DefaultText: "three times what the test should take, at least 10m", Usage: "longest `TIME` without progress, such as 30m"},
		),
		run: (*invocation).runSelfTest,
	}
}

func selftestAbortCommand() command {
	return command{
		name: "abort", args: "[DRIVE]", access: told, maxArgs: 1,
		short: "end the self-test that is running", flags: selftestFlags(),
		run: (*invocation).abortSelfTest,
	}
}

func selftestLogCommand() command {
	return command{
		name: "log", args: "[DRIVE]", access: reads, maxArgs: 1,
		short: "the test that is running, and the results of earlier ones",
		flags: append(outputFlags("json"), driveFlags()...),
		run:   (*invocation).selfTestLog,
	}
}

// selftestFlags are the flags of the commands that change something. Consent is a
// word, because nothing is lost.
func selftestFlags() []cli.Flag {
	return append(append(outputFlags("json"), driveFlags()...),
		&cli.BoolFlag{Name: "dry-run", DisableDefaultText: true, Usage: "show what would be checked and sent, and end"},
		&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, DisableDefaultText: true, Usage: "agree without a terminal"},
		&cli.StringFlag{Name: "expect-model", Usage: "the `MODEL` number that the drive must have"},
		&cli.Int64Flag{Name: "expect-bytes", DefaultText: "none", Usage: "the `BYTES` that its namespaces must have together"},
		&cli.StringFlag{Name: "pci", Usage: "the PCI `ADDRESS` of the drive, where two have the same serial number"},
	)
}

// testRun is a self-test command under way.
type testRun struct {
	in      *invocation
	format  string
	timeout time.Duration
	drive   *guarded
	session *report.Session
	sending *sending
	before  *nvme.SelfTestLog
	report  *selftest.Report
}

// onGuarded does something with the drive of the first argument.
func (in *invocation) onGuarded(do func(*testRun) error) error {
	g, err := openGuarded(in.arg(0), in.String("pci"))
	if err != nil {
		return err
	}
	defer g.Close()
	return in.onTested(g, do)
}

// onTested does something with a drive that can test itself, and refuses others.
func (in *invocation) onTested(g *guarded, do func(*testRun) error) error {
	format, err := in.format("json")
	if err != nil {
		return err
	}
	timeout, err := in.timeout()
	if err != nil {
		return err
	}
	t := &testRun{in: in, format: format, timeout: timeout, drive: g, report: &selftest.Report{}}
	if err := t.look(in.Context.Context); err != nil {
		return err
	}
	return do(t)
}

// look reads who the drive is and its log.
func (t *testRun) look(ctx context.Context) error {
	d := *t.drive.Drive
	d.Passthru = t.drive.reading()
	var err error
	if t.session, err = report.Begin(ctx, &d, t.timeout); err != nil {
		return err
	}
	if why := selftest.WhyNot(t.session.ID); why != "" {
		return refusef(hintScan(t.name()), "%s (%s, serial %s). Nothing was sent", why, t.session.Identity.Model, t.session.Identity.Serial)
	}
	t.before, err = t.session.SelfTestLog(ctx)
	return err
}

// hintScan is what can be done with a drive that cannot test itself.
func hintScan(selector string) string {
	return fmt.Sprintf("qd1 scan %s reads the whole surface instead, and qd1 scan %s --errors-only the blocks of the error log again", selector, selector)
}

// testRequest is what the flags of selftest run ask for.
type testRequest struct {
	kind  selftest.Kind
	nsid  nvme.NSID
	still time.Duration
}

func (in *invocation) testRequest() (testRequest, error) {
	r := testRequest{kind: selftest.Short}
	switch {
	case in.Bool("short") && in.Bool("extended"):
		return r, usagef("--short and --extended: one of them")
	case in.Bool("extended"):
		r.kind = selftest.Extended
	}
	var err error
	if text := in.String("stand-still"); text != "" {
		if r.still, err = parseDuration(text); err != nil || r.still <= 0 {
			return r, usagef("--stand-still %s: a time is needed, such as 30m", text)
		}
	}
	r.nsid, err = in.testedNamespace()
	return r, err
}

// runSelfTest is the command.
func (in *invocation) runSelfTest() error {
	r, err := in.testRequest()
	if err != nil {
		return err
	}
	return in.onGuarded(func(t *testRun) error { return t.start(in.Context.Context, r) })
}

// testedNamespace is what --namespace-id names, all without it.
func (in *invocation) testedNamespace() (nvme.NSID, error) {
	if in.String("namespace-id") == "" {
		return nvme.BroadcastNSID, nil
	}
	n, err := in.unsigned("namespace-id", 32)
	return nvme.NSID(n), err
}

// start asks, sends and follows.
func (t *testRun) start(ctx context.Context, r testRequest) error {
	t.report.Test, t.report.EstimateSeconds = r.kind.String(), selftest.Estimate(r.kind, t.session.ID).Seconds()
	a, err := t.ask(ctx, selftest.Start(r.kind, r.nsid), fmt.Sprintf("Start the %s self-test", r.kind))
	if err != nil || a == nil {
		return err
	}
	if err := t.send(ctx, a, r); err != nil {
		return err
	}
	switch {
	case !t.report.Status.OK():
		return t.conclude()
	case t.in.Bool("no-wait"):
		t.report.Next = t.hintRunning()
		return t.show(nil)
	}
	t.in.env.say("the %s self-test has begun%s; Ctrl-C leaves it to the drive", r.kind, shouldTake(t.report.EstimateSeconds))
	t.follow(ctx, r)
	return t.conclude()
}

// shouldTake says how long a test takes, if anybody knows.
func shouldTake(seconds float64) string {
	if seconds == 0 {
		return ""
	}
	return ", and should take " + left(seconds)
}

// ask lets the guard look at a command and the user agree to it. The agreement is
// nil for a dry run.
func (t *testRun) ask(ctx context.Context, cmd *nvme.Command, what string) (*guard.Agreement, error) {
	t.report.NSID, t.report.Command = cmd.NSID, render.CommandLine(cmd)
	var err error
	if t.sending, err = prepareSending(ctx, t.drive, cmd, "self-test", t.timeout, nil); err != nil {
		return nil, err
	}
	a := t.agreement()
	if t.in.Bool("dry-run") {
		if err := t.show(t.sending.checks(nil)); err != nil {
			return nil, err
		}
		return nil, t.sending.dryOutcome(a)
	}
	if !a.Yes {
		if err := t.askPerson(ctx, a, what); err != nil {
			return nil, err
		}
	}
	if open := unmet(t.sending.looked, a); len(open) > 0 {
		for i := range open {
			if open[i].Check == "consent" {
				open[i].Hint = "run it on a terminal and type yes, or give --yes"
			}
		}
		if err := t.show(open); err != nil {
			return nil, err
		}
		return nil, refusal(&guard.Refusal{Checks: open})
	}
	return a, nil
}

// agreement is what the flags agree to. A test destroys nothing: the drive may be
// named in any way, and --yes needs no more.
func (t *testRun) agreement() *guard.Agreement {
	id, in := &t.sending.looked.Identity, t.in
	a := &guard.Agreement{Serial: id.Serial, PCI: id.PCI, Yes: in.Bool("yes"), Model: id.Model, Bytes: id.Bytes}
	if in.IsSet("expect-model") {
		a.Model = in.String("expect-model")
	}
	if in.IsSet("expect-bytes") {
		a.Bytes = in.Int64("expect-bytes")
	}
	return a
}

// askPerson asks on a terminal, where there is one and nothing speaks against it
// already.
func (t *testRun) askPerson(ctx context.Context, a *guard.Agreement, what string) error {
	input := t.in.env.terminalInput()
	if input == nil || refuses(t.sending.looked.Judge(nil)) {
		return nil
	}
	id := &t.session.Identity
	text, err := t.in.env.askLine(ctx, newLines(input), fmt.Sprintf("%s of %s, serial %s? To go on, type", what, id.Model, id.Serial), "yes")
	a.Yes = isYes(text)
	return err
}

// isYes reports whether what was typed agrees.
func isYes(text string) bool { return text == "yes" || text == "y" }

// send starts the test. A drive that refuses one of all namespaces is asked once
// more, for its first one.
func (t *testRun) send(ctx context.Context, a *guard.Agreement, r testRequest) error {
	done, _, err := t.sending.send(ctx, t.in.env, a)
	if err != nil {
		return err
	}
	t.report.Sent, t.report.Status = true, &done.Status
	if done.Status.OK() || !selftest.Unwilling(done.Status) || r.nsid != nvme.BroadcastNSID || t.in.IsSet("namespace-id") {
		return nil
	}
	list, err := t.session.ActiveNamespaces(ctx, t.session.ID)
	if err != nil || len(list) == 0 {
		return err
	}
	first := slices.Min(list)
	t.in.env.say("the drive refuses a test of all namespaces (%s): it is asked to test namespace %d", done.Status.String(), first)
	if t.sending, err = prepareSending(ctx, t.drive, selftest.Start(r.kind, first), "self-test", t.timeout, nil); err != nil {
		return err
	}
	t.report.NSID, t.report.Command = first, render.CommandLine(t.sending.cmd)
	if done, _, err = t.sending.send(ctx, t.in.env, a); err != nil {
		return err
	}
	t.report.Status = &done.Status
	return nil
}

// follow follows the test to its end.
func (t *testRun) follow(ctx context.Context, r testRequest) {
	progress := t.in.env.startProgress()
	progress.step(r.kind.String() + " self-test")
	f := &selftest.Follower{
		Kind: r.kind, Before: t.before, Estimate: selftest.Estimate(r.kind, t.session.ID), StandStill: r.still,
		Read: t.session.SelfTestLog, Now: t.in.env.now, Sleep: selftest.SleepFor,
		Observe: func(e selftest.Event) { progress.text(testProgress(r.kind, e)) },
	}
	t.report.Followed = f.Follow(ctx)
	progress.end()
}

// testProgress is how far a test is, in one line.
func testProgress(kind selftest.Kind, e selftest.Event) string {
	text := fmt.Sprintf("%s self-test: %d %%", kind, e.Percent)
	if e.Left >= 0 {
		text += ", about " + left(e.Left.Seconds()) + " left"
	}
	if e.Err != nil {
		text += "; the drive does not answer now"
	}
	return text
}

// name is how the user can name the drive.
func (t *testRun) name() string { return cmp.Or(t.drive.Selector, t.session.Identity.Serial) }

// hintRunning is what can be done about a test that goes on.
func (t *testRun) hintRunning() string {
	return fmt.Sprintf("qd1 selftest log %s shows how it goes on; qd1 selftest abort %s ends it", t.name(), t.name())
}

// conclude shows what came of a test, with its exit status.
func (t *testRun) conclude() error {
	r := t.report
	status, text := exitDone, ""
	switch word := r.Word(); word {
	case "PASSED":
	case "RUNNING":
		status, text, r.Next = exitWorking, r.Followed.Text, t.hintRunning()
	case "REFUSED":
		status, text = exitFailed, "the drive refused it: "+r.Status.Error()
		if r.Status.Code() == nvme.StatusSelfTestInProgress {
			status, r.Next = exitWorking, t.hintRunning()
		}
	case "FAILED":
		status, text = exitFailed, "the self-test failed: "+r.Followed.Result.Text
		r.Next = "save what is on the drive; " + hintScan(t.name())
	case "LOST":
		status, text, r.Next = exitUndecided, r.Followed.Text, "run it again"
	default:
		status, text, r.Next = exitUndecided, "the self-test showed nothing: "+r.Followed.Result.Text, "run it again"
	}
	if err := t.show(nil); err != nil || status == exitDone {
		return err
	}
	return &exitError{status: status, err: errors.New(text), hint: r.Next}
}

// show shows the test, and checks of the guard while nothing was sent.
func (t *testRun) show(checks []guard.Check) error {
	object := map[string]any{"schema": "qd1.selftest/1", "simulated": t.session.Drive.Simulated, "drive": t.session.Identity, "selftest": t.report}
	if checks != nil {
		object["checks"] = checks
	}
	return t.in.show(t.format, object, func(w io.Writer, style render.Style) error {
		return render.SelfTest(w, head(t.session), t.report, render.Guarded{Checks: checks}, style)
	})
}

// abortSelfTest is the command.
func (in *invocation) abortSelfTest() error {
	return in.onGuarded(func(t *testRun) error { return t.abort(in.Context.Context) })
}

// abort ends the test that is running.
func (t *testRun) abort(ctx context.Context) error {
	running := selftest.DecodeLog(t.before).Running
	if running == nil {
		t.in.env.say("no self-test is running. Nothing was sent")
		return t.showLog(t.before)
	}
	t.report.Test = running.Test
	a, err := t.ask(ctx, selftest.Abort(), "Abort the self-test")
	if err != nil || a == nil {
		return err
	}
	done, _, err := t.sending.send(ctx, t.in.env, a)
	switch {
	case err != nil:
		return err
	case !done.Status.OK():
		return failf("", "the drive refused to abort the self-test: %s", done.Status.Error())
	}
	log, err := t.session.SelfTestLog(ctx)
	if err != nil {
		return err
	}
	if selftest.DecodeLog(log).Running != nil {
		defer t.in.env.say("the drive accepted the abort, and the test has not ended yet")
	}
	return t.showLog(log)
}

func (t *testRun) showLog(log *nvme.SelfTestLog) error {
	return t.in.showSelfTests(t.format, t.session, log)
}

func (in *invocation) showSelfTests(format string, s *report.Session, log *nvme.SelfTestLog) error {
	l := selftest.DecodeLog(log)
	object := map[string]any{"schema": "qd1.selftest_log/1", "simulated": s.Drive.Simulated, "drive": s.Identity, "log": l}
	return in.show(format, object, func(w io.Writer, style render.Style) error {
		return render.SelfTestLog(w, head(s), l, style)
	})
}

// selfTestLog is the command.
func (in *invocation) selfTestLog() error {
	format, err := in.format("json")
	if err != nil {
		return err
	}
	s, done, err := in.begin()
	if err != nil {
		return err
	}
	defer done()
	if why := selftest.WhyNot(s.ID); why != "" {
		return failf(hintScan(cmp.Or(s.Drive.Selector, s.Identity.Serial)), "%s (%s, serial %s)", why, s.Identity.Model, s.Identity.Serial)
	}
	log, err := s.SelfTestLog(in.Context.Context)
	if err != nil {
		return err
	}
	return in.showSelfTests(format, s, log)
}
