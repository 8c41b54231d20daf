package signature

import (
	"encoding/binary"
	"fmt"
)

const (
	bcacheMagic   = "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"
	bcachefsMagic = "\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"
	// bcacheSector is the sector of the superblock, which stands in it.
	bcacheSector = 8
)

// bcache finds the superblock of a bcache device, or of a bcachefs, which has
// the same place and at first had the same magic number (Linux,
// drivers/md/bcache/bcache_ondisk.h, struct cache_sb_disk).
func bcache(g region) []found {
	le := binary.LittleEndian
	b := g.bytes(bcacheSector*512, 4096)
	if b == nil {
		return nil
	}
	magic := string(b[24:40])
	switch {
	case magic == bcacheMagic && le.Uint64(b[8:]) == bcacheSector && le.Uint64(b[16:]) < 16:
		return []found{bcacheAt(b)}
	case (magic == bcacheMagic || magic == bcachefsMagic) && le.Uint64(b[104:]) == bcacheSector:
		return []found{bcachefs(b)}
	}
	return nil
}

func bcacheAt(b []byte) found {
	const keys = 256
	le := binary.LittleEndian
	version := le.Uint64(b[16:])
	f := found{
		kind: Bcache, places: []int64{bcacheSector*512 + 24}, version: fmt.Sprint(version),
		uuid: uuid(b[40:56]), name: uuid(b[56:72]), label: clean(b[72:104]), note: badSum,
	}
	if n := le.Uint16(b[206:]); n <= keys {
		f.note = sumNote(crc64(b[8:208+8*int(n)]) == le.Uint64(b))
	}
	// Versions 1, 4 and 6 are backing devices.
	what := "bcache cache device"
	if version == 1 || version == 4 || version == 6 {
		what = "bcache backing device"
	}
	f.what = named(what, f.label)
	return f
}

func bcachefs(b []byte) found {
	f := found{
		kind: Bcache, places: []int64{bcacheSector*512 + 24}, label: clean(b[72:104]), uuid: uuid(b[56:72]),
		version: fmt.Sprintf("bcachefs %d", binary.LittleEndian.Uint16(b[16:])),
	}
	f.what = named("bcachefs", f.label)
	return f
}
