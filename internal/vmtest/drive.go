package vmtest

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sectorBytes is the unit of a partition table.
const sectorBytes = 512

// Disk makes a disk image of the host: blank, sparse, then prepared by the
// functions given.
func Disk(t testing.TB, bytes int64, prepare ...func(*os.File) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "disk.img")
	if err := sparse(path, bytes); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range prepare {
		if err := p(f); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// sparse makes a file of the size given without writing to it.
func sparse(path string, bytes int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := f.Truncate(bytes); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// OnePartition prepares a disk with a master boot record that has one Linux
// partition of the bytes given, 1 MiB from the start.
func OnePartition(bytes int64) func(*os.File) error {
	return Partition(1<<20/sectorBytes, uint32(bytes/sectorBytes))
}

// Partition prepares a disk with a master boot record that has one Linux
// partition, in sectors of 512 bytes.
func Partition(start, sectors uint32) func(*os.File) error {
	return func(f *os.File) error {
		mbr := make([]byte, sectorBytes)
		entry := mbr[446:462]
		entry[4] = 0x83 // Linux
		binary.LittleEndian.PutUint32(entry[8:], start)
		binary.LittleEndian.PutUint32(entry[12:], sectors)
		mbr[510], mbr[511] = 0x55, 0xAA
		_, err := f.WriteAt(mbr, 0)
		return err
	}
}

// Filled prepares a disk with bytes that are not blank: each 8-byte word of
// the first n bytes holds its own offset plus one.
func Filled(n int64) func(*os.File) error {
	return func(f *os.File) error {
		buf := make([]byte, 1<<20)
		for off := int64(0); off < n; off += int64(len(buf)) {
			for i := 0; i < len(buf); i += 8 {
				binary.LittleEndian.PutUint64(buf[i:], uint64(off)+uint64(i)+1)
			}
			if _, err := f.WriteAt(buf[:min(int64(len(buf)), n-off)], off); err != nil {
				return err
			}
		}
		return nil
	}
}

// Namespace is one namespace of an emulated drive.
type Namespace struct {
	Image   string // disk image of the host
	Options string // more options of the device "nvme-ns", such as "ms=8"
}

// Drive is one emulated NVMe drive: a subsystem with one controller.
type Drive struct {
	ID         string // name for QMP, also of the subsystem with "-subsystem" added
	Serial     string
	Options    string // more options of the device "nvme", such as "bus=bridge0"
	Subsystem  string // more options of the device "nvme-subsys"
	Namespaces []Namespace
}

// Arguments returns the emulator's arguments for the drive. Namespaces are
// numbered from 1.
func (d Drive) Arguments() []string {
	subsystem := d.ID + "-subsystem"
	args := []string{
		"-device", options("nvme-subsys", "id="+subsystem, d.Subsystem),
		"-device", options("nvme", "id="+d.ID, "serial="+d.Serial, "subsys="+subsystem, d.Options),
	}
	for i, ns := range d.Namespaces {
		id := fmt.Sprintf("%s-ns%d", d.ID, i+1)
		args = append(args,
			"-drive", "id="+id+",if=none,format=raw,cache=unsafe,file="+ns.Image,
			"-device", options("nvme-ns", "drive="+id, fmt.Sprintf("nsid=%d", i+1), ns.Options))
	}
	return args
}

// options joins the options that are not empty.
func options(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, ",")
}
