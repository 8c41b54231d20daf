package scratch

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/bench"
)

// File is a file to measure.
type File struct {
	// Target is Writable only if the file was made here.
	Target     bench.Target
	Filesystem Filesystem
	// Extents of the whole file.
	Extents Extents
	// Warnings are sentences about what makes the figures doubtful.
	Warnings []string
	// FillSeconds is how long it took to write and sync the file, 0 for one that
	// was there.
	FillSeconds float64

	handle *os.File // of a file that was there
	kept   *kept    // of a file that was made here
}

// OpenExisting takes the regular file at path, for reading only: neither its
// data nor anything else of it is changed.
func OpenExisting(path string) (*File, error) {
	return kernel().openExisting(path)
}

func (c calls) openExisting(path string) (*File, error) {
	f := &File{}
	var err error
	if f.Target, err = bench.OpenFileTarget(path); err != nil {
		return nil, err
	}
	if f.Target.Bytes == 0 {
		return nil, &bench.Error{Cause: path + " is empty", Hint: "name a file that is filled with data"}
	}
	if f.Filesystem, err = c.filesystem(path); err != nil {
		return nil, err
	}
	if err := onDrive(path, f.Filesystem); err != nil {
		return nil, err
	}
	if _, err := CheckDirect(path); err != nil {
		return nil, err
	}
	if f.handle, err = os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0); err != nil {
		return nil, err
	}
	if err := f.look(f.handle); err != nil {
		f.handle.Close()
		return nil, err
	}
	return f, nil
}

// look fills in where the file lies and what is to be said of that.
func (f *File) look(handle *os.File) error {
	var err error
	if f.Extents, err = extentsOf(handle, 0, 0); err != nil {
		return fmt.Errorf("%s: where it lies: %w", f.Target.Path, err)
	}
	if w := f.Filesystem.warning(); w != "" {
		f.Warnings = append(f.Warnings, w)
	}
	f.Warnings = append(f.Warnings, f.Extents.Warnings()...)
	return nil
}

// Close gives the file up. One that was made here is removed; it is an error if
// that fails. A second call does nothing.
func (f *File) Close() error {
	handle, k := f.handle, f.kept
	f.handle, f.kept = nil, nil
	switch {
	case k != nil:
		return k.close()
	case handle != nil:
		return handle.Close()
	}
	return nil
}
