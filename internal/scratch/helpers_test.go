package scratch

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/bench"
)

const mib = 1 << 20

// diskDir returns an empty directory that is not in memory, and holds that it is
// empty again at the end.
func diskDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if f, err := FilesystemOf(dir); err != nil || f.inMemory() {
		var err error
		if dir, err = os.MkdirTemp("/var/tmp", "qd1-test-"); err != nil {
			t.Skipf("SKIPPED: the temporary directory is in memory, and there is no other: %v", err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		if f, err := FilesystemOf(dir); err != nil || f.inMemory() {
			t.Skip("SKIPPED: /tmp and /var/tmp are in memory")
		}
	}
	t.Cleanup(func() { wantEmpty(t, dir) })
	return dir
}

// wantEmpty fails if anything but what the filesystem itself has is in dir.
func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Error(err)
	}
	for _, e := range entries {
		if e.Name() != "lost+found" {
			t.Errorf("%s was left in %s", e.Name(), dir)
		}
	}
}

// mounted makes a filesystem of a size in MiB in a file and mounts it. It skips
// where that is not possible.
func mounted(t *testing.T, kind string, size int64, mkfs []string, options string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skipf("SKIPPED: mounting %s needs root", kind)
	}
	program, err := exec.LookPath("mkfs." + kind)
	if err != nil {
		t.Skipf("SKIPPED: no mkfs.%s here", kind)
	}
	base := t.TempDir()
	image, dir := filepath.Join(base, "image"), filepath.Join(base, "mount")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, size*mib); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	command(t, program, append(mkfs, "-q", image)...)
	command(t, "mount", "-t", kind, "-o", "loop"+options, image, dir)
	t.Cleanup(func() {
		wantEmpty(t, dir)
		command(t, "umount", dir)
	})
	return dir
}

// command runs a program that prepares a test, and skips if it cannot.
func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: %s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
}

// usable makes a test file with sensible options.
func usable(t *testing.T, dir string, bytes int64, o Options) *File {
	t.Helper()
	f, err := Make(t.Context(), dir, bytes, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// wantError fails unless err is want, has a next step and contains all parts.
func wantError(t *testing.T, err, want error, parts ...string) {
	t.Helper()
	if err == nil || want != nil && !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
	if e, ok := errors.AsType[*bench.Error](err); !ok || e.Hint == "" {
		t.Errorf("error %q has no next step", err)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not contain %q", err, p)
		}
	}
}

// roomy is a statfs that lies: everything fits.
func roomy(_ string, st *unix.Statfs_t) error {
	*st = unix.Statfs_t{Bsize: 4096, Frsize: 4096, Blocks: 1 << 40, Bavail: 1 << 40}
	return nil
}

// joined returns all sentences.
func joined(list []string) string { return strings.Join(list, "\n") }
