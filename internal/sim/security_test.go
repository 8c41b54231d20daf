package sim

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// receiveCmd is a Security Receive.
func receiveCmd(protocol, specific uint32) *nvme.Command {
	return &nvme.Command{
		Opcode: nvme.AdminSecurityReceive, CDW10: protocol<<24 | specific<<8, CDW11: 512, Data: make([]byte, 512),
	}
}

func TestSecurity(t *testing.T) {
	for profile, want := range map[string][]byte{
		"optane-905p":           {0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0},
		"optane-905p?opal=none": {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0},
		"nand-modern":           {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0},
	} {
		receive := receiveCmd(0, 0)
		accept(t, open(t, profile), receive)
		if diff := cmp.Diff(want, receive.Data[:len(want)]); diff != "" {
			t.Errorf("%s: list of protocols (-want +got):\n%s", profile, diff)
		}
	}
	checkRulesOf(t, nandModern, []rule{
		// Security Receive command, Security Send command.
		{"TCG", receiveCmd(1, 1), nvme.StatusInvalidField, 40},
		{"certificate", receiveCmd(0, 1), nvme.StatusInvalidField, 40},
	})
	checkRules(t, []rule{
		{"another ComID", receiveCmd(1, 0x1000), nvme.StatusInvalidField, 40},
		{"list into a short buffer", with(receiveCmd(0, 0), func(c *nvme.Command) { c.Data = c.Data[:8] }), nvme.StatusDataSGLLengthInvalid, 24},
		{"send", &nvme.Command{Opcode: nvme.AdminSecuritySend, Data: make([]byte, 512)}, nvme.StatusInvalidField, 43},
		{"abort", &nvme.Command{Opcode: nvme.AdminAbort}, nvme.StatusSuccess, 0},
	})
}

// securityFeatures returns the feature descriptors of a Level 0 Discovery by their
// codes.
func securityFeatures(t *testing.T, d *Drive) map[uint16][]byte {
	t.Helper()
	cmd := receiveCmd(1, 1)
	accept(t, d, cmd)
	page := cmd.Data
	end := int(binary.BigEndian.Uint32(page)) + 4
	if page[7] != 1 || end > len(page) {
		t.Fatalf("header % x", page[:48])
	}
	found := map[uint16][]byte{}
	for at := 48; at < end; at += 4 + int(page[at+3]) {
		if page[at+2] != 0x10 {
			t.Errorf("version %#x of feature %#x", page[at+2], page[at:at+2])
		}
		found[binary.BigEndian.Uint16(page[at:])] = page[at+4 : at+4+int(page[at+3])]
	}
	return found
}

// TestOpal checks what a drive says of its locking, and what it then refuses.
func TestOpal(t *testing.T) {
	const ok = nvme.StatusSuccess
	for _, tc := range []struct {
		query            string
		locking, sid     byte
		format, sanitize nvme.Status
		read             nvme.Status
	}{
		{"opal=off", 0x09, 0, ok, nvme.StatusSanitizeInProgress, ok},
		{"opal=unlocked", 0x0B, 0, ok, nvme.StatusSanitizeInProgress, ok},
		{"opal=locked", 0x0F, 0, nvme.StatusAccessDenied, nvme.StatusCommandSequenceError, nvme.StatusAccessDenied},
		{"blocksid=1", 0x09, 2, nvme.StatusInvalidOpcode, nvme.StatusInvalidOpcode, ok},
		{"blocksid=1&opal=unlocked", 0x0B, 2, nvme.StatusInvalidOpcode, nvme.StatusInvalidOpcode, ok},
		{"blocksid=1&opal=none", 0x09, 2, nvme.StatusInvalidOpcode, nvme.StatusInvalidOpcode, ok},
	} {
		d := open(t, "nand-modern?speed=1000000&"+tc.query)
		f := securityFeatures(t, d)
		if len(f[1]) != 12 || len(f[2]) != 12 || len(f[0x203]) != 16 || len(f[0x402]) != 12 {
			t.Errorf("%s: features %v", tc.query, f)
			continue
		}
		if f[2][0] != tc.locking || f[0x402][0] != tc.sid {
			t.Errorf("%s: locking %#x, Block SID %#x, want %#x and %#x", tc.query, f[2][0], f[0x402][0], tc.locking, tc.sid)
		}
		reject(t, d, ioCmd(nvme.IORead, 1, 0, 1, 512), tc.read)
		_, err := d.ReadAt(make([]byte, 512), 0)
		if (err == nil) != (tc.read == ok) {
			t.Errorf("%s: ReadAt: %v", tc.query, err)
		}
		reject(t, d, writeCmd(0, 1, 1), tc.read)
		accept(t, d, ioCmd(nvme.IOFlush, 1, 0, 1, 0))
		reject(t, d, formatCmd(1, 0, eraseUser), tc.format)
		if tc.sanitize != nvme.StatusSanitizeInProgress {
			reject(t, d, sanitizeCmd(actionBlock), tc.sanitize)
		}
	}
}

// TestThawed checks that a loss of power ends what the computer's firmware did.
func TestThawed(t *testing.T) {
	d := open(t, "optane-905p?blocksid=1&speed=1000000")
	reject(t, d, formatCmd(1, 0, eraseUser), nvme.StatusInvalidOpcode)
	d.Reset()
	reject(t, d, formatCmd(1, 0, eraseUser), nvme.StatusInvalidOpcode)
	d.PowerCycle()
	accept(t, d, formatCmd(1, 0, eraseUser))
	if f := securityFeatures(t, d); f[0x402][0] != 0 {
		t.Errorf("Block SID %#x after the power came back", f[0x402][0])
	}
}
