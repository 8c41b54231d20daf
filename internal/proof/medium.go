package proof

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"time"

	"qd1.example/qd1/bench"
)

const (
	defaultBlockBytes = 4096
	defaultDepth      = 32
	// chunkBytes is read at once where everything is read.
	chunkBytes = 128 << 10
	// maxFailures ends a reading: so many blocks that cannot be read make any
	// further one useless, and each may take seconds.
	maxFailures = 1024
	// progressEvery is the number of blocks between two calls of Progress.
	progressEvery = 1024
)

// Medium is a namespace, or what stands for one.
type Medium struct {
	// Name is how the results call it, such as "namespace 1".
	Name string
	// Engine reads it, around every cache of the host. It stays the caller's.
	Engine bench.Engine
	// Bytes is its size, BlockBytes the size of a logical block (0: 512).
	Bytes      int64
	BlockBytes int
	// Writer writes canaries and Flush makes the drive keep them. A nil Writer
	// means that there are no canaries, a nil Flush that none is needed.
	Writer io.WriterAt
	Flush  func() error
	// Places are offsets of structures such as file system superblocks, bytes.
	Places []int64
}

// unit returns the size of a logical block.
func (m Medium) unit() int {
	if m.BlockBytes > 0 {
		return m.BlockBytes
	}
	return 512
}

// Options say how to verify. The zero value is the default.
type Options struct {
	// Samples is the number of random places. 0: [DefaultSamples].
	Samples int
	// BlockBytes is the size of a sample. 0: 4096 or a logical block, whichever
	// is more.
	BlockBytes int
	// Seed chooses the places. 0: a random one, which stands in the result.
	Seed uint64
	// Canaries is the number to plant, from 64 to 1024, but no more than one in 8
	// blocks. 0: 1024. Negative: none.
	Canaries int
	// FullRead asks [Verify] to read everything.
	FullRead bool
	// Depth is the number of reads in flight. 0: 32.
	Depth int
	// StallLimit is the longest time without an answer of the drive. 0: 30 s.
	StallLimit time.Duration
	// Progress is told how much of the reading is done, in blocks, not always on
	// the same goroutine. Nil is fine. It is called again with a done of 0 when
	// the next medium or tier begins.
	Progress func(done, total int64)
}

func (o Options) samples() int {
	if o.Samples > 0 {
		return o.Samples
	}
	return DefaultSamples
}

func (o Options) blockBytes(m Medium) int {
	if o.BlockBytes > 0 {
		return o.BlockBytes
	}
	return max(defaultBlockBytes, m.unit())
}

func (o Options) depth() int {
	if o.Depth > 0 {
		return o.Depth
	}
	return defaultDepth
}

// seeded returns o with a seed that all JSON readers keep exactly.
func (o Options) seeded() Options {
	if o.Seed == 0 {
		o.Seed = rand.Uint64N(1<<53-1) + 1
	}
	return o
}

// errEnough ends a reading after too many failures.
var errEnough = errors.New("too many blocks cannot be read")

// reading reads blocks of one medium and visits each. Blocks that are not
// visited were not read: they lie beyond the end, or too many had failed.
type reading struct {
	medium Medium
	opts   Options
	block  int
	visit  func(i int64, data []byte, err error)
	done   int64
	total  int64
	failed int
}

// each reads n blocks at the offsets given.
func (r *reading) each(ctx context.Context, n int64, offset func(i int64) int64) error {
	b := bench.Blocks{Bytes: r.block, Count: n, Offset: offset, Depth: r.opts.depth(), StallLimit: r.opts.StallLimit}
	err := bench.ReadEach(ctx, r.medium.Engine, b, func(b bench.Block) error {
		r.visit(b.Index, b.Data, b.Err)
		return r.count(1, b.Err)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// count notes that n more blocks were visited, or failed.
func (r *reading) count(n int64, err error) error {
	before := r.done
	r.done += n
	if err != nil {
		if r.failed++; r.failed >= maxFailures {
			return errEnough
		}
	}
	if r.opts.Progress != nil && (before/progressEvery != r.done/progressEvery || r.done == r.total) {
		r.opts.Progress(r.done, r.total)
	}
	return nil
}

// start tells the total.
func (r *reading) start(total int64) {
	r.total = total
	if r.opts.Progress != nil {
		r.opts.Progress(0, total)
	}
}

// places reads all places that lie within the medium.
func (r *reading) places(ctx context.Context, p *places) error {
	r.start(p.count())
	if p.whole {
		if err := r.whole(ctx, p.samples); err != nil {
			return err
		}
		visit := r.visit
		r.visit = func(i int64, data []byte, err error) { visit(p.samples+i, data, err) }
		return r.each(ctx, r.within(p.structured), func(i int64) int64 { return p.structured[i] })
	}
	n := p.samples // Random places and structured ones are each in order.
	for n > 0 && !r.holds(p.offset(n-1)) {
		n--
	}
	index := func(i int64) int64 {
		if i < n {
			return i
		}
		return p.samples + i - n
	}
	visit := r.visit
	r.visit = func(i int64, data []byte, err error) { visit(index(i), data, err) }
	return r.each(ctx, n+r.within(p.structured), func(i int64) int64 { return p.offset(index(i)) })
}

// holds reports whether a block at an offset lies within the medium.
func (r *reading) holds(off int64) bool { return off+int64(r.block) <= r.medium.Bytes }

// within returns the number of offsets, in order, that lie within the medium.
func (r *reading) within(offsets []int64) int64 {
	n := len(offsets)
	for n > 0 && !r.holds(offsets[n-1]) {
		n--
	}
	return int64(n)
}

// whole reads the first n blocks of the medium, as many of them as it has, in
// chunks. The blocks of a chunk that fails are read one by one.
func (r *reading) whole(ctx context.Context, n int64) error {
	n = min(n, r.medium.Bytes/int64(r.block))
	each := int64(chunkBytes / r.block)
	var failed []int64
	b := bench.Blocks{
		Bytes: int(each) * r.block, Count: n / each, Depth: r.opts.depth(), StallLimit: r.opts.StallLimit,
		Offset: func(i int64) int64 { return i * each * int64(r.block) },
	}
	err := bench.ReadEach(ctx, r.medium.Engine, b, func(b bench.Block) error {
		if b.Err != nil {
			if failed = append(failed, b.Index); len(failed) >= maxFailures {
				return errEnough
			}
			return nil
		}
		for i := range each {
			r.visit(b.Index*each+i, b.Data[int(i)*r.block:][:r.block], nil)
		}
		return r.count(each, nil)
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	return r.rest(ctx, n, each, failed)
}

// rest reads the blocks of failed chunks, and those behind the last chunk.
func (r *reading) rest(ctx context.Context, n, each int64, failed []int64) error {
	index := func(i int64) int64 {
		if k := i / each; k < int64(len(failed)) {
			return failed[k]*each + i%each
		}
		return n/each*each + i - int64(len(failed))*each
	}
	visit := r.visit
	r.visit = func(i int64, data []byte, err error) { visit(index(i), data, err) }
	defer func() { r.visit = visit }()
	return r.each(ctx, int64(len(failed))*each+n%each, func(i int64) int64 { return index(i) * int64(r.block) })
}
