package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/capture"
	"qd1.example/qd1/internal/dump"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// openFile makes a drive of a file, by its content: a capture, or what another
// tool printed. which chooses among several drives, "" for the only one.
func (in *invocation) openFile(name, which string) (*report.Drive, error) {
	r, err := in.openText(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b := bufio.NewReader(r)
	if start, _ := b.Peek(len(captureStart)); string(start) == captureStart {
		return namedCapture(name, b)
	}
	d, err := dump.Read(b)
	if err != nil {
		return nil, dumpError(name, err)
	}
	return chooseDrive(name, d, which)
}

// dumpError says why a file gives no drive.
func dumpError(name string, err error) error {
	if name == "-" {
		name = "standard input"
	}
	var fault *dump.ParseError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return context.Canceled // Reading a pipe was interrupted.
	case errors.Is(err, dump.ErrEmpty):
		return failf("did the tool print only an error? it needs root, and errors go to standard error", "%s is empty", name)
	case errors.Is(err, dump.ErrCompressed):
		return failf("unpack it first, such as with: zcat FILE | qd1 report -", "%s is %w", name, err)
	case errors.As(err, &fault) && errors.Is(err, dump.ErrNotDump):
		return failf("qd1 bench FILE measures a file; qd1 capture DRIVE FILE makes a capture", "%s is no drive, no capture and %w", name, dump.ErrNotDump)
	}
	return failf("is the file cut or mixed with another one? save the output of the tool as it is", "%s: %w", name, err)
}

// namedCapture makes a drive of a capture that was named without its prefix.
func namedCapture(name string, r io.Reader) (*report.Drive, error) {
	c, err := capture.Read(r)
	if err != nil {
		return nil, failf(hintCapture(err), "%s: %w", name, err)
	}
	return driveOfCapture(c, plain), nil
}

// chooseDrive picks the drive that the user means: by its number in the file,
// else by its serial number or the end of it.
func chooseDrive(name string, d *dump.Dump, which string) (*report.Drive, error) {
	fit := d.Drives
	if n, err := strconv.Atoi(which); err == nil && n >= 1 && n <= len(fit) {
		fit = fit[n-1 : n]
	} else if which != "" {
		fit = slices.DeleteFunc(slices.Clone(fit), func(x *dump.Drive) bool { return x.Serial == "" || !strings.HasSuffix(x.Serial, which) })
	}
	switch {
	case len(d.Drives) == 0:
		return nil, failf("nvme list shows drives only to root", "%s: no NVMe drive in this list", name)
	case len(fit) == 1:
		return driveOfDump(d, fit[0]), nil
	case which == "":
		return nil, failf("choose one with --drive=NUMBER or --drive=SERIAL", "%s has %d drives: %s", name, len(fit), driveList(d))
	}
	return nil, failf("give its number or more of its serial number", "%s: --drive=%s fits %d drives of: %s", name, which, len(fit), driveList(d))
}

func driveList(d *dump.Dump) string {
	var list []string
	for i, x := range d.Drives {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%d %s %s", i+1, x.Model, x.Serial)))
	}
	return strings.Join(list, ", ")
}

// driveOfDump is a drive of which another tool printed a part.
func driveOfDump(d *dump.Dump, x *dump.Drive) *report.Drive {
	h := &sysfs.Controller{Serial: x.Serial, Model: x.Model, Firmware: x.Firmware, CNTLID: -1, Link: linkOfDump(x.Host.Link)}
	return &report.Drive{
		Passthru: nvme.ReadOnly(printed{x}), Host: h, Source: sourceOf(d, x),
		Close: func() error { return nil },
	}
}

func sourceOf(d *dump.Dump, x *dump.Drive) *report.Source {
	s := &report.Source{
		Tool: d.Tool, Version: d.Version, Guessed: d.Guessed, Device: x.Host.Device,
		Platform: x.Host.Platform, Time: x.Host.Time, Interface: x.Host.Interface, Opinion: x.Host.Verdict,
		Missing: x.Missing(), Rounded: x.RoundedFields(), Notes: x.Notes,
		SomeNamespaces: !x.AllNamespaces(), SizeRounded: x.Host.SizeRounded,
	}
	if n := int64(x.Host.SizeBytes); n > 0 {
		s.SizeBytes = &n
	}
	return s
}

// linkOfDump leaves out what the dump does not say.
func linkOfDump(l *dump.Link) *sysfs.Link {
	if l == nil {
		return nil
	}
	return &sysfs.Link{SpeedGTs: nonZero(l.SpeedGTs), Width: nonZero(l.Width), MaxSpeedGTs: nonZero(l.MaxSpeedGTs), MaxWidth: nonZero(l.MaxWidth)}
}

func nonZero[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// printed gives what is missing from a dump the report's own word for it.
type printed struct{ *dump.Drive }

func (p printed) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	cpl, err := p.Drive.Submit(ctx, cmd)
	if errors.Is(err, dump.ErrNotInDump) {
		err = &report.Problem{Kind: report.KindNotInDump, Text: "not in this dump"}
	}
	return cpl, err
}

// fileDrive makes a drive of a file for the report, and says whether the
// selector means one.
func (in *invocation) fileDrive() (*report.Drive, bool, error) {
	selector, which := in.arg(0), in.String("drive")
	switch {
	case isFile(selector):
		d, err := in.openFile(selector, which)
		if d != nil {
			d.Selector = selector
		}
		return d, true, err
	case which != "":
		return nil, true, usagef("--drive chooses a drive of a file with several; %q is no file", selector)
	}
	return nil, false, nil
}
