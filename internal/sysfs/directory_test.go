package sysfs

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// TestDirectory holds that the tree is read as os.DirFS reads it.
func TestDirectory(t *testing.T) {
	root := t.TempDir()
	files := map[string][]byte{"empty": {}, "short": []byte("8.0 GT/s PCIe\n"), "page": bytes.Repeat([]byte("x"), 4096), "long": bytes.Repeat([]byte("y"), 10000), "sub/deep": []byte("1\n")}
	for name, text := range files {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("sub/deep", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	d := Directory(root)
	for _, name := range []string{"empty", "short", "page", "long", "sub/deep", "link"} {
		want, err := fs.ReadFile(os.DirFS(root), name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := fs.ReadFile(d, name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: got %d bytes, %v, want %d", name, len(got), err, len(want))
		}
	}
	for name, want := range map[string]error{"missing": fs.ErrNotExist, "../short": fs.ErrInvalid, "": fs.ErrInvalid} {
		if _, err := fs.ReadFile(d, name); !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", name, err, want)
		}
	}
	if b, err := fs.ReadFile(d, "sub"); err == nil {
		t.Errorf("a directory is read: %q", b)
	}
	if err := fstest.TestFS(d, "empty", "short", "page", "long", "sub/deep", "link"); err != nil {
		t.Error(err)
	}
	if target, err := fs.ReadLink(d, "link"); target != "sub/deep" || err != nil {
		t.Errorf("link: got %q, %v", target, err)
	}
	if info, err := fs.Lstat(d, "link"); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("Lstat: got %v, %v", info, err)
	}
}

// TestDirectoryReadsDrives holds that drives are the same however they are read.
func TestDirectoryReadsDrives(t *testing.T) {
	root := onDiskAt(t, linked())
	if diff := cmp.Diff(mustRead(t, os.DirFS(root), "nvme0"), mustRead(t, Directory(root), "nvme0")); diff != "" {
		t.Errorf("(-os.DirFS +Directory):\n%s", diff)
	}
}
