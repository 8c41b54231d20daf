package sim

import "encoding/binary"

// generator makes the data of a medium that was never written: each aligned 8
// bytes are a mix of their place and the base, or all are the same.
type generator struct {
	base uint64
	// blank makes all data the pattern, a dword.
	blank   bool
	pattern uint32
}

// newGenerator returns the data of one seed, which are others than those of
// any other.
func newGenerator(seed uint64) generator { return generator{base: mix(seed + golden)} }

// fill fills p with the data at an offset.
func (g generator) fill(p []byte, off int64) {
	if g.blank && g.pattern == 0 {
		clear(p)
		return
	}
	word := uint64(off) / 8
	if skip := int(off % 8); skip != 0 {
		var w [8]byte
		binary.LittleEndian.PutUint64(w[:], g.word(word))
		p = p[copy(p, w[skip:]):]
		word++
	}
	for ; len(p) >= 8; p = p[8:] {
		binary.LittleEndian.PutUint64(p, g.word(word))
		word++
	}
	if len(p) > 0 {
		var w [8]byte
		binary.LittleEndian.PutUint64(w[:], g.word(word))
		copy(p, w[:])
	}
}

// word returns aligned word i. One multiplication is enough here: the words
// must differ, not be random.
func (g generator) word(i uint64) uint64 {
	if g.blank {
		return uint64(g.pattern)<<32 | uint64(g.pattern)
	}
	x := g.base + i*golden
	return (x ^ x>>32) * 0xD6E8FEB86659FD93
}
