package sysfs

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// tree is a tree in the making: files and links by path.
type tree struct {
	Texts map[string]string `json:"texts"`
	Links map[string]string `json:"links"`
}

func (tr tree) fs() fs.FS { return Map(tr.Texts, tr.Links) }

// with returns a copy with more texts. "" takes a text away.
func (tr tree) with(texts map[string]string) tree {
	c := tree{maps.Clone(tr.Texts), maps.Clone(tr.Links)}
	for name, text := range texts {
		c.Texts[name] = text
		if text == "" {
			delete(c.Texts, name)
		}
	}
	return c
}

// load returns a tree that was taken from a host and trimmed.
func load(t testing.TB, name string) tree {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var tr tree
	if err := json.Unmarshal(b, &tr); err != nil {
		t.Fatal(err)
	}
	return tr
}

// loadBlockOnly returns a tree that was trimmed to its block devices, with
// the class of its controller added.
func loadBlockOnly(t testing.TB, name string) tree {
	t.Helper()
	tr := load(t, name)
	for link, target := range tr.Links {
		if link == "block/nvme0n1" {
			tr.Links["class/nvme/nvme0"] = "../" + path.Dir(target)
		}
	}
	return tr
}

// hostTrees are all the trees taken from hosts.
func hostTrees(t testing.TB) map[string]tree {
	return map[string]tree{
		"tree-pcie":                   load(t, "tree-pcie"),
		"tree-apple-nvme":             load(t, "tree-apple-nvme"),
		"config-pcie":                 load(t, "config-pcie"),
		"config-pcie-with-tcp-config": load(t, "config-pcie-with-tcp-config"),
		"simple-nvme":                 loadBlockOnly(t, "simple-nvme"),
		"multi-devs-bcachefs":         loadBlockOnly(t, "multi-devs-bcachefs"),
		"procfs-fixtures":             load(t, "procfs-fixtures"),
		"crossed":                     crossed().tree,
		"two controllers":             twoControllers().tree,
		"no paths":                    noPaths().tree,
		"link":                        linked(),
	}
}

// onDisk writes the tree into a directory, with real symbolic links, and
// returns it as the host's tree is opened.
func (tr tree) onDisk(t *testing.T) fs.FS {
	t.Helper()
	return os.DirFS(onDiskAt(t, tr))
}

// onDiskAt is onDisk for those who open the directory themselves.
func onDiskAt(t *testing.T, tr tree) string {
	t.Helper()
	root := t.TempDir()
	write := func(name string, create func(full string) error) {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := create(full); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range tr.Texts {
		write(name, func(full string) error { return os.WriteFile(full, []byte(text), 0o644) })
	}
	for name, target := range tr.Links {
		write(name, func(full string) error { return os.Symlink(target, full) })
	}
	return root
}

// builder makes trees as the kernel lays them out.
type builder struct {
	tree
	minor int
}

func newBuilder() *builder {
	return &builder{tree: tree{map[string]string{}, map[string]string{}}}
}

// up returns the way from a directory to the root.
func up(dir string) string { return strings.Repeat("../", strings.Count(dir, "/")+1) }

// controller adds a controller in the subsystem nvme-subsys<subsystem>, whose
// device has the path given below devices.
func (b *builder) controller(name string, subsystem int, device, serial string) string {
	dir := path.Join("devices", device, "nvme", name)
	sub := fmt.Sprintf("devices/virtual/nvme-subsystem/nvme-subsys%d", subsystem)
	b.Links["class/nvme/"+name] = "../../" + dir
	b.Links["class/nvme-subsystem/"+path.Base(sub)] = "../../" + sub
	b.Links[sub+"/"+name] = up(sub) + dir
	b.Links[dir+"/device"] = "../../../" + path.Base(device)
	b.minor++
	for file, text := range map[string]string{
		"serial": fmt.Sprintf("%-20s", serial), "model": fmt.Sprintf("%-40s", "MODEL OF "+serial), "firmware_rev": "1.0     ",
		"state": "live", "transport": "pcie", "address": path.Base(device), "cntlid": fmt.Sprint(100 + b.minor),
		"subsysnqn": fmt.Sprintf("nqn.2026-01.example:%d", subsystem), "dev": fmt.Sprintf("240:%d", b.minor),
	} {
		b.Texts[dir+"/"+file] = text + "\n"
	}
	return dir
}

// namespace adds a block device with node and, where generic is not "", a
// character device to the directory parent.
func (b *builder) namespace(parent, name string, nsid uint32, generic string) string {
	dir := parent + "/" + name
	b.minor++
	b.Texts[dir+"/dev"] = fmt.Sprintf("259:%d\n", b.minor)
	b.Texts[dir+"/nsid"] = fmt.Sprintf("%d\n", nsid)
	b.Texts[dir+"/size"] = "8192\n"
	b.Texts[dir+"/queue/logical_block_size"] = "4096\n"
	b.Links["class/block/"+name] = "../../" + dir
	if generic != "" {
		b.Texts[parent+"/"+generic+"/dev"] = fmt.Sprintf("239:%d\n", b.minor)
	}
	return dir
}

// path adds the hidden path of a controller to a namespace.
func (b *builder) path(parent, name string, nsid uint32) {
	b.Texts[parent+"/"+name+"/hidden"] = "1\n"
	b.Texts[parent+"/"+name+"/nsid"] = fmt.Sprintf("%d\n", nsid)
}

func (b *builder) partition(block, name string, number int) {
	b.minor++
	b.Texts[block+"/"+name+"/partition"] = fmt.Sprintf("%d\n", number)
	b.Texts[block+"/"+name+"/dev"] = fmt.Sprintf("259:%d\n", b.minor)
}

// crossed is a host on which nvme0n1 belongs to the drive of controller nvme1
// and nvme1n1 to that of nvme0, and on which the last numbers of the
// namespaces of nvme1 are not their NSIDs.
func crossed() *builder {
	b := newBuilder()
	zero := b.controller("nvme0", 1, "pci0000:00/0000:00:1d.0/0000:02:00.0", "KXG50EXAMPLE")
	one := b.controller("nvme1", 0, "pci0000:00/0000:00:1b.0/0000:01:00.0", "THNSNEXAMPLE")
	b.namespace(zero, "nvme1n1", 1, "ng0n1")
	first := b.namespace(one, "nvme0n1", 2, "ng1n1")
	b.namespace(one, "nvme0n2", 1, "ng1n2")
	b.partition(first, "nvme0n1p2", 2)
	b.partition(first, "nvme0n1p10", 10)
	b.partition(first, "nvme0n1p1", 1)
	return b
}

// twoControllers is one drive with two controllers and one namespace, beside
// another drive.
func twoControllers() *builder {
	b := newBuilder()
	one := b.controller("nvme1", 1, "pci0000:00/0000:00:03.1/0000:21:00.0", "DUALPORT0001")
	two := b.controller("nvme2", 1, "pci0000:40/0000:40:03.1/0000:61:00.0", "DUALPORT0001")
	other := b.controller("nvme3", 3, "pci0000:40/0000:40:03.2/0000:62:00.0", "OTHER0001")
	b.namespace("devices/virtual/nvme-subsystem/nvme-subsys1", "nvme1n1", 1, "ng1n1")
	b.path(one, "nvme1c1n1", 1)
	b.path(two, "nvme1c2n1", 1)
	b.namespace(other, "nvme3n1", 1, "ng3n1")
	return b
}

// noPaths is a drive with two controllers that both have lost their paths.
func noPaths() *builder {
	b := newBuilder()
	b.controller("nvme4", 0, "pci0000:00/0000:00:01.0", "S")
	b.controller("nvme5", 0, "pci0000:00/0000:00:02.0", "S")
	b.namespace("devices/virtual/nvme-subsystem/nvme-subsys0", "nvme0n1", 1, "")
	return b
}

// linked is a drive below a switch with all that the kernel says of its link.
func linked() tree {
	b := newBuilder()
	dir := b.controller("nvme0", 0, "pci0000:00/0000:00:1c.4/0000:05:00.0/0000:06:01.0/0000:07:00.0", "LINKED000001")
	b.namespace(dir, "nvme0n1", 1, "ng0n1")
	texts := map[string]string{}
	port := func(dir, class, speed, width, maxSpeed, maxWidth string) {
		for file, text := range map[string]string{
			"class": class, "current_link_speed": speed, "current_link_width": width,
			"max_link_speed": maxSpeed, "max_link_width": maxWidth,
		} {
			texts["devices/pci0000:00/"+dir+"/"+file] = text + "\n"
		}
	}
	port("0000:00:1c.4", "0x060400", "8.0 GT/s PCIe", "4", "8.0 GT/s PCIe", "4")
	port("0000:00:1c.4/0000:05:00.0", "0x060400", "8.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "8")
	port("0000:00:1c.4/0000:05:00.0/0000:06:01.0", "0x060400", "2.5 GT/s PCIe", "2", "Unknown", "255")
	drive := "0000:00:1c.4/0000:05:00.0/0000:06:01.0/0000:07:00.0"
	port(drive, "0x010802", "2.5 GT/s PCIe", "2", "8.0 GT/s PCIe", "4")
	for file, text := range map[string]string{
		"vendor": "0x8086\n", "device": "0x2700\n", "subsystem_vendor": "0x8086\n", "subsystem_device": "0x3900\n", "numa_node": "1\n",
		"aer_dev_correctable": "RxErr 0\nBadTLP 12\nBadDLLP 1\nTOTAL_ERR_COR 13\n",
		"aer_dev_nonfatal":    "Undefined 0\nTOTAL_ERR_NONFATAL 0\n",
		"aer_dev_fatal":       "Undefined 0\n",
	} {
		texts["devices/pci0000:00/"+drive+"/"+file] = text
	}
	return b.with(texts)
}
