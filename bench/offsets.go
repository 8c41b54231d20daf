package bench

import "math/bits"

// offsets gives one worker's offsets.
type offsets struct {
	random bool // else sequential
	state  splitMix
	start  int64
	block  int64
	blocks uint64
	next   uint64
}

func newOffsets(j Job, span int64, worker int) offsets {
	o := offsets{start: j.Start, block: int64(j.BlockBytes), blocks: uint64(span / int64(j.BlockBytes))}
	if j.Pattern == Random {
		o.random, o.state = true, newSplitMix(j.Seed, worker)
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
	var block uint64
	if o.random {
		block, _ = bits.Mul64(o.state.next(), o.blocks)
	} else {
		block = o.next
		if o.next++; o.next == o.blocks {
			o.next = 0
		}
	}
	return o.start + int64(block)*o.block
}
