package erase

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/nvme"
)

// overwriteBytes is how much one write of an overwriting host has.
const overwriteBytes = 4 << 20

// syncer is a medium that can make what was written permanent.
type syncer interface{ Sync() error }

// writeError is a namespace that could not be overwritten.
type writeError struct {
	nsid nvme.NSID
	err  error
}

func (e *writeError) Error() string { return fmt.Sprintf("overwrite namespace %d: %v", e.nsid, e.err) }

func (e *writeError) Unwrap() error { return e.err }

// overwrite writes zeroes to every target, then reads them all again.
func (r *run) overwrite(ctx context.Context) error {
	for i, nsid := range r.Method.Targets {
		device := r.permit.Medium(nsid)
		if device == nil {
			return fmt.Errorf("namespace %d has no block device that could be written to", nsid)
		}
		sent := r.now()
		if err := r.arm(ctx, i, sent); err != nil {
			return err
		}
		size := r.bytes(i)
		err := writeZeroes(ctx, device, size, r.counted(PhaseErase))
		if s, ok := device.(syncer); ok && err == nil {
			err = s.Sync()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return &writeError{nsid, err}
		}
		if err := r.returned(i, sent, answer{}); err != nil {
			return err
		}
	}
	return r.readBack(ctx)
}

// bytes returns the size of a target.
func (r *run) bytes(i int) int64 {
	for _, m := range r.rec.Radius {
		if m.NSID == r.Method.Targets[i] {
			return m.Bytes
		}
	}
	return 0
}

func writeZeroes(ctx context.Context, w io.WriterAt, size int64, progress func(done, total int64)) error {
	zeroes := make([]byte, overwriteBytes)
	for at := int64(0); at < size; at += overwriteBytes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := w.WriteAt(zeroes[:min(overwriteBytes, size-at)], at); err != nil {
			return fmt.Errorf("at byte %d: %w", at, err)
		}
		progress(at, size)
	}
	progress(size, size)
	return nil
}

// readBack reads every target and looks for anything but zeroes.
func (r *run) readBack(ctx context.Context) error {
	tier := proof.Tier{Verdict: proof.Pass, Text: "every block was read back as zeroes"}
	for i, nsid := range r.Method.Targets {
		other, unread, err := readZeroes(ctx, r.permit.Medium(nsid), r.bytes(i), r.counted(PhaseVerify))
		if err != nil {
			return err
		}
		switch {
		case other > 0:
			tier = proof.Tier{Verdict: proof.Fail, Text: fmt.Sprintf("namespace %d: %d parts of %d bytes do not read as zeroes", nsid, other, overwriteBytes)}
		case unread > 0 && tier.Verdict == proof.Pass:
			tier = proof.Tier{Verdict: proof.Inconclusive, Text: fmt.Sprintf("namespace %d: %d parts of %d bytes could not be read", nsid, unread, overwriteBytes)}
		}
	}
	r.rec.Verification.FullRead = tier
	return nil
}

// readZeroes counts the parts that are not zero and those that cannot be read.
func readZeroes(ctx context.Context, m io.ReaderAt, size int64, progress func(done, total int64)) (other, unread int, err error) {
	part, zeroes := make([]byte, overwriteBytes), make([]byte, overwriteBytes)
	for at := int64(0); at < size; at += overwriteBytes {
		if err := ctx.Err(); err != nil {
			return other, unread, err
		}
		b := part[:min(overwriteBytes, size-at)]
		switch n, err := m.ReadAt(b, at); {
		case n < len(b) || err != nil && err != io.EOF:
			unread++
		case !bytes.Equal(b, zeroes[:len(b)]):
			other++
		}
		progress(at, size)
	}
	return other, unread, nil
}
