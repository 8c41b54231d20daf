package launch

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

const (
	// tailBytes is how much error output is kept.
	tailBytes = 2048
	// readBytes is one read of a pipe.
	readBytes = 64 << 10
)

// output is what a program says: the pipes of its standard output, if a text is
// waited for, and of its error output.
type output struct {
	stdout *pipe // nil: to /dev/null
	stderr *pipe
	found  bool
	buffer []byte
}

// pipe is one stream of a program.
type pipe struct {
	reader int // -1 after its end
	writer *os.File
	search finder
	last   []byte // at most tailBytes
}

// newOutput makes the pipes for a program that is waited for until a text.
func newOutput(until string) (*output, error) {
	stderr, err := newPipe(until)
	if err != nil {
		return nil, err
	}
	o := &output{stderr: stderr, buffer: make([]byte, readBytes)}
	if until == "" {
		return o, nil
	}
	if o.stdout, err = newPipe(until); err != nil {
		o.closeWriters()
		o.close()
		return nil, err
	}
	return o, nil
}

func newPipe(until string) (*pipe, error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return nil, os.NewSyscallError("pipe2", err)
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		unix.Close(fds[0])
		unix.Close(fds[1])
		return nil, os.NewSyscallError("fcntl", err)
	}
	return &pipe{reader: fds[0], writer: os.NewFile(uintptr(fds[1]), "pipe"), search: finder{text: []byte(until)}}, nil
}

func (o *output) pipes() []*pipe {
	if o.stdout == nil {
		return []*pipe{o.stderr}
	}
	return []*pipe{o.stdout, o.stderr}
}

// closeWriters closes what the program has now.
func (o *output) closeWriters() {
	for _, p := range o.pipes() {
		p.writer.Close()
	}
}

// close ends the reading.
func (o *output) close() {
	for _, p := range o.pipes() {
		p.close()
	}
}

func (p *pipe) close() {
	if p.reader >= 0 {
		unix.Close(p.reader)
		p.reader = -1
	}
}

// pollFds returns what to wait for; a pipe that has ended is never ready.
func (o *output) pollFds() []unix.PollFd {
	var fds []unix.PollFd
	for _, p := range o.pipes() {
		fds = append(fds, unix.PollFd{Fd: int32(p.reader), Events: unix.POLLIN})
	}
	return fds
}

// read takes what there is, without waiting, and reports whether the text has
// come.
func (o *output) read() bool {
	for _, p := range o.pipes() {
		if p.read(o.buffer) {
			o.found = true
		}
	}
	return o.found
}

// read reads at most 16 times, so that a program that never stops talking does
// not keep the caller from the clock.
func (p *pipe) read(buffer []byte) bool {
	found := false
	for range 16 {
		if p.reader < 0 {
			break
		}
		n, err := unix.Read(p.reader, buffer)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return found
		case err != nil || n == 0:
			p.close()
			return found
		}
		found = p.take(buffer[:n]) || found
	}
	return found
}

func (p *pipe) take(b []byte) bool {
	p.last = append(p.last, b...)
	p.last = p.last[max(len(p.last)-tailBytes, 0):]
	return p.search.add(b)
}

// tail returns the end of the error output.
func (o *output) tail() string { return string(bytes.ToValidUTF8(o.stderr.last, []byte("?"))) }

// finder finds a text in a stream that comes in pieces.
type finder struct {
	text []byte
	kept []byte // the end of the stream, shorter than text
}

// add reports whether the text ends in b. An empty text is never found.
func (f *finder) add(b []byte) bool {
	if len(f.text) == 0 {
		return false
	}
	joined := append(f.kept, b...)
	if bytes.Contains(joined, f.text) {
		return true
	}
	keep := min(len(f.text)-1, len(joined))
	f.kept = append([]byte(nil), joined[len(joined)-keep:]...)
	return false
}
