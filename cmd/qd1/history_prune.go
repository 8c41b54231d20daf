package main

import (
	"bytes"
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/render"
)

func historyPruneCommand() command {
	return command{
		name: "prune", args: "[DRIVE]", access: none, maxArgs: 1,
		short: "remove old records, after showing which",
		help: `Removes records of DRIVE, or of each drive, that are beyond the newest N and older
than TIME, if both are given. The newest of a drive stays in any case, and so does
what a record that stays refers to. Asks on a terminal; scripts use --yes.`,
		flags: append(chooseFlags()[:2],
			&cli.IntFlag{Name: "keep", DefaultText: "no limit", Usage: "keep the newest `N` of each drive"},
			&cli.StringFlag{Name: "older-than", DefaultText: "no limit", Usage: "remove only what is older than `TIME`, such as 90d, or a date"},
			&cli.BoolFlag{Name: "dry-run", DisableDefaultText: true, Usage: "only show what would be removed"},
			&cli.BoolFlag{Name: "yes", DisableDefaultText: true, Usage: "remove without asking"}),
		run: behind(runHistoryPrune),
	}
}

// pruning is what is to be removed.
type pruning struct {
	query  record.Query
	keep   int
	before time.Time
}

func runHistoryPrune(in *invocation) error {
	p, err := in.pruning()
	if err != nil {
		return err
	}
	s, err := in.store()
	if err != nil {
		return err
	}
	if in.NArg() > 0 {
		subject, err := in.kept(s, in.arg(0))
		if err != nil {
			return err
		}
		p.query.Drive = subject.Key()
	}
	list, faults := s.Prune(p.query, p.keep, p.before, true)
	if err := in.pruneFaults(faults); err != nil {
		return err
	}
	if len(list) == 0 {
		in.env.say("nothing is to be removed")
		return nil
	}
	if err := in.showDoomed(list); err != nil || in.Bool("dry-run") {
		return err
	}
	if err := in.agreeToPrune(len(list)); err != nil {
		return err
	}
	gone, faults := s.Prune(p.query, p.keep, p.before, false)
	in.env.say("records removed: %d", len(gone))
	if n := len(faults); n > 0 && len(gone) < len(list) {
		return failf("repeat it when the cause is gone", "%d of %d records were not removed: %w", len(list)-len(gone), len(list), faults[n-1])
	}
	return nil
}

// pruning reads the flags.
func (in *invocation) pruning() (p pruning, err error) {
	if !in.IsSet("keep") && !in.IsSet("older-than") {
		return p, usagef("%s needs --keep N or --older-than TIME", in.name)
	}
	if p.query, err = in.query(); err != nil {
		return p, err
	}
	if in.Int("keep") < 1 && in.IsSet("keep") {
		return p, usagef("--keep %d: at least the newest record of a drive is kept", in.Int("keep"))
	}
	p.keep = max(1, in.Int("keep"))
	if in.IsSet("older-than") {
		p.before, err = in.moment("older-than", in.String("older-than"))
	}
	return p, err
}

// showDoomed is the result of a dry run, and what is to be agreed to.
func (in *invocation) showDoomed(list []*record.Record) error {
	var b bytes.Buffer
	if err := render.Records(&b, list, in.style()); err != nil {
		return err
	}
	return in.deliver(b.Bytes())
}

// agreeToPrune asks, unless that was answered.
func (in *invocation) agreeToPrune(n int) error {
	if in.Bool("yes") {
		return nil
	}
	input := in.env.terminalInput()
	if input == nil {
		return refusef("add --yes, or run it on a terminal", "%d records would be removed, and --yes is missing; nothing was removed", n)
	}
	text, err := in.env.askLine(in.Context.Context, newLines(input), "These records will be removed. To go on, type", "remove")
	var x *exitError
	if errors.As(err, &x) && x.status == exitInterrupted {
		return &exitError{status: exitInterrupted, err: errors.New("interrupted; nothing was removed")}
	}
	if err != nil {
		return err
	}
	if text != "remove" {
		return refusef("start again", "%q was typed; nothing was removed", text)
	}
	return nil
}

// pruneFaults tells of files that cannot be read, which stay. It is an error if
// one of them is in the way.
func (in *invocation) pruneFaults(faults []error) error {
	for _, err := range faults {
		if errors.Is(err, record.ErrReferences) {
			return failf("move this file away, or let an older copy take its place", "nothing was removed: %w", err)
		}
		in.env.warn(err, "")
	}
	return nil
}
