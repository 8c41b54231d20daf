package erase

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/nvme"
)

// situations has at least one outcome for each entry of the tables.
func situations() map[string][]Situation {
	formats := controller(canFormat, 0, 0)
	of := func(t Technique, all ...nvme.Status) (list []Situation) {
		for _, s := range all {
			list = append(list, Situation{Technique: t, Status: s | 1<<14, Controller: formats})
		}
		return list
	}
	failed := func(all ...error) (list []Situation) {
		for _, err := range all {
			list = append(list, Situation{Technique: FormatUserData, Err: fmt.Errorf("submit: %w", err), Controller: formats})
		}
		return list
	}
	unsent := func(all ...error) []Situation {
		list := failed(all...)
		for i := range list {
			list[i].Unsent = true
		}
		return list
	}
	lockedDrive := of(FormatUserData, 0x001, 0x002, 0x00C, 0x015, 0x10A, 0x286)
	for i := range lockedDrive {
		lockedDrive[i].Level0 = &nvme.Level0Discovery{Locking: &nvme.LockingFeature{Supported: true, Enabled: true}}
	}
	blockedDrive := of(FormatUserData, 0x001, 0x001)
	blockedDrive[0].Level0 = &nvme.Level0Discovery{BlockSID: &nvme.BlockSIDFeature{SIDBlocked: true}}
	blockedDrive[1].Level0 = &nvme.Level0Discovery{BlockSID: &nvme.BlockSIDFeature{Frozen: true}}
	return map[string][]Situation{
		"locked":                      lockedDrive,
		"blocked":                     blockedDrive,
		"format barred":               of(FormatCrypto, 0x001),
		"no such command":             append(of(SanitizeBlock, 0x001), Situation{Technique: Format, Status: 0x001, Controller: controller(0, 0, 0)}),
		"invalid field of a format":   of(Format, 0x002),
		"invalid field of a sanitize": of(SanitizeCrypto, 0x002),
		"no such namespace":           of(FormatUserData, 0x00B),
		"sequence":                    of(FormatUserData, 0x00C),
		"denied":                      of(FormatUserData, 0x015),
		"access":                      of(FormatUserData, 0x286),
		"write protected":             of(FormatUserData, 0x020),
		"invalid format":              of(FormatUserData, 0x10A),
		"format in progress":          of(FormatUserData, 0x084),
		"sanitize in progress":        of(SanitizeBlock, 0x01D),
		"sanitize failed":             of(SanitizeBlock, 0x01C),
		"firmware waits":              of(SanitizeBlock, 0x10B, 0x110, 0x111, 0x112),
		"self-test":                   of(FormatUserData, 0x11D),
		"reservation":                 of(FormatUserData, 0x083),
		"lockdown":                    of(FormatUserData, 0x023),
		"persistent memory":           of(SanitizeBlock, 0x123),
		"aborted":                     of(FormatUserData, 0x007, 0x008, 0x371, 0x005),
		"path":                        of(FormatUserData, 0x300, 0x301, 0x302, 0x303, 0x360, 0x370),
		"internal":                    of(FormatUserData, 0x006, 0x280),
		"other":                       of(FormatUserData, 0x0C5, 0x7C0, 0x016),
		"refused":                     failed(&guard.Refusal{}),
		"interrupted":                 failed(syscall.EINTR, syscall.ETIME, syscall.ETIMEDOUT, context.DeadlineExceeded, context.Canceled),
		"gone":                        failed(syscall.ENODEV, syscall.ENXIO, fs.ErrNotExist, fs.ErrClosed),
		"permission":                  failed(syscall.EACCES, syscall.EPERM),
		"busy":                        failed(syscall.EBUSY, guard.ErrInUse),
		"input or output":             failed(syscall.EIO),
		"another job":                 failed(&journal.LiveError{}),
		"unsent":                      unsent(syscall.EINTR, syscall.EIO, context.DeadlineExceeded, fmt.Errorf("anything")),
		"host":                        failed(fmt.Errorf("anything")),
	}
}

// TestAdvise holds that every entry is reached, by its outcomes and no other
// entry of the same kind.
func TestAdvise(t *testing.T) {
	cases := situations()
	security := len(securityAdvice())
	for i, entry := range append(securityAdvice(), outcomeAdvice()...) {
		all := cases[entry.name]
		delete(cases, entry.name)
		if len(all) == 0 {
			t.Errorf("%s: no test", entry.name)
		}
		for _, s := range all {
			got := Advise(s)
			if len(got) == 0 {
				t.Errorf("%s: no advice for %q", entry.name, s.saw())
				continue
			}
			at := len(got) - 1 // what the outcome means comes last
			if i < security {
				at = 0
			}
			if got[at].Cause != entry.cause || got[at].Saw != s.saw() || len(got[at].Do) == 0 {
				t.Errorf("%s: for %q got %+v", entry.name, s.saw(), got)
			}
		}
	}
	for name := range cases {
		t.Errorf("there is no entry %q", name)
	}
}

func TestAdviseNothingForSuccess(t *testing.T) {
	if got := Advise(Situation{Technique: FormatUserData}); got != nil {
		t.Errorf("advice %v for success", got)
	}
}

// TestAdviseLockedDrive holds that what the drive itself says comes first, and
// that the usual meaning of the status follows.
func TestAdviseLockedDrive(t *testing.T) {
	s := Situation{
		Technique: FormatUserData, Status: 0x4001, Controller: controller(canFormat, 0, 0),
		Level0: &nvme.Level0Discovery{
			Locking:  &nvme.LockingFeature{Enabled: true, Locked: true},
			BlockSID: &nvme.BlockSIDFeature{SIDBlocked: true},
		},
	}
	got := Advise(s)
	if len(got) != 3 || !strings.Contains(got[0].Cause, "password") || !strings.Contains(got[1].Cause, "Block SID") || !strings.Contains(got[2].Cause, "OACS bit 1") {
		t.Errorf("advice %+v", got)
	}
}

// TestAdviseUnlockedDrive holds that a drive whose security is not in use, or a
// status that has nothing to do with it, gives no such advice.
func TestAdviseUnlockedDrive(t *testing.T) {
	free := &nvme.Level0Discovery{Locking: &nvme.LockingFeature{Supported: true}, BlockSID: &nvme.BlockSIDFeature{}}
	used := &nvme.Level0Discovery{Locking: &nvme.LockingFeature{Enabled: true}}
	for _, s := range []Situation{
		{Technique: FormatUserData, Status: 0x001, Controller: controller(canFormat, 0, 0), Level0: free},
		{Technique: FormatUserData, Status: 0x084, Level0: used},
		{Technique: FormatUserData, Err: syscall.EIO, Level0: used},
	} {
		if got := Advise(s); len(got) != 1 {
			t.Errorf("%s: advice %+v", s.saw(), got)
		}
	}
}

// TestAdviseDoNotPowerOff holds that whoever may have a drive that still works
// is told first to leave it alone.
func TestAdviseDoNotPowerOff(t *testing.T) {
	for _, s := range []Situation{
		{Technique: FormatUserData, Err: syscall.EINTR},
		{Technique: FormatUserData, Err: syscall.EIO},
		{Technique: FormatUserData, Status: nvme.StatusAbortRequested},
		{Technique: FormatUserData, Status: nvme.StatusHostPathingError},
		{Technique: FormatUserData, Status: nvme.StatusFormatInProgress},
	} {
		if got := Advise(s); !strings.Contains(got[0].Do[0], "do not switch the drive off") {
			t.Errorf("%s: first step %q", s.saw(), got[0].Do[0])
		}
	}
}

func TestAdviseListsFormats(t *testing.T) {
	n := withFormats(space(1, gb), 0, 0)
	got := Advise(Situation{Technique: Format, Status: nvme.StatusInvalidFormat, Namespace: n.Identify})
	want := "LBA formats of this namespace: 0 (512+0 bytes), 1 (512+8 bytes), 2 (4096+0 bytes), 3 (4096+8 bytes)"
	if do := got[0].Do; do[len(do)-1] != want {
		t.Errorf("steps %q, want the last %q", do, want)
	}
}

// TestAdviseNeverHexAlone holds that what is seen has words beside the number.
func TestAdviseNeverHexAlone(t *testing.T) {
	got := Advise(Situation{Technique: FormatUserData, Status: 0x4001, Controller: controller(canFormat, 0, 0)})
	if want := "Invalid Command Opcode (0x001, do not retry)"; got[0].Saw != want {
		t.Errorf("saw %q, want %q", got[0].Saw, want)
	}
}
