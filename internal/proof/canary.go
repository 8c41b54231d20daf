package proof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"qd1.example/qd1/bench"
)

const (
	mostCanaries  = 1024
	leastCanaries = 64
	// canaryShare is the least number of blocks of a medium for each canary, so
	// that enough of the data are left to be compared.
	canaryShare = 8
	// canaryPart is the unit in which a canary may survive, bytes: the smallest
	// logical block.
	canaryPart = 512
)

// ErrNotPlanted is wrapped by the error that says that canaries are not there.
var ErrNotPlanted = errors.New("the canaries cannot be read back")

// Canaries are blocks of pseudo-random data that are written before an erase to
// see whether they are still there after it. The fields give places and data
// again, so that they can be kept.
type Canaries struct {
	Seed uint64 `json:"seed"`
	// Count is the number of canaries, one in each of as many equal parts.
	Count int64 `json:"count"`
	// Bytes is the size of the medium, BlockBytes that of a canary.
	Bytes      int64 `json:"bytes"`
	BlockBytes int   `json:"block_bytes"`
}

// Plan chooses canaries for a medium.
func Plan(m Medium, o Options) (*Canaries, error) {
	o = o.seeded()
	c := &Canaries{Seed: o.Seed, Bytes: m.Bytes, BlockBytes: o.blockBytes(m), Count: mostCanaries}
	if o.Canaries > 0 {
		c.Count = int64(min(max(o.Canaries, leastCanaries), mostCanaries))
	}
	if c.BlockBytes%canaryPart == 0 && c.BlockBytes > 0 {
		blocks := m.Bytes / int64(c.BlockBytes)
		c.Count = min(c.Count, max(blocks/canaryShare, min(blocks, 1)))
	}
	return c, c.Validate()
}

// Validate reports fields that no call of [Plan] gives.
func (c *Canaries) Validate() error {
	switch {
	case c.BlockBytes < canaryPart || c.BlockBytes > maxBlockBytes || c.BlockBytes%canaryPart != 0:
		return fmt.Errorf("canaries of %d bytes", c.BlockBytes)
	case c.Count < 1 || c.Count > mostCanaries || c.Count > c.Bytes/int64(c.BlockBytes):
		return fmt.Errorf("%d canaries on a medium of %d bytes", c.Count, c.Bytes)
	}
	return nil
}

// Plant overwrites one block for each canary. What makes the drive keep them, a
// flush, is left to the caller; then [Canaries.Present] tells whether they are
// there.
func (c *Canaries) Plant(ctx context.Context, w io.WriterAt) error {
	block := make([]byte, c.BlockBytes)
	for i := range c.Count {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("plant canaries: %w", err)
		}
		c.fill(i, block)
		if _, err := w.WriteAt(block, c.offset(i)); err != nil {
			return fmt.Errorf("plant canary %d of %d: %w", i+1, c.Count, err)
		}
	}
	return nil
}

// Present reads every second canary back. The error wraps [ErrNotPlanted] if one
// is not as it was written. The others are not read, so that a drive cannot tell
// by that which blocks it must erase.
func (c *Canaries) Present(ctx context.Context, m Medium, o Options) error {
	missing, first, read := 0, int64(-1), (c.Count+1)/2
	err := c.each(ctx, m, o, 2, func(b bench.Block, want []byte) {
		if b.Err != nil || !bytes.Equal(b.Data, want) {
			if missing++; first < 0 || b.Offset < first {
				first = b.Offset
			}
		}
	})
	if err == nil && missing > 0 {
		err = fmt.Errorf("%w: %d of %d, the first at byte %d", ErrNotPlanted, missing, read, first)
	}
	return err
}

// Check looks for the canaries after an erase. One of which a part of 512 bytes
// is where it was has survived.
func (c *Canaries) Check(ctx context.Context, m Medium, o Options) (*CanaryCheck, error) {
	r := &CanaryCheck{Medium: m.Name, Seed: c.Seed, Planted: c.Count, BlockBytes: c.BlockBytes, SurvivedOffsets: []int64{}}
	err := c.each(ctx, m, o, 1, func(b bench.Block, want []byte) {
		switch {
		case b.Err != nil:
			return
		case sharesPart(b.Data, want):
			r.Survived++
			if len(r.SurvivedOffsets) < listed {
				r.SurvivedOffsets = append(r.SurvivedOffsets, b.Offset)
			}
			return
		case classify(b.Data) == HighEntropy:
			r.Scrambled++
		}
		r.Gone++
	})
	if err != nil {
		return nil, fmt.Errorf("look for canaries on %s: %w", m.Name, err)
	}
	r.Unreadable = r.Planted - r.Gone - r.Survived
	r.judge()
	return r, nil
}

// judge gives the verdict and its reason.
func (r *CanaryCheck) judge() {
	planted := grouped(r.Planted)
	switch {
	case r.Survived > 0:
		r.Verdict = Fail
		r.Text = fmt.Sprintf("%s of %s canaries have survived, the first at byte %d", grouped(r.Survived), planted, r.SurvivedOffsets[0])
	case r.Unreadable > 0:
		r.Verdict = Inconclusive
		r.Text = fmt.Sprintf("%s of %s canaries could not be read afterwards; of the others, none has survived", grouped(r.Unreadable), planted)
	default:
		r.Verdict, r.Bound95 = Pass, new(percent(Bound(r.Gone, 0.95)))
		r.Text = fmt.Sprintf("none of %s canaries has survived: the erase left out at most %s %% of the medium (95 %%)", planted, short(*r.Bound95))
	}
}

// sharesPart reports whether one part of both blocks is the same.
func sharesPart(a, b []byte) bool {
	for i := 0; i+canaryPart <= len(b); i += canaryPart {
		if bytes.Equal(a[i:i+canaryPart], b[i:i+canaryPart]) {
			return true
		}
	}
	return false
}

// each reads every step-th canary, as far as they lie within the medium, and
// visits each with what was planted.
func (c *Canaries) each(ctx context.Context, m Medium, o Options, step int64, visit func(b bench.Block, want []byte)) error {
	want := make([]byte, c.BlockBytes)
	r := reading{medium: m, opts: o, block: c.BlockBytes}
	n := (c.Count + step - 1) / step
	for n > 0 && !r.holds(c.offset((n-1)*step)) {
		n--
	}
	r.visit = func(i int64, data []byte, err error) {
		c.fill(i*step, want)
		visit(bench.Block{Index: i * step, Offset: c.offset(i * step), Data: data, Err: err}, want)
	}
	r.start(n)
	return r.each(ctx, n, func(i int64) int64 { return c.offset(i * step) })
}

// offset returns the place of canary i in bytes.
func (c *Canaries) offset(i int64) int64 {
	return stratum(i, c.Count, c.Bytes/int64(c.BlockBytes), ^c.Seed) * int64(c.BlockBytes)
}

// fill writes the data of canary i to p.
func (c *Canaries) fill(i int64, p []byte) {
	var seed [32]byte
	for k := range 4 {
		v := mix(c.Seed, uint64(i)<<2|uint64(k))
		for b := range 8 {
			seed[8*k+b] = byte(v >> (8 * b))
		}
	}
	_, _ = rand.NewChaCha8(seed).Read(p)
}
