package ioctl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

// maxChunk is the most that one system call reads or writes, bytes. It is a
// multiple of every logical block: they are powers of two.
const maxChunk = 1 << 20

// ErrCached is a node that cannot be read and written past the page cache, or
// that was not opened for it: what is read could be what the kernel remembers.
var ErrCached = errors.New("the page cache is in between")

// ReadAt reads from a block device past the page cache; see io.ReaderAt. Offset
// and length may be any. The device must come from [OpenExclusive] or
// [OpenDirect]; errors match [ErrCached] or [ErrNotBlock] otherwise.
func (d *Device) ReadAt(p []byte, off int64) (int, error) {
	block, err := d.medium("read", off)
	if err != nil || len(p) == 0 {
		return 0, err
	}
	buf, err := rawio.Alloc(min(len(p)+2*block, maxChunk))
	if err != nil {
		return 0, err
	}
	defer buf.Free()
	for done := 0; done < len(p); {
		n, err := d.readChunk(buf.Bytes(), p[done:], off+int64(done), block)
		if done += n; err != nil {
			return done, d.mediumError("read", err)
		}
	}
	return len(p), nil
}

// readChunk reads whole blocks into buf and copies what was asked for, as much
// as fits. There is an error only if that is not all here.
func (d *Device) readChunk(buf, p []byte, off int64, block int) (int, error) {
	skip := int(off % int64(block))
	want := min(len(p), min(len(buf), maxChunk)-skip)
	span := (skip + want + block - 1) / block * block
	n, err := d.file.ReadAt(buf[:span], off-int64(skip))
	got := copy(p[:want], buf[min(skip, n):n])
	if got == want {
		err = nil
	}
	return got, err
}

// WriteAt writes to a block device past the page cache; see io.WriterAt. Offset
// and length must be multiples of the logical block. What is written may be in
// the drive's own cache until [Device.Sync]. The device must come from
// [OpenExclusive]; errors match [ErrCached] or [ErrNotBlock] otherwise.
func (d *Device) WriteAt(p []byte, off int64) (int, error) {
	block, err := d.medium("write", off)
	if err != nil || len(p) == 0 {
		return 0, err
	}
	if len(p)%block != 0 || off%int64(block) != 0 {
		return 0, &fs.PathError{Op: "write", Path: d.path, Err: fmt.Errorf("%d bytes at %d are not whole blocks of %d bytes", len(p), off, block)}
	}
	buf, err := rawio.Alloc(min(len(p), maxChunk))
	if err != nil {
		return 0, err
	}
	defer buf.Free()
	for done := 0; done < len(p); {
		part := buf.Bytes()[:copy(buf.Bytes()[:min(len(p)-done, maxChunk)], p[done:])]
		n, err := d.file.WriteAt(part, off+int64(done))
		if done += n; err != nil {
			return done, d.mediumError("write", err)
		}
	}
	return len(p), nil
}

// Sync makes the drive write what it has in its volatile cache to the medium.
func (d *Device) Sync() error {
	if err := d.file.Sync(); err != nil {
		return d.mediumError("sync", err)
	}
	return nil
}

// medium returns the logical block of a device that can be read and written past
// the cache, in bytes. It is asked for each time, because a format changes it.
func (d *Device) medium(op string, off int64) (int, error) {
	switch {
	case d.char:
		return 0, &fs.PathError{Op: op, Path: d.path, Err: ErrNotBlock}
	case !d.direct:
		return 0, &fs.PathError{Op: op, Path: d.path, Err: ErrCached}
	case off < 0:
		return 0, &fs.PathError{Op: op, Path: d.path, Err: fmt.Errorf("negative offset %d", off)}
	}
	var block int32
	if _, err := d.simple("logical block size", reqBlockLogical(), unsafe.Pointer(&block), ErrNotBlock); err != nil {
		return 0, err
	}
	if block <= 0 || maxChunk%block != 0 {
		return 0, fmt.Errorf("%s %s: the kernel reports blocks of %d bytes", op, d.path, block)
	}
	return int(block), nil
}

// mediumError gives an error of the file the names of this package. The end of
// the device stays io.EOF.
func (d *Device) mediumError(op string, err error) error {
	var errno unix.Errno
	switch {
	case err == io.EOF:
		return err
	case errors.Is(err, os.ErrClosed):
		return &fs.PathError{Op: op, Path: d.path, Err: os.ErrClosed}
	case errors.As(err, &errno):
		return failure(op, d.path, errno, ErrNotBlock)
	}
	return err
}
