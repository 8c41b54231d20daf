package inuse

import (
	"fmt"
	"path"
	"slices"
)

// A btrfs file system may lie on several devices, and its mounts have a device
// number of no device. The kernel lists the devices of each active one.
const fsBtrfs = "fs/btrfs"

// btrfs is an active btrfs file system.
type btrfs struct {
	uuid    string
	members []devno
	// mounts are those of this file system as far as they could be told apart.
	mounts []*mount
}

// addBtrfs notes the devices of active btrfs file systems.
func (s *survey) addBtrfs() {
	for _, f := range s.readBtrfs() {
		for _, n := range f.members {
			for _, m := range f.mounts {
				s.addMount(n, m, f.clause()+"is mounted on "+m.where())
			}
			if len(f.mounts) == 0 {
				s.addEnd(n, end{kind: Btrfs, name: f.uuid, clause: "is a device of the active btrfs file system " + f.uuid})
			}
		}
	}
}

// clause says that a mount is of several devices.
func (f *btrfs) clause() string {
	if len(f.members) < 2 {
		return ""
	}
	return fmt.Sprintf("is one of %d devices of the btrfs file system that ", len(f.members))
}

// readBtrfs reads the active file systems and finds their mounts.
func (s *survey) readBtrfs() []btrfs {
	var list []btrfs
	for _, uuid := range s.children(s.sys, fsBtrfs) {
		f := btrfs{uuid: uuid}
		for _, name := range s.children(s.sys, path.Join(fsBtrfs, uuid, "devices")) {
			if n, ok := s.blocks.number[name]; ok {
				f.members = append(f.members, n)
			}
		}
		if len(f.members) > 0 {
			list = append(list, f)
		}
	}
	for i := range s.mounts {
		if f := s.btrfsOf(list, &s.mounts[i]); f != nil {
			f.mounts = append(f.mounts, &s.mounts[i])
		}
	}
	return list
}

// btrfsOf returns the file system that a mount shows. The kernel gives the
// name of one of its devices as the source; where there is only one active
// file system, it is that.
func (s *survey) btrfsOf(list []btrfs, m *mount) *btrfs {
	if m.fsType != "btrfs" {
		return nil
	}
	if n, ok := s.resolve(m.source); ok {
		for i := range list {
			if slices.Contains(list[i].members, n) {
				return &list[i]
			}
		}
	}
	if len(list) == 1 {
		return &list[0]
	}
	return nil
}

// devicesOf returns the block devices of a mounted file system.
func (s *survey) devicesOf(m mount) []devno {
	if _, ok := s.blocks.name[m.device]; ok {
		return []devno{m.device}
	}
	list := s.readBtrfs()
	if f := s.btrfsOf(list, &m); f != nil {
		return f.members
	}
	return nil
}
