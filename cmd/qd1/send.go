package main

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/nvme"
)

// sending is one command that changes a drive, on its way through the guard.
type sending struct {
	*guarded
	cmd    *nvme.Command
	effect nvme.Effect
	looked *guard.Case
	// risks are what the command can break besides user data, as checks.
	risks []guard.Check
}

// acceptFlag is how a user agrees to the risks of a command.
func acceptFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "accept", Usage: "the `RISKS` of the command that you take, as the plan names them, such as write-protect"}
}

// prepareSending lets the guard look at a command. It reads only.
func prepareSending(ctx context.Context, g *guarded, cmd *nvme.Command, name string, timeout time.Duration, accepted []string) (*sending, error) {
	bare := *cmd
	bare.Data, bare.Metadata = nil, nil
	id, err := nvme.NewController(g.reading()).Identify(ctx)
	if err != nil {
		return nil, err
	}
	s := &sending{guarded: g, cmd: cmd, effect: nvme.EffectOf(&bare, id), risks: riskChecks(nvme.RisksOf(cmd), accepted)}
	op := guard.Operation{Name: name, Commands: []nvme.Command{bare}, Timeout: timeout}
	switch {
	case s.effect.Access == nvme.Destroys:
	case cmd.Queue == nvme.AdminQueue:
		op.KeepsData = true
	default: // It goes through the node of its namespace, which has to be free.
		op.Namespaces = []nvme.NSID{cmd.NSID}
	}
	if s.looked, err = guard.Inspect(ctx, g.target(), op); err != nil {
		return nil, err
	}
	return s, nil
}

// riskChecks are the risks of a command, to be agreed to by name.
func riskChecks(risks []nvme.Risk, accepted []string) []guard.Check {
	var checks []guard.Check
	for _, r := range risks {
		c := guard.Check{Check: r.Name, Result: guard.Consent, Text: r.Text, Hint: "if that is what you want, give --accept " + r.Name}
		switch {
		case r.Never:
			c.Result, c.Hint = guard.Refuse, "there is no flag for it: only the host's driver can do this"
		case slices.Contains(accepted, r.Name):
			c.Result, c.Warning, c.Hint = guard.Pass, true, ""
		}
		checks = append(checks, c)
	}
	return checks
}

// checkAccepted refuses a risk that the command does not have: whoever wrote it
// had another command in mind.
func checkAccepted(cmd *nvme.Command, accepted []string) error {
	var names []string
	for _, r := range nvme.RisksOf(cmd) {
		names = append(names, r.Name)
	}
	for _, name := range accepted {
		if !slices.Contains(names, name) {
			return usagef("--accept %s: this command has no such risk%s", name, knownRisks(names))
		}
	}
	return nil
}

func knownRisks(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ", but " + strings.Join(names, ", ")
}

// told is what the guard says of the command, for people.
func (s *sending) told(a *guard.Agreement) render.Guarded {
	return render.Guarded{Checks: s.checks(a), Identity: s.looked.Identity, Phrase: s.looked.Phrase()}
}

// checks are all checks; without an agreement those that need none.
func (s *sending) checks(a *guard.Agreement) []guard.Check {
	return slices.Concat(s.risks, s.looked.Judge(a))
}

// agree completes the agreement to the command. The error says that there is none;
// nothing was sent then.
func (s *sending) agree(ctx context.Context, in *invocation, a *guard.Agreement, ask, refuse func() error) error {
	open := slices.DeleteFunc(slices.Clone(s.risks), func(c guard.Check) bool { return c.Result == guard.Pass })
	if len(open) == 0 {
		return in.agree(ctx, s.looked, a, ask, refuse)
	}
	if err := refuse(); err != nil {
		return err
	}
	return refusal(&guard.Refusal{Checks: open})
}

// dryOutcome is the exit status of a dry run: that of the command, if the flags
// give an agreement.
func (s *sending) dryOutcome(a *guard.Agreement) error {
	if !a.Yes {
		a = nil
	}
	for _, c := range s.checks(a) {
		if c.Result == guard.Refuse || a != nil && c.Result == guard.Consent {
			return silently(exitRefused)
		}
	}
	return nil
}

// send claims the drive and sends the command. It returns how long the answer took.
func (s *sending) send(ctx context.Context, e *env, a *guard.Agreement) (nvme.Completion, time.Duration, error) {
	permit, err := s.looked.Claim(ctx, a)
	var refused *guard.Refusal
	switch {
	case errors.As(err, &refused):
		return nvme.Completion{}, 0, refusal(refused)
	case err != nil:
		return nvme.Completion{}, 0, err
	}
	defer permit.Close()
	var began time.Time
	done, err := permit.Submit(ctx, s.cmd, func() error { began = time.Now(); return nil })
	took := time.Since(began)
	if errors.As(err, &refused) {
		return done, 0, refusal(refused)
	}
	if s.effect.Access == nvme.Destroys && err == nil {
		if err := permit.Refresh(); err != nil {
			e.say("the kernel could not look at the drive again: %v", err)
		}
	}
	return done, took, err
}

// unsigned reads an unsigned number of a flag, 0 where it was not given.
func (in *invocation) unsigned(flag string, bits int) (uint64, error) {
	text := in.String(flag)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 0, bits)
	if err != nil {
		return 0, usagef("--%s %s: a number from 0 to 0x%x is needed", flag, text, uint64(1)<<bits-1)
	}
	return n, nil
}
