package signature

import (
	"encoding/binary"
	"fmt"
)

const f2fsMagic = 0xf2f52010

// f2fs finds the two superblocks of an F2FS (Linux, include/linux/f2fs_fs.h,
// struct f2fs_super_block).
func f2fs(g region) []found {
	first, one := f2fsAt(g, 1024)
	second, two := f2fsAt(g, 4096+1024)
	switch {
	case !one && !two:
		return nil
	case !one:
		second.note = "only its second superblock is left"
		return []found{second}
	case two && first.note != "" && second.note == "":
		second.note = "its first superblock is damaged, the second is good"
		second.places = []int64{1024, 4096 + 1024}
		return []found{second}
	}
	return []found{first}
}

func f2fsAt(g region, at int64) (found, bool) {
	le := binary.LittleEndian
	b := g.bytes(at, 3072)
	if b == nil || le.Uint32(b) != f2fsMagic {
		return found{}, false
	}
	sector, perBlock, block := le.Uint32(b[8:]), le.Uint32(b[12:]), le.Uint32(b[16:])
	if block < 12 || block > 16 || sector < 9 || sector > block || sector+perBlock != block || le.Uint64(b[36:]) == 0 {
		return found{}, false
	}
	f := found{
		kind: F2FS, places: []int64{at}, uuid: uuid(b[108:124]), label: cleanUTF16(b[124:1148], le),
		version: fmt.Sprintf("%d.%d", le.Uint16(b[4:]), le.Uint16(b[6:])),
	}
	if sum := le.Uint32(b[32:]); sum != 0 {
		f.note = sumNote(int64(sum) <= int64(len(b)-4) && rawCRC32(f2fsMagic, b[:sum]) == le.Uint32(b[sum:]))
	}
	f.what = named("F2FS", f.label)
	return f, true
}
