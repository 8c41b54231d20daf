package bench

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// TargetKind says what a target is.
type TargetKind string

// The kinds of target.
const (
	BlockTarget     TargetKind = "block" // a block device node
	FileTarget      TargetKind = "file"  // a regular file
	SimulatedTarget TargetKind = "sim"   // a simulated drive; Path is its profile
)

// Target is what a run reads from or writes to. It crosses the process boundary as JSON.
type Target struct {
	Kind TargetKind `json:"kind"`
	Path string     `json:"path"`
	// Bytes is the size of the target, never 0 in a valid one.
	Bytes int64 `json:"bytes"`
	// BlockBytes is the smallest unit of direct I/O: the logical block size of
	// a device, or the alignment that the filesystem asks for. 0: not known,
	// 512 is assumed.
	BlockBytes int `json:"block_bytes"`
	// Writable says that the target may be written to: the program made the
	// file, or holds the guard's permit for the device. Nothing else is ever
	// written to.
	Writable bool `json:"writable,omitempty"`
	// Descriptor is an open file of this process that is the target, which the
	// engine uses instead of opening Path. 0: there is none. A block device that
	// is Writable has one: the descriptor that the guard claimed.
	Descriptor int `json:"descriptor,omitempty"`
	// Generic is the path of the NVMe generic character node of the same
	// namespace, "" if there is none. NSID is the namespace, 0 if the target is
	// not a whole one. The engines passthru and ioctl need them.
	Generic string `json:"generic,omitempty"`
	NSID    uint32 `json:"nsid,omitempty"`
}

// OpenFileTarget describes the regular file at path: its size and the
// alignment that direct I/O on it needs.
func OpenFileTarget(path string) (Target, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Target{}, err
	}
	if !info.Mode().IsRegular() {
		return Target{}, &Error{Cause: path + " is not a regular file", Hint: "name a file that is filled with data, or a block device"}
	}
	return Target{Kind: FileTarget, Path: path, Bytes: info.Size(), BlockBytes: directAlignment(path)}, nil
}

// directAlignment asks the filesystem for the alignment of direct I/O. It
// returns 0 where the kernel (before 6.1) or the filesystem does not say.
func directAlignment(path string) int {
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_DIOALIGN, &st); err != nil || st.Mask&unix.STATX_DIOALIGN == 0 {
		return 0
	}
	return int(st.Dio_offset_align)
}

// check reports why j cannot run on t.
func (t Target) check(j Job) error {
	unit, block := t.unit(), int64(j.BlockBytes)
	switch {
	case t.Bytes <= 0:
		return fmt.Errorf("%s: size is %d bytes", t.Path, t.Bytes)
	case j.BlockBytes%unit != 0:
		return &Error{
			Cause: fmt.Sprintf("block size of %d bytes is not a multiple of the %d bytes that %s is addressed in", j.BlockBytes, unit, t.Path),
			Hint:  fmt.Sprintf("use a block size of %d bytes or a multiple of it", unit),
			Err:   ErrBadJob,
		}
	case t.Bytes < block:
		return badJob("%s has %d bytes, less than one block of %d", t.Path, t.Bytes, block)
	case j.Start > t.Bytes-block:
		return badJob("start at byte %d: %s has %d", j.Start, t.Path, t.Bytes)
	case j.Span > t.Bytes-j.Start:
		return badJob("span of %d bytes from byte %d is more than %s has, %d", j.Span, j.Start, t.Path, t.Bytes)
	}
	return t.checkWritable(j)
}

// checkWritable refuses a job that writes where nobody has said that it may.
func (t Target) checkWritable(j Job) error {
	switch {
	case !j.writes():
		return nil
	case !t.Writable:
		return badJob("%s must not be written to", t.Path)
	case t.Kind == BlockTarget && t.Descriptor == 0:
		return badJob("%s: a device is written to only through a descriptor that was claimed, and there is none", t.Path)
	}
	return nil
}

// unit returns BlockBytes, or 512 where it is not known.
func (t Target) unit() int {
	if t.BlockBytes > 0 {
		return t.BlockBytes
	}
	return 512
}

// span returns the bytes from the start of j that it addresses, a multiple of
// its block size.
func (t Target) span(j Job) int64 {
	span := t.Bytes - j.Start
	if j.Span > 0 {
		span = j.Span
	}
	return span - span%int64(j.BlockBytes)
}

// ErrBadJob is wrapped by the errors that say why a job cannot run.
var ErrBadJob = errors.New("invalid job")
