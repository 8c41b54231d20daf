package state

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Volatile reports whether what is written to a directory is lost when the
// machine is restarted: it lies in a file system in memory (tmpfs, ramfs) or
// in an overlay whose upper layer does, as on systems that run from a medium
// for installing. A directory that does not exist yet is judged by the one
// above it. The text names the file system, such as "overlay on tmpfs"; it is
// "" for others than these. An overlay whose upper layer cannot be seen from
// here, as in a container, counts as kept and its text says so. Disks in
// memory (zram, brd) are not recognised.
func Volatile(dir string) (bool, string) { return volatile(kernel{}, dir) }

// mountFacts is what is known about the file system of a path.
type mountFacts interface {
	magic(path string) (uint32, error)
	device(path string) (uint64, error)
	mounts() ([]byte, error)
}

// maxUpper bounds how deep overlays may lie on overlays.
const maxUpper = 4

func volatile(k mountFacts, dir string) (bool, string) {
	over := ""
	for range maxUpper {
		magic, path, err := nearest(k, dir)
		if err != nil {
			return false, ""
		}
		if name := memoryFS(magic); name != "" {
			return true, over + name
		}
		if magic != unix.OVERLAYFS_SUPER_MAGIC {
			return false, ""
		}
		upper := upperDir(k, path)
		if upper == "" {
			return false, over + "overlay whose upper layer cannot be seen"
		}
		over, dir = over+"overlay on ", upper
	}
	return false, ""
}

// memoryFS names a file system in memory, "" for others.
func memoryFS(magic uint32) string {
	switch magic {
	case unix.TMPFS_MAGIC:
		return "tmpfs"
	case unix.RAMFS_MAGIC:
		return "ramfs"
	}
	return ""
}

// nearest returns the file system of a path or, while it does not exist, of
// the directory above it.
func nearest(k mountFacts, path string) (magic uint32, found string, err error) {
	for path = filepath.Clean(path); ; path = filepath.Dir(path) {
		magic, err = k.magic(path)
		if !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
			return magic, path, err
		}
	}
}

// upperDir returns the directory that the overlay of a path writes to, "" if
// it is not known or does not exist in this mount namespace.
func upperDir(k mountFacts, path string) string {
	dev, err := k.device(path)
	if err != nil {
		return ""
	}
	text, err := k.mounts()
	if err != nil {
		return ""
	}
	upper := upperOption(text, fmt.Sprintf("%d:%d", unix.Major(dev), unix.Minor(dev)))
	if !filepath.IsAbs(upper) {
		return ""
	}
	if _, err := k.magic(upper); err != nil {
		return ""
	}
	return upper
}

// upperOption finds the option upperdir of the overlay with a device number in
// the text of /proc/PID/mountinfo.
//
// Source: Linux kernel, Documentation/filesystems/proc.rst,
// /proc/<pid>/mountinfo.
func upperOption(mountinfo []byte, number string) string {
	for line := range bytes.Lines(mountinfo) {
		head, tail, _ := strings.Cut(string(line), " - ")
		left, right := strings.Fields(head), strings.Fields(tail)
		if len(left) < 3 || left[2] != number || len(right) < 3 || right[0] != "overlay" {
			continue
		}
		for option := range strings.SplitSeq(right[2], ",") {
			if upper, ok := strings.CutPrefix(option, "upperdir="); ok {
				return unescape(upper)
			}
		}
	}
	return ""
}

// unescape resolves the octal escapes of mountinfo, such as \040 for a space.
func unescape(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		if s[0] == '\\' && len(s) >= 4 {
			if n, err := strconv.ParseUint(s[1:4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				s = s[4:]
				continue
			}
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String()
}

// kernel is the real one.
type kernel struct{}

func (kernel) magic(path string) (uint32, error) {
	var s unix.Statfs_t
	err := unix.Statfs(path, &s)
	return uint32(s.Type), err
}

func (kernel) device(path string) (uint64, error) {
	var s unix.Stat_t
	err := unix.Stat(path, &s)
	return uint64(s.Dev), err
}

func (kernel) mounts() ([]byte, error) { return os.ReadFile("/proc/self/mountinfo") }
