package scratch

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// holdEnv names the directory in which a test process of its own makes a file or
// directory and waits to be killed.
const holdEnv = "QD1_TEST_HOLD"

// TestHold is that process.
func TestHold(t *testing.T) {
	kind, dir, ok := strings.Cut(os.Getenv(holdEnv), ":")
	if !ok {
		t.Skip("part of TestLeftovers")
	}
	switch kind {
	case "file":
		if _, err := Make(t.Context(), dir, mib, Options{Reserve: -1}); err != nil {
			t.Fatal(err)
		}
		fmt.Println("READY")
		select {}
	case "copy":
		Copy(t.Context(), dir, CopyPlan{Files: 2, Bytes: 3 * mib, Reserve: -1, Progress: func(p CopyProgress) {
			if p.Run > 0 && p.Files == 2 {
				fmt.Println("READY")
				select {}
			}
		}})
	}
}

// hold starts the process and waits until it has its file.
func hold(t *testing.T, kind, dir string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestHold$", "-test.v")
	c.Env = append(os.Environ(), holdEnv+"="+kind+":"+dir)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "READY") {
			return c
		}
	}
	t.Fatal("the process ended")
	return nil
}

func TestLeftovers(t *testing.T) {
	for kind, bytes := range map[string]int64{"file": mib, "copy": 6 * mib} {
		t.Run(kind, func(t *testing.T) {
			dir := diskDir(t)
			c := hold(t, kind, dir)
			if found, err := Leftovers(dir); len(found) != 0 || err != nil {
				t.Errorf("while it runs: %v, %v, want none", found, err)
			}
			entries, _ := os.ReadDir(dir)
			if len(entries) != 1 {
				t.Fatalf("there are %d files, want 1", len(entries))
			}
			running := Leftover{Path: filepath.Join(dir, entries[0].Name())}
			if err := running.Remove(); !errors.Is(err, ErrInUse) {
				t.Errorf("removing what is in use: %v, want %v", err, ErrInUse)
			}
			c.Process.Kill()
			c.Wait()
			found, err := Leftovers(dir)
			if len(found) != 1 || err != nil {
				t.Fatalf("after it was killed: %v, %v, want one", found, err)
			}
			if l := found[0]; l.Path != running.Path || l.Bytes != bytes || l.Directory != (kind == "copy") || l.Modified.IsZero() {
				t.Errorf("found %+v, want %s with %d bytes", l, running.Path, bytes)
			}
			for range 2 { // The second time it is gone already.
				if err := found[0].Remove(); err != nil {
					t.Errorf("remove: %v", err)
				}
			}
		})
	}
}

func TestLeftoversAreOnlyOurs(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "precious")
	if err := os.WriteFile(target, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	name := func(n int) string { return filepath.Join(dir, fmt.Sprintf("qd1-bench-%016x.tmp", n)) }
	for _, err := range []error{
		os.Symlink(target, name(1)),
		os.Link(target, name(2)),
		unix.Mkfifo(name(3), 0o600),
		os.WriteFile(filepath.Join(dir, "qd1-bench-1.tmp"), nil, 0o600),
		os.WriteFile(filepath.Join(dir, "qd1-bench-000000000000000g.tmp"), nil, 0o600),
		os.WriteFile(filepath.Join(dir, "my-qd1-bench-0000000000000000.tmp"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if found, err := Leftovers(dir); len(found) != 0 || err != nil {
		t.Errorf("found %v, %v, want none", found, err)
	}
	if err := (Leftover{Path: target}).Remove(); err == nil {
		t.Error("a file of another name was removed")
	}
	if _, err := os.Stat(target); err != nil {
		t.Error(err)
	}
	if _, err := Leftovers(filepath.Join(dir, "no")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

func TestLeftoversOfOtherUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: giving a file away needs root")
	}
	path := filepath.Join(t.TempDir(), newName())
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if found, err := Leftovers(filepath.Dir(path)); len(found) != 0 || err != nil {
		t.Errorf("found %v, %v, want none", found, err)
	}
}

// TestKeepRetries: another program takes the first files for leftovers, locks
// and removes them; one name is taken.
func TestKeepRetries(t *testing.T) {
	dir := diskDir(t)
	p, err := openPlace(kernel(), dir)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	k, err := p.keep(func(name string) (*os.File, error) {
		n++
		f, err := p.create(name)
		switch n {
		case 1:
			f.Close()
			p.root.Remove(name)
			return nil, fs.ErrExist
		case 2:
			p.root.Remove(name)
		case 3:
			other, err := os.Open(filepath.Join(dir, name))
			if err != nil || lock(other) != nil {
				t.Error("no lock for the other program")
			}
			t.Cleanup(func() { other.Close(); os.Remove(filepath.Join(dir, name)) })
		}
		return f, err
	})
	if err != nil || n != 4 {
		t.Fatalf("%v after %d names, want success with the fourth", err, n)
	}
	if err := k.close(); err != nil {
		t.Error(err)
	}
}

func TestKeepGivesUp(t *testing.T) {
	dir := diskDir(t)
	p, err := openPlace(kernel(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if _, err := p.keep(func(string) (*os.File, error) { return nil, fs.ErrExist }); err == nil {
		t.Error("a name was found")
	}
	if _, err := p.keep(func(string) (*os.File, error) { return nil, unix.EROFS }); !errors.Is(err, ErrReadOnly) {
		t.Errorf("error %v, want %v", err, ErrReadOnly)
	}
}

func TestNames(t *testing.T) {
	a, b := newName(), newName()
	if a == b || !ours(a) || !ours(b) {
		t.Errorf("names %q and %q", a, b)
	}
}
