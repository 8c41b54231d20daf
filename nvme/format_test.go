package nvme

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFormatNVMCommand(t *testing.T) {
	tests := []struct {
		name string
		req  FormatNVM
		want Command
	}{
		{"zero value", FormatNVM{}, Command{Opcode: 0x80}},
		{"plain", FormatNVM{NSID: 1}, Command{Opcode: 0x80, NSID: 1}},
		{"user data erase", FormatNVM{NSID: 1, SES: SecureEraseUserData}, Command{Opcode: 0x80, NSID: 1, CDW10: 0x200}},
		{"crypto erase of all", FormatNVM{NSID: BroadcastNSID, SES: SecureEraseCryptographic}, Command{Opcode: 0x80, NSID: 0xFFFFFFFF, CDW10: 0x400}},
		{"format 3", FormatNVM{NSID: 2, LBAF: 3}, Command{Opcode: 0x80, NSID: 2, CDW10: 0x003}},
		{"format 15", FormatNVM{NSID: 2, LBAF: 15}, Command{Opcode: 0x80, NSID: 2, CDW10: 0x00F}},
		{"format 16 is in the upper field", FormatNVM{NSID: 2, LBAF: 16}, Command{Opcode: 0x80, NSID: 2, CDW10: 0x1000}},
		{"format 63", FormatNVM{NSID: 2, LBAF: 63}, Command{Opcode: 0x80, NSID: 2, CDW10: 0x300F}},
		{"metadata in the block", FormatNVM{NSID: 1, MetadataInLBA: true}, Command{Opcode: 0x80, NSID: 1, CDW10: 0x010}},
		{"protection type 3", FormatNVM{NSID: 1, PI: 3}, Command{Opcode: 0x80, NSID: 1, CDW10: 0x060}},
		{"protection first", FormatNVM{NSID: 1, PI: 1, PIFirst: true}, Command{Opcode: 0x80, NSID: 1, CDW10: 0x120}},
		{"all", FormatNVM{NSID: 7, LBAF: 0x3F, MetadataInLBA: true, PI: 7, PIFirst: true, SES: 7}, Command{Opcode: 0x80, NSID: 7, CDW10: 0x3FFF}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd := tt.req.Command()
			if diff := cmp.Diff(&tt.want, cmd); diff != "" {
				t.Errorf("command (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.req, ParseFormatNVM(cmd)); diff != "" {
				t.Errorf("parsed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFormatNVMTooLarge checks that a value that does not fit into its field
// does not reach into another.
func TestFormatNVMTooLarge(t *testing.T) {
	cmd := FormatNVM{NSID: 1, LBAF: 0xC0, PI: 8, SES: 8}.Command()
	if cmd.CDW10 != 0 {
		t.Errorf("CDW10 = %#x, want 0", cmd.CDW10)
	}
}

func TestFormatProgress(t *testing.T) {
	tests := []struct {
		fpi       uint8
		remaining int
		reported  bool
	}{
		{0x00, 0, false},
		{0x64, 0, false},
		{0x80, 0, true},
		{0x81, 1, true},
		{0xE4, 100, true},
		{0xFF, 127, true},
	}
	for _, tt := range tests {
		remaining, reported := (&IdentifyNamespace{FPI: tt.fpi}).FormatProgress()
		if remaining != tt.remaining || reported != tt.reported {
			t.Errorf("FPI %02Xh: %d %%, %v, want %d %%, %v", tt.fpi, remaining, reported, tt.remaining, tt.reported)
		}
	}
}

func FuzzParseFormatNVM(f *testing.F) {
	for _, cdw10 := range []uint32{0, 0x200, 0x3FFF, 0xFFFFFFFF} {
		f.Add(uint32(1), cdw10)
	}
	f.Fuzz(func(t *testing.T, nsid, cdw10 uint32) {
		again := ParseFormatNVM(&Command{Opcode: AdminFormatNVM, NSID: NSID(nsid), CDW10: cdw10}).Command()
		if uint32(again.NSID) != nsid || again.CDW10 != cdw10&0x3FFF {
			t.Errorf("NSID %#x, CDW10 %#x written again: %#x, %#x", nsid, cdw10, again.NSID, again.CDW10)
		}
	})
}
