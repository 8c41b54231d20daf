package inuse

import (
	"fmt"
	"io/fs"
	"path"
)

// classBlock has an entry for each block device, also for partitions.
const classBlock = "class/block"

// blocks are the block devices of the host.
type blocks struct {
	names  []string
	number map[string]devno
	name   map[devno]string
}

// readBlocks reads the numbers of all block devices. One that has none, such
// as a path of a multipath drive, cannot be used.
func (s *survey) readBlocks() error {
	if _, err := fs.ReadDir(s.sys, classBlock); err != nil {
		return fmt.Errorf("list block devices: %w", err)
	}
	s.blocks = blocks{number: map[string]devno{}, name: map[devno]string{}}
	for _, name := range s.children(s.sys, classBlock) {
		if n, ok := parseDevno(attribute(s.sys, classBlock, name, "dev")); ok {
			s.blocks.names = append(s.blocks.names, name)
			s.blocks.number[name], s.blocks.name[n] = n, name
		}
	}
	return nil
}

// partitions returns the partitions of a block device.
func (s *survey) partitions(name string) []string {
	var list []string
	for _, child := range s.children(s.sys, path.Join(classBlock, name)) {
		_, isBlock := s.blocks.number[child]
		if isBlock && attribute(s.sys, classBlock, name, child, "partition") != "" {
			list = append(list, child)
		}
	}
	return list
}

// charDevice returns the number of a controller or of a generic namespace
// device.
func (s *survey) charDevice(name string) (devno, bool) {
	for _, class := range []string{"class/nvme", "class/nvme-generic"} {
		if n, ok := parseDevno(attribute(s.sys, class, name, "dev")); ok && fs.ValidPath(name) {
			n.char = true
			return n, true
		}
	}
	return devno{}, false
}

// resolve returns the block device that a path names. The name alone counts
// only if there is no such node here, as in a container.
func (s *survey) resolve(name string) (devno, bool) {
	if f, err := s.look(name); err == nil {
		return f.device, f.device != devno{} && !f.device.char
	}
	if path.Dir(name) != "/dev" {
		return devno{}, false
	}
	n, ok := s.blocks.number[path.Base(name)]
	return n, ok
}

// beneath returns the block devices of the file system that a file lies on,
// none if it lies on none.
func (s *survey) beneath(f file) []devno {
	if _, ok := s.blocks.name[f.fs]; ok {
		return []devno{f.fs}
	}
	for _, m := range s.own {
		if f.mount != 0 && m.id == f.mount {
			return s.devicesOf(m)
		}
	}
	return nil
}
