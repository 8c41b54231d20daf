package signature

import (
	"crypto/md5"
	"encoding/binary"
)

// hfs finds an HFS, HFS+ or HFSX volume (Apple, Technical Note TN1150, "Volume
// Header" and "HFS Wrapper").
func hfs(g region) []found {
	b := g.bytes(1024, 512)
	if b == nil {
		return nil
	}
	if f, ok := hfsPlus(g, 0); ok {
		return []found{f}
	}
	be := binary.BigEndian
	block := be.Uint32(b[20:])
	if string(b[:2]) != "BD" || block == 0 || block%512 != 0 || be.Uint16(b[18:]) == 0 || b[36] == 0 || b[36] > 27 || be.Uint16(b[14:]) < 3 {
		return nil
	}
	if string(b[124:126]) == "H+" || string(b[124:126]) == "HX" {
		at := int64(be.Uint16(b[28:]))*512 + int64(be.Uint16(b[126:]))*int64(block)
		if f, ok := hfsPlus(g, at); ok {
			f.places = append([]int64{1024}, f.places...)
			return []found{f}
		}
	}
	f := found{kind: HFS, places: []int64{1024}, version: "HFS", uuid: hfsUUID(b[116:124]), label: clean(b[37 : 37+b[36]])}
	f.what = named("HFS", f.label)
	return []found{f}
}

// hfsPlus reads the volume header of an HFS+ that starts at an offset.
func hfsPlus(g region, start int64) (found, bool) {
	be := binary.BigEndian
	b := g.bytes(start+1024, 512)
	if b == nil {
		return found{}, false
	}
	name := map[string]string{"H+\x00\x04": "HFS+", "HX\x00\x05": "HFSX"}[string(b[:4])]
	block := be.Uint32(b[40:])
	if name == "" || block < 512 || !powerOfTwo(uint64(block)) || be.Uint32(b[44:]) == 0 {
		return found{}, false
	}
	f := found{
		kind: HFS, places: []int64{start + 1024}, version: name, uuid: hfsUUID(b[104:112]),
		label: hfsLabel(g, start, int64(block), b[272:352]),
	}
	f.what = named(name, f.label)
	return f, true
}

// hfsUUID makes a UUID of version 3 of the eight bytes that the Finder keeps,
// as macOS does.
func hfsUUID(id []byte) string {
	if zero(id) {
		return ""
	}
	space := "\xb3\xe2\x0f\x39\xf2\x92\x11\xd6\x97\xa4\x00\x30\x65\x43\xec\xac"
	sum := md5.Sum(append([]byte(space), id...))
	sum[6] = sum[6]&0x0f | 0x30
	sum[8] = sum[8]&0x3f | 0x80
	return uuid(sum[:])
}

// hfsLabel reads the volume's name out of the catalogue: the key of the first
// record of its first leaf. fork says where the catalogue lies.
func hfsLabel(g region, start, block int64, fork []byte) string {
	const descriptor, leaf, root = 14, 0xff, 1
	be := binary.BigEndian
	head := g.bytes(start+int64(be.Uint32(fork[16:]))*block, 512)
	if head == nil {
		return ""
	}
	node := int64(be.Uint16(head[descriptor+18:]))
	if node < 512 {
		return ""
	}
	at := int64(be.Uint32(head[descriptor+10:])) * node
	place, ok := hfsPlace(fork, block, at)
	b := g.bytes(start+place, int(node))
	if !ok || b == nil || b[8] != leaf || be.Uint16(b[10:]) == 0 || be.Uint32(b[descriptor+2:]) != root {
		return ""
	}
	n := 2 * int(be.Uint16(b[descriptor+6:]))
	if n > len(b)-descriptor-8 {
		return ""
	}
	return cleanUTF16(b[descriptor+8:descriptor+8+n], be)
}

// hfsPlace turns an offset in a file into one on the volume by the eight
// extents of its fork.
func hfsPlace(fork []byte, block, at int64) (int64, bool) {
	for e := fork[16:]; len(e) >= 8; e = e[8:] {
		first, n := int64(binary.BigEndian.Uint32(e)), int64(binary.BigEndian.Uint32(e[4:]))
		if at < n*block {
			return first*block + at, true
		}
		at -= n * block
	}
	return 0, false
}
