package signature

import (
	"encoding/binary"
	"slices"
)

// fatGeometry is what the boot sector of a FAT says of it, in sectors
// (Microsoft, FAT32 File System Specification 1.03, "Boot Sector and BPB").
type fatGeometry struct {
	sector, cluster           int64
	reserved, tables, entries int64
	total, length             int64
	root                      int64
	wide                      bool
}

// rootDir and data are the first sectors of the root directory of FAT12 and
// FAT16, and of the clusters.
func (a fatGeometry) rootDir() int64 { return a.reserved + a.tables*a.length }

func (a fatGeometry) data() int64 {
	return a.rootDir() + (a.entries*32+a.sector-1)/a.sector
}

func (a fatGeometry) version() string {
	clusters := (a.total - a.data()) / a.cluster
	switch {
	case a.wide:
		return "FAT32"
	case clusters < 4085:
		return "FAT12"
	}
	return "FAT16"
}

// fat finds the boot sector of a FAT file system.
func fat(g region) []found {
	b := g.bytes(0, 512)
	magic := fatMagic(b)
	if magic < 0 {
		return nil
	}
	a, ok := fatFields(b)
	if !ok || len(bitLocker(g)) > 0 {
		return nil
	}
	at := 36
	if a.wide {
		at = 64
	}
	f := found{kind: FAT, places: []int64{int64(magic)}, version: a.version()}
	if sig := b[at+2]; sig == 0x28 || sig == 0x29 {
		f.uuid = serial32(b[at+3:])
		f.label = fatLabel(b[at+7 : at+18])
	}
	if l := fatRootLabel(g, a); l != "" {
		f.label = l
	}
	f.what = named(f.version, f.label)
	return []found{f}
}

// fatMagic returns where the magic of a boot sector stands: the name of the
// file system, or the last two bytes of one that starts with a jump; -1 for
// none. OS/2 put such a sector before other file systems.
func fatMagic(b []byte) int {
	if b == nil {
		return -1
	}
	narrow, wide := string(b[54:62]), string(b[82:90])
	switch {
	case narrow == "JFS     ", narrow == "HPFS    ":
		return -1
	case wide == "FAT32   ", wide[:5] == "MSWIN":
		return 82
	case narrow[:5] == "MSDOS", slices.Contains([]string{"FAT12   ", "FAT16   ", "FAT     "}, narrow):
		return 54
	case (b[0] == 0xeb && b[2] == 0x90 || b[0] == 0xe9) && b[510] == 0x55 && b[511] == 0xaa:
		return 510
	}
	return -1
}

// fatFields reads the fields and checks that they go together.
func fatFields(b []byte) (fatGeometry, bool) {
	le := binary.LittleEndian
	a := fatGeometry{
		sector: int64(le.Uint16(b[11:])), cluster: int64(b[13]), reserved: int64(le.Uint16(b[14:])),
		tables: int64(b[16]), entries: int64(le.Uint16(b[17:])), total: int64(le.Uint16(b[19:])),
		length: int64(le.Uint16(b[22:])),
	}
	if a.total == 0 {
		a.total = int64(le.Uint32(b[32:]))
	}
	if a.length == 0 {
		a.wide, a.length, a.root = true, int64(le.Uint32(b[36:])), int64(le.Uint32(b[44:]))
	}
	media := b[21]
	switch {
	case a.sector < 512 || a.sector > 4096 || !powerOfTwo(uint64(a.sector)),
		!powerOfTwo(uint64(a.cluster)), a.reserved == 0, a.tables == 0, a.length == 0,
		media != 0xf0 && media < 0xf8, !a.wide && a.entries == 0, a.data() >= a.total:
		return a, false
	}
	return a, true
}

// fatRootLabel returns the label that stands in the root directory, in its
// first cluster, "" for none.
func fatRootLabel(g region, a fatGeometry) string {
	at, n := a.rootDir()*a.sector, a.entries*32
	if a.wide {
		if a.root < 2 {
			return ""
		}
		at, n = (a.data()+(a.root-2)*a.cluster)*a.sector, a.cluster*a.sector
	}
	dir := g.bytes(at, int(min(n, 16<<10)))
	for ; len(dir) >= 32 && dir[0] != 0; dir = dir[32:] {
		const volume, directory, longName, deleted = 0x08, 0x10, 0x0f, 0xe5
		attr := dir[11] & 0x3f
		if dir[0] != deleted && attr != longName && attr&(volume|directory) == volume {
			return fatLabel(dir[:11])
		}
	}
	return ""
}

// fatLabel cleans a label; "NO NAME" is none.
func fatLabel(b []byte) string {
	s := clean(b)
	if s == "NO NAME" {
		return ""
	}
	return s
}
