package launch

import (
	"regexp"
	"slices"
	"strings"
)

// patterns are the messages of the kernel that count, since Linux 5.1 for the
// queues. Their wording is not an interface: one that changes is missed.
type patterns struct {
	controller, function, fabric, queues, disk *regexp.Regexp
	mounts                                     []mountPattern
}

type mountPattern struct {
	fileSystem string
	message    *regexp.Regexp // with the device as its only group
}

func newPatterns() patterns {
	return patterns{
		controller: regexp.MustCompile(`^nvme (nvme\d+): (.*)$`),
		function:   regexp.MustCompile(`^pci function ([0-9a-f:.]+)$`),
		fabric:     regexp.MustCompile(`^new ctrl: `),
		queues:     regexp.MustCompile(`^(\d+/\d+/\d+) default/read/poll queues$`),
		disk:       regexp.MustCompile(`^\s*(nvme\d+n\d+):((?: p\d+)*)$`),
		mounts: []mountPattern{
			{"ext4", regexp.MustCompile(`^EXT4-fs \(([^)]+)\): mounted filesystem`)},
			{"xfs", regexp.MustCompile(`^XFS \(([^)]+)\): Ending (?:clean mount|recovery)`)},
			{"btrfs", regexp.MustCompile(`^BTRFS info \(device ([^ )]+)[^)]*\): first mount of filesystem`)},
			{"f2fs", regexp.MustCompile(`^F2FS-fs \(([^)]+)\): Mounted with checkpoint version`)},
		},
	}
}

// events takes from the log what counts. Mounts after the end of the boot are
// left out; 0 is an end that is not known.
func (l *kernelLog) events(end float64) *KernelLog {
	k := &KernelLog{Source: l.source, Complete: l.complete, Controllers: []Controller{}, Disks: []Disk{}, Mounts: []Mount{}}
	p := newPatterns()
	for _, m := range l.messages {
		switch {
		case k.addController(p, m), k.addDisk(p, m):
		case end == 0 || m.at <= end:
			k.addMount(p, m)
		}
	}
	return k
}

// addController takes "nvme nvme0: pci function 0000:01:00.0" and "nvme nvme0:
// 8/0/0 default/read/poll queues". Only the first of each counts: a later one
// is a reset.
func (k *KernelLog) addController(p patterns, m message) bool {
	match := p.controller.FindStringSubmatch(m.text)
	if match == nil {
		return false
	}
	function := p.function.FindStringSubmatch(match[2])
	queues := p.queues.FindStringSubmatch(match[2])
	if function == nil && queues == nil && !p.fabric.MatchString(match[2]) {
		return true
	}
	c := k.controller(match[1])
	switch {
	case queues != nil && c.Ready == nil:
		c.Ready, c.Queues = &m.at, queues[1]
	case queues == nil && c.Found == nil:
		c.Found = &m.at
		if function != nil {
			c.Address = function[1]
		}
	}
	return true
}

// controller returns the entry of a controller, a new one if need be.
func (k *KernelLog) controller(name string) *Controller {
	i := slices.IndexFunc(k.Controllers, func(c Controller) bool { return c.Name == name })
	if i < 0 {
		i = len(k.Controllers)
		k.Controllers = append(k.Controllers, Controller{Name: name})
	}
	return &k.Controllers[i]
}

// addDisk takes " nvme0n1: p1 p2", the first read of the medium.
func (k *KernelLog) addDisk(p patterns, m message) bool {
	match := p.disk.FindStringSubmatch(m.text)
	if match == nil {
		return false
	}
	if !slices.ContainsFunc(k.Disks, func(d Disk) bool { return d.Name == match[1] }) {
		k.Disks = append(k.Disks, Disk{Name: match[1], Partitions: append([]string{}, strings.Fields(match[2])...), Seconds: m.at})
	}
	return true
}

// addMount takes the message of a file system that it is mounted.
func (k *KernelLog) addMount(p patterns, m message) {
	for _, pattern := range p.mounts {
		match := pattern.message.FindStringSubmatch(m.text)
		if match == nil || len(k.Mounts) == maxMounts {
			continue
		}
		if !slices.ContainsFunc(k.Mounts, func(have Mount) bool { return have.Device == match[1] }) {
			k.Mounts = append(k.Mounts, Mount{Device: match[1], FileSystem: pattern.fileSystem, Seconds: m.at})
		}
	}
}
