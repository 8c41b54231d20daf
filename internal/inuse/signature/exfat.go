package signature

import (
	"encoding/binary"
	"fmt"
)

// exFAT finds the boot region of an exFAT (Microsoft, exFAT file system
// specification 1.00, "Main and Backup Boot Regions"), or the backup of it.
func exFAT(g region) []found {
	if f, ok := exFATAt(g, 0); ok {
		return []found{f}
	}
	for sector := int64(512); sector <= 4096; sector *= 2 {
		if f, ok := exFATAt(g, 12*sector); ok && f.note == "" {
			f.note = "only its backup boot region is left"
			return []found{f}
		}
	}
	return nil
}

func exFATAt(g region, at int64) (found, bool) {
	le := binary.LittleEndian
	b := g.bytes(at, 512)
	if b == nil || string(b[3:11]) != "EXFAT   " || !zero(b[11:64]) || le.Uint16(b[510:]) != 0xaa55 {
		return found{}, false
	}
	sector, cluster := b[108], b[109]
	if sector < 9 || sector > 12 || cluster > 25-sector || le.Uint64(b[72:]) == 0 {
		return found{}, false
	}
	f := found{
		kind: ExFAT, places: []int64{at + 3}, uuid: serial32(b[100:]), version: fmt.Sprintf("%d.%d", b[105], b[104]),
		note: sumNote(exFATSum(g, at, 1<<sector)),
	}
	f.label = exFATLabel(g, b)
	f.what = named("exFAT", f.label)
	return f, true
}

// exFATSum reports whether the twelfth sector of a boot region repeats the
// checksum of the eleven before, of which three bytes do not count.
func exFATSum(g region, at, sector int64) bool {
	b := g.bytes(at, int(12*sector))
	if b == nil {
		return false
	}
	var sum uint32
	for i, c := range b[:11*sector] {
		if i == 106 || i == 107 || i == 112 {
			continue
		}
		sum = sum<<31 | sum>>1
		sum += uint32(c)
	}
	for rest := b[11*sector:]; len(rest) > 0; rest = rest[4:] {
		if binary.LittleEndian.Uint32(rest) != sum {
			return false
		}
	}
	return true
}

// exFATLabel reads the label in the first cluster of the root directory.
func exFATLabel(g region, b []byte) string {
	const end, label = 0x00, 0x83
	le := binary.LittleEndian
	heap, root := int64(le.Uint32(b[88:])), int64(le.Uint32(b[96:]))
	if root < 2 {
		return ""
	}
	sector, cluster := b[108], b[109]
	at := (heap + (root-2)<<cluster) << sector
	dir := g.bytes(at, min(4096, 1<<(sector+cluster)))
	for ; len(dir) >= 32 && dir[0] != end; dir = dir[32:] {
		if dir[0] == label {
			return cleanUTF16(dir[2:2+2*min(int(dir[1]), 11)], le)
		}
	}
	return ""
}
