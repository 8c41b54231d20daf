package nvme

import "testing"

func TestOpcodeName(t *testing.T) {
	tests := []struct {
		queue Queue
		op    uint8
		want  string
	}{
		{AdminQueue, 0x06, "Identify"},
		{AdminQueue, 0x02, "Get Log Page"},
		{AdminQueue, 0x80, "Format NVM"},
		{AdminQueue, 0x84, "Sanitize"},
		{AdminQueue, 0x14, "Device Self-test"},
		{AdminQueue, 0xC0, "Vendor Specific (C0h)"},
		{AdminQueue, 0x7E, "Reserved (7Eh)"},
		{AdminQueue, 0xBF, "Reserved (BFh)"},
		{IOQueue, 0x02, "Read"},
		{IOQueue, 0x01, "Write"},
		{IOQueue, 0x00, "Flush"},
		{IOQueue, 0x09, "Dataset Management"},
		{IOQueue, 0x7D, "Zone Append"},
		{IOQueue, 0x80, "Vendor Specific (80h)"},
		{IOQueue, 0x7F, "Reserved (7Fh)"},
	}
	for _, tt := range tests {
		if got := OpcodeName(tt.queue, tt.op); got != tt.want {
			t.Errorf("OpcodeName(%v, %#02x) = %q, want %q", tt.queue, tt.op, got, tt.want)
		}
	}
}

func TestNames(t *testing.T) {
	tests := []struct{ got, want string }{
		{CNSController.String(), "Controller"},
		{CNSActiveNamespaces.String(), "Active Namespace ID List"},
		{CNS(0xF0).String(), "CNS F0h"},
		{LIDSMART.String(), "SMART / Health Information"},
		{LID(0x6F).String(), "LID 6Fh"},
		{LID(0xCA).String(), "Vendor Specific CAh"},
		{AdminQueue.String(), "admin"},
		{IOQueue.String(), "io"},
		{(&Command{Opcode: AdminIdentify, CDW10: 0x50001}).name(), "Identify (Controller)"},
		{(&Command{Opcode: AdminGetLogPage, CDW10: 0x7F8002}).name(), "Get Log Page (SMART / Health Information)"},
		{(&Command{Queue: IOQueue, Opcode: IORead}).name(), "Read"},
		{(&Command{Opcode: AdminSanitize}).name(), "Sanitize"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// TestTransfer holds the direction bits of the opcodes whose direction is known
// from what they do.
func TestTransfer(t *testing.T) {
	tests := []struct {
		op   uint8
		want Transfer
	}{
		{AdminIdentify, ControllerToHost},
		{AdminGetLogPage, ControllerToHost},
		{AdminFirmwareImageDownload, HostToController},
		{AdminSecuritySend, HostToController},
		{AdminSecurityReceive, ControllerToHost},
		{AdminFormatNVM, NoTransfer},
		{AdminSanitize, NoTransfer},
		{AdminFabrics, Bidirectional},
		{IOWrite, HostToController},
		{IORead, ControllerToHost},
		{IOFlush, NoTransfer},
	}
	for _, tt := range tests {
		if got := (&Command{Opcode: tt.op}).Transfer(); got != tt.want {
			t.Errorf("opcode %#02x: transfer %d, want %d", tt.op, got, tt.want)
		}
	}
}
