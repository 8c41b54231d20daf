package sysfs

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ptr[T any](v T) *T { return &v }

func mustRead(t *testing.T, fsys fs.FS, name string) *Controller {
	t.Helper()
	c, err := Read(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNames(t *testing.T) {
	b := newBuilder()
	for _, name := range []string{"nvme10", "nvme2", "nvme0"} {
		b.controller(name, 0, "pci0000:00/0000:00:01.0", "S")
	}
	b.Links["class/nvme/nvme-subsys0"] = "../nvme-subsystem/nvme-subsys0"
	b.Texts["class/nvme/nvme0n1/size"] = "1\n"
	got, err := Names(b.fs())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"nvme0", "nvme2", "nvme10"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestNamesOfHostTrees(t *testing.T) {
	tests := map[string][]string{
		"tree-pcie": {"nvme0", "nvme1", "nvme2"}, "tree-apple-nvme": {"nvme0"}, "config-pcie": {"nvme0", "nvme1"},
		"config-pcie-with-tcp-config": {"nvme0"}, "simple-nvme": {"nvme0"}, "procfs-fixtures": {"nvme0"},
	}
	trees := hostTrees(t)
	for name, want := range tests {
		got, err := Names(trees[name].fs())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, names (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestNamesWithoutNVMe(t *testing.T) {
	if got, err := Names(load(t, "simple-nvme").fs()); got != nil || err != nil {
		t.Errorf("Names without class/nvme = %q, %v, want none", got, err)
	}
	closed := failing{Map(nil, nil), func(string) error { return fs.ErrPermission }}
	if got, err := Names(closed); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Names of a closed tree = %q, %v, want a permission error", got, err)
	}
}

func TestReadMissing(t *testing.T) {
	for _, name := range []string{"nvme7", "nvme0n1", "", "..", "../block", "nvme0/nvme0n1"} {
		if c, err := Read(crossed().fs(), name); c != nil || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Read(%q) = %v, %v, want fs.ErrNotExist", name, c, err)
		}
	}
}

func TestReadMultipath(t *testing.T) {
	fsys := load(t, "tree-pcie").fs()
	const nqn = "nqn.1994-11.com.samsung:nvme:PM1735a:2.5-inch:S6RNDB7X005019"
	shared := []Namespace{{NSID: 1, Block: "nvme1n1", Generic: "ng1n1", Bytes: 11233968 * 512, LBABytes: 512}}
	want := []*Controller{
		{
			Name: "nvme0", State: "live", Transport: "pcie", Address: "0214:90:00.0", Subsystem: "nvme-subsys0",
			SubsystemNQN: "nqn.1994-11.com.samsung:nvme:PM1743:2.5-inch:S7DZSN6G192577",
			Serial:       "S7DZSN6G192577", Model: "3.2TB NVMe Gen4 U.2 SSD V", Firmware: "DNA8DNA8", CNTLID: 129, NUMANode: ptr(1),
			PCI: &PCI{Address: "0214:90:00.0"}, Link: &Link{Path: []Port{{Address: "0214:90:00.0"}}},
			Namespaces: []Namespace{{NSID: 1, Block: "nvme0n1", Generic: "ng0n1", Bytes: 978143920 * 512, LBABytes: 4096}},
		},
		{
			Name: "nvme1", State: "live", Transport: "pcie", Address: "052e:78:00.0", Subsystem: "nvme-subsys1", SubsystemNQN: nqn,
			Serial: "S6RNDB7X005019", Model: "3.2TB NVMe Gen4 U.2 SSD III", Firmware: "REV.SN66", CNTLID: 66, NUMANode: ptr(0),
			PCI: &PCI{Address: "052e:78:00.0"}, Link: &Link{Path: []Port{{Address: "052e:78:00.0"}}}, Namespaces: shared,
		},
		{
			Name: "nvme2", State: "live", Transport: "pcie", Address: "058e:78:00.0", Subsystem: "nvme-subsys1", SubsystemNQN: nqn,
			Serial: "S6RNDB7X005019", Model: "3.2TB NVMe Gen4 U.2 SSD III", Firmware: "REV.SN66", CNTLID: 65, NUMANode: ptr(2),
			PCI: &PCI{Address: "058e:78:00.0"}, Link: &Link{Path: []Port{{Address: "058e:78:00.0"}}}, Namespaces: shared,
		},
	}
	for _, w := range want {
		if diff := cmp.Diff(w, mustRead(t, fsys, w.Name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", w.Name, diff)
		}
	}
}

func TestReadWithoutPCI(t *testing.T) {
	c := mustRead(t, load(t, "tree-apple-nvme").fs(), "nvme0")
	if c.PCI != nil || c.Link != nil || c.NUMANode != nil || c.Transport != "apple-nvme" || c.Address != "27bcc0000.nvme" || c.CNTLID != 0 {
		t.Errorf("controller = %+v, want no PCI function, link or node", c)
	}
	want := []Namespace{
		{
			NSID: 1, Block: "nvme0n1", Generic: "ng0n1", Bytes: 3908420240 * 512, LBABytes: 4096,
			Partitions: []string{"nvme0n1p1", "nvme0n1p2", "nvme0n1p3", "nvme0n1p4", "nvme0n1p5", "nvme0n1p6"},
		},
		{NSID: 2, Block: "nvme0n2", Generic: "ng0n2", Bytes: 6144 * 512, LBABytes: 4096},
		{NSID: 3, Block: "nvme0n3", Generic: "ng0n3", Bytes: 262144 * 512, LBABytes: 4096},
	}
	if diff := cmp.Diff(want, c.Namespaces); diff != "" {
		t.Errorf("namespaces (-want +got):\n%s", diff)
	}
}

// TestReadOldLayouts reads trees without some of what newer kernels have.
func TestReadOldLayouts(t *testing.T) {
	trees := hostTrees(t)
	c := mustRead(t, trees["simple-nvme"].fs(), "nvme0")
	if c.Subsystem != "" || c.Address != "" || cmp.Diff(&PCI{Address: "0000:01:00.0"}, c.PCI) != "" ||
		cmp.Diff(&Link{Path: []Port{{Address: "0000:00:01.0"}, {Address: "0000:01:00.0"}}}, c.Link) != "" {
		t.Errorf("without subsystem, address and device: %+v", c)
	}
	want := []Namespace{{
		NSID: 1, Block: "nvme0n1", Bytes: 468862128 * 512, LBABytes: 512,
		Partitions: []string{"nvme0n1p1", "nvme0n1p2", "nvme0n1p3"},
	}}
	if diff := cmp.Diff(want, c.Namespaces); diff != "" {
		t.Errorf("namespaces (-want +got):\n%s", diff)
	}
	// A real directory instead of a link, and no nsid attribute.
	c = mustRead(t, trees["procfs-fixtures"].fs(), "nvme0")
	if c.Model != "Samsung SSD 970 PRO 512GB" || c.CNTLID != 1997 || c.PCI != nil || c.Link != nil {
		t.Errorf("real directory: %+v", c)
	}
	if diff := cmp.Diff([]Namespace{{Block: "nvme0n0", Bytes: 3906250000 * 512, LBABytes: 4096}}, c.Namespaces); diff != "" {
		t.Errorf("namespaces (-want +got):\n%s", diff)
	}
}

func TestReadSubsystems(t *testing.T) {
	fsys := load(t, "config-pcie").fs()
	for name, want := range map[string]Namespace{
		"nvme0": {NSID: 1, Block: "nvme0n1", Generic: "ng0n1", Bytes: 1 << 30, LBABytes: 512},
		"nvme1": {NSID: 1, Block: "nvme1n1", Generic: "ng1n1", Bytes: 1 << 30, LBABytes: 512},
	} {
		if diff := cmp.Diff([]Namespace{want}, mustRead(t, fsys, name).Namespaces); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestReadCrossedNumbers(t *testing.T) {
	fsys := crossed().fs()
	for name, want := range map[string][]Namespace{
		"nvme0": {{NSID: 1, Block: "nvme1n1", Generic: "ng0n1", Bytes: 1 << 22, LBABytes: 4096}},
		"nvme1": {
			{NSID: 1, Block: "nvme0n2", Generic: "ng1n2", Bytes: 1 << 22, LBABytes: 4096},
			{NSID: 2, Block: "nvme0n1", Generic: "ng1n1", Bytes: 1 << 22, LBABytes: 4096, Partitions: []string{"nvme0n1p1", "nvme0n1p2", "nvme0n1p10"}},
		},
	} {
		if diff := cmp.Diff(want, mustRead(t, fsys, name).Namespaces); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// blocks returns the names of the block nodes.
func blocks(spaces []Namespace) []string {
	var names []string
	for _, s := range spaces {
		names = append(names, s.Block)
	}
	return names
}

func TestReadPaths(t *testing.T) {
	const subsystem = "devices/virtual/nvme-subsystem/nvme-subsys0"
	// start has a controller with the two heads nvme0n1 (NSID first) and
	// nvme0n2 (NSID second).
	start := func(first, second uint32) (*builder, string) {
		b := newBuilder()
		dir := b.controller("nvme4", 0, "pci0000:00/0000:00:01.0", "S")
		b.controller("nvme5", 0, "pci0000:00/0000:00:02.0", "S")
		b.namespace(subsystem, "nvme0n1", first, "")
		b.namespace(subsystem, "nvme0n2", second, "")
		return b, dir
	}
	byNSID, dir := start(7, 9)
	byNSID.path(dir, "nvme0c4n1", 9)
	byName, dir := start(3, 3)
	byName.path(dir, "nvme0c4n2", 3)
	byLink, dir := start(3, 3)
	byLink.path(dir, "nvme0c4n2", 3)
	byLink.Links[subsystem+"/nvme0n1/multipath/nvme0c4n2"] = "../../../../../../" + dir + "/nvme0c4n2"
	orphan, dir := start(1, 2)
	orphan.path(dir, "nvme0c4n8", 8)
	unknown, dir := start(5, 6)
	unknown.path(dir, "nvme0c4n1", 0)
	unknown.Texts[subsystem+"/nvme0n2/nsid"] = "junk\n"
	none := noPaths()

	tests := []struct {
		name string
		b    *builder
		want []string
	}{
		{"the NSID tells, not the name", byNSID, []string{"nvme0n2"}},
		{"the name tells where the NSID does not", byName, []string{"nvme0n2"}},
		{"the kernel's link tells before both", byLink, []string{"nvme0n1"}},
		{"an unknown NSID is not equal to another", unknown, []string{"nvme0n1"}},
		{"a path without a head has no node", orphan, []string{""}},
		{"another controller's heads are not ours", none, nil},
	}
	for _, tt := range tests {
		got := mustRead(t, tt.b.fs(), "nvme4")
		if diff := cmp.Diff(tt.want, blocks(got.Namespaces)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if got := mustRead(t, orphan.fs(), "nvme4").Namespaces[0]; !got.Hidden || got.NSID != 8 {
		t.Errorf("path without a head = %+v, want hidden with NSID 8", got)
	}
}

// TestReadDead reads a controller that lost its paths and refuses attributes.
func TestReadDead(t *testing.T) {
	b := newBuilder()
	dir := b.controller("nvme2", 2, "pci0000:00/0000:00:01.0/0000:01:00.0", "DEAD00000001")
	b.Texts[dir+"/state"] = "dead\n"
	b.Texts["class/nvme/nvme2/device/current_link_speed"] = "Unknown\n"
	b.Texts["class/nvme/nvme2/device/current_link_width"] = "255\n"
	head := b.namespace("devices/virtual/nvme-subsystem/nvme-subsys2", "nvme2n1", 1, "")
	b.Texts[head+"/size"] = "0\n"
	refused := []string{"firmware_rev", "cntlid", "queue/logical_block_size"}
	fsys := failing{b.fs(), func(name string) error {
		if slices.ContainsFunc(refused, func(suffix string) bool { return len(name) > len(suffix) && name[len(name)-len(suffix):] == suffix }) {
			return syscall.EIO
		}
		return nil
	}}
	want := &Controller{
		Name: "nvme2", State: "dead", Transport: "pcie", Address: "0000:01:00.0", Subsystem: "nvme-subsys2",
		SubsystemNQN: "nqn.2026-01.example:2", Serial: "DEAD00000001", Model: "MODEL OF DEAD00000001", CNTLID: -1,
		PCI: &PCI{Address: "0000:01:00.0"}, Link: &Link{Path: []Port{{Address: "0000:00:01.0"}, {Address: "0000:01:00.0"}}},
		Namespaces: []Namespace{{NSID: 1, Block: "nvme2n1"}},
	}
	if diff := cmp.Diff(want, mustRead(t, fsys, "nvme2")); diff != "" {
		t.Errorf("dead controller (-want +got):\n%s", diff)
	}
}

// failing is a tree whose files and directories fail as fault says.
type failing struct {
	fs.FS
	fault func(name string) error
}

func (f failing) Open(name string) (fs.File, error) {
	if err := f.fault(name); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f.FS.Open(name)
}

func (f failing) ReadLink(name string) (string, error)   { return fs.ReadLink(f.FS, name) }
func (f failing) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(f.FS, name) }

func TestReadUnreadableNSID(t *testing.T) {
	b := crossed()
	tests := []struct {
		name  string
		texts map[string]string
		want  []uint32
	}{
		{"no attribute: an old kernel, whose names have the NSID", map[string]string{"devices/pci0000:00/0000:00:1d.0/0000:02:00.0/nvme/nvme0/nvme1n1/nsid": ""}, []uint32{1}},
		{"junk is not a number", map[string]string{"devices/pci0000:00/0000:00:1d.0/0000:02:00.0/nvme/nvme0/nvme1n1/nsid": "one\n"}, []uint32{0}},
		{"the largest", map[string]string{"devices/pci0000:00/0000:00:1d.0/0000:02:00.0/nvme/nvme0/nvme1n1/nsid": "4294967294\n"}, []uint32{0xFFFFFFFE}},
	}
	for _, tt := range tests {
		var got []uint32
		for _, s := range mustRead(t, b.with(tt.texts).fs(), "nvme0").Namespaces {
			got = append(got, s.NSID)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	dir := "devices/pci0000:00/0000:00:1d.0/0000:02:00.0/nvme/nvme0/nvme1n1"
	refused := failing{b.fs(), func(name string) error {
		if name == "class/nvme/nvme0/nvme1n1/nsid" || name == dir+"/nsid" {
			return syscall.EIO
		}
		return nil
	}}
	if got := mustRead(t, refused, "nvme0").Namespaces[0].NSID; got != 0 {
		t.Errorf("NSID that cannot be read = %d, want 0 and not the name's", got)
	}
}

func TestReadHiddenNamespace(t *testing.T) {
	tr := crossed().with(map[string]string{"devices/pci0000:00/0000:00:1d.0/0000:02:00.0/nvme/nvme0/nvme1n1/hidden": "1\n"})
	want := []Namespace{{NSID: 1, Generic: "ng0n1", Bytes: 1 << 22, LBABytes: 4096, Hidden: true}}
	if diff := cmp.Diff(want, mustRead(t, tr.fs(), "nvme0").Namespaces); diff != "" {
		t.Errorf("namespaces (-want +got):\n%s", diff)
	}
}

func TestClean(t *testing.T) {
	tests := [][2]string{
		{" INTEL SSDPE21D960GA   \n", "INTEL SSDPE21D960GA"},
		{"\x00\x00", ""},
		{"A\x1b[31mB", "A\uFFFD[31mB"},
		{"A\xffB", "A\uFFFDB"},
		{"Ä", "Ä"},
	}
	for _, tt := range tests {
		if got := clean(tt[0]); got != tt[1] {
			t.Errorf("clean(%q) = %q, want %q", tt[0], got, tt[1])
		}
	}
}

// TestHostAndMapAgree reads each tree as the kernel's file system shows it and
// from memory.
func TestHostAndMapAgree(t *testing.T) {
	for name, tr := range hostTrees(t) {
		disk, memory := tr.onDisk(t), tr.fs()
		names, err := Names(disk)
		if err != nil || len(names) == 0 {
			t.Errorf("%s: names %q, %v", name, names, err)
		}
		for _, c := range names {
			if diff := cmp.Diff(mustRead(t, disk, c), mustRead(t, memory, c)); diff != "" {
				t.Errorf("%s: %s (-disk +memory):\n%s", name, c, diff)
			}
		}
	}
}
