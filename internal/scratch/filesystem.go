package scratch

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Filesystem is what a file or directory lies on.
type Filesystem struct {
	// Type as the kernel calls it, such as "ext4" or "fuse.sshfs".
	Type string `json:"type"`
	// Source is what is mounted, as a rule the path of a block device. "": not
	// known.
	Source string `json:"source,omitempty"`
}

// FilesystemOf returns the filesystem of the file or directory at path.
func FilesystemOf(path string) (Filesystem, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return Filesystem{}, fmt.Errorf("%s: %w", path, err)
	}
	if f, ok := mountOf(path); ok {
		return f, nil
	}
	return Filesystem{Type: typeOf(int64(st.Type))}, nil
}

// mountOf looks up the mount of path by its number, which the kernel tells since
// 5.8.
func mountOf(path string) (Filesystem, bool) {
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_MNT_ID, &st); err != nil || st.Mask&unix.STATX_MNT_ID == 0 {
		return Filesystem{}, false
	}
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return Filesystem{}, false
	}
	return findMount(string(table), st.Mnt_id)
}

// findMount returns the type and source of mount id in a table in the format of
// /proc/PID/mountinfo (proc_pid_mountinfo(5)).
func findMount(table string, id uint64) (Filesystem, bool) {
	for line := range strings.Lines(table) {
		head, tail, ok := strings.Cut(line, " - ")
		number, _, _ := strings.Cut(head, " ")
		if !ok || number != strconv.FormatUint(id, 10) {
			continue
		}
		if f := strings.Fields(tail); len(f) >= 2 {
			return Filesystem{Type: f[0], Source: unescape(f[1])}, true
		}
	}
	return Filesystem{}, false
}

// unescape undoes the octal escapes of mountinfo, such as "\040".
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// typeOf names a filesystem by its magic number (statfs(2), linux/magic.h).
func typeOf(magic int64) string {
	switch uint32(magic) {
	case unix.EXT4_SUPER_MAGIC:
		return "ext2/ext3/ext4"
	case unix.XFS_SUPER_MAGIC:
		return "xfs"
	case unix.BTRFS_SUPER_MAGIC:
		return "btrfs"
	case unix.F2FS_SUPER_MAGIC:
		return "f2fs"
	case unix.TMPFS_MAGIC:
		return "tmpfs"
	case unix.RAMFS_MAGIC:
		return "ramfs"
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlay"
	case unix.FUSE_SUPER_MAGIC:
		return "fuse"
	case unix.NFS_SUPER_MAGIC:
		return "nfs"
	case unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return "cifs"
	}
	return fmt.Sprintf("a filesystem of type %#x", uint32(magic))
}

// inMemory reports whether files of f are on no drive.
func (f Filesystem) inMemory() bool {
	switch f.Type {
	case "tmpfs", "ramfs", "devtmpfs", "hugetlbfs":
		return true
	}
	return false
}

// copyOnWrite reports whether f writes changed blocks elsewhere unless told not
// to by file.
func (f Filesystem) copyOnWrite() bool { return f.Type == "btrfs" }

// warning says what stands between a file of f and the drive, "" for nothing
// more than usual.
func (f Filesystem) warning() string {
	kind, _, _ := strings.Cut(f.Type, ".")
	switch kind {
	case "overlay":
		return "The file lies on overlay, whose upper layer is on another filesystem: the figures include the cost of both."
	case "fuse", "fuseblk":
		return fmt.Sprintf("The file lies on %s, a filesystem in user space: its program is measured with the drive, and direct I/O may not be direct.", f.Type)
	case "nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "virtiofs", "afs":
		return fmt.Sprintf("The file lies on %s: a network or another system is measured, not a drive of this computer.", f.Type)
	case "zfs":
		return "The file lies on zfs, which may compress data and may answer direct I/O from its cache."
	case "btrfs":
		return "The file lies on btrfs, which checks data by checksums and copies on write unless told not to by file."
	case "bcachefs":
		return "The file lies on bcachefs, which checks data by checksums and copies on write."
	}
	return ""
}
