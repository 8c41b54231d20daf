package signature

import "encoding/binary"

// Features of ext2, ext3 and ext4 (Linux, Documentation/filesystems/ext4,
// "Super Block").
const (
	extHasJournal  = 0x4
	extJournalDev  = 0x8
	extMetadataSum = 0x400
	// The features that ext3 knows: filetype, recover, meta_bg; sparse_super,
	// large_file, btree_dir.
	ext3Incompat = 0x2 | 0x4 | 0x10
	ext3ReadOnly = 0x1 | 0x2 | 0x4
)

// ext finds the superblock of an ext2, ext3 or ext4.
func ext(g region) []found {
	le := binary.LittleEndian
	b := g.bytes(1024, 1024)
	if b == nil || le.Uint16(b[56:]) != 0xef53 || !extFields(b) {
		return nil
	}
	f := found{
		kind: Ext, places: []int64{1024 + 56}, label: clean(b[120:136]), uuid: uuid(b[104:120]), version: extVersion(b),
	}
	if le.Uint32(b[100:])&extMetadataSum != 0 {
		f.note = sumNote(rawCRC32C(^uint32(0), b[:1020]) == le.Uint32(b[1020:]))
	}
	f.what = named(f.version, f.label)
	if f.version == "jbd" {
		f.what = named("journal of an ext4", f.label)
	} else if dir := clean(b[136:200]); dir != "" {
		f.what += ", last mounted on " + dir
	}
	return []found{f}
}

// extFields checks the fields that a first superblock cannot have otherwise.
func extFields(b []byte) bool {
	le := binary.LittleEndian
	blockLog, firstData := le.Uint32(b[24:]), le.Uint32(b[20:])
	switch {
	case le.Uint32(b[4:]) == 0 && le.Uint32(b[336:]) == 0,
		blockLog > 6, firstData > 1, le.Uint32(b[76:]) > 1, le.Uint16(b[90:]) != 0:
		return false
	}
	journal := le.Uint32(b[96:])&extJournalDev != 0
	return journal || le.Uint32(b[0:]) != 0 && le.Uint32(b[32:]) != 0 && le.Uint32(b[40:]) != 0
}

// extVersion tells the versions apart by the features that are in use.
func extVersion(b []byte) string {
	le := binary.LittleEndian
	compat, incompat, readOnly := le.Uint32(b[92:]), le.Uint32(b[96:]), le.Uint32(b[100:])
	switch {
	case incompat&extJournalDev != 0:
		return "jbd"
	case incompat&^ext3Incompat != 0 || readOnly&^ext3ReadOnly != 0:
		return "ext4"
	case compat&extHasJournal != 0:
		return "ext3"
	}
	return "ext2"
}
