package scratch

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const mountTable = `22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
36 22 0:31 / /home/a\040b rw - fuse.sshfs host:/x\040y rw
37 22 0:32 /sub /data rw,noatime master:1 propagate_from:2 - btrfs /dev/nvme1n1 rw
38 22 0:33 / /broken rw
39 22 0:34 / /short rw - xfs
`

func TestFindMount(t *testing.T) {
	tests := []struct {
		id   uint64
		want Filesystem
		ok   bool
	}{
		{22, Filesystem{"ext4", "/dev/nvme0n1p2"}, true},
		{36, Filesystem{"fuse.sshfs", "host:/x y"}, true},
		{37, Filesystem{"btrfs", "/dev/nvme1n1"}, true},
		{38, Filesystem{}, false},
		{39, Filesystem{}, false},
		{2, Filesystem{}, false},
	}
	for _, tt := range tests {
		if got, ok := findMount(mountTable, tt.id); got != tt.want || ok != tt.ok {
			t.Errorf("mount %d is %v, %t, want %v, %t", tt.id, got, ok, tt.want, tt.ok)
		}
	}
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "/dev/sda": "/dev/sda", `a\040b\011c`: "a b\tc", `end\04`: `end\04`, `x\999y`: `x\999y`, `\134`: `\`, `\777`: `\777`,
	} {
		if got := unescape(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func FuzzFindMount(f *testing.F) {
	f.Add(mountTable, uint64(36))
	f.Add("1 - a b\n", uint64(1))
	f.Fuzz(func(t *testing.T, table string, id uint64) {
		got, ok := findMount(table, id)
		if ok && got.Type == "" || !ok && got != (Filesystem{}) {
			t.Errorf("got %v, %t", got, ok)
		}
	})
}

func TestTypeOf(t *testing.T) {
	for magic, want := range map[int64]string{
		unix.EXT4_SUPER_MAGIC: "ext2/ext3/ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs",
		unix.F2FS_SUPER_MAGIC: "f2fs", unix.TMPFS_MAGIC: "tmpfs", unix.RAMFS_MAGIC: "ramfs",
		unix.OVERLAYFS_SUPER_MAGIC: "overlay", unix.FUSE_SUPER_MAGIC: "fuse", unix.NFS_SUPER_MAGIC: "nfs",
		unix.CIFS_SUPER_MAGIC: "cifs", unix.BTRFS_SUPER_MAGIC - 1<<32: "btrfs", 0x1234: "a filesystem of type 0x1234",
	} {
		if got := typeOf(magic); got != want {
			t.Errorf("magic %#x is %q, want %q", magic, got, want)
		}
	}
}

func TestFilesystemOf(t *testing.T) {
	got, err := FilesystemOf("/proc/self")
	if err != nil || got.Type != "proc" {
		t.Errorf("/proc/self lies on %v, %v, want proc", got, err)
	}
	if _, err := FilesystemOf("/nonexistent"); !os.IsNotExist(unwrapped(err)) {
		t.Errorf("a path that is not there: %v", err)
	}
}

func unwrapped(err error) error {
	if u, ok := err.(interface{ Unwrap() error }); ok {
		return u.Unwrap()
	}
	return err
}

func TestFilesystemWarning(t *testing.T) {
	for kind, want := range map[string]string{
		"ext4": "", "xfs": "", "f2fs": "", "vfat": "",
		"overlay": "upper layer", "fuse.sshfs": "fuse.sshfs, a filesystem in user space", "fuseblk": "user space",
		"nfs4": "network", "cifs": "network", "zfs": "cache", "btrfs": "checksums", "bcachefs": "checksums",
	} {
		got := Filesystem{Type: kind}.warning()
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want something with %q", kind, got, want)
		}
	}
}

func TestInMemory(t *testing.T) {
	for kind, want := range map[string]bool{"tmpfs": true, "ramfs": true, "ext4": false, "overlay": false} {
		if got := (Filesystem{Type: kind}).inMemory(); got != want {
			t.Errorf("%s is in memory: %t, want %t", kind, got, want)
		}
	}
}
