package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/capture"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/ioctl"
	"qd1.example/qd1/nvme"
)

// openDrive makes a Drive of what the user wrote. Every way ends in the same
// read-only guard. A Drive beside an error is not open, but has what the host
// knows.
func openDrive(selector string) (*report.Drive, error) { return openWith(selector, plain) }

// decorators stand between a drive and whoever uses it. A recording needs
// them; plain has none.
type decorators struct {
	passthru func(*report.Drive) nvme.Passthru
	fsys     func(fs.FS) fs.FS
}

var plain = decorators{
	passthru: func(d *report.Drive) nvme.Passthru { return d.Passthru },
	fsys:     func(f fs.FS) fs.FS { return f },
}

func openWith(selector string, by decorators) (*report.Drive, error) {
	d, err := openSelector(selector, by)
	if d != nil {
		d.Selector = selector
	}
	if err != nil {
		return d, err
	}
	d.Passthru = nvme.ReadOnly(by.passthru(d))
	return d, nil
}

func openSelector(selector string, by decorators) (*report.Drive, error) {
	if profile, ok := strings.CutPrefix(selector, "sim:"); ok {
		return openSimulated(profile, by)
	}
	if file, ok := strings.CutPrefix(selector, "replay:"); ok {
		return openCapture(file, by)
	}
	return openReal(selector, by)
}

func openSimulated(profile string, by decorators) (*report.Drive, error) {
	s, err := sim.Open(profile)
	if err != nil {
		return nil, &exitError{status: exitUsage, err: err, hint: "write sim:PROFILE, for example sim:optane-905p"}
	}
	host, err := sysfs.Read(by.fsys(sysfs.Map(s.Sysfs())), "nvme0")
	if err != nil {
		return nil, err
	}
	return &report.Drive{
		Simulated: true,
		Passthru:  s,
		Host:      host,
		Target:    &bench.Target{Kind: bench.SimulatedTarget, Path: profile, Bytes: s.Size(), BlockBytes: s.BlockBytes()},
		Close:     s.Close,
	}, nil
}

// hintCapture is the next step after a file that is no capture, or not a whole one.
func hintCapture(err error) string {
	if errors.Is(err, capture.ErrTruncated) {
		return "the file was cut short: copy it once more, or make it anew with qd1 capture DRIVE FILE"
	}
	return "it may be cut short or not a capture at all; qd1 capture DRIVE FILE makes one"
}

// readCapture reads a capture from a file.
func readCapture(file string) (*capture.Capture, error) {
	f, err := openRegular(file)
	if errors.Is(err, fs.ErrPermission) {
		return nil, failf("run it as a user that may read the file", "cannot read the capture: %w", err)
	}
	if err != nil {
		return nil, failf("qd1 capture DRIVE FILE makes a capture", "cannot read the capture: %w", err)
	}
	defer f.Close()
	c, err := capture.Read(f)
	if err != nil {
		return nil, failf(hintCapture(err), "%s: %w", file, err)
	}
	return c, nil
}

func openCapture(file string, by decorators) (*report.Drive, error) {
	c, err := readCapture(file)
	if err != nil {
		return nil, err
	}
	return driveOfCapture(c, by), nil
}

func driveOfCapture(c *capture.Capture, by decorators) *report.Drive {
	host, err := sysfs.Read(by.fsys(sysfs.Map(c.Sysfs())), c.Header().Controller)
	if err != nil {
		host = hostOfHeader(c.Header())
	}
	return &report.Drive{
		Simulated: c.Header().Simulated,
		Passthru:  replay{c},
		Host:      host,
		Kernel:    c.Header().Kernel,
		Close:     func() error { return nil },
	}
}

// hostOfHeader is what the header of a capture without sysfs lines tells.
func hostOfHeader(h capture.Header) *sysfs.Controller {
	c := &sysfs.Controller{Name: h.Controller, Transport: h.Transport, CNTLID: -1}
	if h.PCI != nil {
		c.Address = h.PCI.Address
		c.PCI = &sysfs.PCI{Address: h.PCI.Address, VendorID: h.PCI.VendorID, DeviceID: h.PCI.DeviceID,
			SubsystemVendorID: h.PCI.SubsystemVendorID, SubsystemDeviceID: h.PCI.SubsystemDeviceID}
	}
	return c
}

// replay gives what is missing from a capture the report's own word for it.
type replay struct{ *capture.Capture }

func (r replay) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	cpl, err := r.Capture.Submit(ctx, cmd)
	if errors.Is(err, capture.ErrNotRecorded) {
		err = &report.Problem{Kind: report.KindNotRecorded, Text: "not in this capture", Hint: "it was made by a command that asks for less, or was cut short: make it again with qd1 capture"}
	}
	return cpl, err
}

// sysfsLimit is how long a read of an attribute may take.
const sysfsLimit = time.Second

// hostSysfs is /sys of this computer. A drive that is dying can hold a read of
// an attribute, which then counts as empty.
func hostSysfs() fs.FS { return sysfs.Limit(sysfs.Directory("/sys"), sysfsLimit) }

func openReal(selector string, by decorators) (*report.Drive, error) {
	root := sysfs.Limit(sysfs.Once(sysfs.Directory("/sys")), sysfsLimit)
	sel, err := sysfs.Select(root, selector)
	if info, e := os.Stat(selector); err != nil && e == nil && info.Mode().IsRegular() {
		return nil, failf("a capture is named replay:FILE; qd1 report FILE reads what other tools printed; qd1 bench FILE measures a file", "%s: a regular file is not a drive", selector)
	} else if err != nil && e == nil && info.IsDir() {
		return nil, failf("qd1 list shows the drives", "%s: a directory is not a drive", selector)
	}
	if err != nil {
		return nil, err
	}
	return openSelected(by.fsys(root), sel)
}

// openController opens a controller by the name that sysfs has for it, without
// a look at the others.
func openController(name string) (*report.Drive, error) {
	d, err := openSelected(hostSysfs(), &sysfs.Selection{Controller: name})
	if d == nil {
		return nil, err
	}
	d.Selector = name
	if err == nil {
		d.Passthru = nvme.ReadOnly(d.Passthru)
	}
	return d, err
}

func openSelected(root fs.FS, sel *sysfs.Selection) (*report.Drive, error) {
	host, err := sysfs.Read(root, sel.Controller)
	if err != nil {
		return nil, err
	}
	d := &report.Drive{Host: host, NSID: nvme.NSID(sel.NSID), Note: sel.Note, Simulated: strings.HasPrefix(host.SubsystemNQN, servedPrefix)}
	if err := openNode(d); err != nil {
		return d, err
	}
	d.Target, d.WhyNoTarget = blockTarget(host, sel)
	return d, nil
}

// openNode opens the controller's character device. A controller that is not
// live may answer nothing for minutes, so it is not asked.
func openNode(d *report.Drive) error {
	node := filepath.Join("/dev", d.Host.Name)
	switch d.Host.State {
	case "dead", "deleting":
		return failf("power the computer off and on, check the slot and the cable; the kernel log (dmesg) has the cause",
			"%s (serial %s) is %s: the kernel has given up on it", node, d.Host.Serial, d.Host.State)
	case "resetting", "connecting":
		return failf("wait and try again; the kernel log (dmesg) has the cause",
			"%s (serial %s) is %s and answers nothing now", node, d.Host.Serial, d.Host.State)
	}
	dev, err := ioctl.Open(node)
	if err != nil {
		return permissionHint(node, err)
	}
	d.Passthru, d.Close = dev, dev.Close
	return nil
}

func permissionHint(node string, err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return failf(fmt.Sprintf("%s belongs to root and NVMe commands need CAP_SYS_ADMIN: run it again with sudo, or give the container of root that capability", node), "%w", err)
}

// blockTarget is the namespace that a benchmark reads: the one that was named,
// or the first that has a block device.
func blockTarget(host *sysfs.Controller, sel *sysfs.Selection) (*bench.Target, string) {
	block := sel.Block
	for _, n := range host.Namespaces {
		if block == "" && n.Block != "" && (sel.NSID == 0 || n.NSID == sel.NSID) {
			block = n.Block
		}
	}
	if block == "" {
		return nil, "the drive has no namespace with a block device"
	}
	t, err := deviceTarget(filepath.Join("/dev", block))
	if err != nil {
		return nil, err.Error()
	}
	return t, ""
}

// deviceTarget describes a block device.
func deviceTarget(node string) (*bench.Target, error) {
	g, err := ioctl.BlockGeometry(node)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", node, err)
	}
	return &bench.Target{Kind: bench.BlockTarget, Path: node, Bytes: g.Bytes, BlockBytes: g.LogicalBlockBytes}, nil
}
