package render

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// text renders with one of the functions of this package.
func text(t testing.TB, write func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func reportText(t testing.TB, r *report.Report, style Style) string {
	t.Helper()
	return text(t, func(b *bytes.Buffer) error { return Report(b, r, style) })
}

// fakeDrive answers from pages by name, such as "ns2", with what is in fails,
// or refuses.
type fakeDrive struct {
	pages map[string][]byte
	fails map[string]error
}

func (f *fakeDrive) Submit(_ context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	name := pageName(cmd)
	if err := f.fails[name]; err != nil {
		return nvme.Completion{}, err
	}
	page, ok := f.pages[name]
	if !ok {
		return nvme.Completion{Status: 0x4000 | nvme.StatusInvalidLogPage}, nil
	}
	copy(cmd.Data, page)
	return nvme.Completion{}, nil
}

func pageName(cmd *nvme.Command) string {
	if cmd.Opcode == nvme.AdminGetLogPage {
		return map[uint32]string{1: "errors", 2: "smart", 3: "firmware"}[cmd.CDW10&0xFF]
	}
	switch cmd.CDW10 & 0xFF {
	case 0:
		return fmt.Sprintf("ns%d", cmd.NSID)
	case 1:
		return "ctrl"
	case 2:
		return "list"
	}
	return "descriptors"
}

func testPage(t testing.TB, elements ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "nvme", "testdata"}, elements...)...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// newDrive is a drive with the pages of a public dump.
func newDrive(t testing.TB, stem string, nsids ...uint32) *fakeDrive {
	t.Helper()
	firmware, list := make([]byte, 512), make([]byte, 4096)
	firmware[0] = 1
	ctrl := testPage(t, "idctrl", stem+".bin")
	copy(firmware[8:16], ctrl[64:72])
	f := &fakeDrive{fails: map[string]error{}, pages: map[string][]byte{
		"ctrl": ctrl, "smart": testPage(t, "smart", stem+".bin"), "list": list, "firmware": firmware, "errors": make([]byte, 4096)}}
	if len(nsids) == 0 {
		nsids = []uint32{1}
	}
	for i, nsid := range nsids {
		binary.LittleEndian.PutUint32(list[4*i:], nsid)
		ctrl[516] = max(ctrl[516], byte(nsid)) // NN.
		f.pages[fmt.Sprintf("ns%d", nsid)] = testPage(t, "idns", "optane-905P-SSDPE21D960GA-fresh-1h.bin")
	}
	return f
}

const (
	fresh   = "optane-905P-SSDPE21D960GA-fresh-1h"
	used    = "optane-905P-SSDPE21D960GA-E2010650-4125h"
	damaged = "optane-905P-SSDPED1D960GAY-media-errors"
)

func host() *sysfs.Controller {
	slow, eight, four, node := 4.0, 8.0, 4, 0
	bad, none := uint64(3), uint64(0)
	return &sysfs.Controller{
		Name: "nvme3", State: "live", Transport: "pcie", Address: "0000:01:00.0", Subsystem: "nvme-subsys3", NUMANode: &node,
		Serial: "HOSTSERIAL", Model: "INTEL SSDPE21D960GA", Firmware: "OLD",
		PCI: &sysfs.PCI{Address: "0000:01:00.0", VendorID: 0x8086, DeviceID: 0x2700, SubsystemVendorID: 0x8086, SubsystemDeviceID: 0x3904},
		Link: &sysfs.Link{SpeedGTs: &eight, Width: &four, MaxSpeedGTs: &eight, MaxWidth: &four,
			Path: []sysfs.Port{{Address: "0000:00:06.0", SpeedGTs: &slow, Width: &four, MaxSpeedGTs: &eight, MaxWidth: &four}},
			AER:  &sysfs.AER{Correctable: &bad, NonFatal: &none, Fatal: &none}},
		Namespaces: []sysfs.Namespace{{NSID: 1, Block: "nvme5n1", Generic: "ng5n1", Bytes: 960197124096, LBABytes: 512, Partitions: []string{"nvme5n1p1", "nvme5n1p2"}}},
	}
}

// result is a benchmark without a surprise.
func result() *bench.Result {
	cpu := 3
	return &bench.Result{
		Name: "RND4K Q1T1", Engine: "psync", Op: "read", Pattern: "random", BlockBytes: 4096, QueueDepth: 1, Workers: 1,
		Seconds: 2.5, Operations: 205678, IOPS: 82271.2, MBPerS: 336.983, WarmupSeconds: 0.5, Seed: 42, SpanBytes: 960197124096,
		Latency: bench.Latency{Min: new(11.264), Mean: new(12.031), P50: new(11.9), P90: new(12.416), P99: new(15.104), P999: new(19.2), P9999: new(31.488), Max: new(1303.04)},
		CPU:     &cpu, CPUPerOp: new(2.718), UserPerOp: new(0.31), BlankPercent: new(0.0), CPULatencyHeld: true, Ended: "complete",
	}
}

// collect makes a report of the drive; res and err are what its benchmark
// gives.
func collect(t testing.TB, f *fakeDrive, h *sysfs.Controller, res *bench.Result, err error) *report.Report {
	t.Helper()
	d := &report.Drive{Selector: "/dev/nvme3", Passthru: nvme.ReadOnly(f), Host: h, WhyNoTarget: "a capture has no data to read"}
	if res != nil || err != nil {
		d.Target = &bench.Target{}
	}
	job := bench.QD1Read(2.5)
	return report.Collect(t.Context(), d, report.Options{
		Tool: report.Tool{Name: "qd1", Version: "1.2.3"}, Host: report.HostFacts{Kernel: "6.1.0", Arch: "amd64"}, Timeout: testTimeout,
		Now:   testTime,
		Bench: &job, Runner: func(context.Context, bench.Spec, bench.Observer) (*bench.Result, error) { return res, err },
	})
}

const testTimeout = time.Second

func testTime() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

// reports are drives of every kind, by the name of their golden file.
func reports(t testing.TB) map[string]*report.Report {
	t.Helper()
	simulated := collect(t, newDrive(t, fresh), host(), result(), nil)
	simulated.Simulated = true
	return map[string]*report.Report{
		"fresh":      simulated,
		"used":       collect(t, newDrive(t, used), host(), result(), nil),
		"problems":   problems(t),
		"silent":     silent(t),
		"partial":    partialBench(t),
		"namespaces": severalNamespaces(t),
		"media":      mediaErrors(t),
		"critical":   critical(t),
		"empty":      {Verdict: simulated.Verdict},
	}
}

// problems has each kind of problem.
func problems(t testing.TB) *report.Report {
	f := newDrive(t, fresh)
	f.pages["smart"] = make([]byte, 512)
	delete(f.pages, "firmware")
	f.fails["errors"] = &report.Problem{Kind: report.KindNotRecorded, Text: "not in this capture"}
	r := collect(t, f, nil, nil, nil)
	r.Namespaces = report.Section[[]report.Namespace]{Problem: &report.Problem{Kind: report.KindTimeout, Text: "the drive did not answer Identify within 10s", Hint: "look at the kernel log"}}
	return r
}

// silent is a drive that answers nothing.
func silent(t testing.TB) *report.Report {
	f := newDrive(t, fresh)
	f.fails["ctrl"] = context.DeadlineExceeded
	return collect(t, f, host(), result(), nil)
}

func partialBench(t testing.TB) *report.Report {
	res := result()
	res.Partial, res.Ended = true, "the drive is gone"
	res.Errors, res.ErrorDetails = 2, []bench.ErrorKind{{Error: "EIO", Count: 1, FirstOffset: 4096}, {Error: "ENODEV", Count: 1, FirstOffset: 81920}}
	res.BlankPercent, res.CPULatencyHeld, res.CPU = new(37.25), false, nil
	res.Latency.P999, res.Latency.P9999 = nil, nil
	res.RatedPercent = new(97.5)
	return collect(t, newDrive(t, used), host(), res, bench.ErrGone)
}

func severalNamespaces(t testing.TB) *report.Report {
	f := newDrive(t, fresh, 1, 2, 7, 8, 9)
	f.pages["ns7"] = testPage(t, "cases", "37-metadata-extended-lba", "idns.bin")
	f.fails["ns2"] = &report.Problem{Kind: report.KindHost, Text: "input/output error"}
	h := host()
	h.Namespaces = append(h.Namespaces, sysfs.Namespace{NSID: 2, Block: "nvme5n2"}, sysfs.Namespace{NSID: 7, Block: "nvme5n3"})
	h.Link.AER, h.Link.Path = nil, nil
	h.Link.Width = new(2)
	return collect(t, f, h, result(), nil)
}

// mediaErrors is the drive of a public dump with 2.48 million media errors and
// a full log.
func mediaErrors(t testing.TB) *report.Report {
	f := newDrive(t, damaged)
	f.pages["errors"] = testPage(t, "errlog", damaged+".bin")
	return collect(t, f, host(), result(), nil)
}

// critical has all critical warnings, limits and a pending firmware.
func critical(t testing.TB) *report.Report {
	f := newDrive(t, "toshiba-KBG30ZMV256G-59C")
	f.pages["smart"] = testPage(t, "cases", "11-warning-unknown-bits", "smart-3f.bin")
	f.pages["smart"][192], f.pages["smart"][196] = 12, 3
	f.pages["firmware"] = testPage(t, "cases", "49-fw-log-slots", "fwlog-21-pending.bin")
	return collect(t, f, &sysfs.Controller{Name: "nvme0", State: "live", Transport: "tcp"}, result(), nil)
}

func list(t testing.TB) *report.List {
	t.Helper()
	row := func(f *fakeDrive, h *sysfs.Controller, simulated bool) report.Row {
		return report.ReadRow(t.Context(), &report.Drive{Passthru: f, Host: h, Simulated: simulated}, time.Second)
	}
	gone := newDrive(t, fresh)
	gone.fails["ctrl"] = os.ErrPermission
	missing := report.FailedRow(&report.Drive{}, &report.Problem{Kind: report.KindHost, Text: "nvme9: no such drive", Hint: "qd1 list shows the drives"})
	missing.Controller = "nvme9"
	l := &report.List{Schema: report.ListSchema, Drives: []report.Row{
		row(newDrive(t, used), host(), false), row(newDrive(t, fresh, 1, 2), host(), false), row(gone, host(), false), missing,
	}}
	l.Drives[0].InUse = []inuse.Use{
		{Kind: inuse.OpenFile, Device: "nvme5n1", PID: 7, Process: "fio"}, {Kind: inuse.Mount, Device: "nvme5n1p1", Name: "/srv"}, {Kind: inuse.Swap, Device: "nvme5n1p2"},
	}
	l.Drives[1].InUse = []inuse.Use{}
	l.Hidden = []sysfs.Hidden{{Address: "0000:00:17.0", VendorID: 0x8086, DeviceID: 0x282A, Hiding: sysfs.HidingRAID, Driver: "ahci", Remapped: new(1)}}
	return l
}

// parts are the texts of single sections, by the name of their golden file.
func parts(t testing.TB) map[string]func(b *bytes.Buffer, s Style) error {
	t.Helper()
	r, many := mediaErrors(t), severalNamespaces(t)
	head := Part{Drive: &r.Drive}
	return map[string]func(b *bytes.Buffer, s Style) error{
		"smart":    func(b *bytes.Buffer, s Style) error { return SMART(b, head, r.SMART.Data, s) },
		"errors":   func(b *bytes.Buffer, s Style) error { return Errors(b, head, r.Errors.Data, s) },
		"firmware": func(b *bytes.Buffer, s Style) error { return Firmware(b, Part{true, &r.Drive}, r.Firmware.Data, s) },
		"link":     func(b *bytes.Buffer, s Style) error { return Link(b, head, &r.Link, s) },
		"id-ctrl": func(b *bytes.Buffer, s Style) error {
			return SpecPage(b, head, identifyPage(t, "ctrl", testPage(t, "idctrl", "wdc-SN730-256GB.bin")), s)
		},
		"id-ns": func(b *bytes.Buffer, s Style) error {
			return IdentifyNamespace(b, head, &(*many.Namespaces.Data)[2], identifyPage(t, "ns", testPage(t, "cases", "37-metadata-extended-lba", "idns.bin")), s)
		},
		"id-list": func(b *bytes.Buffer, s Style) error { return IdentifyList(b, identifyList(t), s) },
		"list":    func(b *bytes.Buffer, s Style) error { return List(b, list(t), s) },
		"rules":   func(b *bytes.Buffer, s Style) error { return Rules(b, rules(), s) },
	}
}

// everything is every text of this package in one style.
func everything(t testing.TB, s Style) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, r := range reports(t) {
		if name != "empty" {
			all["report-"+name] = reportText(t, r, s)
		}
	}
	for name, write := range eraseParts() {
		all[name] = text(t, func(b *bytes.Buffer) error { return write(b, s) })
	}
	for name, write := range benchParts() {
		all[name] = text(t, func(b *bytes.Buffer) error { return write(b, s) })
	}
	for name, write := range parts(t) {
		all[name] = text(t, func(b *bytes.Buffer) error { return write(b, s) })
	}
	return all
}

// colours paints each role in another way.
func colours(role Role, s string) string {
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", 30+int(role), s)
}

func uncolour(s string) string {
	s = strings.ReplaceAll(s, "\x1b[0m", "")
	for role := Plain; role <= Dim; role++ {
		s = strings.ReplaceAll(s, fmt.Sprintf("\x1b[%dm", 30+int(role)), "")
	}
	return s
}
