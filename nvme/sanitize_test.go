package nvme

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSanitizeCommand(t *testing.T) {
	tests := []struct {
		name string
		req  Sanitize
		want Command
	}{
		{"exit failure mode", Sanitize{Action: SanitizeExitFailureMode}, Command{Opcode: 0x84, CDW10: 0x001}},
		{"block erase", Sanitize{Action: SanitizeBlockErase}, Command{Opcode: 0x84, CDW10: 0x002}},
		{"crypto erase", Sanitize{Action: SanitizeCryptoErase}, Command{Opcode: 0x84, CDW10: 0x004}},
		{"unrestricted exit", Sanitize{Action: SanitizeBlockErase, AllowUnrestrictedExit: true}, Command{Opcode: 0x84, CDW10: 0x00A}},
		{"no deallocation", Sanitize{Action: SanitizeCryptoErase, NoDeallocate: true}, Command{Opcode: 0x84, CDW10: 0x204}},
		{"one pass", Sanitize{Action: SanitizeOverwrite, OverwritePasses: 1, Pattern: 0xDEADBEEF}, Command{Opcode: 0x84, CDW10: 0x013, CDW11: 0xDEADBEEF}},
		{"three passes, inverted", Sanitize{Action: SanitizeOverwrite, OverwritePasses: 3, Invert: true}, Command{Opcode: 0x84, CDW10: 0x133}},
		{"sixteen passes are 0", Sanitize{Action: SanitizeOverwrite, OverwritePasses: 16}, Command{Opcode: 0x84, CDW10: 0x003}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd := tt.req.Command()
			if diff := cmp.Diff(&tt.want, cmd); diff != "" {
				t.Errorf("command (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.req, ParseSanitize(cmd)); diff != "" {
				t.Errorf("parsed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSanitizeBounds checks values that are not sent as they stand: a forgotten
// number of passes must not become 16 of them.
func TestSanitizeBounds(t *testing.T) {
	tests := []struct {
		name         string
		req          Sanitize
		cdw10, cdw11 uint32
	}{
		{"no number of passes is one", Sanitize{Action: SanitizeOverwrite}, 0x013, 0},
		{"too many passes are 16", Sanitize{Action: SanitizeOverwrite, OverwritePasses: 17}, 0x003, 0},
		{"other actions have no passes", Sanitize{Action: SanitizeBlockErase, OverwritePasses: 3, Invert: true, Pattern: 1}, 0x002, 0},
		{"the action has three bits", Sanitize{Action: 8}, 0, 0},
	}
	for _, tt := range tests {
		if cmd := tt.req.Command(); cmd.CDW10 != tt.cdw10 || cmd.CDW11 != tt.cdw11 || cmd.NSID != 0 {
			t.Errorf("%s: CDW10 %#x, CDW11 %#x, NSID %d, want %#x, %#x, 0", tt.name, cmd.CDW10, cmd.CDW11, cmd.NSID, tt.cdw10, tt.cdw11)
		}
	}
}

func TestSanitizeActionString(t *testing.T) {
	for action, want := range map[SanitizeAction]string{
		SanitizeExitFailureMode: "Exit Failure Mode",
		SanitizeBlockErase:      "Block Erase",
		SanitizeOverwrite:       "Overwrite",
		SanitizeCryptoErase:     "Crypto Erase",
		0:                       "action 0",
		5:                       "action 5",
	} {
		if got := action.String(); got != want {
			t.Errorf("action %d = %q, want %q", uint8(action), got, want)
		}
	}
}

func FuzzParseSanitize(f *testing.F) {
	for _, cdw10 := range []uint32{0, 2, 0x13, 0x3FB, 0xFFFFFFFF} {
		f.Add(cdw10, uint32(0x5A5A5A5A))
	}
	f.Fuzz(func(t *testing.T, cdw10, cdw11 uint32) {
		s := ParseSanitize(&Command{Opcode: AdminSanitize, CDW10: cdw10, CDW11: cdw11})
		if again := ParseSanitize(s.Command()); again != s {
			t.Errorf("%+v written again reads as %+v", s, again)
		}
		if s.OverwritePasses > 16 || s.Action == SanitizeOverwrite && s.OverwritePasses == 0 {
			t.Errorf("%d passes", s.OverwritePasses)
		}
	})
}
