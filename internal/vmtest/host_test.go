package vmtest

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLdd(t *testing.T) {
	const text = "\tlinux-vdso.so.1 (0x00007f)\n" +
		"\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)\n" +
		"\t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n"
	got, err := parseLdd(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("libraries (-want +got):\n%s", diff)
	}
	if _, err := parseLdd("\tlibx.so => not found\n"); err == nil {
		t.Error("a library that is not found: no error")
	}
}

func TestProgramFiles(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	host, _, err := programFiles(self)
	if err != nil || host != self {
		t.Errorf("own binary: got %q, %v", host, err)
	}
	if _, _, err := programFiles("no-such-program"); err == nil {
		t.Error("a program that is not installed: no error")
	}
	if _, _, err := programFiles("cpio_test.go"); err != nil && !strings.Contains(err.Error(), "not installed") {
		t.Errorf("a name without a path: %v", err)
	}
	if _, _, err := programFiles("./cpio_test.go"); err == nil {
		t.Error("a file that is no program: no error")
	}
}

func TestParseModinfo(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"none", "license=GPL\x00depends=\x00name=x\x00", nil},
		{"one", "depends=virtio\x00", []string{"virtio"}},
		{"two with a dash", "name=y\x00depends=virtio-ring,virtio\x00", []string{"virtio_ring", "virtio"}},
		{"empty", "", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, parseModinfo([]byte(tt.in))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestModuleOrder(t *testing.T) {
	_, k, err := prerequisites(t, Config{})
	if err != nil {
		missing(t, err)
	}
	tree, err := openModules(k.modules)
	if err != nil {
		t.Fatal(err)
	}
	paths, err := tree.resolve("virtio_pci", "virtio-blk", "nvme")
	if err != nil {
		t.Fatal(err)
	}
	place := make(map[string]int)
	for i, p := range paths {
		place[moduleName(p)] = i + 1
	}
	if place["virtio"] == 0 || place["virtio_pci"] < place["virtio"] || place["virtio_blk"] < place["virtio_ring"] {
		t.Errorf("load order: %v", paths)
	}
	if place["nvme"] != 0 {
		t.Errorf("nvme is built in, but was resolved to a file: %v", paths)
	}
	if _, err := tree.resolve("no_such_module"); err == nil {
		t.Error("a module that does not exist: no error")
	}
}

func TestFindKernel(t *testing.T) {
	dir := t.TempDir()
	if _, err := findKernel(dir); err == nil {
		t.Error("an empty folder: no error")
	}
	for _, sub := range []string{"boot", "lib/modules/6.1-test"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	image := filepath.Join(dir, "boot", "vmlinuz-6.1-test")
	if err := os.WriteFile(image, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := findKernel(dir)
	if want := (kernel{image, filepath.Join(dir, "lib/modules/6.1-test")}); err != nil || got != want {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestEventLog(t *testing.T) {
	e := newEventLog()
	e.read(strings.NewReader("noise\r\nQD1-EVENT one\r\nQD1-EVENT one\r\nQD1-VM rc=0\r\n"))
	select {
	case <-e.seen("one"):
	default:
		t.Error("event one: not seen")
	}
	select {
	case <-e.seen("two"):
		t.Error("event two: seen, but was never told")
	default:
	}
	if got := e.status(); got != "0" {
		t.Errorf("status: got %q, want 0", got)
	}
}

func TestVerdict(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name, console, events, want string
		ctx                         context.Context
		waited                      error
	}{
		{name: "good", events: "QD1-VM rc=0\n"},
		{name: "panic", console: "Kernel panic - not syncing", events: "QD1-VM rc=0\n", want: "kernel panic"},
		{name: "time-out", ctx: ended, want: "time-out"},
		{name: "emulator", waited: errors.New("exit status 1"), want: "exit status 1"},
		{name: "silent", want: "without its status line"},
		{name: "failed", events: "QD1-VM rc=1\n", want: "reports a failure"},
	}
	for _, tt := range tests {
		q := &qemu{ctx: tt.ctx, waited: tt.waited}
		if q.ctx == nil {
			q.ctx = t.Context()
		}
		e := newEventLog()
		e.read(strings.NewReader(tt.events))
		err := q.verdict(tt.console, e)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestQMP lets a client talk to an emulator that sends events in between.
func TestQMP(t *testing.T) {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		buf := make([]byte, 4096)
		answers := []string{
			`{"QMP":{"version":{}}}`,
			`{"event":"RESET"}` + `{"return":{}}`,
			`{"event":"STOP"}` + `{"return":{"status":"running"}}`,
			`{"error":{"class":"DeviceNotFound","desc":"no such device"}}`,
		}
		for i, a := range answers {
			if i > 0 {
				if _, err := server.Read(buf); err != nil {
					return
				}
			}
			if _, err := server.Write([]byte(a)); err != nil {
				return
			}
		}
	}()
	c, err := newQMP(client)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.execute("query-status", nil); err != nil || string(got) != `{"status":"running"}` {
		t.Errorf("query-status: got %s, %v", got, err)
	}
	if _, err := c.execute("device_del", map[string]any{"id": "x"}); err == nil || !strings.Contains(err.Error(), "no such device") {
		t.Errorf("device_del: got %v, want the emulator's error", err)
	}
	if _, err := c.execute("query-status", nil); err == nil {
		t.Error("a closed connection: no error")
	}
}

func TestCheckJobs(t *testing.T) {
	if err := checkJobs([]Job{{Name: "a"}, {Name: "b"}}); err != nil {
		t.Error(err)
	}
	if checkJobs([]Job{{Name: "a"}, {Name: "a"}}) == nil {
		t.Error("a name used twice: no error")
	}
	if checkJobs([]Job{{}}) == nil {
		t.Error("an empty name: no error")
	}
}

func TestUnpackStaysInside(t *testing.T) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	if err := w.WriteHeader(&tar.Header{Name: "../outside", Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := unpack(&buf, filepath.Join(t.TempDir(), "in")); err == nil {
		t.Error("a name outside the folder: no error")
	}
}

func TestCopyCoverage(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(from, "covmeta.1"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := copyCoverage(from, to); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(to, "covmeta.1")); err != nil || string(got) != "x" {
		t.Errorf("copy: got %q, %v", got, err)
	}
	if err := copyCoverage(filepath.Join(from, "absent"), to); err != nil {
		t.Errorf("no counters: %v", err)
	}
}

func TestDriveArguments(t *testing.T) {
	d := Drive{ID: "d", Serial: "S", Options: "bus=p", Namespaces: []Namespace{{Image: "/i", Options: "ms=8"}}}
	want := []string{
		"-device", "nvme-subsys,id=d-subsystem",
		"-device", "nvme,id=d,serial=S,subsys=d-subsystem,bus=p",
		"-drive", "id=d-ns1,if=none,format=raw,cache=unsafe,file=/i",
		"-device", "nvme-ns,drive=d-ns1,nsid=1,ms=8",
	}
	if diff := cmp.Diff(want, d.Arguments()); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}
