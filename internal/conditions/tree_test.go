package conditions

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// load returns a computer from testdata. A line is "path: text", in which \n
// and \t are what they are in Go, "path -> target" or a comment.
func load(t testing.TB, name string) fstest.MapFS {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	m := fstest.MapFS{}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		if link, target, ok := strings.Cut(line, " -> "); ok {
			m[link] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
		} else if file, text, ok := cutFile(line); ok {
			m[file] = &fstest.MapFile{Data: []byte(text), Mode: 0o444}
		} else if !strings.HasPrefix(line, "#") {
			t.Fatalf("%s: line %q", name, line)
		}
	}
	return m
}

// cutFile cuts at the first colon before a space or the end: addresses of PCI
// functions have colons too.
func cutFile(line string) (file, text string, ok bool) {
	if file, ok = strings.CutSuffix(line, ":"); ok {
		return file, "\n", !strings.Contains(file, ": ")
	}
	file, text, ok = strings.Cut(line, ": ")
	return file, strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(text) + "\n", ok && !strings.HasPrefix(line, "#")
}

// with returns a copy with other texts. "" takes a file away.
func with(m fstest.MapFS, texts map[string]string) fstest.MapFS {
	c := fstest.MapFS{}
	for name, file := range m {
		c[name] = file
	}
	for name, text := range texts {
		c[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o444}
		if text == "" {
			delete(c, name)
		}
	}
	return c
}

// onDisk writes the computer into a directory, with real links.
func onDisk(t *testing.T, m fstest.MapFS) fs.FS {
	t.Helper()
	root := t.TempDir()
	for name, file := range m {
		full := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(full), 0o755)
		if err == nil && file.Mode&fs.ModeSymlink != 0 {
			err = os.Symlink(string(file.Data), full)
		} else if err == nil {
			err = os.WriteFile(full, file.Data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return os.DirFS(root)
}

// equal compares without what JSON does not have.
func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.FilterPath(unexported, cmp.Ignore())); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func unexported(p cmp.Path) bool {
	f, ok := p.Last().(cmp.StructField)
	return ok && f.Name() == "numaNode"
}

// TestDiskAndMemoryAgree reads each computer as the kernel shows it, with links,
// and from memory.
func TestDiskAndMemoryAgree(t *testing.T) {
	for name, devices := range map[string][]string{
		"vm": {"vda", "loop0"}, "desktop": {"nvme0n1", "nvme0n1p2"}, "laptop": {"dm-0"}, "raid": {"md0", "nvme1n1"},
	} {
		memory := load(t, name)
		disk := onDisk(t, memory)
		equal(t, name, ReadHost(memory), ReadHost(disk))
		for _, device := range devices {
			got := ReadBlock(disk, device)
			if got == nil {
				t.Fatalf("%s: no %s", name, device)
			}
			equal(t, device, ReadBlock(memory, device), got)
		}
	}
}

// TestThisHost reads the computer that the test runs on.
func TestThisHost(t *testing.T) {
	root := os.DirFS("/")
	h := ReadHost(root)
	if h.Kernel == nil || h.CPUs == nil || *h.CPUs < 1 || len(h.LoadAverage) != 3 {
		t.Errorf("this host = %+v, want a kernel, CPUs and a load", h)
	}
	entries, err := os.ReadDir("/sys/class/block")
	if err != nil || len(entries) == 0 {
		t.Skip("this host shows no block devices")
	}
	for _, e := range entries {
		b := ReadBlock(root, "/dev/"+e.Name())
		if b == nil || b.Device != e.Name() || b.Number == nil {
			t.Fatalf("ReadBlock(%s) = %+v", e.Name(), b)
		}
		s, err := ReadStats(root, *b.Number)
		if err != nil || (s.Disk != nil) != (b.Partition != nil) {
			t.Errorf("ReadStats(%s) = %+v, %v", *b.Number, s, err)
		}
	}
	if f := ReadFileSystem(root, "/proc/self"); f == nil || f.Type != "proc" || f.Device != "" {
		t.Errorf("file system of /proc/self = %+v, want proc without a device", f)
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{" a b \n": "a b", "\x00x\x00": "x", "a\x1b[31m": "a\uFFFD[31m", "": ""} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAttributes(t *testing.T) {
	m := tree{fstest.MapFS{
		"d/empty": {Data: []byte("\n")}, "d/word": {Data: []byte("fast\n")}, "d/minus": {Data: []byte("-1\n")},
		"d/yes": {Data: []byte("Y\n")}, "d/no": {Data: []byte("off\n")}, "d/list": {Data: []byte("a [b] c\n")},
	}}
	if s := m.text("d/empty"); s != nil {
		t.Errorf("an empty attribute = %q, want nil", *s)
	}
	equal(t, "number of a word", (*int)(nil), m.number("d", "word"))
	equal(t, "negative number", new(-1), m.number("d", "minus"))
	equal(t, "Y", new(true), m.flag("d/yes"))
	equal(t, "off", new(false), m.flag("d/no"))
	equal(t, "flag of a word", (*bool)(nil), m.flag("d/word"))
	equal(t, "chosen", new("b"), m.chosen("d/list"))
	equal(t, "chosen of one word", new("fast"), m.chosen("d/word"))
	equal(t, "missing", (*string)(nil), m.chosen("d/none"))
}
