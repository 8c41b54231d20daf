package sata

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/dswarbrick/smart/ata"
	"github.com/google/go-cmp/cmp"
)

func TestParseIdentity(t *testing.T) {
	want := &Identity{
		Model: "Samsung SSD 860 EVO 500GB", Serial: "SERIAL-0001", Firmware: "EXT0DB6Q", WWN: "500253885009397f",
		Version: "ACS-4", Interface: "SATA 3.3", SpeedMaxGbps: new(6.0), SpeedCurrentGbps: new(6.0), SolidState: new(true), FormFactor: `2.5"`,
		Sectors: 937703088, CapacityBytes: 480103981056, LogicalSectorBytes: 512, PhysicalSectorBytes: 4096, QueueDepth: 32,
		TRIM: TRIM{true, true, true}, SMART: Support{true, true}, Security: Security{Support: Support{Supported: true}},
		ErrorLogging: true, SelfTest: true, GeneralLogging: true, ChecksumOK: new(true),
	}
	if diff := cmp.Diff(want, goldenIdentity(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestIdentityWords changes words one by one.
func TestIdentityWords(t *testing.T) {
	tests := []struct {
		name   string
		change words
		got    func(*Identity) any
		want   any
	}{
		{"28-bit capacity", words{83: 0x4009, 60: 0x1000, 61: 0x0001}, func(i *Identity) any { return i.Sectors }, uint64(0x11000)},
		{"48-bit words not valid", words{83: 0x0400}, func(i *Identity) any { return i.Sectors }, uint64(0x0FFFFFFF)},
		{"extended capacity", words{69: 0x0008, 230: 1, 231: 0, 232: 1}, func(i *Identity) any { return i.Sectors }, uint64(0x1_0000_0001)},
		{"capacity that does not fit", words{100: 0xFFFF, 101: 0xFFFF, 102: 0xFFFF, 103: 0xFFFF}, func(i *Identity) any { return i.CapacityBytes }, uint64(0)},
		{"4096-byte sectors", words{106: 0x5000, 117: 2048}, func(i *Identity) any { return [2]int{i.LogicalSectorBytes, i.PhysicalSectorBytes} }, [2]int{4096, 4096}},
		{"sector of nothing", words{106: 0x5000, 117: 0}, func(i *Identity) any { return i.LogicalSectorBytes }, 512},
		{"sector of everything", words{106: 0x5000, 117: 0xFFFF, 118: 0xFFFF}, func(i *Identity) any { return i.LogicalSectorBytes }, 512},
		{"sector words not valid", words{106: 0xFFFF}, func(i *Identity) any { return i.PhysicalSectorBytes }, 512},
		{"disk", words{217: 7200}, func(i *Identity) any { return [2]any{*i.SolidState, *i.RotationRPM} }, [2]any{false, 7200}},
		{"rotation not reported", words{217: 0}, func(i *Identity) any { return i.SolidState == nil && i.RotationRPM == nil }, true},
		{"rotation reserved", words{217: 0xFFFF}, func(i *Identity) any { return i.SolidState == nil }, true},
		{"no WWN", words{87: 0x4063}, func(i *Identity) any { return i.WWN }, ""},
		{"WWN word not valid", words{87: 0x8163}, func(i *Identity) any { return i.WWN }, ""},
		{"3 Gb/s drive", words{76: 0x0006, 77: 0x0002}, func(i *Identity) any { return [2]float64{*i.SpeedMaxGbps, *i.SpeedCurrentGbps} }, [2]float64{3, 1.5}},
		{"no SATA word", words{76: 0}, func(i *Identity) any { return i.SpeedMaxGbps == nil && i.SpeedCurrentGbps == nil && i.QueueDepth == 0 }, true},
		{"SATA word all ones", words{76: 0xFFFF}, func(i *Identity) any { return i.SpeedMaxGbps == nil }, true},
		{"current speed not reported", words{77: 0}, func(i *Identity) any { return i.SpeedCurrentGbps == nil }, true},
		{"current speed reserved", words{77: 0x000E}, func(i *Identity) any { return i.SpeedCurrentGbps == nil }, true},
		{"no speed bit", words{76: 0x0100}, func(i *Identity) any { return i.SpeedMaxGbps == nil && i.QueueDepth == 32 }, true},
		{"no queue", words{76: 0x000E}, func(i *Identity) any { return i.QueueDepth }, 0},
		{"SMART off", words{85: 0x7068}, func(i *Identity) any { return i.SMART }, Support{true, false}},
		{"no SMART", words{82: 0x706A, 85: 0x7068}, func(i *Identity) any { return i.SMART }, Support{}},
		{"SMART words not valid", words{83: 0, 87: 0}, func(i *Identity) any { return i.SMART }, Support{}},
		{"no logs", words{84: 0x4000, 87: 0x4000}, func(i *Identity) any { return [3]bool{i.ErrorLogging, i.SelfTest, i.GeneralLogging} }, [3]bool{}},
		{"locked", words{128: 0x000F}, func(i *Identity) any { return i.Security }, Security{Support{true, true}, true, true}},
		{"security all ones", words{128: 0xFFFF}, func(i *Identity) any { return i.Security }, Security{}},
		{"no TRIM", words{169: 0, 69: 0}, func(i *Identity) any { return i.TRIM }, TRIM{}},
		{"M.2", words{168: 7}, func(i *Identity) any { return i.FormFactor }, "M.2"},
		{"form reserved", words{168: 15}, func(i *Identity) any { return i.FormFactor }, ""},
		{"ATA-3", words{80: 0x000E}, func(i *Identity) any { return i.Version }, "ATA-3"},
		{"ACS-5", words{80: 0x1FF0}, func(i *Identity) any { return i.Version }, "ACS-5"},
		{"later", words{80: 0x2FF0}, func(i *Identity) any { return i.Version }, "newer than ACS-5 (bit 13)"},
		{"no version", words{80: 0xFFFF}, func(i *Identity) any { return i.Version }, ""},
		{"parallel", words{222: 0x007F}, func(i *Identity) any { return i.Interface }, "parallel ATA"},
		{"SATA, no revision", words{222: 0x1000}, func(i *Identity) any { return i.Interface }, "SATA"},
		{"SATA, later", words{222: 0x1FFF}, func(i *Identity) any { return i.Interface }, "SATA"},
		{"PCIe", words{222: 0xE001}, func(i *Identity) any { return i.Interface }, "PCIe"},
		{"reserved transport", words{222: 0x5001}, func(i *Identity) any { return i.Interface }, ""},
		{"compact flash", words{0: 0x848A}, func(i *Identity) any { return i.Model }, "Samsung SSD 860 EVO 500GB"},
	}
	for _, tt := range tests {
		id, err := ParseIdentity(identify(tt.change))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := tt.got(id); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestParseIdentityRefuses(t *testing.T) {
	ones := make([]byte, sectorBytes)
	for i := range ones {
		ones[i] = 0xFF
	}
	for _, tt := range []struct {
		name string
		in   []byte
		want error
	}{
		{"short", make([]byte, 511), ErrShort}, {"zeros", make([]byte, 512), ErrEmptyPage}, {"ones", ones, ErrEmptyPage}, {"optical drive", identify(words{0: 0x85C0}), ErrNotATA},
	} {
		if id, err := ParseIdentity(tt.in); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %+v, %v, want %v", tt.name, id, err, tt.want)
		}
	}
}

func TestIdentityChecksum(t *testing.T) {
	b := identify(nil)
	b[20] ^= 1
	if id, err := ParseIdentity(b); err != nil || id.ChecksumOK == nil || *id.ChecksumOK {
		t.Errorf("damaged page: %+v, %v", id, err)
	}
	b[510] = 0
	if id, err := ParseIdentity(b); err != nil || id.ChecksumOK != nil {
		t.Errorf("page without a checksum: %+v, %v", id, err)
	}
}

func TestIdentityStrings(t *testing.T) {
	b := identify(nil)
	swapped(b[20:40], "\x1b[2JX\x00\xff")
	id, err := ParseIdentity(seal(b, 0xA5))
	if err != nil {
		t.Fatal(err)
	}
	if want := "\uFFFD[2JX\uFFFD\uFFFD"; id.Serial != want {
		t.Errorf("serial: %q, want %q", id.Serial, want)
	}
}

// TestLibraryIdentity holds what the structure of the library gives, and the
// defects that are worked around: the day one of these tests fails, the
// work-around can go.
func TestLibraryIdentity(t *testing.T) {
	var d ata.IdentifyDeviceData
	if n := binary.Size(d); n != sectorBytes {
		t.Fatalf("the structure has %d bytes", n)
	}
	if _, err := binary.Decode(identify(nil), binary.LittleEndian, &d); err != nil {
		t.Fatal(err)
	}
	id := goldenIdentity(t)
	if got := clean(d.ModelNumber()); got != id.Model {
		t.Errorf("model: library %q, ours %q", got, id.Model)
	}
	if got := d.WWN(); got != "5 002538 85009397f" {
		t.Errorf("WWN of the library: %q", got)
	}
	if got := d.ATAMajorVersion(); got != "" {
		t.Errorf("the library knows ACS-4 now, as %q", got)
	}
	if got := d.Transport(); got == "Serial ATA SATA 3.3" {
		t.Errorf("the library knows SATA 3.3 now, as %q", got)
	}
	// Its words 76 and 77 are words 75 and 76.
	if d.SATACap != 31 || d.SATACapAddl != 0x010E {
		t.Errorf("words 76 and 77 of the library: %04x, %04x", d.SATACap, d.SATACapAddl)
	}
	// It takes word 87, bit 14, for "SMART available": true for every drive.
	if d.Word87>>14 != 1 {
		t.Errorf("word 87: %04x", d.Word87)
	}
}
