package signature

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorded loads a disk of testdata: its size, then pages with their offsets.
// The pages were written by mdadm 4.2, LVM 2.03.16 and OpenZFS 2.1.11 on disks
// of nothing else.
func recorded(t testing.TB, name string) *disk {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join("testdata", name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	d := newDisk(t, int64(binary.LittleEndian.Uint64(b)))
	for b = b[8:]; len(b) > 0; b = b[8+diskPage:] {
		d.put(int64(binary.LittleEndian.Uint64(b)), b[8:8+diskPage])
	}
	return d
}

func recordedWant() map[string]Signature {
	return map[string]Signature{
		"md-0.90": {
			Kind: MD, Offset: 67043328, UUID: "0cc813c1-5ae1-655f-97ca-08037eb76b55", Version: "0.90",
			Name: "md0", Text: "member of the md array md0 (raid1, metadata 0.90)",
		},
		"md-1.0": {
			Kind: MD, Offset: 67100672, UUID: "d54b22c8-d5ee-7334-1456-4adfb1a232d9", Version: "1.0",
			Name: "data", Host: "nas-01", Text: "member of the md array data (raid0, metadata 1.0, last host nas-01)",
		},
		"md-1.1": {
			Kind: MD, UUID: "890be6a4-f14c-a64a-beea-9e175aeb5e0c", Version: "1.1",
			Name: "five", Host: "nas-01", Text: "member of the md array five (raid5, metadata 1.1, last host nas-01)",
		},
		"md-1.2": {
			Kind: MD, Offset: 4096, UUID: "4022aedb-9bb9-3463-693d-d0910c17bddd", Version: "1.2",
			Name: "pair", Host: "nas-01", Text: "member of the md array pair (raid1, metadata 1.2, last host nas-01)",
		},
		"imsm": {
			Kind: IMSM, Offset: 67107840, UUID: "12474a78", Version: "1.1.00",
			Name: "vol0", Text: "member of the Intel firmware RAID array vol0",
		},
		"lvm": {
			Kind: LVM, Offset: 512, UUID: "52zk5J-sT8k-9C7Z-dqBc-APmX-46KS-MO9X8b", Version: "LVM2 001",
			Name: "store", Host: "nas-01", Text: "member of the LVM volume group store (last host nas-01)",
		},
		"zfs": {
			Kind: ZFS, Offset: 16384, UUID: "2414760314612932931", Version: "5000",
			Name: "tank", Host: "vm", Text: "member of the ZFS pool tank (active, last host vm)",
		},
	}
}

func TestRecorded(t *testing.T) {
	for name, want := range recordedWant() {
		t.Run(name, func(t *testing.T) {
			d := recorded(t, name)
			if diff := cmp.Diff([]Signature{want}, scanDisk(t, d, d.size, 512)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestRecordedInPartition moves the disks into the last partition of a larger
// one, whose end is also the end of the larger disk for what looks there.
func TestRecordedInPartition(t *testing.T) {
	for name, want := range recordedWant() {
		t.Run(name, func(t *testing.T) {
			const start = 1 << 20
			d := recorded(t, name)
			outer := newDisk(t, start+d.size)
			for off, p := range d.pages {
				outer.put(start+off, p)
			}
			putMBR(outer, mbrPart{kind: 0x83, start: start / 512, size: d.size / 512})
			got := scanDisk(t, outer, outer.size, 512)
			want.Offset, want.Partition = want.Offset+start, 1
			want.Text += " in partition 1"
			if want.Kind == IMSM {
				// It is of the whole disk, wherever its last blocks lie.
				want.Partition, want.Text = 0, "member of the Intel firmware RAID array vol0"
			}
			for _, s := range got {
				if s.Kind == want.Kind {
					if diff := cmp.Diff(want, s); diff != "" {
						t.Errorf("-want +got:\n%s", diff)
					}
				}
			}
			if len(got) != 2 {
				t.Errorf("got %d signatures, want the MBR and one: %+v", len(got), got)
			}
		})
	}
}

// TestRecordedBlkid compares with blkid.
func TestRecordedBlkid(t *testing.T) {
	for name, want := range recordedWant() {
		t.Run(name, func(t *testing.T) {
			d := recorded(t, name)
			compare(t, want, blkid(t, d.save(t), 0, d.size))
		})
	}
}

// TestRecordedDamage turns one bit after the other around where a checksum
// notices, and looks for what then is said.
func TestRecordedDamage(t *testing.T) {
	tests := []struct {
		name string
		at   int64
		text string
	}{
		{"md-0.90", 67043328 + 200, "member of the md array md0 (raid1, metadata 0.90); its checksum is wrong"},
		{"md-1.0", 67100672 + 88, "member of the md array data (raid0, metadata 1.0, last host nas-01); its checksum is wrong"},
		{"md-1.2", 4096 + 222, "member of the md array pair (raid1, metadata 1.2, last host nas-01); its checksum is wrong"},
		{"imsm", 67107840 + 60, "member of the Intel firmware RAID array vol0; its checksum is wrong"},
		{"lvm", 512 + 100, "member of the LVM volume group store (last host nas-01); its checksum is wrong"},
		{"lvm", 4096 + 5, "LVM physical volume"},
	}
	for _, tt := range tests {
		d := recorded(t, tt.name)
		d.put(tt.at, []byte{d.get(tt.at, 1)[0] ^ 0x10})
		got := only(t, scanDisk(t, d, d.size, 512))
		if got.Text != tt.text {
			t.Errorf("%s at %d: %q, want %q", tt.name, tt.at, got.Text, tt.text)
		}
		if d := got.Text != "LVM physical volume"; got.Damaged != d {
			t.Errorf("%s at %d: damaged %t", tt.name, tt.at, got.Damaged)
		}
	}
}

// TestZFSLabels takes labels away, as an erase that was interrupted does.
func TestZFSLabels(t *testing.T) {
	const gone = "; the labels that name it are gone"
	ends := func(size int64) []int64 { return []int64{0, 256 << 10, size - 512<<10, size - 256<<10} }
	tests := []struct {
		name   string
		change func(d *disk, at []int64)
		text   string
	}{
		{"first zeroed", func(d *disk, at []int64) { d.put(at[0], make([]byte, 256<<10)) }, "member of the ZFS pool tank (active, last host vm); 3 of its 4 labels are left"},
		{"first damaged", func(d *disk, at []int64) { d.put(at[0]+60<<10, []byte{1}) }, "member of the ZFS pool tank (active, last host vm)"},
		{"all damaged", func(d *disk, at []int64) {
			for _, a := range at {
				d.put(a+60<<10, []byte{1})
			}
		}, "member of the ZFS pool tank (active, last host vm); its checksum is wrong"},
		{"only uberblocks", func(d *disk, at []int64) {
			for _, a := range at {
				d.put(a+16<<10, make([]byte, 112<<10))
			}
		}, "uberblocks of a ZFS pool" + gone},
	}
	for _, tt := range tests {
		d := recorded(t, "zfs")
		tt.change(d, ends(d.size))
		if got := only(t, scanDisk(t, d, d.size, 512)); got.Text != tt.text {
			t.Errorf("%s: %q, want %q", tt.name, got.Text, tt.text)
		}
	}
}
