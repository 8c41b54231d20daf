package sim

import (
	"slices"
	"time"

	"qd1.example/qd1/nvme"
)

// settle ends the operations that take time and are due. The lock must be
// held.
func (c *controller) settle() {
	now := c.now()
	c.settleFormat(now)
	c.settleSanitize(now)
	c.settleSelfTest(now)
	c.watchHealth(now)
}

// setAlarm makes the drive look after its operations in the given time, for
// the events that they end with. The lock must be held.
func (c *controller) setAlarm(d time.Duration) {
	if c.alarm != nil {
		c.alarm.Stop()
	}
	c.alarm = time.AfterFunc(d, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.settle()
	})
}

// hold returns until when every command waits, in the medium's time: a drive
// may answer nothing while it formats.
func (c *controller) hold() time.Duration { return c.after(c.heldUntil) }

// begins returns when an operation begins that is asked for now.
func (c *controller) begins() time.Time {
	if now := c.now(); now.After(c.heldUntil) {
		return now
	}
	return c.heldUntil
}

// rebuilds reports whether an admin command changes what a format also changes.
func rebuilds(op uint8) bool {
	switch op {
	case nvme.AdminFormatNVM, nvme.AdminSanitize, nvme.AdminDeviceSelfTest,
		nvme.AdminNamespaceManagement, nvme.AdminNamespaceAttachment:
		return true
	}
	return false
}

// after returns the medium's time of a moment that is still to come, or 0.
func (c *controller) after(t time.Time) time.Duration {
	if d := t.Sub(c.now()); d > 0 {
		return c.medium.elapsed() + d
	}
	return 0
}

// gate says how long an I/O command has to wait, or with what it is refused.
//
// Source: NVM Express Base Specification, Revision 2.0, Format NVM command: an
// I/O command for a namespace that is being formatted may be aborted with
// Format In Progress; Sanitize Operations: I/O commands other than Flush are
// aborted with Sanitize In Progress, or Sanitize Failed.
func (c *controller) gate(op uint8, nsid nvme.NSID) (time.Duration, reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
	if s := c.sanitize.refusal(); s != nvme.StatusSuccess && op != nvme.IOFlush {
		return 0, refuse(s, nowhere)
	}
	if c.locksOut(op) {
		return 0, refuse(nvme.StatusAccessDenied, nowhere)
	}
	if c.personality.formatAnswers && c.formats(nsid) {
		return 0, refuse(nvme.StatusFormatInProgress, nowhere)
	}
	return c.hold(), reply{}
}

// admits says whether an admin command is processed while the drive formats or
// sanitizes, or after a sanitize that failed.
//
// Source: NVM Express Base Specification, Revision 2.0, Sanitize Operations -
// Admin Commands Allowed; Format NVM command.
func (c *controller) admits(cmd *nvme.Command) reply {
	if s := c.sanitize.refusal(); s != nvme.StatusSuccess && !duringSanitize(cmd) {
		return refuse(s, nowhere)
	}
	if !c.format.end.IsZero() && rebuilds(cmd.Opcode) {
		return refuse(nvme.StatusFormatInProgress, nowhere)
	}
	return reply{}
}

// duringSanitize reports whether an admin command is allowed during a
// sanitize operation. Sanitize itself has its own rules.
func duringSanitize(cmd *nvme.Command) bool {
	switch cmd.Opcode {
	case nvme.AdminIdentify, nvme.AdminAbort, nvme.AdminSetFeatures, nvme.AdminGetFeatures,
		nvme.AdminKeepAlive, nvme.AdminSanitize:
		return true
	case nvme.AdminGetLogPage:
		return slices.Contains([]nvme.LID{
			nvme.LIDSupportedLogs, nvme.LIDError, nvme.LIDSMART, nvme.LIDChangedNamespaces,
			nvme.LIDReservation, nvme.LIDSanitize,
		}, nvme.LID(cmd.CDW10))
	}
	return false
}
