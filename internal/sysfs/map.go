package sysfs

import (
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// maxSteps bounds the resolution of one path, so that links that form a loop
// end.
const maxSteps = 256

// Map returns a tree in memory. The keys are paths relative to /sys; texts
// are the files, links the symbolic links with their targets as ReadLink gives
// them. Directories are implied by what lies in them.
//
// A path is looked up as it stands first and through the links only then: a
// recording may have the file class/nvme/nvme0/device/vendor together with the
// link class/nvme/nvme0. A key that is not a valid path is left out.
func Map(texts, links map[string]string) fs.FS {
	m := &mapFS{texts: map[string]string{}, links: map[string]string{}, dirs: map[string]map[string]bool{".": {}}}
	for _, set := range []struct{ from, to map[string]string }{{texts, m.texts}, {links, m.links}} {
		for name, value := range set.from {
			if fs.ValidPath(name) && name != "." {
				set.to[name] = value
				m.imply(name)
			}
		}
	}
	return m
}

type mapFS struct {
	texts, links map[string]string
	// dirs has the names in each directory.
	dirs map[string]map[string]bool
}

// imply enters name in its directory, and that in its own.
func (m *mapFS) imply(name string) {
	for name != "." {
		dir, base := path.Split(name)
		dir = path.Clean(dir)
		if m.dirs[dir] == nil {
			m.dirs[dir] = map[string]bool{}
		}
		m.dirs[dir][base] = true
		name = dir
	}
}

// spellings returns name and what it becomes through links, in the order in
// which they are tried.
func (m *mapFS) spellings(name string) []string {
	all, steps := []string{name}, 0
	for i := 0; i < len(all) && steps < maxSteps; i++ {
		for end := range pathEnds(all[i]) {
			steps++
			target, ok := m.links[all[i][:end]]
			if !ok {
				continue
			}
			next := path.Join(path.Dir(all[i][:end]), target) + all[i][end:]
			if fs.ValidPath(next) && !slices.Contains(all, next) {
				all = append(all, next)
			}
		}
	}
	return all
}

// pathEnds yields the length of each leading path of name, the shortest first.
func pathEnds(name string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range len(name) + 1 {
			if (i == len(name) || name[i] == '/') && !yield(i) {
				return
			}
		}
	}
}

// find returns the file or directory behind name, following links.
func (m *mapFS) find(op, name string) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	names := map[string]bool{}
	isDir, spellings := false, m.spellings(name)
	for _, spelling := range spellings {
		if text, ok := m.texts[spelling]; ok && !isDir {
			return fileNode(path.Base(name), text), nil
		}
		children, ok := m.dirs[spelling]
		isDir = isDir || ok
		maps.Copy(names, children)
	}
	if !isDir {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	n := dirNode(path.Base(name))
	for _, child := range slices.Sorted(maps.Keys(names)) {
		n.entries = append(n.entries, fs.FileInfoToDirEntry(m.child(spellings, child)))
	}
	return n, nil
}

// child describes the entry base of a directory with these spellings, without
// following it: the first link or file of that name, or else a directory.
func (m *mapFS) child(dirs []string, base string) *node {
	for _, dir := range dirs {
		full := path.Join(dir, base)
		if _, ok := m.links[full]; ok {
			return &node{name: base, mode: fs.ModeSymlink | 0o777}
		}
		if text, ok := m.texts[full]; ok {
			return fileNode(base, text)
		}
	}
	return dirNode(base)
}

// Open implements fs.FS.
func (m *mapFS) Open(name string) (fs.File, error) {
	n, err := m.find("open", name)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// ReadLink implements fs.ReadLinkFS.
func (m *mapFS) ReadLink(name string) (string, error) {
	target, ok := m.link(name)
	if ok {
		return target, nil
	}
	if _, err := m.find("readlink", name); err != nil {
		return "", err
	}
	return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
}

// link looks for the link itself: its directory is resolved, its name is not.
func (m *mapFS) link(name string) (string, bool) {
	if !fs.ValidPath(name) || name == "." {
		return "", false
	}
	for _, dir := range m.spellings(path.Dir(name)) {
		full := path.Join(dir, path.Base(name))
		if target, ok := m.links[full]; ok {
			return target, true
		}
		if _, ok := m.texts[full]; ok {
			return "", false
		}
	}
	return "", false
}

// Lstat implements fs.ReadLinkFS.
func (m *mapFS) Lstat(name string) (fs.FileInfo, error) {
	if _, ok := m.link(name); ok {
		return &node{name: path.Base(name), mode: fs.ModeSymlink | 0o777}, nil
	}
	n, err := m.find("lstat", name)
	if err != nil {
		return nil, err
	}
	return n, nil
}

func fileNode(name, text string) *node {
	return &node{name: name, mode: 0o444, Reader: strings.NewReader(text)}
}

func dirNode(name string) *node { return &node{name: name, mode: fs.ModeDir | 0o555} }

// node is an open file or directory and its own description.
type node struct {
	*strings.Reader
	name    string
	mode    fs.FileMode
	entries []fs.DirEntry
}

func (n *node) Stat() (fs.FileInfo, error) { return n, nil }
func (n *node) Close() error               { return nil }
func (n *node) Name() string               { return n.name }
func (n *node) IsDir() bool                { return n.mode.IsDir() }
func (n *node) ModTime() time.Time         { return time.Time{} }
func (n *node) Mode() fs.FileMode          { return n.mode }
func (n *node) Sys() any                   { return nil }

// Size returns the length of a file, 0 for anything else.
func (n *node) Size() int64 {
	if n.Reader == nil {
		return 0
	}
	return n.Reader.Size()
}

// Read reads a file and refuses a directory.
func (n *node) Read(p []byte) (int, error) {
	if n.Reader == nil {
		return 0, &fs.PathError{Op: "read", Path: n.name, Err: fs.ErrInvalid}
	}
	return n.Reader.Read(p)
}

// ReadDir implements fs.ReadDirFile.
func (n *node) ReadDir(count int) ([]fs.DirEntry, error) {
	if !n.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: n.name, Err: fs.ErrInvalid}
	}
	if count <= 0 {
		count = len(n.entries)
	} else if len(n.entries) == 0 {
		return nil, io.EOF
	}
	count = min(count, len(n.entries))
	head := n.entries[:count]
	n.entries = n.entries[count:]
	return head, nil
}
