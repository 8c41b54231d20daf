package signature

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
)

// found is what a probe found in a region.
type found struct {
	kind Kind
	// places are where its magic numbers stand, bytes from the start of the
	// region; the first is told, the others are copies.
	places                           []int64
	label, uuid, version, name, host string
	// what is for people, note what is wrong with it, "" for nothing. A note
	// makes it damaged unless harmless.
	what, note string
	harmless   bool
}

// badSum is the note of a structure whose checksum is wrong.
const badSum = "its checksum is wrong"

// sumNote returns the note of a checksum.
func sumNote(right bool) string {
	if right {
		return ""
	}
	return badSum
}

// region is a part of a device that is looked at: the device or a partition.
type region struct {
	r           *reader
	start, size int64
	// partition is its number, 0 for the device; where is how to name it.
	partition int
	where     string
}

// bytes returns n bytes at off of the region, nil if they are not all in it
// and readable.
func (g region) bytes(off int64, n int) []byte {
	if off < 0 || n < 0 || off > g.size-int64(n) {
		return nil
	}
	return g.r.bytes(g.start+off, n)
}

// has reports whether the bytes at off are those of a magic number.
func (g region) has(off int64, magic string) bool {
	return bytes.Equal(g.bytes(off, len(magic)), []byte(magic))
}

func (g region) block() int64 { return g.r.block }

// signature makes a Signature of what was found.
func (g region) signature(f found) Signature {
	text := f.what
	if g.where != "" {
		text += " in " + g.where
	}
	if f.note != "" {
		text += "; " + f.note
	}
	return Signature{
		Kind: f.kind, Partition: g.partition, Offset: g.start + f.places[0],
		Label: f.label, UUID: f.uuid, Version: f.version, Name: f.name, Host: f.host,
		Damaged: f.note != "" && !f.harmless, Text: text,
	}
}

// Scan looks for all known signatures on a device of size bytes, and in the
// partitions of its partition tables. blockBytes is the size of a logical
// block, which partition tables count in. What cannot be read is an error
// beside what was found elsewhere. Reads are aligned to blocks of the device;
// of a device without partitions they are less than 2 MiB.
func Scan(ctx context.Context, r io.ReaderAt, size int64, blockBytes int) ([]Signature, error) {
	if blockBytes < 512 || blockBytes > 1<<16 || !powerOfTwo(uint64(blockBytes)) {
		return nil, fmt.Errorf("scan for signatures: no block size %d", blockBytes)
	}
	rd := newReader(ctx, r, size, blockBytes)
	list := scan(region{r: rd, size: size})
	if err := rd.err(); err != nil {
		return list, fmt.Errorf("scan for signatures: %w", err)
	}
	return list, nil
}

// scan looks at a device, then at its partitions. What a partition has at the
// very place of what was found on the device belongs to the partition: an
// array's superblock at the end of the last one.
func scan(device region) []Signature {
	own, parts := tables(device)
	var list []Signature
	taken := map[int64]Kind{}
	for _, g := range parts {
		inner, _ := tables(g)
		for _, f := range append(inner, probe(g, partitionProbes())...) {
			list = append(list, g.signature(f))
			for _, at := range f.places {
				taken[g.start+at] = f.kind
			}
		}
	}
	for _, f := range append(own, probe(device, deviceProbes())...) {
		if !slices.ContainsFunc(f.places, func(at int64) bool { return taken[at] == f.kind }) {
			list = append(list, device.signature(f))
		}
	}
	slices.SortStableFunc(list, func(a, b Signature) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset))
	})
	return list
}

func probe(g region, probes []func(region) []found) []found {
	var all []found
	for _, p := range probes {
		all = append(all, p(g)...)
	}
	return all
}

// partitionProbes are those for what lies on a device or in a partition.
func partitionProbes() []func(region) []found {
	return []func(region) []found{
		lvm, md, luks, zfs, btrfs, ext, xfs, f2fs, swap, ntfs, fat, exFAT,
		bitLocker, vmfs, apfs, hfs, ceph, bcache,
	}
}

// deviceProbes adds those for what is only of a whole device.
func deviceProbes() []func(region) []found {
	return append(partitionProbes(), imsm)
}
