package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// steps are all that WriteFile does, in order.
var steps = []string{"create", "write", "chmod", "sync", "close", "rename", "syncdir"}

// faulty is a disk on which a step fails. After a crash nothing is done any
// more, the removal of the temporary file included.
type faulty struct {
	// failAt is the step that fails, room the number of bytes that still fit
	// when it is "write".
	failAt string
	room   int
	crash  bool
	err    error

	down bool
	done []string
}

func (d *faulty) step(name string) error {
	if d.down {
		return d.err
	}
	if name != d.failAt {
		d.done = append(d.done, name)
		return nil
	}
	d.down = d.crash
	return d.err
}

func (d *faulty) create(path string) (tempFile, error) {
	if err := d.step("create"); err != nil {
		return nil, err
	}
	f, err := disk{}.create(path)
	return &faultyFile{f, d}, err
}

func (d *faulty) rename(old, new string) error {
	if err := d.step("rename"); err != nil {
		return err
	}
	return disk{}.rename(old, new)
}

func (d *faulty) remove(path string) error {
	if d.down {
		return d.err
	}
	return disk{}.remove(path)
}

func (d *faulty) syncDir(dir string) error {
	if err := d.step("syncdir"); err != nil {
		return err
	}
	return disk{}.syncDir(dir)
}

type faultyFile struct {
	tempFile
	disk *faulty
}

func (f *faultyFile) Write(b []byte) (int, error) {
	if err := f.disk.step("write"); err != nil {
		n, _ := f.tempFile.Write(b[:min(f.disk.room, len(b))])
		return n, err
	}
	return f.tempFile.Write(b)
}

func (f *faultyFile) Chmod(mode fs.FileMode) error {
	if err := f.disk.step("chmod"); err != nil {
		return err
	}
	return f.tempFile.Chmod(mode)
}

func (f *faultyFile) Sync() error {
	if err := f.disk.step("sync"); err != nil {
		return err
	}
	return f.tempFile.Sync()
}

func (f *faultyFile) Close() error { return errors.Join(f.tempFile.Close(), f.disk.step("close")) }

const oldText, newText = "the old content", "what is to be there next"

// oldFile returns the path of a file with the old content.
func oldFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(oldText), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// names returns the names in the directory of a path.
func names(t *testing.T, path string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, tt := range []struct {
		text string
		mode fs.FileMode
	}{{"first", 0o600}, {"", 0o644}, {strings.Repeat("x", 1<<20), 0o666}} {
		if err := WriteFile(path, []byte(tt.text), tt.mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if content(t, path) != tt.text || info.Mode() != tt.mode {
			t.Errorf("%d bytes with mode %v, want %d with %v", info.Size(), info.Mode(), len(tt.text), tt.mode)
		}
	}
	if diff := cmp.Diff([]string{"file"}, names(t, path)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestWriteFileReplacesLink(t *testing.T) {
	target := oldFile(t)
	link := filepath.Join(filepath.Dir(target), "link")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, []byte(newText), 0o600); err != nil {
		t.Fatal(err)
	}
	if content(t, target) != oldText || content(t, link) != newText {
		t.Errorf("target has %q, link %q", content(t, target), content(t, link))
	}
}

// TestWriteFileOrder holds that the content is stable before it gets its name,
// and the name before the end.
func TestWriteFileOrder(t *testing.T) {
	d := &faulty{}
	if err := writeFile(d, oldFile(t), []byte(newText), 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(steps, d.done); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// TestWriteFileFails lets each step fail: the old file stays, and nothing
// lies beside it.
func TestWriteFileFails(t *testing.T) {
	for _, step := range steps {
		path := oldFile(t)
		err := writeFile(&faulty{failAt: step, err: syscall.ENOSPC}, path, []byte(newText), 0o600)
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want ENOSPC with the path", step, err)
		}
		want := oldText
		if step == "syncdir" {
			want = newText
		}
		if got := content(t, path); got != want {
			t.Errorf("%s: content %q, want %q", step, got, want)
		}
		if diff := cmp.Diff([]string{"file"}, names(t, path)); diff != "" {
			t.Errorf("%s: names (-want +got):\n%s", step, diff)
		}
	}
}

// TestWriteFileCrashes stops at each step, and in the write after each byte.
func TestWriteFileCrashes(t *testing.T) {
	for _, step := range steps {
		for room := range len(newText) + 1 {
			path := oldFile(t)
			d := &faulty{failAt: step, room: room, crash: true, err: errors.New("crash")}
			if err := writeFile(d, path, []byte(newText), 0o600); err == nil {
				t.Errorf("%s: no error", step)
			}
			want := oldText
			if step == "syncdir" {
				want = newText
			}
			if got := content(t, path); got != want {
				t.Errorf("%s after %d bytes: content %q, want %q", step, room, got, want)
			}
			for _, name := range names(t, path) {
				if name != "file" && !strings.HasPrefix(name, TempPrefix) {
					t.Errorf("%s: %s is left behind", step, name)
				}
			}
			if step != "write" {
				break
			}
		}
	}
}

func TestWriteFileNeedsDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "file")
	if err := WriteFile(path, nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want ErrNotExist", err)
	}
}
