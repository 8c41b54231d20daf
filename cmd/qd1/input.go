package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/lazyregexp"
)

// isStdin reports whether a selector is one of the names of standard input.
func isStdin(selector string) bool {
	return slices.Contains([]string{"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}, selector)
}

// isFile reports whether a selector means a file, a pipe or standard input,
// rather than a drive.
func isFile(selector string) bool {
	if isStdin(selector) {
		return true
	}
	info, err := os.Stat(selector)
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

// openText opens a regular file, a pipe or standard input.
func (in *invocation) openText(name string) (io.ReadCloser, error) {
	if isStdin(name) {
		return io.NopCloser(in.env.stdin), nil
	}
	f, err := openInput(in.Context.Context, name)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, err
	case err != nil:
		return nil, failf("name a file that is there and that you may read", "cannot read %s: %w", name, err)
	}
	return f, nil
}

func openInput(ctx context.Context, name string) (*os.File, error) {
	if m := descriptorPath.FindStringSubmatch(name); m != nil {
		return openDescriptor(name, m[1])
	}
	if info, err := os.Stat(name); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		return openPipe(ctx, name)
	}
	return openRegular(name)
}

// descriptorPath is what a shell puts for <(command).
var descriptorPath = lazyregexp.New(`^/(?:dev|proc/self)/fd/([0-9]{1,9})$`)

// openDescriptor takes a file that the program was started with. Opened anew,
// a pipe whose writer is gone would never end.
func openDescriptor(name, number string) (*os.File, error) {
	n, err := strconv.Atoi(number)
	if err != nil {
		return nil, err
	}
	fd, err := unix.FcntlInt(uintptr(n), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// openPipe opens a named pipe and waits until somebody writes to it, or until
// the context ends, which also ends reading.
func openPipe(ctx context.Context, name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := awaitWriter(ctx, f); err != nil {
		f.Close()
		return nil, err
	}
	context.AfterFunc(ctx, func() { f.SetReadDeadline(time.Unix(1, 0)) })
	return f, nil
}

// awaitWriter waits until there is something in a pipe, or its writer is gone.
func awaitWriter(ctx context.Context, f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	const patience = 100 // Milliseconds until the context is looked at again.
	for n := 0; n == 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var failed error
		if err := raw.Control(func(fd uintptr) {
			n, failed = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, patience)
		}); err != nil {
			return err
		}
		if errors.Is(failed, unix.EINTR) {
			n = 0
			continue
		}
		if failed != nil {
			return failed
		}
	}
	return nil
}
