package signature

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// btrfs finds the first superblock of a btrfs, which says where it stands
// (Linux, include/uapi/linux/btrfs_tree.h, struct btrfs_super_block).
func btrfs(g region) []found {
	const at = 64 << 10
	le := binary.LittleEndian
	b := g.bytes(at, 4096)
	if b == nil || string(b[64:72]) != "_BHRfS_M" || le.Uint64(b[48:]) != at {
		return nil
	}
	if !powerOfTwo(uint64(le.Uint32(b[144:]))) || !powerOfTwo(uint64(le.Uint32(b[148:]))) {
		return nil
	}
	f := found{
		kind: Btrfs, places: []int64{at + 64}, label: clean(b[299:555]), uuid: uuid(b[32:48]),
		note: sumNote(btrfsSum(b)),
	}
	f.what = named("btrfs", f.label)
	if n := le.Uint64(b[136:]); n > 1 {
		f.what += fmt.Sprintf(", device %d of %d", le.Uint64(b[201:]), n)
	}
	return []found{f}
}

// btrfsSum reports whether the checksum is right, or is one that is not
// computed here.
func btrfsSum(b []byte) bool {
	switch binary.LittleEndian.Uint16(b[196:]) {
	case 0:
		return crc32C(b[32:]) == binary.LittleEndian.Uint32(b)
	case 2:
		return sha256.Sum256(b[32:]) == [32]byte(b[:32])
	}
	return true
}
