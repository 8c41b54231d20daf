package inuse

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
)

// Where the kernel's targets are configured.
const (
	nvmetSubsystems = "kernel/config/nvmet/subsystems"
	lioCore         = "kernel/config/target/core"
)

// addNVMet notes what the kernel's NVMe target exports: block devices, and
// whole controllers.
func (s *survey) addNVMet() {
	for _, nqn := range s.children(s.sys, nvmetSubsystems) {
		dir := path.Join(nvmetSubsystems, nqn)
		for _, nsid := range s.children(s.sys, dir+"/namespaces") {
			what := fmt.Sprintf("is exported over fabrics as namespace %s of %s", nsid, nqn)
			s.addExport(path.Join(dir, "namespaces", nsid), end{kind: NVMet, name: nqn, clause: what})
		}
		s.addExport(dir+"/passthru", end{kind: NVMet, name: nqn, clause: "is exported over fabrics as " + nqn})
	}
}

// addExport notes an export if it is enabled: one that is not has opened
// nothing. A file on a file system is covered by its mount.
func (s *survey) addExport(dir string, e end) {
	name := attribute(s.sys, dir, "device_path")
	if attribute(s.sys, dir, "enable") != "1" || name == "" {
		return
	}
	f, err := s.look(name)
	if n, ok := s.resolve(name); ok {
		s.addEnd(n, e)
	} else if err != nil {
		s.unchecked("%s, which %s exports, could not be found", name, e.name)
	} else if f.device.char {
		s.addEnd(f.device, e)
	}
}

// addLIO notes what the kernel's SCSI target has opened.
func (s *survey) addLIO() {
	for _, hba := range s.children(s.sys, lioCore) {
		for _, name := range s.children(s.sys, path.Join(lioCore, hba)) {
			s.addBackstore(path.Join(lioCore, hba, name), path.Join(hba, name))
		}
	}
}

// addBackstore notes one backstore of the SCSI target by the numbers that it
// tells, or else by the path that it was given.
func (s *survey) addBackstore(dir, name string) {
	e := end{kind: LIO, name: name, clause: "is exported by the SCSI target as " + name}
	if n, ok := parseBackstore(attribute(s.sys, dir, "info")); ok {
		s.addEnd(n, e)
		return
	}
	given := attribute(s.sys, dir, "udev_path")
	if !strings.HasPrefix(given, "/") {
		return
	}
	if n, ok := s.resolve(given); ok {
		s.addEnd(n, e)
	} else if strings.HasPrefix(given, "/dev/") {
		s.unchecked("%s, which the SCSI target exports as %s, could not be found", given, name)
	}
}

var backstoreNumbers = lazyregexp.New(`Major: ([0-9]{1,4}) Minor: ([0-9]{1,7})`)

// parseBackstore finds the device number in the description of a backstore.
func parseBackstore(info string) (devno, bool) {
	m := backstoreNumbers.FindStringSubmatch(info)
	if m == nil {
		return devno{}, false
	}
	major, errA := strconv.ParseUint(m[1], 10, 12)
	minor, errB := strconv.ParseUint(m[2], 10, 20)
	n := devno{major: uint32(major), minor: uint32(minor)}
	return n, errA == nil && errB == nil && n != devno{}
}

// notePools notes the imported ZFS pools: the kernel does not say on which
// devices they lie.
func (s *survey) notePools() {
	const kstat = "spl/kstat/zfs"
	for _, pool := range s.children(s.proc, kstat) {
		if len(s.children(s.proc, path.Join(kstat, pool))) > 0 { // statistics of all pools are files
			s.unchecked("the ZFS pool %s is imported, and the kernel does not say on which devices it lies", pool)
		}
	}
}
