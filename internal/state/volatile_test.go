package state

import (
	"errors"
	"io/fs"
	"testing"

	"golang.org/x/sys/unix"
)

// fakeKernel has file systems by path.
type fakeKernel struct {
	types  map[string]uint32
	number uint64
	table  string
	err    error
}

func (k fakeKernel) magic(path string) (uint32, error) {
	if m, ok := k.types[path]; ok {
		return m, nil
	}
	return 0, fs.ErrNotExist
}

func (k fakeKernel) device(string) (uint64, error) { return k.number, k.err }
func (k fakeKernel) mounts() ([]byte, error)       { return []byte(k.table), k.err }

const (
	tmpfs   = unix.TMPFS_MAGIC
	ext4    = unix.EXT4_SUPER_MAGIC
	overlay = unix.OVERLAYFS_SUPER_MAGIC
)

// liveTable is that of a system that runs from a medium for installing.
const liveTable = `24 1 0:30 / / rw,noatime - overlay overlay rw,lowerdir=/run/live/rootfs,upperdir=/run/live/over\040lay/rw,workdir=/run/live/work,redirect_dir=on
25 24 0:22 / /proc rw - proc proc rw
`

func TestVolatile(t *testing.T) {
	live := unix.Mkdev(0, 30)
	tests := []struct {
		name   string
		kernel fakeKernel
		want   bool
		text   string
	}{
		{"disk", fakeKernel{types: map[string]uint32{"/v/a/b": ext4}}, false, ""},
		{"tmpfs", fakeKernel{types: map[string]uint32{"/v/a/b": tmpfs}}, true, "tmpfs"},
		{"ramfs", fakeKernel{types: map[string]uint32{"/v/a/b": unix.RAMFS_MAGIC}}, true, "ramfs"},
		{"not there yet", fakeKernel{types: map[string]uint32{"/v": tmpfs}}, true, "tmpfs"},
		{"nothing there", fakeKernel{}, false, ""},
		{"live system", fakeKernel{types: map[string]uint32{"/": overlay, "/run/live/over lay/rw": tmpfs}, number: live, table: liveTable}, true, "overlay on tmpfs"},
		{"live system that keeps", fakeKernel{types: map[string]uint32{"/": overlay, "/run/live/over lay/rw": ext4}, number: live, table: liveTable}, false, ""},
		{"container", fakeKernel{types: map[string]uint32{"/": overlay}, number: live, table: liveTable}, false, "overlay whose upper layer cannot be seen"},
		{"overlay of another number", fakeKernel{types: map[string]uint32{"/": overlay}, number: 1, table: liveTable}, false, "overlay whose upper layer cannot be seen"},
		{"overlay on itself", fakeKernel{types: map[string]uint32{"/": overlay, "/run/live/over lay/rw": overlay}, number: live, table: liveTable}, false, ""},
		{"unreadable", fakeKernel{types: map[string]uint32{"/": overlay}, err: errors.New("no")}, false, "overlay whose upper layer cannot be seen"},
	}
	for _, tt := range tests {
		got, text := volatile(tt.kernel, "/v/a/b")
		if got != tt.want || text != tt.text {
			t.Errorf("%s: %t, %q, want %t, %q", tt.name, got, text, tt.want, tt.text)
		}
	}
}

func TestUpperOption(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"optional fields", "24 1 0:30 / / rw shared:1 master:2 - overlay x rw,upperdir=/u\n", "/u"},
		{"comma", `24 1 0:30 / / rw - overlay x rw,upperdir=/a\054b` + "\n", "/a,b"},
		{"half an escape", `24 1 0:30 / / rw - overlay x rw,upperdir=/a\9` + "\n", `/a\9`},
		{"read only", "24 1 0:30 / / ro - overlay x ro,lowerdir=/a:/b\n", ""},
		{"other type", "24 1 0:30 / / rw - ext4 x rw,upperdir=/u\n", ""},
		{"cut", "24 1 0:30 / / rw - overlay", ""},
		{"other", "24 1 0:31 / / rw - overlay x rw,upperdir=/u\n", ""},
		{"empty", "\n - \n", ""},
	}
	for _, tt := range tests {
		if got := upperOption([]byte(tt.line), "0:30"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzUpperOption(f *testing.F) {
	f.Add([]byte(liveTable), "0:30")
	f.Add([]byte("1 2 0:30 - overlay"), "0:30")
	f.Fuzz(func(t *testing.T, table []byte, number string) {
		if got := upperOption(table, number); len(got) > len(table) {
			t.Errorf("%q is longer than the table", got)
		}
	})
}
