package signature

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNvlist decodes lists that are cut, that lie about lengths, or that have
// no end.
func TestNvlist(t *testing.T) {
	head := []byte{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}
	end := make([]byte, 8)
	good := slices.Concat(head, nvPair("name", "tank"), nvPair("txg", uint64(7)), end)
	long := slices.Clone(good)
	binary.BigEndian.PutUint32(long[len(head):], 1<<20)
	short := slices.Clone(good)
	binary.BigEndian.PutUint32(short[len(head):], 8)
	name := slices.Clone(good)
	binary.BigEndian.PutUint32(name[len(head)+8:], 0xfffffffe)
	value := slices.Clone(good)
	binary.BigEndian.PutUint32(value[len(head)+8+8+8:], 1000)
	number := slices.Concat(head, nvPair("n", uint64(1)), end)
	binary.BigEndian.PutUint32(number[len(head):], 28)
	tests := []struct {
		name string
		in   []byte
		want bool
	}{
		{"good", good, true}, {"empty", slices.Concat(head, end), true}, {"no bytes", nil, false},
		{"head alone", head, false}, {"without an end", good[:len(good)-8], false},
		{"pair beyond the end", long, false}, {"pair too short", short, false},
		{"name beyond the pair", name, false}, {"value beyond the pair", value, false},
		{"half a number", number, false},
	}
	for _, tt := range tests {
		list, ok := nvlist(tt.in)
		if ok != tt.want {
			t.Errorf("%s: %v, %t", tt.name, list, ok)
		}
	}
	if list, _ := nvlist(good); nvText(list["name"]) != "tank" || nvNumber(list["txg"]) != "7" || nvText(list["txg"]) != "" || nvNumber(nil) != "" {
		t.Errorf("read %v", list)
	}
}

// TestZFSText says what a label says of its pool.
func TestZFSText(t *testing.T) {
	pool := found{name: "tank", host: "nas-01"}
	tests := []struct {
		f           found
		state, want string
	}{
		{pool, "0", "member of the ZFS pool tank (active, last host nas-01)"},
		{pool, "1", "member of the ZFS pool tank (exported, last host nas-01)"},
		{pool, "2", "member of the ZFS pool tank (destroyed, last host nas-01)"},
		{found{name: "tank"}, "", "member of the ZFS pool tank"},
		{found{}, "0", "member of a ZFS pool (active)"},
		{found{}, "3", "spare of a ZFS pool"},
		{found{}, "4", "cache device of a ZFS pool"},
	}
	for _, tt := range tests {
		if got := zfsText(tt.f, tt.state); got != tt.want {
			t.Errorf("state %q: %q, want %q", tt.state, got, tt.want)
		}
	}
}

// TestUberblocksOfNoPool are blocks that only start as uberblocks do.
func TestUberblocksOfNoPool(t *testing.T) {
	for _, version := range []uint64{0, 29, 4999, 5001} {
		d := newDisk(t, 64<<20)
		u := binary.LittleEndian.AppendUint64(nil, zfsUberblock)
		u = binary.LittleEndian.AppendUint64(u, version)
		d.put(zfsRing, binary.LittleEndian.AppendUint64(u, 1))
		if got := scanDisk(t, d, d.size, 512); got != nil {
			t.Errorf("version %d: %+v", version, got)
		}
	}
}

// TestLVMWrapped reads metadata that go on at the start of their area.
func TestLVMWrapped(t *testing.T) {
	const area, at = 8192, 4096
	text := []byte("wrapped {\n" + strings.Repeat("# padding\n", 40) + "}\ncreation_host = \"nas-02\"\n")
	d := recorded(t, "lvm")
	le := binary.LittleEndian
	off := uint64(area - 100)
	write := func(change func(head []byte)) {
		head := make([]byte, 512)
		copy(head[4:], " LVM2 x[5A%r0N*>\x01")
		le.PutUint64(head[24:], at)
		le.PutUint64(head[32:], area)
		le.PutUint64(head[40:], off)
		le.PutUint64(head[48:], uint64(len(text)))
		le.PutUint32(head[56:], rawCRC32(lvmSeed, text))
		change(head)
		le.PutUint32(head, rawCRC32(lvmSeed, head[4:]))
		d.put(at, head).put(at+int64(off), text[:100]).put(at+512, text[100:])
	}
	tests := []struct {
		name   string
		change func(head []byte)
		want   string
	}{
		{"good", func([]byte) {}, "member of the LVM volume group wrapped (last host nas-02)"},
		{"no text", func(h []byte) { le.PutUint64(h[48:], 0) }, "LVM physical volume"},
		{"too long", func(h []byte) { le.PutUint64(h[48:], 1<<40) }, "LVM physical volume"},
		{"longer than the area", func(h []byte) { le.PutUint64(h[48:], area) }, "LVM physical volume"},
		{"beyond the area", func(h []byte) { le.PutUint64(h[40:], area) }, "LVM physical volume"},
		{"in the header", func(h []byte) { le.PutUint64(h[40:], 8) }, "LVM physical volume"},
		{"wrong checksum", func(h []byte) { h[56]++ }, "LVM physical volume"},
		{"area beyond the device", func(h []byte) { le.PutUint64(h[32:], 1<<50) }, "LVM physical volume"},
	}
	for _, tt := range tests {
		write(tt.change)
		if got := only(t, scanDisk(t, d, d.size, 512)); got.Text != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got.Text, tt.want)
		}
	}
}

// TestLVMSectors finds a label in each of the first four sectors, where it has
// to say the sector.
func TestLVMSectors(t *testing.T) {
	label := recorded(t, "lvm").get(512, 512)
	for sector := range int64(5) {
		d := newDisk(t, 8<<20)
		b := slices.Clone(label)
		b[8] = byte(sector)
		binary.LittleEndian.PutUint32(b[16:], rawCRC32(lvmSeed, b[20:]))
		d.put(512*sector, b)
		got := scanDisk(t, d, d.size, 512)
		if sector < 4 && (only(t, got).Offset != 512*sector || got[0].Damaged) || sector == 4 && got != nil {
			t.Errorf("sector %d: %+v", sector, got)
		}
		d.put(512*sector, []byte("LABELONE\x09"))
		if got := scanDisk(t, d, d.size, 512); got != nil {
			t.Errorf("sector %d, says 9: %+v", sector, got)
		}
	}
}

// TestIMSM spreads the metadata over several blocks, as those of many disks
// are, on disks with either size of block.
func TestIMSM(t *testing.T) {
	le := binary.LittleEndian
	first := recorded(t, "imsm").get(64<<20-1024, 512)
	const disks, size = 12, 216 + 12*48 + 200
	all := make([]byte, size)
	copy(all, first[:216])
	all[56] = disks
	le.PutUint32(all[36:], size)
	copy(all[216+disks*48:], "big volume")
	sum := func() { le.PutUint32(all[32:], 0); le.PutUint32(all[32:], uint32(sum32(all, le))) }
	put := func(block int64) *disk {
		d := newDisk(t, 64<<20)
		at := d.size - 2*block
		d.put(at, all[:min(block, size)])
		if size > block {
			d.put(at-(size-1)/block*block, all[block:])
		}
		return d
	}
	for _, block := range []int64{512, 4096} {
		for _, device := range []int{512, 4096} {
			sum()
			d := put(block)
			got := only(t, scanDisk(t, d, d.size, device))
			if got.Kind != IMSM || got.Name != "big volume" || got.Damaged || got.Offset != d.size-2*block {
				t.Errorf("blocks of %d on %d: %+v", block, device, got)
			}
		}
	}
	all[57] = 0
	sum()
	d := put(512)
	if got := only(t, scanDisk(t, d, d.size, 512)); got.Text != "spare disk of an Intel firmware RAID" {
		t.Errorf("without volumes: %q", got.Text)
	}
	for _, length := range []uint32{0, 100, 1 << 20} {
		le.PutUint32(all[36:], length)
		d := put(512)
		if got := scanDisk(t, d, d.size, 512); got != nil {
			t.Errorf("length %d: %+v", length, got)
		}
	}
}

// TestMD reads superblocks with fields that go beyond their bounds.
func TestMD(t *testing.T) {
	le := binary.LittleEndian
	tests := []struct {
		name   string
		change func(b []byte)
		// want is the text, "" for nothing found.
		want string
	}{
		{"too many roles", func(b []byte) { le.PutUint32(b[220:], 1<<20) }, "member of the md array pair (raid1, metadata 1.2, last host nas-01); its checksum is wrong"},
		{"elsewhere", func(b []byte) { le.PutUint64(b[144:], 0) }, ""},
		{"major version", func(b []byte) { le.PutUint32(b[4:], 2) }, ""},
		{"without a host", func(b []byte) { copy(b[32:64], "pair\x00\x00\x00\x00\x00\x00\x00\x00") }, "member of the md array pair (raid1, metadata 1.2); its checksum is wrong"},
		{"without a name", func(b []byte) { clear(b[32:64]) }, "member of an md array (raid1, metadata 1.2); its checksum is wrong"},
	}
	for _, tt := range tests {
		d := recorded(t, "md-1.2")
		b := d.get(4096, 4096)
		tt.change(b)
		d.put(4096, b)
		if got := strings.Join(texts(scanDisk(t, d, d.size, 512)), "|"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestMDBigEndian reads a superblock of version 0.90 in the other byte order.
func TestMDBigEndian(t *testing.T) {
	const at = 67043328
	d := recorded(t, "md-0.90")
	b := d.get(at, 4096)
	for i := 0; i < len(b); i += 4 {
		slices.Reverse(b[i : i+4])
	}
	d.put(at, b)
	got := only(t, scanDisk(t, d, d.size, 512))
	if want := recordedWant()["md-0.90"]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestNTFSNumbers are the sizes that NTFS writes as exponents.
func TestNTFSNumbers(t *testing.T) {
	for in, want := range map[byte]int64{0: 0, 1: 1, 8: 8, 128: 128, 3: 0, 0xf1: 32768, 0xff: 2, 0xf0: 0} {
		if got := ntfsCluster(in); got != want {
			t.Errorf("cluster %#x: %d sectors, want %d", in, got, want)
		}
	}
	for in, want := range map[byte]int64{0: 0, 1: 4096, 2: 8192, 0xf6: 1024, 0xf4: 4096, 0x80: 0} {
		if got := ntfsRecord(in, 4096); got != want {
			t.Errorf("record %#x: %d bytes, want %d", in, got, want)
		}
	}
}

// TestNTFSFixUp puts the ends of sectors back, and only those.
func TestNTFSFixUp(t *testing.T) {
	b := make([]byte, 1024)
	binary.LittleEndian.PutUint16(b[4:], 48)
	binary.LittleEndian.PutUint16(b[6:], 3)
	copy(b[48:], "\x07\x00abcd")
	copy(b[510:], "\x07\x00")
	copy(b[1022:], "\x07\x00")
	ntfsFixUp(b)
	if string(b[510:512]) != "ab" || string(b[1022:]) != "cd" {
		t.Errorf("ends %q and %q", b[510:512], b[1022:])
	}
	for _, from := range []uint16{1020, 65535} {
		c := bytes.Repeat([]byte{1}, 1024)
		binary.LittleEndian.PutUint16(c[4:], from)
		binary.LittleEndian.PutUint16(c[6:], 65535)
		ntfsFixUp(c)
	}
}

// TestCephLengths cuts a label where it says lengths.
func TestCephLengths(t *testing.T) {
	base := newDisk(t, 8<<20)
	putCeph(base, 2, "main", "ceph_fsid", volumeID, "whoami", "3")
	for _, at := range []int64{62, 66 + 32, 66 + 32 + 8, 66 + 32 + 12, 66 + 32 + 12 + 13} {
		d := newDisk(t, 8<<20).put(0, base.get(0, 4096)).put(at, []byte{0xff, 0xff, 0xff, 0x7f})
		got := only(t, scanDisk(t, d, d.size, 512))
		if got.Kind != Ceph || !got.Damaged || got.UUID != volumeID {
			t.Errorf("length at %d: %+v", at, got)
		}
	}
}

// TestBitLockerVista gives the cluster of the metadata instead of offsets.
func TestBitLockerVista(t *testing.T) {
	d := newDisk(t, 8<<20)
	b := make([]byte, 512)
	copy(b, "\xeb\x52\x90-FVE-FS-\x00\x02\x08")
	binary.LittleEndian.PutUint64(b[56:], 256)
	m := fveBlock(8 << 20)
	m[10] = 1
	d.put(0, b).put(256*4096, m)
	got := only(t, scanDisk(t, d, d.size, 512))
	if got.Kind != BitLocker || got.Version != "1" || got.UUID != volumeID || got.Damaged {
		t.Errorf("%+v", got)
	}
	binary.LittleEndian.PutUint16(m[112:], 4)
	d.put(256*4096, m)
	if got := only(t, scanDisk(t, d, d.size, 512)); got.Label != "" {
		t.Errorf("with an entry that is too short: %+v", got)
	}
}

// TestRefused are magic numbers of file systems with fields that none has.
func TestRefused(t *testing.T) {
	be, le := binary.BigEndian, binary.LittleEndian
	tests := []struct {
		name string
		put  func(d *disk)
	}{
		{"HFS without blocks", func(d *disk) { putHFS(d, 0); d.put(1024+20, []byte{0, 0, 0, 0}) }},
		{"HFS with a long name", func(d *disk) { putHFS(d, 0); d.put(1024+36, []byte{28}) }},
		{"HFS+ of version 5", func(d *disk) { putHFSPlus(d, 0, "H+\x00\x05", "x") }},
		{"HFS+ with odd blocks", func(d *disk) { putHFSPlus(d, 0, "H+\x00\x04", "x"); d.put(1024+40, be.AppendUint32(nil, 3000)) }},
		{"APFS with small blocks", func(d *disk) { putAPFS(d); d.put(36, le.AppendUint32(nil, 512)) }},
		{"APFS object of another type", func(d *disk) { putAPFS(d); d.put(24, []byte{2}) }},
		{"VMFS without an identifier", func(d *disk) { putVMFS(d, false); d.put(1<<20+512+20, []byte("what")) }},
		{"XFS without anything", func(d *disk) { d.put(0, []byte("XFSB")) }},
		{"F2FS without anything", func(d *disk) { d.put(1024, []byte("\x10\x20\xf5\xf2")) }},
		{"btrfs with odd sectors", func(d *disk) { b := btrfsBlock(); b[144] = 1; d.put(65536, b) }},
		{"bcache at another sector", func(d *disk) { putBcachefs(d); d.put(4096+104, []byte{9}) }},
		{"LUKS of version 3", func(d *disk) { d.put(0, []byte("LUKS\xba\xbe\x00\x03")) }},
		{"LUKS1 without keys", func(d *disk) { d.put(0, []byte("LUKS\xba\xbe\x00\x01aes")) }},
		{"LUKS2 of odd length", func(d *disk) { d.put(0, []byte("LUKS\xba\xbe\x00\x02\x00\x00\x00\x00\x00\x00\x50\x00")) }},
		{"second header that says that it is elsewhere", func(d *disk) {
			d.put(16384, []byte("SKUL\xba\xbe\x00\x02\x00\x00\x00\x00\x00\x00\x40\x00"))
		}},
		{"FAT before a JFS", func(d *disk) { d.put(0, bootRecord(0)).put(0, []byte("\xeb\x3c\x90")).put(54, []byte("JFS     ")) }},
		{"exFAT with something before its fields", func(d *disk) { d.put(0, bootRecord(0)).put(3, []byte("EXFAT   \x01")) }},
		{"swap without pages", func(d *disk) { putSleep(d, "SWAPSPACE2", 4096); d.put(1028, []byte{0, 0, 0, 0}) }},
		{"ext of a revision to come", func(d *disk) { putExt(d, 0, "x"); d.put(1024+76, []byte{2}) }},
		{"ZFS configuration without a GUID", func(d *disk) { putZFS(d, le, nvPair("name", "tank")); wipeRings(d) }},
	}
	for _, tt := range tests {
		d := newDisk(t, 64<<20)
		tt.put(d)
		if got := scanDisk(t, d, d.size, 512); got != nil {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

func wipeRings(d *disk) {
	for _, at := range []int64{0, 256 << 10, d.size - 512<<10, d.size - 256<<10} {
		d.put(at+128<<10, make([]byte, 128<<10))
	}
}

// TestLUKSLong has a header that is longer than what is summed.
func TestLUKSLong(t *testing.T) {
	d := newDisk(t, 32<<20)
	for i, at := range []int64{0, 128 << 10} {
		b := make([]byte, 4096)
		copy(b, []string{luksMagic, luksSecondary}[i]+"\x00\x02")
		binary.BigEndian.PutUint64(b[8:], 128<<10)
		copy(b[72:], "sha256")
		copy(b[168:], volumeID)
		binary.BigEndian.PutUint64(b[256:], uint64(at))
		d.put(at, b)
	}
	want := Signature{Kind: LUKS, UUID: volumeID, Version: "2", Text: "LUKS2 encrypted volume"}
	if got := only(t, scanDisk(t, d, d.size, 512)); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestHFSPlace turns offsets in a file into places by its extents.
func TestHFSPlace(t *testing.T) {
	fork := make([]byte, 80)
	for i, n := range []uint32{100, 2, 50, 1} {
		binary.BigEndian.PutUint32(fork[16+4*i:], n)
	}
	for at, want := range map[int64]int64{0: 100 * 512, 1023: 100*512 + 1023, 1024: 50 * 512, 1535: 50*512 + 511, 1536: -1} {
		got, ok := hfsPlace(fork, 512, at)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("offset %d: %d, %t, want %d", at, got, ok, want)
		}
	}
}

// TestSeveral finds everything that lies on a device at once: what was there
// before is somebody's too.
func TestSeveral(t *testing.T) {
	d := recorded(t, "md-1.0")
	putMBR(d, mbrPart{0x83, 8192, 8192})
	putExt(d, 0, "outer")
	d.put(65526, []byte("SWAP-SPACE")).put(64<<10, btrfsBlock())
	putVMFS(d, true)
	putExt(d, 4<<20, "inner")
	want := []string{
		"MBR with 1 partition", `ext4 "outer"`, "swap space", `btrfs "whole"`, `VMFS datastore "datastore1"`,
		"member of the md array data (raid0, metadata 1.0, last host nas-01)", `ext4 "inner" in partition 1`,
	}
	if diff := cmp.Diff(want, texts(scanDisk(t, d, d.size, 512))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
