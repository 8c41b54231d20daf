package inuse

import (
	"fmt"
	"path"
	"strings"
)

// addHolders notes which device lies on which, as the lower one says (holders)
// and as the upper one says (slaves), and the partitions of devices that lie
// on others.
func (s *survey) addHolders() {
	for _, name := range s.blocks.names {
		for _, upper := range s.children(s.sys, path.Join(classBlock, name, "holders")) {
			s.hold(name, upper)
		}
		for _, lower := range s.children(s.sys, path.Join(classBlock, name, "slaves")) {
			s.hold(lower, name)
		}
		for _, p := range s.partitions(name) {
			s.addEdge(s.blocks.number[name], edge{
				to: s.blocks.number[p], label: p, partition: true,
				end: end{kind: Holder, name: p, clause: "has the partition " + p},
			})
		}
	}
	for _, name := range s.blocks.names {
		s.addUnheld(name)
	}
}

// hold notes that upper lies on lower.
func (s *survey) hold(lower, upper string) {
	from, okLower := s.blocks.number[lower]
	to, okUpper := s.blocks.number[upper]
	switch {
	case okLower && okUpper:
		s.addEdge(from, s.describe(lower, upper, to))
	case okLower:
		s.addEnd(from, end{kind: Holder, name: upper, clause: "is used by " + upper})
	}
}

// describe says what the upper device is.
func (s *survey) describe(lower, upper string, to devno) edge {
	switch dir := path.Join(classBlock, upper); {
	case attribute(s.sys, dir, "dm/name") != "" || attribute(s.sys, dir, "dm/uuid") != "":
		return s.describeDM(upper, to)
	case s.exists(dir + "/md"):
		return s.describeMD(upper, to)
	case s.exists(dir + "/bcache"):
		return edge{to: to, label: upper, end: end{kind: Bcache, name: upper, clause: s.bcacheRole(lower) + upper}}
	case strings.HasPrefix(upper, "drbd"):
		return edge{to: to, label: upper, end: end{kind: DRBD, name: upper, clause: "is replicated as " + upper}}
	}
	return edge{to: to, label: upper, end: end{kind: Holder, name: upper, clause: "is used by " + upper}}
}

// describeDM tells the user of the device mapper by the start of its UUID,
// which each of them chooses so that it can be told.
func (s *survey) describeDM(upper string, to devno) edge {
	dir := path.Join(classBlock, upper, "dm")
	name, uuid := attribute(s.sys, dir, "name"), attribute(s.sys, dir, "uuid")
	kind, clause := DM, "carries the device-mapper volume"
	switch {
	case strings.HasPrefix(uuid, "LVM-"):
		kind, clause = LVM, "carries the LVM volume"
	case strings.HasPrefix(uuid, "CRYPT-"):
		kind, clause = Crypt, "carries the encrypted volume"
	case strings.HasPrefix(uuid, "mpath-"):
		kind, clause = Multipath, "is a path of the multipath device"
	}
	e := end{kind: kind, name: name, clause: fmt.Sprintf("%s %s (%s)", clause, name, upper)}
	return edge{to: to, end: e, label: fmt.Sprintf("%s (%s)", upper, name)}
}

// describeMD says which array it is and whether it runs. An array that does
// not run still holds its devices.
func (s *survey) describeMD(upper string, to devno) edge {
	dir := path.Join(classBlock, upper, "md")
	level, state := attribute(s.sys, dir, "level"), attribute(s.sys, dir, "array_state")
	format, external := strings.CutPrefix(attribute(s.sys, dir, "metadata_version"), "external:")
	clause := "is part of the array " + upper
	switch {
	case external && !strings.HasPrefix(format, "/") && !strings.HasPrefix(format, "-"):
		clause = fmt.Sprintf("is part of the array container %s (%s)", upper, format)
	case state == "inactive" || state == "clear":
		clause += " (inactive)"
	case level != "":
		clause += " (" + level + ")"
	}
	return edge{to: to, label: upper, end: end{kind: MD, name: upper, clause: clause}}
}

// bcacheRole says what a device is to bcache: only the cache has a policy by
// which it replaces what it has.
func (s *survey) bcacheRole(lower string) string {
	if s.exists(path.Join(classBlock, lower, "bcache/cache_replacement_policy")) {
		return "is the cache of "
	}
	return "is the backing device of "
}

// addUnheld notes a device that bcache has registered: a cache that is not
// attached to any device has no holder. The device that bcache makes has the
// same folder as the one behind it.
func (s *survey) addUnheld(name string) {
	n := s.blocks.number[name]
	if len(s.edges[n]) == 0 && !strings.HasPrefix(name, "bcache") && s.exists(path.Join(classBlock, name, "bcache")) {
		s.addEnd(n, end{kind: Bcache, clause: "is registered with bcache"})
	}
}
