package sata

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// Device is an open disk of the SCSI layer. Its methods may be called by several
// goroutines at the same time.
//
// A method returns when the kernel does: after the deadline of its context, or
// [DefaultTimeout] without one, the kernel takes the command back and resets
// the link, which may take some seconds more.
type Device struct {
	path string
	file *os.File
	conn syscall.RawConn
	host *Host
	call kernel
	// only12 says that the 12-byte form has worked where the 16-byte form did not.
	only12 atomic.Bool
	// sent and refused count the commands.
	sent, refused atomic.Int64
}

// Open opens the disk at a path for reading: a block device of the SCSI layer,
// such as /dev/sda, or a partition of one, for which the whole disk is opened.
// Disks that take no ATA command are opened too, since [Device.Host] says what
// they are; their commands fail with [ErrNotATA] and reach no device. Errors
// match fs.ErrNotExist, fs.ErrPermission and [ErrNotDisk].
func Open(path string) (*Device, error) {
	number, err := blockNumber(path)
	if err != nil {
		return nil, err
	}
	host, err := Locate(os.DirFS("/sys"), number)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	if host.Partition != "" {
		path = "/dev/" + host.Disk
	}
	return openDisk(path, host)
}

// openDisk opens the node of a disk that was located, and makes sure that it
// is that disk's.
func openDisk(path string, host *Host) (*Device, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, openFailure(err)
	}
	number, err := numberOf(path, file.Stat)
	if err == nil && number != host.number {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("the node has changed")}
	}
	conn, connErr := file.SyscallConn()
	if err = errors.Join(err, connErr); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Device{path: path, file: file, conn: conn, host: host, call: system}, nil
}

// openFailure says what the kernel means when it does not open a disk.
func openFailure(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) && (errors.Is(err, unix.ENXIO) || errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENOMEDIUM)) {
		return &fs.PathError{Op: p.Op, Path: p.Path, Err: fmt.Errorf("%w (%w)", ErrGone, p.Err)}
	}
	return err
}

// blockNumber returns the device number of a block device as "8:0".
func blockNumber(path string) (string, error) {
	return numberOf(path, func() (fs.FileInfo, error) { return os.Stat(path) })
}

func numberOf(path string, stat func() (fs.FileInfo, error)) (string, error) {
	info, err := stat()
	if err != nil {
		return "", err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode()&fs.ModeDevice == 0 || info.Mode()&fs.ModeCharDevice != 0 {
		return "", &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("%w: not a block device", ErrNotDisk)}
	}
	dev := uint64(st.Rdev)
	return fmt.Sprintf("%d:%d", unix.Major(dev), unix.Minor(dev)), nil
}

// Path returns the path of the disk that was opened.
func (d *Device) Path() string { return d.path }

// Host returns what the host knows about the disk.
func (d *Device) Host() *Host { return d.host }

// Footprint is what reading a drive did.
type Footprint struct {
	// Commands is the number of commands sent, and Refused how many of them were
	// not carried out.
	Commands int `json:"commands"`
	Refused  int `json:"refused"`
}

// Footprint returns the commands sent so far, and how many of them were not
// carried out. A drive may keep a record of the latter.
func (d *Device) Footprint() Footprint {
	return Footprint{Commands: int(d.sent.Load()), Refused: int(d.refused.Load())}
}

// Close closes the disk. Later calls fail with os.ErrClosed.
func (d *Device) Close() error { return d.file.Close() }

// answer is what a command gave.
type answer struct {
	data      []byte
	registers *Registers
}

// do sends a command: in its 16-byte form and, where that is not known, in
// its 12-byte form, which is remembered if it works.
func (d *Device) do(ctx context.Context, c command) (answer, error) {
	if err := c.allowed(); err != nil {
		return answer{}, err
	}
	if err := d.host.takesATA(); err != nil {
		return answer{}, err
	}
	if d.only12.Load() {
		return d.patient(ctx, &c, c.cdb12())
	}
	a, err := d.patient(ctx, &c, c.cdb16())
	if !errors.Is(err, ErrNotTranslated) {
		return a, err
	}
	if a, again := d.patient(ctx, &c, c.cdb12()); !errors.Is(again, ErrNotTranslated) {
		d.only12.Store(again == nil)
		return a, again
	}
	return answer{}, err
}

// errAttention is news of the drive, such as a reset, in the place of an
// answer: the command is to be sent again.
var errAttention = errors.New("unit attention")

// patient sends a command once more after unit attention.
func (d *Device) patient(ctx context.Context, c *command, cdb []byte) (answer, error) {
	a, err := d.once(ctx, c, cdb)
	if errors.Is(err, errAttention) {
		a, err = d.once(ctx, c, cdb)
	}
	if errors.Is(err, errAttention) {
		err = fmt.Errorf("%w: %w", ErrNotReady, err)
	}
	return a, err
}

func (d *Device) once(ctx context.Context, c *command, cdb []byte) (answer, error) {
	ms, err := timeoutMS(ctx)
	if err != nil {
		return answer{}, fmt.Errorf("%s: %w", c.name, err)
	}
	f, err := newFrame(cdb, c.sectors*sectorBytes, ms)
	if err != nil {
		return answer{}, err
	}
	defer f.free()
	var errno unix.Errno
	if err := d.conn.Control(func(fd uintptr) { errno = d.call(fd, f) }); err != nil {
		return answer{}, fmt.Errorf("%s: %w", c.name, os.ErrClosed)
	}
	d.sent.Add(1)
	a, err := judge(c, f, errno)
	if err != nil && !errors.Is(err, errAttention) {
		d.refused.Add(1)
	}
	return a, err
}

// judge makes an answer or an error of what the kernel returned.
func judge(c *command, f *frame, errno unix.Errno) (answer, error) {
	if errno != 0 {
		return answer{}, &CommandError{Command: c.name, Err: explain(errno)}
	}
	o := f.outcome()
	registers, err := o.verdict(c)
	if err != nil {
		return answer{}, err
	}
	if o.length < f.length {
		return answer{}, short(c.name, o.length, f.length)
	}
	return answer{data: f.bytes(f.length), registers: registers}, nil
}

// explain puts the sentinel for errno in front of it.
func explain(errno unix.Errno) error {
	switch errno {
	case unix.ENOTTY, unix.EINVAL:
		return fmt.Errorf("%w (%w)", ErrNotDisk, errno)
	case unix.ENODEV, unix.ENXIO:
		return fmt.Errorf("%w (%w)", ErrGone, errno)
	case unix.ETIMEDOUT:
		return fmt.Errorf("%w (%w)", ErrTimeout, errno)
	case unix.EIO:
		return fmt.Errorf("%w (%w)", ErrIO, errno)
	}
	return errno
}
