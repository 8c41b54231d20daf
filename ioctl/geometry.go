package ioctl

import (
	"errors"
	"fmt"
	"io/fs"
	"unsafe"
)

// ErrNotBlock is a node that is not a block device.
var ErrNotBlock = errors.New("not a block device")

// Geometry is the size of a block device as the kernel has it.
type Geometry struct {
	// Bytes is the size in bytes.
	Bytes int64
	// LogicalBlockBytes is the unit of addressing in bytes.
	LogicalBlockBytes int
	// PhysicalBlockBytes is the unit that the device writes without reading
	// first, in bytes. It is LogicalBlockBytes if the device does not say.
	PhysicalBlockBytes int
	// ReadOnly says that the kernel refuses writes.
	ReadOnly bool
}

// BlockGeometry asks the kernel for the size of the block device at path. It
// needs permission to read the node and no privilege.
func BlockGeometry(path string) (Geometry, error) {
	d, err := Open(path)
	if err != nil {
		return Geometry{}, err
	}
	g, err := d.Geometry()
	return g, errors.Join(err, d.Close())
}

// Geometry asks the kernel for the size of the block device. It changes when a
// format changes the LBA format. Errors match [ErrNotBlock] for other nodes.
func (d *Device) Geometry() (Geometry, error) {
	if d.char {
		return Geometry{}, &fs.PathError{Op: "geometry", Path: d.path, Err: ErrNotBlock}
	}
	var bytes uint64
	var logical, physical, readOnly int32
	requests := []struct {
		op  string
		req uintptr
		arg unsafe.Pointer
	}{
		{"size", reqBlockBytes(), unsafe.Pointer(&bytes)},
		{"logical block size", reqBlockLogical(), unsafe.Pointer(&logical)},
		{"physical block size", reqBlockPhysical(), unsafe.Pointer(&physical)},
		{"read-only flag", reqBlockReadOnly(), unsafe.Pointer(&readOnly)},
	}
	for _, r := range requests {
		if _, err := d.simple(r.op, r.req, r.arg, ErrNotBlock); err != nil {
			return Geometry{}, err
		}
	}
	if int64(bytes) < 0 || logical <= 0 {
		return Geometry{}, fmt.Errorf("geometry %s: the kernel reports %d bytes in blocks of %d", d.path, bytes, logical)
	}
	return Geometry{int64(bytes), int(logical), int(physical), readOnly != 0}, nil
}
