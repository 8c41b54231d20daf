package inuse

import (
	"io/fs"
	"path"
	"strings"
)

// addLoops notes the loop devices, which the kernel does not list as holders:
// on a device, or on a file of a file system of one.
func (s *survey) addLoops() {
	for _, name := range s.blocks.names {
		backing := attribute(s.sys, classBlock, name, "loop/backing_file")
		if backing == "" {
			continue
		}
		backing = strings.TrimSuffix(backing, " (deleted)")
		s.addLoop(name, backing)
	}
}

func (s *survey) addLoop(name, backing string) {
	to := s.blocks.number[name]
	e := edge{to: to, label: name, end: end{kind: Loop, name: backing, clause: "is behind the loop device " + name}}
	f, err := s.loop(name, to)
	if err != nil {
		f, err = s.look(backing)
	} else if f.device == (devno{}) && len(s.beneath(f)) == 0 {
		f, err = s.look(backing) // its file system may be told by its mount
	}
	switch {
	case err != nil && strings.HasPrefix(backing, "/dev/"):
		if n, ok := s.resolve(backing); ok {
			s.addEdge(n, e)
			return
		}
		s.unchecked("%s, on which %s lies, could not be found", backing, name)
	case err != nil:
		// A file: the mount of its file system is a use of its own.
	case f.device != devno{}:
		s.addEdge(f.device, e)
	default:
		e.label, e.clause = name+" ("+backing+")", "has the file "+backing+" of "+name
		for _, n := range s.beneath(f) {
			s.addEdge(n, e)
		}
	}
}

// addZram notes the devices that compressed memory is written back to.
func (s *survey) addZram() {
	for _, name := range s.blocks.names {
		backing := attribute(s.sys, classBlock, name, "backing_dev")
		if !strings.HasPrefix(backing, "/") {
			continue
		}
		n, ok := s.resolve(backing)
		if !ok {
			s.unchecked("%s, to which %s writes back, could not be found", backing, name)
			continue
		}
		s.addEdge(n, edge{to: s.blocks.number[name], label: name,
			end: end{kind: Holder, name: name, clause: "takes what " + name + " writes back"}})
	}
}

// exists reports whether a path of /sys is there.
func (s *survey) exists(name string) bool {
	_, err := fs.Stat(s.sys, path.Clean(name))
	return err == nil
}
