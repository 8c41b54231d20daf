package nvme

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// level0 returns an answer with the descriptors, whose header says the right
// length: bytes 3:0 the length after it, 7:4 revision 0.1, 47:8 nothing.
func level0(descriptors ...[]byte) []byte {
	b := make([]byte, 48)
	b[7] = 1
	for _, d := range descriptors {
		b = append(b, d...)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// Descriptors byte by byte after the tables of the TCG documents: two bytes of
// code, the version in the upper half of the third, the length of the rest.
var (
	featureTPer   = []byte{0x00, 0x01, 0x10, 0x0C, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	featureOpalV2 = []byte{0x02, 0x03, 0x10, 0x10, 0x10, 0x00, 0x00, 0x01, 0x00, 0x00, 0x04, 0x00, 0x09, 0x00, 0xFF, 0, 0, 0, 0, 0}
	featureGeo    = []byte{0x00, 0x03, 0x10, 0x1C, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0}
)

// short is a descriptor of 12 bytes whose first two are given.
func short(code uint16, b0, b1 byte) []byte {
	d := make([]byte, 16)
	binary.BigEndian.PutUint16(d, code)
	d[2], d[3], d[4], d[5] = 0x10, 12, b0, b1
	return d
}

func TestLevel0Discovery(t *testing.T) {
	tests := []struct {
		name string
		b    []byte
		want Level0Discovery
	}{
		{"header alone", level0(), Level0Discovery{Revision: 1}},
		{"Opal, in the state of manufacture", level0(featureTPer, short(0x0002, 0x09, 0), featureGeo, featureOpalV2, short(0x0402, 0x00, 0)),
			Level0Discovery{Revision: 1, OpalV2: true, Locking: &LockingFeature{Supported: true, MediaEncryption: true},
				BlockSID: &BlockSIDFeature{}, Codes: []uint16{1, 2, 3, 0x203, 0x402}}},
		{"Opal, locked, with a shadow", level0(short(0x0002, 0x1F, 0), featureOpalV2),
			Level0Discovery{Revision: 1, OpalV2: true, Codes: []uint16{2, 0x203},
				Locking: &LockingFeature{Supported: true, Enabled: true, Locked: true, MediaEncryption: true, MBREnabled: true}}},
		{"shadow done", level0(short(0x0002, 0x33, 0)),
			Level0Discovery{Revision: 1, Codes: []uint16{2},
				Locking: &LockingFeature{Supported: true, Enabled: true, MBREnabled: true, MBRDone: true}}},
		{"locking alone by its bit", level0(short(0x0002, 0x04, 0)),
			Level0Discovery{Revision: 1, Codes: []uint16{2}, Locking: &LockingFeature{Locked: true}}},
		{"blocked by firmware", level0(short(0x0402, 0x02, 0x00)),
			Level0Discovery{Revision: 1, Codes: []uint16{0x402}, BlockSID: &BlockSIDFeature{SIDBlocked: true}}},
		{"owned, frozen, reset ends it", level0(short(0x0402, 0x0D, 0x01)),
			Level0Discovery{Revision: 1, Codes: []uint16{0x402},
				BlockSID: &BlockSIDFeature{SIDChanged: true, FreezeSupported: true, Frozen: true, HardwareReset: true}}},
		{"each class", level0(short(0x0100, 0, 0), short(0x0200, 0, 0), short(0x0201, 0, 0), short(0x0301, 0, 0), short(0x0304, 0, 0), short(0x0305, 0, 0), short(0x0403, 0, 0)),
			Level0Discovery{Revision: 1, Enterprise: true, OpalV1: true, SingleUser: true, Opalite: true, Ruby: true, KeyPerIO: true, NamespaceLocking: true,
				Codes: []uint16{0x100, 0x200, 0x201, 0x301, 0x304, 0x305, 0x403}}},
		{"Pyrite 1", level0(short(0x0302, 0, 0)), Level0Discovery{Revision: 1, Pyrite: true, Codes: []uint16{0x302}}},
		{"Pyrite 2", level0(short(0x0303, 0, 0)), Level0Discovery{Revision: 1, Pyrite: true, Codes: []uint16{0x303}}},
		{"vendor specific, without data", level0([]byte{0xC0, 0x01, 0x10, 0}), Level0Discovery{Revision: 1, Codes: []uint16{0xC001}}},
		{"zeroes that the length counts", level0(short(0x0002, 0x04, 0), make([]byte, 7)),
			Level0Discovery{Revision: 1, Codes: []uint16{2}, Locking: &LockingFeature{Locked: true}}},
		{"padding is not read", append(level0(short(0x0402, 0x02, 0)), short(0x0002, 0xFF, 0)...),
			Level0Discovery{Revision: 1, Codes: []uint16{0x402}, BlockSID: &BlockSIDFeature{SIDBlocked: true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got Level0Discovery
			if err := got.UnmarshalBinary(tt.b); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("discovery (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLevel0DiscoveryShort checks that what is missing is an error: a locked
// drive must not pass for one without locks.
func TestLevel0DiscoveryShort(t *testing.T) {
	locked := short(0x0002, 0x07, 0)
	tests := []struct {
		name   string
		b      []byte
		locked bool
	}{
		{"nothing", nil, false},
		{"a byte less than the header", level0()[:47], false},
		{"zeroes", make([]byte, 2048), false},
		{"the length is within the header", append([]byte{0, 0, 0, 43}, make([]byte, 60)...), false},
		{"cut between descriptors", level0(locked, featureOpalV2)[:64], true},
		{"cut in a header", level0(locked, featureOpalV2)[:66], true},
		{"cut in a descriptor", level0(locked, featureOpalV2)[:70], true},
		{"a descriptor beyond the end", level0(locked, []byte{0x02, 0x03, 0x10, 0x10}), true},
		{"rest that is no descriptor", level0(locked, []byte{0, 2, 0x10}), true},
		{"locking without its byte", level0([]byte{0x00, 0x02, 0x10, 0}), false},
		{"block SID without its second byte", level0(locked, []byte{0x04, 0x02, 0x10, 1, 0x02}), true},
	}
	for _, tt := range tests {
		got := Level0Discovery{Ruby: true}
		err := got.UnmarshalBinary(tt.b)
		if !errors.Is(err, ErrShort) {
			t.Errorf("%s: %v, want ErrShort", tt.name, err)
		}
		if (got.Locking != nil && got.Locking.Locked) != tt.locked || got.Ruby {
			t.Errorf("%s: %+v, want locked: %v", tt.name, got, tt.locked)
		}
	}
}

func FuzzLevel0Discovery(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(level0())
	f.Add(level0(featureTPer, short(0x0002, 0x0F, 0), featureGeo, featureOpalV2, short(0x0402, 2, 1)))
	f.Add(append(level0(short(0x0303, 0, 0)), 1, 2, 3))
	f.Add(level0([]byte{0x00, 0x02, 0x10, 0}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var d, again Level0Discovery
		err := d.UnmarshalBinary(b)
		if err != nil && !errors.Is(err, ErrShort) {
			t.Errorf("error %v", err)
		}
		if (d.Locking != nil) && !slices.Contains(d.Codes, 2) || d.BlockSID != nil && !slices.Contains(d.Codes, 0x402) {
			t.Errorf("features without a descriptor: %+v", d)
		}
		if len(d.Codes)*4 > max(len(b)-48, 0) {
			t.Errorf("%d descriptors in %d bytes", len(d.Codes), len(b))
		}
		if again.UnmarshalBinary(append(slices.Clone(b), 0xFF)); err == nil && !cmp.Equal(d, again) {
			t.Errorf("padding changes %+v into %+v", d, again)
		}
		if _, err := json.Marshal(d); err != nil {
			t.Error(err)
		}
	})
}
