package bench

import (
	"math/bits"
	"math/rand/v2"
)

// offsets gives one worker's offsets.
type offsets struct {
	random *rand.PCG // nil: sequential
	start  int64
	block  int64
	blocks uint64
	next   uint64
}

func newOffsets(j Job, span int64, worker int) offsets {
	o := offsets{start: j.Start, block: int64(j.BlockBytes), blocks: uint64(span / int64(j.BlockBytes))}
	if j.Pattern == Random {
		o.random = rand.NewPCG(j.Seed, uint64(worker))
		return o
	}
	hi, lo := bits.Mul64(o.blocks, uint64(worker))
	o.next, _ = bits.Div64(hi, lo, uint64(j.Workers))
	return o
}

// take returns the next offset in bytes.
//
//go:nosplit
func (o *offsets) take() int64 {
	if o.random != nil {
		block, _ := bits.Mul64(o.random.Uint64(), o.blocks)
		return o.start + int64(block)*o.block
	}
	block := o.next
	if o.next++; o.next == o.blocks {
		o.next = 0
	}
	return o.start + int64(block)*o.block
}
