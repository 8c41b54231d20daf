package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
)

// needsWords are the ways of activation of a simulated firmware.
func needsWords() map[string]sim.Activation {
	return map[string]sim.Activation{
		"any": sim.AnyReset, "controller": sim.ControllerReset, "subsystem": sim.SubsystemReset,
		"conventional": sim.ConventionalReset, "too-long": sim.TooLongActivation, "prohibited": sim.ProhibitedActivation,
	}
}

func simFirmwareCommand() command {
	return command{
		name: "firmware", args: "PROFILE", access: none, maxArgs: 1,
		short: "make a firmware image for a simulated drive, to try qd1 firmware update",
		help: `The image has no code: it tells a simulated drive which revision to show, and by
which reset it becomes the running one. No real drive takes it.`,
		flags: []cli.Flag{
			&cli.StringFlag{Name: "revision", Usage: "the `REVISION` that the drive shows afterwards, at most 8 characters"},
			&cli.StringFlag{Name: "needs", Value: "any", Usage: "the `RESET` that it needs: any, controller (111h), subsystem (110h), conventional (10Bh), too-long (112h), prohibited (113h)"},
			&cli.StringFlag{Name: "model", DefaultText: "that of the drive", Usage: "the `MODEL` number that it is for"},
			&cli.IntFlag{Name: "bytes", Value: 64 << 10, Usage: "its size, rounded up to 4096 `BYTES`"},
			&cli.StringFlag{Name: "output", Usage: "write it to `FILE`"},
		},
		run: runSimFirmware,
	}
}

// maxRevision is the length of FR of Identify Controller.
const maxRevision = 8

// maxSimImage bounds the size of an image.
const maxSimImage = 64 << 20

func runSimFirmware(in *invocation) error {
	needs, ok := needsWords()[in.String("needs")]
	switch {
	case in.NArg() == 0:
		return usagef("qd1 sim firmware needs a profile: %s", profileNames())
	case !ok:
		return usagef("--needs %s: any, controller, subsystem, conventional, too-long or prohibited is needed", in.String("needs"))
	case in.String("output") == "" || in.String("revision") == "":
		return usagef("--revision REVISION and --output FILE are needed")
	case len(in.String("revision")) > maxRevision:
		return usagef("--revision %s: at most %d characters are possible", in.String("revision"), maxRevision)
	case in.Int("bytes") < 1 || in.Int("bytes") > maxSimImage:
		return usagef("--bytes %d: 1 to %d is possible", in.Int("bytes"), maxSimImage)
	}
	d, err := sim.Open(strings.TrimPrefix(in.arg(0), "sim:"))
	if err != nil {
		return &exitError{status: exitUsage, err: err, hint: "write a profile, for example optane-905p"}
	}
	defer d.Close()
	id, err := nvme.NewController(d).Identify(in.Context.Context)
	if err != nil {
		return err
	}
	image := sim.FirmwareImage{Model: in.String("model"), Revision: in.String("revision"), Needs: needs}
	if image.Model == "" {
		image.Model = id.ModelNumber.String()
	}
	b, err := image.Bytes(in.Int("bytes"))
	if err != nil {
		return usagef("%w", err)
	}
	return in.deliver(b)
}
