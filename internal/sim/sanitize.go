package sim

import (
	"time"

	"qd1.example/qd1/nvme"
)

// sanitizing is the state of the sanitize operation.
type sanitizing struct {
	// state is as in SSTAT.
	state int
	span
	// cdw10 and pattern are CDW10 and CDW11 of the last Sanitize.
	cdw10, pattern uint32
	// passes is how many passes of an overwrite were completed.
	passes int
	// failure is the mode after a sanitize that failed.
	failure failureMode
	// forced is set if blocks were deallocated against the host's wish.
	forced bool
	// touched is set once the model's state is not the captured one any more.
	touched bool
	// lie is the fault of the operation, nil for none.
	lie *Fault
}

type failureMode int

// What a drive allows after a sanitize that failed. With none it works again,
// though the log still tells of the failure.
const (
	noFailure failureMode = iota
	restricted
	unrestricted
)

// Bits of SANICAP.
const (
	sanitizeCrypto    = 1 << 0
	sanitizeBlock     = 1 << 1
	sanitizeOverwrite = 1 << 2
	sanitizeActions   = sanitizeCrypto | sanitizeBlock | sanitizeOverwrite
	// noDeallocateInhibited is NDI.
	noDeallocateInhibited = 1 << 29
)

// Values of the Sanitize Action, and other parts of CDW10.
const (
	actionExitFailure = 1
	actionBlock       = 2
	actionOverwrite   = 3
	actionCrypto      = 4

	allowUnrestrictedExit = 1 << 3
	noDeallocate          = 1 << 9
)

// refusal is the status of commands that are not allowed now.
func (s *sanitizing) refusal() nvme.Status {
	switch {
	case s.state == nvme.SanitizeInProgress:
		return nvme.StatusSanitizeInProgress
	case s.failure != noFailure:
		return nvme.StatusSanitizeFailed
	}
	return nvme.StatusSuccess
}

// sanitizeNVM answers the Sanitize command. The operation goes on in the
// background.
//
// Source: NVM Express Base Specification, Revision 2.0, Sanitize command:
// Sanitize In Progress while one is, Sanitize Failed for an unrestricted
// completion after a restricted failure, and the status of the reset that
// firmware waits for. The NSID is not used.
func (c *controller) sanitizeNVM(cmd *nvme.Command) reply {
	s := &c.sanitize
	action := cmd.CDW10 & 7
	switch {
	case cmd.NSID != 0:
		return refuse(nvme.StatusInvalidField, inNSID)
	case s.state == nvme.SanitizeInProgress:
		return refuse(nvme.StatusSanitizeInProgress, nowhere)
	case action == actionExitFailure:
		return c.exitFailure()
	case !c.canSanitize(action):
		return refuse(nvme.StatusInvalidField, inCDW10)
	case s.failure == restricted && cmd.CDW10&allowUnrestrictedExit != 0:
		return refuse(nvme.StatusSanitizeFailed, inCDW10)
	}
	if status := c.forbids(cmd.Opcode); status != nvme.StatusSuccess {
		return refuse(status, nowhere)
	}
	if status := c.firmware.waitsFor(); status != nvme.StatusSuccess {
		return refuse(status, nowhere)
	}
	if status := c.anyProtected(c.spaces.Load().ids(0, false)); status != nvme.StatusSuccess {
		return refuse(status, nowhere)
	}
	return c.startSanitize(cmd)
}

// canSanitize reports whether SANICAP has an action.
func (c *controller) canSanitize(action uint32) bool {
	bit, ok := map[uint32]uint32{
		actionBlock: sanitizeBlock, actionOverwrite: sanitizeOverwrite, actionCrypto: sanitizeCrypto,
	}[action]
	return ok && c.id.SANICAP&bit != 0
}

// exitFailure answers the Exit Failure Mode action.
//
// Source: NVM Express Base Specification, Revision 2.0, Sanitize command: only
// after a failure of an operation with AUSE, and with success if there was no
// failure.
func (c *controller) exitFailure() reply {
	if c.sanitize.failure == restricted {
		return refuse(nvme.StatusSanitizeFailed, inCDW10)
	}
	c.sanitize.failure = noFailure
	c.publish(nil)
	return success(0)
}

// startSanitize starts the operation.
//
// Source: NVM Express Base Specification, Revision 2.0, Sanitize command,
// No-Deallocate After Sanitize; Sanitize Config feature: where No-Deallocate is
// inhibited it is an Invalid Field in Command, or with NODRM set is not obeyed.
func (c *controller) startSanitize(cmd *nvme.Command) reply {
	forced := false
	if cmd.CDW10&noDeallocate != 0 && c.id.SANICAP&noDeallocateInhibited != 0 {
		if c.feature(nvme.FIDSanitizeConfig).dword&1 == 0 {
			return refuse(nvme.StatusInvalidField, inCDW10+1)
		}
		forced = true
	}
	d := c.personality.work.sanitize(cmd.CDW10&7, passes(cmd.CDW10))
	c.abortSelfTest(nvme.SelfTestAbortedBySanitize)
	c.sanitize = sanitizing{
		state: nvme.SanitizeInProgress, span: c.lie.span(c.begins(), d), cdw10: cmd.CDW10, pattern: cmd.CDW11,
		forced: forced, touched: true, lie: c.lie,
	}
	c.erasedAt.Store(c.sanitize.end.UnixNano())
	c.remember(nvme.EventSanitizeStart, appendDwords(nil, c.id.SANICAP, cmd.CDW10, cmd.CDW11))
	c.clearEvent(nvme.LIDSanitize)
	c.publish(nil)
	c.setAlarm(c.sanitize.end.Sub(c.now()))
	return success(0)
}

// passes returns how often an overwrite goes over the medium.
//
// Source: NVM Express Base Specification, Revision 2.0, Sanitize command:
// Overwrite Pass Count, bits 7:4, 0 means 16.
func passes(cdw10 uint32) int {
	if n := int(cdw10 >> 4 & 0xF); n != 0 {
		return n
	}
	return 16
}

// settleSanitize ends an operation that is due.
func (c *controller) settleSanitize(now time.Time) {
	s := &c.sanitize
	if s.state != nvme.SanitizeInProgress || now.Before(s.end) {
		return
	}
	if c.personality.sanitizeFails || s.lie.failed() != nvme.StatusSuccess {
		c.failSanitize()
	} else {
		c.completeSanitize()
	}
	c.remember(nvme.EventSanitizeComplete, c.sanitizeEvent())
	c.notify(Event{eventIOCommand, infoSanitizeCompleted, nvme.LIDSanitize})
}

// completeSanitize gives all namespaces, attached or not, their new data.
//
// Source: NVM Express Base Specification, Revision 2.0, Sanitize Operations:
// all user data in the subsystem. Blocks are deallocated afterwards, and read
// as zeroes; where they are not, an overwrite leaves its pattern, and what
// another operation leaves is not specified. Here a crypto erase leaves other
// data in any case, unless the profile says zeroes.
func (c *controller) completeSanitize() {
	s := &c.sanitize
	s.state, s.failure = nvme.SanitizeCompleted, noFailure
	if s.forced {
		s.state = nvme.SanitizeCompletedDeallocate
	}
	if s.cdw10&7 == actionOverwrite {
		s.passes = passes(s.cdw10)
	}
	c.eraseAll(s.cdw10&7 != actionCrypto || c.personality.cryptoZeroes, s.leaves())
	c.activity.changed.Store(false)
}

// leaves returns the pattern that the medium has after an operation.
//
// Source: NVM Express Base Specification, Revision 2.0, Sanitize command:
// Overwrite Pattern, CDW11; Overwrite Invert Pattern Between Passes, CDW10 bit
// 8.
func (s *sanitizing) leaves() uint32 {
	const invert = 1 << 8
	if s.cdw10&7 != actionOverwrite || s.cdw10&noDeallocate == 0 || s.forced {
		return 0
	}
	if s.cdw10&invert != 0 && passes(s.cdw10)%2 == 0 {
		return ^s.pattern
	}
	return s.pattern
}

// failSanitize ends an operation with a failure: the data are gone in part.
//
// Source: NVM Express Base Specification, Revision 2.0, Sanitize command,
// Allow Unrestricted Sanitize Exit.
func (c *controller) failSanitize() {
	s := &c.sanitize
	s.state, s.failure = nvme.SanitizeFailed, restricted
	if s.cdw10&allowUnrestrictedExit != 0 {
		s.failure = unrestricted
	}
	part := 0.5
	if s.lie.failed() != nvme.StatusSuccess {
		part = s.lie.Percent / 100
	}
	for _, n := range c.spaces.Load().list {
		if n != nil {
			n.store.wipe(int64(float64(n.bytes()/pageBytes) * part))
		}
	}
	c.publish(nil)
}

// eraseAll gives every namespace a new store.
func (c *controller) eraseAll(blank bool, pattern uint32) {
	c.generation++
	change := map[nvme.NSID]*namespace{}
	for _, nsid := range c.spaces.Load().ids(0, false) {
		old := c.spaces.Load().at(nsid)
		n := *old
		n.store = c.erasedBy(c.sanitize.lie, &n, old, blank, pattern)
		n.store.leave(old.store)
		change[nsid] = &n
	}
	c.publish(change)
}

// sanitizeProgress returns SPROG.
func (c *controller) sanitizeProgress() uint16 {
	const whole, idle = 1 << 16, 0xFFFF
	s := &c.sanitize
	if s.state != nvme.SanitizeInProgress {
		return idle
	}
	return uint16(min(whole*s.share(c.now()), idle-1))
}

// sanitizeStatus returns SSTAT.
//
// Source: NVM Express Base Specification, Revision 2.0, Sanitize Status Log
// Page: Global Data Erased is set while nothing was written since a sanitize.
func (c *controller) sanitizeStatus() nvme.SanitizeStatus {
	s := &c.sanitize
	v := nvme.SanitizeStatus(s.state | s.passes<<3)
	erased := s.state == nvme.SanitizeCompleted || s.state == nvme.SanitizeCompletedDeallocate
	if erased && !c.activity.changed.Load() {
		v |= nvme.SanitizeGlobalDataErased
	}
	return v
}

// sanitizePage returns the Sanitize Status log.
//
// Source: NVM Express Base Specification, Revision 2.0, Sanitize Status Log
// Page: FFFFFFFFh means that no time is reported.
func (c *controller) sanitizePage() []byte {
	w := &c.personality.work
	return encode(&nvme.SanitizeLog{
		Progress: c.sanitizeProgress(), Status: c.sanitizeStatus(), CDW10: c.sanitize.cdw10,
		OverwriteTime: seconds(w.overwrite), BlockTime: seconds(w.blockErase), CryptoTime: seconds(w.cryptoErase),
		OverwriteNoDeallocateTime: 1<<32 - 1, BlockNoDeallocateTime: 1<<32 - 1, CryptoNoDeallocateTime: 1<<32 - 1,
	})
}

// seconds returns a time in whole seconds, rounded up.
func seconds(d time.Duration) uint32 {
	if d == 0 {
		return 1<<32 - 1
	}
	return uint32((d + time.Second - 1) / time.Second)
}

// sanitizeEvent is the data of a Sanitize Completion event.
func (c *controller) sanitizeEvent() []byte {
	return appendDwords(nil, uint32(c.sanitizeStatus())<<16|uint32(c.sanitizeProgress()), 0)
}
