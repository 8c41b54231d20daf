package guard

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/nvme"
)

// status lets the drive refuse what match says.
func (b *bench) status(match func(*nvme.Command) bool, s nvme.Status) {
	b.fail(match, &nvme.CommandError{Command: "test", Status: s})
}

// TestWarnings has what does not refuse and is worth reading.
func TestWarnings(t *testing.T) {
	tests := []struct {
		name, profile string
		prepare       func(b *bench)
		op            Operation
		check, says   string
	}{
		{
			"firmware waits", "nand-modern", func(b *bench) { b.edit(logPage(nvme.LIDFirmwareSlot), fill(0, 0x12)) }, formatOp(1),
			checkFirmware, "the next reset activates the firmware of slot 1 (QD1M0100), in place of slot 2",
		},
		{"locking is set up", "nand-modern?opal=unlocked", func(*bench) {}, formatOp(1), checkLocking, "set up, and not locked now"},
		{
			"sanitize again", "nand-modern", func(b *bench) { b.edit(logPage(nvme.LIDSanitize), fill(2, 3)) }, sanitizeOp(),
			checkSanitize, "accepts nothing but another one",
		},
		{
			"pollers", "optane-905p", func(b *bench) {
				b.survey.Pollers = []inuse.Poller{{PID: 9, Process: "smartd", Text: "smartd asks drives: stop it"}}
			}, formatOp(1), checkPollers, "smartd asks drives: stop it",
		},
		{
			"a poller without words", "optane-905p", func(b *bench) { b.survey.Pollers = []inuse.Poller{{PID: 9, Process: "smartd"}} }, formatOp(1),
			checkPollers, "smartd (process 9)",
		},
		{
			"firmware of a drive that is read-only", "nand-modern?critical_warning=8", func(*bench) {}, firmwareOp(), checkHealth, "read-only",
		},
		{"a worn drive", "nand-modern?critical_warning=4", func(*bench) {}, formatOp(1), checkHealth, "reliability is degraded"},
		{"firmware of a locked drive", "nand-modern?opal=locked", func(*bench) {}, firmwareOp(), checkLocking, "is locked"},
		{
			"a log that the drive refuses", "nand-modern", func(b *bench) { b.status(logPage(nvme.LIDSanitize), nvme.StatusInvalidField) }, formatOp(1),
			checkSanitize, "the drive refuses to tell",
		},
		{
			"allocated namespaces that the drive refuses to list", "nand-modern",
			func(b *bench) { b.status(identify(nvme.CNSAllocatedNamespaces), nvme.StatusInvalidField) }, sanitizeOp(),
			checkNodes, "the drive refuses to tell",
		},
		{"not all of it could be read", "optane-905p", func(b *bench) { b.contents["nvme0n1"] = "broken\n" }, formatOp(1), checkSignatures, "not all of nvme0n1 could be read"},
	}
	for _, tt := range tests {
		b := newBench(t, tt.profile)
		tt.prepare(b)
		c := b.inspect(t, tt.op)
		found := false
		for _, check := range c.Judge(nil) {
			found = found || check.Check == tt.check && check.Result == Pass && check.Warning && strings.Contains(check.Text, tt.says)
		}
		if !found {
			t.Errorf("%s: no warning %q with %q in %+v", tt.name, tt.check, tt.says, c.Judge(nil))
		}
		if got := failed(c.Judge(script(c))); len(got) > 0 {
			t.Errorf("%s: %q, want nothing", tt.name, got)
		}
	}
}

// TestFrozen has the firmware of the computer freeze the drive.
func TestFrozen(t *testing.T) {
	b := newBench(t, "nand-modern?opal=off&blocksid=1")
	var texts []string
	for _, c := range b.inspect(t, formatOp(1)).Judge(nil) {
		if c.Check == checkLocking {
			texts = append(texts, c.Text)
		}
	}
	if len(texts) != 2 || texts[0] != "the drive is not locked" || !strings.Contains(texts[1], "Block SID") {
		t.Errorf("locking: %q", texts)
	}
}

// TestNotReported makes no check of what a drive does not have.
func TestNotReported(t *testing.T) {
	b := newBench(t, "optane-905p?opal=none")
	for _, c := range b.inspect(t, formatOp(1)).Judge(nil) {
		switch c.Check {
		case checkSanitize, checkSelfTest, checkTemperature, checkLocking, checkFormat:
			t.Errorf("check %+v of a drive that does not report it", c)
		}
	}
}

// TestAsks sends optional commands only where Identify says that they exist.
func TestAsks(t *testing.T) {
	b := newBench(t, "optane-905p")
	b.inspect(t, formatOp(1))
	for _, c := range b.commands {
		if logPage(nvme.LIDSanitize)(&c) || logPage(nvme.LIDSelfTest)(&c) || identify(nvme.CNSAllocatedNamespaces)(&c) || identify(nvme.CNSNamespaceDescriptors)(&c) {
			t.Errorf("was asked: %s", dwords(&c))
		}
	}
	b = newBench(t, "nand-modern")
	b.edit(identify(nvme.CNSController), fill(256, 0, 0)) // OACS.
	b.edit(identify(nvme.CNSController), fill(328, 0, 0, 0, 0))
	b.inspect(t, formatOp(1))
	for _, c := range b.commands {
		if c.Opcode == nvme.AdminSecurityReceive || logPage(nvme.LIDFirmwareSlot)(&c) || logPage(nvme.LIDSanitize)(&c) ||
			logPage(nvme.LIDSelfTest)(&c) || identify(nvme.CNSAllocatedNamespaces)(&c) {
			t.Errorf("was asked: %s", dwords(&c))
		}
	}
}

func TestSimulated(t *testing.T) {
	b := newBench(t, "optane-905p")
	d := b.on(t)
	d.Simulated = true
	c, err := inspect(t.Context(), d, formatOp(1), eyes{passthru: b, open: b.Open, scan: textScan})
	if err != nil {
		t.Fatal(err)
	}
	if check := c.Judge(nil)[0]; check.Check != checkSimulated || check.Result != Pass || !strings.HasPrefix(check.Text, "SIMULATED") {
		t.Errorf("first check %+v", check)
	}
	if !c.Identity.Simulated {
		t.Error("the identity does not say that the drive is simulated")
	}
}

// TestAbsentHost looks at a drive of which the host shows nothing, as at one
// from a capture: there is a plan, and it refuses.
func TestAbsentHost(t *testing.T) {
	b := newBench(t, "optane-905p")
	b.texts, b.links = nil, nil
	d := &Drive{Passthru: b, Host: b}
	c, err := inspect(t.Context(), d, formatOp(1), eyes{passthru: b, open: b.Open, scan: textScan})
	if err != nil {
		t.Fatal(err)
	}
	if got := reached(c); len(got) != 1 || got[0] != "namespace 1 1 : named" && got[0] != "namespace 1 1 nvme0: named" {
		t.Errorf("radius %q", got)
	}
	if diff := cmp.Diff([]string{"controller refuse"}, failed(c.Judge(nil))); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	_, err = c.Claim(t.Context(), script(c))
	refused(t, err)
	b.nothing(t)
}
