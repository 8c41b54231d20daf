package scratch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/rawio"
)

const (
	// fillBlock is the size of one write of the filling, in bytes.
	fillBlock = 1 << 20
	// progressEvery is how many bytes lie between two reports of progress.
	progressEvery = 4 << 20
	// leastUnit is what the size of a file is a multiple of: the largest logical
	// block of common drives.
	leastUnit = 4096
	// allocateAttempts limits how often an interrupted allocation is tried.
	allocateAttempts = 100
)

// Options of [Make]. The zero value is ready for use.
type Options struct {
	// Reserve is what stays free on the filesystem, in bytes. 0: 256 MiB or 1 %
	// of its size, whichever is more. Below 0: nothing.
	Reserve int64
	// Seed of the data. 0: a random one.
	Seed uint64
	// Progress is told the bytes that were written, each 4 MiB and at the end.
	// Nil: nobody is.
	Progress func(done int64)
}

// Make makes a file of bytes, rounded up to whole blocks of 4096, in the
// directory dir, and fills it by direct I/O with data that neither repeat nor
// can be compressed. When it returns, the data are on the medium as far as the
// drive tells the truth about flushes.
//
// The file has a name of its own, mode 0600 and a lock while it is open. It is
// removed by [File.Close], when Make fails, and as soon as ctx ends.
func Make(ctx context.Context, dir string, bytes int64, o Options) (*File, error) {
	return kernel().makeFile(ctx, dir, bytes, o)
}

func (c calls) makeFile(ctx context.Context, dir string, bytes int64, o Options) (*File, error) {
	if bytes <= 0 {
		return nil, fmt.Errorf("a test file of %d bytes: more than 0 are needed", bytes)
	}
	p, err := openPlace(c, dir)
	if err != nil {
		return nil, err
	}
	if err := p.room(bytes, o.Reserve); err != nil {
		return nil, errors.Join(err, p.close())
	}
	k, err := p.keep(p.create)
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	k.removeWith(ctx)
	f, err := k.fill(ctx, bytes, o)
	if err != nil {
		return nil, errors.Join(err, k.close())
	}
	return f, nil
}

// create makes an empty file that was not there.
func (p *place) create(name string) (*os.File, error) {
	return p.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// fill allocates and writes the file k and describes it.
func (k *kept) fill(ctx context.Context, bytes int64, o Options) (*File, error) {
	p, path := k.place, filepath.Join(k.place.dir, k.name)
	f := &File{Filesystem: p.filesystem, kept: k}
	if p.filesystem.copyOnWrite() {
		f.Warnings = append(f.Warnings, k.inPlace())
	}
	if err := p.direct(int(k.handle.Fd())); err != nil {
		return nil, notDirect(p.dir, p.filesystem, err)
	}
	target, err := bench.OpenFileTarget(path)
	if err != nil {
		return nil, err
	}
	unit := max(int64(target.BlockBytes), leastUnit)
	bytes = (bytes + unit - 1) / unit * unit
	begin := time.Now()
	if err := k.write(ctx, bytes, o); err != nil {
		return nil, err
	}
	f.FillSeconds = time.Since(begin).Seconds()
	f.Target = target
	f.Target.Bytes, f.Target.Writable = bytes, true
	return f, f.look(k.handle)
}

// inPlace asks for blocks that are overwritten in place, and says what came of it.
func (k *kept) inPlace() string {
	if err := k.place.nocow(int(k.handle.Fd())); err != nil {
		return fmt.Sprintf("The test file copies on write, because %s did not allow otherwise (%v): writes are slower and direct I/O may not be direct.", k.place.filesystem.Type, err)
	}
	return fmt.Sprintf("The test file is overwritten in place, without checksums and compression, unlike other files on %s.", k.place.filesystem.Type)
}

// write allocates, writes and syncs bytes.
func (k *kept) write(ctx context.Context, bytes int64, o Options) error {
	p, fd := k.place, int(k.handle.Fd())
	if err := p.allocate(fd, bytes); err != nil {
		return writeError(p, 0, bytes, err)
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	if o.Progress == nil {
		o.Progress = func(int64) {}
	}
	done, err := p.stream(ctx, fd, bytes, source{o.Seed, 0}, o.Progress)
	if ctx.Err() != nil {
		return fmt.Errorf("%s of %s were written: %w", size(done), size(bytes), ctx.Err())
	}
	if err == nil {
		err = p.fsync(fd)
	}
	if err != nil {
		return writeError(p, done, bytes, err)
	}
	return nil
}

// allocate sets bytes aside, so that a lack of space shows before anything is
// written. Filesystems that cannot do that show it later.
func (p *place) allocate(fd int, bytes int64) error {
	for range allocateAttempts {
		err := p.fallocate(fd, bytes)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return nil
		}
		return err
	}
	return nil
}

// source is data of a seed from an offset on, a multiple of 32.
type source struct {
	seed   uint64
	offset int64
}

// stream writes bytes, a multiple of what direct I/O needs, from the start of fd
// and returns how many were written.
func (p *place) stream(ctx context.Context, fd int, bytes int64, from source, progress func(int64)) (int64, error) {
	b, err := rawio.Alloc(fillBlock)
	if err != nil {
		return 0, err
	}
	defer b.Free()
	var done int64
	for done < bytes {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		block := b.Bytes()[:min(fillBlock, bytes-done)]
		content(block, from.seed, from.offset+done)
		n, err := p.writeAll(fd, block, done)
		if done += int64(n); err != nil {
			return done, err
		}
		if done%progressEvery == 0 || done == bytes {
			progress(done)
		}
	}
	return done, nil
}

// writeAll writes all of b at an offset, however many calls that takes.
func (p *place) writeAll(fd int, b []byte, offset int64) (int, error) {
	done := 0
	for done < len(b) {
		n, err := p.pwrite(fd, b[done:], offset+int64(done))
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return done, err
		case n <= 0:
			return done, unix.EIO
		}
		done += n
	}
	return done, nil
}
