package signature

import (
	"encoding/binary"
	"regexp"
	"strings"
)

// lvmSeed is where the CRC of LVM2's structures starts.
const lvmSeed = 0xf597a6cf

// lvmText is the longest metadata text that is read.
const lvmText = 256 << 10

// lvm finds the label of a physical volume of LVM2 in the first four sectors
// (LVM2, lib/format_text/layout.h and lib/label/label.h).
func lvm(g region) []found {
	for sector := int64(0); sector < 4; sector++ {
		b := g.bytes(sector*512, 512)
		if len(b) < 512 || string(b[:8]) != "LABELONE" || binary.LittleEndian.Uint64(b[8:]) != uint64(sector) {
			continue
		}
		f := found{
			kind: LVM, places: []int64{sector * 512}, version: clean(b[24:32]),
			note: sumNote(rawCRC32(lvmSeed, b[20:]) == binary.LittleEndian.Uint32(b[16:])),
		}
		if at := binary.LittleEndian.Uint32(b[20:]); at >= 32 && at <= 512-40 {
			f.uuid = lvmUUID(b[at : at+32])
			f.name, f.host = lvmGroup(g, b[at+40:])
		}
		f.what = with(memberOf("LVM volume group", f.name), lastHost(f.host))
		if f.name == "" {
			f.what = "LVM physical volume"
		}
		return []found{f}
	}
	return nil
}

// lvmUUID writes an identifier of LVM with its dashes.
func lvmUUID(b []byte) string {
	s := clean(b)
	if len(s) != 32 {
		return s
	}
	return strings.Join([]string{s[:6], s[6:10], s[10:14], s[14:18], s[18:22], s[22:26], s[26:]}, "-")
}

// lvmGroup reads name and last host of the volume group out of the first
// metadata area that has them. The list of areas stands behind that of the
// data areas, each ended by zeros.
func lvmGroup(g region, lists []byte) (name, host string) {
	ends := 0
	for ; len(lists) >= 16 && ends < 2; lists = lists[16:] {
		at := binary.LittleEndian.Uint64(lists)
		if at == 0 {
			ends++
			continue
		}
		if ends == 0 || at >= uint64(g.size) {
			continue
		}
		if text := lvmMetadata(g, int64(at)); text != nil {
			return lvmNames(string(text))
		}
	}
	return "", ""
}

// lvmMetadata reads the text of the metadata area whose header stands at an
// offset. The text goes on at the start of the area where it reaches its end.
func lvmMetadata(g region, at int64) []byte {
	le := binary.LittleEndian
	b := g.bytes(at, 512)
	if b == nil || string(b[4:20]) != " LVM2 x[5A%r0N*>" || rawCRC32(lvmSeed, b[4:]) != le.Uint32(b) {
		return nil
	}
	area := le.Uint64(b[32:])
	off, n, sum := le.Uint64(b[40:]), le.Uint64(b[48:]), le.Uint32(b[56:])
	if n == 0 || n > lvmText || off < 512 || area > uint64(g.size) || off >= area || n > area-512 {
		return nil
	}
	first := min(n, area-off)
	text := g.bytes(at+int64(off), int(first))
	if rest := int(n - first); rest > 0 {
		text = append(text, g.bytes(at+512, rest)...)
	}
	if uint64(len(text)) != n || rawCRC32(lvmSeed, text) != sum {
		return nil
	}
	return text
}

// lvmNames finds the name of the group, with which the text starts, and the
// host that wrote it.
func lvmNames(text string) (name, host string) {
	if m := regexp.MustCompile(`^\s*([A-Za-z0-9_.+-]+)\s*\{`).FindStringSubmatch(text); m != nil {
		name = m[1]
	}
	if m := regexp.MustCompile(`(?m)^creation_host = "([^"]*)"`).FindStringSubmatch(text); m != nil {
		host = printable(m[1])
	}
	return name, host
}
