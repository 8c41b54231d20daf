package sata

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/rawio"
)

// DefaultTimeout is the time that the kernel gives a command whose context has
// no deadline: enough for a disk that has to spin up first.
const DefaultTimeout = 20 * time.Second

// Numbers of the kernel's interface (include/scsi/sg.h).
const (
	requestSGIO   = 0x2285
	interfaceID   = 'S'
	directionNone = -1
	directionFrom = -3
)

// Where the parts of one call lie in its memory: the header, the command and
// the sense data on the first page, the data from the second.
const (
	frameCDB   = 256
	frameSense = 512
	senseBytes = 64
)

// header is the layout of struct sg_io_hdr for a machine with pointers of the
// bytes given: the offsets of the fields after the fixed first part.
type header struct {
	word, data, cdb, sense, timeout, status, senseLen, host, driver, resid, size int
}

func layout(word int) header {
	h := header{word: word, data: 16, cdb: 16 + word, sense: 16 + 2*word, timeout: 16 + 3*word}
	// Time-out, flags and pack identifier are followed by an aligned pointer.
	user := (h.timeout + 12 + word - 1) / word * word
	h.status = user + word
	h.senseLen, h.host, h.driver, h.resid = h.status+3, h.status+4, h.status+6, h.status+8
	h.size = (h.status + 20 + word - 1) / word * word
	return h
}

// frame is the memory of one call. It lies outside the Go heap, where nothing
// moves, so that addresses may be plain numbers.
type frame struct {
	buffer *rawio.Buffer
	header header
	data   int // offset of the data
	length int // of the data, in bytes
}

// newFrame prepares the call that sends a command.
func newFrame(cdb []byte, length int, timeoutMS uint32) (*frame, error) {
	page := os.Getpagesize()
	buffer, err := rawio.Alloc(page + max(length, 1))
	if err != nil {
		return nil, err
	}
	f := &frame{buffer: buffer, header: layout(strconv.IntSize / 8), data: page, length: length}
	b, h, order := buffer.Bytes(), f.header, binary.NativeEndian
	direction := int32(directionNone)
	if length > 0 {
		direction = directionFrom
		f.pointer(h.data, page)
	}
	order.PutUint32(b, interfaceID)
	order.PutUint32(b[4:], uint32(direction))
	b[8], b[9] = uint8(len(cdb)), senseBytes
	order.PutUint32(b[12:], uint32(length))
	f.pointer(h.cdb, frameCDB)
	f.pointer(h.sense, frameSense)
	order.PutUint32(b[h.timeout:], timeoutMS)
	copy(b[frameCDB:], cdb)
	return f, nil
}

// pointer writes the address of an offset of the memory.
func (f *frame) pointer(at, offset int) {
	address := uintptr(f.buffer.Pointer()) + uintptr(offset)
	if f.header.word == 8 {
		binary.NativeEndian.PutUint64(f.buffer.Bytes()[at:], uint64(address))
		return
	}
	binary.NativeEndian.PutUint32(f.buffer.Bytes()[at:], uint32(address))
}

// outcome is what the kernel wrote into the header.
type outcome struct {
	status uint8
	host   uint16
	driver uint16
	sense  []byte // as much as was written
	length int    // bytes of data that came
}

func (f *frame) outcome() outcome {
	b, h, order := f.buffer.Bytes(), f.header, binary.NativeEndian
	written := min(int(b[h.senseLen]), senseBytes)
	resid := int(int32(order.Uint32(b[h.resid:])))
	return outcome{
		status: b[h.status] & 0x7E,
		host:   order.Uint16(b[h.host:]),
		driver: order.Uint16(b[h.driver:]) & 0xF,
		sense:  append([]byte(nil), b[frameSense:frameSense+written]...),
		length: min(max(f.length-resid, 0), f.length),
	}
}

// bytes returns a copy of the first n bytes of the data.
func (f *frame) bytes(n int) []byte {
	return append([]byte(nil), f.buffer.Bytes()[f.data:f.data+n]...)
}

// free gives the memory back. The error of unmapping memory that was mapped
// leaves nothing to do.
func (f *frame) free() { _ = f.buffer.Free() }

// kernel makes the system call; tests put a drive in its place.
type kernel func(fd uintptr, f *frame) unix.Errno

// system calls the kernel.
func system(fd uintptr, f *frame) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, requestSGIO, uintptr(f.buffer.Pointer()))
	return errno
}

// timeoutMS returns the time-out of a command under ctx in whole milliseconds,
// rounded up, never 0, which the kernel takes for its own default of a minute.
func timeoutMS(ctx context.Context) (uint32, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	left := DefaultTimeout
	if deadline, ok := ctx.Deadline(); ok {
		left = time.Until(deadline)
	}
	if left <= 0 {
		return 0, context.DeadlineExceeded
	}
	ms := (left + time.Millisecond - 1) / time.Millisecond
	return uint32(min(ms, math.MaxInt32)), nil
}
