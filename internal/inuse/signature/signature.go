package signature

import (
	"context"
	"errors"
	"io"
)

// Kind is what a signature is of. The values are what --destroy-signature
// takes.
type Kind string

// The kinds.
const (
	GPT       Kind = "gpt"
	MBR       Kind = "mbr"
	LVM       Kind = "lvm"
	MD        Kind = "md"
	IMSM      Kind = "imsm"
	LUKS      Kind = "luks"
	ZFS       Kind = "zfs"
	Btrfs     Kind = "btrfs"
	Ext       Kind = "ext"
	XFS       Kind = "xfs"
	F2FS      Kind = "f2fs"
	Swap      Kind = "swap"
	NTFS      Kind = "ntfs"
	FAT       Kind = "fat"
	ExFAT     Kind = "exfat"
	BitLocker Kind = "bitlocker"
	VMFS      Kind = "vmfs"
	APFS      Kind = "apfs"
	HFS       Kind = "hfs"
	Ceph      Kind = "ceph"
	Bcache    Kind = "bcache"
)

// Signature is one thing that was found on a device.
type Signature struct {
	Kind Kind `json:"kind"`
	// Partition is the number of the partition that it lies in, 0 for the
	// device itself.
	Partition int `json:"partition"`
	// Offset is where its magic number stands, bytes from the start of the
	// device.
	Offset int64 `json:"offset_bytes"`
	// Label, UUID and Version are what it says of itself, "" for nothing.
	// Label of a partition table is "".
	Label   string `json:"label,omitempty"`
	UUID    string `json:"uuid,omitempty"`
	Version string `json:"version,omitempty"`
	// Name is the array, volume group or pool that the device is a member of,
	// "" for none. Host is the computer that used it last, "" if not said.
	Name string `json:"name,omitempty"`
	Host string `json:"host,omitempty"`
	// Text is a sentence for people, such as
	// "ext4 \"backup\" in partition 2" or "member of the ZFS pool tank".
	Text string `json:"text"`
}

var errNotWritten = errors.New("signature: not written yet")

// Scan looks for all known signatures on a device of size bytes, and in the
// partitions of its partition tables. blockBytes is the size of a logical
// block, which partition tables count in. What cannot be read is an error
// beside what was found elsewhere.
func Scan(ctx context.Context, r io.ReaderAt, size int64, blockBytes int) ([]Signature, error) {
	return nil, errNotWritten
}
