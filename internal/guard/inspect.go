package guard

import (
	"context"
	"errors"
	"fmt"
	"os"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/nvme"
)

// scanner finds what lies on a device, as [signature.Scan].
type scanner func(ctx context.Context, r ioReaderAt, size int64, blockBytes int) ([]signature.Signature, error)

// Inspect looks at a drive. It reads only. The error is what made it
// impossible to look, such as a drive that does not answer.
func Inspect(ctx context.Context, d *Drive, op Operation) (*Case, error) {
	return inspect(ctx, d, op, eyes{passthru: d.Passthru, open: d.Host.Open, scan: signature.Scan})
}

// eyes are what an inspection looks through.
type eyes struct {
	passthru nvme.Passthru
	open     func(block string) (BlockReader, error)
	scan     scanner
}

// inspection is an inspection under way.
type inspection struct {
	eyes
	drive *Drive
	op    *Operation
	dev   *nvme.Controller
	view  *view
	host  *hostView
	c     *Case
}

// inspect looks at a drive. The steps stand in the order in which their checks
// are shown.
func inspect(ctx context.Context, d *Drive, op Operation, e eyes) (*Case, error) {
	if err := op.check(); err != nil {
		return nil, err
	}
	in := &inspection{eyes: e, drive: d, op: &op, dev: nvme.NewController(nvme.ReadOnly(e.passthru))}
	in.c = &Case{drive: d, op: op, scan: e.scan}
	if err := in.look(ctx); err != nil {
		return nil, err
	}
	if d.Simulated {
		in.add(warn(checkSimulated, "SIMULATED: no real drive is touched"))
	}
	if why := nonsense(&in.view.id); why != "" {
		in.add(refuse(checkIdentity, "power the drive off and on again, then look at it with the report", "%s: it cannot be told which drive it is", why))
		return in.c, nil
	}
	in.identify()
	for _, step := range []func(context.Context) error{in.state, in.use, in.contents} {
		if err := step(ctx); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	in.add(d.Host.Power()...)
	return in.c, nil
}

// add adds checks to the case.
func (in *inspection) add(checks ...Check) { in.c.checks = append(in.c.checks, checks...) }

// look reads what the host and the drive say.
func (in *inspection) look(ctx context.Context) error {
	var err error
	if in.host, err = readHost(in.drive.Host.Sysfs(), in.drive.Controller); err != nil {
		return err
	}
	in.view, err = readView(ctx, in.dev)
	if err != nil {
		return err
	}
	id := &in.view.id
	in.c.stamp = stampOf(id)
	in.c.doubles = in.host.describeDoubles()
	in.c.Identity = Identity{
		Serial: id.SerialNumber.String(), Model: id.ModelNumber.String(), Firmware: id.FirmwareRevision.String(),
		SubsystemNQN: id.SUBNQN.String(), PCI: pciOf(in.host.controller), Controller: in.host.controller.Name,
		Simulated: in.drive.Simulated,
	}
	return nil
}

// use asks the host who uses the devices of the radius.
func (in *inspection) use(ctx context.Context) error {
	if in.op.KeepsData {
		return nil
	}
	survey, err := in.drive.Host.Survey(ctx, in.c.devices())
	if err != nil {
		return fmt.Errorf("look for who uses the drive: %w", err)
	}
	if survey == nil {
		return errNoSurvey
	}
	in.c.Survey = withoutOwn(survey)
	in.add(useChecks(in.c)...)
	return nil
}

var errNoSurvey = errors.New("look for who uses the drive: the host says nothing")

// withoutOwn returns a survey without what this process itself has open.
func withoutOwn(s *inuse.Survey) *inuse.Survey {
	own := &inuse.Survey{Uses: []inuse.Use{}, Pollers: s.Pollers, Unchecked: s.Unchecked}
	for _, u := range s.Uses {
		if u.Kind != inuse.OpenFile || u.PID != os.Getpid() {
			own.Uses = append(own.Uses, u)
		}
	}
	return own
}
