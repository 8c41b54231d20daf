package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/firmware"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
)

func firmwareCommand() command {
	return command{
		name: "firmware", short: "firmware: slots, plan, update, activate", access: none,
		subs: func() []command {
			return []command{firmwareInfoCommand(), firmwarePlanCommand(), firmwareUpdateCommand(), firmwareActivateCommand()}
		},
	}
}

func firmwareInfoCommand() command {
	return command{
		name: "info", args: "[DRIVE]", access: reads, maxArgs: 1, flags: sectionFlags(),
		short: "the firmware slots, and how the drive takes updates",
		run: part[*report.Firmware]{
			name: "firmware",
			read: func(ctx context.Context, s *report.Session) (*report.Firmware, error) { return s.ReadFirmware(ctx) },
			text: render.Firmware,
			raw:  rawLog(nvme.LIDFirmwareSlot, func(*nvme.IdentifyController) int { return 512 }),
		}.run,
	}
}

func firmwarePlanCommand() command {
	return command{
		name: "plan", args: "[DRIVE]", access: reads, maxArgs: 1,
		short: "what an update would do: slot, action, chunks, reset, what speaks against it",
		help: `DRIVE may be any name of the drive. Without --image it plans the activation of a
slot. Also tells what is known of an update that was broken off.`,
		flags: slices.Concat(outputFlags("json"), driveFlags(), firmwareFlags(true)),
		run:   runFirmwarePlan,
	}
}

func firmwareUpdateCommand() command {
	return command{
		name: "update", args: "SERIAL", access: told, maxArgs: 1,
		short: "give a drive new firmware, and look whether it runs it",
		help: `SERIAL is the full serial number of the drive, and nothing else. Images come from
the maker of the drive; qd1 has none. Shows the plan and lets you type a phrase;
scripts use --yes with --expect-model and --expect-bytes. User data stay.
Ctrl-C between two chunks ends it; the commit is waited for. Exit status 9: the
drive has the firmware, and a reset is still needed.`,
		flags: slices.Concat(guardedFirmwareFlags(), firmwareFlags(true), firmwareBenchFlags()),
		run:   func(in *invocation) error { return in.runFirmware(true) },
	}
}

func firmwareActivateCommand() command {
	return command{
		name: "activate", args: "SERIAL", access: told, maxArgs: 1,
		short: "let a drive run the firmware of another slot",
		help: `SERIAL is the full serial number of the drive. Nothing is transferred: the slot has
its firmware. Without --slot the only other slot that has some.`,
		flags: slices.Concat(guardedFirmwareFlags(), firmwareFlags(false), firmwareBenchFlags()),
		run:   func(in *invocation) error { return in.runFirmware(false) },
	}
}

// guardedFirmwareFlags are the flags of a command that changes firmware. No data
// are lost, so no signature is agreed to.
func guardedFirmwareFlags() []cli.Flag {
	consent := slices.DeleteFunc(consentFlags(), func(f cli.Flag) bool { return f.Names()[0] == "destroy-signature" })
	return slices.Concat(outputFlags("json"), consent, keepFlags(true))
}

// firmwareFlags say what is to be done; image adds those of a transfer.
func firmwareFlags(image bool) []cli.Flag {
	flags := []cli.Flag{
		&cli.IntFlag{Name: "slot", DefaultText: "chosen", Usage: "the firmware slot `N`"},
		&cli.StringFlag{Name: "reset", Value: string(firmware.ResetAsNeeded), Usage: "the `RESET` that may be done afterwards: as-needed (while nobody uses the drive), controller, subsystem, none"},
		&cli.BoolFlag{Name: "accept-health", DisableDefaultText: true, Usage: "update a drive that reports a critical warning"},
	}
	if !image {
		return flags
	}
	return append(flags,
		&cli.StringFlag{Name: "image", Usage: "the `FILE` with the firmware image, from the maker of the drive"},
		&cli.BoolFlag{Name: "pad", DisableDefaultText: true, Usage: "add FFh behind the image up to the granularity of the drive; only if its maker says so"})
}

// firmwareRequest is what the flags ask for. need says that an image has to be
// given.
func (in *invocation) firmwareRequest(need bool) (firmware.Request, error) {
	r := firmware.Request{Slot: in.Int("slot"), Pad: in.Bool("pad"), Reset: firmware.Reset(in.String("reset")), AcceptHealth: in.Bool("accept-health")}
	switch r.Reset {
	case firmware.ResetAsNeeded, firmware.NoReset, firmware.ControllerReset, firmware.SubsystemReset:
	default:
		return r, usagef("--reset %s: as-needed, controller, subsystem or none is needed", r.Reset)
	}
	name := in.String("image")
	switch {
	case in.IsSet("slot") && (r.Slot < 1 || r.Slot > 7):
		return r, usagef("--slot %d: a number from 1 to 7 is needed", r.Slot)
	case name == "" && need:
		return r, usagef("%s needs --image FILE: firmware comes from the maker of the drive", in.name)
	case name == "" && r.Pad:
		return r, usagef("--pad is of --image")
	case name == "":
		return r, nil
	}
	var err error
	r.Image, err = firmware.ReadImage(name)
	return r, imageError(name, err)
}

// imageError says what is wrong with a file. Nothing was sent.
func imageError(name string, err error) error {
	var bad *firmware.ImageError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &bad):
		return refusef(bad.Hint, "%s: %w. Nothing was sent", name, err)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return failf("name the file with the image", "%w", err)
	}
	return refusef("name the file with the image", "%w. Nothing was sent", err)
}

func runFirmwarePlan(in *invocation) error {
	r, err := in.firmwareRequest(false)
	if err != nil {
		return err
	}
	format, err := in.format("json")
	if err != nil {
		return err
	}
	timeout, err := in.timeout()
	if err != nil {
		return err
	}
	g, err := openGuarded(in.arg(0), "")
	if err != nil {
		return err
	}
	defer g.Close()
	g.Passthru = nvme.WithTimeout(g.Passthru, timeout)
	u, err := in.prepareFirmware(in.Context.Context, g, r)
	if err != nil {
		return err
	}
	return in.endFirmwarePlan(format, u, nil)
}

// endFirmwarePlan shows a plan, and ends with 5 if something speaks against it.
func (in *invocation) endFirmwarePlan(format string, u *updating, a *guard.Agreement) error {
	rec := u.record(a)
	if err := in.show(format, rec, func(w io.Writer, s render.Style) error { return render.FirmwarePlan(w, rec, s) }); err != nil {
		return err
	}
	if rec.Result == firmware.Refused {
		return silently(exitRefused)
	}
	return nil
}

// runFirmware is an update or an activation, from its flags to its exit status.
func (in *invocation) runFirmware(image bool) error {
	r, err := in.firmwareRequest(image)
	if err != nil {
		return err
	}
	format, err := in.format("json")
	if err != nil {
		return err
	}
	a, err := in.agreement()
	if err != nil {
		return err
	}
	if a.Serial == "" {
		return usagef("%s needs the full serial number of the drive; qd1 list shows it", in.name)
	}
	measured, err := in.newBeforeAfter()
	if err != nil {
		return err
	}
	ctx := in.Context.Context
	g, err := openGuarded(a.Serial, a.PCI)
	if err != nil {
		return err
	}
	defer g.Close()
	u, err := in.prepareFirmware(ctx, g, r)
	if err != nil {
		return err
	}
	if g.inProcess {
		a.Serial = u.looked.Identity.Serial
	}
	if in.Bool("dry-run") {
		if !a.Yes {
			a = nil
		}
		return in.endFirmwarePlan(format, u, a)
	}
	if err := in.consentFirmware(ctx, format, u, a); err != nil {
		return err
	}
	return in.performFirmware(ctx, format, u, a, measured)
}

// consentFirmware completes the agreement. The error says that there is none;
// nothing was sent then.
func (in *invocation) consentFirmware(ctx context.Context, format string, u *updating, a *guard.Agreement) error {
	refuse := func() error {
		rec := u.record(a)
		return in.show(format, rec, func(w io.Writer, s render.Style) error { return render.FirmwarePlan(w, rec, s) })
	}
	open := slices.DeleteFunc(slices.Clone(u.gates), func(c guard.Check) bool { return c.Result == guard.Pass })
	if len(open) > 0 {
		if err := refuse(); err != nil {
			return err
		}
		return refusal(&guard.Refusal{Checks: open})
	}
	return in.agree(ctx, u.looked, a,
		func() error { return render.FirmwarePlan(in.env.stderr, u.record(nil), in.messageStyle()) }, refuse)
}
