package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestDir(t *testing.T) {
	tests := []struct {
		name, xdg string
		uid       int
		home      string
		want      string
		err       error
	}{
		{"user", "", 1000, "/home/a", "/home/a/.local/state/qd1", nil},
		{"root", "", 0, "/root", "/var/lib/qd1", nil},
		{"root without home", "", 0, "", "/var/lib/qd1", nil},
		{"variable", "/srv/state", 1000, "/home/a", "/srv/state/qd1", nil},
		{"variable of root", "/srv/state/", 0, "/root", "/srv/state/qd1", nil},
		{"relative variable", "state", 1000, "/home/a", "/home/a/.local/state/qd1", nil},
		{"no home", "", 1000, "", "", ErrNoDir},
		{"relative home", "", 1000, "home", "", ErrNoDir},
	}
	for _, tt := range tests {
		getenv := func(name string) string {
			if name != "XDG_STATE_HOME" {
				t.Errorf("%s: asked for %s", tt.name, name)
			}
			return tt.xdg
		}
		got, err := Dir(getenv, tt.uid, tt.home)
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %q, %v, want %q, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}

func TestMake(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "a", "b", "c")
	for range 2 {
		if err := Make(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{"a", "a/b", "a/b/c"} {
		info, err := os.Stat(filepath.Join(root, d))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode(); got != fs.ModeDir|0o700 {
			t.Errorf("mode of %s is %v, want 0700", d, got)
		}
	}
}

func TestMakeRefuses(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(root, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		dir  string
		want error
	}{
		{file, syscall.ENOTDIR},
		{filepath.Join(file, "below"), syscall.ENOTDIR},
		{open, ErrUnsafe},
	}
	for _, tt := range tests {
		if err := Make(tt.dir); !errors.Is(err, tt.want) {
			t.Errorf("Make(%s) = %v, want %v", tt.dir, err, tt.want)
		}
	}
}

func TestUnsafeDir(t *testing.T) {
	tests := []struct {
		mode        fs.FileMode
		owner, user int
		want        string
	}{
		{0o700, 1000, 1000, ""},
		{0o775, 1000, 1000, ""},
		{0o755, 0, 1000, ""},
		{0o700, 1000, 0, "it belongs to user 1000"},
		{0o700, 1001, 1000, "it belongs to user 1001"},
		{0o777, 1000, 1000, "everybody may write to it"},
		{fs.ModeSticky | 0o777, 0, 0, "everybody may write to it"},
	}
	for _, tt := range tests {
		if got := unsafeDir(tt.mode, tt.owner, tt.user); got != tt.want {
			t.Errorf("unsafeDir(%v, %d, %d) = %q, want %q", tt.mode, tt.owner, tt.user, got, tt.want)
		}
	}
}

func TestSyncDir(t *testing.T) {
	if err := SyncDir(t.TempDir()); err != nil {
		t.Error(err)
	}
	if err := SyncDir(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a missing directory: %v, want ErrNotExist", err)
	}
}
