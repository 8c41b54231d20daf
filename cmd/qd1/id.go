package main

import (
	"context"
	"io"
	"strconv"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
)

func identifyCommand() command {
	return command{
		name: "id", short: "Identify data structures, every field", access: none,
		subs: []command{identifyControllerCommand(), identifyNamespaceCommand()},
	}
}

func identifyControllerCommand() command {
	return command{
		name: "ctrl", args: "[DRIVE]", access: reads, maxArgs: 1, flags: sectionFlags(),
		short: "Identify Controller (CNS 01h)",
		run: part[*report.IdentifyController]{
			name: "identify_controller",
			read: func(_ context.Context, s *report.Session) (*report.IdentifyController, error) {
				return report.NewIdentifyController(s.ID), nil
			},
			text: func(w io.Writer, head render.Part, id *report.IdentifyController, style render.Style) error {
				return render.IdentifyController(w, head, id.IdentifyController, style)
			},
			raw: func(ctx context.Context, s *report.Session) ([]byte, error) {
				return s.IdentifyPage(ctx, nvme.CNSController, 0)
			},
		}.run,
	}
}

func identifyNamespaceCommand() command {
	return command{
		name: "ns", args: "[DRIVE]", access: reads, maxArgs: 1,
		flags: sectionFlags(&cli.StringFlag{Name: "namespace-id", Aliases: []string{"n"}, Usage: "`NSID`; without it the namespace that DRIVE names, or the first"}),
		short: "Identify Namespace (CNS 00h)",
		run:   runIdentifyNamespace,
	}
}

func runIdentifyNamespace(in *invocation) error {
	asked, err := in.nsid()
	if err != nil {
		return err
	}
	choose := func(ctx context.Context, s *report.Session) (nvme.NSID, error) {
		if asked != 0 {
			return asked, nil
		}
		return s.DefaultNSID(ctx)
	}
	return part[*report.Namespace]{
		name: "namespace",
		read: func(ctx context.Context, s *report.Session) (*report.Namespace, error) {
			nsid, err := choose(ctx, s)
			if err != nil {
				return nil, err
			}
			return s.Namespace(ctx, nsid)
		},
		text: render.IdentifyNamespace,
		raw: func(ctx context.Context, s *report.Session) ([]byte, error) {
			nsid, err := choose(ctx, s)
			if err != nil {
				return nil, err
			}
			return s.IdentifyPage(ctx, nvme.CNSNamespace, nsid)
		},
	}.run(in)
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
