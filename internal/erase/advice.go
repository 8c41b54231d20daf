package erase

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/nvme"
)

// Advice is what an outcome means and what can be done about it.
type Advice struct {
	// Saw is what the drive or the host said.
	Saw string `json:"saw"`
	// Cause is what it usually means.
	Cause string `json:"cause"`
	// Do are the next steps, the first to be tried first.
	Do []string `json:"do"`
}

// Situation is an outcome that is not success, with what is known around it.
// Everything but the outcome may be missing.
type Situation struct {
	Technique Technique
	// Unsent says that no command had reached the drive when Err came.
	Unsent bool
	// Err is the error of the host or the transport, nil if the drive answered
	// with Status.
	Err    error
	Status nvme.Status
	// Controller and Namespace are Identify data, Level0 is what the drive says
	// about its security, Sanitize is the Sanitize Status log.
	Controller *nvme.IdentifyController
	Namespace  *nvme.IdentifyNamespace
	Level0     *nvme.Level0Discovery
	Sanitize   *nvme.SanitizeLog
}

// Advise says what an outcome means: what the drive's own security facts say
// first, then what the status or the error usually means. Success needs no
// advice.
func Advise(s Situation) []Advice {
	if s.Err == nil && s.Status.OK() {
		return nil
	}
	var all []Advice
	for _, r := range append(securityAdvice(), outcomeAdvice()...) {
		if !r.when(&s) || r.last && len(all) > 0 {
			continue
		}
		all = append(all, Advice{Saw: s.saw(), Cause: r.cause, Do: r.steps(&s)})
		if !r.more {
			break
		}
	}
	return all
}

// saw is the outcome in words, with its number.
func (s *Situation) saw() string {
	if s.Err != nil {
		return s.Err.Error()
	}
	return s.Status.Error()
}

// advice is one entry of the tables.
type advice struct {
	name  string
	when  func(*Situation) bool
	cause string
	do    []string
	// also adds steps that depend on the drive. Nil for none.
	also func(*Situation) []string
	// more says that the entries below it may hold too, last that this one
	// holds only if none did.
	more, last bool
}

func (a *advice) steps(s *Situation) []string {
	do := append([]string{}, a.do...)
	if a.also != nil {
		do = append(do, a.also(s)...)
	}
	return do
}

// status holds for one of these.
func status(all ...nvme.Status) func(*Situation) bool {
	return func(s *Situation) bool {
		if s.Err != nil {
			return false
		}
		for _, want := range all {
			if s.Status.Code() == want {
				return true
			}
		}
		return false
	}
}

// failure holds for an error of one of these.
func failure(all ...error) func(*Situation) bool {
	return func(s *Situation) bool {
		for _, want := range all {
			if s.Err != nil && errors.Is(s.Err, want) {
				return true
			}
		}
		return false
	}
}

func both(all ...func(*Situation) bool) func(*Situation) bool {
	return func(s *Situation) bool {
		for _, holds := range all {
			if !holds(s) {
				return false
			}
		}
		return true
	}
}

func formatting(s *Situation) bool { return s.Technique.Formats() }

func sanitizing(s *Situation) bool { return s.Technique.Sanitizes() }

// hasFormat holds if the drive says that it knows Format NVM.
func hasFormat(s *Situation) bool {
	return s.Controller != nil && s.Controller.OACS&nvme.OACSFormat != 0
}

// barred holds for the statuses with which drives refuse what is locked.
var barred = status(nvme.StatusInvalidOpcode, nvme.StatusInvalidField, nvme.StatusCommandSequenceError,
	nvme.StatusOperationDenied, nvme.StatusInvalidFormat, nvme.StatusAccessDenied)

func locked(s *Situation) bool {
	return s.Level0 != nil && s.Level0.Locking != nil && s.Level0.Locking.Enabled
}

func blocked(s *Situation) bool {
	return s.Level0 != nil && s.Level0.BlockSID != nil && (s.Level0.BlockSID.SIDBlocked || s.Level0.BlockSID.Frozen)
}

const (
	tryPSID = "revert the drive with the PSID that is printed on its label: that destroys all data, and needs no password"
	trySID  = "look in the setup of the computer's firmware for \"Block SID\" or \"TCG security\" and switch it off for one start"
	tryS3   = "let the computer sleep and wake it again: many boards do not freeze drives again on the way back"
	tryMove = "attach the drive to another computer, or through a USB or Thunderbolt adapter that passes NVMe commands on"
)

// securityAdvice is what follows from Level 0 Discovery.
func securityAdvice() []advice {
	return []advice{
		{
			name: "locked", when: both(barred, locked), more: true,
			cause: "the drive says that locking is in use (TCG Opal or Pyrite): it was given a password",
			do:    []string{"unlock it with the program that locked it, and remove the password", tryPSID},
		},
		{
			name: "blocked", when: both(barred, blocked), more: true,
			cause: "the drive says that the computer's firmware has frozen its security until the next power cycle (Block SID)",
			do:    []string{trySID, tryS3, tryMove},
		},
	}
}

// resetSteps are what to do when the kernel took the controller away from under
// a command.
func resetSteps() []string {
	return []string{
		"do not switch the drive off: it may still be working",
		"wait for the estimated time, then look with: qd1 erase status",
		"go on with: qd1 erase resume, which looks at the drive before it repeats anything",
		"tell programs that ask the drive on their own, such as smartd, to pause",
	}
}

// outcomeAdvice is what a status or an error usually means.
func outcomeAdvice() []advice {
	return append(statusAdvice(), hostAdvice()...)
}

func statusAdvice() []advice {
	return []advice{
		{
			name: "format barred", when: both(status(nvme.StatusInvalidOpcode), formatting, hasFormat),
			cause: "the drive has Format NVM (OACS bit 1) and still refuses it: the computer's firmware has frozen it, or it is locked",
			do:    []string{trySID, tryS3, tryMove, tryPSID},
		},
		{
			name: "no such command", when: status(nvme.StatusInvalidOpcode),
			cause: "the drive does not know the command",
			do:    []string{"choose another technique: qd1 erase plan says which there are"},
		},
		{
			name: "invalid field of a format", when: both(status(nvme.StatusInvalidField), formatting),
			cause: "the drive does not take one of the values: the secure erase setting, the LBA format, the protection information or the broadcast NSID",
			do:    []string{"leave the LBA format and the protection information as they are", "name each namespace by itself", "try the other secure erase setting"},
			also:  formatsOf,
		},
		{
			name: "invalid field of a sanitize", when: both(status(nvme.StatusInvalidField), sanitizing),
			cause: "the drive does not take the sanitize action, although it may say so in SANICAP",
			do:    []string{"choose another technique: qd1 erase plan says which there are"},
		},
		{
			name: "no such namespace", when: status(nvme.StatusInvalidNamespace),
			cause: "the namespace is not there any more, or is not attached to this controller",
			do:    []string{"look at the namespaces with: qd1 report, and plan again"},
		},
		{
			name: "sequence", when: status(nvme.StatusCommandSequenceError),
			cause: "the drive is locked, or its security is frozen by the computer's firmware",
			do:    []string{"unlock it with the program that locked it", trySID, tryS3, tryPSID},
		},
		{
			name: "denied", when: status(nvme.StatusOperationDenied),
			cause: "the drive does not permit it in its present state, as when it is locked or write protected",
			do:    []string{"unlock it with the program that locked it", "remove the write protection", tryPSID},
		},
		{
			name: "access", when: status(nvme.StatusAccessDenied),
			cause: "the drive is locked: a range of it cannot be accessed",
			do:    []string{"unlock it with the program that locked it", tryPSID, trySID},
		},
		{
			name: "write protected", when: status(nvme.StatusNamespaceWriteProtected),
			cause: "the namespace is write protected",
			do:    []string{"remove the protection (feature 84h); one until the next power cycle ends with that, a permanent one never does"},
		},
		{
			name: "invalid format", when: status(nvme.StatusInvalidFormat),
			cause: "the LBA format is not to be had, or the drive is locked and says so in this way",
			do:    []string{"leave the LBA format and the protection information as they are", tryS3, trySID, tryPSID},
			also:  formatsOf,
		},
		{
			name: "format in progress", when: status(nvme.StatusFormatInProgress),
			cause: "an earlier format is still going on",
			do:    []string{"do not switch the drive off", "wait, and look with: qd1 erase status"},
		},
		{
			name: "sanitize in progress", when: status(nvme.StatusSanitizeInProgress),
			cause: "a sanitize operation is going on; it cannot be stopped and goes on after a reset and a loss of power",
			do:    []string{"wait for its end with: qd1 erase resume", "a drive that does not move for days was seen to end after a power cycle"},
		},
		{
			name: "sanitize failed", when: status(nvme.StatusSanitizeFailed),
			cause: "a sanitize operation failed, and the drive refuses everything until that is dealt with; the data may still be there",
			do:    []string{"repeat the sanitize operation", "leave the failure mode (Sanitize, Exit Failure Mode) if the operation allowed it", "destroy the drive if the data must not get out"},
		},
		{
			name: "firmware waits", when: status(nvme.StatusFirmwareNeedsConventionalReset, nvme.StatusFirmwareNeedsSubsystemReset, nvme.StatusFirmwareNeedsControllerReset, nvme.StatusFirmwareNeedsMaximumTimeViolation),
			cause: "new firmware waits for a reset",
			do:    []string{"switch the computer off and on again, then repeat"},
		},
		{
			name: "self-test", when: status(nvme.StatusSelfTestInProgress),
			cause: "a self-test is going on",
			do:    []string{"wait for its end, then repeat"},
		},
		{
			name: "reservation", when: status(nvme.StatusReservationConflict),
			cause: "another host holds a reservation of the namespace",
			do:    []string{"find out who uses it there; nothing is to be forced"},
		},
		{
			name: "lockdown", when: status(nvme.StatusProhibitedByLockdown),
			cause: "the command was prohibited by Command and Feature Lockdown",
			do:    []string{"permit it again where it was prohibited, or attach the drive to another computer"},
		},
		{
			name: "persistent memory", when: status(nvme.StatusSanitizeProhibitedPMREnabled),
			cause: "sanitize is not permitted while the persistent memory region is enabled",
			do:    []string{"disable the region, then repeat"},
		},
		{
			name: "aborted", when: status(nvme.StatusAbortRequested, nvme.StatusSQDeletion, nvme.StatusAbortedByHost, nvme.StatusPowerLossNotification),
			cause: "the command was aborted: its time-out passed, or the controller was reset in the middle of it",
			do:    resetSteps(),
		},
		{
			name: "path", when: func(s *Situation) bool { return s.Err == nil && s.Status.SCT() == 3 },
			cause: "the way to the controller was lost, as by a reset in the middle of the command",
			do:    resetSteps(),
		},
		{
			name: "internal", when: status(nvme.StatusInternalError, nvme.StatusWriteFault),
			cause: "the drive failed at it: its medium or its electronics may be broken",
			do:    []string{"look at the drive with: qd1 report", "repeat once", "destroy the drive if the data must not get out"},
		},
		{
			name: "other", when: func(s *Situation) bool { return s.Err == nil }, last: true,
			cause: "the drive refused it for a reason of its own",
			do:    []string{"look at its error log with: qd1 errors", "try another technique: qd1 erase plan says which there are"},
		},
	}
}

func sentSome(s *Situation) bool { return !s.Unsent }

func refused(s *Situation) bool {
	_, ok := errors.AsType[*guard.Refusal](s.Err)
	return ok
}

// hostAdvice is about errors of the host: what the drive did is not known.
func hostAdvice() []advice {
	return []advice{
		{
			name: "refused", when: refused,
			cause: "a safety check refused it, and nothing was sent",
			do:    []string{"plan again: the drive is not what was agreed to any more"},
		},
		{
			name: "interrupted", when: both(sentSome, failure(syscall.EINTR, syscall.ETIME, syscall.ETIMEDOUT, context.DeadlineExceeded, context.Canceled)),
			cause: "the time-out passed, or the controller was reset in the middle of the command: the drive may still be working on it",
			do:    resetSteps(),
		},
		{
			name: "gone", when: failure(syscall.ENODEV, syscall.ENXIO, fs.ErrNotExist, fs.ErrClosed),
			cause: "the drive is gone: it was removed, lost its power, or does not answer the kernel any more",
			do: []string{
				"leave it switched on for the estimated time", "look with: qd1 list",
				"switch the computer off, not only restart it, and go on with: qd1 erase resume",
			},
		},
		{
			name: "permission", when: failure(fs.ErrPermission),
			cause: "the kernel does not permit this user to send the command",
			do:    []string{"run it as root"},
		},
		{
			name: "busy", when: failure(syscall.EBUSY, guard.ErrInUse),
			cause: "something uses the drive",
			do:    []string{"qd1 erase plan says what it is"},
		},
		{
			name: "input or output", when: both(sentSome, failure(syscall.EIO)),
			cause: "the kernel could not bring the command to its end; where its log says \"timeout, reset controller\", the drive was reset in the middle of it",
			do:    resetSteps(),
		},
		{
			name: "another job", when: failure(journal.ErrLive),
			cause: "another process erases this drive",
			do:    []string{"qd1 erase status follows it"},
		},
		{
			name: "unsent", when: func(s *Situation) bool { return s.Err != nil && s.Unsent }, last: true,
			cause: "this computer failed before anything was sent to the drive",
			do:    []string{"remove what the error names, then repeat"},
		},
		{
			name: "host", when: func(s *Situation) bool { return s.Err != nil }, last: true,
			cause: "the host could not send the command or get its answer: what the drive did is not known",
			do:    resetSteps(),
		},
	}
}

// formatsOf lists the LBA formats of the namespace.
func formatsOf(s *Situation) []string {
	if s.Namespace == nil {
		return nil
	}
	return []string{"LBA formats of this namespace: " + listFormats(s.Namespace.Formats())}
}
