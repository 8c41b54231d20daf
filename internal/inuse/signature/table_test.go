package signature

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mbrPart is an entry of a boot record, in blocks.
type mbrPart struct {
	kind        byte
	start, size int64
}

// bootRecord makes 512 bytes with a partition table.
func bootRecord(id uint32, parts ...mbrPart) []byte {
	b := make([]byte, 512)
	binary.LittleEndian.PutUint32(b[440:], id)
	for i, p := range parts {
		e := b[446+16*i:]
		e[4] = p.kind
		binary.LittleEndian.PutUint32(e[8:], uint32(p.start))
		binary.LittleEndian.PutUint32(e[12:], uint32(p.size))
	}
	b[510], b[511] = 0x55, 0xaa
	return b
}

func putMBR(d *disk, parts ...mbrPart) {
	d.put(0, bootRecord(0xdeadbeef, parts...))
}

// gptPart is an entry of a GPT, first and last block.
type gptPart struct{ first, last int64 }

// putGPT writes a GPT with a protective MBR.
func putGPT(d *disk, block int64, parts ...gptPart) {
	last := d.size/block - 1
	d.put(0, bootRecord(0, mbrPart{kind: 0xee, start: 1, size: last}))
	array := make([]byte, 128*128)
	for i, p := range parts {
		e := array[128*i:]
		copy(e, "\xaf\x3d\xc6\x0f\x83\x84\x72\x47\x8e\x79\x3d\x69\xd8\x47\x7d\xe4")
		copy(e[16:], fmt.Sprintf("partition no %3d", i))
		binary.LittleEndian.PutUint64(e[32:], uint64(p.first))
		binary.LittleEndian.PutUint64(e[40:], uint64(p.last))
	}
	blocks := int64(len(array)) / block
	d.put(2*block, array).put(block, gptHead(1, last, 2, array))
	d.put((last-blocks)*block, array).put(last*block, gptHead(last, 1, last-blocks, array))
}

func gptHead(at, other, arrayAt int64, array []byte) []byte {
	b := make([]byte, 92)
	le := binary.LittleEndian
	copy(b, "EFI PART\x00\x00\x01\x00")
	le.PutUint32(b[12:], 92)
	le.PutUint64(b[24:], uint64(at))
	le.PutUint64(b[32:], uint64(other))
	copy(b[56:], "\x28\x73\x2a\xc1\x1f\xf8\xd2\x11\xba\x4b\x00\xa0\xc9\x3e\xc9\x3b")
	le.PutUint64(b[72:], uint64(arrayAt))
	le.PutUint32(b[80:], 128)
	le.PutUint32(b[84:], 128)
	le.PutUint32(b[88:], crc32IEEE(array))
	le.PutUint32(b[16:], crc32IEEE(b))
	return b
}

const diskGUID = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"

// putExt writes enough of an ext4 to be found.
func putExt(d *disk, at int64, label string) {
	b := make([]byte, 1024)
	le := binary.LittleEndian
	le.PutUint32(b, 16)
	le.PutUint32(b[4:], 64)
	le.PutUint32(b[32:], 8192)
	le.PutUint32(b[40:], 16)
	le.PutUint16(b[56:], 0xef53)
	le.PutUint32(b[76:], 1)
	le.PutUint32(b[96:], 0x42)
	copy(b[120:], label)
	d.put(at+1024, b)
}

// texts returns the texts of signatures.
func texts(list []Signature) []string {
	var all []string
	for _, s := range list {
		all = append(all, s.Text)
	}
	return all
}

func TestGPT(t *testing.T) {
	const size = 64 << 20
	two := []gptPart{{2048, 4095}, {4096, 8191}}
	tests := []struct {
		name   string
		block  int64
		device int
		change func(d *disk)
		want   []string
	}{
		{"good", 512, 512, func(d *disk) {}, []string{"GPT with 2 partitions", `ext4 "two" in partition 2`}},
		{"blocks of 4096", 4096, 4096, func(d *disk) {}, []string{"GPT with 2 partitions", `ext4 "two" in partition 2`}},
		{"other blocks", 4096, 512, func(d *disk) {}, []string{"GPT with 2 partitions, written for blocks of 4096 bytes where the device has 512", `ext4 "two" in partition 2`}},
		{"other blocks", 512, 4096, func(d *disk) {}, []string{"GPT with 2 partitions, written for blocks of 512 bytes where the device has 4096", `ext4 "two" in partition 2`}},
		{"primary damaged", 512, 512, func(d *disk) { d.put(512+60, []byte{0}) }, []string{"GPT with 2 partitions; the primary is damaged, the backup is good", `ext4 "two" in partition 2`}},
		{"array damaged", 512, 512, func(d *disk) { d.put(1024+40, []byte{1}) }, []string{"GPT with 2 partitions; the primary is damaged, the backup is good", `ext4 "two" in partition 2`}},
		{"primary zeroed", 512, 512, func(d *disk) { d.put(0, make([]byte, 1<<20)) }, []string{"GPT with 2 partitions; the primary is missing, the backup is good", `ext4 "two" in partition 2`}},
		{"backup damaged", 512, 512, func(d *disk) { d.put(size-512+60, []byte{0}) }, []string{"GPT with 2 partitions; the primary is good, the backup is damaged", `ext4 "two" in partition 2`}},
		{"backup zeroed", 512, 512, func(d *disk) { d.put(size-512, make([]byte, 512)) }, []string{"GPT with 2 partitions; the primary is good, the backup is missing", `ext4 "two" in partition 2`}},
		{"both damaged", 512, 512, func(d *disk) { d.put(512+60, []byte{0}).put(size-512+60, []byte{0}) }, []string{"GPT without partitions; both copies are damaged"}},
		{"header that says that it is elsewhere", 512, 512, func(d *disk) {
			d.put(0, make([]byte, 1<<20)).put(size-512, make([]byte, 512)).put(512, gptHead(2, 3, 4, nil))
		}, nil},
		{"plain MBR beside it", 512, 512, func(d *disk) { putMBR(d, mbrPart{0x83, 16384, 2048}) }, []string{"MBR with 1 partition", "GPT with 2 partitions", `ext4 "two" in partition 2 of the GPT`}},
		{"hybrid MBR", 512, 512, func(d *disk) {
			putMBR(d, mbrPart{0xee, 1, 2047}, mbrPart{0x83, 2048, 2048})
		}, []string{"GPT with 2 partitions", `ext4 "two" in partition 2`}},
		{"file system of the whole device", 512, 512, func(d *disk) { putExt(d, size/2, "none"); d.put(64<<10, btrfsBlock()) }, []string{"GPT with 2 partitions", `btrfs "whole"`, `ext4 "two" in partition 2`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDisk(t, size)
			putGPT(d, tt.block, two...)
			putExt(d, 4096*tt.block, "two")
			tt.change(d)
			got := scanDisk(t, d, size, tt.device)
			if diff := cmp.Diff(tt.want, texts(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for _, s := range got {
				if damaged := strings.Contains(s.Text, "; "); s.Damaged != damaged {
					t.Errorf("%q: damaged %t", s.Text, s.Damaged)
				}
				if s.Kind == GPT && s.UUID != diskGUID && !strings.Contains(s.Text, "both") {
					t.Errorf("UUID of the GPT %q", s.UUID)
				}
			}
		})
	}
}

// TestGrownDisk finds the backup of a GPT where the header says, on a disk that
// has become larger.
func TestGrownDisk(t *testing.T) {
	d := newDisk(t, 8<<20)
	putGPT(d, 512, gptPart{2048, 4095})
	d.size = 16 << 20
	if got := only(t, scanDisk(t, d, d.size, 512)); got.Text != "GPT with 1 partition" {
		t.Errorf("%q", got.Text)
	}
}

func TestMBR(t *testing.T) {
	const size = 64 << 20
	tests := []struct {
		name string
		put  func(d *disk)
		want []string
	}{
		{"one", func(d *disk) { putMBR(d, mbrPart{0x83, 2048, 2048}) }, []string{"MBR with 1 partition"}},
		{"empty", func(d *disk) { putMBR(d) }, []string{"MBR without partitions"}},
		{"boot code without a disk signature", func(d *disk) { d.put(0, bootRecord(0)) }, nil},
		{"boot code over the table", func(d *disk) { d.put(0, bootRecord(1, mbrPart{0x83, 2048, 2048})).put(446, []byte{0x37}) }, nil},
		{"partitions beyond the end", func(d *disk) { putMBR(d, mbrPart{0x83, 1 << 30, 2048}) }, nil},
		{"protective without a GPT", func(d *disk) { putMBR(d, mbrPart{0xee, 1, 0xffffffff}) }, []string{"protective MBR; the GPT that it protects is gone"}},
		{"extended", func(d *disk) {
			putMBR(d, mbrPart{0x83, 2048, 2048}, mbrPart{5, 4096, 32768})
			d.put(4096*512, bootRecord(0, mbrPart{0x83, 64, 2048}, mbrPart{5, 8192, 8192}))
			d.put((4096+8192)*512, bootRecord(0, mbrPart{0x83, 64, 2048}, mbrPart{5, 16384, 8192}))
			d.put((4096+16384)*512, bootRecord(0, mbrPart{0x83, 64, 2048}))
			putExt(d, (4096+16384+64)*512, "seven")
		}, []string{"MBR with 4 partitions", `ext4 "seven" in partition 7`}},
		{"extended in a circle", func(d *disk) {
			putMBR(d, mbrPart{0x0f, 4096, 32768})
			d.put(4096*512, bootRecord(0, mbrPart{0x83, 64, 2048}, mbrPart{5, 8192, 8192}))
			d.put((4096+8192)*512, bootRecord(0, mbrPart{0x83, 64, 2048}, mbrPart{5, 0, 8192}))
		}, []string{"MBR with 2 partitions"}},
		{"disk in a partition", func(d *disk) {
			putMBR(d, mbrPart{0x83, 2048, 65536})
			d.put(2048*512, bootRecord(7, mbrPart{0x83, 2048, 2048}))
		}, []string{"MBR with 1 partition", "MBR with 1 partition in partition 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDisk(t, size)
			tt.put(d)
			if diff := cmp.Diff(tt.want, texts(scanDisk(t, d, size, 512))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestBootSectors puts entries of a partition table into boot sectors of file
// systems: only partitions that could be make it a partition table too.
func TestBootSectors(t *testing.T) {
	makers := map[string][]string{
		"FAT12": {"mkfs.vfat", "-F", "12"}, "FAT32": {"mkfs.vfat", "-F", "32"},
		"NTFS": {"mkntfs", "-q", "-F", "-f"}, "exFAT": {"mkfs.exfat"},
	}
	for what, args := range makers {
		t.Run(what, func(t *testing.T) {
			size := int64(8 << 20)
			if what == "FAT32" {
				size = 64 << 20
			}
			name := blank(t, size)
			tool(t, "", args[0], append(args[1:], name)...)
			boot, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			d := newDisk(t, size).put(0, boot)
			if got := texts(scanDisk(t, d, size, 512)); len(got) != 1 || !strings.HasPrefix(got[0], what) {
				t.Errorf("found %q, want %s alone", got, what)
			}
			d.put(446, bootRecord(1, mbrPart{0x0c, 2048, 2048}, mbrPart{0x83, 3000, 2048})[446:])
			if got := scanDisk(t, d, size, 512); len(got) != 1 {
				t.Errorf("with partitions that overlap: %q", texts(got))
			}
			d.put(446, bootRecord(1, mbrPart{0x0c, 2048, 2048}, mbrPart{0x83, 4096, 2048})[446:])
			if got := texts(scanDisk(t, d, size, 512)); len(got) != 2 || !strings.Contains(strings.Join(got, "|"), "MBR with 2 partitions") {
				t.Errorf("with partitions that could be: %q", got)
			}
		})
	}
}

// TestManyPartitions has as many partitions as a GPT has room for, and in the
// larger one more than are looked at.
func TestManyPartitions(t *testing.T) {
	d := newDisk(t, 512<<20)
	var parts []gptPart
	for i := range int64(128) {
		parts = append(parts, gptPart{2048 + 4096*i, 2048 + 4096*i + 4095})
		putExt(d, (2048+4096*i)*512, "many")
	}
	putGPT(d, 512, parts...)
	got := scanDisk(t, d, d.size, 512)
	if len(got) != 129 || got[128].Partition != 128 {
		t.Errorf("found %d", len(got))
	}
	array := make([]byte, 300*128)
	for i := range 300 {
		e := array[128*i:]
		e[0] = 1
		binary.LittleEndian.PutUint64(e[32:], uint64(2048+i*8))
		binary.LittleEndian.PutUint64(e[40:], uint64(2048+i*8+7))
	}
	head := gptHead(1, 1<<20-1, 2, array)
	clear(head[16:20])
	binary.LittleEndian.PutUint32(head[80:], 300)
	binary.LittleEndian.PutUint32(head[16:], crc32IEEE(head))
	d.put(1024, array).put(512, head)
	list, err := Scan(t.Context(), d, d.size, 512)
	if !errors.Is(err, errPartitions) || list[0].Text != "GPT with 300 partitions; the primary is good, the backup is damaged" && list[0].Text != "GPT with 300 partitions" {
		t.Errorf("error %v, found %q", err, list[0].Text)
	}
}
