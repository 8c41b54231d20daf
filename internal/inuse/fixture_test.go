package inuse

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// fixture is an invented host.
type fixture struct {
	t         *testing.T
	sys, proc fstest.MapFS
	// nodes are what stat finds; loops what loop devices answer.
	nodes map[string]file
	loops map[string]file
	// denied are paths of proc and sys that must not be read.
	denied []string
	ignore []int
}

// newFixture returns a host with a drive nvme0n1 (259:0) with two partitions,
// and two processes: 1, and 100, which is this program.
func newFixture(t *testing.T) *fixture {
	f := &fixture{t: t, sys: fstest.MapFS{}, proc: fstest.MapFS{}, nodes: map[string]file{}, loops: map[string]file{}}
	f.block("nvme0n1", "259:0")
	f.partition("nvme0n1", "nvme0n1p1", "259:1")
	f.partition("nvme0n1", "nvme0n1p2", "259:2")
	f.block("sda", "8:0")
	f.process(1, "init", "mnt:[1]", "/")
	f.process(100, "qd1", "mnt:[1]", "/")
	f.link(f.proc, "self", "100")
	return f
}

func (f *fixture) text(fsys fstest.MapFS, name, text string) {
	fsys[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o444}
}

func (f *fixture) link(fsys fstest.MapFS, name, target string) {
	fsys[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
}

func number(t *testing.T, s string) devno {
	t.Helper()
	n, ok := parseDevno(s)
	if !ok {
		t.Fatalf("device number %q", s)
	}
	return n
}

// block adds a block device with its node.
func (f *fixture) block(name, dev string) {
	f.text(f.sys, "class/block/"+name+"/dev", dev+"\n")
	f.nodes["/dev/"+name] = file{device: number(f.t, dev)}
}

func (f *fixture) partition(parent, name, dev string) {
	f.block(name, dev)
	f.text(f.sys, "class/block/"+name+"/partition", "1\n")
	f.text(f.sys, path.Join("class/block", parent, name, "partition"), "1\n")
}

// attr adds attributes of a block device: name, text, name, text…
func (f *fixture) attr(block string, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		f.text(f.sys, path.Join("class/block", block, pairs[i]), pairs[i+1]+"\n")
	}
}

// holds enters upper as a holder of lower, as a folder, which is what a link
// to one looks like.
func (f *fixture) holds(lower, upper string) {
	f.sys[path.Join("class/block", lower, "holders", upper)] = &fstest.MapFile{Mode: fs.ModeDir | 0o555}
}

// dm adds a device of the device mapper on others.
func (f *fixture) dm(name, dev, volume, uuid string, lower ...string) {
	f.block(name, dev)
	f.attr(name, "dm/name", volume, "dm/uuid", uuid)
	for _, l := range lower {
		f.holds(l, name)
	}
}

// md adds an array.
func (f *fixture) md(name, dev, level, state, version string, lower ...string) {
	f.block(name, dev)
	f.attr(name, "md/level", level, "md/array_state", state, "md/metadata_version", version)
	for _, l := range lower {
		f.holds(l, name)
	}
}

// process adds a process; flags 0 makes it one of user space.
func (f *fixture) process(pid int, comm, namespace, root string) {
	dir := strconv.Itoa(pid)
	f.stat(dir, comm, 'S', 0x400100)
	f.text(f.proc, dir+"/mountinfo", "")
	f.threadLinks(dir, namespace, root)
}

func (f *fixture) threadLinks(dir, namespace, root string) {
	f.link(f.proc, dir+"/ns/mnt", namespace)
	f.link(f.proc, dir+"/root", root)
	f.proc[dir+"/fd"] = &fstest.MapFile{Mode: fs.ModeDir | 0o500}
}

func (f *fixture) stat(dir, comm string, state byte, flags uint32) {
	f.text(f.proc, dir+"/stat", fmt.Sprintf("%s (%s) %c 1 1 1 0 -1 %d 0 0\n", path.Base(dir), comm, state, flags))
}

// open gives a process a descriptor.
func (f *fixture) open(dir string, fd int, what file) {
	name := path.Join(dir, "fd", strconv.Itoa(fd))
	f.proc[name] = &fstest.MapFile{Mode: fs.ModeSymlink | 0o700, Data: []byte("/dev/x")}
	f.nodes["/proc/"+name] = what
}

// mounts gives a process its mounts, as "ID DEV ROOT POINT TYPE SOURCE
// OPTIONS" each.
func (f *fixture) mounts(pid int, mounts ...string) {
	var b strings.Builder
	for _, m := range mounts {
		p := strings.Fields(m)
		fmt.Fprintf(&b, "%s 1 %s %s %s rw - %s %s %s\n", p[0], p[1], p[2], p[3], p[4], p[5], p[6])
	}
	f.text(f.proc, strconv.Itoa(pid)+"/mountinfo", b.String())
}

// host returns the Host that the fixture describes.
func (f *fixture) host() *Host {
	return &Host{
		Ignore: f.ignore,
		sys:    denyFS{f.sys, f.denied}, proc: denyFS{f.proc, f.denied},
		stat: func(name string) (file, error) { return lookUp(f.nodes, name) },
		loop: func(name string, _ devno) (file, error) { return lookUp(f.loops, name) },
	}
}

func lookUp(m map[string]file, name string) (file, error) {
	if v, ok := m[name]; ok {
		return v, nil
	}
	return file{}, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

func (f *fixture) survey(devices ...string) *Survey {
	f.t.Helper()
	s, err := f.host().Survey(f.t.Context(), devices)
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

// check compares the uses of nvme0n1, one line each, and the unchecked.
func (f *fixture) check(want ...string) {
	f.t.Helper()
	s := f.survey("nvme0n1")
	if diff := cmp.Diff(want, append(lines(s), s.Unchecked...)); diff != "" {
		f.t.Errorf("uses and unchecked (-want +got):\n%s", diff)
	}
}

// lines returns each use as "KIND NAME: TEXT", with what it leads through.
func lines(s *Survey) []string {
	var list []string
	for _, u := range s.Uses {
		list = append(list, strings.TrimRight(fmt.Sprintf("%s %s", u.Kind, u.Name), " ")+": "+u.Text)
	}
	return list
}

// denyFS refuses some paths and all below them.
type denyFS struct {
	fstest.MapFS
	denied []string
}

func (d denyFS) refuses(op, name string) error {
	if slices.ContainsFunc(d.denied, func(p string) bool { return name == p || strings.HasPrefix(name, p+"/") }) {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrPermission}
	}
	return nil
}

func (d denyFS) Open(name string) (fs.File, error) {
	if err := d.refuses("open", name); err != nil {
		return nil, err
	}
	return d.MapFS.Open(name)
}

func (d denyFS) ReadFile(name string) ([]byte, error) {
	if err := d.refuses("open", name); err != nil {
		return nil, err
	}
	return d.MapFS.ReadFile(name)
}

func (d denyFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := d.refuses("open", name); err != nil {
		return nil, err
	}
	return d.MapFS.ReadDir(name)
}

func (d denyFS) ReadLink(name string) (string, error) {
	if err := d.refuses("readlink", name); err != nil {
		return "", err
	}
	return d.MapFS.ReadLink(name)
}
