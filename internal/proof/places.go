package proof

import (
	"fmt"
	"math/bits"
	"slices"
)

const (
	// edgeBlocks is the number of logical blocks at each end of the medium that
	// are structured places: partition tables, boot sectors, their copies.
	edgeBlocks = 2048
	// wholeFactor times the samples' bytes are read in one go as fast as the
	// samples are one by one, or faster.
	wholeFactor = 2
	// maxPlaces limits how many structured places can be named.
	maxPlaces = 1 << 16
	// maxBlockBytes limits the size of a sample.
	maxBlockBytes = 64 << 10
)

// places are the places of a medium that are looked at: as many random ones as
// there are samples, in order, then the structured ones. The same fields give
// the same places.
type places struct {
	bytes      int64
	block      int
	samples    int64
	whole      bool
	seed       uint64
	structured []int64 // offsets, in order, none twice
}

// newPlaces chooses the places of a medium.
func newPlaces(m Medium, o Options) (places, error) {
	p := places{bytes: m.Bytes, block: o.blockBytes(m), samples: int64(o.samples()), seed: o.Seed}
	switch {
	case p.block%512 != 0 || p.block%m.unit() != 0 || p.block > maxBlockBytes:
		return p, fmt.Errorf("samples of %d bytes: a multiple of 512 and of %d up to %d is possible", p.block, m.unit(), maxBlockBytes)
	case m.Bytes < int64(p.block):
		return p, fmt.Errorf("%s has %d bytes, less than one sample of %d", m.Name, m.Bytes, p.block)
	case m.Bytes%int64(m.unit()) != 0:
		return p, fmt.Errorf("%s has %d bytes, not a multiple of its blocks of %d", m.Name, m.Bytes, m.unit())
	case len(m.Places) > maxPlaces:
		return p, fmt.Errorf("%d places are named, up to %d are possible", len(m.Places), maxPlaces)
	}
	if p.blocks() <= wholeFactor*p.samples {
		p.whole, p.samples = true, p.blocks()
	}
	p.structured = p.structure(m)
	return p, nil
}

// blocks returns the number of whole blocks of the medium.
func (p *places) blocks() int64 { return p.bytes / int64(p.block) }

// count returns the number of places.
func (p *places) count() int64 { return p.samples + int64(len(p.structured)) }

// offset returns place i.
func (p *places) offset(i int64) int64 {
	switch {
	case i >= p.samples:
		return p.structured[i-p.samples]
	case p.whole:
		return i * int64(p.block)
	}
	return stratum(i, p.samples, p.blocks(), p.seed) * int64(p.block)
}

// stratum returns a random block of the i-th of n equal parts of all blocks, of
// which there are at least n.
func stratum(i, n, blocks int64, seed uint64) int64 {
	from, to := share(i, n, blocks), share(i+1, n, blocks)
	within, _ := bits.Mul64(mix(seed, uint64(i)), uint64(to-from))
	return from + int64(within)
}

// share returns i/n of all, rounded down.
func share(i, n, all int64) int64 {
	high, low := bits.Mul64(uint64(i), uint64(all))
	q, _ := bits.Div64(high, low, uint64(n))
	return int64(q)
}

// mix returns a random number for each i: the output function of SplitMix64
// (G. Steele et al., "Fast splittable pseudorandom number generators", 2014).
func mix(seed, i uint64) uint64 {
	z := seed + (i+1)*0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// structure returns the structured places: both ends of the medium and what was
// named. If all blocks are read, it is what lies behind the last whole block.
func (p *places) structure(m Medium) []int64 {
	block, last := int64(p.block), p.bytes-int64(p.block)
	if p.whole {
		if p.bytes%block != 0 {
			return []int64{last}
		}
		return nil
	}
	var all []int64
	for i := range int64(edgeBlocks) * int64(m.unit()) / block {
		all = append(all, i*block, last-i*block)
	}
	for _, off := range m.Places {
		if off >= 0 && off < p.bytes {
			all = append(all, min(off/block*block, last))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
