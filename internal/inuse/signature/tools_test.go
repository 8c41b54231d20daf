package signature

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// tool runs a program of the host and returns what it printed. The test is
// skipped where it is missing.
func tool(t *testing.T, input, name string, args ...string) string {
	t.Helper()
	path := find(name)
	if path == "" {
		t.Skipf("SKIPPED: %s is not installed, nothing was compared", name)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Stdin = strings.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && name == "blkid") {
		t.Fatalf("%s %q: %v: %s", name, args, err, stderr.Bytes())
	}
	return string(out)
}

// find looks for a program also where only root has it in his path.
func find(name string) string {
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/sbin", "/usr/local/sbin") {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}

// blank makes a sparse file of a size.
func blank(t *testing.T, size int64) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "disk.img")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, size); err != nil {
		t.Fatal(err)
	}
	return name
}

// blkid returns what blkid says of a part of a file.
func blkid(t *testing.T, name string, off, size int64) map[string]string {
	t.Helper()
	out := tool(t, "", "blkid", "-p", "-o", "export", "-O", fmt.Sprint(off), "-S", fmt.Sprint(size), name)
	said := map[string]string{}
	for line := range strings.Lines(out) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			said[k] = strings.ReplaceAll(v, `\`, "")
		}
	}
	return said
}

// scanFile scans an image.
func scanFile(t *testing.T, name string, block int) []Signature {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return scanDisk(t, f, info.Size(), block)
}

// compare compares a signature with what blkid says, in all that both say.
func compare(t *testing.T, got Signature, said map[string]string) {
	t.Helper()
	kind, err := ParseKind(said["TYPE"])
	if err != nil {
		t.Fatalf("blkid says %v: %v", said, err)
	}
	if got.Kind != kind || got.Damaged {
		t.Errorf("kind %s (damaged %t), blkid says %s", got.Kind, got.Damaged, kind)
	}
	label := got.Label
	if label == "" && got.Host != "" && got.Kind == MD {
		label = got.Host + ":" + got.Name
	} else if label == "" && got.Kind == ZFS {
		label = got.Name
	}
	if want, ok := said["LABEL"]; label != strings.TrimSpace(want) && (ok || kind != VMFS && kind != BitLocker) {
		t.Errorf("%s: label %q, blkid says %q", kind, label, said["LABEL"])
	}
	if want, ok := said["UUID"]; ok && got.UUID != want {
		t.Errorf("%s: UUID %q, blkid says %q", kind, got.UUID, want)
	}
	// blkid gives the revision of ext, and says that in TYPE which is the
	// version of it here.
	want := said["VERSION"]
	if kind == Ext {
		want = said["TYPE"]
	}
	if want != "" && got.Version != "" && kind != HFS && want != got.Version && !strings.HasPrefix(want, got.Version+".") {
		t.Errorf("%s: version %q, blkid says %q", kind, got.Version, want)
	}
}

// TestMkfs makes file systems and the like with the tools of the host, and
// compares what is found with what blkid says.
func TestMkfs(t *testing.T) {
	tests := []struct {
		name  string
		mib   int64
		block int
		input string
		args  []string
		want  Signature
	}{
		{"ext2", 8, 512, "", []string{"mkfs.ext2", "-q", "-F", "-L", "two"}, Signature{Kind: Ext, Label: "two", Version: "ext2", Offset: 0x438}},
		{"ext3", 16, 512, "", []string{"mkfs.ext3", "-q", "-F", "-L", "three"}, Signature{Kind: Ext, Label: "three", Version: "ext3", Offset: 0x438}},
		{"ext4", 16, 512, "", []string{"mkfs.ext4", "-q", "-F", "-L", "back up"}, Signature{Kind: Ext, Label: "back up", Version: "ext4", Offset: 0x438}},
		{"ext4 on 4096", 16, 4096, "", []string{"mkfs.ext4", "-q", "-F", "-b", "4096"}, Signature{Kind: Ext, Version: "ext4", Offset: 0x438}},
		{"ext4 journal", 16, 512, "", []string{"mkfs.ext4", "-q", "-F", "-O", "journal_dev", "-L", "log"}, Signature{Kind: Ext, Label: "log", Version: "jbd", Offset: 0x438}},
		{"xfs", 320, 512, "", []string{"mkfs.xfs", "-q", "-L", "xlabel"}, Signature{Kind: XFS, Label: "xlabel", Version: "5"}},
		{"xfs 4", 64, 512, "", []string{"mkfs.xfs", "-q", "--unsupported", "-m", "crc=0", "-L", "old"}, Signature{Kind: XFS, Label: "old", Version: "4"}},
		{"btrfs", 120, 512, "", []string{"mkfs.btrfs", "-q", "-L", "blabel"}, Signature{Kind: Btrfs, Label: "blabel", Offset: 0x10040}},
		{"btrfs sha256", 120, 512, "", []string{"mkfs.btrfs", "-q", "--csum", "sha256"}, Signature{Kind: Btrfs, Offset: 0x10040}},
		{"btrfs xxhash", 120, 512, "", []string{"mkfs.btrfs", "-q", "--csum", "xxhash"}, Signature{Kind: Btrfs, Offset: 0x10040}},
		{"ntfs", 8, 512, "", []string{"mkntfs", "-q", "-F", "-f", "-L", "nlabel"}, Signature{Kind: NTFS, Label: "nlabel", Offset: 3}},
		{"ntfs of 4096", 32, 4096, "", []string{"mkntfs", "-q", "-F", "-f", "-s", "4096", "-c", "4096"}, Signature{Kind: NTFS, Offset: 3}},
		{"fat12", 4, 512, "", []string{"mkfs.vfat", "-F", "12", "-n", "TWELVE"}, Signature{Kind: FAT, Label: "TWELVE", Version: "FAT12", Offset: 54}},
		{"fat16", 32, 512, "", []string{"mkfs.vfat", "-F", "16", "-n", "SIXTEEN"}, Signature{Kind: FAT, Label: "SIXTEEN", Version: "FAT16", Offset: 54}},
		{"fat16 without a label", 32, 512, "", []string{"mkfs.vfat", "-F", "16"}, Signature{Kind: FAT, Version: "FAT16", Offset: 54}},
		{"fat32", 64, 512, "", []string{"mkfs.vfat", "-F", "32", "-n", "EFI"}, Signature{Kind: FAT, Label: "EFI", Version: "FAT32", Offset: 82}},
		{"fat32 of 4096", 300, 4096, "", []string{"mkfs.vfat", "-F", "32", "-S", "4096"}, Signature{Kind: FAT, Version: "FAT32", Offset: 82}},
		{"exfat", 8, 512, "", []string{"mkfs.exfat", "-L", "elabel"}, Signature{Kind: ExFAT, Label: "elabel", Version: "1.0", Offset: 3}},
		{"f2fs", 64, 512, "", []string{"mkfs.f2fs", "-q", "-f", "-l", "flabel"}, Signature{Kind: F2FS, Label: "flabel", Offset: 1024}},
		{"f2fs with checksum", 64, 512, "", []string{"mkfs.f2fs", "-q", "-f", "-O", "extra_attr,sb_checksum"}, Signature{Kind: F2FS, Offset: 1024}},
		{"swap", 1, 512, "", []string{"mkswap", "-q", "-L", "slabel"}, Signature{Kind: Swap, Label: "slabel", Version: "1", Offset: 4086}},
		{"swap of 64 KiB", 4, 512, "", []string{"mkswap", "-q", "-p", "65536"}, Signature{Kind: Swap, Version: "1", Offset: 65526}},
		{"bcache backing", 4, 512, "", []string{"make-bcache", "-B"}, Signature{Kind: Bcache, Offset: 4096 + 24}},
		{"bcache cache", 128, 512, "", []string{"make-bcache", "-C"}, Signature{Kind: Bcache, Offset: 4096 + 24}},
		{"apfs", 1024, 512, "", []string{"mkapfs", "-L", "disk"}, Signature{Kind: APFS, Offset: 32}},
		{"luks1", 8, 512, "secret", []string{"cryptsetup", "luksFormat", "-q", "--type", "luks1", "--pbkdf-force-iterations", "1000", "--key-file", "-"}, Signature{Kind: LUKS, Version: "1"}},
		{"luks2", 32, 512, "secret", []string{"cryptsetup", "luksFormat", "-q", "--type", "luks2", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--label", "safe", "--key-file", "-"}, Signature{Kind: LUKS, Version: "2", Label: "safe"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			name := blank(t, tt.mib<<20)
			tool(t, tt.input, tt.args[0], append(tt.args[1:], name)...)
			got := only(t, scanFile(t, name, tt.block))
			if got.Kind != tt.want.Kind || got.Label != tt.want.Label || tt.want.Version != "" && got.Version != tt.want.Version || got.Offset != tt.want.Offset {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			compare(t, got, blkid(t, name, 0, tt.mib<<20))
		})
	}
}

// TestWipefs compares where magic numbers stand with what wipefs would erase.
func TestWipefs(t *testing.T) {
	name := blank(t, 64<<20)
	tool(t, "label: gpt\nsize=20MiB\nsize=20MiB\n", "sfdisk", "-q", name)
	got := only(t, scanFile(t, name, 512))
	out := tool(t, "", "wipefs", "-p", name)
	if want := fmt.Sprintf("0x%x,", got.Offset); !strings.Contains(out, want) {
		t.Errorf("GPT at %d, wipefs says %q", got.Offset, out)
	}
}

// TestSfdisk makes partition tables with file systems in them.
func TestSfdisk(t *testing.T) {
	const script = "size=8MiB,type=%[1]s\nsize=8MiB,type=%[1]s\nsize=8MiB,type=%[1]s\nsize=40MiB,type=%[2]s\nsize=8MiB,type=%[1]s\nsize=8MiB,type=%[1]s\n"
	tests := []struct {
		name, script string
		numbers      []int
	}{
		{"gpt", "label: gpt\n" + strings.ReplaceAll(fmt.Sprintf(script, "L", "L"), "40MiB", "8MiB"), []int{1, 2, 3, 4, 5, 6}},
		{"dos", "label: dos\n" + fmt.Sprintf(script, "83", "5"), []int{1, 2, 3, 5, 6}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			name := blank(t, 96<<20)
			tool(t, tt.script, "sfdisk", "-q", name)
			parts := sfdiskParts(t, name)
			small := blank(t, 8<<20)
			for _, n := range tt.numbers {
				tool(t, "", "mkfs.ext4", "-q", "-F", "-L", fmt.Sprintf("part%d", n), small)
				copyInto(t, name, small, parts[n].start)
			}
			list := scanFile(t, name, 512)
			if len(list) != 1+len(tt.numbers) {
				t.Fatalf("found %+v", list)
			}
			said := blkid(t, name, 0, 96<<20)
			if kind, _ := ParseKind(said["PTTYPE"]); list[0].Kind != kind || list[0].UUID != said["PTUUID"] {
				t.Errorf("table %+v, blkid says %v", list[0], said)
			}
			for i, n := range tt.numbers {
				got := list[1+i]
				if got.Partition != n || got.Offset != parts[n].start+0x438 || got.Text != fmt.Sprintf("ext4 \"part%d\" in partition %d", n, n) {
					t.Errorf("partition %d: %+v", n, got)
				}
				compare(t, got, blkid(t, name, parts[n].start, parts[n].size))
			}
		})
	}
}

// sfdiskParts returns the partitions that sfdisk says there are, in bytes.
func sfdiskParts(t *testing.T, name string) map[int]partition {
	t.Helper()
	parts := map[int]partition{}
	for line := range strings.Lines(tool(t, "", "sfdisk", "--dump", name)) {
		head, fields, ok := strings.Cut(line, " : ")
		number, isPart := strings.CutPrefix(head, name)
		if !ok || !isPart {
			continue
		}
		var p partition
		p.number, _ = strconv.Atoi(number)
		for _, f := range strings.Split(fields, ",") {
			k, v, _ := strings.Cut(strings.TrimSpace(f), "=")
			n, _ := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
			switch k {
			case "start":
				p.start = n * 512
			case "size":
				p.size = n * 512
			}
		}
		parts[p.number] = p
	}
	return parts
}

func copyInto(t *testing.T, name, from string, off int64) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(data, off); err != nil {
		t.Fatal(err)
	}
}
