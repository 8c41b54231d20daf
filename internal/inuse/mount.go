package inuse

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/moby/sys/mountinfo"
)

// group are processes that see the same mounts: of one mount namespace and one
// root directory, since a mount outside its root is not shown to a process.
type group struct {
	namespace, root string
	// members are tried in order until one is still there.
	members []member
	own     bool
}

type member struct {
	process
	dir string
}

// mount is a mount with the process that shows it, whose pid is 0 if the mount
// is in our own namespace.
type mount struct {
	id         int
	device     devno
	root, path string
	fsType     string
	source     string
	options    string
	pid        int
	comm       string
}

// where says where a mount is.
func (m *mount) where() string {
	if m.pid == 0 {
		return m.path
	}
	return m.path + " in the mount namespace of " + who(m.comm, m.pid)
}

// joinGroup enters a process, or a thread of it, into its group. It reports
// whether that was not permitted.
func (s *survey) joinGroup(p process, dir string, own bool) (denied bool) {
	namespace, err := fs.ReadLink(s.proc, dir+"/ns/mnt")
	if err != nil {
		return errors.Is(err, fs.ErrPermission)
	}
	root, _ := fs.ReadLink(s.proc, dir+"/root")
	i := slices.IndexFunc(s.groups, func(g *group) bool { return g.namespace == namespace && g.root == root })
	if i < 0 {
		i = len(s.groups)
		s.groups = append(s.groups, &group{namespace: namespace, root: root, own: own})
	}
	s.groups[i].members = append(s.groups[i].members, member{p, dir})
	return false
}

// readMounts reads the mounts of each group, each mount once.
func (s *survey) readMounts() {
	type key struct {
		id         int
		device     devno
		root, path string
	}
	seen := map[key]bool{}
	for _, g := range s.groups {
		for _, m := range s.readGroup(g) {
			k := key{m.id, m.device, m.root, ""}
			if m.id == 0 {
				k.path = m.path
			}
			if g.own {
				s.own = append(s.own, m)
			}
			if !seen[k] {
				seen[k] = true
				s.mounts = append(s.mounts, m)
			}
		}
	}
	s.noteEmptyNamespaces()
}

// readGroup reads the mounts that the first living member of a group sees.
func (s *survey) readGroup(g *group) []mount {
	var denied bool
	for _, m := range g.members {
		text, err := fs.ReadFile(s.proc, m.dir+"/mountinfo")
		if err != nil {
			denied = denied || errors.Is(err, fs.ErrPermission)
			continue
		}
		list, err := parseMounts(text)
		if err != nil {
			s.unchecked("some mounts that process %d sees could not be understood: %v", m.pid, err)
		}
		for i := range list {
			if !g.own {
				list[i].pid, list[i].comm = m.pid, m.comm
			}
		}
		return list
	}
	if denied {
		s.denied++
	}
	return nil
}

// parseMounts parses /proc/PID/mountinfo. A line that is not understood is the
// error; the others still count.
func parseMounts(text []byte) ([]mount, error) {
	infos, err := mountinfo.GetMountsFromReader(bytes.NewReader(text), nil)
	if err != nil {
		infos = nil
		for line := range bytes.Lines(text) {
			one, _ := mountinfo.GetMountsFromReader(bytes.NewReader(line), nil)
			infos = append(infos, one...)
		}
	}
	list := make([]mount, 0, len(infos))
	for _, i := range infos {
		list = append(list, mount{
			id: i.ID, device: devno{major: uint32(i.Major), minor: uint32(i.Minor)}, root: i.Root, path: i.Mountpoint,
			fsType: i.FSType, source: i.Source, options: i.VFSOptions,
		})
	}
	return list, err
}

// addMounts notes the mounts of file systems that lie on one block device.
func (s *survey) addMounts() {
	for i := range s.mounts {
		m := &s.mounts[i]
		if _, ok := s.blocks.name[m.device]; ok {
			s.addMount(m.device, m, "is mounted on "+m.where())
		}
	}
}

// addMount notes a mount, unless one in a namespace before it has the same
// device on the same mount point: most namespaces are copies of ours.
func (s *survey) addMount(n devno, m *mount, clause string) {
	same := func(e end) bool { return e.kind == Mount && e.name == m.path }
	if !slices.ContainsFunc(s.ends[n], same) {
		s.addEnd(n, end{Mount, m.path, m.pid, m.comm, clause})
	}
}

// noteEmptyNamespaces notes the mount namespaces that are kept by a mount and
// have no process which would show what is mounted in them.
func (s *survey) noteEmptyNamespaces() {
	for i := range s.mounts {
		m := &s.mounts[i]
		known := func(g *group) bool { return g.namespace == m.root }
		if m.fsType == "nsfs" && strings.HasPrefix(m.root, "mnt:") && !slices.ContainsFunc(s.groups, known) {
			s.unchecked("the mount namespace that %s keeps has no process, so that its mounts are not shown", m.where())
		}
	}
}

// hiddenTypes are file systems with a directory in /sys/fs for each device on
// which one is active, whoever has it mounted.
var hiddenTypes = []string{"ext4", "xfs", "f2fs", "nilfs2", "erofs", "gfs2"}

// addHiddenMounts notes the active file systems for which no mount was seen:
// unmounted lazily while files are open, or in a namespace without a process.
func (s *survey) addHiddenMounts() {
	for _, fsType := range hiddenTypes {
		for _, name := range s.children(s.sys, path.Join("fs", fsType)) {
			n, ok := s.blocks.number[name]
			mounted := func(e end) bool { return e.kind == Mount }
			if ok && !slices.ContainsFunc(s.ends[n], mounted) {
				s.addEnd(n, end{kind: Mount, clause: "has an active " + fsType + " file system, mounted where this program cannot see it"})
			}
		}
	}
}

// addJournals notes the devices that hold the journal of a file system which
// lies elsewhere.
func (s *survey) addJournals() {
	for _, name := range s.children(s.proc, "fs/jbd2") {
		if n, ok := s.blocks.number[name]; ok {
			s.addEnd(n, end{kind: Mount, clause: "is the journal of a mounted file system"})
		}
	}
	for i := range s.mounts {
		m := &s.mounts[i]
		for option := range strings.SplitSeq(m.options, ",") {
			s.addLogDevice(m, option)
		}
	}
}

// addLogDevice notes the device that an option of XFS names.
func (s *survey) addLogDevice(m *mount, option string) {
	parts := map[string]string{"logdev": "log", "rtdev": "real-time part"}
	key, value, _ := strings.Cut(option, "=")
	if m.fsType != "xfs" || parts[key] == "" {
		return
	}
	name := unescape(value)
	n, ok := s.resolve(name)
	if !ok {
		s.unchecked("%s, the %s of the file system on %s, could not be found", strconv.Quote(name), parts[key], m.where())
		return
	}
	s.addMount(n, m, "is the "+parts[key]+" of the file system that is mounted on "+m.where())
}

// networkTypes are file systems on which a look at a file may wait for a
// server.
var networkTypes = []string{"nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "afs", "lustre", "autofs", "virtiofs"}

// look looks at a path unless a server would have to answer.
func (s *survey) look(name string) (file, error) {
	if fsType := s.typeUnder(name); slices.Contains(networkTypes, fsType) || strings.HasPrefix(fsType, "fuse") && fsType != "fuseblk" {
		return file{}, &fs.PathError{Op: "stat", Path: name, Err: errors.ErrUnsupported}
	}
	return s.stat(name)
}

// typeUnder returns the type of the file system that a path lies on, by its
// name alone.
func (s *survey) typeUnder(name string) string {
	var best *mount
	for i := range s.own {
		m := &s.own[i]
		inside := m.path == "/" || name == m.path || strings.HasPrefix(name, m.path+"/")
		if inside && (best == nil || len(m.path) >= len(best.path)) {
			best = m
		}
	}
	if best == nil {
		return ""
	}
	return best.fsType
}
