package launch

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	maxFiles     = 20000
	maxProcesses = 256
)

// seen collects the files that a program uses: its executable with the
// libraries that it names, and what its processes have open or mapped whenever
// somebody looks. What is opened and closed between two looks is missed.
type seen struct {
	proc  string // "/proc"
	files map[string]struct{}
}

// newSeen starts with what the executable names.
func newSeen(h host, p program) *seen {
	s := &seen{proc: h.proc, files: map[string]struct{}{}}
	l := newLinker(h, p.options.Env)
	for _, path := range l.closure(p.path) {
		s.add(path)
	}
	return s
}

func (s *seen) add(path string) {
	if len(s.files) < maxFiles && strings.HasPrefix(path, "/") && !strings.HasSuffix(path, " (deleted)") {
		s.files[path] = struct{}{}
	}
}

// look adds what the process and its descendants use now. What cannot be read,
// because the process has ended or belongs to another user, is left out.
func (s *seen) look(pid int) {
	for _, p := range s.family(pid) {
		dir := filepath.Join(s.proc, strconv.Itoa(p))
		if text, err := os.ReadFile(dir + "/maps"); err == nil {
			for _, path := range parseMaps(string(text)) {
				s.add(path)
			}
		}
		open, _ := os.ReadDir(dir + "/fd")
		for _, fd := range open {
			if path, err := os.Readlink(filepath.Join(dir, "fd", fd.Name())); err == nil {
				s.add(path)
			}
		}
	}
}

// family returns a process and its descendants, by the files "children" of its
// threads (proc_pid_task(5)), which not every kernel has.
func (s *seen) family(pid int) []int {
	all := []int{pid}
	for i := 0; i < len(all) && len(all) < maxProcesses; i++ {
		lists, _ := filepath.Glob(filepath.Join(s.proc, strconv.Itoa(all[i]), "task", "*", "children"))
		for _, list := range lists {
			text, _ := os.ReadFile(list)
			for _, field := range strings.Fields(string(text)) {
				if child, err := strconv.Atoi(field); err == nil && !slices.Contains(all, child) {
					all = append(all, child)
				}
			}
		}
	}
	return all
}

// list returns the regular files in order, without those that are not on a
// medium.
func (s *seen) list() []string {
	var files []string
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		if hasPrefix(path, "/proc/", "/sys/", "/dev/") {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
	}
	return files
}

func hasPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// parseMaps returns the files of /proc/PID/maps (proc_pid_maps(5)): the sixth
// field where it is a path. A line feed in a name is written \012.
func parseMaps(text string) []string {
	var paths []string
	for line := range strings.Lines(text) {
		rest := strings.TrimSuffix(line, "\n")
		for range 5 {
			_, rest, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
		}
		path := strings.ReplaceAll(strings.TrimLeft(rest, " "), `\012`, "\n")
		if strings.HasPrefix(path, "/") && (len(paths) == 0 || paths[len(paths)-1] != path) {
			paths = append(paths, path)
		}
	}
	return paths
}
