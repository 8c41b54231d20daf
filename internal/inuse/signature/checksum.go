package signature

import (
	"encoding/binary"
	"hash/crc32"
)

// crc32IEEE and crc32C are the checksums with the usual inversion before and
// after.
func crc32IEEE(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

func crc32C(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// rawCRC32 is the CRC of the IEEE polynomial from a start value, without any
// inversion.
func rawCRC32(start uint32, b []byte) uint32 {
	return ^crc32.Update(^start, crc32.IEEETable, b)
}

// rawCRC32C is rawCRC32 with Castagnoli's polynomial.
func rawCRC32C(start uint32, b []byte) uint32 {
	return ^crc32.Update(^start, crc32.MakeTable(crc32.Castagnoli), b)
}

// crc64 is the CRC of the ECMA-182 polynomial, most significant bit first,
// inverted before and after.
func crc64(b []byte) uint64 {
	const poly = 0x42f0e1eba9ea3693
	crc := ^uint64(0)
	for _, c := range b {
		crc ^= uint64(c) << 56
		for range 8 {
			top := crc >> 63
			crc = crc<<1 ^ poly*top
		}
	}
	return ^crc
}

// sum32 adds the 32-bit words of b; a 16-bit rest counts as one.
func sum32(b []byte, order binary.ByteOrder) uint64 {
	var sum uint64
	for ; len(b) >= 4; b = b[4:] {
		sum += uint64(order.Uint32(b))
	}
	if len(b) >= 2 {
		sum += uint64(order.Uint16(b))
	}
	return sum
}

// fold32 adds the upper half of a sum to the lower one.
func fold32(sum uint64) uint32 { return uint32(sum) + uint32(sum>>32) }

// without returns a copy of b with zeros in a range, where a checksum stands
// in what it is the sum of.
func without(b []byte, from, to int) []byte {
	c := append([]byte(nil), b...)
	clear(c[from:to])
	return c
}

// fletcher64 is the checksum of APFS objects.
func fletcher64(b []byte) uint64 {
	const mod = 1<<32 - 1
	var low, high uint64
	for ; len(b) >= 4; b = b[4:] {
		low = (low + uint64(binary.LittleEndian.Uint32(b))) % mod
		high = (high + low) % mod
	}
	check := mod - (low+high)%mod
	return (mod-(low+check)%mod)<<32 | check
}
