package vmtest

import (
	"fmt"
	"io"
)

// The file types of a mode word.
const (
	modeDirectory  = 0o040000
	modeCharDevice = 0o020000
	modeRegular    = 0o100000
	modeSymlink    = 0o120000
)

// cpioTrailer is the name of the entry that ends an archive.
const cpioTrailer = "TRAILER!!!"

// cpioEntry is one file of a cpio archive.
type cpioEntry struct {
	name         string // relative to the root, without a leading slash
	mode         uint32 // type and permissions
	major, minor uint32 // of a device node
	size         int64
	body         io.Reader // nil for an empty file
}

// cpioWriter writes the "newc" format of cpio, which the kernel unpacks as the
// initial file system. All files belong to root.
type cpioWriter struct {
	w     io.Writer
	inode uint32
	off   int64
	err   error
}

// add writes one entry. The parents of a file must have been added before.
func (c *cpioWriter) add(e cpioEntry) error {
	if e.size > 1<<32-1 {
		return fmt.Errorf("%s: %d bytes do not fit into a cpio archive", e.name, e.size)
	}
	c.inode++
	c.header(e)
	c.printf("%s\x00", e.name)
	c.pad()
	c.copy(e)
	c.pad()
	return c.err
}

// close writes the trailer.
func (c *cpioWriter) close() error {
	return c.add(cpioEntry{name: cpioTrailer})
}

// header writes the 110 bytes before the name.
func (c *cpioWriter) header(e cpioEntry) {
	links := 1
	if e.mode&modeDirectory != 0 && e.mode&modeRegular == 0 {
		links = 2
	}
	// Fields: inode, mode, uid, gid, links, mtime, size, device major and
	// minor, node major and minor, name size, check.
	c.printf("070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
		c.inode, e.mode, 0, 0, links, 0, e.size, 0, 0, e.major, e.minor, len(e.name)+1, 0)
}

// copy writes the body of e, which must have exactly the size told.
func (c *cpioWriter) copy(e cpioEntry) {
	if c.err != nil || e.body == nil {
		return
	}
	n, err := io.CopyN(c.w, e.body, e.size)
	c.off += n
	if err != nil {
		c.err = fmt.Errorf("%s: %d of %d bytes copied: %w", e.name, n, e.size, err)
	}
}

// pad fills up to a multiple of four bytes.
func (c *cpioWriter) pad() {
	c.printf("%s", "\x00\x00\x00"[:(4-c.off%4)%4])
}

func (c *cpioWriter) printf(format string, args ...any) {
	if c.err != nil {
		return
	}
	n, err := fmt.Fprintf(c.w, format, args...)
	c.off += int64(n)
	c.err = err
}
