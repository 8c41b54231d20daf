package inuse

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHolders(t *testing.T) {
	tests := []struct {
		name string
		host func(f *fixture)
		want []string
	}{
		{"LVM, not mounted", func(f *fixture) {
			f.dm("dm-1", "253:1", "vg0-root", "LVM-abc", "nvme0n1p2")
		}, []string{"lvm vg0-root: nvme0n1p2 carries the LVM volume vg0-root (dm-1)"}},
		{"LVM, mounted", func(f *fixture) {
			f.dm("dm-1", "253:1", "vg0-root", "LVM-abc", "nvme0n1p2")
			f.mounts(100, "30 253:1 / / ext4 /dev/mapper/vg0-root rw")
		}, []string{"mount /: nvme0n1p2 carries the LVM volume vg0-root (dm-1), which is mounted on /"}},
		{"encrypted", func(f *fixture) {
			f.dm("dm-0", "253:0", "secret", "CRYPT-LUKS2-1-secret", "nvme0n1p1")
		}, []string{"crypt secret: nvme0n1p1 carries the encrypted volume secret (dm-0)"}},
		{"multipath with a partition", func(f *fixture) {
			f.dm("dm-0", "253:0", "mpatha", "mpath-3600", "nvme0n1")
			f.dm("dm-1", "253:1", "mpatha1", "part1-mpath-3600", "dm-0")
		}, []string{"dm mpatha1: nvme0n1 is a path of the multipath device mpatha (dm-0), which carries the device-mapper volume mpatha1 (dm-1)"}},
		{"device mapper without UUID", func(f *fixture) {
			f.dm("dm-0", "253:0", "mine", "", "nvme0n1p1")
		}, []string{"dm mine: nvme0n1p1 carries the device-mapper volume mine (dm-0)"}},
		{"array on both partitions, mounted", func(f *fixture) {
			f.md("md0", "9:0", "raid1", "clean", "1.2", "nvme0n1p1", "nvme0n1p2")
			f.mounts(100, "30 9:0 / /srv ext4 /dev/md0 rw")
		}, []string{
			"mount /srv: nvme0n1p1 is part of the array md0 (raid1), which is mounted on /srv",
			"mount /srv: nvme0n1p2 is part of the array md0 (raid1), which is mounted on /srv",
		}},
		{"array that does not run", func(f *fixture) {
			f.md("md127", "9:127", "", "inactive", "1.2", "nvme0n1p1")
		}, []string{"md md127: nvme0n1p1 is part of the array md127 (inactive)"}},
		{"array of the firmware in its container", func(f *fixture) {
			f.md("md127", "9:127", "container", "inactive", "external:imsm", "nvme0n1")
			f.md("md126", "9:126", "raid0", "active", "external:/md127/0", "nvme0n1")
		}, []string{
			"md md126: nvme0n1 is part of the array md126 (raid0)",
			"md md127: nvme0n1 is part of the array container md127 (imsm)",
		}},
		{"array of an unknown state", func(f *fixture) {
			f.md("md5", "9:5", "", "", "", "nvme0n1")
		}, []string{"md md5: nvme0n1 is part of the array md5"}},
		{"partition of an array", func(f *fixture) {
			f.md("md0", "9:0", "raid1", "clean", "1.2", "nvme0n1p1")
			f.partition("md0", "md0p1", "259:20")
			f.partition("md0", "md0p2", "259:21")
			f.mounts(100, "30 259:20 / /srv ext4 /dev/md0p1 rw")
		}, []string{"mount /srv: nvme0n1p1 is part of the array md0 (raid1), which has the partition md0p1, which is mounted on /srv"}},
		{"unused partition of an array", func(f *fixture) {
			f.md("md0", "9:0", "raid1", "clean", "1.2", "nvme0n1p1")
			f.partition("md0", "md0p1", "259:20")
		}, []string{"md md0: nvme0n1p1 is part of the array md0 (raid1)"}},
		{"thin pool: two ways to one volume", func(f *fixture) {
			f.dm("dm-0", "253:0", "vg-pool_tmeta", "LVM-a", "nvme0n1p2")
			f.dm("dm-1", "253:1", "vg-pool_tdata", "LVM-b", "nvme0n1p2")
			f.dm("dm-2", "253:2", "vg-pool", "LVM-c", "dm-0", "dm-1")
			f.mounts(100, "30 253:2 / /data ext4 /dev/x rw")
		}, []string{"mount /data: nvme0n1p2 carries the LVM volume vg-pool_tmeta (dm-0), which carries the LVM volume vg-pool (dm-2), which is mounted on /data"}},
		{"an array with an encrypted file system and swap", func(f *fixture) {
			f.md("md0", "9:0", "raid0", "clean", "1.2", "nvme0n1p1")
			f.dm("dm-0", "253:0", "secret", "CRYPT-LUKS2-1", "md0")
			f.dm("dm-1", "253:1", "vg-a", "LVM-a", "dm-0")
			f.dm("dm-2", "253:2", "vg-b", "LVM-b", "dm-0")
			f.mounts(100, "30 253:1 / / xfs /dev/x rw")
			f.text(f.proc, "swaps", swapsHeading+"/dev/dm-2 partition 1 0 -2\n")
		}, []string{
			"mount /: nvme0n1p1 is part of the array md0 (raid0), which carries the encrypted volume secret (dm-0), which carries the LVM volume vg-a (dm-1), which is mounted on /",
			"swap: nvme0n1p1 is part of the array md0 (raid0), which carries the encrypted volume secret (dm-0), which carries the LVM volume vg-b (dm-2), which is used as swap",
		}},
		{"only the upper device says so", func(f *fixture) {
			f.dm("dm-1", "253:1", "vg0-root", "LVM-abc")
			f.attr("dm-1", "slaves/nvme0n1p2/dev", "259:2")
		}, []string{"lvm vg0-root: nvme0n1p2 carries the LVM volume vg0-root (dm-1)"}},
		{"bcache", func(f *fixture) {
			f.block("bcache0", "251:0")
			f.attr("bcache0", "bcache/state", "clean")
			f.attr("nvme0n1p1", "bcache/cache_replacement_policy", "[lru] fifo")
			f.attr("nvme0n1p2", "bcache/state", "clean")
			f.holds("nvme0n1p1", "bcache0")
			f.holds("nvme0n1p2", "bcache0")
		}, []string{"bcache bcache0: nvme0n1p1 is the cache of bcache0", "bcache bcache0: nvme0n1p2 is the backing device of bcache0"}},
		{"a cache that is attached to nothing", func(f *fixture) {
			f.attr("nvme0n1p1", "bcache/cache_replacement_policy", "[lru] fifo")
		}, []string{"bcache: nvme0n1p1 is registered with bcache"}},
		{"DRBD", func(f *fixture) {
			f.block("drbd0", "147:0")
			f.holds("nvme0n1p1", "drbd0")
		}, []string{"drbd drbd0: nvme0n1p1 is replicated as drbd0"}},
		{"unknown holders", func(f *fixture) {
			f.block("new0", "240:0")
			f.holds("nvme0n1p1", "new0")
			f.holds("nvme0n1p2", "unheardof")
		}, []string{"holder new0: nvme0n1p1 is used by new0", "holder unheardof: nvme0n1p2 is used by unheardof"}},
		{"only a process has the volume open", func(f *fixture) {
			f.dm("dm-1", "253:1", "vg0-a", "LVM-abc", "nvme0n1p2")
			f.open("1", 4, file{device: number(f.t, "253:1")})
		}, []string{
			"lvm vg0-a: nvme0n1p2 carries the LVM volume vg0-a (dm-1)",
			"open: nvme0n1p2 carries the LVM volume vg0-a (dm-1), which is open in init (process 1)",
		}},
		{"a circle", func(f *fixture) {
			f.dm("dm-0", "253:0", "a", "", "nvme0n1", "dm-1")
			f.dm("dm-1", "253:1", "b", "", "dm-0")
			f.holds("dm-1", "nvme0n1")
		}, nil},
		{"a holder that is itself", func(f *fixture) { f.holds("nvme0n1", "nvme0n1") }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			tt.host(f)
			f.check(tt.want...)
		})
	}
}

func TestThrough(t *testing.T) {
	f := newFixture(t)
	f.md("md0", "9:0", "raid1", "clean", "1.2", "nvme0n1p2")
	f.dm("dm-1", "253:1", "vg0-root", "LVM-abc", "md0")
	f.mounts(100, "30 253:1 / / ext4 /dev/mapper/vg0-root rw")
	want := []Use{{
		Kind: Mount, Device: "nvme0n1p2", Through: []string{"md0", "dm-1 (vg0-root)"}, Name: "/",
		Text: "nvme0n1p2 is part of the array md0 (raid1), which carries the LVM volume vg0-root (dm-1), which is mounted on /",
	}}
	if diff := cmp.Diff(want, f.survey("nvme0n1").Uses); diff != "" {
		t.Errorf("uses (-want +got):\n%s", diff)
	}
}

func TestLayers(t *testing.T) {
	tests := []struct {
		name string
		host func(f *fixture)
		want []string
	}{
		{"loop on a partition, mounted", func(f *fixture) {
			f.attr("loop0", "loop/backing_file", "/dev/nvme0n1p1")
			f.loops["loop0"] = file{device: number(f.t, "259:1")}
			f.mounts(100, "30 7:0 / /mnt ext4 /dev/loop0 rw")
		}, []string{"mount /mnt: nvme0n1p1 is behind the loop device loop0, which is mounted on /mnt"}},
		{"loop on a device of another name", func(f *fixture) {
			f.attr("loop0", "loop/backing_file", "/dev/sda")
			f.loops["loop0"] = file{device: number(f.t, "259:1")}
		}, []string{"loop /dev/sda: nvme0n1p1 is behind the loop device loop0"}},
		{"loop that cannot be asked", func(f *fixture) {
			f.attr("loop0", "loop/backing_file", "/dev/nvme0n1p1")
		}, []string{"loop /dev/nvme0n1p1: nvme0n1p1 is behind the loop device loop0"}},
		{"loop on a node that is gone", func(f *fixture) {
			f.attr("loop0", "loop/backing_file", "/dev/nvme0n1p1 (deleted)")
			delete(f.nodes, "/dev/nvme0n1p1")
		}, []string{"loop /dev/nvme0n1p1: nvme0n1p1 is behind the loop device loop0"}},
		{"loop on what is not found", func(f *fixture) {
			f.attr("loop0", "loop/backing_file", "/dev/mapper/x")
			f.attr("loop1", "loop/backing_file", "/gone")
		}, []string{"/dev/mapper/x, on which loop0 lies, could not be found"}},
		{"loop on a file", func(f *fixture) {
			f.attr("loop0", "loop/backing_file", "/srv/disk.img")
			f.loops["loop0"] = file{fs: number(f.t, "259:1")}
			f.mounts(100, "29 259:1 / /srv ext4 /dev/x rw", "30 7:0 / /mnt ext4 /dev/loop0 rw")
		}, []string{
			"mount /mnt: nvme0n1p1 has the file /srv/disk.img of loop0, which is mounted on /mnt",
			"mount /srv: nvme0n1p1 is mounted on /srv",
		}},
		{"loop on a file of btrfs", func(f *fixture) {
			f.attr("loop0", "loop/backing_file", "/srv/disk.img")
			f.loops["loop0"] = file{fs: number(f.t, "0:44")}
			f.nodes["/srv/disk.img"] = file{fs: number(f.t, "0:44"), mount: 29}
			f.text(f.sys, "fs/btrfs/1b4e28ba/devices/nvme0n1p1/size", "1")
			f.mounts(100, "29 0:40 / /srv btrfs /dev/nvme0n1p1 rw")
		}, []string{
			"mount /srv: nvme0n1p1 is mounted on /srv",
			"loop /srv/disk.img: nvme0n1p1 has the file /srv/disk.img of loop0",
		}},
		{"compressed memory", func(f *fixture) {
			f.block("zram0", "251:0")
			f.attr("zram0", "backing_dev", "/dev/nvme0n1p1")
			f.block("zram1", "251:1")
			f.attr("zram1", "backing_dev", "none")
			f.block("zram2", "251:2")
			f.attr("zram2", "backing_dev", "/dev/gone")
		}, []string{
			"holder zram0: nvme0n1p1 takes what zram0 writes back",
			"/dev/gone, to which zram2 writes back, could not be found",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			f.block("loop0", "7:0")
			f.block("loop1", "7:1")
			tt.host(f)
			f.check(tt.want...)
		})
	}
}
