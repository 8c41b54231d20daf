package main

import (
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/nvme"
)

func eraseCommand() command {
	return command{
		name: "erase", short: "erase a drive with proof: plan, run, status, resume, batch, cert", access: destroys,
		subs: func() []command {
			return []command{erasePlanCommand(), eraseRunCommand(), eraseStatusCommand(), eraseResumeCommand(), eraseBatchCommand(), certificateCommand()}
		},
	}
}

func erasePlanCommand() command {
	return command{
		name: "plan", args: "[DRIVE]", access: reads, maxArgs: 1,
		short: "what an erase would do: what is lost, how, how long, what speaks against it",
		help: `DRIVE may be any name of the drive, or replay:FILE. qd1 erase run needs the full
serial number, which the plan shows.`,
		flags: append(outputFlags("json"), techniqueFlags()...),
		run:   runErasePlan,
	}
}

func eraseRunCommand() command {
	return command{
		name: "run", args: "SERIAL", access: destroys, maxArgs: 1,
		short: "erase a drive and verify that its data are gone",
		help: `SERIAL is the full serial number of the drive, and nothing else. Shows the plan
and lets you type a phrase. Scripts use --yes with --expect-model and
--expect-bytes, and --destroy-signature for what lies on the drive.
Once the command is sent, Ctrl-C ends the program but not the erase:
qd1 erase status tells how it goes on.`,
		flags: guardedFlags(append(techniqueFlags(), certificateFlags()...)),
		run:   func(in *invocation) error { return in.runGuarded((*invocation).eraseRequest) },
	}
}

// guardedFlags are the flags of a command that goes through the guard, with
// those of its own.
func guardedFlags(own []cli.Flag) []cli.Flag {
	return slices.Concat(outputFlags("json"), own, consentFlags(), keepFlags(false))
}

// keepErase keeps the outcome of a job that came to an end. Its journal and its
// certificate are kept in any case.
func (in *invocation) keepErase(r *erase.Record) {
	switch r.Class() {
	case erase.Planned, erase.Refused, erase.Cancelled:
		return
	}
	id := &r.Identity
	r.RecordID = in.keep("erase", record.Subject{Serial: id.Serial, Model: id.Model, Bytes: id.Bytes, Simulated: r.Simulated}, r, false)
}

// techniqueFlags say how to erase and how to verify.
func techniqueFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "technique", Usage: "`NAME` of the technique: " + techniqueNames() + "; without it the best that the drive has"},
		&cli.StringFlag{Name: "claim", Usage: "the `CATEGORY` that your policy gives to the technique: clear or purge"},
		&cli.IntFlag{Name: "lbaf", DefaultText: "as it is", Usage: "change to the LBA format with this `INDEX`"},
		&cli.IntFlag{Name: "pi", DefaultText: "as it is", Usage: "change to protection information of this `TYPE`, 0 to 3"},
		&cli.StringFlag{Name: "timeout", Aliases: []string{"t"}, DefaultText: "from the capacity", Usage: "`TIME` that the drive gets for the command, such as 45m"},
	}, append(namespaceFlags(), proofFlags()...)...)
}

func namespaceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "namespace-id", Aliases: []string{"n"}, Usage: "`NSID` of the namespace; without it the only one"},
		&cli.BoolFlag{Name: "all-namespaces", DisableDefaultText: true, Usage: "erase all namespaces of the drive"},
	}
}

func proofFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "quick", DisableDefaultText: true, Usage: "verify by 46 050 samples in place of 460 515"},
		&cli.BoolFlag{Name: "full", DisableDefaultText: true, Usage: "read the whole medium afterwards"},
		&cli.BoolFlag{Name: "no-canaries", DisableDefaultText: true, Usage: "plant no blocks before the erase to look for afterwards"},
	}
}

func techniqueNames() string {
	var names []string
	for _, t := range erase.Techniques() {
		if t.Erases() {
			names = append(names, string(t))
		}
	}
	return strings.Join(names, ", ")
}

// eraseRequest is what the flags ask for.
func (in *invocation) eraseRequest() (erase.Request, error) {
	r := erase.Request{Technique: erase.Technique(in.String("technique")), Claim: erase.Claim(in.String("claim"))}
	switch {
	case r.Technique == erase.Format:
		return r, usagef("--technique format is not an erase: qd1 format does that")
	case r.Technique != erase.Best && !slices.Contains(erase.Techniques(), r.Technique):
		return r, usagef("--technique %s: one of %s is needed", r.Technique, techniqueNames())
	case r.Claim != erase.ClaimDefault && r.Claim != erase.Clear && r.Claim != erase.Purge:
		return r, usagef("--claim %s: clear or purge is needed", r.Claim)
	}
	return r, in.commonRequest(&r)
}

// commonRequest adds what erase and format have in common.
func (in *invocation) commonRequest(r *erase.Request) error {
	var err error
	if r.NSID, err = in.nsid(); err != nil {
		return err
	}
	r.AllNamespaces = in.Bool("all-namespaces") || r.NSID == nvme.BroadcastNSID
	if r.AllNamespaces {
		r.NSID = 0
	}
	if r.LBAF, err = in.index("lbaf", 63); err != nil {
		return err
	}
	if r.PI, err = in.index("pi", 3); err != nil {
		return err
	}
	return in.readTimeout(r)
}

// readTimeout reads the time for the command, which may be long.
func (in *invocation) readTimeout(r *erase.Request) error {
	text := in.String("timeout")
	if text == "" {
		return nil
	}
	var err error
	r.Timeout, err = parseDuration(text)
	if err != nil || r.Timeout < time.Second || r.Timeout > 7*24*time.Hour {
		return usagef("--timeout %s: a time from 1s to 168h is needed, such as 45m", text)
	}
	return nil
}

// index reads a flag that is a small number; nil means that it was not given.
func (in *invocation) index(name string, greatest int) (*int, error) {
	if !in.IsSet(name) {
		return nil, nil
	}
	n := in.Int(name)
	if n < 0 || n > greatest {
		return nil, usagef("--%s %d: a number from 0 to %d is needed", name, n, greatest)
	}
	return &n, nil
}

func runErasePlan(in *invocation) error {
	request, err := in.eraseRequest()
	if err != nil {
		return err
	}
	format, err := in.format("json")
	if err != nil {
		return err
	}
	g, err := openGuarded(in.arg(0), "")
	if err != nil {
		return err
	}
	defer g.Close()
	p, err := prepare(in.Context.Context, g, request)
	if err != nil {
		return err
	}
	record := p.plan(nil)
	if err := in.show(format, record, func(w io.Writer, s render.Style) error { return render.ErasePlan(w, record, s) }); err != nil {
		return err
	}
	return planOutcome(record)
}

// planOutcome is 5 for a plan that a check speaks against, so that a script
// need not read it.
func planOutcome(r *erase.Record) error {
	if r.Class() == erase.Refused {
		return silently(exitRefused)
	}
	return nil
}
