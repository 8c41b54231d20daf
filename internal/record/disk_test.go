package record

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// mounted runs the calling test again in a mount namespace of its own, where it
// may mount without being root. There it returns an empty file system with
// these options; else "".
func mounted(t *testing.T, options string) string {
	t.Helper()
	if os.Getenv("QD1_TEST_NAMESPACE") != t.Name() {
		enterNamespace(t)
		return ""
	}
	dir := t.TempDir()
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	if err := unix.Mount("qd1", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }) // the namespace ends anyway
	return dir
}

func enterNamespace(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "QD1_TEST_NAMESPACE="+t.Name())
	attr := &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= unix.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		t.Errorf("%v\n%s", err, out)
	case err != nil:
		t.Skipf("NOT TESTED: no namespace of mounts: %v", err)
	case bytes.Contains(out, []byte("NOT TESTED")):
		t.Skipf("%s", out)
	}
}

// TestFullDisk lets the disk run full, with records of some size, and then of
// files.
func TestFullDisk(t *testing.T) {
	dir := mounted(t, "size=1m,nr_inodes=20")
	if dir == "" {
		return
	}
	s := Open(filepath.Join(dir, "records"))
	big := func(n int) *Record {
		r := sample(n, "bench", "")
		r.Body = []byte(`{"fill":"` + strings.Repeat("x", 200_000) + `"}`)
		return r
	}
	n, err := 0, error(nil)
	for ; err == nil; n++ {
		_, err = s.Save(big(n))
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "no space left") || n < 3 {
		t.Errorf("record %d: %v, want ENOSPC", n, err)
	}
	if got := len(all(t, s)); got != n-1 || len(temps(t, s)) > 0 {
		t.Errorf("%d records, want %d; left behind %q", got, n-1, temps(t, s))
	}
	if n, faults := s.Import(strings.NewReader(line)); n != 1 || len(faults) > 0 {
		t.Errorf("a small one: %d, %v", n, faults)
	}
	for n, err = 0, nil; err == nil && n < 100; n++ {
		_, err = s.Save(sample(n, "bench", ""))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("small record %d: %v, want ENOSPC", n, err)
	}
	other := sample(0, "bench", "")
	other.Subject.Serial = "OTHER"
	if _, err := s.Save(other); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("of another drive: %v, want ENOSPC", err)
	}
	if gone, faults := s.Prune(Query{}, 2, start.AddDate(1, 0, 0), false); len(gone) == 0 || len(faults) > 0 {
		t.Errorf("removed %v on the full disk, %v", gone, faults)
	}
	save(t, s, big(100))
}

// TestReadOnly reads from a file system that cannot be written to, and says so
// when it should write.
func TestReadOnly(t *testing.T) {
	dir := mounted(t, "size=1m")
	if dir == "" {
		return
	}
	s := Open(filepath.Join(dir, "records"))
	save(t, s, sample(0, "bench", "old"))
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	_, err := s.Save(sample(1, "bench", "new"))
	if !errors.Is(err, syscall.EROFS) || !strings.Contains(err.Error(), "read-only file system") {
		t.Errorf("Save: %v, want EROFS", err)
	}
	if _, faults := s.Prune(Query{}, 0, start.AddDate(1, 0, 0), false); len(faults) != 1 || !errors.Is(faults[0], syscall.EROFS) {
		t.Errorf("Prune: %v, want EROFS", faults)
	}
	if got := labels(all(t, s)); got != "old" {
		t.Errorf("records %q", got)
	}
}

// TestPermission works without the rights of root, in a folder without those
// of its owner.
func TestPermission(t *testing.T) {
	// The thread ends with the test, and its missing rights with it.
	runtime.LockOSThread()
	if err := dropOverride(); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	s := store(t)
	r := save(t, s, sample(0, "bench", "old"))
	dir := filepath.Dir(r.File)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Save(sample(1, "bench", "new")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Save: %v, want ErrPermission", err)
	}
	if got := labels(all(t, s)); got != "old" {
		t.Errorf("records %q", got)
	}
	other := sample(2, "bench", "other")
	other.Subject.Serial = "OTHER"
	save(t, s, other)
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	list, faults := s.List(Query{})
	if labels(list) != "other" || len(faults) != 1 || !errors.Is(faults[0], fs.ErrPermission) || !strings.Contains(faults[0].Error(), dir) {
		t.Errorf("%q, %v, want the other one and ErrPermission", labels(list), faults)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.dir, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lookup(drive.Serial); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Lookup: %v, want ErrPermission", err)
	}
	if o := s.Overview(Query{}); len(o.Subjects) != 0 || len(o.Unreadable) != 1 || o.Unreadable[0].Reason != "host" {
		t.Errorf("Overview: %+v, want the cause", o)
	}
	if err := os.Chmod(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

// dropOverride takes from this thread the right to pass over permissions.
func dropOverride() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	data[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	return unix.Capset(&header, &data[0])
}
