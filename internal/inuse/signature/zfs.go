package signature

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Layout of a label of ZFS (OpenZFS, include/sys/vdev_impl.h, vdev_label_t).
const (
	zfsLabel     = 256 << 10
	zfsConfig    = 16 << 10
	zfsConfigLen = 112 << 10
	zfsRing      = 128 << 10
	// zfsRingRead is how much of a ring of uberblocks is looked at: the first
	// slots, which are written again and again.
	zfsRingRead   = 16 << 10
	zfsUberblock  = 0x00bab10c
	zfsChecksum   = 0x0210da7ab10c7a11
	zfsFeatures   = 5000
	zfsOldVersion = 28
)

// zfs finds the four labels of a member of a pool, two at either end.
func zfs(g region) []found {
	end := g.size - g.size%zfsLabel
	if end < 4*zfsLabel {
		return nil
	}
	var best found
	var places []int64
	for _, at := range []int64{0, zfsLabel, end - 2*zfsLabel, end - zfsLabel} {
		f, ok := zfsLabelAt(g, at)
		if !ok {
			continue
		}
		places = append(places, f.places[0])
		if best.kind == "" || best.note != "" && f.note == "" {
			best = f
		}
	}
	if len(places) == 0 {
		return zfsUberblocks(g, end)
	}
	if len(places) < 4 && best.note == "" {
		best.note = fmt.Sprintf("%d of its 4 labels are left", len(places))
	}
	best.places = places
	return []found{best}
}

// zfsLabelAt reads the label at an offset.
func zfsLabelAt(g region, at int64) (found, bool) {
	head := g.bytes(at+zfsConfig, 12)
	if head == nil || head[0] != 1 || head[1] > 1 || binary.BigEndian.Uint32(head[8:]) != 1 {
		return found{}, false
	}
	b := g.bytes(at+zfsConfig, zfsConfigLen)
	list, ok := nvlist(b)
	if _, pool := list["pool_guid"]; !ok || !pool && list["guid"] == nil {
		return found{}, false
	}
	f := found{
		kind: ZFS, places: []int64{at + zfsConfig},
		uuid: nvNumber(list["pool_guid"]), version: nvNumber(list["version"]),
		name: nvText(list["name"]), host: nvText(list["hostname"]),
		note: sumNote(zfsSum(b, at+zfsConfig)),
	}
	f.what = zfsText(f, nvNumber(list["state"]))
	return f, true
}

// zfsText says what a label says of the pool; the states are those of
// pool_state_t in include/sys/fs/zfs.h.
func zfsText(f found, state string) string {
	switch state {
	case "3":
		return "spare of a ZFS pool"
	case "4":
		return "cache device of a ZFS pool"
	}
	name := map[string]string{"0": "active", "1": "exported", "2": "destroyed"}[state]
	return with(memberOf("ZFS pool", f.name), name, lastHost(f.host))
}

// zfsSum reports whether the checksum at the end of a label's configuration is
// right: SHA-256 of it with the offset where the sum goes. The words are in
// the byte order of the magic number before them.
func zfsSum(b []byte, at int64) bool {
	tail := len(b) - 40
	order := zfsOrder(b[tail:], zfsChecksum)
	if order == nil {
		return false
	}
	summed := without(b, tail+8, len(b))
	order.PutUint64(summed[tail+8:], uint64(at))
	sum := sha256.Sum256(summed)
	for i := 0; i < 32; i += 8 {
		if order.Uint64(b[tail+8+i:]) != binary.BigEndian.Uint64(sum[i:]) {
			return false
		}
	}
	return true
}

// zfsOrder returns the byte order in which b starts with a magic number, nil
// for none.
func zfsOrder(b []byte, magic uint64) binary.ByteOrder {
	switch magic {
	case binary.LittleEndian.Uint64(b):
		return binary.LittleEndian
	case binary.BigEndian.Uint64(b):
		return binary.BigEndian
	}
	return nil
}

// zfsUberblocks finds uberblocks of which the labels are gone.
func zfsUberblocks(g region, end int64) []found {
	for _, at := range []int64{0, zfsLabel, end - 2*zfsLabel, end - zfsLabel} {
		ring := g.bytes(at+zfsRing, zfsRingRead)
		for slot := 0; slot+1024 <= len(ring); slot += 1024 {
			order := zfsOrder(ring[slot:], zfsUberblock)
			if order == nil {
				continue
			}
			version := order.Uint64(ring[slot+8:])
			if version == 0 || version > zfsOldVersion && version != zfsFeatures || order.Uint64(ring[slot+16:]) == 0 {
				continue
			}
			return []found{{
				kind: ZFS, places: []int64{at + zfsRing + int64(slot)}, version: fmt.Sprint(version),
				what: "uberblocks of a ZFS pool", note: "the labels that name it are gone",
			}}
		}
	}
	return nil
}
