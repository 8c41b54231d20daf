package signature

import "encoding/binary"

// btrfsBlock makes a superblock of btrfs.
func btrfsBlock() []byte {
	b := make([]byte, 4096)
	le := binary.LittleEndian
	copy(b[32:], "0123456789abcdef")
	le.PutUint64(b[48:], 64<<10)
	copy(b[64:], "_BHRfS_M")
	le.PutUint64(b[136:], 1)
	le.PutUint32(b[144:], 4096)
	le.PutUint32(b[148:], 16384)
	copy(b[299:], "whole")
	le.PutUint32(b, crc32C(b[32:]))
	return b
}
