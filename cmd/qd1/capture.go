package main

import (
	"bytes"
	"io"
	"io/fs"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/capture"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

func captureCommand() command {
	return command{
		name: "capture", args: "DRIVE FILE", access: reads, maxArgs: 2,
		short: "record what the drive answers, for replay:FILE",
		help: `The file has the drive's serial number and identifiers in it, unless
--redact replaces them by invented ones.`,
		flags: append(driveFlags(), vendorLogsFlag(),
			&cli.BoolFlag{Name: "redact", DisableDefaultText: true, Usage: "replace serial number, NGUID, EUI-64, UUID and SUBNQN"}),
		run: runCapture,
	}
}

func runCapture(in *invocation) error {
	if in.NArg() != 2 {
		return usagef("qd1 capture needs a drive and a file")
	}
	if err := checkCapture(in.arg(1), in.arg(0)); err != nil {
		return err
	}
	b, r, err := in.record()
	if err != nil {
		return err
	}
	if !r.Readable() || in.Context.Context.Err() != nil {
		return outcome(in, r)
	}
	if in.Bool("redact") {
		var redacted bytes.Buffer
		if err := capture.Redact(bytes.NewReader(b), &redacted); err != nil {
			return err
		}
		b = redacted.Bytes()
	}
	if err := in.env.write(in.arg(1), b); err != nil {
		return err
	}
	in.env.say("%s: %d commands of %s, %s", in.arg(1), r.Footprint.Commands, r.Drive.Model, in.identifiers(r))
	for _, p := range r.Problems() {
		in.env.say("warning: %s not recorded: %s", p.Section, p.Text)
	}
	return outcome(in, r)
}

// identifiers says whose identifiers a capture has.
func (in *invocation) identifiers(r *report.Report) string {
	if in.Bool("redact") {
		return "serial number and identifiers replaced by invented ones"
	}
	return "serial " + r.Drive.Serial
}

// checkCapture is checkOutput for a capture. A file that is there is replaced
// only if it is a capture too: what else it is would be lost.
func checkCapture(name, drive string) error {
	if err := checkOutput(name, []string{drive}); err != nil {
		return err
	}
	f, err := openRegular(name)
	if err != nil {
		return nil // There is none, or it is not a file.
	}
	defer f.Close()
	start := make([]byte, len(captureStart))
	if n, _ := io.ReadFull(f, start); n > 0 && string(start) != captureStart {
		return refusef("choose another name, or remove the file first", "%s is there and is not a capture", name)
	}
	return nil
}

// captureStart is how every capture that qd1 writes begins.
const captureStart = `{"capture":"qd1/`

// record makes a report without a benchmark and keeps all that it read.
func (in *invocation) record() ([]byte, *report.Report, error) {
	logs, err := vendorLogChoice(in.String("vendor-logs"))
	if err != nil {
		return nil, nil, err
	}
	rec := &recording{now: in.env.now()}
	open := func() (*report.Drive, error) {
		return openWith(in.arg(0), decorators{passthru: rec.passthru, fsys: rec.fsys})
	}
	r, err := in.collect(open, report.Options{VendorLogs: logs})
	if err == nil {
		err = rec.fault()
	}
	return rec.file.Bytes(), r, err
}

// recording writes a capture. What the host shows is read before the drive is
// open, and kept until the header has been written.
type recording struct {
	now   time.Time
	file  bytes.Buffer
	w     *capture.Writer
	sysfs []func(*capture.Writer)
	err   error
}

func (r *recording) fsys(f fs.FS) fs.FS {
	return sysfs.Record(f,
		func(path, text string) { r.sysfs = append(r.sysfs, func(w *capture.Writer) { w.Sysfs(path, text) }) },
		func(path, target string) {
			r.sysfs = append(r.sysfs, func(w *capture.Writer) { w.SysfsLink(path, target) })
		})
}

func (r *recording) passthru(d *report.Drive) nvme.Passthru {
	r.w, r.err = capture.NewWriter(&r.file, captureHeader(d, r.now))
	if r.err != nil {
		return d.Passthru
	}
	for _, write := range r.sysfs {
		write(r.w)
	}
	return r.w.Passthru(d.Passthru)
}

func (r *recording) fault() error {
	if r.err != nil || r.w == nil {
		return r.err
	}
	return r.w.Err()
}

func captureHeader(d *report.Drive, now time.Time) capture.Header {
	h := capture.Header{Tool: tool().Name + " " + tool().Version, Time: now.UTC(), Kernel: hostFacts().Kernel, Simulated: d.Simulated}
	if d.Kernel != "" {
		h.Kernel = d.Kernel
	}
	if d.Host == nil {
		return h
	}
	h.Controller, h.Transport = d.Host.Name, d.Host.Transport
	if p := d.Host.PCI; p != nil {
		h.PCI = &capture.PCI{Address: p.Address, VendorID: p.VendorID, DeviceID: p.DeviceID,
			SubsystemVendorID: p.SubsystemVendorID, SubsystemDeviceID: p.SubsystemDeviceID}
	}
	for _, n := range d.Host.Namespaces {
		h.Namespaces = append(h.Namespaces, capture.Namespace{NSID: n.NSID, Bytes: n.Bytes, LBABytes: n.LBABytes})
	}
	return h
}
