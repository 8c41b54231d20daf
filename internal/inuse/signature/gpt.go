package signature

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Bounds of a GPT: the header has at least 92 bytes and fits into a block; the
// array is not read if it is longer than gptArray.
const (
	gptMagic      = "EFI PART"
	gptHeaderMin  = 92
	gptEntryMin   = 128
	gptArrayBytes = 512 << 10
)

// gptHeader is one of the two headers of a GUID partition table (UEFI
// Specification 2.10, "GPT Header").
type gptHeader struct {
	at      int64
	backup  uint64
	entries int
	entry   int
	disk    string
	// sums reports whether the checksums of header and array are right.
	headerSum, arraySum bool
	partitions          []partition
}

func (h *gptHeader) right() bool { return h != nil && h.headerSum && h.arraySum }

// gpt finds GUID partition tables, first the one that counts in blocks of the
// device, then one that was written with another size of block.
func gpt(g region) []table {
	var all []table
	sizes := []int64{g.block(), 512, 4096}
	for i, size := range sizes {
		if slices.Contains(sizes[:i], size) {
			continue
		}
		if t, ok := gptOf(g, size); ok {
			all = append(all, t)
		}
	}
	return all
}

// gptOf finds the table that counts in blocks of a size.
func gptOf(g region, block int64) (table, bool) {
	last := g.size/block - 1
	if last < 2 {
		return table{}, false
	}
	primary := readGPT(g, block, 1)
	end := readGPT(g, block, last)
	if end == nil && primary.right() && primary.backup < uint64(last) {
		end = readGPT(g, block, int64(primary.backup))
	}
	best := bestGPT(primary, end)
	if best == nil {
		return table{}, false
	}
	f := found{
		kind: GPT, uuid: best.disk, version: "1.0", what: "GPT " + count(len(best.partitions)),
		note: gptNote(primary, end), places: []int64{best.at},
	}
	for _, h := range []*gptHeader{primary, end} {
		if h != nil && h != best {
			f.places = append(f.places, h.at)
		}
	}
	if block != g.block() {
		f.what += fmt.Sprintf(", written for blocks of %d bytes where the device has %d", block, g.block())
	}
	return table{f, best.partitions}, true
}

// bestGPT chooses the header that is right, else the one that is there.
func bestGPT(primary, backup *gptHeader) *gptHeader {
	switch {
	case primary.right(), primary != nil && !backup.right():
		return primary
	}
	return backup
}

// gptNote says what is wrong with the two headers, "" for nothing.
func gptNote(primary, backup *gptHeader) string {
	p, b := gptState(primary), gptState(backup)
	if p == b {
		return map[string]string{"": "", "damaged": "both copies are damaged"}[p]
	}
	var notes []string
	for _, c := range []struct{ name, state string }{{"the primary", p}, {"the backup", b}} {
		if c.state == "" {
			notes = append(notes, c.name+" is good")
		} else {
			notes = append(notes, c.name+" is "+c.state)
		}
	}
	return strings.Join(notes, ", ")
}

func gptState(h *gptHeader) string {
	switch {
	case h == nil:
		return "missing"
	case h.right():
		return ""
	}
	return "damaged"
}

// readGPT reads the header at a block with its array, nil if there is none. A
// header counts if it says that it stands where it does; whether the checksums
// are right it says itself.
func readGPT(g region, block, lba int64) *gptHeader {
	if !g.has(lba*block, gptMagic) {
		return nil
	}
	b := g.bytes(lba*block, int(block))
	if b == nil {
		return nil
	}
	le := binary.LittleEndian
	size := le.Uint32(b[12:])
	if le.Uint64(b[24:]) != uint64(lba) || size < gptHeaderMin || int64(size) > block {
		return nil
	}
	h := &gptHeader{at: lba * block, backup: le.Uint64(b[32:]), disk: guid(b[56:72])}
	h.headerSum = crc32IEEE(without(b[:size], 16, 20)) == le.Uint32(b[16:])
	h.entries, h.entry = int(le.Uint32(b[80:])), int(le.Uint32(b[84:]))
	if !h.headerSum || h.entry < gptEntryMin || h.entry > gptArrayBytes || h.entries > gptArrayBytes/h.entry {
		return h
	}
	if at := le.Uint64(b[72:]); at < uint64(g.size/block) {
		array := g.bytes(int64(at)*block, h.entries*h.entry)
		h.arraySum = array != nil && crc32IEEE(array) == le.Uint32(b[88:])
		h.partitions = gptPartitions(array, h.entry, block)
	}
	return h
}

// gptPartitions reads the used entries of an array.
func gptPartitions(array []byte, entry int, block int64) []partition {
	var list []partition
	le := binary.LittleEndian
	for i := 0; (i+1)*entry <= len(array); i++ {
		e := array[i*entry:]
		first, last := le.Uint64(e[32:]), le.Uint64(e[40:])
		if zero(e[:16]) || last < first || last > uint64(1<<62/block) {
			continue
		}
		list = append(list, partition{
			number: i + 1, start: int64(first) * block, size: int64(last-first+1) * block,
		})
	}
	return list
}
