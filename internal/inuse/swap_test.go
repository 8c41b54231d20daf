package inuse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const swapsHeading = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"

func TestSwap(t *testing.T) {
	tests := []struct {
		name, swaps string
		host        func(f *fixture)
		want        []string
	}{
		{"none", "", func(*fixture) {}, nil},
		{"a partition", "/dev/nvme0n1p2 partition 1000 0 -2\n/dev/sda partition 1 0 -3\n", func(*fixture) {},
			[]string{"swap: nvme0n1p2 is used as swap"}},
		{"by another name", "/dev/disk/x\\040y partition 1000 0 -2\n", func(f *fixture) {
			f.nodes["/dev/disk/x y"] = file{device: number(t, "259:2")}
		}, []string{"swap: nvme0n1p2 is used as swap"}},
		{"a node that is gone", "/dev/nvme0n1p2\\040(deleted) partition 1000 0 -2\n", func(f *fixture) {
			delete(f.nodes, "/dev/nvme0n1p2")
		}, []string{"swap: nvme0n1p2 is used as swap"}},
		{"the node of another device", "/dev/nvme0n1p2 partition 1000 0 -2\n", func(f *fixture) {
			f.nodes["/dev/nvme0n1p2"] = f.nodes["/dev/sda"]
		}, nil},
		{"a device that is not found", "/dev/mapper/swap partition 1000 0 -2\n", func(*fixture) {},
			[]string{"the swap area /dev/mapper/swap could not be found"}},
		{"a file", "/swap\\040file file 1000 0 -2\n/gone file 1 0 -2\n", func(f *fixture) {
			f.nodes["/swap file"] = file{fs: number(t, "259:1")}
		}, []string{"swap /swap file: nvme0n1p1 has the swap file /swap file"}},
		{"a file on btrfs", "/swapfile file 1000 0 -2\n", func(f *fixture) {
			f.text(f.sys, "fs/btrfs/1b4e28ba/devices/nvme0n1p1/size", "1")
			f.mounts(100, "30 0:40 / / btrfs /dev/nvme0n1p1 rw")
			f.nodes["/swapfile"] = file{fs: number(t, "0:44"), mount: 30}
		}, []string{"mount /: nvme0n1p1 is mounted on /", "swap /swapfile: nvme0n1p1 has the swap file /swapfile"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			f.text(f.proc, "swaps", swapsHeading+tt.swaps)
			tt.host(f)
			f.check(tt.want...)
		})
	}
}

func TestHibernation(t *testing.T) {
	const found = "hibernation: nvme0n1p2 is where this system hibernates to"
	tests := []struct {
		name, resume, cmdline string
		want                  []string
	}{
		{"none", "0:0\n", "root=/dev/sda ro\n", nil},
		{"by the kernel's number", "259:2\n", "", []string{found}},
		{"both", "259:2\n", "resume=/dev/nvme0n1p2", []string{found}},
		{"by path", "", "ro resume=/dev/nvme0n1p2 quiet", []string{found}},
		{"by number", "", "resume=259:2", []string{found}},
		{"by UUID", "", "resume=UUID=ABCD-12", []string{found}},
		{"by UUID in quotes", "", `resume="UUID=abcd-12"`, []string{found}},
		{"by label", "", "resume=PARTLABEL=swap", []string{found}},
		{"another drive", "8:0\n", "resume=/dev/sda", nil},
		{"switched off", "0:0\n", "resume=/dev/nvme0n1p2 noresume", nil},
		{"not found", "", "resume=UUID=77",
			[]string{"UUID=77, which the command line of the kernel names for hibernation, could not be found"}},
		{"unknown key", "", "resume=UUID=../../nvme0n1p2 resume=WHAT=1 resume=",
			[]string{
				"UUID=../../nvme0n1p2, which the command line of the kernel names for hibernation, could not be found",
				"WHAT=1, which the command line of the kernel names for hibernation, could not be found",
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			f.text(f.sys, "power/resume", tt.resume)
			f.text(f.proc, "cmdline", tt.cmdline)
			f.nodes["/dev/disk/by-uuid/abcd-12"] = f.nodes["/dev/nvme0n1p2"]
			f.nodes["/dev/disk/by-partlabel/swap"] = f.nodes["/dev/nvme0n1p2"]
			f.check(tt.want...)
		})
	}
}

func TestUnescape(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""}, {"/a b", "/a b"}, {`/a\040b`, "/a b"}, {`\134\012`, "\\\n"}, {`a\04`, `a\04`}, {`\999`, `\999`}, {`\400`, `\400`}, {`\`, `\`},
	}
	for _, tt := range tests {
		if got := unescape(tt.in); got != tt.want {
			t.Errorf("unescape(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzParseSwaps(f *testing.F) {
	f.Add(swapsHeading + "/dev/dm-1 partition 1 0 -2\n/swap\\040file\\040(deleted) file 1 0 -2\n")
	f.Add("/ a\n/\\")
	f.Fuzz(func(t *testing.T, text string) {
		for _, a := range parseSwaps(text) {
			if !strings.HasPrefix(a.path, "/") || len(a.path) > len(text) {
				t.Errorf("swap area %q of %q", a.path, text)
			}
		}
	})
}

func FuzzParseResume(f *testing.F) {
	f.Add(`ro resume="UUID=1" quiet`)
	f.Add("resume=8:3 noresume")
	f.Fuzz(func(t *testing.T, cmdline string) {
		for _, v := range parseResume(cmdline) {
			if v == "" || strings.ContainsAny(v, " \t\n\"") || !strings.Contains(strings.ReplaceAll(cmdline, `"`, ""), "resume="+v) {
				t.Errorf("value %q of %q", v, cmdline)
			}
		}
	})
}

func FuzzUnescape(f *testing.F) {
	f.Add(`/a\040b\134`)
	f.Fuzz(func(t *testing.T, s string) {
		got := unescape(s)
		if len(got) > len(s) || !strings.Contains(s, `\`) && got != s {
			t.Errorf("unescape(%q) = %q", s, got)
		}
		escaped := strings.NewReplacer(`\`, `\134`, " ", `\040`, "\n", `\012`).Replace(s)
		if diff := cmp.Diff(s, unescape(escaped)); diff != "" {
			t.Errorf("there and back (-want +got):\n%s", diff)
		}
	})
}
