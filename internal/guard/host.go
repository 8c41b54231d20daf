package guard

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/nvme"
)

// Host is what the guard needs of a computer.
type Host interface {
	// Sysfs is the tree that Drive.Controller was read from.
	Sysfs() fs.FS
	// Survey tells who uses the devices.
	Survey(ctx context.Context, devices []string) (*inuse.Survey, error)
	// Power tells about battery and shutdown, as checks.
	Power() []Check
	// Open opens a block device by its kernel name for reading.
	Open(block string) (BlockReader, error)
	// Claim opens a block device, or a character device where a drive has no
	// other, for writing and for itself alone. An error that matches ErrInUse
	// says that another has it.
	Claim(device string) (Claim, error)
}

// BlockReader reads a block device past the cache.
type BlockReader interface {
	io.ReaderAt
	io.Closer
}

// Claim is a device that nobody else can claim. One of a block device should
// also have the method NSID() (nvme.NSID, error), with which the kernel says
// which namespace the descriptor is; it is compared if it is there.
type Claim interface {
	// Passthru sends commands through this very descriptor.
	nvme.Passthru
	io.ReaderAt
	io.WriterAt
	io.Closer
	// Refresh makes the kernel forget what it has cached of the device and read
	// its partition table again. What fails is told and is not fatal.
	Refresh() error
}

// namespaceOf is the method of a Claim with which the kernel tells what it is.
type namespaceOf interface {
	NSID() (nvme.NSID, error)
}

// syncer is the method of a Claim whose device has a cache for writes.
type syncer interface{ Sync() error }

// blockSizer is the method of a Claim that knows in which unit the kernel addresses
// the device, bytes.
type blockSizer interface{ BlockBytes() (int, error) }

// duplicator is the method of a Claim that is an open file.
type duplicator interface{ Duplicate() (*os.File, error) }

// ErrInUse is a device that another has claimed.
var ErrInUse = errors.New("the device is in use")
