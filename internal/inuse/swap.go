package inuse

import (
	"path"
	"slices"
	"strings"
)

// addSwap notes the swap areas: devices, and files by the device under them.
func (s *survey) addSwap() {
	for _, a := range parseSwaps(attribute(s.proc, "swaps")) {
		if a.file {
			s.addSwapFile(a.path)
		} else if n, ok := s.resolve(a.path); ok {
			s.addEnd(n, end{kind: Swap, clause: "is used as swap"})
		} else {
			s.unchecked("the swap area %s could not be found", a.path)
		}
	}
}

// addSwapFile notes a swap file. The mount of its file system is a use of its
// own, so that one that is not found hides nothing.
func (s *survey) addSwapFile(name string) {
	f, err := s.look(name)
	if err != nil {
		return
	}
	for _, n := range s.beneath(f) {
		s.addEnd(n, end{kind: Swap, name: name, clause: "has the swap file " + name})
	}
}

// swapArea is a line of /proc/swaps.
type swapArea struct {
	path string
	file bool
}

// parseSwaps parses /proc/swaps, whose first line is a heading.
func parseSwaps(text string) []swapArea {
	var list []swapArea
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 2 || !strings.HasPrefix(f[0], "/") {
			continue
		}
		name := strings.TrimSuffix(unescape(f[0]), " (deleted)")
		list = append(list, swapArea{name, f[1] == "file"})
	}
	return list
}

// addHibernation notes the device that the system hibernates to: an image that
// is there is lost with it.
func (s *survey) addHibernation() {
	const clause = "is where this system hibernates to"
	if n, ok := parseDevno(attribute(s.sys, "power/resume")); ok {
		s.addEnd(n, end{kind: Hibernation, clause: clause})
	}
	for _, value := range parseResume(attribute(s.proc, "cmdline")) {
		if n, ok := s.resolveResume(value); ok {
			s.addEnd(n, end{kind: Hibernation, clause: clause})
		} else {
			s.unchecked("%s, which the command line of the kernel names for hibernation, could not be found", value)
		}
	}
}

// parseResume returns the values of resume= on the kernel's command line, none
// if it also has noresume.
func parseResume(cmdline string) []string {
	words := strings.Fields(strings.ReplaceAll(cmdline, `"`, ""))
	if slices.Contains(words, "noresume") {
		return nil
	}
	var values []string
	for _, w := range words {
		if v, ok := strings.CutPrefix(w, "resume="); ok && v != "" {
			values = append(values, v)
		}
	}
	return values
}

// resolveResume finds the device that resume= names: by path, by number, or by
// a link that udev made.
func (s *survey) resolveResume(value string) (devno, bool) {
	if n, ok := parseDevno(value); ok {
		return n, true
	}
	key, id, ok := strings.Cut(value, "=")
	if !ok {
		return s.resolve(value)
	}
	dir := map[string]string{
		"UUID": "by-uuid", "PARTUUID": "by-partuuid", "LABEL": "by-label", "PARTLABEL": "by-partlabel",
	}[key]
	if dir == "" || path.Base(id) != id {
		return devno{}, false
	}
	for _, spelling := range []string{id, strings.ToLower(id)} {
		if n, ok := s.resolve(path.Join("/dev/disk", dir, spelling)); ok {
			return n, true
		}
	}
	return devno{}, false
}
