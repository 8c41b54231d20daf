package report

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// fakeDrive answers from pages and refuses everything else.
type fakeDrive struct {
	pages map[string][]byte
	// before, if not nil, may answer or fail a command first.
	before func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error, bool)
	sent   []nvme.Command
}

func (f *fakeDrive) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	f.sent = append(f.sent, *cmd)
	if f.before != nil {
		if cpl, err, done := f.before(ctx, cmd); done {
			return cpl, err
		}
	}
	page, ok := f.pages[pageName(cmd)]
	if !ok {
		return nvme.Completion{Status: nvme.StatusInvalidField}, nil
	}
	copy(cmd.Data, page)
	return nvme.Completion{}, nil
}

func pageName(cmd *nvme.Command) string {
	switch cmd.Opcode {
	case nvme.AdminIdentify:
		return map[uint32]string{0: "ns", 1: "ctrl", 2: "list", 3: "descriptors"}[cmd.CDW10&0xFF]
	case nvme.AdminGetLogPage:
		return map[uint32]string{1: "errors", 2: "smart", 3: "firmware"}[cmd.CDW10&0xFF]
	}
	return "?"
}

// optane is a 905P with the pages of a public dump.
func optane(t testing.TB) *fakeDrive {
	t.Helper()
	list := make([]byte, 4096)
	binary.LittleEndian.PutUint32(list, 1)
	firmware := make([]byte, 512)
	firmware[0] = 0x01
	copy(firmware[8:], "E2010480")
	stem := "optane-905P-SSDPE21D960GA-fresh-1h"
	return &fakeDrive{pages: map[string][]byte{
		"ctrl": testPage(t, "idctrl", stem+".bin"), "ns": testPage(t, "idns", stem+".bin"),
		"smart": testPage(t, "smart", stem+".bin"), "list": list, "firmware": firmware, "errors": make([]byte, 4096),
	}}
}

func testPage(t testing.TB, kind, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "nvme", "testdata", kind, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func fakeOptions() Options {
	return Options{
		Tool: Tool{"qd1", "test"}, Host: HostFacts{"6.1", "amd64"}, Timeout: 50 * time.Millisecond,
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	}
}

func fakeHost() *sysfs.Controller {
	eight, four := 8.0, 4
	return &sysfs.Controller{
		Name: "nvme3", State: "live", Transport: "pcie", Address: "0000:01:00.0", Subsystem: "nvme-subsys3",
		Serial: "HOSTSERIAL", Model: "INTEL SSDPE21D960GA", Firmware: "OLD",
		PCI:  &sysfs.PCI{Address: "0000:01:00.0", VendorID: 0x8086, DeviceID: 0x2700, SubsystemVendorID: 0x8086, SubsystemDeviceID: 0x3904},
		Link: &sysfs.Link{SpeedGTs: &eight, Width: &four, MaxSpeedGTs: &eight, MaxWidth: &four, Path: []sysfs.Port{{Address: "0000:00:06.0"}, {Address: "0000:01:00.0"}}},
		Namespaces: []sysfs.Namespace{
			{NSID: 1, Block: "nvme5n1", Generic: "ng5n1", Bytes: 960197124096, LBABytes: 512, Partitions: []string{"nvme5n1p1"}},
		},
	}
}

func fakeReport(t testing.TB, f *fakeDrive, change func(*Drive, *Options)) *Report {
	t.Helper()
	d := &Drive{Selector: "x", Passthru: nvme.ReadOnly(f), Host: fakeHost(), WhyNoTarget: "nothing to read"}
	o := fakeOptions()
	if change != nil {
		change(d, &o)
	}
	return Collect(t.Context(), d, o)
}
