package main

import (
	"context"
	"io"
	"strconv"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
)

func identifyCommand() command {
	return command{
		name: "id", short: "Identify data structures, every field and bit", access: none,
		help: "\"qd1 id list\" shows what there is, and \"qd1 id list DRIVE\" what a drive lists.",
		subs: identifyCommands,
	}
}

func identifyCommands() []command {
	list := []command{identifyListCommand()}
	for _, p := range spec.IdentifyPages() {
		list = append(list, identifyPageCommand(p))
	}
	return list
}

// identifyPageCommand is the command of one data structure.
func identifyPageCommand(p spec.IdentifyPage) command {
	return command{
		name: p.Name, args: "[DRIVE]", access: reads, maxArgs: 1, flags: specFlags(identifyFlags(p)...),
		short: p.Title() + " (" + cnsText(p.CNS) + ")",
		run: func(in *invocation) error {
			page, err := in.identifyChoice(p)
			if err != nil {
				return err
			}
			cmd, err := in.identifyParameters(page)
			if err != nil {
				return err
			}
			c := specPage{schema: "identify", read: func(ctx context.Context, s *report.Session) (*report.SpecPage, error) {
				return s.ReadSpecIdentify(ctx, page, cmd, in.Bool("force"))
			}}
			switch page.CNS {
			case nvme.CNSController:
				c.schema, c.more = "identify_controller", controllerExtra
			case nvme.CNSNamespace:
				c.schema, c.more = "namespace", namespaceExtra
			}
			return c.run(in)
		},
	}
}

// controllerExtra keeps the keys that the command has had from the beginning.
func controllerExtra(_ context.Context, s *report.Session, _ *report.SpecPage) (*specExtra, error) {
	return &specExtra{members: map[string]any{"identify_controller": report.NewIdentifyController(s.ID)}}, nil
}

// namespaceExtra adds the namespace as people read it.
func namespaceExtra(ctx context.Context, s *report.Session, p *report.SpecPage) (*specExtra, error) {
	ns, err := s.NamespaceOfPage(ctx, p)
	if err != nil {
		return nil, err
	}
	return &specExtra{
		members: map[string]any{"namespace": ns},
		text: func(w io.Writer, head render.Part, p *report.SpecPage, style render.Style) error {
			return render.IdentifyNamespace(w, head, ns, p, style)
		},
	}, nil
}

func cnsText(cns nvme.CNS) string { return "CNS " + hexByte(uint8(cns)) }

func hexByte(b uint8) string {
	const digits = "0123456789ABCDEF"
	return string([]byte{digits[b>>4], digits[b&15], 'h'})
}

// nsid reads the flag of that name; 0 means that it was not given.
func (in *invocation) nsid() (nvme.NSID, error) {
	text := in.String("namespace-id")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 0, 32)
	if err != nil || n == 0 {
		return 0, usagef("--namespace-id %s: a number from 1 to 0xffffffff is needed", text)
	}
	return nvme.NSID(n), nil
}

func identifyListCommand() command {
	return command{
		name: "list", args: "[DRIVE]", access: reads, maxArgs: 1, flags: append(outputFlags("json"), driveFlags()...),
		short: "what there is, and with a DRIVE what it lists",
		run:   runIdentifyList,
	}
}

func runIdentifyList(in *invocation) error {
	format, err := in.format("json")
	if err != nil {
		return err
	}
	list := report.NewIdentifyList(nil)
	if in.Args().Present() {
		s, done, err := in.begin()
		if err != nil {
			return err
		}
		defer done()
		list = report.NewIdentifyList(s)
	}
	return in.show(format, list, func(w io.Writer, style render.Style) error { return render.IdentifyList(w, list, style) })
}

// identifyFlags are the flags for the parameters that a page takes, and nvme-cli's
// for a relative of the page.
func identifyFlags(p spec.IdentifyPage) []cli.Flag {
	var list []cli.Flag
	add := func(name, usage string, aliases ...string) {
		list = append(list, &cli.StringFlag{Name: name, Aliases: aliases, Usage: usage})
	}
	switch {
	case p.Needs.Has(spec.NeedNSID):
		add("namespace-id", "`NSID`; without it the namespace that DRIVE names, or the first", "n")
	case p.Needs.Has(spec.NeedAfter):
		add("namespace-id", "first `NSID` of the list", "n")
	}
	if p.Needs.Has(spec.NeedCNTID) {
		add("cntid", "`ID` of a controller, or of the first of the list", "c", "cntlid", "controller-id")
	}
	if p.Needs.Has(spec.NeedCSI) {
		add("csi", "Command Set `IDENTIFIER`: 0 NVM, 2 zoned namespaces", "y")
	}
	if p.Needs.Has(spec.NeedSpecific) {
		name := specificFlag(p.CNS)
		add(name.flag, name.usage, name.aliases...)
	}
	if p.Needs.Has(spec.NeedUUID) {
		add("uuid-index", "`INDEX` of a UUID of the UUID List", "U")
	}
	return append(list, relativeFlags(p)...)
}

type specific struct {
	flag, usage string
	aliases     []string
}

// specificFlag is the flag for the CNS Specific Identifier.
func specificFlag(cns nvme.CNS) specific {
	switch cns {
	case nvme.CNSNVMSets:
		return specific{"nvmset-id", "first NVM set `ID` of the list", []string{"i", "nvmset_id"}}
	case nvme.CNSDomains:
		return specific{"dom-id", "first domain `ID` of the list", []string{"d"}}
	case nvme.CNSEnduranceGroups:
		return specific{"endgrp-id", "first endurance group `ID` of the list", []string{"i"}}
	}
	return specific{"lba-format-index", "`INDEX` of an LBA format", []string{"i"}}
}
