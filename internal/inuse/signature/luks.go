package signature

import (
	"crypto/sha256"
	"encoding/binary"
)

const (
	luksMagic     = "LUKS\xba\xbe"
	luksSecondary = "SKUL\xba\xbe"
	// luksSummed is the longest header of LUKS2 whose checksum is computed.
	luksSummed = 64 << 10
)

// luks finds the header of a LUKS volume, and the second one of LUKS2, which
// stands behind the first at one of a few places (LUKS2 On-Disk Format
// Specification 1.1.3, "Binary header").
func luks(g region) []found {
	primary, ok := luksPrimary(g)
	if ok && primary.version == "1" {
		return []found{primary}
	}
	for at := int64(16 << 10); at <= 4<<20; at *= 2 {
		if !g.has(at, luksSecondary) {
			continue
		}
		second, there := luks2(g, at)
		switch {
		case !there:
		case !ok:
			second.note = "only its second header is left"
			return []found{second}
		default:
			return []found{luksBoth(primary, second)}
		}
	}
	if ok {
		primary.note = luksNotes(primary.note, "its second header is missing")
		return []found{primary}
	}
	return nil
}

// luksBoth joins the two headers; the one that is right tells.
func luksBoth(primary, second found) found {
	best := primary
	if primary.note != "" && second.note == "" {
		best = second
		best.note = "its first header is damaged, the second is good"
	} else if second.note != "" {
		best.note = luksNotes(primary.note, "its second header is damaged")
	}
	best.places = []int64{primary.places[0], second.places[0]}
	return best
}

func luksNotes(first, second string) string {
	if first == "" {
		return second
	}
	return first + ", " + second
}

func luksPrimary(g region) (found, bool) {
	b := g.bytes(0, 512)
	if b == nil || string(b[:6]) != luksMagic {
		return found{}, false
	}
	switch binary.BigEndian.Uint16(b[6:]) {
	case 1:
		return luks1(b)
	case 2:
		return luks2(g, 0)
	}
	return found{}, false
}

// luks1 reads the header of version 1 (LUKS On-Disk Format Specification 1.2.3,
// "The phdr").
func luks1(b []byte) (found, bool) {
	if n := binary.BigEndian.Uint32(b[108:]); n == 0 || n > 4096 || clean(b[8:40]) == "" {
		return found{}, false
	}
	return found{
		kind: LUKS, places: []int64{0}, uuid: clean(b[168:208]), version: "1",
		what: "LUKS1 encrypted volume",
	}, true
}

func luks2(g region, at int64) (found, bool) {
	b := g.bytes(at, 4096)
	if b == nil || binary.BigEndian.Uint16(b[6:]) != 2 || binary.BigEndian.Uint64(b[256:]) != uint64(at) {
		return found{}, false
	}
	size := binary.BigEndian.Uint64(b[8:])
	if !powerOfTwo(size) || size < 16<<10 || size > 4<<20 {
		return found{}, false
	}
	f := found{
		kind: LUKS, places: []int64{at}, label: clean(b[24:72]), uuid: clean(b[168:208]), version: "2",
		note: sumNote(luksSum(g, at, b, int(size))),
	}
	f.what = named("LUKS2 encrypted volume", f.label)
	return f, true
}

// luksSum reports whether the checksum of header and JSON area is right, or is
// one that is not computed here.
func luksSum(g region, at int64, head []byte, size int) bool {
	if clean(head[72:104]) != "sha256" || size > luksSummed {
		return true
	}
	all := g.bytes(at, size)
	if all == nil {
		return false
	}
	return sha256.Sum256(without(all, 448, 512)) == [32]byte(head[448:480])
}
