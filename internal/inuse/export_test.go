package inuse

import (
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// namespace configures an exported namespace.
func (f *fixture) namespace(dir, device, enable string) {
	f.text(f.sys, path.Join(nvmetSubsystems, dir, "device_path"), device+"\n")
	f.text(f.sys, path.Join(nvmetSubsystems, dir, "enable"), enable+"\n")
}

// backstore configures a backstore of the SCSI target.
func (f *fixture) backstore(name, info, given string) {
	f.text(f.sys, path.Join(lioCore, name, "info"), info)
	f.text(f.sys, path.Join(lioCore, name, "udev_path"), given+"\n")
}

func TestExports(t *testing.T) {
	tests := []struct {
		name string
		host func(f *fixture)
		want []string
	}{
		{"a namespace", func(f *fixture) { f.namespace("nqn.x/namespaces/3", "/dev/nvme0n1", "1") },
			[]string{"nvmet nqn.x: nvme0n1 is exported over fabrics as namespace 3 of nqn.x"}},
		{"by a link", func(f *fixture) {
			f.namespace("nqn.x/namespaces/1", "/dev/disk/by-id/a", "1")
			f.nodes["/dev/disk/by-id/a"] = f.nodes["/dev/nvme0n1p2"]
		}, []string{"nvmet nqn.x: nvme0n1p2 is exported over fabrics as namespace 1 of nqn.x"}},
		{"not enabled", func(f *fixture) { f.namespace("nqn.x/namespaces/3", "/dev/nvme0n1", "0") }, nil},
		{"a file, and no path", func(f *fixture) {
			f.namespace("nqn.x/namespaces/3", "/srv/img", "1")
			f.namespace("nqn.x/namespaces/4", "", "1")
			f.nodes["/srv/img"] = file{fs: number(f.t, "8:0")}
		}, nil},
		{"not found", func(f *fixture) { f.namespace("nqn.x/namespaces/3", "/dev/mapper/gone", "1") },
			[]string{"/dev/mapper/gone, which nqn.x exports, could not be found"}},
		{"SCSI by number", func(f *fixture) {
			f.backstore("iblock_0/disk", "Status: ACTIVATED\n        iBlock device: nvme0n1  UDEV PATH: /dev/x  readonly: 0\n        Major: 259 Minor: 0  CLAIMED: IBLOCK\n", "/dev/sda")
		}, []string{"lio iblock_0/disk: nvme0n1 is exported by the SCSI target as iblock_0/disk"}},
		{"SCSI by path", func(f *fixture) { f.backstore("iblock_0/disk", "Status: ACTIVATED", "/dev/nvme0n1p1") },
			[]string{"lio iblock_0/disk: nvme0n1p1 is exported by the SCSI target as iblock_0/disk"}},
		{"SCSI of others", func(f *fixture) {
			f.backstore("iblock_0/disk", "Major: 8 Minor: 0", "/dev/nvme0n1p1")
			f.backstore("fileio_1/img", "", "/srv/img")
			f.backstore("rd_mcp_2/ram", "", "")
			f.backstore("iblock_3/gone", "", "/dev/gone")
		}, []string{"/dev/gone, which the SCSI target exports as iblock_3/gone, could not be found"}},
		{"pools", func(f *fixture) {
			f.text(f.proc, "spl/kstat/zfs/tank/state", "ONLINE")
			f.text(f.proc, "spl/kstat/zfs/arcstats", "x")
		}, []string{"the ZFS pool tank is imported, and the kernel does not say on which devices it lies"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			tt.host(f)
			f.check(tt.want...)
		})
	}
}

// TestExportOfController exports a whole controller.
func TestExportOfController(t *testing.T) {
	f := newFixture(t)
	f.text(f.sys, "class/nvme/nvme0/dev", "240:0\n")
	n := number(t, "240:0")
	n.char = true
	f.nodes["/dev/nvme0"] = file{device: n}
	f.namespace("nqn.x/passthru", "/dev/nvme0", "1")
	want := []Use{{Kind: NVMet, Device: "nvme0", Name: "nqn.x", Text: "nvme0 is exported over fabrics as nqn.x"}}
	if diff := cmp.Diff(want, f.survey("nvme0", "nvme0n1").Uses); diff != "" {
		t.Errorf("uses (-want +got):\n%s", diff)
	}
}

func FuzzParseBackstore(f *testing.F) {
	f.Add("Major: 259 Minor: 0  CLAIMED: IBLOCK")
	f.Add("Major: 9999 Minor: 9999999")
	f.Fuzz(func(t *testing.T, info string) {
		if n, ok := parseBackstore(info); ok && (n == devno{} || n.char || n.major > 0xFFF || n.minor > 0xFFFFF) {
			t.Errorf("device number %+v of %q", n, info)
		}
	})
}
