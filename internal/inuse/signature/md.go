package signature

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// mdMagic is the magic number of Linux's md driver.
const mdMagic = 0xa92b4efc

// md finds the superblocks of md: versions 0.90 and 1.0 near the end, 1.1 at
// the start, 1.2 at 4 KiB (Linux, include/uapi/linux/raid/md_p.h).
func md(g region) []found {
	all := md0(g)
	for _, v := range []struct {
		version string
		at      int64
	}{{"1.0", g.size&^4095 - 8192}, {"1.1", 0}, {"1.2", 4096}} {
		if f, ok := md1(g, v.at, v.version); ok {
			all = append(all, f)
		}
	}
	return all
}

// md0 reads the superblock of version 0.90, which has the byte order of the
// computer that wrote it.
func md0(g region) []found {
	const room = 64 << 10
	at := g.size&^(room-1) - room
	head := g.bytes(at, 4)
	if head == nil {
		return nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if binary.BigEndian.Uint32(head) == mdMagic {
		order = binary.BigEndian
	}
	if order.Uint32(head) != mdMagic {
		return nil
	}
	b := g.bytes(at, 4096)
	if b == nil || order.Uint32(b[4:]) != 0 || order.Uint32(b[8:]) < 90 {
		return nil
	}
	id := make([]byte, 0, 16)
	for _, word := range []int{5, 13, 14, 15} {
		id = binary.BigEndian.AppendUint32(id, order.Uint32(b[4*word:]))
	}
	f := found{
		kind: MD, places: []int64{at}, uuid: uuid(id), version: "0.90",
		name: fmt.Sprintf("md%d", order.Uint32(b[4*11:])),
		note: sumNote(fold32(sum32(without(b, 152, 156), order)) == order.Uint32(b[152:])),
	}
	f.what = mdText(f, int32(order.Uint32(b[4*7:])))
	return []found{f}
}

// md1 reads a superblock of version 1, which says where it stands.
func md1(g region, at int64, version string) (found, bool) {
	const fixed, roles = 256, (4096 - 256) / 2
	le := binary.LittleEndian
	b := g.bytes(at, fixed)
	if b == nil || le.Uint32(b) != mdMagic || le.Uint32(b[4:]) != 1 || le.Uint64(b[144:]) != uint64(at/512) {
		return found{}, false
	}
	f := found{
		kind: MD, places: []int64{at}, uuid: uuid(b[16:32]), version: version, note: badSum,
	}
	if n := le.Uint32(b[220:]); n <= roles {
		b = g.bytes(at, fixed+2*int(n))
		f.note = sumNote(b != nil && fold32(sum32(without(b, 216, 220), le)) == le.Uint32(b[216:]))
	}
	b = g.bytes(at, fixed)
	f.name = clean(b[32:64])
	if host, name, ok := strings.Cut(f.name, ":"); ok {
		f.host, f.name = host, name
	}
	f.what = mdText(f, int32(le.Uint32(b[72:])))
	return f, true
}

func mdText(f found, level int32) string {
	return with(memberOf("md array", f.name), mdLevel(level), "metadata "+f.version, lastHost(f.host))
}

// mdLevel names a level; the negative ones are those of md_p.h.
func mdLevel(level int32) string {
	switch level {
	case -1:
		return "linear"
	case -4:
		return "multipath"
	case -5:
		return "faulty"
	}
	return fmt.Sprintf("raid%d", level)
}
