package sysfs

import (
	"cmp"
	"errors"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Namespace is one namespace as the host sees it.
type Namespace struct {
	// NSID is the namespace identifier; 0 if it could not be read.
	NSID uint32
	// Block is the name of the block node, such as "nvme0n1"; "" if there is
	// none.
	Block string
	// Generic is the name of the character node, such as "ng0n1"; "" if there
	// is none.
	Generic string
	// Bytes is the size of the block device; 0 if it could not be read or the
	// kernel cannot use the format.
	Bytes int64
	// LBABytes is the size of a logical block in bytes; 0 if it could not be
	// read.
	LBABytes int
	// Partitions are the names of the partitions, in order of their number.
	Partitions []string
	// Hidden says that the kernel gives the namespace no block node: its
	// command set or format is not for block devices.
	Hidden bool
}

// space is a namespace with the directories that describe it.
type space struct {
	Namespace
	// dir is the directory of the block device, genericDir that of the
	// character device; "" if there is none.
	dir, genericDir string
}

// spacesOf returns the namespaces that the controller in dir reaches.
//
// A namespace that only this controller can reach is a directory nvmeXnY in
// the controller's. Under native multipath that directory, the head, is the
// subsystem's, and the controller has a path nvmeXcYnZ without a node.
// A dead controller loses its paths; if it is the only one of its subsystem,
// the heads are still its namespaces.
func spacesOf(fsys fs.FS, dir, subsystem string) []space {
	heads := headsOf(fsys, subsystem)
	var spaces []space
	for _, name := range children(fsys, dir) {
		switch {
		case isBlock(name):
			spaces = append(spaces, readSpace(fsys, dir, name))
		case isPath(name):
			spaces = append(spaces, throughPath(fsys, dir, name, heads))
		}
	}
	if len(spaces) == 0 && len(heads) > 0 && len(membersOf(fsys, subsystem)) == 1 {
		spaces = heads
	}
	slices.SortStableFunc(spaces, func(a, b space) int { return cmp.Compare(a.NSID, b.NSID) })
	return spaces
}

// headsOf returns the namespaces of a subsystem.
func headsOf(fsys fs.FS, subsystem string) []space {
	if subsystem == "" {
		return nil
	}
	dir := path.Join(classSubsystem, subsystem)
	var heads []space
	for _, name := range children(fsys, dir) {
		if isBlock(name) {
			heads = append(heads, readSpace(fsys, dir, name))
		}
	}
	return heads
}

// throughPath returns the head that a path leads to. Kernels since 6.15 link
// the paths of a head below it. Else it is the only head with the path's NSID,
// or, where several namespaces have the same, the one with the path's name
// without the controller's part. A path without a head has no node.
func throughPath(fsys fs.FS, dir, name string, heads []space) space {
	for _, h := range heads {
		if _, err := fs.ReadLink(fsys, path.Join(h.dir, "multipath", name)); err == nil {
			return h
		}
	}
	nsid := nsidOf(fsys, path.Join(dir, name), name)
	same := slices.DeleteFunc(slices.Clone(heads), func(h space) bool { return h.NSID != nsid || nsid == 0 })
	if len(same) == 1 {
		return same[0]
	}
	for _, h := range heads {
		if h.Block == headOf(name) {
			return h
		}
	}
	p := readSpace(fsys, dir, name)
	p.Block, p.Hidden = "", true
	return p
}

// readSpace reads the block device name in parent.
func readSpace(fsys fs.FS, parent, name string) space {
	dir := path.Join(parent, name)
	s := space{dir: dir}
	s.NSID = nsidOf(fsys, dir, name)
	s.Block = name
	if attribute(fsys, dir, "hidden") == "1" {
		s.Block, s.Hidden = "", true
	}
	if sectors, ok := unsigned(fsys, 64, dir, "size"); ok && sectors <= math.MaxInt64/512 {
		s.Bytes = int64(sectors) * 512
	}
	if n, ok := unsigned(fsys, 31, dir, "queue/logical_block_size"); ok {
		s.LBABytes = int(n)
	}
	if s.Generic = genericOf(fsys, parent, name); s.Generic != "" {
		s.genericDir = path.Join(parent, s.Generic)
	}
	s.Partitions = partitionsOf(fsys, dir)
	return s
}

// nsidOf returns the nsid attribute. Kernels without the attribute (before
// 4.5) put the NSID itself into the name, so that there, and only there, the
// name tells. An attribute that cannot be read gives 0.
func nsidOf(fsys fs.FS, dir, name string) uint32 {
	text, exists := readAttribute(fsys, dir+"/nsid")
	if !exists {
		return uint32(max(trailing(name), 0))
	}
	n, _ := strconv.ParseUint(text, 0, 32)
	return uint32(n)
}

// genericOf returns the character device beside the block device name. It has
// no attribute that names the namespace; the kernel creates it in the same
// directory with the same last number, which counts the namespaces of the
// subsystem. The first numbers may differ.
func genericOf(fsys fs.FS, parent, name string) string {
	for _, generic := range children(fsys, parent) {
		if isGeneric(generic) && trailing(generic) == trailing(name) &&
			attribute(fsys, parent, generic, "dev") != "" {
			return generic
		}
	}
	return ""
}

// partitionsOf returns the directories that have a partition number, in its
// order. The kernel names a partition by its disk, with more behind.
func partitionsOf(fsys fs.FS, dir string) []string {
	numbers := map[string]uint64{}
	var names []string
	entries, _ := fs.ReadDir(fsys, dir)
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), path.Base(dir)) {
			continue
		}
		if n, ok := unsigned(fsys, 31, dir, e.Name(), "partition"); ok {
			numbers[e.Name()] = n
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	return names
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
