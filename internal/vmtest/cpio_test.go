package vmtest

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readEntry is an entry as a reader sees it.
type readEntry struct {
	Name         string
	Mode         uint64
	Major, Minor uint64
	Body         string
}

// readCpio takes an archive apart by the format's own rules: hexadecimal
// fields of 8 digits after a magic of 6, names and bodies padded to 4 bytes.
func readCpio(t *testing.T, data []byte) []readEntry {
	t.Helper()
	var entries []readEntry
	for off := 0; off < len(data); {
		if magic := string(data[off : off+6]); magic != "070701" {
			t.Fatalf("offset %d: magic %q", off, magic)
		}
		field := func(i int) uint64 {
			n, err := strconv.ParseUint(string(data[off+6+8*i:off+14+8*i]), 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		size, nameSize := int(field(6)), int(field(11))
		name := string(data[off+110 : off+110+nameSize-1])
		body := (off + 110 + nameSize + 3) / 4 * 4
		entries = append(entries, readEntry{name, field(1), field(9), field(10), string(data[body : body+size])})
		off = (body + size + 3) / 4 * 4
	}
	return entries
}

func TestImage(t *testing.T) {
	im := newImage()
	im.text("/lib/x86/name", "body!")
	im.symlink("name", "/usr/link")
	var buf bytes.Buffer
	if err := im.write(&buf); err != nil {
		t.Fatal(err)
	}
	entries := readCpio(t, buf.Bytes())
	if buf.Len()%4 != 0 {
		t.Errorf("length %d is not a multiple of 4", buf.Len())
	}
	if last := entries[len(entries)-1].Name; last != cpioTrailer {
		t.Errorf("last entry: got %q, want the trailer", last)
	}
	want := map[string]readEntry{
		"lib":              {Mode: 0o120777, Body: "usr/lib"},
		"usr":              {Mode: 0o040755},
		"usr/lib/x86":      {Mode: 0o040755},
		"usr/lib/x86/name": {Mode: 0o100644, Body: "body!"},
		"usr/link":         {Mode: 0o120777, Body: "name"},
		"dev/console":      {Mode: 0o020600, Major: 5, Minor: 1},
	}
	seen := make(map[string]bool)
	for _, e := range entries {
		if parent, _, ok := cutLast(e.Name); ok && !seen[parent] {
			t.Errorf("%s comes before its folder", e.Name)
		}
		seen[e.Name] = true
		w, ok := want[e.Name]
		if w.Name = e.Name; ok && w != e {
			t.Errorf("entry (-want +got):\n%s", cmp.Diff(w, e))
		}
		delete(want, e.Name)
	}
	if len(want) != 0 {
		t.Errorf("entries not written: %v", want)
	}
}

func cutLast(name string) (dir, base string, ok bool) {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}

func TestCpioShortBody(t *testing.T) {
	c := &cpioWriter{w: new(bytes.Buffer)}
	err := c.add(cpioEntry{name: "short", mode: modeRegular, size: 10, body: strings.NewReader("four")})
	if err == nil {
		t.Error("a body shorter than its size: no error")
	}
	if c.close() == nil {
		t.Error("a broken archive can be closed")
	}
}

func TestCpioTooLarge(t *testing.T) {
	c := &cpioWriter{w: new(bytes.Buffer)}
	if err := c.add(cpioEntry{name: "large", size: 1 << 32}); err == nil {
		t.Error("a body of 4 GiB: no error")
	}
}
