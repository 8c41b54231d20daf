package sysfs

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readCase decodes a file of a problem case.
func readCase[T any](t *testing.T, name string) T {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	var v T
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestCase28DeviceSuffixIsNotNSID holds that the NSID comes from the attribute,
// whatever number the name ends in.
func TestCase28DeviceSuffixIsNotNSID(t *testing.T) {
	b := newBuilder()
	dir := b.controller("nvme0", 0, "pci0000:00/0000:00:01.0/0000:01:00.0", "SUFFIX000001")
	for name, v := range readCase[map[string]any](t, "28-device-suffix-is-not-nsid/sysfs.json") {
		text, ok := v.(string)
		if !ok {
			continue
		}
		b.namespace(dir, path.Base(path.Dir(name)), 9, "")
		b.Texts[dir+"/"+path.Base(path.Dir(name))+"/nsid"] = text
	}
	got := map[string]uint32{}
	for _, n := range mustRead(t, b.fs(), "nvme0").Namespaces {
		got[n.Block] = n.NSID
	}
	want := map[string]uint32{"nvme0n1": 2, "nvme0n2": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("NSID by block device (-want +got):\n%s", diff)
	}
	for block, nsid := range want {
		if sel, err := selectWith(b.fs(), block, dev{}.stat); err != nil || sel.NSID != nsid || sel.Block != block {
			t.Errorf("%s: selection %+v, %v, want namespace %d", block, sel, err, nsid)
		}
	}
}

// TestCase29ControllerNumberIsNotNamespaceNumber holds that what belongs together
// follows from the subsystem, and that a controller's name selects its drive.
func TestCase29ControllerNumberIsNotNamespaceNumber(t *testing.T) {
	const folder = "29-controller-number-is-not-namespace-number/sysfs.json"
	tree := readCase[map[string]json.RawMessage](t, folder)
	b := newBuilder()
	for i, name := range []string{"nvme0", "nvme1"} {
		var c struct{ Serial, Subsystem string }
		if err := json.Unmarshal(tree["sys/class/nvme/"+name], &c); err != nil {
			t.Fatal(err)
		}
		number := int(c.Subsystem[len(c.Subsystem)-1] - '0')
		dir := b.controller(name, number, []string{"pci0000:00/0000:00:1d.0/0000:02:00.0", "pci0000:00/0000:00:1b.0/0000:01:00.0"}[i], c.Serial)
		var members []string
		if err := json.Unmarshal(tree["sys/class/nvme-subsystem/"+c.Subsystem], &members); err != nil {
			t.Fatal(err)
		}
		for _, m := range members {
			if m != name {
				b.namespace(dir, m, 1, "")
			}
		}
	}
	for selector, want := range map[string]struct{ controller, block, serial string }{
		"nvme1": {"nvme1", "nvme0n1", "SERIAL-OF-THNSN"}, "nvme0n1": {"nvme1", "nvme0n1", "SERIAL-OF-THNSN"},
		"nvme1n1": {"nvme0", "nvme1n1", "SERIAL-OF-KXG50"}, "nvme0": {"nvme0", "nvme1n1", "SERIAL-OF-KXG50"},
		"SERIAL-OF-KXG50": {"nvme0", "nvme1n1", "SERIAL-OF-KXG50"},
	} {
		sel, err := selectWith(b.fs(), selector, dev{}.stat)
		if err != nil {
			t.Errorf("%s: %v", selector, err)
			continue
		}
		c := mustRead(t, b.fs(), sel.Controller)
		if c.Name != want.controller || c.Serial != want.serial || len(c.Namespaces) != 1 || c.Namespaces[0].Block != want.block {
			t.Errorf("%s: %s with serial %s and %+v, want %+v", selector, c.Name, c.Serial, c.Namespaces, want)
		}
	}
}

// TestCase31TwoControllersOneNamespace holds that both controllers of a drive
// show the same subsystem, serial number and namespace.
func TestCase31TwoControllersOneNamespace(t *testing.T) {
	host := readCase[map[string]struct{ Controllers, Namespaces []string }](t, "31-two-controllers-one-namespace/sysfs.json")
	b := newBuilder()
	for subsystem, s := range host {
		for i, name := range s.Controllers {
			dir := b.controller(name, 1, []string{"pci0000:00/0000:00:03.1/0000:21:00.0", "pci0000:40/0000:40:03.1/0000:61:00.0"}[i], "DUALPORT0001")
			drive, nsid, _ := strings.Cut(s.Namespaces[0][4:], "n")
			b.path(dir, "nvme"+drive+"c"+name[4:]+"n"+nsid, 1)
		}
		for _, n := range s.Namespaces {
			b.namespace("devices/virtual/nvme-subsystem/"+subsystem, n, 1, "")
		}
	}
	var drives []*Controller
	for _, name := range []string{"nvme1", "nvme2"} {
		c := mustRead(t, b.fs(), name)
		if c.Subsystem != "nvme-subsys1" || c.Serial != "DUALPORT0001" || len(c.Namespaces) != 1 || c.Namespaces[0].Block != "nvme1n1" {
			t.Errorf("%s: subsystem %s, serial %s, namespaces %+v", name, c.Subsystem, c.Serial, c.Namespaces)
		}
		drives = append(drives, c)
	}
	if drives[0].Address == drives[1].Address {
		t.Error("the two paths are one")
	}
	sel, err := selectWith(b.fs(), "DUALPORT0001", dev{}.stat)
	if err != nil || sel.Controller == "" || !strings.Contains(sel.Note, "nvme2") {
		t.Errorf("by serial: %+v, %v, want one drive with a note of its other controller", sel, err)
	}
}

// TestCase61NotNVMe holds that a disk of the SCSI layer is told from an NVMe drive
// before any NVMe command could be sent to it.
func TestCase61NotNVMe(t *testing.T) {
	nodes := dev{"/dev/sda": {mode: blockDevice, major: 8, minor: 0}, "/dev/sdc1": {mode: blockDevice, major: 8, minor: 33}}
	b := crossed()
	b.Texts["class/block/sda/dev"], b.Texts["class/block/sdc1/dev"] = "8:0\n", "8:33\n"
	for _, node := range []string{"/dev/sda", "/dev/sdc1"} {
		sel, err := selectWith(b.fs(), node, nodes.stat)
		if sel != nil || err == nil || !strings.Contains(err.Error(), "not an NVMe drive") {
			t.Errorf("%s: %+v, %v", node, sel, err)
		}
		if se, ok := err.(*SelectError); !ok || !strings.Contains(se.Hint, "USB bridges and SATA drives are not NVMe") {
			t.Errorf("%s: hint of %#v", node, err)
		}
	}
}

// TestCase64StatesAreRead holds that what the host knows of a dead or resetting
// controller is read without a command.
func TestCase64StatesAreRead(t *testing.T) {
	b := newBuilder()
	want := map[string]string{}
	for name, attributes := range readCase[map[string]map[string]string](t, "64-controller-dead-or-resetting/sysfs.json") {
		if state, ok := attributes["state"]; ok {
			number := int(name[4] - '0')
			dir := b.controller(name, number, "pci0000:00/0000:00:0"+name[4:]+".0", "STATE000000"+name[4:])
			b.Texts[dir+"/state"] = state
			want[name] = strings.TrimSpace(state)
		}
	}
	for name, state := range want {
		if c := mustRead(t, b.fs(), name); c.State != state || c.Serial == "" || c.Model == "" {
			t.Errorf("%s: %+v, want it %s with its serial number and model", name, c, state)
		}
	}
	if len(want) != 3 {
		t.Errorf("states %v", want)
	}
}
