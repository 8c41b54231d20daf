package signature

import (
	"encoding/binary"
	"testing"
)

func TestText(t *testing.T) {
	le, be := binary.LittleEndian, binary.BigEndian
	tests := []struct{ name, got, want string }{
		{"zero byte", clean([]byte("a b \x00rest")), "a b"},
		{"escape sequence", clean([]byte("\x1b[2Jx\ny")), "\ufffd[2Jx\ufffdy"},
		{"no UTF-8", clean([]byte("a\xff")), "a\ufffd"},
		{"UTF-16", cleanUTF16(utf16Bytes("Täg \U0001f4be", le), le), "Täg \U0001f4be"},
		{"UTF-16 of the other order", cleanUTF16(utf16Bytes("ab", be), be), "ab"},
		{"half a surrogate", cleanUTF16([]byte{0x00, 0xd8, 'a', 0, 'b'}, le), "\ufffda"},
		{"no UUID", uuid(make([]byte, 16)), ""},
		{"short UUID", uuid([]byte{1}), ""},
		{"short GUID", guid([]byte{1}), ""},
		{"GUID", guid([]byte(volumeIDBytes)), volumeID},
		{"without a name", memberOf("md array", ""), "member of an md array"},
		{"without a name", memberOf("ZFS pool", ""), "member of a ZFS pool"},
		{"details", with("a", "", "b", "c"), "a (b, c)"},
		{"no details", with("a", "", ""), "a"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

// TestMdLevel names the levels that are no RAID.
func TestMdLevel(t *testing.T) {
	for level, want := range map[int32]string{-1: "linear", -4: "multipath", -5: "faulty", 0: "raid0", 10: "raid10"} {
		if got := mdLevel(level); got != want {
			t.Errorf("level %d: %q, want %q", level, got, want)
		}
	}
}

// TestChecksums checks the sums against published check values, which are
// those of the text 123456789.
func TestChecksums(t *testing.T) {
	b := []byte("123456789")
	if got := crc64(b); got != 0x62ec59e3f1a4f00a {
		t.Errorf("CRC-64/WE %#x", got)
	}
	if got := crc32C(b); got != 0xe3069283 {
		t.Errorf("CRC-32C %#x", got)
	}
	if got := rawCRC32(^uint32(0), b); got != 0x340bc6d9 {
		t.Errorf("CRC-32/JAMCRC %#x", got)
	}
	if got := rawCRC32C(^uint32(0), b); got != ^uint32(0xe3069283) {
		t.Errorf("CRC-32C without inversion %#x", got)
	}
	if got := fold32(sum32([]byte{0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 3, 0}, binary.LittleEndian)); got != 5 {
		t.Errorf("folded sum %d, want 5", got)
	}
}
