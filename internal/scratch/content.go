package scratch

import "encoding/binary"

// content writes what belongs at an offset of a file into b. Offset and length
// are multiples of 32. Each 8 bytes are the output of a bijection of their place,
// so they are different everywhere in the file, and different for every seed.
func content(b []byte, seed uint64, offset int64) {
	at := uint64(offset) / 8
	for ; len(b) >= 32; b = b[32:] {
		binary.LittleEndian.PutUint64(b, mix(seed, at))
		binary.LittleEndian.PutUint64(b[8:], mix(seed, at+1))
		binary.LittleEndian.PutUint64(b[16:], mix(seed, at+2))
		binary.LittleEndian.PutUint64(b[24:], mix(seed, at+3))
		at += 4
	}
}

// mix returns a random number for each i: the output function of SplitMix64
// (G. Steele et al., "Fast splittable pseudorandom number generators", 2014). For
// one seed it is a bijection of i.
func mix(seed, i uint64) uint64 {
	z := seed + (i+1)*0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
