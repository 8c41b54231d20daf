package vmtest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// image collects the files of an initial file system by guest path.
type image struct{ files map[string]imageFile }

// imageFile is one entry: a file of the host, a text, a link, a folder or a
// device node.
type imageFile struct {
	mode         uint32
	major, minor uint32
	hostPath     string // copied from here; empty for none
	text         []byte // or this is the body
}

// newImage returns an image with the folders, nodes and accounts that every
// guest needs.
func newImage() *image {
	im := &image{files: make(map[string]imageFile)}
	for _, name := range []string{"bin", "sbin", "lib", "lib64"} {
		im.symlink("usr/"+name, "/"+name)
		im.directory("/usr/" + name)
	}
	for _, name := range []string{"/proc", "/sys", "/dev", "/tmp", "/run", "/out", "/etc"} {
		im.directory(name)
	}
	im.node("/dev/console", 5, 1)
	im.node("/dev/null", 1, 3)
	im.text("/etc/passwd", "root:x:0:0:root:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/tmp:/bin/sh\n")
	im.text("/etc/group", "root:x:0:\nnogroup:x:65534:\n")
	return im
}

// put adds an entry under its guest path, with its parent folders. The
// top-level folders that are links into /usr are followed, because the kernel
// unpacks entries literally.
func (im *image) put(guest string, f imageFile) {
	guest = strings.TrimPrefix(path.Clean("/"+guest), "/")
	if first, _, deeper := strings.Cut(guest, "/"); deeper && im.files[first].mode&modeSymlink == modeSymlink {
		guest = "usr/" + guest
	}
	for dir := path.Dir(guest); dir != "."; dir = path.Dir(dir) {
		if _, ok := im.files[dir]; !ok {
			im.files[dir] = imageFile{mode: modeDirectory | 0o755}
		}
	}
	im.files[guest] = f
}

func (im *image) directory(guest string) { im.put(guest, imageFile{mode: modeDirectory | 0o755}) }

func (im *image) symlink(target, guest string) {
	im.put(guest, imageFile{mode: modeSymlink | 0o777, text: []byte(target)})
}

func (im *image) node(guest string, major, minor uint32) {
	im.put(guest, imageFile{mode: modeCharDevice | 0o600, major: major, minor: minor})
}

func (im *image) text(guest, text string) {
	im.put(guest, imageFile{mode: modeRegular | 0o644, text: []byte(text)})
}

// file adds a file of the host with its permissions.
func (im *image) file(guest, host string) error {
	st, err := os.Stat(host)
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", host)
	}
	im.put(guest, imageFile{mode: modeRegular | uint32(st.Mode().Perm()), hostPath: host})
	return nil
}

// program adds an executable of the host by name or path under the same path,
// with the shared libraries that it needs.
func (im *image) program(name string) error {
	host, libs, err := programFiles(name)
	if err != nil {
		return err
	}
	for _, p := range append(libs, host) {
		if err := im.file(p, p); err != nil {
			return fmt.Errorf("program %s: %w", name, err)
		}
	}
	return nil
}

// write writes the image as a cpio archive, parents first.
func (im *image) write(w io.Writer) error {
	c := &cpioWriter{w: w}
	names := make([]string, 0, len(im.files))
	for name := range im.files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := addFile(c, name, im.files[name]); err != nil {
			return err
		}
	}
	return c.close()
}

// addFile adds one file of an image to an archive.
func addFile(c *cpioWriter, name string, f imageFile) error {
	e := cpioEntry{name: name, mode: f.mode, major: f.major, minor: f.minor}
	if f.hostPath == "" {
		e.size, e.body = int64(len(f.text)), bytes.NewReader(f.text)
		return c.add(e)
	}
	r, err := os.Open(f.hostPath)
	if err != nil {
		return err
	}
	defer r.Close()
	st, err := r.Stat()
	if err != nil {
		return err
	}
	e.size, e.body = st.Size(), r
	return c.add(e)
}
