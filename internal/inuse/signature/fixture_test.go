package signature

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// The fixtures of this file are made from the published layouts, for what no
// tool of the host makes.

// btrfsBlock makes a superblock of btrfs.
func btrfsBlock() []byte {
	b := make([]byte, 4096)
	le := binary.LittleEndian
	copy(b[32:], "0123456789abcdef")
	le.PutUint64(b[48:], 64<<10)
	copy(b[64:], "_BHRfS_M")
	le.PutUint64(b[136:], 1)
	le.PutUint32(b[144:], 4096)
	le.PutUint32(b[148:], 16384)
	copy(b[299:], "whole")
	le.PutUint32(b, crc32C(b[32:]))
	return b
}

// nvPair packs one pair of a name-value list: a uint64 or a string.
func nvPair(name string, value any) []byte {
	be := binary.BigEndian
	b := make([]byte, 8)
	b = append(b, xdr(name)...)
	switch v := value.(type) {
	case uint64:
		b = be.AppendUint32(be.AppendUint32(b, nvUint64), 1)
		b = be.AppendUint64(b, v)
	case string:
		b = be.AppendUint32(be.AppendUint32(b, nvString), 1)
		b = append(b, xdr(v)...)
	}
	be.PutUint32(b, uint32(len(b)))
	be.PutUint32(b[4:], uint32(len(b)))
	return b
}

func xdr(s string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(s)))
	b = append(b, s...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// putZFS writes the four labels of a member of a pool, with uberblocks, in a
// byte order.
func putZFS(d *disk, order binary.ByteOrder, pairs ...[]byte) {
	list := []byte{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}
	for _, p := range pairs {
		list = append(list, p...)
	}
	for _, at := range []int64{0, 256 << 10, d.size - 512<<10, d.size - 256<<10} {
		b := make([]byte, 112<<10)
		copy(b, list)
		tail := b[len(b)-40:]
		order.PutUint64(tail, 0x0210da7ab10c7a11)
		order.PutUint64(tail[8:], uint64(at+16<<10))
		sum := sha256.Sum256(b)
		for i := 0; i < 32; i += 8 {
			order.PutUint64(tail[8+i:], binary.BigEndian.Uint64(sum[i:]))
		}
		d.put(at+16<<10, b)
		for slot := range int64(4) {
			u := make([]byte, 40)
			order.PutUint64(u, 0x00bab10c)
			order.PutUint64(u[8:], 5000)
			order.PutUint64(u[16:], uint64(100+slot))
			d.put(at+128<<10+1024*slot, u)
		}
	}
}

func utf16Bytes(s string, order binary.ByteOrder) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		var two [2]byte
		order.PutUint16(two[:], u)
		b = append(b, two[:]...)
	}
	return b
}

const (
	bdeGUIDBytes  = "\x3b\xd6\x67\x49\x29\x2e\xd8\x4a\x83\x99\xf6\xa3\x39\xe3\xd0\x01"
	volumeIDBytes = "\x33\x22\x11\x00\x55\x44\x77\x66\x88\x99\xaa\xbb\xcc\xdd\xee\xff"
	volumeID      = "00112233-4455-6677-8899-aabbccddeeff"
)

// putBitLocker writes the header of a volume and its metadata with a
// description.
func putBitLocker(d *disk, name string, guidAt int64) {
	le := binary.LittleEndian
	b := make([]byte, 512)
	copy(b, "\xeb\x58\x90"+name)
	le.PutUint16(b[11:], 512)
	b[13] = 8
	copy(b[guidAt:], bdeGUIDBytes)
	for i, off := range []uint64{1 << 20, 2 << 20, 3 << 20} {
		le.PutUint64(b[guidAt+16+8*int64(i):], off)
	}
	b[510], b[511] = 0x55, 0xaa
	d.put(0, b)
	for _, off := range []uint64{1 << 20, 2 << 20, 3 << 20} {
		d.put(int64(off), fveBlock(uint64(d.size)))
	}
}

func fveBlock(size uint64) []byte {
	le := binary.LittleEndian
	text := append(utf16Bytes("NAS C: 01/02/2026", le), 0, 0)
	entry := make([]byte, 8, 64)
	le.PutUint16(entry, uint16(8+len(text)))
	le.PutUint16(entry[2:], 7)
	le.PutUint16(entry[4:], 2)
	le.PutUint16(entry[6:], 1)
	entry = append(entry, text...)
	// The key, of which nothing is read here; cryptsetup wants to see one.
	key := make([]byte, 80)
	le.PutUint16(key, uint16(len(key)))
	le.PutUint16(key[2:], 3)
	le.PutUint16(key[4:], 5)
	le.PutUint16(key[6:], 1)
	entry = append(entry, key...)
	m := make([]byte, 112, 4096)
	copy(m, "-FVE-FS-")
	le.PutUint16(m[8:], uint16((112+len(entry)+15)/16))
	le.PutUint16(m[10:], 2)
	le.PutUint64(m[16:], size)
	for i, off := range []uint64{1 << 20, 2 << 20, 3 << 20} {
		le.PutUint64(m[32+8*i:], off)
	}
	le.PutUint32(m[64:], uint32(48+len(entry)))
	le.PutUint32(m[68:], 1)
	le.PutUint32(m[72:], 48)
	le.PutUint32(m[76:], uint32(48+len(entry)))
	copy(m[80:], volumeIDBytes)
	le.PutUint32(m[100:], 0x8004)
	return append(m, entry...)
}

// putVMFS writes the volume of a datastore and the file system in it.
func putVMFS(d *disk, bare bool) {
	fs := make([]byte, 512)
	copy(fs, "\x5e\xf1\xab\x2f")
	fs[8] = 6
	copy(fs[9:], volumeIDBytes)
	copy(fs[29:], "datastore1")
	if bare {
		d.put(2<<20, fs)
		return
	}
	v := make([]byte, 1024)
	copy(v, "\x0d\xd0\x01\xc0")
	v[4] = 5
	copy(v[130:], volumeIDBytes)
	copy(v[512+20:], "5f0e1b2c-0a1b2c3d-4e5f-0123456789ab")
	d.put(1<<20, v).put(0x1300000, fs)
}

// putAPFS writes the superblock of a container.
func putAPFS(d *disk) {
	b := make([]byte, 4096)
	le := binary.LittleEndian
	le.PutUint64(b[8:], 1)
	le.PutUint64(b[16:], 2)
	le.PutUint16(b[24:], 1)
	le.PutUint16(b[26:], 0x8000)
	copy(b[32:], "NXSB")
	le.PutUint32(b[36:], 4096)
	le.PutUint64(b[40:], uint64(d.size/4096))
	copy(b[72:], volumeIDBytes)
	le.PutUint64(b, fletcher64(b[8:]))
	d.put(0, b)
}

// putHFSPlus writes a volume header and a catalogue of two nodes, in a volume
// that starts at an offset.
func putHFSPlus(d *disk, start int64, magic, label string) {
	const block, node, catalogue = 4096, 4096, 10
	be := binary.BigEndian
	b := make([]byte, 512)
	copy(b, magic)
	be.PutUint32(b[40:], block)
	be.PutUint32(b[44:], uint32(d.size/block))
	copy(b[104:], "\x01\x02\x03\x04\x05\x06\x07\x08")
	fork := b[272:]
	be.PutUint64(fork, 2*node)
	be.PutUint32(fork[12:], 2)
	// The two nodes lie in two extents that do not follow each other.
	be.PutUint32(fork[16:], catalogue)
	be.PutUint32(fork[20:], 1)
	be.PutUint32(fork[24:], catalogue+5)
	be.PutUint32(fork[28:], 1)
	head := make([]byte, 512)
	head[8] = 1
	be.PutUint16(head[14:], 1)
	be.PutUint32(head[14+2:], 1)
	be.PutUint32(head[14+6:], 2)
	be.PutUint32(head[14+10:], 1)
	be.PutUint32(head[14+14:], 1)
	be.PutUint16(head[14+18:], node)
	leaf := make([]byte, node)
	leaf[8], leaf[9] = 0xff, 1
	be.PutUint16(leaf[10:], 2)
	be.PutUint16(leaf[14:], uint16(6+2*len(label)))
	be.PutUint32(leaf[16:], 1)
	be.PutUint16(leaf[20:], uint16(len(label)))
	copy(leaf[22:], utf16Bytes(label, be))
	d.put(start+1024, b).put(start+catalogue*block, head).put(start+(catalogue+5)*block, leaf)
}

// putHFS writes a master directory block, with an HFS+ at a block in it unless
// that is 0.
func putHFS(d *disk, embedded uint16) {
	be := binary.BigEndian
	b := make([]byte, 512)
	copy(b, "BD")
	be.PutUint16(b[14:], 3)
	be.PutUint16(b[18:], 100)
	be.PutUint32(b[20:], 4096)
	be.PutUint16(b[28:], 16)
	b[36] = 5
	copy(b[37:], "Plain")
	copy(b[116:], "\x01\x02\x03\x04\x05\x06\x07\x08")
	if embedded != 0 {
		copy(b[124:], "H+")
		be.PutUint16(b[126:], embedded)
	}
	d.put(1024, b)
}

func cephText(s string) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(s))), s...)
}

// putCeph writes a label of BlueStore with texts by name, in pairs.
func putCeph(d *disk, version byte, description string, meta ...string) {
	le := binary.LittleEndian
	body := make([]byte, 32)
	body = append(body, cephText(description)...)
	if version > 1 {
		body = le.AppendUint32(body, uint32(len(meta)/2))
		for _, m := range meta {
			body = append(body, cephText(m)...)
		}
	}
	b := []byte("bluestore block device\n" + volumeID + "\n")
	b = append(b, version, 1)
	b = append(le.AppendUint32(b, uint32(len(body))), body...)
	d.put(0, le.AppendUint32(b, rawCRC32C(^uint32(0), b)))
}

// putSleep writes a swap space that holds the memory of a computer.
func putSleep(d *disk, magic string, page int64) {
	h := make([]byte, 512)
	binary.LittleEndian.PutUint32(h, 1)
	binary.LittleEndian.PutUint32(h[4:], 255)
	copy(h[12:], volumeIDBytes)
	copy(h[28:], "sleeper")
	d.put(1024, h).put(page-10, []byte(magic))
}

// putBcachefs writes enough of a superblock of bcachefs.
func putBcachefs(d *disk) {
	b := make([]byte, 752)
	le := binary.LittleEndian
	le.PutUint16(b[16:], 1025)
	copy(b[24:], bcachefsMagic)
	copy(b[56:], volumeIDBytes)
	copy(b[72:], "many")
	le.PutUint64(b[104:], 8)
	b[123] = 1
	d.put(4096, b)
}

// rawVolumeID is volumeIDBytes written in the order of its bytes.
const rawVolumeID = "33221100-5544-7766-8899-aabbccddeeff"

type fixture struct {
	name string
	put  func(d *disk)
	want Signature
	// differs is what blkid does not see as we do.
	differs bool
}

func fixtures() []fixture {
	pool := [][]byte{
		nvPair("version", uint64(5000)), nvPair("name", "tank"), nvPair("state", uint64(1)),
		nvPair("pool_guid", uint64(1234567890123456789)), nvPair("hostname", "nas-01"), nvPair("guid", uint64(7)),
	}
	spare := [][]byte{nvPair("version", uint64(5000)), nvPair("state", uint64(3)), nvPair("guid", uint64(99))}
	le, be := binary.LittleEndian, binary.BigEndian
	const hfsID = "6095e009-5132-3fc5-87c2-d5a01745283e"
	return []fixture{
		{"zfs exported", func(d *disk) { putZFS(d, le, pool...) }, Signature{Kind: ZFS, Offset: 16384, UUID: "1234567890123456789", Version: "5000", Name: "tank", Host: "nas-01", Text: "member of the ZFS pool tank (exported, last host nas-01)"}, false},
		{"zfs big-endian", func(d *disk) { putZFS(d, be, pool...) }, Signature{Kind: ZFS, Offset: 16384, UUID: "1234567890123456789", Version: "5000", Name: "tank", Host: "nas-01", Text: "member of the ZFS pool tank (exported, last host nas-01)"}, false},
		{"zfs spare", func(d *disk) { putZFS(d, le, spare...) }, Signature{Kind: ZFS, Offset: 16384, Version: "5000", Text: "spare of a ZFS pool"}, false},
		{"bitlocker", func(d *disk) { putBitLocker(d, "-FVE-FS-", 160) }, Signature{Kind: BitLocker, Offset: 3, UUID: volumeID, Version: "2", Label: "NAS C: 01/02/2026", Text: `BitLocker volume "NAS C: 01/02/2026"`}, false},
		{"bitlocker to go", func(d *disk) { putBitLocker(d, "MSWIN4.1", 424) }, Signature{Kind: BitLocker, Offset: 424, UUID: volumeID, Version: "2", Label: "NAS C: 01/02/2026", Text: `BitLocker To Go volume "NAS C: 01/02/2026"`}, false},
		{"bitlocker without metadata", func(d *disk) {
			putBitLocker(d, "-FVE-FS-", 160)
			d.put(1<<20, make([]byte, 3<<20))
		}, Signature{Kind: BitLocker, Offset: 3, Damaged: true, Text: "BitLocker volume; its metadata cannot be found"}, true},
		{"vmfs", func(d *disk) { putVMFS(d, false) }, Signature{Kind: VMFS, Offset: 1 << 20, UUID: "5f0e1b2c-0a1b2c3d-4e5f-0123456789ab", Version: "5", Label: "datastore1", Text: `extent of a VMFS datastore "datastore1"`}, false},
		{"vmfs alone", func(d *disk) { putVMFS(d, true) }, Signature{Kind: VMFS, Offset: 2 << 20, UUID: "00112233-66774455-9988-aabbccddeeff", Version: "6", Label: "datastore1", Text: `VMFS datastore "datastore1"`}, false},
		{"apfs", putAPFS, Signature{Kind: APFS, Offset: 32, UUID: rawVolumeID, Text: "APFS container"}, false},
		{"apfs damaged", func(d *disk) { putAPFS(d); d.put(4000, []byte{1}) }, Signature{Kind: APFS, Offset: 32, UUID: rawVolumeID, Damaged: true, Text: "APFS container; its checksum is wrong"}, true},
		{"hfs+", func(d *disk) { putHFSPlus(d, 0, "H+\x00\x04", "Macintosh") }, Signature{Kind: HFS, Offset: 1024, UUID: hfsID, Version: "HFS+", Label: "Macintosh", Text: `HFS+ "Macintosh"`}, false},
		{"hfsx", func(d *disk) { putHFSPlus(d, 0, "HX\x00\x05", "Case") }, Signature{Kind: HFS, Offset: 1024, UUID: hfsID, Version: "HFSX", Label: "Case", Text: `HFSX "Case"`}, false},
		{"hfs+ in hfs", func(d *disk) { putHFS(d, 4); putHFSPlus(d, 16*512+4*4096, "H+\x00\x04", "Inner") }, Signature{Kind: HFS, Offset: 1024, UUID: hfsID, Version: "HFS+", Label: "Inner", Text: `HFS+ "Inner"`}, false},
		{"hfs", func(d *disk) { putHFS(d, 0) }, Signature{Kind: HFS, Offset: 1024, UUID: hfsID, Version: "HFS", Label: "Plain", Text: `HFS "Plain"`}, false},
		{"ceph", func(d *disk) { putCeph(d, 2, "main", "ceph_fsid", volumeID, "whoami", "3") }, Signature{Kind: Ceph, UUID: volumeID, Version: "2", Name: volumeID, Text: "Ceph BlueStore device of OSD 3 of cluster " + volumeID}, false},
		{"ceph db", func(d *disk) { putCeph(d, 1, "bluefs db") }, Signature{Kind: Ceph, UUID: volumeID, Version: "1", Text: "Ceph BlueStore device (bluefs db)"}, false},
		{"hibernated", func(d *disk) { putSleep(d, "S1SUSPEND\x00", 4096) }, Signature{Kind: Swap, Offset: 4086, UUID: rawVolumeID, Label: "sleeper", Version: "s1suspend", Text: `swap space "sleeper" with the memory of a hibernated computer`}, false},
		{"hibernated by uswsusp", func(d *disk) { putSleep(d, "ULSUSPEND\x00", 16384) }, Signature{Kind: Swap, Offset: 16374, UUID: rawVolumeID, Label: "sleeper", Version: "ulsuspend", Text: `swap space "sleeper" with the memory of a hibernated computer`}, false},
		{"hibernated by tuxonice", func(d *disk) { putSleep(d, "SWAPSPACE2", 4096); d.put(0, []byte(tuxOnIce)) }, Signature{Kind: Swap, Offset: 4086, UUID: rawVolumeID, Label: "sleeper", Version: "tuxonice", Text: `swap space "sleeper" with the memory of a hibernated computer`}, false},
		{"old swap", func(d *disk) { d.put(4086, []byte("SWAP-SPACE")) }, Signature{Kind: Swap, Offset: 4086, Version: "0", Text: "swap space"}, false},
		{"bcachefs", putBcachefs, Signature{Kind: Bcache, Offset: 4096 + 24, UUID: rawVolumeID, Label: "many", Version: "bcachefs 1025", Text: `bcachefs "many"`}, true},
	}
}

func TestFixtures(t *testing.T) {
	for _, f := range fixtures() {
		t.Run(f.name, func(t *testing.T) {
			d := newDisk(t, 64<<20)
			f.put(d)
			if diff := cmp.Diff([]Signature{f.want}, scanDisk(t, d, d.size, 512)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestFixturesBlkid lets blkid judge the fixtures.
func TestFixturesBlkid(t *testing.T) {
	for _, f := range fixtures() {
		if f.differs {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			d := newDisk(t, 64<<20)
			f.put(d)
			compare(t, f.want, blkid(t, d.save(t), 0, d.size))
		})
	}
}

// TestBitlkDump compares with what cryptsetup reads of a BitLocker volume.
func TestBitlkDump(t *testing.T) {
	for _, f := range fixtures() {
		if f.want.Kind != BitLocker || f.want.Damaged {
			continue
		}
		d := newDisk(t, 64<<20)
		f.put(d)
		out := tool(t, "", "cryptsetup", "bitlkDump", d.save(t))
		for _, want := range []string{f.want.UUID, f.want.Label, f.want.Version} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %q is not in what cryptsetup says: %s", f.name, want, out)
			}
		}
	}
}
