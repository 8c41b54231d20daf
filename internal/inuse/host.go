package inuse

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Host is where to look. Its zero value is this computer.
type Host struct {
	// Ignore are processes that do not count: the program itself.
	Ignore []int

	// sys and proc are the trees /sys and /proc, nil for the real ones.
	sys, proc fs.FS
	// stat looks at a path of the host, following links; nil for the real one.
	stat func(path string) (file, error)
	// loop asks a loop device what it lies on; nil for the real one.
	loop func(name string, n devno) (file, error)
}

// System returns the Host of this computer, without this process.
func System() *Host { return &Host{Ignore: []int{os.Getpid()}} }

// complete returns the host with nothing left out.
func (h *Host) complete() *Host {
	c := *h
	if c.sys == nil {
		c.sys = os.DirFS("/sys")
	}
	if c.proc == nil {
		c.proc = os.DirFS("/proc")
	}
	if c.stat == nil {
		c.stat = statPath
	}
	if c.loop == nil {
		c.loop = loopStatus
	}
	return &c
}

// BoundToVFIO reports whether the PCI function is given to a program or a
// virtual machine by VFIO, so that the kernel shows no drive there.
// pciAddress is in the kernel's form, such as "0000:01:00.0".
func (h *Host) BoundToVFIO(pciAddress string) bool {
	driver, err := fs.ReadLink(h.complete().sys, path.Join("bus/pci/devices", pciAddress, "driver"))
	name := strings.ReplaceAll(path.Base(driver), "_", "-")
	return err == nil && strings.HasSuffix(name, "vfio-pci")
}

// devno is a device number.
type devno struct {
	char         bool
	major, minor uint32
}

// parseDevno reads "259:1" as the number of a block device. 0:0 is none.
func parseDevno(s string) (devno, bool) {
	a, b, ok := strings.Cut(strings.TrimSpace(s), ":")
	major, errA := strconv.ParseUint(a, 10, 12)
	minor, errB := strconv.ParseUint(b, 10, 20)
	n := devno{major: uint32(major), minor: uint32(minor)}
	return n, ok && errA == nil && errB == nil && n != devno{}
}

// file is what is known of a path.
type file struct {
	// device is the number of a device node, zero for anything else.
	device devno
	// fs is the number of the file system, mount the identifier of the mount; 0
	// if the kernel does not say.
	fs    devno
	mount int
}

// statPath looks at a path. What is cached of a file on a network is good
// enough, so that a server that is gone does not hold up anything.
func statPath(name string) (file, error) {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, name, unix.AT_STATX_DONT_SYNC|unix.AT_NO_AUTOMOUNT, unix.STATX_TYPE|unix.STATX_MNT_ID, &st)
	if err != nil {
		return file{}, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	f := file{fs: devno{major: st.Dev_major, minor: st.Dev_minor}}
	if st.Mask&unix.STATX_MNT_ID != 0 {
		f.mount = int(st.Mnt_id)
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFBLK, unix.S_IFCHR:
		f.device = devno{st.Mode&unix.S_IFMT == unix.S_IFCHR, st.Rdev_major, st.Rdev_minor}
	}
	return f, nil
}

// loopStatus asks the loop device itself, which knows better than the name of
// its file. It is opened only if the node is the device that it should be.
func loopStatus(name string, n devno) (file, error) {
	node := "/dev/" + name
	if f, err := statPath(node); err != nil || f.device != n {
		return file{}, fmt.Errorf("%s is not the loop device: %w", node, errors.Join(err, fs.ErrNotExist))
	}
	fd, err := unix.Open(node, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return file{}, fmt.Errorf("open %s: %w", node, err)
	}
	defer unix.Close(fd)
	info, err := unix.IoctlLoopGetStatus64(fd)
	if err != nil {
		return file{}, fmt.Errorf("status of %s: %w", node, err)
	}
	return file{device: splitDevno(info.Rdevice), fs: splitDevno(info.Device)}, nil
}

func splitDevno(d uint64) devno { return devno{major: unix.Major(d), minor: unix.Minor(d)} }

// attribute reads a short text, "" if there is none.
func attribute(fsys fs.FS, name ...string) string {
	b, err := fs.ReadFile(fsys, path.Join(name...))
	if err != nil {
		return ""
	}
	return strings.Trim(string(b), " \t\r\n\x00")
}

// children returns the names in a directory in natural order, none if there is
// no such directory. One that must not be read is noted.
func (s *survey) children(fsys fs.FS, dir string) []string {
	entries, err := fs.ReadDir(fsys, dir)
	if errors.Is(err, fs.ErrPermission) {
		s.unchecked("%s could not be read for lack of permission", dir)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	slices.SortFunc(names, natural)
	return names
}
