package scratch

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/bench"
)

func TestMake(t *testing.T) {
	dir := diskDir(t)
	var told []int64
	f := usable(t, dir, 9*mib+1, Options{Reserve: -1, Seed: 5, Progress: func(n int64) { told = append(told, n) }})
	const want = 9*mib + 4096
	if f.Target.Kind != bench.FileTarget || f.Target.Bytes != want || !f.Target.Writable || f.Target.Descriptor != 0 {
		t.Errorf("target is %+v, want a writable file of %d bytes", f.Target, want)
	}
	if want := []int64{4 * mib, 8 * mib, want}; !slices.Equal(told, want) {
		t.Errorf("progress was %v, want %v", told, want)
	}
	info, err := os.Stat(f.Target.Path)
	if err != nil || info.Mode() != 0o600 || info.Size() != want {
		t.Fatalf("file has mode %v and %d bytes, %v, want 0600 and %d", info.Mode(), info.Size(), err, want)
	}
	if !ours(filepath.Base(f.Target.Path)) || !filepath.IsAbs(f.Target.Path) {
		t.Errorf("path is %s", f.Target.Path)
	}
	got, err := os.ReadFile(f.Target.Path)
	expected := make([]byte, want)
	content(expected, 5, 0)
	if err != nil || !bytes.Equal(got, expected) {
		t.Errorf("the file does not hold what was to be written, %v", err)
	}
	if f.FillSeconds <= 0 {
		t.Error("the filling took no time")
	}
	if f.Extents.Method == MethodFiemap && (*f.Extents.UntouchedPercent != 0 || f.Extents.Span != want) {
		t.Errorf("extents are %+v, want all written", f.Extents)
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if _, err := os.Stat(f.Target.Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after close: %v, want that it is gone", err)
	}
}

func TestMakeIsRemovedWithContext(t *testing.T) {
	dir := diskDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	f, err := Make(ctx, dir, mib, Options{Reserve: -1})
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	cancel()
	go func() {
		for {
			if _, err := os.Stat(f.Target.Path); errors.Is(err, fs.ErrNotExist) {
				close(gone)
				return
			}
		}
	}()
	<-gone // The end of the context alone removes it.
	if err := f.Close(); err != nil {
		t.Errorf("close after that: %v", err)
	}
}

func TestMakeInterrupted(t *testing.T) {
	dir := diskDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Make(ctx, dir, 64*mib, Options{Reserve: -1, Progress: func(int64) { cancel() }})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "4 MiB of 64 MiB were written") {
		t.Errorf("error %v, want canceled after 4 of 64 MiB", err)
	}
	wantEmpty(t, dir)
}

func TestMakeLeavesOthersAlone(t *testing.T) {
	dir := diskDir(t)
	f := usable(t, dir, mib, Options{Reserve: -1})
	if err := os.Remove(f.Target.Path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Target.Path, []byte("of somebody else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(f.Target.Path); string(b) != "of somebody else" {
		t.Errorf("the file of the same name is %q, %v", b, err)
	}
	os.Remove(f.Target.Path)
}

func TestMakeRefuses(t *testing.T) {
	dir := diskDir(t)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(file)
	_, err := Make(t.Context(), file, mib, Options{})
	wantError(t, err, nil, "is not a directory")
	_, err = Make(t.Context(), filepath.Join(dir, "no"), mib, Options{})
	wantError(t, err, fs.ErrNotExist, "does not exist")
	if _, err := Make(t.Context(), dir, 0, Options{}); err == nil {
		t.Error("a file of 0 bytes was made")
	}
	_, err = Make(t.Context(), dir, 1<<60, Options{})
	wantError(t, err, ErrSpace, "free", "would be needed", "stay free")
	if b, _ := os.ReadFile(file); string(b) != "keep" {
		t.Errorf("the file became %q", b)
	}
}

func TestMakeRefusesMemory(t *testing.T) {
	f, err := FilesystemOf("/dev/shm")
	if err != nil || f.Type != "tmpfs" {
		t.Skipf("SKIPPED: /dev/shm is %v, %v", f, err)
	}
	_, err = Make(t.Context(), "/dev/shm", mib, Options{})
	wantError(t, err, ErrMemory, "/dev/shm lies on tmpfs", "memory")
}

// small is a filesystem with a few MiB.
func small(t *testing.T, kind string) string {
	switch kind {
	case "ext4":
		return mounted(t, kind, 32, nil, "")
	case "xfs":
		return mounted(t, kind, 320, nil, "")
	}
	return mounted(t, kind, 128, nil, "")
}

// settle waits until a filesystem has given room back, which some do late.
func settle(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		t.Fatal(err)
	}
}

// TestMakeFull fills small filesystems: with honest free space, then with one
// that lies, then also without fallocate.
func TestMakeFull(t *testing.T) {
	for _, kind := range []string{"ext4", "xfs", "btrfs"} {
		t.Run(kind, func(t *testing.T) {
			dir := small(t, kind)
			_, err := Make(t.Context(), dir, 512*mib, Options{Reserve: -1})
			wantError(t, err, ErrSpace, "would be needed")
			c := kernel()
			c.statfs = roomy
			_, err = c.makeFile(t.Context(), dir, 512*mib, Options{})
			wantError(t, err, ErrSpace, "the "+kind+" filesystem of", "is full", "0 bytes of 512 MiB were written")
			c.fallocate = func(int, int64) error { return unix.EOPNOTSUPP }
			var last int64
			_, err = c.makeFile(t.Context(), dir, 512*mib, Options{Progress: func(n int64) { last = n }})
			wantError(t, err, unix.ENOSPC, "is full", "of 512 MiB were written")
			if last < 8*mib {
				t.Errorf("full after %d bytes, want more", last)
			}
			wantEmpty(t, dir)
			settle(t, dir)
			if f := usable(t, dir, 4*mib, Options{Reserve: -1}); f.Filesystem.Type != kind {
				t.Errorf("then a file on %q, want %q", f.Filesystem.Type, kind)
			}
		})
	}
}

func TestMakeReadOnly(t *testing.T) {
	dir := mounted(t, "ext4", 32, nil, "")
	command(t, "mount", "-o", "remount,ro", dir)
	_, err := Make(t.Context(), dir, mib, Options{Reserve: -1})
	wantError(t, err, ErrReadOnly, "the ext4 filesystem is mounted read-only")
}

func TestMakeOnBtrfs(t *testing.T) {
	dir := small(t, "btrfs")
	f := usable(t, dir, 8*mib, Options{Reserve: -1})
	flags, err := unix.IoctlGetUint32(int(f.kept.handle.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil || flags&noCOW == 0 {
		t.Errorf("flags are %#x, %v, want no copy on write", flags, err)
	}
	if w := joined(f.Warnings); !strings.Contains(w, "overwritten in place") || !strings.Contains(w, "btrfs") {
		t.Errorf("warnings are %q", w)
	}
	if f.Extents.Method != MethodFiemap || f.Extents.Written != 8*mib {
		t.Errorf("extents are %+v, want 8 MiB written", f.Extents)
	}
}

func TestMakeOnOverlay(t *testing.T) {
	base := mounted(t, "ext4", 64, nil, "")
	var dirs []string
	for _, d := range []string{"lower", "upper", "work", "merged"} {
		dirs = append(dirs, filepath.Join(base, d))
		if err := os.Mkdir(filepath.Join(base, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, d := range dirs {
			os.RemoveAll(d)
		}
	})
	command(t, "mount", "-t", "overlay", "overlay", "-o", "lowerdir="+dirs[0]+",upperdir="+dirs[1]+",workdir="+dirs[2], dirs[3])
	t.Cleanup(func() { command(t, "umount", dirs[3]) })
	f := usable(t, dirs[3], mib, Options{Reserve: -1})
	if f.Filesystem.Type != "overlay" || !strings.Contains(joined(f.Warnings), "overlay") {
		t.Errorf("on %v, warnings %q", f.Filesystem, f.Warnings)
	}
}

// failing are calls that go wrong in one way each.
func TestMakeFailures(t *testing.T) {
	disk := func(c *calls) {}
	tests := []struct {
		name   string
		change func(*calls)
		want   error
		parts  []string
	}{
		{"quota in the middle", func(c *calls) { c.pwrite = failAfter(3*mib, unix.EDQUOT) }, ErrSpace, []string{"quota", "3 MiB of 16 MiB were written"}},
		{"full in the middle", func(c *calls) { c.pwrite = failAfter(5*mib, unix.ENOSPC) }, unix.ENOSPC, []string{"is full", "5 MiB of 16 MiB"}},
		{"quota at once", func(c *calls) { c.fallocate = func(int, int64) error { return unix.EDQUOT } }, ErrSpace, []string{"quota"}},
		{"remounted read-only", func(c *calls) { c.pwrite = failAfter(mib, unix.EROFS) }, ErrReadOnly, []string{"read-only"}},
		{"direct I/O refused on open", func(c *calls) { c.direct = func(int) error { return unix.EINVAL } }, ErrNotDirect, []string{"refuses direct I/O", "ext"}},
		{"direct I/O refused by a write", func(c *calls) { c.pwrite = failAfter(0, unix.EINVAL) }, ErrNotDirect, []string{"page cache"}},
		{"medium error", func(c *calls) { c.pwrite = failAfter(2*mib, unix.EIO) }, unix.EIO, []string{"2 MiB of 16 MiB"}},
		{"nothing is written", func(c *calls) { c.pwrite = func(int, []byte, int64) (int, error) { return 0, nil } }, unix.EIO, nil},
		{"sync fails", func(c *calls) { c.fsync = func(int) error { return unix.EIO } }, unix.EIO, []string{"16 MiB of 16 MiB"}},
		{"free space unknown", func(c *calls) { c.statfs = func(string, *unix.Statfs_t) error { return unix.EIO } }, unix.EIO, []string{"free space"}},
		{"filesystem unknown", func(c *calls) {
			c.filesystem = func(string) (Filesystem, error) { return Filesystem{}, unix.EIO }
		}, unix.EIO, nil},
		{"in memory", func(c *calls) {
			c.filesystem = func(string) (Filesystem, error) { return Filesystem{Type: "ramfs"}, nil }
		}, ErrMemory, []string{"ramfs"}},
		{"nothing", disk, nil, nil},
		{"interrupted and short calls", func(c *calls) { c.pwrite, c.fallocate = patchy(), interrupted() }, nil, nil},
		{"fallocate always interrupted", func(c *calls) { c.fallocate = func(int, int64) error { return unix.EINTR } }, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, c := diskDir(t), kernel()
			c.filesystem = func(string) (Filesystem, error) { return Filesystem{Type: "ext4"}, nil }
			tt.change(&c)
			f, err := c.makeFile(t.Context(), dir, 16*mib, Options{Reserve: -1, Seed: 1})
			if tt.want == nil {
				wantContent(t, f, err)
				return
			}
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			for _, p := range tt.parts {
				if !strings.Contains(err.Error(), p) {
					t.Errorf("error %q does not contain %q", err, p)
				}
			}
			wantEmpty(t, dir)
		})
	}
}

// wantContent fails unless f holds what seed 1 gives.
func wantContent(t *testing.T, f *File, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := os.ReadFile(f.Target.Path)
	want := make([]byte, f.Target.Bytes)
	content(want, 1, 0)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the file does not hold what was to be written, %v", err)
	}
}

// failAfter writes bytes and then fails.
func failAfter(bytes int64, err error) func(int, []byte, int64) (int, error) {
	return func(fd int, p []byte, offset int64) (int, error) {
		if offset >= bytes {
			return 0, err
		}
		return unix.Pwrite(fd, p, offset)
	}
}

// patchy writes 4096 bytes less than asked for, and is interrupted in between.
func patchy() func(int, []byte, int64) (int, error) {
	n := 0
	return func(fd int, p []byte, offset int64) (int, error) {
		if n++; n%3 == 0 {
			return 0, unix.EINTR
		}
		return unix.Pwrite(fd, p[:max(len(p)-4096, 4096)], offset)
	}
}

func interrupted() func(int, int64) error {
	n := 0
	return func(fd int, bytes int64) error {
		if n++; n < 4 {
			return unix.EINTR
		}
		return unix.Fallocate(fd, 0, 0, bytes)
	}
}

func TestMakeCopyOnWriteRefused(t *testing.T) {
	dir, c := diskDir(t), kernel()
	c.filesystem = func(string) (Filesystem, error) { return Filesystem{Type: "btrfs"}, nil }
	c.nocow = func(int) error { return unix.EOPNOTSUPP }
	f, err := c.makeFile(t.Context(), dir, mib, Options{Reserve: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if w := joined(f.Warnings); !strings.Contains(w, "copies on write, because btrfs did not allow otherwise") {
		t.Errorf("warnings are %q", w)
	}
}

func TestRoom(t *testing.T) {
	tests := []struct {
		name           string
		blocks, free   uint64 // of 4096 bytes
		bytes, reserve int64
		fits           bool
	}{
		{"small: 256 MiB stay free", 1 << 20, 1 << 18, 768 * mib, 0, true},
		{"a byte too much", 1 << 20, 1 << 18, 768*mib + 1, 0, false},
		{"large: 1 % stays free", 1 << 28, 1 << 27, 1<<39 - 1<<40/100, 0, true},
		{"large, more", 1 << 28, 1 << 27, 1<<39 - 1<<40/101, 0, false},
		{"reserve of one's own", 1 << 20, 1 << 18, 1<<30 - mib, mib, true},
		{"none", 1 << 20, 1 << 18, 1 << 30, -1, true},
		{"none, a byte too much", 1 << 20, 1 << 18, 1<<30 + 1, -1, false},
	}
	for _, tt := range tests {
		p := &place{dir: "/d", calls: calls{statfs: func(_ string, st *unix.Statfs_t) error {
			*st = unix.Statfs_t{Bsize: 4096, Blocks: tt.blocks, Bavail: tt.free}
			return nil
		}}}
		if err := p.room(tt.bytes, tt.reserve); (err == nil) != tt.fits {
			t.Errorf("%s: %v, want that it fits: %t", tt.name, err, tt.fits)
		}
	}
}

func TestAccessErrors(t *testing.T) {
	f := Filesystem{Type: "ext4"}
	wantError(t, accessError("/d", f, unix.ENOENT), fs.ErrNotExist, "/d does not exist")
	wantError(t, accessError("/d", f, unix.EROFS), ErrReadOnly, "ext4")
	wantError(t, accessError("/d", f, unix.EACCES), fs.ErrPermission, "may not be written")
	if err := accessError("/d", f, unix.EIO); !errors.Is(err, unix.EIO) {
		t.Errorf("error %v, want EIO", err)
	}
}

func TestMakeWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("SKIPPED: root may write everywhere")
	}
	dir := diskDir(t)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	_, err := Make(t.Context(), dir, mib, Options{Reserve: -1})
	wantError(t, err, fs.ErrPermission, "may not be written")
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1 KiB", 1536: "1.5 KiB", 4 * mib: "4 MiB", 1<<30 + 1: "1.0 GiB", 1 << 50: "1024 TiB"} {
		if got := size(n); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
}
