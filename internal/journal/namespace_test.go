package journal

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFullDisk runs this test again in a mount namespace of its own, where it
// may mount without being root, and lets a disk run full there.
func TestFullDisk(t *testing.T) {
	if os.Getenv("QD1_TEST_NAMESPACE") == "" {
		enterNamespace(t)
		return
	}
	dir := t.TempDir()
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	if err := unix.Mount("qd1", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	s := Open(filepath.Join(dir, "journal"))
	j, err := s.Create("erase", serial, nil, start)
	if err != nil {
		t.Fatal(err)
	}
	filler := fill(t, dir)
	if _, err := s.Create("erase", "OTHER", nil, start); !errors.Is(err, ErrNoSpace) {
		t.Errorf("Create: %v, want ErrNoSpace", err)
	}
	if err := j.Keep("samples", make([]byte, 64<<10)); !errors.Is(err, ErrNoSpace) {
		t.Errorf("Keep: %v, want ErrNoSpace", err)
	}
	written := 0
	for ; err == nil; written++ {
		err = j.Append(Sent, strings.Repeat("x", 1000))
	}
	if !errors.Is(err, ErrNoSpace) || errors.Is(err, ErrUnreliable) || written < reserveBytes/1300 {
		t.Errorf("%d entries fit on the full disk, then %v; want those that fit into %d bytes, then ErrNoSpace", written-1, err, reserveBytes)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	appendAll(t, j, Done)
	closeJob(t, j)
	if rec := only(t, s); len(rec.Entries) != written || rec.State() != Done || rec.Torn {
		t.Errorf("%d entries, state %s, torn %t, want %d and DONE", len(rec.Entries), rec.State(), rec.Torn, written)
	}
}

// fill writes a file until the disk is full.
func fill(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return path
}

func enterNamespace(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
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
	switch {
	case errors.As(err, &exit):
		t.Errorf("%v\n%s", err, out)
	case err != nil:
		t.Skipf("NOT TESTED: a full disk: no namespace of mounts: %v", err)
	case bytes.Contains(out, []byte("NOT TESTED")):
		t.Skipf("%s", out)
	}
}
