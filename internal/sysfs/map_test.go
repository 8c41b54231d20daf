package sysfs

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestMapIsAFileSystem(t *testing.T) {
	for name, tr := range hostTrees(t) {
		if err := fstest.TestFS(tr.fs(), slices.Sorted(maps.Keys(tr.Texts))...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMapLookup(t *testing.T) {
	fsys := Map(map[string]string{
		"class/nvme/nvme0/device/vendor":    "literal\n",
		"devices/pci/drive/device":          "through two links\n",
		"devices/pci/drive/vendor":          "not this\n",
		"devices/pci/drive/nvme/nvme0/text": "through one link\n",
		"class/nvme/nvme0/both/x":           "in a directory\n",
		"devices/pci/drive/nvme/nvme0/both": "a file of the same name\n",
		"/absolute":                         "left out",
		"../above":                          "left out",
		"":                                  "left out",
	}, map[string]string{
		"class/nvme/nvme0":                    "../../devices/pci/drive/nvme/nvme0",
		"devices/pci/drive/nvme/nvme0/device": "../..",
		"loop":                                "loop",
		"ping":                                "pong/x",
		"pong":                                "ping/y",
		"outside":                             "../../etc",
	})
	for name, want := range map[string]string{
		"class/nvme/nvme0/device/vendor":             "literal\n",
		"class/nvme/nvme0/device/device":             "through two links\n",
		"class/nvme/nvme0/text":                      "through one link\n",
		"devices/pci/drive/nvme/nvme0/device/vendor": "not this\n",
	} {
		got, err := fs.ReadFile(fsys, name)
		if string(got) != want || err != nil {
			t.Errorf("%s = %q, %v, want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"absolute", "above", "loop", "ping", "loop/x", "outside/passwd", "class/nvme/nvme1"} {
		if _, err := fs.ReadFile(fsys, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want fs.ErrNotExist", name, err)
		}
	}
	if _, err := fsys.Open("../x"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("Open(../x) = %v, want fs.ErrInvalid", err)
	}
	if info, err := fs.Stat(fsys, "class/nvme/nvme0/both"); err != nil || !info.IsDir() {
		t.Errorf("both = %v, %v, want the directory, which comes first", info, err)
	}
	if diff := cmp.Diff([]string{"both", "device", "text"}, children(fsys, "class/nvme/nvme0")); diff != "" {
		t.Errorf("children of the link (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"device", "nvme", "vendor"}, children(fsys, "class/nvme/nvme0/device")); diff != "" {
		t.Errorf("children through both (-want +got):\n%s", diff)
	}
}

func TestMapReadLink(t *testing.T) {
	fsys := crossed().fs()
	tests := []struct {
		name, want string
		err        error
	}{
		{"class/nvme/nvme0", "../../devices/pci0000:00/0000:00:1d.0/0000:02:00.0/nvme/nvme0", nil},
		{"class/nvme/nvme0/device", "../../../0000:02:00.0", nil},
		{"class/nvme/nvme0/serial", "", fs.ErrInvalid},
		{"class/nvme", "", fs.ErrInvalid},
		{"class/nvme/nvme9", "", fs.ErrNotExist},
		{"../class", "", fs.ErrInvalid},
	}
	for _, tt := range tests {
		got, err := fs.ReadLink(fsys, tt.name)
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("ReadLink(%s) = %q, %v, want %q, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
	if _, err := fs.Lstat(fsys, "class/nvme/nvme9"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Lstat = %v, want fs.ErrNotExist", err)
	}
}

// recording is what the listeners heard.
type recording struct {
	tree
	twice []string
}

func record(fsys fs.FS) (fs.FS, *recording) {
	r := &recording{tree: tree{map[string]string{}, map[string]string{}}}
	hear := func(to map[string]string) func(name, value string) {
		return func(name, value string) {
			if _, ok := to[name]; ok {
				r.twice = append(r.twice, name)
			}
			to[name] = value
		}
	}
	return Record(fsys, hear(r.Texts), hear(r.Links)), r
}

// TestRecordAndReplay reads each controller, then reads it again from what was
// recorded alone.
func TestRecordAndReplay(t *testing.T) {
	for name, tr := range hostTrees(t) {
		names, err := Names(tr.fs())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range names {
			fsys, heard := record(tr.onDisk(t))
			want := mustRead(t, fsys, c)
			if diff := cmp.Diff(want, mustRead(t, heard.fs(), c)); diff != "" {
				t.Errorf("%s: %s (-direct +replayed):\n%s", name, c, diff)
			}
			if got, err := Names(heard.fs()); err != nil || cmp.Diff([]string{c}, got) != "" {
				t.Errorf("%s: names of the recording = %q, %v, want %s alone", name, got, err, c)
			}
			if len(heard.twice) > 0 {
				t.Errorf("%s: told twice: %q", name, heard.twice)
			}
		}
	}
}

func TestRecordOpen(t *testing.T) {
	fsys, heard := record(crossed().fs())
	f, err := fsys.Open("class/nvme/nvme0/serial")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Name() != "serial" || info.Size() != 21 || info.Mode() != 0o444 {
		t.Errorf("Stat = %v, %v", info, err)
	}
	if got := heard.Texts["class/nvme/nvme0/serial"]; strings.TrimSpace(got) != "KXG50EXAMPLE" {
		t.Errorf("heard %q", got)
	}
	if _, err := fsys.Open("class/nvme/nvme9/serial"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open = %v, want fs.ErrNotExist", err)
	}
	if info, err := fs.Lstat(fsys, "class/nvme/nvme0"); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("Lstat = %v, %v, want a link", info, err)
	}
	dir, err := fsys.Open("class/nvme")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Read(make([]byte, 1)); err == nil {
		t.Error("a directory was read as a file")
	}
	if got := len(heard.Texts) + len(heard.Links); got != 1 {
		t.Errorf("heard %d things, want the one file that was read", got)
	}
}

func TestRecordConcurrently(t *testing.T) {
	fsys, heard := record(twoControllers().fs())
	var wg sync.WaitGroup
	for _, name := range []string{"nvme1", "nvme2", "nvme3", "nvme1"} {
		wg.Go(func() { _, _ = Read(fsys, name) })
	}
	wg.Wait()
	if heard.Texts["class/nvme/nvme2/serial"] == "" || len(heard.twice) > 0 {
		t.Errorf("heard %d texts, twice %q", len(heard.Texts), heard.twice)
	}
}
