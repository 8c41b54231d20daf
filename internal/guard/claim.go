package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"qd1.example/qd1/nvme"
)

const hintAgain = "look at the plan again: nothing was sent"

// Claim takes the devices, looks at everything again through them, and gives
// the permit to send. The error is a *Refusal if something speaks against it;
// then, and on any other error, the devices are given back.
//
// An operation that keeps the data takes the controller's node, because its
// block devices may be in use.
func (c *Case) Claim(ctx context.Context, a *Agreement) (*Permit, error) {
	if a == nil {
		a = &Agreement{}
	}
	if err := refusal(c.Judge(a)...); err != nil {
		return nil, err
	}
	p := &Permit{c: c, sent: make([]bool, len(c.op.Commands))}
	if err := p.take(ctx, a); err != nil {
		if closing := p.Close(); closing != nil {
			err = errors.Join(err, closing)
		}
		return nil, err
	}
	return p, nil
}

// take claims and looks again. Between any two steps the context may end it.
func (p *Permit) take(ctx context.Context, a *Agreement) error {
	for _, want := range p.c.wanted() {
		if err := ctx.Err(); err != nil {
			return err
		}
		claim, err := p.c.drive.Host.Claim(want.device)
		if errors.Is(err, ErrInUse) {
			return p.c.explain(ctx, want.device, err)
		}
		if err != nil {
			return fmt.Errorf("claim %s: %w", want.device, err)
		}
		p.held = append(p.held, &held{device: want.device, member: want.member, claim: claim})
	}
	if len(p.held) == 0 {
		return refusal(refuse(checkNodes, hintResolve, "the drive has no device that could be claimed"))
	}
	for _, h := range p.held {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.c.verify(ctx, h, true); err != nil {
			return err
		}
	}
	return p.lookAgain(ctx, a)
}

// target is a device to be claimed; member is nil for the drive as a whole.
type target struct {
	device string
	member *Member
}

// wanted returns the devices to be claimed, the one that carries the commands
// first: that of the first namespace which the named controller itself reaches.
func (c *Case) wanted() []target {
	if c.op.KeepsData {
		return []target{{device: c.Identity.Controller}}
	}
	var list []target
	for i := range c.Radius {
		for _, b := range c.Radius[i].blocks() {
			list = append(list, target{b, &c.Radius[i]})
		}
	}
	if len(list) > 0 {
		slices.SortStableFunc(list, func(a, b target) int { return cmp.Compare(c.foreign(a.member), c.foreign(b.member)) })
		return list
	}
	for i := range c.Radius {
		if m := &c.Radius[i]; m.Generic != "" {
			return []target{{m.Generic, m}}
		}
	}
	return []target{{device: c.Identity.Controller}}
}

// foreign is 1 for a namespace that only other controllers of the drive reach,
// else 0.
func (c *Case) foreign(m *Member) int {
	if slices.Contains(m.Controllers, c.Identity.Controller) {
		return 0
	}
	return 1
}

// explain says who has a device that could not be claimed.
func (c *Case) explain(ctx context.Context, device string, cause error) error {
	survey, err := c.drive.Host.Survey(ctx, c.devices())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var checks []Check
	if err == nil && survey != nil {
		for _, u := range withoutOwn(survey).Uses {
			checks = append(checks, refuse(checkInUse, useHint(&u), "%s could not be claimed: %s", device, useText(&u)))
		}
	}
	if len(checks) == 0 {
		checks = []Check{refuse(checkInUse, "look for an imported pool, a virtual machine, or another program that works on the drive",
			"%s could not be claimed, and it could not be found out who has it: %v", device, cause)}
	}
	return refusal(checks...)
}

// verify reads the identity through a claimed descriptor; with geometry also
// that of the namespace that it is.
func (c *Case) verify(ctx context.Context, h *held, geometry bool) error {
	dev := nvme.NewController(nvme.ReadOnly(h.claim))
	id, err := dev.Identify(ctx)
	if err != nil {
		return fmt.Errorf("identify the drive through %s: %w", h.device, err)
	}
	if got := stampOf(id); got != c.stamp {
		return refusal(refuse(checkChanged, hintAgain, "%s is now another drive: %s, serial number %s", h.device, id.ModelNumber, id.SerialNumber))
	}
	if !geometry || h.member == nil {
		return nil
	}
	if err := h.sameNamespace(); err != nil {
		return err
	}
	return h.sameGeometry(ctx, dev)
}

// sameNamespace asks the kernel which namespace the descriptor is.
func (h *held) sameNamespace() error {
	n, ok := h.claim.(namespaceOf)
	if !ok {
		return nil
	}
	nsid, err := n.NSID()
	if err != nil {
		return fmt.Errorf("ask which namespace %s is: %w", h.device, err)
	}
	if nsid != h.member.NSID {
		return refusal(refuse(checkChanged, hintAgain, "%s is now namespace %d, and was %d", h.device, nsid, h.member.NSID))
	}
	return nil
}

// sameGeometry compares size, format and identifiers of the namespace with
// those of the inspection.
func (h *held) sameGeometry(ctx context.Context, dev *nvme.Controller) error {
	page, err := dev.IdentifyNamespace(ctx, h.member.NSID)
	if err != nil {
		return fmt.Errorf("identify namespace %d through %s: %w", h.member.NSID, h.device, err)
	}
	was := h.member
	now := *was
	now.describe(page)
	if was.LBAF < 0 { // Only the kernel told of it.
		now.LBAF, now.MetadataBytes, now.EUI64, now.NGUID = was.LBAF, was.MetadataBytes, was.EUI64, was.NGUID
	}
	if now.Bytes != was.Bytes || now.LBAF != was.LBAF || now.LBABytes != was.LBABytes || now.MetadataBytes != was.MetadataBytes ||
		now.EUI64 != was.EUI64 || now.NGUID != was.NGUID {
		return refusal(refuse(checkChanged, hintAgain, "%s is not what it was: it has %s in blocks of %s, and had %s in blocks of %s",
			h.device, bytesText(now.Bytes), bytesText(int64(now.LBABytes)), bytesText(was.Bytes), bytesText(int64(was.LBABytes))))
	}
	return nil
}

// lookAgain inspects once more, through the claimed devices, and compares.
func (p *Permit) lookAgain(ctx context.Context, a *Agreement) error {
	c := p.c
	again, err := inspect(ctx, c.drive, c.op, eyes{passthru: p.held[0].claim, open: p.reader, scan: c.scan})
	if err != nil {
		return fmt.Errorf("look again: %w", err)
	}
	if err := refusal(again.Judge(a)...); err != nil {
		return err
	}
	if before := c.Fingerprint(); before == "" || again.Fingerprint() != before {
		return refusal(refuse(checkChanged, hintAgain, "since it was looked at: %s", changed(c, again)))
	}
	return ctx.Err()
}

// reader reads a claimed block device; closing it keeps the claim.
func (p *Permit) reader(block string) (BlockReader, error) {
	for _, h := range p.held {
		if h.device == block {
			return kept{h.claim}, nil
		}
	}
	return nil, fmt.Errorf("%s was not claimed: %w", block, errNotClaimed)
}

var errNotClaimed = errors.New("not one of the claimed devices")

// kept is a claimed device that is not to be closed yet.
type kept struct{ ioReaderAt }

// Close does nothing.
func (kept) Close() error { return nil }
