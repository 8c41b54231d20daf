package signature

import (
	"fmt"
	"slices"
	"strings"
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

// Kinds returns all kinds, partition tables first.
func Kinds() []Kind {
	return []Kind{
		GPT, MBR, LVM, MD, IMSM, LUKS, ZFS, Btrfs, Ext, XFS, F2FS, Swap,
		NTFS, FAT, ExFAT, BitLocker, VMFS, APFS, HFS, Ceph, Bcache,
	}
}

// aliases returns other names of kinds: what blkid and mkfs call them.
func aliases() map[string]Kind {
	return map[string]Kind{
		"dos": MBR, "msdos": MBR, "ms-dos": MBR,
		"lvm2": LVM, "lvm2_member": LVM, "pv": LVM,
		"mdraid": MD, "md_raid": MD, "raid": MD, "linux_raid": MD, "linux_raid_member": MD,
		"isw": IMSM, "isw_raid": IMSM, "isw_raid_member": IMSM, "vroc": IMSM, "rst": IMSM,
		"luks1": LUKS, "luks2": LUKS, "crypto_luks": LUKS,
		"zfs_member": ZFS, "zpool": ZFS,
		"ext2": Ext, "ext3": Ext, "ext4": Ext, "jbd": Ext,
		"swap-space": Swap, "swsuspend": Swap, "hibernation": Swap,
		"vfat": FAT, "fat12": FAT, "fat16": FAT, "fat32": FAT,
		"bde":         BitLocker,
		"vmfs_volume": VMFS, "vmfs_volume_member": VMFS,
		"hfs+": HFS, "hfsplus": HFS, "hfsx": HFS,
		"bluestore": Ceph, "ceph_bluestore": Ceph,
		"bcachefs": Bcache,
	}
}

// ParseKind returns the kind of a name, in either case. It also takes the
// names that other tools use, such as "ext4" or "crypto_LUKS".
func ParseKind(name string) (Kind, error) {
	low := strings.ToLower(strings.TrimSpace(name))
	if k := Kind(low); slices.Contains(Kinds(), k) {
		return k, nil
	}
	if k, ok := aliases()[low]; ok {
		return k, nil
	}
	return "", fmt.Errorf("no kind of signature %q; the kinds are %s", name, kindList())
}

func kindList() string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}
