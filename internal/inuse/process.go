package inuse

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// process is a process that is not a thread of the kernel.
type process struct {
	pid  int
	comm string
	argv []string
}

// readProcesses looks at each process once: what it is, what it has open,
// which mounts it sees. One that ends meanwhile is no error.
func (s *survey) readProcesses() error {
	pids, err := numbers(s.proc, ".")
	if err != nil {
		return fmt.Errorf("list processes: %w", err)
	}
	if !slices.Contains(pids, 1) {
		s.unchecked("the processes of other users are hidden: only root sees their open files and mounts")
	}
	self, _ := fs.ReadLink(s.proc, "self")
	if pid, err := strconv.Atoi(self); err == nil {
		s.joinGroup(process{pid: pid}, self, true)
	}
	for _, pid := range pids {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if s.readProcess(pid) {
			s.denied++
		}
	}
	return nil
}

// readProcess looks at one process. It reports whether that was not permitted.
func (s *survey) readProcess(pid int) (denied bool) {
	dir := strconv.Itoa(pid)
	text, err := fs.ReadFile(s.proc, dir+"/stat")
	if err != nil {
		return errors.Is(err, fs.ErrPermission)
	}
	st, ok := parseStat(string(text))
	if !ok || st.kernel {
		return false
	}
	p := process{pid: pid, comm: st.comm, argv: s.arguments(dir)}
	s.addPoller(p)
	for _, d := range s.livingThreads(dir, st) {
		files := s.addOpenFiles(p, d)
		group := s.joinGroup(p, d, false)
		denied = denied || files || group
	}
	return denied
}

// livingThreads returns the directories that stand for a process: its own, or
// those of its threads if the first thread has ended, because the files and
// the mounts are then not in its own.
func (s *survey) livingThreads(dir string, st processStat) []string {
	if st.state != 'Z' {
		return []string{dir}
	}
	tids, _ := numbers(s.proc, dir+"/task")
	var dirs []string
	for _, tid := range tids {
		if name := strconv.Itoa(tid); name != dir {
			dirs = append(dirs, path.Join(dir, "task", name))
		}
	}
	return dirs
}

// addOpenFiles notes the devices that a process has open, each once. It
// reports whether that was not permitted.
func (s *survey) addOpenFiles(p process, dir string) (denied bool) {
	if slices.Contains(s.Ignore, p.pid) {
		return false
	}
	entries, err := fs.ReadDir(s.proc, dir+"/fd")
	if err != nil {
		return errors.Is(err, fs.ErrPermission)
	}
	for _, e := range entries {
		f, err := s.stat(path.Join("/proc", dir, "fd", e.Name()))
		if err != nil {
			denied = denied || !gone(err)
			continue
		}
		if n := f.device; n != (devno{}) && (!n.char || s.chars[n]) {
			s.addEnd(n, end{OpenFile, "", p.pid, p.comm, "is open in " + who(p.comm, p.pid)})
		}
	}
	return denied
}

// gone reports whether an error says that a process or a file has ended.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH)
}

// arguments returns the command line of a process, empty if it has none.
func (s *survey) arguments(dir string) []string {
	b, err := fs.ReadFile(s.proc, dir+"/cmdline")
	if err != nil || len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")
}

// processStat is what is used of /proc/PID/stat.
type processStat struct {
	comm  string
	state byte
	// kernel says that it is a thread of the kernel (PF_KTHREAD).
	kernel bool
}

// parseStat parses /proc/PID/stat. The name may have spaces and parentheses.
func parseStat(text string) (processStat, bool) {
	const flagsField, kthread = 6, 0x0020_0000
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return processStat{}, false
	}
	rest := strings.Fields(text[end+1:])
	if len(rest) <= flagsField || !isState(rest[0]) {
		return processStat{}, false
	}
	flags, err := strconv.ParseUint(rest[flagsField], 10, 32)
	if err != nil {
		return processStat{}, false
	}
	return processStat{comm: text[open+1 : end], state: rest[0][0], kernel: flags&kthread != 0}, true
}

// isState tells whether the text is a process state: one letter.
func isState(text string) bool {
	return len(text) == 1 && ('A' <= text[0] && text[0] <= 'Z' || 'a' <= text[0] && text[0] <= 'z')
}

// numbers returns the entries of a directory that are numbers, in order.
func numbers(fsys fs.FS, dir string) ([]int, error) {
	entries, err := fs.ReadDir(fsys, dir)
	var list []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, err
}

// noteContainer notes that processes outside cannot be seen: only the first
// process namespace, which has a fixed number, shows all.
func (s *survey) noteContainer() {
	const first = "pid:[4026531836]"
	if ns, err := fs.ReadLink(s.proc, "self/ns/pid"); err == nil && ns != first {
		s.unchecked("this runs in a container: what the processes outside of it have open or mounted is not known")
	}
}
