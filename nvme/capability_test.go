package nvme

import "testing"

func TestVersionAtLeast(t *testing.T) {
	tests := []struct {
		v            Version
		major, minor int
		want         bool
	}{
		{0, 1, 0, false},
		{0x10200, 1, 2, true},
		{0x10201, 1, 2, true},
		{0x10200, 1, 3, false},
		{0x10300, 1, 2, true},
		{0x20000, 1, 4, true},
		{0x10400, 2, 0, false},
		{0x20001, 2, 0, true},
	}
	for _, tt := range tests {
		if got := tt.v.AtLeast(tt.major, tt.minor); got != tt.want {
			t.Errorf("%#x at least %d.%d = %v, want %v", uint32(tt.v), tt.major, tt.minor, got, tt.want)
		}
	}
}

func TestFRMW(t *testing.T) {
	tests := []struct {
		f        FRMW
		slots    int
		readOnly bool
		noReset  bool
	}{{0x02, 1, false, false}, {0x03, 1, true, false}, {0x12, 1, false, true}, {0x17, 3, true, true}, {0x0E, 7, false, false}}
	for _, tt := range tests {
		if tt.f.Slots() != tt.slots || tt.f.Slot1ReadOnly() != tt.readOnly || tt.f.ActivationWithoutReset() != tt.noReset {
			t.Errorf("%#x: %d slots, slot 1 read-only %v, without reset %v, want %+v", uint8(tt.f), tt.f.Slots(), tt.f.Slot1ReadOnly(), tt.f.ActivationWithoutReset(), tt)
		}
	}
}

// TestBits holds the bits against the numbers of the specification.
func TestBits(t *testing.T) {
	tests := []struct {
		name string
		bits []int
		want []int
	}{
		{"OACS", []int{int(OACSSecurity), int(OACSFormat), int(OACSFirmware), int(OACSNamespaceManagement), int(OACSSelfTest), int(OACSDirectives),
			int(OACSManagementInterface), int(OACSVirtualization), int(OACSDoorbellBuffer), int(OACSLBAStatus), int(OACSLockdown)},
			[]int{1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x200, 0x400}},
		{"ONCS", []int{int(ONCSCompare), int(ONCSWriteUncorrectable), int(ONCSDatasetManagement), int(ONCSWriteZeroes), int(ONCSSaveSelect),
			int(ONCSReservations), int(ONCSTimestamp), int(ONCSVerify), int(ONCSCopy)}, []int{1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x100}},
		{"LPA", []int{int(LPASMARTPerNamespace), int(LPACommandsEffects), int(LPAExtendedData), int(LPATelemetry), int(LPAPersistentEvent),
			int(LPASupportedLogs), int(LPATelemetryArea4)}, []int{1, 2, 4, 8, 0x10, 0x20, 0x40}},
		{"FNA", []int{int(FNAFormatAll), int(FNAEraseAll), int(FNACryptoErase), int(FNANoBroadcast)}, []int{1, 2, 4, 8}},
		{"critical warning", []int{int(WarningAvailableSpare), int(WarningTemperature), int(WarningReliability), int(WarningReadOnly),
			int(WarningVolatileBackup), int(WarningPMR)}, []int{1, 2, 4, 8, 0x10, 0x20}},
	}
	for _, tt := range tests {
		for i, want := range tt.want {
			if tt.bits[i] != want {
				t.Errorf("%s bit %d = %#x, want %#x", tt.name, i, tt.bits[i], want)
			}
		}
	}
}

func TestMaxTransferBytes(t *testing.T) {
	for mdts, want := range map[uint8]uint64{0: 0, 1: 8192, 5: 131072, 9: 2 << 20, 255: 0} {
		if got := (&IdentifyController{MDTS: mdts}).MaxTransferBytes(); got != want {
			t.Errorf("MDTS %d = %d bytes, want %d", mdts, got, want)
		}
	}
}

func TestPowerStatesAreBounded(t *testing.T) {
	for npss, want := range map[uint8]int{0: 1, 4: 5, 31: 32, 255: 32} {
		if got := len((&IdentifyController{NPSS: npss}).PowerStates()); got != want {
			t.Errorf("NPSS %d = %d power states, want %d", npss, got, want)
		}
	}
}

func TestFormatIndex(t *testing.T) {
	tests := []struct {
		name                 string
		nlbaf, nulbaf, flbas uint8
		index, formats       int
		valid                bool
	}{
		{"first", 0, 0, 0x00, 0, 1, true},
		{"upper bits do not count up to 16 formats", 15, 0, 0x61, 1, 16, true},
		{"upper bits count above 16", 16, 0, 0x20, 16, 17, true},
		{"unique formats count too", 15, 16, 0x3F, 31, 32, true},
		{"bit 4 is not of the index", 1, 0, 0x11, 1, 2, true},
		{"last of 64", 63, 0, 0x6F, 63, 64, true},
		{"more than 64", 255, 255, 0x6F, 63, 64, true},
		{"none such", 1, 0, 0x02, 2, 2, false},
		{"none such above 16", 16, 0, 0x2F, 31, 17, false},
	}
	for _, tt := range tests {
		ns := IdentifyNamespace{NLBAF: tt.nlbaf, NULBAF: tt.nulbaf, FLBAS: tt.flbas}
		for i := range ns.LBAF {
			ns.LBAF[i] = LBAFormat{MetadataBytes: uint16(i), LBADS: 9}
		}
		want := LBAFormat{}
		if tt.valid {
			want = LBAFormat{MetadataBytes: uint16(tt.index), LBADS: 9}
		}
		if ns.FormatIndex() != tt.index || len(ns.Formats()) != tt.formats || ns.Format() != want {
			t.Errorf("%s: index %d of %d, format %+v, want %d of %d, %+v", tt.name, ns.FormatIndex(), len(ns.Formats()), ns.Format(), tt.index, tt.formats, want)
		}
	}
}

func TestLBAFormatDataBytes(t *testing.T) {
	for lbads, want := range map[uint8]uint64{0: 0, 8: 0, 9: 512, 12: 4096, 31: 1 << 31, 32: 0, 255: 0} {
		if got := (LBAFormat{LBADS: lbads}).DataBytes(); got != want {
			t.Errorf("LBADS %d = %d bytes, want %d", lbads, got, want)
		}
	}
}
