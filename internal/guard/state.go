package guard

import (
	"context"
	"errors"

	"qd1.example/qd1/nvme"
)

// state checks what state the drive is in. Optional logs are read only where
// Identify says that the drive has them.
func (in *inspection) state(ctx context.Context) error {
	has := in.view.id.OACS
	steps := []struct {
		asked bool
		name  string
		look  func(context.Context) error
	}{
		{true, checkHealth, in.health},
		{in.view.id.SANICAP != 0, checkSanitize, in.sanitize},
		{has&nvme.OACSSelfTest != 0, checkSelfTest, in.selfTest},
		{true, checkFormat, in.formats},
		{has&nvme.OACSFirmware != 0, checkFirmware, in.firmware},
		{has&nvme.OACSSecurity != 0, checkLocking, in.locking},
	}
	for _, s := range steps {
		if !s.asked {
			continue
		}
		if err := s.look(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			in.add(unknown(s.name, err))
		}
	}
	return nil
}

// unknown is a check that could not be made. An answer of the drive is only
// worth a warning, because what it does not tell it also looks after itself;
// without an answer nothing can be said.
func unknown(check string, err error) Check {
	var status *nvme.CommandError
	if errors.As(err, &status) {
		return warn(check, "not known, because the drive refuses to tell: %v", status)
	}
	return refuse(check, "look whether the drive still answers", "not known: %v", err)
}

// object refuses an operation on the data, and warns of one that keeps them:
// new firmware can be what a failing or locked drive needs.
func (in *inspection) object(check, hint, format string, args ...any) Check {
	if in.op.KeepsData {
		return warn(check, format, args...).hinted(hint)
	}
	return refuse(check, hint, format, args...)
}

// coolBy is how far below its limit a drive must be, in kelvins.
const coolBy = 5

// health checks the SMART log: what does not work any more, and the heat.
func (in *inspection) health(ctx context.Context) error {
	log, err := in.dev.SMARTLog(ctx)
	if err != nil {
		return err
	}
	w := log.CriticalWarning
	switch {
	case w&nvme.WarningReadOnly != 0:
		in.add(in.object(checkHealth, "a drive that is read-only cannot be erased by its firmware: destroy it, or ask its maker",
			"the drive says that its medium is read-only"))
	case w&nvme.WarningReliability != 0:
		in.add(warn(checkHealth, "the drive says that its reliability is degraded: an operation on the whole medium can be its last").
			hinted("save what is on it first; a worn drive that is to be given away has to be erased all the same"))
	default:
		in.add(pass(checkHealth, "the drive reports no fault that keeps it from writing"))
	}
	in.heat(log.CompositeTemperature)
	return nil
}

// heat refuses a drive that is about to throttle. Without a limit or a
// temperature nothing can be said.
func (in *inspection) heat(now nvme.Kelvin) {
	limit := in.view.id.WCTEMP
	if limit == 0 {
		limit = in.view.id.CCTEMP
	}
	degrees, known := now.Celsius()
	most, limited := limit.Celsius()
	if !known || !limited {
		return
	}
	if degrees >= most-coolBy {
		in.add(refuse(checkTemperature, "let it cool, and give it air", "the drive has %d °C, and its limit is %d °C", degrees, most))
		return
	}
	in.add(pass(checkTemperature, "%d °C, and the limit is %d °C", degrees, most))
}

// sanitize checks the most recent sanitize operation. After a failure the
// drive does nothing but another one.
func (in *inspection) sanitize(ctx context.Context) error {
	log, err := in.dev.SanitizeLog(ctx)
	if err != nil {
		return err
	}
	switch state := log.Status.State(); {
	case state == nvme.SanitizeInProgress:
		in.add(refuse(checkSanitize, "wait until it has ended: it cannot be stopped, and goes on after a power cycle",
			"a sanitize operation is in progress, %.1f %% are done", float64(log.Progress)*100/65536))
	case state == nvme.SanitizeFailed && in.op.sanitizes():
		in.add(warn(checkSanitize, "the last sanitize operation failed, and the drive accepts nothing but another one"))
	case state == nvme.SanitizeFailed:
		in.add(refuse(checkSanitize, "sanitize the drive again, or let it leave the failure mode",
			"the last sanitize operation failed, and the drive accepts nothing but another one"))
	default:
		in.add(pass(checkSanitize, "no sanitize operation is in progress"))
	}
	return nil
}

// selfTest checks that no self-test is running.
func (in *inspection) selfTest(ctx context.Context) error {
	log, err := in.dev.SelfTestLog(ctx)
	if err != nil {
		return err
	}
	running := log.CurrentOperation&0xF != 0
	switch {
	case running && in.op.abortsSelfTest():
		in.add(pass(checkSelfTest, "a self-test is running, %d %% are done, and is to be aborted", log.CurrentCompletion&0x7F))
	case running:
		in.add(refuse(checkSelfTest, "wait until it has ended, or abort it", "a self-test is running, %d %% are done", log.CurrentCompletion&0x7F))
	default:
		in.add(pass(checkSelfTest, "no self-test is running"))
	}
	return nil
}

// formats checks that no namespace of the radius is being formatted, and that
// none is write protected.
func (in *inspection) formats(context.Context) error {
	protected := false
	for i := range in.c.Radius {
		m := &in.c.Radius[i]
		s := in.view.at(m.NSID)
		if s == nil {
			continue
		}
		if left, reported := s.id.FormatProgress(); reported && left > 0 {
			in.add(refuse(checkFormat, "wait until it has ended, and do not take its power away", "%s is being formatted, %d %% are left", m.name(), left))
		}
		if s.id.NSATTR&nsattrWriteProtected != 0 {
			protected = true
			in.add(in.object(checkProtection, "take the protection away (feature 84h), which for some kinds takes a power cycle", "%s is write protected", m.name()))
		}
	}
	if !protected {
		in.add(pass(checkProtection, "no affected namespace is write protected"))
	}
	return nil
}

// nsattrWriteProtected is bit 0 of NSATTR: the namespace is write protected for
// any reason.
const nsattrWriteProtected = 1

// firmware warns of firmware that the next reset activates.
func (in *inspection) firmware(ctx context.Context) error {
	log, err := in.dev.FirmwareSlotLog(ctx)
	if err != nil {
		return err
	}
	if next := log.NextSlot(); next != 0 && next != log.ActiveSlot() {
		in.add(warn(checkFirmware, "the next reset activates the firmware of slot %d (%s), in place of slot %d", next, log.Revisions[next-1], log.ActiveSlot()).
			hinted("a reset while the drive works would change its firmware: activate it first"))
		return nil
	}
	in.add(pass(checkFirmware, "no other firmware waits for a reset"))
	return nil
}

// locking checks the TCG security features. A drive that does not answer has
// none that could be looked at.
func (in *inspection) locking(ctx context.Context) error {
	d, err := in.dev.Level0Discovery(ctx)
	if err != nil {
		return ignoreStatus(err)
	}
	l, b := d.Locking, d.BlockSID
	switch {
	case l != nil && l.Locked:
		in.add(in.object(checkLocking, "unlock it with its password (sedutil, the firmware of the computer), or revert it with the PSID that is printed on its label",
			"the drive is locked by its self-encryption: it refuses reads and writes, and often Format NVM"))
	case l != nil && l.Enabled:
		in.add(warn(checkLocking, "the self-encryption of the drive is set up, and not locked now: it may refuse Format NVM").
			hinted("if it refuses, revert it with its password or with the PSID that is printed on its label"))
	default:
		in.add(pass(checkLocking, "the drive is not locked"))
	}
	if b != nil && (b.SIDBlocked || b.Frozen) {
		in.add(warn(checkLocking, "the firmware of the computer froze the security features of the drive (Block SID): it may refuse Format NVM").
			hinted("if it refuses, suspend the computer to RAM and wake it once, or switch Block SID off in its setup"))
	}
	return nil
}

// ignoreStatus returns nil for an answer of the drive that is no answer, and
// the error of the host otherwise.
func ignoreStatus(err error) error {
	var status *nvme.CommandError
	if errors.As(err, &status) || errors.Is(err, nvme.ErrNotSupported) || errors.Is(err, nvme.ErrShort) {
		return nil
	}
	return err
}
