package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/scratch"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// place is what is measured, and what is known of it.
type place struct {
	report.BenchTarget
	// directory is where a file is to be made, "" for none.
	directory string
	// device is the kernel's name of the block device below, "" for none.
	device     string
	filesystem *conditions.FileSystem
	extents    *scratch.Extents
	warnings   []string
	// drive is the drive that is asked for its state, nil where none can be.
	drive *report.Session
	// limits are the temperature limits of a simulated drive, nil for others: what
	// is measured is another instance, and nothing else of this one is its state.
	limits *conditions.Limits
	// below is the block device below a file that can be read, nil for none.
	below *bench.Target
	// claimed is the descriptor that the guard gave, nil for a target that is
	// not written to through it.
	claimed *os.File
	closers []func() error
}

// close gives up what was taken, the last first.
func (p *place) close() error {
	var all []error
	for len(p.closers) > 0 {
		last := len(p.closers) - 1
		all = append(all, p.closers[last]())
		p.closers = p.closers[:last]
	}
	return errors.Join(all...)
}

func (p *place) onClose(f func() error) { p.closers = append(p.closers, f) }

// place finds out what to measure: a file, a directory or a block device by its
// path, anything else as a drive. Nothing is written yet.
func (in *invocation) place(b *report.BenchReport) (*place, error) {
	p := &place{}
	selector := in.arg(0)
	info, err := os.Stat(selector)
	switch {
	case in.IsSet("namespace-id") && (err == nil && !isCharacterDevice(info)):
		err = usagef("--namespace-id is of a drive; %s is measured as it is", selector)
	case err == nil && info.Mode().IsRegular():
		err = p.file(selector)
	case err == nil && info.IsDir():
		err = p.folder(selector)
	case isBlockDevice(selector):
		err = p.blockDevice(in, b, selector)
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsRune(selector, '/') && !strings.HasPrefix(selector, "/dev/") && !strings.Contains(selector, ":"):
		err = failf("name a directory to let qd1 make its own file there, or a file that is there to read it", "%s: there is no such file", selector)
	default:
		err = p.openDrive(in, b, selector)
	}
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// file is a file that is there, to be read.
func (p *place) file(path string) error {
	f, err := scratch.OpenExisting(path)
	if errors.Is(err, fs.ErrPermission) {
		return failf("run it as a user that may read the file", "%w", err)
	}
	if err != nil {
		return err
	}
	p.onClose(f.Close)
	p.BenchTarget = report.BenchTarget{Name: path, Detail: "a file on " + f.Filesystem.Type, Target: f.Target}
	p.warnings, p.extents = f.Warnings, &f.Extents
	p.lieOn(path)
	return nil
}

// folder is a directory that a file is to be made in. The target has no size
// yet.
func (p *place) folder(path string) error {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	p.directory = absolute
	p.BenchTarget = report.BenchTarget{Name: path, Detail: "a directory", Target: bench.Target{Kind: bench.FileTarget, Path: absolute}}
	p.lieOn(absolute)
	return nil
}

// lieOn finds the device below a file or directory, and the drive if it may be
// asked.
func (p *place) lieOn(path string) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return
	}
	p.filesystem = conditions.ReadFileSystem(hostRoot(), real)
	if p.filesystem == nil || p.filesystem.Device == "" {
		return
	}
	p.device = p.filesystem.Device
	if t, err := deviceTarget(filepath.Join("/dev", p.device)); err == nil {
		p.below = t
	}
}

// blockDevice is exactly the device that was named, a partition too. If it
// belongs to an NVMe drive that may be asked, the result says which.
func (p *place) blockDevice(in *invocation, b *report.BenchReport, path string) error {
	t, err := deviceTarget(path)
	if err != nil {
		return err
	}
	p.BenchTarget = report.BenchTarget{Name: path, Detail: "a block device", Target: *t}
	p.device = filepath.Base(realName(path))
	if note := alignmentWarning(hostSysfs(), p.device); note != "" {
		p.warnings = append(p.warnings, note)
	}
	if _, err := sysfs.Select(hostSysfs(), path); err != nil {
		return nil
	}
	s, done, err := in.begin()
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	p.onDone(done)
	p.drive = s
	p.whole(s.Drive.Host)
	nameDrive(b, &p.BenchTarget, s)
	return nil
}

func (p *place) onDone(done func()) {
	p.onClose(func() error { done(); return nil })
}

// whole adds the generic node where the target is a whole namespace.
func (p *place) whole(host *sysfs.Controller) {
	for _, n := range host.Namespaces {
		if n.Block == p.device {
			p.Target.NSID = n.NSID
			if n.Generic != "" {
				p.Target.Generic = filepath.Join("/dev", n.Generic)
			}
		}
	}
}

// openDrive opens a drive to learn what to measure of it, and who it is.
func (p *place) openDrive(in *invocation, b *report.BenchReport, selector string) error {
	s, done, err := in.begin()
	if err != nil {
		return err
	}
	p.onDone(done)
	if s.Drive.Target == nil {
		why := cmp.Or(s.Drive.WhyNoTarget, "a capture has no data to read")
		return failf("name a drive, a block device, a directory or a file", "%s: %s", selector, why)
	}
	if p.Target, err = in.namespaceTarget(s); err != nil {
		return err
	}
	if p.Target.Kind == bench.BlockTarget {
		p.device = filepath.Base(p.Target.Path)
		p.drive = s
		p.whole(s.Drive.Host)
	}
	if p.Target.Kind == bench.SimulatedTarget {
		p.limits = conditions.ReadDrive(in.Context.Context, s.Controller).Limits
	}
	nameDrive(b, &p.BenchTarget, s)
	return nil
}

// namespaceTarget is the namespace that --namespace-id names, or the first.
func (in *invocation) namespaceTarget(s *report.Session) (bench.Target, error) {
	nsid, err := in.nsid()
	if err != nil || nsid == 0 {
		return *s.Drive.Target, err
	}
	if s.Drive.Simulated && s.Drive.Target.Kind == bench.SimulatedTarget {
		if first := s.Drive.Host.Namespaces; len(first) > 0 && first[0].NSID == uint32(nsid) {
			return *s.Drive.Target, nil
		}
		return bench.Target{}, usagef("--namespace-id %d: of a simulated drive only the first namespace is measured", nsid)
	}
	t, why := blockTarget(s.Drive.Host, &sysfs.Selection{NSID: uint32(nsid)})
	if t == nil {
		return bench.Target{}, failf("qd1 list shows the namespaces", "namespace %d: %s", nsid, why)
	}
	return *t, nil
}

// nameDrive says whose figures these are.
func nameDrive(b *report.BenchReport, t *report.BenchTarget, s *report.Session) {
	b.Simulated, b.Drive = s.Drive.Simulated, &s.Identity
	t.Name, t.Detail = orSelector(s.Identity.Model, s.Drive.Selector), "serial "+s.Identity.Serial
}

func orSelector(s, selector string) string {
	if strings.TrimSpace(s) == "" {
		return selector
	}
	return s
}

func isCharacterDevice(info os.FileInfo) bool { return info.Mode()&os.ModeCharDevice != 0 }

func isBlockDevice(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&os.ModeDevice != 0 && info.Mode()&os.ModeCharDevice == 0
}

// raw reports whether writing would go past any filesystem.
func (p *place) raw() bool { return p.Target.Kind != bench.FileTarget }

// mayWrite returns why the target cannot be written to at all, nil if a file is
// to be made or the guard is to be asked.
func (p *place) mayWrite() error {
	switch {
	case p.directory != "", p.Target.Kind == bench.SimulatedTarget:
		return nil
	case p.Target.Kind == bench.FileTarget:
		return refusef("name its directory: qd1 makes a file of its own there, and removes it", "%s is a file of yours, which is never written to. Nothing was written", p.Name)
	case p.Target.NSID == 0:
		return refusef("name a directory on it, or a whole NVMe drive by its full serial number", "%s is not a whole namespace of an NVMe drive: the guard cannot tell what writing to it would destroy. Nothing was written", p.Name)
	}
	return nil
}

// makeFile makes the file in the directory.
func (p *place) makeFile(ctx context.Context, bytes int64, progress func(done int64)) error {
	f, err := scratch.Make(ctx, p.directory, bytes, scratch.Options{Progress: progress})
	if err != nil {
		return err
	}
	p.onClose(f.Close)
	p.Target, p.extents = f.Target, &f.Extents
	p.warnings = append(p.warnings, f.Warnings...)
	p.Detail = "a file made in the directory, on " + f.Filesystem.Type
	return nil
}

// controller asks the drive, nil where there is none to ask.
func (p *place) controller() *nvme.Controller {
	if p.drive == nil {
		return nil
	}
	return p.drive.Controller
}

// hostRoot is the tree that conditions are read from.
func hostRoot() fs.FS { return sysfs.Limit(os.DirFS("/"), time.Second) }

// leftoversNote says what killed runs left in a directory.
func leftoversNote(dir string) string {
	left, err := scratch.Leftovers(dir)
	if err != nil || len(left) == 0 {
		return ""
	}
	var removed []string
	for _, l := range left {
		if l.Remove() == nil {
			removed = append(removed, l.Path)
		}
	}
	if len(removed) == 0 {
		return ""
	}
	return fmt.Sprintf("removed what a killed run had left: %s", strings.Join(removed, ", "))
}
