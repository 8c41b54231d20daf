package scratch

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/rawio"
)

// tickEvery is the time between two reports of progress.
const tickEvery = 200 * time.Millisecond

// copyTally counts what workers did. The histogram is complete when they have
// ended.
type copyTally struct {
	next    atomic.Int64 // the next file
	files   atomic.Int64 // copied to their end
	whole   atomic.Int64 // bytes of those
	bytes   atomic.Int64 // written
	merge   sync.Mutex   // for latency
	latency bench.Histogram
}

// work lets all workers copy until there are no more files, or one of them
// fails.
func (w *copyWork) work(ctx context.Context, to, number int) (*copyTally, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t, ended := &copyTally{}, make(chan struct{})
	var workers sync.WaitGroup
	for range w.Workers {
		workers.Go(func() {
			if err := w.worker(ctx, to, t); err != nil {
				cancel(err)
			}
		})
	}
	go func() { workers.Wait(); close(ended) }()
	w.watch(ended, number, t)
	return t, context.Cause(ctx)
}

// watch reports progress until the workers have ended.
func (w *copyWork) watch(ended <-chan struct{}, number int, t *copyTally) {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			w.Progress(CopyProgress{Run: number, Files: t.files.Load(), Bytes: t.bytes.Load()})
			return
		case <-tick.C:
			w.Progress(CopyProgress{Run: number, Files: t.files.Load(), Bytes: t.bytes.Load()})
		}
	}
}

// worker copies one file after the other.
func (w *copyWork) worker(ctx context.Context, to int, t *copyTally) error {
	b, err := rawio.Alloc(w.BlockBytes)
	if err != nil {
		return err
	}
	defer b.Free()
	var latency bench.Histogram
	defer func() {
		t.merge.Lock()
		defer t.merge.Unlock()
		t.latency.Merge(&latency)
	}()
	for {
		i := t.next.Add(1) - 1
		if i >= int64(w.Files) || ctx.Err() != nil {
			return ctx.Err()
		}
		begin := time.Now()
		if err := w.copyOne(ctx, to, int(i), b.Bytes()[:w.BlockBytes], t); err != nil {
			return err
		}
		latency.Add(time.Since(begin))
		t.files.Add(1)
		t.whole.Add(w.sizes[i])
	}
}

// fileName is that of file i.
func fileName(i int) string { return fmt.Sprintf("%08d", i) }

// direct returns the flag of opening.
func (w *copyWork) direct() int {
	if w.Direct {
		return unix.O_DIRECT
	}
	return 0
}

// copyOne copies file i.
func (w *copyWork) copyOne(ctx context.Context, to, i int, b []byte, t *copyTally) (err error) {
	from, err := openat(w.from, fileName(i), unix.O_RDONLY|w.direct())
	if err != nil {
		return err
	}
	defer unix.Close(from)
	if !w.Direct {
		unix.Fadvise(from, 0, 0, unix.FADV_SEQUENTIAL) // As cp does. It is only a hint.
	}
	target, err := openat(to, fileName(i), unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|w.direct())
	if err != nil {
		return err
	}
	defer func() {
		if cerr := unix.Close(target); err == nil {
			err = cerr
		}
	}()
	if err := w.copyData(ctx, from, target, w.sizes[i], b, t); err != nil {
		return err
	}
	if w.Sync == SyncFile {
		return w.kept.place.fsync(target)
	}
	return nil
}

// openat opens a file of the workload.
func openat(dir int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flags|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0o600)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// copyData copies bytes from one open file to another. By direct I/O whole units
// are written, and what is too much is cut off.
func (w *copyWork) copyData(ctx context.Context, from, to int, bytes int64, b []byte, t *copyTally) error {
	for done := int64(0); done < bytes; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := unix.Pread(from, b, done)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return fmt.Errorf("read: %w", err)
		case n == 0:
			return io.ErrUnexpectedEOF
		}
		length := int64(n)
		if w.Direct {
			length = roundUp(length, w.unit)
			clear(b[n:length])
		}
		if _, err := w.kept.place.writeAll(to, b[:length], done); err != nil {
			return err
		}
		done += int64(n)
		t.bytes.Add(int64(n))
	}
	if w.Direct && bytes%w.unit != 0 {
		return unix.Ftruncate(to, bytes)
	}
	return nil
}

// fill makes the files through the page cache, and leaves nothing of them there.
func (w *copyWork) fill(ctx context.Context) error {
	b, err := rawio.Alloc(fillBlock)
	if err != nil {
		return err
	}
	defer b.Free()
	var done, place int64
	for i, bytes := range w.sizes {
		tell := func(now int64) { w.tell(CopyProgress{Files: int64(i), Bytes: done + now}) }
		err := w.fillOne(ctx, i, b.Bytes()[:fillBlock], bytes, source{w.Seed, place}, tell)
		if ctx.Err() != nil {
			return fmt.Errorf("%s of %s were made: %w", size(done), size(w.Bytes), ctx.Err())
		}
		if err != nil {
			return writeError(w.kept.place, done, w.Bytes, err)
		}
		done += bytes
		place += roundUp(bytes, leastUnit)
		w.result.BytesWritten += bytes
	}
	w.Progress(CopyProgress{Files: int64(w.Files), Bytes: done})
	return unix.Syncfs(w.from)
}

// tell reports progress of the making, if it is time again.
func (w *copyWork) tell(p CopyProgress) {
	if now := time.Now(); now.Sub(w.told) >= tickEvery {
		w.told = now
		w.Progress(p)
	}
}

// fillOne makes file i. Large files are synced at once, so that little waits in
// memory.
func (w *copyWork) fillOne(ctx context.Context, i int, b []byte, bytes int64, from source, tell func(int64)) error {
	fd, err := openat(w.from, fileName(i), unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	p := w.kept.place
	for done := int64(0); done < bytes; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(bytes-done, int64(len(b)))
		content(b[:roundUp(n, 32)], from.seed, from.offset+done)
		if _, err := p.writeAll(fd, b[:n], done); err != nil {
			return err
		}
		done += n
		tell(done)
	}
	if bytes >= fillBlock {
		return p.fsync(fd)
	}
	return nil
}

// dropSource drops the files from the page cache, as if they had not been read
// for long.
func (w *copyWork) dropSource(ctx context.Context) error {
	for i := range w.sizes {
		if err := ctx.Err(); err != nil {
			return err
		}
		fd, err := openat(w.from, fileName(i), unix.O_RDONLY)
		if err != nil {
			return err
		}
		err = unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED)
		unix.Close(fd)
		if err != nil {
			return fmt.Errorf("drop the files from the page cache: %w", err)
		}
	}
	return nil
}
