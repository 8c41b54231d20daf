package signature

import (
	"encoding/binary"
	"fmt"
)

// Types of partitions that mean something here.
const (
	typeProtective = 0xee
	typeExtended   = 0x05
	typeExtendedX  = 0x0f
	typeExtendedL  = 0x85
)

// logicalLimit bounds the walk along the chain of logical partitions.
const logicalLimit = 128

// mbrEntry is one of the four entries of a master boot record, in blocks.
type mbrEntry struct {
	status, kind byte
	start, size  int64
}

func (e mbrEntry) used() bool { return e.kind != 0 && e.size != 0 }

func (e mbrEntry) extended() bool {
	return e.used() && (e.kind == typeExtended || e.kind == typeExtendedX || e.kind == typeExtendedL)
}

// mbrEntries reads the entries of a boot record; ok is false without its
// signature, or if a status is none.
func mbrEntries(b []byte) (list [4]mbrEntry, ok bool) {
	if len(b) < 512 || b[510] != 0x55 || b[511] != 0xaa {
		return list, false
	}
	for i := range list {
		e := b[446+16*i:]
		list[i] = mbrEntry{
			status: e[0], kind: e[4],
			start: int64(binary.LittleEndian.Uint32(e[8:])), size: int64(binary.LittleEndian.Uint32(e[12:])),
		}
		if e[0]&0x7f != 0 {
			return list, false
		}
	}
	return list, true
}

// mbr finds a master boot record. The one that only protects a GPT is none,
// and neither is the boot sector of a file system, which ends in the same two
// bytes, unless its entries are partitions that could be.
func mbr(g region, gpt bool) (table, bool) {
	b := g.bytes(0, 512)
	entries, ok := mbrEntries(b)
	if !ok || gpt && protects(entries) {
		return table{}, false
	}
	used := 0
	for _, e := range entries {
		if e.used() {
			used++
		}
	}
	if used == 0 && (g.partition != 0 || !emptyMBR(b)) {
		return table{}, false
	}
	boots := len(probe(g, []func(region) []found{fat, ntfs, exFAT, bitLocker})) > 0
	if (boots || used > 0) && !plausible(g, entries, boots) {
		return table{}, false
	}
	return mbrTable(g, b, entries), true
}

// emptyMBR tells a table without partitions, which has a disk signature and
// one of two words behind it, from other boot code.
func emptyMBR(b []byte) bool {
	word := binary.LittleEndian.Uint16(b[444:])
	return binary.LittleEndian.Uint32(b[440:]) != 0 && (word == 0 || word == 0x5a5a)
}

func protects(entries [4]mbrEntry) bool {
	for _, e := range entries {
		if e.used() && e.kind == typeProtective {
			return true
		}
	}
	return false
}

// plausible reports whether entries could be partitions: one of them starts on
// the device. In a boot sector of a file system all of them have to lie on the
// device and to be apart.
func plausible(g region, entries [4]mbrEntry, boots bool) bool {
	blocks := g.size / g.block()
	var in int
	for i, e := range entries {
		if !e.used() {
			continue
		}
		if e.start < blocks {
			in++
		}
		if boots && (e.start == 0 || e.start+e.size > blocks || overlaps(e, entries[:i])) {
			return false
		}
	}
	return in > 0
}

func overlaps(e mbrEntry, others []mbrEntry) bool {
	for _, o := range others {
		if o.used() && e.start < o.start+o.size && o.start < e.start+e.size {
			return true
		}
	}
	return false
}

func mbrTable(g region, b []byte, entries [4]mbrEntry) table {
	t := table{found: found{kind: MBR, places: []int64{510}}}
	if id := binary.LittleEndian.Uint32(b[440:]); id != 0 {
		t.uuid = fmt.Sprintf("%08x", id)
	}
	for i, e := range entries {
		if e.used() && !e.extended() && e.kind != typeProtective {
			t.partitions = append(t.partitions, e.partition(g, i+1, 0))
		}
	}
	for _, e := range entries {
		if e.extended() {
			t.partitions = append(t.partitions, logicals(g, e, 5+len(t.partitions)-primaries(t.partitions))...)
		}
	}
	t.what = "MBR " + count(len(t.partitions))
	if protects(entries) {
		t.what, t.note, t.harmless = "protective MBR", "the GPT that it protects is gone", true
	}
	return t
}

func primaries(list []partition) int {
	n := 0
	for _, p := range list {
		if p.number <= 4 {
			n++
		}
	}
	return n
}

func (e mbrEntry) partition(g region, number int, base int64) partition {
	return partition{number: number, start: (base + e.start) * g.block(), size: e.size * g.block()}
}

// logicals walks the chain of boot records of an extended partition. The
// second entry of each leads to the next, counted from the start of the
// extended partition.
func logicals(g region, ext mbrEntry, number int) []partition {
	var list []partition
	seen := map[int64]bool{}
	for at := ext.start; !seen[at] && len(seen) < logicalLimit; {
		seen[at] = true
		entries, ok := mbrEntries(g.bytes(at*g.block(), 512))
		if !ok {
			break
		}
		next := int64(-1)
		for _, e := range entries {
			switch {
			case e.extended() && next < 0:
				next = ext.start + e.start
			case e.used() && !e.extended() && e.start != 0:
				list = append(list, e.partition(g, number+len(list), at))
			}
		}
		if next < 0 {
			break
		}
		at = next
	}
	return list
}
