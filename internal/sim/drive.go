package sim

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"qd1.example/qd1/nvme"
)

// Drive is a simulated drive with one namespace. It is an [nvme.Passthru], and
// an io.ReaderAt and io.WriterAt of the namespace. Everything is safe for
// concurrent use.
type Drive struct {
	controller *controller
	medium     *medium
	silent     map[nvme.Queue]bool

	close  sync.Once
	closed chan struct{}
}

var (
	_ nvme.Passthru = (*Drive)(nil)
	_ io.ReaderAt   = (*Drive)(nil)
	_ io.WriterAt   = (*Drive)(nil)
)

// Open returns a new drive of that profile, with parameters after "?"; see the
// package's documentation. Two drives share nothing.
func Open(profile string) (*Drive, error) {
	name, query, _ := strings.Cut(profile, "?")
	p, err := find(name)
	if err != nil {
		return nil, err
	}
	params, err := parseParameters(query)
	if err != nil {
		return nil, fmt.Errorf("simulated drive %s: %w", name, err)
	}
	params.apply(&p.personality)
	return newDrive(&p.personality, params.silent, time.Now)
}

// newDrive makes a drive whose model reads the time from now. The waiting is
// in real time in any case.
func newDrive(p *personality, silent map[nvme.Queue]bool, now func() time.Time) (*Drive, error) {
	d := &Drive{silent: silent, closed: make(chan struct{})}
	c, err := newController(p, now)
	if err != nil {
		return nil, err
	}
	d.controller = c
	d.medium = newMedium(c.namespace.bytes(), p.medium, &c.activity, d.closed)
	c.medium = d.medium
	return d, nil
}

// Close ends every wait, those of silent queues included. The drive answers
// nothing afterwards.
func (d *Drive) Close() error {
	d.close.Do(func() { close(d.closed) })
	return nil
}

// Size returns the size of the namespace in bytes.
func (d *Drive) Size() int64 { return d.controller.namespace.bytes() }

// BlockBytes returns the data bytes of a logical block.
func (d *Drive) BlockBytes() int { return d.controller.namespace.blockBytes() }

// Submit answers a command. The error wraps fs.ErrClosed after Close, and is
// that of ctx if it ends before the answer comes.
func (d *Drive) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	if err := ctx.Err(); err != nil {
		return nvme.Completion{}, err
	}
	if err := d.answering(ctx, cmd.Queue); err != nil {
		return nvme.Completion{}, err
	}
	return d.controller.submit(ctx, cmd)
}

// ReadAt reads from the namespace, with the time that the drive takes. The
// offset and length need not be whole blocks.
func (d *Drive) ReadAt(p []byte, off int64) (int, error) {
	return d.transfer(p, off, d.controller.read)
}

// WriteAt writes to the namespace, with the time that the drive takes.
func (d *Drive) WriteAt(p []byte, off int64) (int, error) {
	n, err := d.transfer(p, off, d.controller.write)
	if err == io.EOF {
		err = fmt.Errorf("write beyond the end of the simulated drive: %w", io.ErrShortWrite)
	}
	return n, err
}

// transfer moves the part of p that lies within the namespace. The error is
// io.EOF if that is not all.
func (d *Drive) transfer(p []byte, off int64, move func(context.Context, []byte, int64) error) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("negative offset: %w", fs.ErrInvalid)
	}
	ctx := context.Background()
	if err := d.answering(ctx, nvme.IOQueue); err != nil {
		return 0, err
	}
	n := int(max(0, min(int64(len(p)), d.Size()-off)))
	if n > 0 {
		if err := move(ctx, p[:n], off); err != nil {
			return 0, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// answering returns when the queue takes a command: at once, or with an error
// if it is silent or the drive is closed.
func (d *Drive) answering(ctx context.Context, q nvme.Queue) error {
	select {
	case <-d.closed:
		return errClosed
	default:
	}
	if !d.silent[q] {
		return nil
	}
	select {
	case <-d.closed:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errClosed = fmt.Errorf("simulated drive: %w", fs.ErrClosed)
