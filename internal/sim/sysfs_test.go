package sim

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"qd1.example/qd1/nvme"
)

// resolve follows links in every part of a path, as a kernel does.
func resolve(t *testing.T, links map[string]string, name string) string {
	t.Helper()
	for range 32 {
		next := name
		for dir := name; dir != "."; dir = path.Dir(dir) {
			if target, ok := links[dir]; ok {
				next = path.Join(path.Dir(dir), target) + strings.TrimPrefix(name, dir)
				break
			}
		}
		if next == name {
			return name
		}
		name = next
	}
	t.Fatalf("%s: too many links", name)
	return ""
}

func TestSysfs(t *testing.T) {
	d := open(t, "optane-905p")
	texts, links := d.Sysfs()
	const ctrl, ns = "class/nvme/nvme0/", "class/block/nvme0n1/"
	for name, want := range map[string]string{
		ctrl + "model":                                  "INTEL SSDPE21D960GA                     \n",
		ctrl + "serial":                                 "QD1SIM905PFRESH00001\n",
		ctrl + "firmware_rev":                           "E2010480\n",
		ctrl + "state":                                  "live\n",
		ctrl + "transport":                              "pcie\n",
		ctrl + "address":                                "0000:01:00.0\n",
		ctrl + "cntlid":                                 "0\n",
		ctrl + "subsysnqn":                              "nqn.2014.08.org.nvmexpress:80868086QD1SIM905PFRESH00001INTEL SSDPE21D960GA                     \n",
		ctrl + "device/vendor":                          "0x8086\n",
		ctrl + "device/device":                          "0x2700\n",
		ctrl + "device/subsystem_vendor":                "0x8086\n",
		ctrl + "device/subsystem_device":                "0x3904\n",
		ctrl + "device/class":                           "0x010802\n",
		ctrl + "device/current_link_speed":              "8.0 GT/s PCIe\n",
		ctrl + "device/current_link_width":              "4\n",
		ctrl + "device/max_link_speed":                  "8.0 GT/s PCIe\n",
		ctrl + "device/max_link_width":                  "4\n",
		ctrl + "device/../max_link_speed":               "16.0 GT/s PCIe\n",
		ctrl + "device/../class":                        "0x060400\n",
		ctrl + "nvme0n1/nsid":                           "1\n",
		ctrl + "nvme0n1/device/serial":                  "QD1SIM905PFRESH00001\n",
		ctrl + "ng0n1/dev":                              "240:0\n",
		ns + "size":                                     "1875385008\n",
		ns + "queue/logical_block_size":                 "512\n",
		ns + "dev":                                      "259:0\n",
		"dev/block/259:0/wwid":                          "nvme.8086-51443153494d393035504652455348303030" + "3031-494e54454c205353445045323144393630" + "4741-00000001\n",
		"bus/pci/devices/0000:01:00.0/class":            "0x010802\n",
		"class/nvme-subsystem/nvme-subsys0/nvme0/state": "live\n",
	} {
		at := resolveUp(t, links, name)
		if got, ok := texts[at]; got != want {
			t.Errorf("%s (%s): %q, %v, want %q", name, at, got, ok, want)
		}
	}
}

// resolveUp resolves a path that may have ".." behind a link.
func resolveUp(t *testing.T, links map[string]string, name string) string {
	t.Helper()
	before, after, ok := strings.Cut(name, "/../")
	if !ok {
		return resolve(t, links, name)
	}
	return resolveUp(t, links, path.Dir(resolve(t, links, before))+"/"+after)
}

// TestSysfsLinks checks that each link leads to something in the tree, apart
// from the classes and drivers that have no files of their own.
func TestSysfsLinks(t *testing.T) {
	texts, links := open(t, "optane-905p").Sysfs()
	for name, target := range links {
		if !fs.ValidPath(name) {
			t.Errorf("link %q is not a valid path", name)
		}
		at := resolve(t, links, path.Join(path.Dir(name), target))
		found := strings.HasPrefix(at, "class/") || strings.HasPrefix(at, "bus/pci")
		for file := range texts {
			found = found || strings.HasPrefix(file, at+"/")
		}
		if !found {
			t.Errorf("link %s leads to %s, which is not there", name, at)
		}
	}
	for name, text := range texts {
		if !fs.ValidPath(name) || !strings.HasSuffix(text, "\n") {
			t.Errorf("file %q: %q", name, text)
		}
	}
}

func TestSysfsBelongsToCaller(t *testing.T) {
	d := open(t, "optane-905p")
	texts, links := d.Sysfs()
	clear(texts)
	clear(links)
	if texts, links := d.Sysfs(); len(texts) == 0 || len(links) == 0 {
		t.Error("a caller can empty the drive's maps")
	}
}

// TestSysfsNamespaces checks that the tree shows the namespaces that are
// attached now, with their identifiers.
func TestSysfsNamespaces(t *testing.T) {
	d := twoNamespaces(t, nil)
	accept(t, d, formatCmd(1, 1, 0))
	texts, links := d.Sysfs()
	for name, want := range map[string]string{
		"class/block/nvme0n1/queue/logical_block_size": "4096\n",
		"class/block/nvme0n1/queue/write_cache":        "write back\n",
		"class/block/nvme0n1/wwid":                     "eui.51443153494d4d4f0233440000000001\n",
		"class/block/nvme0n2/size":                     "2048\n",
		"class/block/nvme0n2/dev":                      "259:1\n",
		"dev/block/259:1/nsid":                         "2\n",
		"dev/char/240:1/dev":                           "240:1\n",
		"class/nvme/nvme0/subsysnqn":                   "nqn.2026-01.example.qd1:nand-modern:QD1SIMNANDMODERN0001\n",
	} {
		if got := texts[resolve(t, links, name)]; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	accept(t, d, attachCmd(2, 1, 1, 0))
	accept(t, d, with(setCmd(nvme.FIDNamespaceWriteProtected, protectYes), func(c *nvme.Command) { c.NSID = 1 }))
	texts, links = d.Sysfs()
	if _, ok := links["class/block/nvme0n2"]; ok {
		t.Error("a namespace that is not attached is shown")
	}
	if got := texts[resolve(t, links, "class/block/nvme0n1/ro")]; got != "1\n" {
		t.Errorf("ro of a protected namespace: %q", got)
	}
}
