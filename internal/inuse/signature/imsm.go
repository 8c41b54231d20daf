package signature

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

const imsmMagic = "Intel Raid ISM Cfg Sig. "

// imsm finds the metadata of Intel's firmware RAID, which ends one block before
// the end of a disk (mdadm, super-intel.c, struct imsm_super).
func imsm(g region) []found {
	sizes := []int64{g.block(), 512, 4096}
	for i, size := range sizes {
		at := (g.size/size - 2) * size
		if slices.Contains(sizes[:i], size) || !g.has(at, imsmMagic) {
			continue
		}
		if f, ok := imsmAt(g, at, size); ok {
			return []found{f}
		}
	}
	return nil
}

func imsmAt(g region, at, block int64) (found, bool) {
	const fixed, disk, longest = 216, 48, 64 << 10
	b := g.bytes(at, 512)
	if b == nil {
		return found{}, false
	}
	le := binary.LittleEndian
	n := int64(le.Uint32(b[36:]))
	if n < fixed || n > longest || b[56] == 0 {
		return found{}, false
	}
	f := found{
		kind: IMSM, places: []int64{at}, version: clean(b[len(imsmMagic):32]),
		uuid: fmt.Sprintf("%08x", le.Uint32(b[40:])), note: badSum,
	}
	all := imsmWhole(g, at, n, block)
	if all != nil {
		sum := uint32(sum32(all, le)) - le.Uint32(b[32:])
		f.note = sumNote(sum == le.Uint32(b[32:]))
	}
	if first := fixed + disk*int(b[56]); b[57] > 0 && first+16 <= len(all) {
		f.name = clean(all[first : first+16])
	}
	f.what = memberOf("Intel firmware RAID array", f.name)
	if b[57] == 0 {
		f.what = "spare disk of an Intel firmware RAID"
	}
	return f, true
}

// imsmWhole reads all n bytes of the metadata: the first block stands at an
// offset, what does not fit into it in the blocks before.
func imsmWhole(g region, at, n, block int64) []byte {
	all := g.bytes(at, int(block))
	if more := (n - 1) / block; more > 0 {
		all = append(bytes.Clone(all), g.bytes(at-more*block, int(more*block))...)
	}
	if int64(len(all)) < n {
		return nil
	}
	return all[:n]
}
