package ioctl

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/nvme"
)

// readCase decodes a file of a problem case.
func readCase[T any](t *testing.T, name string) T {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	var v T
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// errnoOf has the error numbers that the problem cases name.
var errnoOf = map[string]unix.Errno{"EACCES": unix.EACCES, "ENOTTY": unix.ENOTTY, "EINVAL": unix.EINVAL}

// TestCase44DriveWritesPastBuffer lets a drive write a page where 512 bytes were
// asked for: the memory is a page of its own, and what is beyond the request
// does not reach the caller.
func TestCase44DriveWritesPastBuffer(t *testing.T) {
	plan := readCase[struct {
		Request struct {
			Bytes int `json:"numd_bytes"`
		}
		Writes uint32 `json:"device_writes"`
	}](t, "44-drive-writes-past-buffer/plan.json")
	memory := make([]byte, plan.Request.Bytes+4096)
	for i := range memory {
		memory[i] = 0xA5
	}
	d := open(t, func(_, req uintptr, arg unsafe.Pointer) (uintptr, unix.Errno) {
		w := wireOf(req, arg)
		if addr := w.u64(24); addr%4096 != 0 || w.u32(36) != uint32(plan.Request.Bytes) {
			t.Errorf("%d bytes at %#x, want %d on a page of their own", w.u32(36), addr, plan.Request.Bytes)
		}
		for i, past := 0, w.memory(24, plan.Writes); i < len(past); i++ {
			past[i] = byte(i>>9) + 1
		}
		return 0, 0
	})
	cmd := &nvme.Command{Opcode: nvme.AdminGetLogPage, CDW10: 0x81, Data: memory[:plan.Request.Bytes]}
	if _, err := d.Submit(t.Context(), cmd); err != nil {
		t.Fatal(err)
	}
	for i, b := range memory {
		want := byte(1)
		if i >= plan.Request.Bytes {
			want = 0xA5
		}
		if b != want {
			t.Fatalf("byte %d is %#x, want %#x", i, b, want)
		}
	}
}

// TestCase56RefreshByKindOfNode holds that the kernel is told to look again in the
// way that fits the node: block devices drop their cache and read the partition
// table, controllers rescan, and generic nodes, which keep nothing, are no error.
func TestCase56RefreshByKindOfNode(t *testing.T) {
	script := readCase[struct {
		IOCTL []struct{ Name, Errno string }
	}](t, "56-rescan-after-format/script.json")
	refused := map[uintptr]unix.Errno{}
	for _, s := range script.IOCTL {
		if s.Name == "BLKRRPART" {
			refused[reqBlockReread()] = errnoOf[s.Errno]
		}
	}
	var sent []uintptr
	call := func(_, req uintptr, _ unsafe.Pointer) (uintptr, unix.Errno) {
		sent = append(sent, req)
		if errno := refused[req]; errno != 0 {
			return ^uintptr(0), errno
		}
		return 0, 0
	}
	if err := open(t, call).Refresh(); err != nil || len(sent) != 1 || sent[0] != reqRescan() {
		t.Errorf("controller: %v, requests %#x, want a rescan alone", err, sent)
	}
	refused[reqRescan()] = unix.ENOTTY
	if err := open(t, call).Refresh(); err != nil {
		t.Errorf("generic node: %v", err)
	}
	refused[reqRescan()] = unix.EIO
	if err := open(t, call).Refresh(); !errors.Is(err, ErrIO) {
		t.Errorf("a controller that fails: %v", err)
	}
	clear(refused)
	sent = nil
	if err := openBlock(t, call).Refresh(); err != nil || len(sent) != 2 || sent[0] != reqBlockFlush() || sent[1] != reqBlockReread() {
		t.Errorf("block device: %v, requests %#x", err, sent)
	}
}

// TestCase61NodeOfAnotherDriver holds that a node that knows no NVMe command says
// so, and is not taken for a failing drive.
func TestCase61NodeOfAnotherDriver(t *testing.T) {
	for _, tt := range readCase[[]struct{ Arg, Errno string }](t, "61-usb-bridge/argv.json") {
		errno := errnoOf[tt.Errno]
		d := openBlock(t, func(_, _ uintptr, _ unsafe.Pointer) (uintptr, unix.Errno) { return ^uintptr(0), errno })
		_, err := d.Submit(t.Context(), &nvme.Command{Opcode: nvme.AdminIdentify, CDW10: 1, Data: make([]byte, 4096)})
		if !errors.Is(err, errno) || errno == unix.ENOTTY && !errors.Is(err, ErrNotNVMe) {
			t.Errorf("%s with %s: %v", tt.Arg, tt.Errno, err)
		}
		if errors.Is(err, ErrGone) || errors.Is(err, ErrIO) {
			t.Errorf("%s with %s: %v: it is called a failing drive", tt.Arg, tt.Errno, err)
		}
	}
}

// TestCase62PermissionToOpenAndToSend holds that both refusals are permission
// errors, and that each says which step was refused on what.
func TestCase62PermissionToOpenAndToSend(t *testing.T) {
	script := readCase[struct{ Open, IOCTL map[string]any }](t, "62-permission-denied/script.json")
	opened := openFailure(&fs.PathError{Op: "open", Path: "/dev/nvme0", Err: errnoOf[script.Open["/dev/nvme0"].(string)]})
	if !errors.Is(opened, fs.ErrPermission) || opened.Error() != "open /dev/nvme0: permission denied" {
		t.Errorf("open: %v", opened)
	}
	refused := errnoOf[script.IOCTL["NVME_IOCTL_ADMIN_CMD"].(string)]
	d := openBlock(t, func(_, req uintptr, _ unsafe.Pointer) (uintptr, unix.Errno) {
		if req == reqID() {
			return 1, 0
		}
		return ^uintptr(0), refused
	})
	if nsid, err := d.NSID(); nsid != 1 || err != nil {
		t.Errorf("NSID() = %d, %v: the kernel tells it to everybody", nsid, err)
	}
	_, sent := d.Submit(t.Context(), &nvme.Command{Opcode: nvme.AdminIdentify, CDW10: 1, Data: make([]byte, 4096)})
	if !errors.Is(sent, fs.ErrPermission) || sent.Error() == opened.Error() || sent.Error() != "admin command 06h /dev/null: permission denied" {
		t.Errorf("submit: %v", sent)
	}
}
