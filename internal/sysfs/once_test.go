package sysfs

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// counting counts how often each path is asked for.
type counting struct {
	fs.FS
	asked map[string]int
}

func (c *counting) ReadFile(name string) ([]byte, error) {
	c.asked["read "+name]++
	return fs.ReadFile(c.FS, name)
}

func (c *counting) ReadDir(name string) ([]fs.DirEntry, error) {
	c.asked["list "+name]++
	return fs.ReadDir(c.FS, name)
}

func (c *counting) ReadLink(name string) (string, error) {
	c.asked["link "+name]++
	return fs.ReadLink(c.FS, name)
}

func (c *counting) Lstat(name string) (fs.FileInfo, error) {
	c.asked["stat "+name]++
	return fs.Lstat(c.FS, name)
}

// TestOnce: everything is as it is without, and nothing is asked for twice.
func TestOnce(t *testing.T) {
	for name, tr := range hostTrees(t) {
		bare := &counting{tr.fs(), map[string]int{}}
		o := Once(bare)
		for range 2 {
			for _, c := range children(o, classNVMe) {
				if diff := cmp.Diff(mustRead(t, tr.fs(), c), mustRead(t, o, c)); diff != "" {
					t.Errorf("%s: %s (-bare +once):\n%s", name, c, diff)
				}
				_, want := fs.Lstat(tr.fs(), classNVMe+"/"+c)
				if _, err := fs.Lstat(o, classNVMe+"/"+c); (err == nil) != (want == nil) {
					t.Errorf("%s: %s: Lstat %v, want %v", name, c, err, want)
				}
			}
		}
		for path, n := range bare.asked {
			if n > 1 {
				t.Errorf("%s: %s: asked %d times", name, path, n)
			}
		}
	}
}

// TestFewLooks bounds what is asked for to open one drive of three: each look is a
// way into the kernel and back, and a report makes few others. A new attribute
// may raise it by one.
func TestFewLooks(t *testing.T) {
	const most = 108
	bare := &counting{load(t, "tree-pcie").fs(), map[string]int{}}
	o := Once(bare)
	sel, err := Select(o, "nvme0")
	if err != nil {
		t.Fatal(err)
	}
	if c, err := Read(o, sel.Controller); err != nil || c.Link == nil || len(c.Namespaces) == 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	if n := len(bare.asked); n > most {
		t.Errorf("%d looks, want at most %d:\n%s", n, most, strings.Join(slices.Sorted(maps.Keys(bare.asked)), "\n"))
	}
}
