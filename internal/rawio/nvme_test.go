package rawio

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestNVMeFields compares fields with the offsets in the kernel's header.
func TestNVMeFields(t *testing.T) {
	var e NVMeExchange
	for name, tt := range map[string]struct{ got, want uintptr }{
		"nsid":         {unsafe.Offsetof(e.NSID), 4},
		"cdw2":         {unsafe.Offsetof(e.CDW2), 8},
		"addr":         {unsafe.Offsetof(e.Address), 24},
		"metadata_len": {unsafe.Offsetof(e.MetadataLength), 32},
		"cdw12":        {unsafe.Offsetof(e.CDW12), 48},
		"cdw15":        {unsafe.Offsetof(e.CDW15), 60},
		"timeout_ms":   {unsafe.Offsetof(e.TimeoutMS), 64},
	} {
		if tt.got != tt.want {
			t.Errorf("%s is at %d, want %d", name, tt.got, tt.want)
		}
	}
}

// TestNVMeRequests makes the numbers as the kernel's header does.
func TestNVMeRequests(t *testing.T) {
	for _, tt := range []struct {
		got          NVMeRequest
		number, size uintptr
	}{{NVMeAdmin, 0x41, 72}, {NVMeIO, 0x43, 72}, {NVMeIO64, 0x48, 80}} {
		if want := NVMeRequest(3<<30 | tt.size<<16 | 'N'<<8 | tt.number); tt.got != want {
			t.Errorf("request %#x, want %#x", tt.got, want)
		}
	}
}

// TestNVMeElsewhere sends a command to what is not a drive.
func TestNVMeElsewhere(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	b, err := Alloc(4096)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	e := &NVMeExchange{NVMeCommand: NVMeCommand{Opcode: 2}}
	if status, errno := NVMe(int(null.Fd()), NVMeIO64, e, b.Bytes()); status != 0 || errno != unix.ENOTTY {
		t.Errorf("got status %#x, %v, want ENOTTY", status, errno)
	}
	if e.DataLength != 4096 || e.Address != uint64(uintptr(b.Pointer())) {
		t.Errorf("the data are %d bytes at %#x, want %d at %p", e.DataLength, e.Address, 4096, b.Pointer())
	}
	if id, errno := NVMeNamespace(int(null.Fd())); id != 0 || errno != unix.ENOTTY {
		t.Errorf("namespace %d, %v, want ENOTTY", id, errno)
	}
}
