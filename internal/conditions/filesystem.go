package conditions

import (
	"fmt"
	"io/fs"
	"strings"
)

// FileSystem is what a file lies on.
type FileSystem struct {
	// Type is the kernel's name, such as "ext4".
	Type string `json:"type"`
	// MountPoint is the directory that it is mounted on.
	MountPoint string `json:"mount_point"`
	// Source is what was mounted, a device as a rule, and Device its name for
	// [ReadBlock], "" if it is on no block device that the kernel shows here.
	Source string `json:"source"`
	Device string `json:"device"`
}

// ReadFileSystem returns the file system of the file at path, which must be
// absolute and without links; nil if it is not found.
//
// The device is that of the mount, not of the file: btrfs gives its files
// devices of their own that are none.
//
// Source: Linux kernel, Documentation/filesystems/proc.rst, mountinfo.
func ReadFileSystem(root fs.FS, path string) *FileSystem {
	t := tree{root}
	b, _ := fs.ReadFile(root, "proc/self/mountinfo")
	var best *FileSystem
	for line := range strings.Lines(string(b)) {
		number, f := parseMount(line)
		if f == nil || !below(path, f.MountPoint) || best != nil && len(f.MountPoint) < len(best.MountPoint) {
			continue
		}
		best = f
		if f.Device = t.node(f.Source); !strings.HasPrefix(f.Source, "/dev/") || f.Device == "" {
			f.Device = t.node(number)
		}
	}
	return best
}

// parseMount reads a line of mountinfo, nil for anything else.
func parseMount(line string) (number string, f *FileSystem) {
	before, after, ok := strings.Cut(line, " - ")
	mount, what := strings.Fields(before), strings.Fields(after)
	if !ok || len(mount) < 5 || len(what) < 2 {
		return "", nil
	}
	return mount[2], &FileSystem{Type: clean(what[0]), MountPoint: unescape(mount[4]), Source: unescape(what[1])}
}

// unescape puts back the four characters that the kernel writes in octal.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// below reports whether path is dir or lies in it.
func below(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// WithoutDevice is the judgement on a run on a file that is on no block device:
// there are no statistics, but for some file systems it is known that they keep
// their files in memory.
func WithoutDevice(f *FileSystem) OtherIO {
	switch {
	case f == nil:
		return OtherIO{Reason: "the file system is not known"}
	case f.Type == "tmpfs" || f.Type == "ramfs" || f.Type == "hugetlbfs" || f.Type == "devtmpfs":
		return OtherIO{Cached: new(true), CachedPercent: new(100.0), Reason: fmt.Sprintf("files on %s are in memory, there is no device below", f.Type)}
	}
	return OtherIO{Reason: fmt.Sprintf("%s is on no block device that the kernel shows here, so it is not known what reached a drive", clean(f.Type))}
}
