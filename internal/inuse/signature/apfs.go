package signature

import (
	"encoding/binary"
)

// apfs finds the superblock of an APFS container (Apple File System Reference,
// 2020-06-22, "nx_superblock_t").
func apfs(g region) []found {
	const superblock = 1
	le := binary.LittleEndian
	b := g.bytes(0, 4096)
	if b == nil || string(b[32:36]) != "NXSB" {
		return nil
	}
	block := le.Uint32(b[36:])
	if block < 4096 || block > 64<<10 || !powerOfTwo(uint64(block)) || le.Uint16(b[24:]) != superblock || le.Uint64(b[40:]) == 0 {
		return nil
	}
	all := g.bytes(0, int(block))
	return []found{{
		kind: APFS, places: []int64{32}, uuid: uuid(b[72:88]), what: "APFS container",
		note: sumNote(all != nil && fletcher64(all[8:]) == le.Uint64(b)),
	}}
}
