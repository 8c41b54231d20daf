package inuse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMounts(t *testing.T) {
	tests := []struct {
		name string
		host func(f *fixture)
		want []string
	}{
		{"none", func(*fixture) {}, nil},
		{"a partition, with a bind mount", func(f *fixture) {
			f.mounts(100, "30 259:2 / / ext4 /dev/root rw", "31 259:2 /home /srv ext4 /dev/root rw", "32 8:0 / /boot ext4 /dev/sda rw")
		}, []string{"mount /: nvme0n1p2 is mounted on /", "mount /srv: nvme0n1p2 is mounted on /srv"}},
		{"the whole drive", func(f *fixture) {
			f.mounts(100, "30 259:0 / /data xfs /dev/nvme0n1 rw")
		}, []string{"mount /data: nvme0n1 is mounted on /data"}},
		{"only the name is ours", func(f *fixture) {
			f.mounts(100, "30 8:0 / /data xfs /dev/nvme0n1p1 rw")
		}, nil},
		{"only the name is another's", func(f *fixture) {
			f.mounts(100, "30 259:1 / /data xfs /dev/sda rw")
		}, []string{"mount /data: nvme0n1p1 is mounted on /data"}},
		{"another namespace", func(f *fixture) {
			f.process(70, "nginx", "mnt:[2]", "/")
			f.mounts(70, "90 259:1 / /data ext4 /dev/x rw")
		}, []string{"mount /data: nvme0n1p1 is mounted on /data in the mount namespace of nginx (process 70)"}},
		{"another namespace that is a copy of ours", func(f *fixture) {
			f.mounts(100, "30 259:1 / /data ext4 /dev/x rw")
			f.process(70, "nginx", "mnt:[2]", "/")
			f.mounts(70, "90 259:1 / /data ext4 /dev/x rw", "91 259:1 /a /etc/a ext4 /dev/x rw")
			f.process(71, "other", "mnt:[3]", "/")
			f.mounts(71, "95 259:1 /b /etc/a ext4 /dev/x rw")
		}, []string{
			"mount /data: nvme0n1p1 is mounted on /data",
			"mount /etc/a: nvme0n1p1 is mounted on /etc/a in the mount namespace of nginx (process 70)",
		}},
		{"the same mount as another root sees it", func(f *fixture) {
			f.mounts(100, "30 259:1 / /chroot ext4 /dev/x rw")
			f.process(70, "jailed", "mnt:[1]", "/chroot")
			f.mounts(70, "30 259:1 / / ext4 /dev/x rw")
		}, []string{"mount /chroot: nvme0n1p1 is mounted on /chroot"}},
		{"only a process with another root sees it", func(f *fixture) {
			f.process(70, "a", "mnt:[2]", "/chroot")
			f.process(71, "b", "mnt:[2]", "/")
			f.mounts(71, "90 259:1 / /data ext4 /dev/x rw")
		}, []string{"mount /data: nvme0n1p1 is mounted on /data in the mount namespace of b (process 71)"}},
		{"the first process of a namespace has ended", func(f *fixture) {
			f.process(70, "gone", "mnt:[2]", "/")
			f.process(71, "here", "mnt:[2]", "/")
			delete(f.proc, "70/mountinfo")
			f.mounts(71, "90 259:1 / /data ext4 /dev/x rw")
		}, []string{"mount /data: nvme0n1p1 is mounted on /data in the mount namespace of here (process 71)"}},
		{"a namespace without a process", func(f *fixture) {
			f.mounts(100, "30 0:4 mnt:[2] /run/ns/a nsfs nsfs rw", "31 0:4 mnt:[1] /run/ns/b nsfs nsfs rw", "32 0:4 net:[9] /run/netns/c nsfs nsfs rw")
		}, []string{"the mount namespace that /run/ns/a keeps has no process, so that its mounts are not shown"}},
		{"unprintable", func(f *fixture) {
			f.mounts(100, `30 259:1 / /a\040b\012 ext4 /dev/x rw`)
		}, []string{"mount /a b\uFFFD: nvme0n1p1 is mounted on /a b\uFFFD"}},
		{"active, and no mount is seen", func(f *fixture) {
			f.text(f.sys, "fs/ext4/nvme0n1p1/session_write_kbytes", "1")
			f.text(f.sys, "fs/ext4/features/lazy_itable_init", "supported")
			f.text(f.sys, "fs/xfs/nvme0n1p2/error/x", "1")
			f.mounts(100, "30 259:2 / /data xfs /dev/x rw")
		}, []string{
			"mount: nvme0n1p1 has an active ext4 file system, mounted where this program cannot see it",
			"mount /data: nvme0n1p2 is mounted on /data",
		}},
		{"a journal of another device", func(f *fixture) {
			f.text(f.proc, "fs/jbd2/nvme0n1p1/info", "x")
			f.text(f.proc, "fs/jbd2/sda-8/info", "x")
		}, []string{"mount: nvme0n1p1 is the journal of a mounted file system"}},
		{"a log of XFS", func(f *fixture) {
			f.mounts(100, "30 8:0 / /data xfs /dev/sda rw,logdev=/dev/nvme0n1p1,rtdev=/dev/gone")
		}, []string{
			"mount /data: nvme0n1p1 is the log of the file system that is mounted on /data",
			`"/dev/gone", the real-time part of the file system on /data, could not be found`,
		}},
		{"a line that is not understood", func(f *fixture) {
			f.mounts(100, "30 259:1 / /data ext4 /dev/x rw")
			f.proc["100/mountinfo"].Data = append([]byte("nonsense\n"), f.proc["100/mountinfo"].Data...)
		}, []string{
			"mount /data: nvme0n1p1 is mounted on /data",
			"some mounts that process 100 sees could not be understood: parsing 'nonsense' failed: not enough fields (1)",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			tt.host(f)
			f.check(tt.want...)
		})
	}
}

// TestMountOfOthers checks that process and name stand in the fields too.
func TestMountOfOthers(t *testing.T) {
	f := newFixture(t)
	f.process(70, "ngi\x1bnx", "mnt:[2]", "/")
	f.mounts(70, "90 259:1 / /data ext4 /dev/x rw")
	want := []Use{{
		Kind: Mount, Device: "nvme0n1p1", Name: "/data", PID: 70, Process: "ngi\uFFFDnx",
		Text: "nvme0n1p1 is mounted on /data in the mount namespace of ngi\uFFFDnx (process 70)",
	}}
	if diff := cmp.Diff(want, f.survey("nvme0n1").Uses); diff != "" {
		t.Errorf("uses (-want +got):\n%s", diff)
	}
}

func TestBtrfs(t *testing.T) {
	const uuid, other = "fs/btrfs/1b4e28ba-2fa1-11d2-883f-0016d3cca427/", "fs/btrfs/2b4e28ba-2fa1-11d2-883f-0016d3cca427/"
	member := func(f *fixture, dir, name string) { f.text(f.sys, dir+"devices/"+name+"/size", "1") }
	tests := []struct {
		name string
		host func(f *fixture)
		want []string
	}{
		{"one device", func(f *fixture) {
			member(f, uuid, "nvme0n1p1")
			f.mounts(100, "30 0:40 /sub /data btrfs /dev/nvme0n1p1 rw")
		}, []string{"mount /data: nvme0n1p1 is mounted on /data"}},
		{"two devices, and the source is the other", func(f *fixture) {
			member(f, uuid, "nvme0n1p1")
			member(f, uuid, "sda")
			f.mounts(100, "30 0:40 / /data btrfs /dev/sda rw")
		}, []string{"mount /data: nvme0n1p1 is one of 2 devices of the btrfs file system that is mounted on /data"}},
		{"two file systems", func(f *fixture) {
			member(f, uuid, "nvme0n1p1")
			member(f, other, "nvme0n1p2")
			f.mounts(100, "30 0:40 / /a btrfs /dev/nvme0n1p2 rw", "31 0:41 / /b btrfs /dev/nowhere rw")
		}, []string{
			"btrfs 1b4e28ba-2fa1-11d2-883f-0016d3cca427: nvme0n1p1 is a device of the active btrfs file system 1b4e28ba-2fa1-11d2-883f-0016d3cca427",
			"mount /a: nvme0n1p2 is mounted on /a",
		}},
		{"the source has no node", func(f *fixture) {
			member(f, uuid, "nvme0n1p1")
			f.mounts(100, "30 0:40 / /a btrfs /dev/nowhere rw")
		}, []string{"mount /a: nvme0n1p1 is mounted on /a"}},
		{"not mounted where we can see it", func(f *fixture) {
			member(f, uuid, "nvme0n1p1")
			f.text(f.sys, "fs/btrfs/features/raid56", "0")
		}, []string{"btrfs 1b4e28ba-2fa1-11d2-883f-0016d3cca427: nvme0n1p1 is a device of the active btrfs file system 1b4e28ba-2fa1-11d2-883f-0016d3cca427"}},
		{"another drive's", func(f *fixture) {
			member(f, uuid, "sda")
			f.mounts(100, "30 0:40 / /a btrfs /dev/nvme0n1p1 rw")
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			tt.host(f)
			f.check(tt.want...)
		})
	}
}

func TestLookWaitsForNoServer(t *testing.T) {
	tests := []struct {
		fsType, path string
		want         bool
	}{
		{"ext4", "/srv/x", true}, {"fuseblk", "/srv/x", true}, {"nfs4", "/srv/x", false}, {"fuse.sshfs", "/srv/x", false},
		{"fuse", "/srv", false}, {"nfs", "/srvx", true}, {"cifs", "/dev/sda", true},
	}
	for _, tt := range tests {
		f := newFixture(t)
		f.nodes[tt.path] = file{mount: 1}
		s := newSurvey(t.Context(), f.host())
		s.own = []mount{{path: "/", fsType: "ext4"}, {path: "/srv", fsType: tt.fsType}}
		if _, err := s.look(tt.path); (err == nil) != tt.want {
			t.Errorf("look at %s under %s: %v, want a look: %t", tt.path, tt.fsType, err, tt.want)
		}
	}
}

func FuzzParseMounts(f *testing.F) {
	f.Add("36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n")
	f.Add("nonsense\n36 35 259:1 / /a\\040b rw - xfs /dev/sda rw,logdev=/dev/sdb\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseMounts([]byte(text))
		if lines := strings.Count(text, "\n") + 1; len(list) > lines {
			t.Errorf("%d mounts of %d lines", len(list), lines)
		}
		if again, errAgain := parseMounts([]byte(text)); len(again) != len(list) || (err == nil) != (errAgain == nil) {
			t.Errorf("parsed twice: %d mounts, %v; then %d, %v", len(list), err, len(again), errAgain)
		}
	})
}
