package signature

import (
	"encoding/binary"
	"fmt"
)

const cephMagic = "bluestore block device\n"

// ceph finds the label of a device of Ceph's BlueStore: text for people, then
// the same as a structure, then a checksum of both (Ceph,
// src/os/bluestore/bluestore_types.h, bluestore_bdev_label_t).
func ceph(g region) []found {
	const text, head = 60, 6
	le := binary.LittleEndian
	b := g.bytes(0, 4096)
	if b == nil || string(b[:len(cephMagic)]) != cephMagic {
		return nil
	}
	f := found{kind: Ceph, places: []int64{0}, uuid: clean(b[len(cephMagic) : text-1]), version: fmt.Sprint(b[text])}
	f.what, f.note = "Ceph BlueStore device", badSum
	if end := text + head + int64(le.Uint32(b[text+2:])); end+4 <= int64(len(b)) {
		f.note = sumNote(rawCRC32C(^uint32(0), b[:end]) == le.Uint32(b[end:]))
		cephFields(b[text+head:end], &f)
	}
	return []found{f}
}

// cephFields reads the structure: identifier, size, time, description, and
// texts by name.
func cephFields(b []byte, f *found) {
	const fixed = 16 + 8 + 8
	if len(b) < fixed {
		return
	}
	role, rest, ok := cephString(b[fixed:])
	if !ok {
		return
	}
	meta := cephMap(rest)
	f.name = printable(meta["ceph_fsid"])
	if role != "" && role != "main" {
		f.what = fmt.Sprintf("Ceph BlueStore device (%s)", printable(role))
	}
	if osd := meta["whoami"]; osd != "" {
		f.what = "Ceph BlueStore device of OSD " + printable(osd)
	}
	if f.name != "" {
		f.what += " of cluster " + f.name
	}
}

func cephString(b []byte) (s string, rest []byte, ok bool) {
	if len(b) < 4 {
		return "", nil, false
	}
	n := binary.LittleEndian.Uint32(b)
	if int64(n) > int64(len(b)-4) {
		return "", nil, false
	}
	return string(b[4 : 4+n]), b[4+n:], true
}

// cephMap reads texts by name, as many as there are.
func cephMap(b []byte) map[string]string {
	m := map[string]string{}
	if len(b) < 4 {
		return m
	}
	n := binary.LittleEndian.Uint32(b)
	for b = b[4:]; n > 0; n-- {
		key, rest, ok := cephString(b)
		value, rest, ok2 := cephString(rest)
		if !ok || !ok2 {
			break
		}
		m[key], b = value, rest
	}
	return m
}
