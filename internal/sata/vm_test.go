package sata

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// The tests of this file read emulated disks of a virtual machine, and run
// nowhere else. They send nothing that writes.

// inGuest returns the nodes of the emulated disks by transport.
func inGuest(t *testing.T) map[Transport]string {
	t.Helper()
	if os.Getenv("QD1_VM") != "1" {
		t.Skip("QD1_VM is not 1: this test needs the disks of the virtual machine")
	}
	names, err := filepath.Glob("/sys/block/sd*")
	if err != nil {
		t.Fatal(err)
	}
	nodes := map[Transport]string{}
	for _, name := range names {
		node := "/dev/" + filepath.Base(name)
		number, err := blockNumber(node)
		if err != nil {
			t.Fatal(err)
		}
		h, err := Locate(os.DirFS("/sys"), number)
		if err != nil {
			t.Fatal(err)
		}
		nodes[h.Transport] = node
	}
	return nodes
}

func openGuest(t *testing.T, path string) *Device {
	t.Helper()
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// TestVMReport reads the ATA disk and leaves the report for the host, which
// compares it with another program's.
func TestVMReport(t *testing.T) {
	node := inGuest(t)[TransportATA]
	d := openGuest(t, node)
	r := Collect(t.Context(), d, 0)
	if len(r.Problems) != 0 || r.Status == nil || r.Attributes == nil {
		t.Fatalf("problems %+v", r.Problems)
	}
	if r.Footprint.Refused != 0 || d.only12.Load() {
		t.Errorf("footprint %+v, 12-byte form %t", r.Footprint, d.only12.Load())
	}
	if r.Verdict.Level != Keep {
		t.Errorf("verdict %+v", r.Verdict)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if out := os.Getenv("QD1_SATA_REPORT"); out != "" {
		if err := os.WriteFile(out, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestVMShortForm sends all commands in their 12-byte form.
func TestVMShortForm(t *testing.T) {
	d := openGuest(t, inGuest(t)[TransportATA])
	want := Collect(t.Context(), d, 0)
	d.only12.Store(true)
	got := Collect(t.Context(), d, 0)
	if len(got.Problems) != 0 || got.Identity.Serial != want.Identity.Serial || len(got.Attributes.Table) != len(want.Attributes.Table) || *got.Status != *want.Status {
		t.Errorf("12-byte form: %+v, 16-byte form: %+v", got, want)
	}
}

// TestVMLogs reads the logs that the emulated disk has without listing them,
// and one that it refuses.
func TestVMLogs(t *testing.T) {
	d := openGuest(t, inGuest(t)[TransportATA])
	if l, err := d.ErrorLog(t.Context()); err != nil || l.Count != 0 || !l.ChecksumOK {
		t.Errorf("error log: %+v, %v", l, err)
	}
	if l, err := d.SelfTestLog(t.Context()); err != nil || len(l.Entries) != 1 || l.Entries[0].Kind != "short" || l.Entries[0].Failed() {
		t.Errorf("self-test log: %+v, %v", l, err)
	}
	if l, err := d.Directory(t.Context()); !errors.Is(err, ErrAborted) {
		t.Errorf("log directory, which the disk does not have: %+v, %v", l, err)
	}
	if got := d.Footprint(); got != (Footprint{Commands: 3, Refused: 1}) {
		t.Errorf("footprint: %+v", got)
	}
}

// TestVMOpen opens a partition, a virtual disk, and what is no SCSI disk.
func TestVMOpen(t *testing.T) {
	nodes := inGuest(t)
	d := openGuest(t, nodes[TransportATA]+"1")
	if d.Path() != nodes[TransportATA] || d.Host().Partition != filepath.Base(nodes[TransportATA])+"1" {
		t.Errorf("partition: path %s, host %+v", d.Path(), d.Host())
	}
	if id, err := d.Identify(t.Context()); err != nil || id.Serial != "QD1-SATA" {
		t.Errorf("partition: %+v, %v", id, err)
	}
	virtual := Collect(t.Context(), openGuest(t, nodes[TransportVirtio]), 0)
	if virtual.Footprint.Commands != 0 || virtual.Verdict.Level != Unknown || virtual.Advice == nil {
		t.Errorf("virtual disk: %+v", virtual)
	}
	for _, node := range []string{"/dev/nvme0n1", "/dev/nvme0", "/dev/vda"} {
		if d, err := Open(node); !errors.Is(err, ErrNotDisk) {
			t.Errorf("%s: got %v, %v, want ErrNotDisk", node, d, err)
		}
	}
}

// TestVMVirtualDiskRefuses sends a command to the virtual disk in spite of what
// it is, to see a real refusal.
func TestVMVirtualDiskRefuses(t *testing.T) {
	d := openGuest(t, inGuest(t)[TransportVirtio])
	d.host.Vendor = vendorATA
	if id, err := d.Identify(t.Context()); !errors.Is(err, ErrNotTranslated) {
		t.Errorf("got %+v, %v, want ErrNotTranslated", id, err)
	}
	if got := d.Footprint(); got != (Footprint{Commands: 2, Refused: 2}) {
		t.Errorf("footprint: %+v", got)
	}
}

// TestVMNobody reads as a user who may open the disk, but may not send it
// commands.
func TestVMNobody(t *testing.T) {
	node := inGuest(t)[TransportATA]
	if os.Getuid() == 0 {
		t.Skip("this test is for a user without privileges")
	}
	r := Collect(t.Context(), openGuest(t, node), 0)
	if len(r.Problems) != 1 || r.Problems[0].Kind != KindPermission || r.Problems[0].Hint == "" || r.Verdict.Level != Unknown {
		t.Errorf("problems %+v, verdict %+v", r.Problems, r.Verdict)
	}
	if r.Host.Disk == "" || r.Host.SizeBytes == 0 {
		t.Errorf("host %+v", r.Host)
	}
	other := inGuest(t)[TransportVirtio]
	if d, err := Open(other); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%s, which only root may open: %v, %v", other, d, err)
	}
}
