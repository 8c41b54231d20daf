package state

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("a second lock: %v, want ErrLocked", err)
	}
	for range 2 {
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
	}
	second, err := Lock(path)
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

func TestLockFollowsNoLink(t *testing.T) {
	link := filepath.Join(t.TempDir(), "lock")
	if err := os.Symlink(filepath.Join(t.TempDir(), "other"), link); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(link); !errors.Is(err, unix.ELOOP) {
		t.Errorf("error %v, want ELOOP", err)
	}
}

func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		got, err := Locked(f)
		if got != want || err != nil {
			t.Errorf("Locked = %t, %v, want %t", got, err, want)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Locked(f); !errors.Is(err, os.ErrClosed) {
		t.Errorf("of a closed file: %v, want ErrClosed", err)
	}
}

// TestLockIsNotInherited holds that the kernel closes the descriptor in a
// process that is started while the lock is held.
func TestLockIsNotInherited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	flags, err := unix.FcntlInt(l.(*lock).file.Fd(), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("flags of the descriptor are %#x, %v, want FD_CLOEXEC", flags, err)
	}
}

// TestLockEndsWithProcess kills a process that holds a lock.
func TestLockEndsWithProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHoldLock$")
	cmd.Env = append(os.Environ(), "QD1_TEST_LOCK="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Errorf("the process says %q, %v", line, err)
	}
	if _, err := Lock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("while the process lives: %v, want ErrLocked", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	l, err := Lock(path)
	if err != nil {
		t.Fatalf("after its end: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// TestHoldLock is the process of TestLockEndsWithProcess.
func TestHoldLock(t *testing.T) {
	path := os.Getenv("QD1_TEST_LOCK")
	if path == "" {
		t.Skip("runs in a process of TestLockEndsWithProcess")
	}
	if _, err := Lock(path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stdout.WriteString("held\n"); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}
