package sim

import (
	"bytes"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

func sanitizeCmd(cdw10 uint32) *nvme.Command {
	return &nvme.Command{Opcode: nvme.AdminSanitize, CDW10: cdw10}
}

func sanitizeLog(t testing.TB, d *Drive) nvme.SanitizeLog {
	t.Helper()
	var log nvme.SanitizeLog
	if err := log.UnmarshalBinary(logOf(t, d, nvme.GetLogPage{LID: nvme.LIDSanitize}, 512)); err != nil {
		t.Fatal(err)
	}
	return log
}

func TestSanitizeRules(t *testing.T) {
	// Sanitize command.
	checkRulesOf(t, nandModern, []rule{
		{"block erase", sanitizeCmd(actionBlock), nvme.StatusSuccess, 0},
		{"overwrite", sanitizeCmd(actionOverwrite | 1<<4), nvme.StatusSuccess, 0},
		{"crypto erase", sanitizeCmd(actionCrypto), nvme.StatusSuccess, 0},
		{"no-deallocate", sanitizeCmd(actionBlock | noDeallocate), nvme.StatusSuccess, 0},
		{"exit failure without one", sanitizeCmd(actionExitFailure), nvme.StatusSuccess, 0},
		{"reserved action", sanitizeCmd(0), nvme.StatusInvalidField, 40},
		{"another reserved action", sanitizeCmd(5), nvme.StatusInvalidField, 40},
		{"of a namespace", with(sanitizeCmd(actionBlock), func(c *nvme.Command) { c.NSID = 1 }), nvme.StatusInvalidField, 4},
	})
}

// TestSanitizeCapabilities checks that each action needs its bit of SANICAP.
func TestSanitizeCapabilities(t *testing.T) {
	for action, bit := range map[uint32]uint32{
		actionBlock: sanitizeBlock, actionOverwrite: sanitizeOverwrite, actionCrypto: sanitizeCrypto,
	} {
		d := modern(t, func(p *personality) { p.identify.SANICAP &^= bit })
		reject(t, d, sanitizeCmd(action), nvme.StatusInvalidField)
		d = modern(t, func(p *personality) { p.identify.SANICAP = bit })
		accept(t, d, sanitizeCmd(action))
	}
}

// TestSanitize follows an operation from its start to its end.
func TestSanitize(t *testing.T) {
	d, now := instantOf(t, nandModern(), func(p *personality) { p.work.overwrite = 50 * time.Second })
	if log := sanitizeLog(t, d); log.Progress != 0xFFFF || log.Status != 0 || log.OverwriteTime != 50 || log.BlockTime != 1<<32-1 {
		t.Errorf("before any sanitize: %+v", log)
	}
	accept(t, d, writeCmd(0, 8, 7))
	accept(t, d, sanitizeCmd(actionOverwrite|2<<4))
	*now = now.Add(25 * time.Second)
	if log := sanitizeLog(t, d); log.Progress != 1<<14 || log.Status.State() != nvme.SanitizeInProgress || log.CDW10 != actionOverwrite|2<<4 {
		t.Errorf("after a quarter: %+v", log)
	}
	for _, cmd := range []*nvme.Command{
		ioCmd(nvme.IORead, 1, 0, 1, 512), writeCmd(0, 1, 1), formatCmd(1, 0, 1), sanitizeCmd(actionBlock),
		{Opcode: nvme.AdminDeviceSelfTest, CDW10: 1}, createCmd(8, 8, 0), sanitizeCmd(actionExitFailure),
		{Opcode: nvme.AdminFirmwareCommit, CDW10: 1}, logCmd(nvme.LIDFirmwareSlot, all, 512),
	} {
		reject(t, d, cmd, nvme.StatusSanitizeInProgress)
	}
	// Sanitize Operations - Admin Commands Allowed.
	for _, cmd := range []*nvme.Command{
		identifyCmd(nvme.CNSController, 0), getCmd(nvme.FIDArbitration, 0, 0), setCmd(nvme.FIDArbitration, 1),
		logCmd(nvme.LIDSMART, all, 512), logCmd(nvme.LIDError, all, 512), {Opcode: nvme.AdminAbort},
		ioCmd(nvme.IOFlush, 1, 0, 1, 0),
	} {
		accept(t, d, cmd)
	}
	// A power cycle does not stop it.
	d.PowerCycle()
	reject(t, d, ioCmd(nvme.IORead, 1, 0, 1, 512), nvme.StatusSanitizeInProgress)
	*now = now.Add(75 * time.Second)
	log := sanitizeLog(t, d)
	if log.Progress != 0xFFFF || log.Status != nvme.SanitizeGlobalDataErased|2<<3|nvme.SanitizeCompleted {
		t.Errorf("at the end: progress %#x, status %#x", log.Progress, log.Status)
	}
	if zero, _ := nvme.IsBlankPage(blocks(t, d, 0, 16)); !zero {
		t.Error("an overwrite left data")
	}
	accept(t, d, writeCmd(0, 1, 1))
	if got := sanitizeLog(t, d).Status; got&nvme.SanitizeGlobalDataErased != 0 {
		t.Errorf("status %#x after a write still says that all data are erased", got)
	}
}

func TestSanitizeErasesAll(t *testing.T) {
	for action, keeps := range map[uint32]bool{actionBlock: true, actionCrypto: false} {
		d := twoNamespaces(t, nil)
		accept(t, d, attachCmd(2, 1, 1, 0)) // Not attached: erased all the same.
		accept(t, d, writeCmd(0, 8, 3))
		before := blocks(t, d, 0, 8)
		accept(t, d, sanitizeCmd(action))
		after := blocks(t, d, 0, 8)
		zero, _ := nvme.IsBlankPage(after)
		if zero != keeps || bytes.Equal(before, after) {
			t.Errorf("action %d: zeroes %v, want %v", action, zero, keeps)
		}
		accept(t, d, attachCmd(2, 0, 1, 0))
		cmd := ioCmd(nvme.IORead, 2, 0, 1, 512)
		accept(t, d, cmd)
		if cmd.Data[0] == 3 && cmd.Data[1] == 3 {
			t.Errorf("action %d left the namespace that was not attached", action)
		}
	}
}

// TestSanitizeFails checks the two completion modes after a failure.
func TestSanitizeFails(t *testing.T) {
	for _, tc := range []struct {
		name  string
		cdw10 uint32
		exit  nvme.Status
	}{
		{"restricted", actionBlock, nvme.StatusSanitizeFailed},
		{"unrestricted", actionBlock | allowUnrestrictedExit, nvme.StatusSuccess},
	} {
		d := modern(t, func(p *personality) { p.sanitizeFails = true })
		accept(t, d, sanitizeCmd(tc.cdw10))
		if got := sanitizeLog(t, d).Status; got != nvme.SanitizeFailed {
			t.Errorf("%s: status %#x, want failed", tc.name, got)
		}
		reject(t, d, ioCmd(nvme.IORead, 1, 0, 1, 512), nvme.StatusSanitizeFailed)
		reject(t, d, formatCmd(1, 0, 1), nvme.StatusSanitizeFailed)
		accept(t, d, identifyCmd(nvme.CNSController, 0))
		reject(t, d, sanitizeCmd(actionExitFailure), tc.exit)
		if tc.exit == nvme.StatusSuccess {
			blocks(t, d, 0, 1)
			continue
		}
		reject(t, d, sanitizeCmd(actionBlock|allowUnrestrictedExit), nvme.StatusSanitizeFailed)
		d.controller.personality.sanitizeFails = false
		accept(t, d, sanitizeCmd(actionBlock))
		blocks(t, d, 0, 1)
	}
	// Half of the data are gone.
	d := modern(t, func(p *personality) { p.sanitizeFails = true })
	last := uint64(modernFirst/512 - 8)
	want := blocks(t, d, last, 8)
	accept(t, d, sanitizeCmd(actionBlock|allowUnrestrictedExit))
	logOf(t, d, nvme.GetLogPage{LID: nvme.LIDSanitize}, 512)
	accept(t, d, sanitizeCmd(actionExitFailure))
	if zero, _ := nvme.IsBlankPage(blocks(t, d, 0, 8)); !zero || !bytes.Equal(blocks(t, d, last, 8), want) {
		t.Error("a sanitize that failed did not erase the first half alone")
	}
}

// TestNoDeallocateInhibited checks NDI with and without the Sanitize Config
// feature.
func TestNoDeallocateInhibited(t *testing.T) {
	d := modern(t, func(p *personality) { p.identify.SANICAP |= noDeallocateInhibited })
	reject(t, d, sanitizeCmd(actionBlock|noDeallocate), nvme.StatusInvalidField)
	accept(t, d, setCmd(nvme.FIDSanitizeConfig, 1))
	accept(t, d, sanitizeCmd(actionBlock|noDeallocate))
	if got := sanitizeLog(t, d).Status.State(); got != nvme.SanitizeCompletedDeallocate {
		t.Errorf("state %d, want completed with deallocation", got)
	}
}

// TestOverwritePattern checks what an overwrite leaves where blocks are not
// deallocated.
func TestOverwritePattern(t *testing.T) {
	const invert = 1 << 8
	for _, tc := range []struct {
		name  string
		cdw10 uint32
		want  byte
	}{
		{"deallocated", actionOverwrite | 1<<4, 0},
		{"one pass", actionOverwrite | 1<<4 | noDeallocate, 0xA5},
		{"two passes", actionOverwrite | 2<<4 | noDeallocate, 0xA5},
		{"two passes, the second inverted", actionOverwrite | 2<<4 | noDeallocate | invert, 0x5A},
		{"three passes, the second inverted", actionOverwrite | 3<<4 | noDeallocate | invert, 0xA5},
		{"block erase", actionBlock | noDeallocate, 0},
	} {
		d := modern(t, nil)
		accept(t, d, writeCmd(0, 8, 7))
		accept(t, d, with(sanitizeCmd(tc.cdw10), func(c *nvme.Command) { c.CDW11 = 0xA5A5A5A5 }))
		accept(t, d, identifyCmd(nvme.CNSController, 0))
		if got := blocks(t, d, 0, 16); !bytes.Equal(got, bytes.Repeat([]byte{tc.want}, len(got))) {
			t.Errorf("%s: first byte %#x, want all %#x", tc.name, got[0], tc.want)
		}
		odd := make([]byte, 3)
		if _, err := d.ReadAt(odd, 5); err != nil || odd[1] != tc.want {
			t.Errorf("%s: byte %#x in the middle, %v", tc.name, odd[1], err)
		}
	}
}

func TestPasses(t *testing.T) {
	for cdw10, want := range map[uint32]int{0: 16, 1 << 4: 1, 15 << 4: 15} {
		if got := passes(cdw10); got != want {
			t.Errorf("CDW10 %#x: %d passes, want %d", cdw10, got, want)
		}
	}
}
