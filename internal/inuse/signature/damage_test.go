package signature

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDamage changes what tools of the host wrote.
func TestDamage(t *testing.T) {
	luks := []string{"cryptsetup", "luksFormat", "-q", "--type", "luks2", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--key-file", "-"}
	flip := func(at int) func([]byte) { return func(b []byte) { b[at] ^= 0x20 } }
	wipe := func(from, to int) func([]byte) { return func(b []byte) { clear(b[from:to]) } }
	tests := []struct {
		name   string
		mib    int64
		args   []string
		change func(b []byte)
		// want is the text, "" for nothing found.
		want string
	}{
		{"LUKS2 first header", 32, luks, flip(5000), "LUKS2 encrypted volume; its first header is damaged, the second is good"},
		{"LUKS2 second header", 32, luks, flip(16384 + 5000), "LUKS2 encrypted volume; its second header is damaged"},
		{"LUKS2 both headers", 32, luks, func(b []byte) { flip(5000)(b); flip(16384 + 5000)(b) }, "LUKS2 encrypted volume; its checksum is wrong, its second header is damaged"},
		{"LUKS2 first header gone", 32, luks, wipe(0, 16384), "LUKS2 encrypted volume; only its second header is left"},
		{"LUKS2 second header gone", 32, luks, wipe(16384, 32768), "LUKS2 encrypted volume; its second header is missing"},
		{"ext4", 16, []string{"mkfs.ext4", "-q", "-F"}, flip(1024 + 0x30), "ext4; its checksum is wrong"},
		{"ext4 copy of the superblock", 16, []string{"mkfs.ext4", "-q", "-F"}, flip(1024 + 0x5a), ""},
		{"xfs", 320, []string{"mkfs.xfs", "-q"}, flip(300), "XFS; its checksum is wrong"},
		{"btrfs", 120, []string{"mkfs.btrfs", "-q"}, flip(65536 + 1000), "btrfs; its checksum is wrong"},
		{"btrfs elsewhere", 120, []string{"mkfs.btrfs", "-q"}, flip(65536 + 50), ""},
		{"exFAT", 8, []string{"mkfs.exfat"}, flip(1000), "exFAT; its checksum is wrong"},
		{"exFAT first region gone", 8, []string{"mkfs.exfat"}, wipe(0, 6144), "exFAT; only its backup boot region is left"},
		{"F2FS first superblock gone", 64, []string{"mkfs.f2fs", "-q", "-f"}, wipe(0, 4096), "F2FS; only its second superblock is left"},
		{"F2FS first superblock", 64, []string{"mkfs.f2fs", "-q", "-f", "-O", "extra_attr,sb_checksum"}, flip(1024 + 700), "F2FS; its first superblock is damaged, the second is good"},
		{"bcache", 4, []string{"make-bcache", "-B"}, flip(4096 + 100), `bcache backing device; its checksum is wrong`},
		{"FAT without sectors", 4, []string{"mkfs.vfat"}, wipe(19, 21), ""},
		{"FAT media", 4, []string{"mkfs.vfat"}, flip(21), ""},
		{"NTFS sector", 8, []string{"mkntfs", "-q", "-F", "-f"}, wipe(11, 13), ""},
		{"NTFS table", 8, []string{"mkntfs", "-q", "-F", "-f"}, func(b []byte) { b[55] = 1 }, ""},
		{"swap version", 1, []string{"mkswap", "-q"}, flip(1024), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			name := blank(t, tt.mib<<20)
			tool(t, "secret", tt.args[0], append(tt.args[1:], name)...)
			change(t, name, tt.change)
			got := strings.Join(texts(scanFile(t, name, 512)), "|")
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// change changes the first 256 KiB of a file.
func change(t *testing.T, name string, do func([]byte)) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 256<<10)
	if _, err := f.ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	do(b)
	if _, err := f.WriteAt(b, 0); err != nil {
		t.Fatal(err)
	}
}

// TestBtrfsDevices makes one file system of two devices.
func TestBtrfsDevices(t *testing.T) {
	one, two := blank(t, 120<<20), blank(t, 120<<20)
	tool(t, "", "mkfs.btrfs", "-q", "-L", "pair", one, two)
	for i, name := range []string{one, two} {
		got := only(t, scanFile(t, name, 512))
		if want := fmt.Sprintf(`btrfs "pair", device %d of 2`, i+1); got.Text != want {
			t.Errorf("%q, want %q", got.Text, want)
		}
		compare(t, got, blkid(t, name, 0, 120<<20))
	}
}

// TestExtMounted tells where a file system was mounted last.
func TestExtMounted(t *testing.T) {
	name := blank(t, 8<<20)
	tool(t, "", "mkfs.ext4", "-q", "-F", "-M", "/srv/data", name)
	if got := only(t, scanFile(t, name, 512)); got.Text != "ext4, last mounted on /srv/data" {
		t.Errorf("%q", got.Text)
	}
}

// loop attaches a file to a loop device with blocks of a size.
func loop(t *testing.T, name string, block int) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can attach loop devices, nothing was compared")
	}
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		t.Skip("SKIPPED: this computer has no loop devices, nothing was compared")
	}
	losetup := find("losetup")
	out, err := exec.Command(losetup, "--sector-size", fmt.Sprint(block), "--find", "--show", name).Output()
	if err != nil {
		t.Skipf("SKIPPED: losetup failed (%v), nothing was compared", err)
	}
	dev := strings.TrimSpace(string(out))
	t.Cleanup(func() { _ = exec.Command(losetup, "--detach", dev).Run() })
	return dev
}

// TestLoop lets tools that take only block devices write to them.
func TestLoop(t *testing.T) {
	t.Run("gpt of 4096", func(t *testing.T) {
		name := blank(t, 32<<20)
		tool(t, "label: gpt\nsize=8MiB\nsize=8MiB\n", "sfdisk", "-q", "--no-reread", "--no-tell-kernel", loop(t, name, 4096))
		got := only(t, scanFile(t, name, 4096))
		if got.Text != "GPT with 2 partitions" || got.Offset != 4096 {
			t.Errorf("%+v", got)
		}
		if got := only(t, scanFile(t, name, 512)); !strings.Contains(got.Text, "written for blocks of 4096 bytes") {
			t.Errorf("%+v", got)
		}
	})
	t.Run("lvm", func(t *testing.T) {
		name := blank(t, 32<<20)
		dev := loop(t, name, 512)
		config := "devices { filter = [ \"a|^" + dev + "$|\", \"r|.*|\" ] use_devicesfile = 0 } backup { backup = 0 archive = 0 }"
		tool(t, "", "pvcreate", "--config", config, "-y", "-q", dev)
		bare := only(t, scanFile(t, name, 512))
		if bare.Text != "LVM physical volume" {
			t.Errorf("before the group: %+v", bare)
		}
		compare(t, bare, blkid(t, dev, 0, 32<<20))
		group := "qd1test" + filepath.Base(dev)
		tool(t, "", "vgcreate", "--config", config, "-y", "-q", group, dev)
		got := only(t, scanFile(t, name, 512))
		compare(t, got, blkid(t, dev, 0, 32<<20))
		if got.Name != group || got.Host == "" || !strings.Contains(got.Text, "member of the LVM volume group "+group) {
			t.Errorf("%+v", got)
		}
	})
}
