package signature

import (
	"encoding/binary"
	"fmt"
)

// xfs finds the first superblock of an XFS (Linux, fs/xfs/libxfs/xfs_format.h,
// struct xfs_dsb).
func xfs(g region) []found {
	be := binary.BigEndian
	b := g.bytes(0, 512)
	if b == nil || string(b[:4]) != "XFSB" {
		return nil
	}
	block, sector, version := be.Uint32(b[4:]), be.Uint16(b[102:]), be.Uint16(b[100:])&15
	switch {
	case block < 512 || block > 64<<10 || !powerOfTwo(uint64(block)),
		sector < 512 || sector > 32<<10 || !powerOfTwo(uint64(sector)),
		version == 0 || version > 5, be.Uint32(b[84:]) == 0, be.Uint32(b[88:]) == 0, be.Uint64(b[8:]) == 0:
		return nil
	}
	f := found{
		kind: XFS, places: []int64{0}, label: clean(b[108:120]), uuid: uuid(b[32:48]), version: fmt.Sprint(version),
	}
	if version == 5 {
		all := g.bytes(0, int(sector))
		f.note = sumNote(all != nil && crc32C(without(all, 224, 228)) == binary.LittleEndian.Uint32(b[224:]))
	}
	f.what = named("XFS", f.label)
	return []found{f}
}
