package sysfs

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestVMTree reads the /sys of a virtual machine with emulated drives and
// compares it with what the kernel says elsewhere.
func TestVMTree(t *testing.T) {
	fsys, controllers := inGuest(t)
	for _, c := range controllers {
		if c.PCI == nil || c.PCI.VendorID != 0x1B36 || c.Link == nil || len(c.Link.Path) == 0 || c.State != "live" ||
			c.Serial == "" || c.Model == "" || c.Firmware == "" || c.Subsystem == "" || c.CNTLID < 0 || len(c.Namespaces) == 0 {
			t.Errorf("%s is incomplete: %+v", c.Name, c)
			continue
		}
		last := c.Link.Path[len(c.Link.Path)-1]
		if last.Address != c.PCI.Address || last.Class != nvmeClass || c.Address != c.PCI.Address {
			t.Errorf("%s: the way ends at %+v, want the drive at %s", c.Name, last, c.PCI.Address)
		}
		for _, s := range c.Namespaces {
			checkNamespace(t, fsys, c.Name, s)
		}
	}
}

// checkNamespace compares a namespace with its nodes and the kernel's list of
// partitions.
func checkNamespace(t *testing.T, fsys fs.FS, controller string, s Namespace) {
	t.Helper()
	for _, node := range append([]string{s.Block, s.Generic}, s.Partitions...) {
		if _, err := os.Stat("/dev/" + node); err != nil {
			t.Errorf("%s: %v", controller, err)
		}
	}
	f, err := os.Open("/dev/" + s.Block)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if size, err := f.Seek(0, 2); size != s.Bytes || err != nil || s.NSID == 0 || s.LBABytes < 512 {
		t.Errorf("%s: the node has %d bytes, %v; namespace %+v", controller, size, err, s)
	}
	want, err := filepath.Glob("/dev/" + s.Block + "p*")
	if err != nil || len(want) != len(s.Partitions) {
		t.Errorf("%s: partitions %q, /dev has %q", controller, s.Partitions, want)
	}
}

// TestVMSelect names each drive in every way.
func TestVMSelect(t *testing.T) {
	fsys, controllers := inGuest(t)
	sameSerial := func(a *Controller) func(*Controller) bool {
		return func(b *Controller) bool { return a.Serial == b.Serial }
	}
	for _, c := range controllers {
		want := controllers[slices.IndexFunc(controllers, sameSerial(c))].Name
		selectors := map[string]string{
			"/dev/" + c.Name: c.Name, c.Name: c.Name, c.PCI.Address: c.Name, strings.TrimPrefix(c.PCI.Address, "0000:"): c.Name,
			c.Serial: want, strings.ToLower(c.Serial): want,
		}
		for _, s := range c.Namespaces {
			for _, node := range append([]string{s.Block, s.Generic}, s.Partitions...) {
				selectors[node], selectors["/dev/"+node] = want, want
			}
			if id := attribute(fsys, "class/block", s.Block, "wwid"); id != "" {
				selectors[id] = want
			}
		}
		for selector, want := range selectors {
			got, err := Select(fsys, selector)
			if err != nil || got.Controller != want {
				t.Errorf("%s: %+v, %v, want %s", selector, got, err, want)
			}
		}
	}
	for _, selector := range []string{"/dev/vda", "/dev/null", "/dev/nvme77", "/dev"} {
		if got, err := Select(fsys, selector); err == nil {
			t.Errorf("%s selects %+v", selector, got)
		}
	}
}

// TestVMReplay records what is read of each drive and reads it again.
func TestVMReplay(t *testing.T) {
	fsys, controllers := inGuest(t)
	for _, c := range controllers {
		recorded, heard := record(fsys)
		want := mustRead(t, recorded, c.Name)
		if diff := gocmp.Diff(want, mustRead(t, heard.fs(), c.Name)); diff != "" {
			t.Errorf("%s (-direct +replayed):\n%s", c.Name, diff)
		}
		t.Logf("%s: %d files, %d links", c.Name, len(heard.Texts), len(heard.Links))
	}
}

// inGuest returns the tree of the virtual machine and its controllers.
func inGuest(t *testing.T) (fs.FS, []*Controller) {
	t.Helper()
	if os.Getenv("QD1_VM") != "1" {
		t.Skip("QD1_VM is not 1: this test needs the emulated drives of the virtual machine")
	}
	fsys := os.DirFS("/sys")
	names, err := Names(fsys)
	if err != nil || len(names) == 0 {
		t.Fatalf("controllers: %q, %v", names, err)
	}
	var controllers []*Controller
	for _, name := range names {
		controllers = append(controllers, mustRead(t, fsys, name))
	}
	if !slices.IsSortedFunc(controllers, func(a, b *Controller) int { return cmp.Compare(trailing(a.Name), trailing(b.Name)) }) {
		t.Errorf("names %q are not in order", names)
	}
	return fsys, controllers
}
