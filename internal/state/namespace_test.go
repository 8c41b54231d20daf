package state

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestInNamespace runs this test again in a mount namespace of its own, where
// it may mount without being root. There it writes to a disk that is full, and
// looks at file systems in memory.
func TestInNamespace(t *testing.T) {
	if os.Getenv("QD1_TEST_NAMESPACE") == "" {
		enterNamespace(t)
		return
	}
	small := mount(t, "tmpfs", "size=64k")
	t.Run("full disk", func(t *testing.T) { testFullDisk(t, small) })
	t.Run("tmpfs", func(t *testing.T) { wantVolatile(t, small, "tmpfs") })
	upper, work := filepath.Join(small, "upper"), filepath.Join(small, "work")
	for _, dir := range []string{upper, work} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	merged := mount(t, "overlay", "lowerdir="+t.TempDir()+",upperdir="+upper+",workdir="+work)
	t.Run("overlay", func(t *testing.T) { wantVolatile(t, filepath.Join(merged, "new", "dir"), "overlay on tmpfs") })
}

func enterNamespace(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestInNamespace$", "-test.v")
	cmd.Env = append(os.Environ(), "QD1_TEST_NAMESPACE=1")
	attr := &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= unix.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skipf("NOT TESTED: full disks and file systems in memory: no namespace of mounts: %v", err)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if bytes.Contains(out, []byte("NOT TESTED")) {
		t.Skipf("%s", out)
	}
	t.Logf("%s", out)
}

// mount mounts a file system in a new directory, for this namespace alone.
func mount(t *testing.T, kind, options string) string {
	t.Helper()
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	dir := t.TempDir()
	if err := unix.Mount("qd1", dir, kind, 0, options); err != nil {
		t.Skipf("NOT TESTED: mount %s: %v", kind, err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

func testFullDisk(t *testing.T, dir string) {
	path := filepath.Join(dir, "file")
	if err := WriteFile(path, []byte(oldText), 0o600); err != nil {
		t.Fatal(err)
	}
	err := WriteFile(path, make([]byte, 1<<20), 0o600)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want ENOSPC", err)
	}
	if got := content(t, path); got != oldText {
		t.Errorf("content %q, want the old one", got)
	}
	if got := names(t, path); len(got) != 1 {
		t.Errorf("names %q, want the file alone", got)
	}
}

func wantVolatile(t *testing.T, dir, want string) {
	got, text := Volatile(dir)
	if !got || text != want {
		t.Errorf("Volatile = %t, %q, want %q", got, text, want)
	}
}
