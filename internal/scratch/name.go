package scratch

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"sync"

	"golang.org/x/sys/unix"
)

// namePattern is that of all names that are made here.
const namePattern = `^qd1-bench-[0-9a-f]{16}\.tmp$`

// newName returns a name that nobody else has.
func newName() string {
	var b [8]byte
	rand.Read(b[:]) // Never fails.
	return "qd1-bench-" + hex.EncodeToString(b[:]) + ".tmp"
}

// ours reports whether a name may be one of ours.
func ours(name string) bool { return regexp.MustCompile(namePattern).MatchString(name) }

// lock takes the lock of an open file or directory. It returns
// unix.EWOULDBLOCK if it is in use.
func lock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != unix.EINTR {
			return err
		}
	}
}

// kept is a file or directory of ours that is to be removed.
type kept struct {
	place  *place
	name   string
	handle *os.File // holds the lock
	info   fs.FileInfo
	stop   func() bool // ends removeWith; nil if that was not asked for
	once   sync.Once
	err    error
}

// attempts is how often another name is tried.
const attempts = 8

// keep makes a file or directory by create and takes its lock. Another program
// that looks for leftovers may be faster; then the next name is tried.
func (p *place) keep(create func(name string) (*os.File, error)) (*kept, error) {
	for range attempts {
		k := &kept{place: p, name: newName()}
		var err error
		if k.handle, err = create(k.name); errors.Is(err, fs.ErrExist) {
			continue
		} else if err != nil {
			return nil, accessError(p.dir, p.filesystem, err)
		}
		if k.hold() {
			return k, nil
		}
		k.handle.Close()
	}
	return nil, fmt.Errorf("%s: no name of %d was left alone by other programs", p.dir, attempts)
}

// hold takes the lock and reports whether the name is still there. Where there
// are no locks, nobody takes the file for a leftover either.
func (k *kept) hold() bool {
	if err := lock(k.handle); err == unix.EWOULDBLOCK {
		return false
	}
	var err error
	if k.info, err = k.handle.Stat(); err != nil {
		return false
	}
	now, err := k.place.root.Lstat(k.name)
	return err == nil && os.SameFile(now, k.info)
}

// removeWith removes the name when ctx ends.
func (k *kept) removeWith(ctx context.Context) {
	k.stop = context.AfterFunc(ctx, func() { k.remove() })
}

// remove removes the name, unless it has become that of another file. Data of an
// open file are freed when it is closed.
func (k *kept) remove() error {
	k.once.Do(func() {
		now, err := k.place.root.Lstat(k.name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			k.err = err
		case os.SameFile(now, k.info):
			k.err = k.place.root.RemoveAll(k.name)
		}
	})
	return k.err
}

// close removes the name and gives everything up.
func (k *kept) close() error {
	if k.stop != nil {
		k.stop()
	}
	return errors.Join(k.remove(), k.handle.Close(), k.place.close())
}
