package launch

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// How memory is emptied before a cold run.
const (
	// MethodDrop writes 3 to /proc/sys/vm/drop_caches, which only root may: the
	// kernel forgets all clean pages, directory entries and inodes, of all
	// programs. Pages that a running program has mapped stay.
	MethodDrop = "drop_caches"
	// MethodAdvise asks the kernel to forget the files that the program was
	// seen to use (posix_fadvise(2), POSIX_FADV_DONTNEED). Files that were
	// missed, directory entries, inodes and pages that a running program has
	// mapped stay, so that a cold run may be warmer than after a boot.
	MethodAdvise = "fadvise"
)

// Caches says how memory was emptied and what came of it.
type Caches struct {
	// Method is MethodDrop or MethodAdvise.
	Method string `json:"method"`
	// Reason is why it is not MethodDrop.
	Reason string `json:"reason,omitempty"`
	// Files are those that the program was seen to use, Bytes their size.
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	// ResidentBytes of these files were still in memory before the last cold
	// run. Nil: not known, which it is before Linux 6.5, and in later ones if the
	// user may not write the files.
	ResidentBytes *int64 `json:"resident_bytes"`
}

// host is what a launch needs of the machine.
type host struct {
	dropCaches string
	proc       string
	linkerConf string
	sync       func()
}

func thisHost() host {
	return host{dropCaches: "/proc/sys/vm/drop_caches", proc: "/proc", linkerConf: "/etc/ld.so.conf", sync: unix.Sync}
}

// caches empties memory.
type caches struct {
	host     host
	files    []string
	reason   string // "": by dropping
	bytes    int64
	resident *int64
}

// newCaches finds out what is permitted, without doing anything.
func newCaches(h host, files []string) *caches {
	c := &caches{host: h, files: files}
	f, err := os.OpenFile(h.dropCaches, os.O_WRONLY, 0)
	if err != nil {
		c.reason = err.Error()
		return c
	}
	f.Close()
	return c
}

// drop has the kernel drop all caches.
func (c *caches) drop() error {
	f, err := os.OpenFile(c.host.dropCaches, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString("3\n")
	return err
}

// empty empties memory. Changed pages cannot be forgotten, so that they are
// written first; that takes as long as it takes.
func (c *caches) empty() {
	c.host.sync()
	if c.reason == "" {
		if err := c.drop(); err != nil {
			c.reason = err.Error()
		}
	}
	c.bytes, c.resident = 0, new(int64)
	for _, path := range c.files {
		c.forget(path)
	}
}

// forget gives advice on one file, if that is the method, and adds its size and
// what of it is in memory.
func (c *caches) forget(path string) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return
	}
	c.bytes += st.Size
	if c.reason != "" {
		_ = unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED)
	}
	in, err := residentBytes(fd)
	switch {
	case err != nil:
		c.resident = nil
	case c.resident != nil:
		*c.resident += min(in, st.Size)
	}
}

// residentBytes returns how much of a file is in memory, cachestat(2).
func residentBytes(fd int) (int64, error) {
	var stat unix.Cachestat_t
	if err := unix.Cachestat(uint(fd), &unix.CachestatRange{}, &stat, 0); err != nil {
		return 0, fmt.Errorf("cachestat: %w", err)
	}
	return int64(stat.Cache) * int64(os.Getpagesize()), nil
}

func (c *caches) summary() *Caches {
	s := &Caches{Method: MethodDrop, Reason: c.reason, Files: len(c.files), Bytes: c.bytes, ResidentBytes: c.resident}
	if c.reason != "" {
		s.Method = MethodAdvise
	}
	return s
}
