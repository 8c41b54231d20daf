package sysfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// statFunc looks at a path, following links, and returns the file mode and,
// for a device, its number.
type statFunc func(path string) (mode fs.FileMode, major, minor uint32, err error)

// statNode looks at a path of the host.
func statNode(path string) (fs.FileMode, uint32, uint32, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, 0, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.Mode(), 0, 0, nil
	}
	dev := uint64(st.Rdev)
	return info.Mode(), unix.Major(dev), unix.Minor(dev), nil
}

// byPath finds what the device node at a path is.
func (inv *inventory) byPath(name string, stat statFunc) (*Selection, *SelectError) {
	mode, major, minor, err := stat(name)
	if err != nil {
		return nil, statFault(err)
	}
	if mode&fs.ModeDevice == 0 {
		return nil, fileFault(name, mode)
	}
	char := mode&fs.ModeCharDevice != 0
	number := fmt.Sprintf("%d:%d", major, minor)
	hits := inv.hits(func(node, dir string) bool {
		return isChar(node) == char && attribute(inv.fsys, dir, "dev") == number
	})
	if len(hits) > 0 {
		return inv.choose(hits), nil
	}
	if char {
		return nil, &SelectError{Cause: "this character device is not an NVMe drive's", Hint: hintNotNVMe, Err: ErrNotNVMe}
	}
	return nil, inv.blockFault(number)
}

// isChar reports whether the node of this name is a character device: those
// of controllers and the generic ones. The name is the kernel's, from sysfs.
func isChar(node string) bool {
	return isController(node) || isGeneric(node)
}

// statFault explains a path that cannot be looked at.
func statFault(err error) *SelectError {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &SelectError{Cause: "there is no such file or device node", Hint: hintList, Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &SelectError{Cause: "no permission to look at this path", Hint: hintRoot, Err: err}
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		return &SelectError{Cause: "cannot look at this path: " + p.Err.Error(), Hint: hintList, Err: err}
	}
	return &SelectError{Cause: "cannot look at this path: " + err.Error(), Hint: hintList, Err: err}
}

// fileFault explains a path that is not a device node.
func fileFault(name string, mode fs.FileMode) *SelectError {
	switch {
	case mode.IsRegular():
		hint := fmt.Sprintf("replay:%s reads it if it is a capture; qd1 bench %s measures the file system under it", quote(name), quote(name))
		return &SelectError{Cause: "this is a regular file, not a drive", Hint: hint, Err: ErrNotNVMe}
	case mode.IsDir():
		return &SelectError{Cause: "this is a directory, not a drive", Hint: hintList, Err: ErrNotNVMe}
	}
	return &SelectError{Cause: "this is not a device node", Hint: hintList, Err: ErrNotNVMe}
}

// blockFault explains a block device that is not an NVMe namespace.
func (inv *inventory) blockFault(number string) *SelectError {
	name := blockOf(inv.fsys, number)
	if name == "" {
		return &SelectError{Cause: "this block device is not an NVMe drive", Hint: hintNotNVMe, Err: ErrNotNVMe}
	}
	kind, layered := kindOf(inv.fsys, name)
	if !layered {
		return &SelectError{Cause: fmt.Sprintf("%s is %s, not an NVMe drive", name, kind), Hint: hintNotNVMe, Err: ErrNotNVMe}
	}
	below := inv.below(name, 0)
	if len(below) == 0 {
		return &SelectError{Cause: fmt.Sprintf("%s is %s, not a drive", name, kind), Hint: hintList, Err: ErrNotNVMe}
	}
	return &SelectError{
		Cause: fmt.Sprintf("%s is %s on %s, not a drive", name, kind, strings.Join(below, ", ")),
		Hint:  "name the drive under it: /dev/" + strings.Join(below, " or /dev/"), Err: ErrNotNVMe,
	}
}

// blockOf returns the kernel's name of the block device with this number.
func blockOf(fsys fs.FS, number string) string {
	for _, name := range children(fsys, "class/block") {
		if attribute(fsys, "class/block", name, "dev") == number {
			return name
		}
	}
	return ""
}

// kindOf returns what a block device is, and whether it may lie on others.
func kindOf(fsys fs.FS, name string) (kind string, layered bool) {
	dir := path.Join("class/block", name)
	if file := attribute(fsys, dir, "loop/backing_file"); file != "" {
		return "a loop device of the file " + file, true
	}
	if dm := attribute(fsys, dir, "dm/name"); dm != "" {
		return "the device-mapper volume " + dm, true
	}
	if level := attribute(fsys, dir, "md/level"); level != "" {
		return "a " + level + " array", true
	}
	if len(children(fsys, dir+"/slaves")) > 0 {
		return "a device", true
	}
	return "another kind of block device", false
}

// maxLayers bounds the walk down from a layered device.
const maxLayers = 8

// below returns the names of the namespaces that a layered device lies on.
func (inv *inventory) below(name string, depth int) []string {
	if depth > maxLayers {
		return nil
	}
	var names []string
	for _, slave := range children(inv.fsys, path.Join("class/block", name, "slaves")) {
		found := inv.below(slave, depth+1)
		for _, h := range inv.hits(func(node, _ string) bool { return node == slave }) {
			if h.space != nil && h.space.Block != "" {
				found = append(found, h.space.Block)
			}
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
