package signature

import (
	"encoding/binary"
	"fmt"
)

// ntfs finds the boot sector of an NTFS, and the label in the record of the
// master file table that describes the volume.
func ntfs(g region) []found {
	b := g.bytes(0, 512)
	if b == nil || string(b[3:11]) != "NTFS    " {
		return nil
	}
	le := binary.LittleEndian
	sector, total := int64(le.Uint16(b[11:])), le.Uint64(b[40:])
	cluster := ntfsCluster(b[13])
	switch {
	case sector < 256 || sector > 4096 || !powerOfTwo(uint64(sector)), cluster == 0, total == 0,
		// What FAT has here, NTFS leaves zero.
		!zero(b[14:21]), !zero(b[22:24]), !zero(b[32:36]),
		le.Uint64(b[48:]) >= total, le.Uint64(b[56:]) >= total:
		return nil
	}
	f := found{
		kind: NTFS, places: []int64{3}, uuid: fmt.Sprintf("%016X", le.Uint64(b[72:])),
	}
	if total < 1<<62/uint64(sector) {
		f.label = ntfsLabel(g, int64(le.Uint64(b[48:]))*cluster*sector, ntfsRecord(b[64], cluster*sector))
	}
	f.what = named("NTFS", f.label)
	return []found{f}
}

// ntfsCluster returns the sectors of a cluster, 0 for a value that is none:
// above 128 it is the negative of an exponent of two.
func ntfsCluster(b byte) int64 {
	switch {
	case b > 0xf0:
		return 1 << -int8(b)
	case powerOfTwo(uint64(b)):
		return int64(b)
	}
	return 0
}

// ntfsRecord returns the bytes of a record of the master file table: clusters,
// or if negative the exponent of two.
func ntfsRecord(b byte, cluster int64) int64 {
	switch n := int8(b); {
	case n > 0:
		return int64(n) * cluster
	case n < 0 && n >= -16:
		return 1 << -n
	}
	return 0
}

// ntfsLabel reads the volume's name out of record 3 of the table at an offset.
func ntfsLabel(g region, table, record int64) string {
	const volume, name, end = 3, 0x60, 0xffffffff
	if record < 512 || record > 64<<10 || table < 0 {
		return ""
	}
	b := g.bytes(table+volume*record, int(record))
	if b == nil || string(b[:4]) != "FILE" {
		return ""
	}
	ntfsFixUp(b)
	le := binary.LittleEndian
	for at := int(le.Uint16(b[20:])); at+24 <= len(b); {
		kind, n := le.Uint32(b[at:]), int(le.Uint32(b[at+4:]))
		if kind == end || n < 24 || n > len(b)-at {
			break
		}
		from, size := int(le.Uint16(b[at+20:])), int(le.Uint32(b[at+16:]))
		if kind == name && b[at+8] == 0 && from <= n && size <= n-from {
			return cleanUTF16(b[at+from:at+from+size], le)
		}
		at += n
	}
	return ""
}

// ntfsFixUp puts the last two bytes of each sector of a record back, which NTFS
// keeps in an array and replaces by a number to notice torn writes.
func ntfsFixUp(b []byte) {
	from, n := int(binary.LittleEndian.Uint16(b[4:])), int(binary.LittleEndian.Uint16(b[6:]))
	for i := 1; i < n && i*512 <= len(b) && from+2*i+2 <= len(b); i++ {
		copy(b[i*512-2:i*512], b[from+2*i:])
	}
}
