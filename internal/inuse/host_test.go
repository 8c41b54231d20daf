package inuse

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSystem looks at this computer, with or without root.
func TestSystem(t *testing.T) {
	names := []string{"nothing-of-this-name"}
	entries, _ := os.ReadDir("/sys/class/block")
	for _, e := range entries {
		names = append(names, e.Name())
	}
	s, err := System().Survey(t.Context(), names)
	if err != nil {
		t.Skipf("SKIPPED, NOT TESTED: this computer has no /sys or no /proc: %v", err)
	}
	if !slices.Contains(s.Unchecked, "nothing-of-this-name is not there: nothing is known about its use") {
		t.Errorf("unchecked %q, want what is not there", s.Unchecked)
	}
	for _, u := range s.Uses {
		if u.Kind == "" || u.Device == "" || u.Text == "" || u.PID == os.Getpid() {
			t.Errorf("use %+v", u)
		}
	}
	t.Logf("%d uses, %d pollers, unchecked: %q", len(s.Uses), len(s.Pollers), s.Unchecked)
}

func TestStatPath(t *testing.T) {
	null, err := statPath("/dev/null")
	if want := (devno{true, 1, 3}); err != nil || null.device != want {
		t.Errorf("/dev/null is %+v, %v, want device %+v", null, err, want)
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var st unix.Stat_t
	if err := unix.Stat(name, &st); err != nil {
		t.Fatal(err)
	}
	got, err := statPath(name)
	if err != nil || got.device != (devno{}) || got.fs != splitDevno(uint64(st.Dev)) {
		t.Errorf("a file is %+v, %v, want file system %+v", got, err, splitDevno(uint64(st.Dev)))
	}
	if got, err := statPath(filepath.Join(dir, "none")); err == nil || !gone(err) {
		t.Errorf("no file is %+v, %v", got, err)
	}
}

func TestLoopStatus(t *testing.T) {
	for _, name := range []string{"null", "nothing-of-this-name"} {
		if got, err := loopStatus(name, devno{major: 7}); err == nil {
			t.Errorf("%s is on %+v, want an error", name, got)
		}
	}
	asRoot(t)
	path := image(t, 1)
	name := loopOn(t, path)
	f, err := statPath("/dev/" + name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := statPath(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := loopStatus(name, f.device); err != nil || got.fs != want.fs || got.device != (devno{}) {
		t.Errorf("%s is on %+v, %v, want a file of %+v", name, got, err, want.fs)
	}
}

// TestVMNodes opens the nodes of emulated drives.
func TestVMNodes(t *testing.T) {
	if os.Getenv("QD1_VM") != "1" {
		t.Skip("QD1_VM is not 1: this test needs the emulated drives of the virtual machine")
	}
	if os.Getuid() != 0 {
		t.Skip("SKIPPED, NOT TESTED: the nodes of drives need root")
	}
	nodes, _ := filepath.Glob("/dev/n[gv]*")
	if len(nodes) < 3 {
		t.Fatalf("nodes %q, want those of a drive", nodes)
	}
	for _, node := range nodes {
		name := filepath.Base(node)
		if _, err := os.Stat("/sys/class/block/" + name + "/partition"); err == nil || name == "nvme-fabrics" {
			continue
		}
		pid := begin(t, "sh", "-c", `exec 5< "$1"; echo ready; read x`, "sh", node)
		checkReal(t, []string{name}, "open: "+name+" is open in "+who("sh", pid))
	}
}
