package inuse

import (
	"context"
	"slices"
)

// Kind is the way in which a device is used.
type Kind string

// The kinds.
const (
	Mount       Kind = "mount"
	Swap        Kind = "swap"
	Hibernation Kind = "hibernation"
	MD          Kind = "md"
	LVM         Kind = "lvm"
	Crypt       Kind = "crypt"
	Multipath   Kind = "multipath"
	DM          Kind = "dm"
	Bcache      Kind = "bcache"
	DRBD        Kind = "drbd"
	Loop        Kind = "loop"
	NVMet       Kind = "nvmet"
	LIO         Kind = "lio"
	ZFS         Kind = "zfs"
	Btrfs       Kind = "btrfs"
	OpenFile    Kind = "open"
	VFIO        Kind = "vfio"
	Holder      Kind = "holder"
)

// Use is one use of a device.
type Use struct {
	Kind Kind `json:"kind"`
	// Device is the kernel's name of the namespace or partition that is used,
	// such as "nvme0n1p2".
	Device string `json:"device"`
	// Through are the devices between Device and the use, from the drive up,
	// such as "md0", "dm-1 (vg0-root)".
	Through []string `json:"through,omitempty"`
	// Name is the mount point, the array, the volume, the pool or the file; ""
	// if there is none. What cannot be printed in it is U+FFFD.
	Name string `json:"name,omitempty"`
	// PID and Process are the process that has the file open or whose mount
	// namespace has the mount, 0 and "" for none.
	PID     int    `json:"pid,omitempty"`
	Process string `json:"process,omitempty"`
	// Text is a sentence for people: "nvme0n1p2 is mounted on /srv".
	Text string `json:"text"`
}

// Poller is a process that is known to send commands to drives on its own.
type Poller struct {
	PID     int    `json:"pid"`
	Process string `json:"process"`
	// Text says what it does and how to pause it.
	Text string `json:"text"`
}

// Survey is what is known about the use of some devices.
type Survey struct {
	// Uses are in order of device, kind and name.
	Uses    []Use    `json:"uses"`
	Pollers []Poller `json:"pollers"`
	// Unchecked are sentences about what could not be looked at, such as the
	// open files of other users' processes. Empty means that all was seen.
	Unchecked []string `json:"unchecked"`
}

// Survey looks for every use of the devices, and of their partitions and
// holders. devices are the kernel's names: of namespaces in /sys/class/block,
// such as "nvme0n1", and of character devices, such as "nvme0" and "ng0n1".
// Any other block device, such as "loop7", is looked at in the same way.
//
// A device that is not there is one of the Unchecked. The error is that of the
// context, or that /sys/class/block or /proc cannot be read at all.
func (h *Host) Survey(ctx context.Context, devices []string) (*Survey, error) {
	s := newSurvey(ctx, h)
	if err := s.readBlocks(); err != nil {
		return nil, err
	}
	roots := s.roots(devices)
	if err := s.readProcesses(); err != nil {
		return nil, err
	}
	for _, gather := range []func(){
		s.readMounts, s.addMounts, s.addBtrfs, s.addHiddenMounts, s.addJournals,
		s.addSwap, s.addHibernation,
		s.addHolders, s.addLoops, s.addZram,
		s.addNVMet, s.addLIO, s.notePools, s.noteContainer,
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		gather()
	}
	for _, r := range roots {
		s.walk(r)
	}
	return s.result(), ctx.Err()
}

// roots returns the devices that are there, with their partitions, each once.
func (s *survey) roots(devices []string) []root {
	var list []root
	add := func(r root) {
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	for _, name := range devices {
		if n, ok := s.blocks.number[name]; ok {
			add(root{name, n})
			for _, p := range s.partitions(name) {
				add(root{p, s.blocks.number[p]})
			}
		} else if n, ok := s.charDevice(name); ok {
			s.chars[n] = true
			add(root{name, n})
		} else {
			s.unchecked("%s is not there: nothing is known about its use", name)
		}
	}
	return list
}
