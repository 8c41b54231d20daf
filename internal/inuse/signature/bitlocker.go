package signature

import (
	"encoding/binary"
	"fmt"
)

const fveMagic = "-FVE-FS-"

// The GUIDs that stand before the offsets of the metadata: of a volume, and of
// one of which only the used part is encrypted (libbde, BitLocker Drive
// Encryption (BDE) format specification, "Volume header").
const (
	bdeGUID     = "4967d63b-2e29-4ad8-8399-f6a339e3d001"
	bdeGUIDUsed = "92a84d3b-dd80-4d0e-9e4e-b1e3284eaed8"
)

// bitLocker finds a volume of BitLocker: one of Windows Vista and of 7 and
// later start with their name, one of To Go with what looks like a FAT.
func bitLocker(g region) []found {
	b := g.bytes(0, 512)
	if b == nil {
		return nil
	}
	f := found{kind: BitLocker, places: []int64{3}, what: "BitLocker volume"}
	toGo := string(b[3:11]) == "MSWIN4.1"
	at := 0
	switch {
	case toGo && bdeOffsets(b, 424):
		f.what, f.places, at = "BitLocker To Go volume", []int64{424}, 424
	case string(b[3:11]) == fveMagic && bdeOffsets(b, 160):
		at = 160
	case string(b[3:11]) != fveMagic || toGo:
		return nil
	}
	if !bdeMetadata(g, b, at, &f) {
		f.note = "its metadata cannot be found"
	}
	f.what = named(f.what, f.label)
	return []found{f}
}

// bdeOffsets reports whether a GUID stands before the three offsets.
func bdeOffsets(b []byte, at int) bool {
	id := guid(b[at : at+16])
	return id == bdeGUID || id == bdeGUIDUsed
}

// bdeMetadata reads the first of the three blocks of metadata that is there.
// Windows Vista gives the cluster of the first one.
func bdeMetadata(g region, b []byte, at int, f *found) bool {
	le := binary.LittleEndian
	var offsets []uint64
	if at == 0 {
		offsets = []uint64{le.Uint64(b[56:]) * uint64(b[13]) * uint64(le.Uint16(b[11:]))}
	} else {
		offsets = []uint64{le.Uint64(b[at+16:]), le.Uint64(b[at+24:]), le.Uint64(b[at+32:])}
	}
	for _, off := range offsets {
		if off == 0 || off >= uint64(g.size) || !g.has(int64(off), fveMagic) {
			continue
		}
		if m := g.bytes(int64(off), 4096); m != nil && le.Uint16(m[10:]) <= 2 {
			f.version, f.uuid = fmt.Sprint(le.Uint16(m[10:])), guid(m[80:96])
			f.label = bdeDescription(m[64:])
			return true
		}
	}
	return false
}

// bdeDescription reads the entry that describes the volume: computer, drive
// letter, date.
func bdeDescription(m []byte) string {
	const header, description, text = 48, 7, 2
	le := binary.LittleEndian
	end := min(int(le.Uint32(m)), len(m))
	for at := header; at+8 <= end; {
		n := int(le.Uint16(m[at:]))
		if n < 8 || n > end-at {
			break
		}
		if le.Uint16(m[at+2:]) == description && le.Uint16(m[at+4:]) == text {
			return cleanUTF16(m[at+8:at+n], le)
		}
		at += n
	}
	return ""
}
