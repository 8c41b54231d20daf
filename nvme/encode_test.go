package nvme

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIdentifyCommand(t *testing.T) {
	buf := make([]byte, 4096)
	tests := []struct {
		name string
		req  Identify
		want Command
	}{
		{"controller", Identify{CNS: CNSController}, Command{Opcode: 0x06, CDW10: 0x00000001, Data: buf}},
		{"namespace", Identify{CNS: CNSNamespace, NSID: 3}, Command{Opcode: 0x06, NSID: 3, Data: buf}},
		{"controller list", Identify{CNS: CNSAttachedControllers, NSID: 1, CNTID: 0x0102},
			Command{Opcode: 0x06, NSID: 1, CDW10: 0x01020012, Data: buf}},
		{"command set and UUID", Identify{CNS: CNSCommandSetController, CSI: 2, UUIDIndex: 0xFF},
			Command{Opcode: 0x06, CDW10: 0x00000006, CDW11: 0x02000000, CDW14: 0x0000007F, Data: buf}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(&tt.want, tt.req.Command(buf)); diff != "" {
				t.Errorf("command (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGetLogPageCommand(t *testing.T) {
	tests := []struct {
		name  string
		req   GetLogPage
		bytes int
		want  Command
	}{
		{"SMART", GetLogPage{LID: LIDSMART, NSID: BroadcastNSID, KeepEvent: true}, 512,
			Command{Opcode: 0x02, NSID: 0xFFFFFFFF, CDW10: 0x007F8002}},
		{"event is cleared", GetLogPage{LID: LIDError, NSID: BroadcastNSID}, 64,
			Command{Opcode: 0x02, NSID: 0xFFFFFFFF, CDW10: 0x000F0001}},
		{"one dword", GetLogPage{LID: LIDSMART}, 4, Command{Opcode: 0x02, CDW10: 0x00000002}},
		{"12-bit NUMD", GetLogPage{LID: LIDTelemetryHost}, 16384, Command{Opcode: 0x02, CDW10: 0x0FFF0007}},
		{"NUMDL full", GetLogPage{LID: LIDTelemetryHost}, 256 << 10, Command{Opcode: 0x02, CDW10: 0xFFFF0007}},
		{"NUMDU", GetLogPage{LID: LIDTelemetryHost}, 256<<10 + 4, Command{Opcode: 0x02, CDW10: 0x00000007, CDW11: 0x00000001}},
		{"not whole dwords", GetLogPage{LID: LIDSMART}, 15, Command{Opcode: 0x02, CDW10: 0x00020002}},
		{"no buffer", GetLogPage{LID: LIDSMART}, 0, Command{Opcode: 0x02, CDW10: 0x00000002}},
		{"offset", GetLogPage{LID: LIDTelemetryHost, Offset: 0x1_2345_6780}, 4,
			Command{Opcode: 0x02, CDW10: 0x00000007, CDW12: 0x23456780, CDW13: 0x00000001}},
		{"LSP and LSI", GetLogPage{LID: LIDTelemetryHost, LSP: 0x01, LSI: 0xABCD}, 4,
			Command{Opcode: 0x02, CDW10: 0x00000107, CDW11: 0xABCD0000}},
		{"LSP is 7 bits", GetLogPage{LID: LIDSMART, LSP: 0xFF}, 4, Command{Opcode: 0x02, CDW10: 0x00007F02}},
		{"CSI and UUID", GetLogPage{LID: LIDCommandsEffects, CSI: 2, UUIDIndex: 0x81}, 4,
			Command{Opcode: 0x02, CDW10: 0x00000005, CDW14: 0x02000001}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Data = make([]byte, tt.bytes)
			if diff := cmp.Diff(&tt.want, tt.req.Command(make([]byte, tt.bytes))); diff != "" {
				t.Errorf("command (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIsBlankPage(t *testing.T) {
	tests := []struct {
		name             string
		page             []byte
		allZero, allOnes bool
	}{
		{"empty", nil, false, false},
		{"zero", []byte{0, 0, 0}, true, false},
		{"ones", []byte{0xFF, 0xFF}, false, true},
		{"last byte set", []byte{0, 0, 1}, false, false},
		{"last byte clear", []byte{0xFF, 0xFF, 0}, false, false},
	}
	for _, tt := range tests {
		if zero, ones := IsBlankPage(tt.page); zero != tt.allZero || ones != tt.allOnes {
			t.Errorf("%s: IsBlankPage = %v, %v, want %v, %v", tt.name, zero, ones, tt.allZero, tt.allOnes)
		}
	}
}
