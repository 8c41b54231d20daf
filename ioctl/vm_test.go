package ioctl

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
	"qd1.example/qd1/nvme"
)

// The tests of this file send commands to an emulated drive of a virtual
// machine: they write to it and reset it, and run nowhere else.

// guest is the emulated drive.
type guest struct {
	controller, block, generic string // nodes
	sysfs                      string // directory of the controller
	sysfsBlock                 string // directory of the namespace
}

// inGuest finds the first emulated drive that has a namespace.
func inGuest(t *testing.T) guest {
	t.Helper()
	if os.Getenv("QD1_VM") != "1" {
		t.Skip("QD1_VM is not 1: this test resets the drive and runs in the virtual machine only")
	}
	for _, link := range glob(t, "/sys/class/block/nvme*n[0-9]") {
		dir, err := filepath.EvalSymlinks(link)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(dir)
		// The parent is the controller, or the subsystem with links to its
		// controllers.
		vendors := append(glob(t, filepath.Dir(dir)+"/device/vendor"), glob(t, filepath.Dir(dir)+"/nvme[0-9]/device/vendor")...)
		if strings.Contains(name, "c") || len(vendors) == 0 || text(t, vendors[0]) != "0x1b36" {
			continue
		}
		controller, err := filepath.EvalSymlinks(filepath.Dir(filepath.Dir(vendors[0])))
		if err != nil {
			t.Fatal(err)
		}
		generics := glob(t, filepath.Dir(dir)+"/ng*n"+name[len(name)-1:])
		if len(generics) != 1 {
			t.Fatalf("generic nodes of %s: %q, want one", name, generics)
		}
		return guest{
			controller: "/dev/" + filepath.Base(controller), block: "/dev/" + name, generic: "/dev/" + filepath.Base(generics[0]),
			sysfs: controller, sysfsBlock: dir,
		}
	}
	t.Fatal("no emulated drive with a namespace")
	return guest{}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// text reads an attribute.
func text(t *testing.T, elem ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func decimal(t *testing.T, elem ...string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text(t, elem...), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func openNodeOf(t *testing.T, path string) *Device {
	t.Helper()
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// identify reads the Identify Controller structure.
func identify(t *testing.T, d *Device) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	page := make([]byte, 4096)
	got, err := d.Submit(ctx, &nvme.Command{Opcode: 0x06, CDW10: 1, Data: page})
	if err != nil || got.Status != 0 {
		t.Fatalf("identify %s: %+v, %v", d.Path(), got, err)
	}
	return page
}

func TestVMIdentify(t *testing.T) {
	g := inGuest(t)
	page := identify(t, openNodeOf(t, g.controller))
	if vid := binary.LittleEndian.Uint16(page); vid != 0x1B36 {
		t.Errorf("VID = %#x, want 0x1b36", vid)
	}
	if got := strings.TrimSpace(string(page[4:24])); got != text(t, g.sysfs, "serial") {
		t.Errorf("SN = %q, /sys has %q", got, text(t, g.sysfs, "serial"))
	}
	if got := strings.TrimSpace(string(page[24:64])); got != text(t, g.sysfs, "model") {
		t.Errorf("MN = %q, /sys has %q", got, text(t, g.sysfs, "model"))
	}
	for _, node := range []string{g.block, g.generic} {
		if got := identify(t, openNodeOf(t, node)); !bytes.Equal(got, page) {
			t.Errorf("%s and %s give different pages", node, g.controller)
		}
	}
}

func TestVMStatus(t *testing.T) {
	g := inGuest(t)
	d := openNodeOf(t, g.controller)
	tests := []struct {
		name string
		cmd  nvme.Command
		want nvme.Status
	}{
		{"identify an invalid namespace", nvme.Command{Opcode: 0x06, NSID: 0x7777, Data: make([]byte, 4096)}, 0x00B},
		// The emulated drive says Invalid Field where Invalid Log Page is due.
		{"read an unknown log page", nvme.Command{Opcode: 0x02, NSID: 0xFFFFFFFF, CDW10: 127<<16 | 0x7F, Data: make([]byte, 512)}, 0x002},
		{"send an unknown opcode", nvme.Command{Opcode: 0xC3}, 0x001},
	}
	for _, tt := range tests {
		got, err := d.Submit(t.Context(), &tt.cmd)
		if err != nil || got.Status&0x7FF != tt.want {
			t.Errorf("%s: %+v, %v, want status %#03x", tt.name, got, err, uint16(tt.want))
		}
	}
}

func TestVMNSID(t *testing.T) {
	g := inGuest(t)
	want := nvme.NSID(decimal(t, g.sysfsBlock, "nsid"))
	for _, node := range []string{g.block, g.generic} {
		if got, err := openNodeOf(t, node).NSID(); err != nil || got != want {
			t.Errorf("NSID of %s = %d, %v, want %d", node, got, err, want)
		}
	}
	if _, err := openNodeOf(t, g.controller).NSID(); !errors.Is(err, ErrNotNamespace) {
		t.Errorf("NSID of %s = %v, want ErrNotNamespace", g.controller, err)
	}
}

func TestVMGeometry(t *testing.T) {
	g := inGuest(t)
	got, err := BlockGeometry(g.block)
	if err != nil {
		t.Fatal(err)
	}
	want := Geometry{
		Bytes:              decimal(t, g.sysfsBlock, "size") * 512,
		LogicalBlockBytes:  int(decimal(t, g.sysfsBlock, "queue/logical_block_size")),
		PhysicalBlockBytes: int(decimal(t, g.sysfsBlock, "queue/physical_block_size")),
		ReadOnly:           decimal(t, g.sysfsBlock, "ro") != 0,
	}
	if got != want || got.Bytes == 0 {
		t.Errorf("geometry = %+v, /sys has %+v", got, want)
	}
	if _, err := BlockGeometry(g.generic); !errors.Is(err, ErrNotBlock) {
		t.Errorf("geometry of %s = %v, want ErrNotBlock", g.generic, err)
	}
}

func TestVMReset(t *testing.T) {
	g := inGuest(t)
	d := openNodeOf(t, g.controller)
	before := identify(t, d)
	if err := d.Rescan(); err != nil {
		t.Error(err)
	}
	if err := d.Reset(); err != nil {
		t.Error(err)
	}
	if got := text(t, g.sysfs, "state"); got != "live" {
		t.Errorf("state after reset = %q", got)
	}
	if !bytes.Equal(identify(t, d), before) {
		t.Error("identify differs after reset")
	}
	if err := openNodeOf(t, g.block).Reset(); !errors.Is(err, ErrNotController) {
		t.Errorf("reset through %s = %v, want ErrNotController", g.block, err)
	}
}

// TestVMReadWrite compares what passes through the I/O passthrough with what
// the block layer reads, and puts back what was there.
func TestVMReadWrite(t *testing.T) {
	g := inGuest(t)
	size := int(decimal(t, g.sysfsBlock, "queue/logical_block_size"))
	const blocks, lba = 3, 5
	transfer := func(node string, opcode uint8, data []byte) {
		t.Helper()
		d := openNodeOf(t, node)
		nsid := nvme.NSID(decimal(t, g.sysfsBlock, "nsid"))
		cmd := &nvme.Command{Queue: nvme.IOQueue, Opcode: opcode, NSID: nsid, CDW10: lba, CDW12: blocks - 1, Data: data}
		if got, err := d.Submit(t.Context(), cmd); err != nil || got.Status != 0 {
			t.Fatalf("opcode %02xh on %s: %+v, %v", opcode, node, got, err)
		}
	}
	before := make([]byte, blocks*size)
	transfer(g.block, 0x02, before)
	defer transfer(g.block, 0x01, before)

	pattern := bytes.Repeat([]byte("qd1 was here. 16"), blocks*size/16)
	transfer(g.generic, 0x01, pattern)
	for _, node := range []string{g.block, g.generic} {
		got := make([]byte, blocks*size)
		transfer(node, 0x02, got)
		if !bytes.Equal(got, pattern) {
			t.Errorf("%s does not read what was written", node)
		}
	}
	if got := pread(t, g.block, blocks*size, lba*int64(size)); !bytes.Equal(got, pattern) {
		t.Errorf("pread of %s differs from the passthrough", g.block)
	}
	d := openNodeOf(t, g.controller)
	_, err := d.Submit(t.Context(), &nvme.Command{Queue: nvme.IOQueue, Opcode: 0x02, NSID: 1, Data: make([]byte, size)})
	if !errors.Is(err, ErrNotNamespace) {
		t.Errorf("read through %s = %v, want ErrNotNamespace", g.controller, err)
	}
}

// TestVMExclusive claims a namespace, writes a partition table through the claim,
// and checks that a partition that is in use is in the way of the next claim.
func TestVMExclusive(t *testing.T) {
	g := inGuest(t)
	d := exclusive(t, g.block)
	if _, err := OpenExclusive(g.block); !errors.Is(err, ErrInUse) {
		t.Errorf("a second claim: %v, want ErrInUse", err)
	}
	if page := identify(t, d); !bytes.Equal(page, identify(t, openNodeOf(t, g.controller))) {
		t.Error("identify through the claim differs")
	}
	first, err := d.Geometry()
	if err != nil {
		t.Fatal(err)
	}
	table := make([]byte, max(512, first.LogicalBlockBytes))
	before := make([]byte, len(table))
	if _, err := d.ReadAt(before, 0); err != nil {
		t.Fatal(err)
	}
	restore := func() {
		_, err := d.WriteAt(before, 0)
		if err = errors.Join(err, d.Sync(), d.FlushBuffers(), d.RereadPartitions()); err != nil {
			t.Error(err)
		}
	}
	defer func() { restore() }()
	// One entry: type 83h, from block 8 on, 8 blocks.
	copy(table[446:], []byte{0, 0, 0, 0, 0x83, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0})
	copy(table[510:], []byte{0x55, 0xAA})
	if _, err := d.WriteAt(table, 0); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Sync(), d.RereadPartitions()); err != nil {
		t.Fatal(err)
	}
	if got := pread(t, g.block, len(table), 0); !bytes.Equal(got, table) {
		t.Error("pread differs from what WriteAt wrote")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	part := exclusive(t, g.block+"p1")
	if other, err := OpenExclusive(g.block); !errors.Is(err, ErrInUse) {
		t.Errorf("claim with a partition in use: %v, %v, want ErrInUse", other, err)
	}
	if err := openNodeOf(t, g.block).RereadPartitions(); !errors.Is(err, ErrInUse) {
		t.Errorf("RereadPartitions with a partition in use: %v, want ErrInUse", err)
	}
	if err := part.Close(); err != nil {
		t.Fatal(err)
	}
	d = exclusive(t, g.block)
}

// TestVMLockOfCharacterNodes claims a controller and a generic node, which keep
// the kernel's own users away by nothing but the lock, and sends commands.
func TestVMLockOfCharacterNodes(t *testing.T) {
	g := inGuest(t)
	for _, node := range []string{g.controller, g.generic} {
		d := exclusive(t, node)
		if _, err := openExclusive(node, 0); !errors.Is(err, ErrInUse) {
			t.Errorf("%s: a second claim: %v, want ErrInUse", node, err)
		}
		identify(t, d)
		if _, err := d.ReadAt(make([]byte, 4096), 0); !errors.Is(err, ErrNotBlock) {
			t.Errorf("%s: ReadAt = %v, want ErrNotBlock", node, err)
		}
	}
}

// pread reads past the page cache.
func pread(t *testing.T, path string, n int, off int64) []byte {
	t.Helper()
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	buf, err := rawio.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	defer buf.Free()
	if got, errno := rawio.Pread(fd, buf.Bytes()[:n], off); got != n || errno != 0 {
		t.Fatalf("pread = %d, %v", got, errno)
	}
	return bytes.Clone(buf.Bytes()[:n])
}

// awaitAnswer waits until the controller answers again. After a time-out the
// kernel resets it; its state is still "live" for a moment, and then it cannot
// be opened and answers nothing.
func awaitAnswer(t *testing.T, g guest) {
	t.Helper()
	var last error
	for range 300 {
		if last = tryIdentify(t, g.controller); last == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("30 s after a time-out: %v", last)
}

// tryIdentify opens a controller and sends it one command.
func tryIdentify(t *testing.T, path string) error {
	d, err := Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	got, err := d.Submit(t.Context(), &nvme.Command{Opcode: 0x06, CDW10: 1, Data: make([]byte, 4096)})
	if err == nil && got.Status != 0 {
		err = got.Status
	}
	return err
}

// asyncEvent is the Asynchronous Event Request, which the drive answers only
// when an event happens: a command that hangs.
func asyncEvent() *nvme.Command { return &nvme.Command{Opcode: 0x0C} }

// TestVMTimeout gives a hanging command a short time. The kernel resets the
// controller and takes the command back.
func TestVMTimeout(t *testing.T) {
	g := inGuest(t)
	d := openNodeOf(t, g.controller)
	cmd := asyncEvent()
	a := d.passthru(request{op: "asynchronous event request", queue: cmd.Queue, frame: encode(cmd), timeoutMS: 100})
	if !errors.Is(a.err, ErrCancelled) {
		t.Errorf("hanging command: %+v, %v, want ErrCancelled", a.completion, a.err)
	}
	if during, err := Open(g.controller); err == nil {
		_ = during.Close()
	} else if !errors.Is(err, ErrNotLive) {
		t.Errorf("Open after a time-out = %v, want ErrNotLive or none", err)
	}
	awaitAnswer(t, g)
	identify(t, d)
}

// TestVMAbandon ends the context of a hanging command before its time-out.
func TestVMAbandon(t *testing.T) {
	g := inGuest(t)
	d := openNodeOf(t, g.controller)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := d.Submit(ctx, asyncEvent()); !errors.Is(err, context.Canceled) {
		t.Errorf("Submit = %v, want context.Canceled", err)
	}
	if d.Abandoned() != 1 {
		t.Errorf("Abandoned() = %d while the command hangs, want 1", d.Abandoned())
	}
	for range 300 {
		if d.Abandoned() == 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if d.Abandoned() != 0 {
		t.Error("the kernel never gave the hanging command back")
	}
	awaitAnswer(t, g)
	identify(t, d)
}
