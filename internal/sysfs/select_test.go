package sysfs

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// dev is a directory of nodes by path.
type dev map[string]struct {
	mode         fs.FileMode
	major, minor uint32
	err          error
}

func (d dev) stat(name string) (fs.FileMode, uint32, uint32, error) {
	n, ok := d[name]
	if !ok {
		return 0, 0, 0, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return n.mode, n.major, n.minor, n.err
}

const (
	charDevice  = fs.ModeDevice | fs.ModeCharDevice | 0o600
	blockDevice = fs.ModeDevice | 0o660
)

// crossedDev has the nodes of the crossed host. The names of the links and the
// misleading node show that only numbers count.
var crossedDev = dev{
	"/dev/nvme0":                        {mode: charDevice, major: 240, minor: 1},
	"/dev/nvme1":                        {mode: charDevice, major: 240, minor: 2},
	"/dev/nvme1n1":                      {mode: blockDevice, major: 259, minor: 3},
	"/dev/ng0n1":                        {mode: charDevice, major: 239, minor: 3},
	"/dev/nvme0n1":                      {mode: blockDevice, major: 259, minor: 4},
	"/dev/nvme0n2":                      {mode: blockDevice, major: 259, minor: 5},
	"/dev/ng1n2":                        {mode: charDevice, major: 239, minor: 5},
	"/dev/nvme0n1p2":                    {mode: blockDevice, major: 259, minor: 6},
	"/dev/nvme0n1p10":                   {mode: blockDevice, major: 259, minor: 7},
	"/dev/disk/by-id/nvme-THNSNEXAMPLE": {mode: blockDevice, major: 259, minor: 4},
	"/tmp/nvme0n1":                      {mode: blockDevice, major: 259, minor: 3},
	"/dev/misleading-block":             {mode: blockDevice, major: 240, minor: 1},
	"/dev/sda":                          {mode: blockDevice, major: 8, minor: 0},
	"/dev/sdq":                          {mode: blockDevice, major: 65, minor: 0},
	"/dev/dm-0":                         {mode: blockDevice, major: 253, minor: 0},
	"/dev/mapper/root":                  {mode: blockDevice, major: 253, minor: 1},
	"/dev/md127":                        {mode: blockDevice, major: 9, minor: 127},
	"/dev/loop0":                        {mode: blockDevice, major: 7, minor: 0},
	"/dev/bcache0":                      {mode: blockDevice, major: 252, minor: 0},
	"/dev/null":                         {mode: charDevice, major: 1, minor: 3},
	"/home/drive.jsonl":                 {mode: 0o644},
	"/home":                             {mode: fs.ModeDir | 0o755},
	"/run/pipe":                         {mode: fs.ModeNamedPipe | 0o644},
	"/root/secret":                      {err: &fs.PathError{Op: "stat", Path: "/root/secret", Err: syscall.EACCES}},
	"/dev/loop":                         {err: &fs.PathError{Op: "stat", Path: "/dev/loop", Err: syscall.ELOOP}},
	"/odd":                              {err: errors.New("odd")},
}

// crossedHost is the crossed tree with other block devices and layers.
func crossedHost() fs.FS {
	b := crossed()
	maps.Copy(b.Texts, map[string]string{
		"class/block/sda/dev":  "8:0\n",
		"class/block/dm-0/dev": "253:0\n", "class/block/dm-0/dm/name": "vg-data\n",
		"class/block/dm-1/dev": "253:1\n", "class/block/dm-1/dm/name": "root\n",
		"class/block/md127/dev": "9:127\n", "class/block/md127/md/level": "raid1\n",
		"class/block/loop0/dev": "7:0\n", "class/block/loop0/loop/backing_file": "/var/image\n",
		"class/block/bcache0/dev":            "252:0\n",
		"bus/pci/devices/0000:00:02.0/class": "0x030000\n",
		"bus/pci/devices/0000:03:00.0/class": "0x010802\n",
		"bus/pci/devices/0000:04:00.0/class": "0x010802\n",
	})
	maps.Copy(b.Links, map[string]string{
		"class/block/dm-0/slaves/nvme0n1p2":   "../../nvme0n1/nvme0n1p2",
		"class/block/dm-1/slaves/dm-0":        "../../dm-0",
		"class/block/dm-1/slaves/nvme1n1":     "../../nvme1n1",
		"class/block/md127/slaves/sda":        "../../sda",
		"class/block/bcache0/slaves/bcache0":  "../../bcache0",
		"class/block/bcache0/slaves/nvme0n2":  "../../nvme0n2",
		"bus/pci/devices/0000:04:00.0/driver": "../../drivers/vfio-pci",
	})
	return b.fs()
}

func TestSelect(t *testing.T) {
	first := Selection{Controller: "nvme1", NSID: 2, Block: "nvme0n1"}
	second := Selection{Controller: "nvme1", NSID: 1, Block: "nvme0n2"}
	other := Selection{Controller: "nvme0", NSID: 1, Block: "nvme1n1"}
	both := Selection{Controller: "nvme1"}
	partition := first
	partition.Partition, partition.Note = "nvme0n1p2", "nvme0n1p2 is a partition of nvme0n1: the report is about the whole drive"
	tenth := first
	tenth.Partition, tenth.Note = "nvme0n1p10", "nvme0n1p10 is a partition of nvme0n1: the report is about the whole drive"
	tests := map[string]Selection{
		"/dev/nvme0": other, "/dev/nvme1": both, "/dev/nvme1n1": other, "/dev/ng0n1": other,
		"/dev/nvme0n1": first, "/dev/nvme0n2": second, "/dev/ng1n2": second,
		"/dev/nvme0n1p2": partition, "/dev/nvme0n1p10": tenth,
		"/dev/disk/by-id/nvme-THNSNEXAMPLE": first, "/tmp/nvme0n1": other,
		"nvme0": other, "nvme1": both, "nvme0n1": first, "nvme0n2": second, "nvme1n1": other,
		"ng0n1": other, "ng1n2": second, "nvme0n1p2": partition,
		"0000:01:00.0": both, "01:00.0": both, "02:00.0": other, "0000:02:00.0": other,
		"THNSNEXAMPLE": both, "KXG50EXAMPLE": other, "thnsnexample": both, "50EXAMPLE": other, "50example": other,
	}
	fsys := crossedHost()
	for selector, want := range tests {
		got, err := selectWith(fsys, selector, crossedDev.stat)
		if err != nil {
			t.Errorf("%s: %v", selector, err)
			continue
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", selector, diff)
		}
	}
}

func TestSelectErrors(t *testing.T) {
	const list, notNVMe = "qd1 list shows the drives", "qd1 list shows the drives; USB bridges and SATA drives are not NVMe"
	const drives = "nvme0 (serial KXG50EXAMPLE, MODEL OF KXG50EXAMPLE, 0000:02:00.0), nvme1 (serial THNSNEXAMPLE, MODEL OF THNSNEXAMPLE, 0000:01:00.0)"
	tests := []struct {
		selector, text, hint string
		want                 error
	}{
		{"", "there are 2 NVMe drives: " + drives, "name one, for example by its serial number", ErrAmbiguous},
		{"/dev/nvme9", "/dev/nvme9: there is no such file or device node", list, fs.ErrNotExist},
		{"/root/secret", "/root/secret: no permission to look at this path", "run it as root, for example with sudo", fs.ErrPermission},
		{"/dev/loop", "/dev/loop: cannot look at this path: too many levels of symbolic links", list, syscall.ELOOP},
		{"/odd", "/odd: cannot look at this path: odd", list, nil},
		{
			"/home/drive.jsonl", "/home/drive.jsonl: this is a regular file, not a drive",
			"replay:/home/drive.jsonl reads it if it is a capture; qd1 bench /home/drive.jsonl measures the file system under it", ErrNotNVMe,
		},
		{"/home", "/home: this is a directory, not a drive", list, ErrNotNVMe},
		{"/run/pipe", "/run/pipe: this is not a device node", list, ErrNotNVMe},
		{"/dev/null", "/dev/null: this character device is not an NVMe drive's", notNVMe, ErrNotNVMe},
		{"/dev/misleading-block", "/dev/misleading-block: this block device is not an NVMe drive", notNVMe, ErrNotNVMe},
		{"/dev/sda", "/dev/sda: sda is another kind of block device, not an NVMe drive", notNVMe, ErrNotNVMe},
		{"/dev/sdq", "/dev/sdq: this block device is not an NVMe drive", notNVMe, ErrNotNVMe},
		{"/dev/dm-0", "/dev/dm-0: dm-0 is the device-mapper volume vg-data on nvme0n1, not a drive", "name the drive under it: /dev/nvme0n1", ErrNotNVMe},
		{
			"/dev/mapper/root", "/dev/mapper/root: dm-1 is the device-mapper volume root on nvme0n1, nvme1n1, not a drive",
			"name the drive under it: /dev/nvme0n1 or /dev/nvme1n1", ErrNotNVMe,
		},
		{"/dev/md127", "/dev/md127: md127 is a raid1 array, not a drive", list, ErrNotNVMe},
		{"/dev/loop0", "/dev/loop0: loop0 is a loop device of the file /var/image, not a drive", list, ErrNotNVMe},
		{"/dev/bcache0", "/dev/bcache0: bcache0 is a device on nvme0n2, not a drive", "name the drive under it: /dev/nvme0n2", ErrNotNVMe},
		{"nvme7", "nvme7: there is no NVMe device of this name", list, fs.ErrNotExist},
		{"nvme1n2", "nvme1n2: there is no NVMe device of this name", list, fs.ErrNotExist},
		{"05:00.0", "05:00.0: there is no PCI device at this address", list, fs.ErrNotExist},
		{"0000:00:02.0", "0000:00:02.0: the PCI device at this address is not an NVMe controller (class 0x030000)", list, ErrNotNVMe},
		{
			"03:00.0", "03:00.0: the NVMe controller at this address has no driver",
			"load the nvme module, and see what the kernel log says about the drive", fs.ErrNotExist,
		},
		{
			"04:00.0", "04:00.0: the NVMe controller at this address belongs to the driver vfio-pci",
			"give it back to the kernel's nvme driver, or see in the kernel log why that gave it up", fs.ErrNotExist,
		},
		{"PLE", "PLE: no drive has this serial number", "the end of a serial number needs 4 characters or more; " + list, fs.ErrNotExist},
		{"MPLE", "MPLE: 2 drives have a serial number that ends so: " + drives, "give more of the serial number", ErrAmbiguous},
		{
			"drive.jsonl", "drive.jsonl: no drive has this serial number or identifier",
			list + "; a path needs a slash, a capture is replay:FILE, a simulated drive sim:PROFILE", fs.ErrNotExist,
		},
		{
			"\x1b[2Jx", `"\x1b[2Jx": no drive has this serial number or identifier`,
			list + "; a path needs a slash, a capture is replay:FILE, a simulated drive sim:PROFILE", fs.ErrNotExist,
		},
	}
	fsys := crossedHost()
	for _, tt := range tests {
		got, err := selectWith(fsys, tt.selector, crossedDev.stat)
		var se *SelectError
		if got != nil || !errors.As(err, &se) {
			t.Errorf("%s: %+v, %v, want a SelectError", tt.selector, got, err)
			continue
		}
		if se.Error() != tt.text || se.Hint != tt.hint || se.Selector != tt.selector {
			t.Errorf("%s: %q, hint %q\nwant %q, hint %q", tt.selector, se, se.Hint, tt.text, tt.hint)
		}
		if tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: %v does not match %v", tt.selector, err, tt.want)
		}
	}
}

func TestSelectWithoutDrives(t *testing.T) {
	for _, selector := range []string{"", "nvme0", "01:00.0", "SERIAL"} {
		_, err := selectWith(Map(nil, nil), selector, dev{}.stat)
		var se *SelectError
		if !errors.As(err, &se) || se.Cause != "no NVMe drive is present" || !strings.Contains(se.Hint, "lspci") || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", selector, err)
		}
	}
	closed := failing{Map(nil, nil), func(string) error { return fs.ErrPermission }}
	_, err := selectWith(closed, "nvme0", dev{}.stat)
	var se *SelectError
	if !errors.As(err, &se) || !errors.Is(err, fs.ErrPermission) || se.Hint == "" {
		t.Errorf("closed tree: %v, want a permission error with a hint", err)
	}
}

func TestSelectOnly(t *testing.T) {
	got, err := selectWith(linked().fs(), "", dev{}.stat)
	if diff := cmp.Diff(&Selection{Controller: "nvme0", NSID: 1, Block: "nvme0n1"}, got); diff != "" || err != nil {
		t.Errorf("only drive: %v (-want +got):\n%s", err, diff)
	}
	got, err = selectWith(load(t, "tree-apple-nvme").fs(), "", dev{}.stat)
	if diff := cmp.Diff(&Selection{Controller: "nvme0"}, got); diff != "" || err != nil {
		t.Errorf("only drive with three namespaces: %v (-want +got):\n%s", err, diff)
	}
}

func TestSelectOneOfTwoControllers(t *testing.T) {
	const one, two = "devices/pci0000:00/0000:00:03.1/0000:21:00.0/nvme/nvme1", "devices/pci0000:40/0000:40:03.1/0000:61:00.0/nvme/nvme2"
	note := func(name, other string) string {
		return name + " is one of several controllers of this drive, beside " + other
	}
	all := twoControllers()
	dead := all.with(map[string]string{one + "/state": "dead\n"})
	worse := all.with(map[string]string{one + "/state": "dead\n", two + "/state": "resetting\n"})
	alone := all.with(nil)
	delete(alone.Links, "class/nvme/nvme3")
	tests := []struct {
		name, selector string
		tree           tree
		controller     string
		note           string
	}{
		{"serial", "DUALPORT0001", all.tree, "nvme1", note("nvme1", "nvme2")},
		{"end of the serial", "port0001", all.tree, "nvme1", note("nvme1", "nvme2")},
		{"only drive", "", alone, "nvme1", note("nvme1", "nvme2")},
		{"namespace", "nvme1n1", all.tree, "nvme1", note("nvme1", "nvme2")},
		{"node", "/dev/nvme1n1", all.tree, "nvme1", note("nvme1", "nvme2")},
		{"dead path", "DUALPORT0001", dead, "nvme2", note("nvme2", "nvme1")},
		{"namespace with a dead path", "nvme1n1", dead, "nvme2", note("nvme2", "nvme1")},
		{"no live path", "DUALPORT0001", worse, "nvme2", note("nvme2", "nvme1") + "; nvme2 is resetting"},
		{"address of the second", "61:00.0", all.tree, "nvme2", note("nvme2", "nvme1")},
		{"name of the dead one", "nvme1", dead, "nvme1", note("nvme1", "nvme2") + "; nvme1 is dead"},
	}
	nodes := dev{"/dev/nvme1n1": {mode: blockDevice, major: 259, minor: 4}}
	for _, tt := range tests {
		got, err := selectWith(tt.tree.fs(), tt.selector, nodes.stat)
		want := &Selection{Controller: tt.controller, NSID: 1, Block: "nvme1n1", Note: tt.note}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}

func TestSelectTwins(t *testing.T) {
	b := newBuilder()
	one := b.controller("nvme0", 0, "pci0000:00/0000:00:01.0/0000:01:00.0", "TWIN0001")
	two := b.controller("nvme1", 1, "pci0001:00/0001:00:01.0/0001:01:00.0", "TWIN0001")
	lower := b.controller("nvme2", 2, "pci0000:00/0000:00:02.0/0000:02:00.0", "twin0001")
	for i, dir := range []string{one, two, lower} {
		ns := b.namespace(dir, []string{"nvme0n1", "nvme1n1", "nvme2n1"}[i], 1, "")
		b.Texts[ns+"/wwid"] = "eui.0123456789abcdef\n"
	}
	tests := []struct{ selector, cause, hint string }{
		{"TWIN0001", "2 drives have this serial number: ", "name one by its PCI address"},
		{"Twin0001", "3 drives have this serial number: ", "name one by its PCI address"},
		{"01:00.0", "several PCI domains have a drive at this address: ", "give the address with its domain"},
		{"0123456789ABCDEF", "several namespaces have this identifier: ", "name one by its node"},
	}
	for _, tt := range tests {
		_, err := selectWith(b.fs(), tt.selector, dev{}.stat)
		var se *SelectError
		if !errors.As(err, &se) || !strings.HasPrefix(se.Cause, tt.cause) || se.Hint != tt.hint || !errors.Is(err, ErrAmbiguous) {
			t.Errorf("%s: %v, want %s", tt.selector, err, tt.cause)
		}
		if !strings.Contains(err.Error(), "0001:01:00.0") {
			t.Errorf("%s: %v does not show the addresses", tt.selector, err)
		}
	}
	for selector, want := range map[string]string{"twin0001": "nvme2", "0001:01:00.0": "nvme1", "0000:01:00.0": "nvme0"} {
		if got, err := selectWith(b.fs(), selector, dev{}.stat); err != nil || got.Controller != want {
			t.Errorf("%s: %+v, %v, want %s", selector, got, err, want)
		}
	}
}

func TestSelectIdentifier(t *testing.T) {
	kingston := loadBlockOnly(t, "multi-devs-bcachefs")
	simple := loadBlockOnly(t, "simple-nvme")
	zero := kingston.with(map[string]string{"devices/pci0000:00/0000:00:1c.4/0000:05:00.0/nvme/nvme0/nvme0n1/eui": "00 00 00 00 00 00 00 00\n"})
	tests := []struct {
		selector string
		tree     tree
		found    bool
	}{
		{"4566b1544d61b820", kingston, true},
		{"45 66 b1 54 4d 61 b8 20", kingston, true},
		{"eui.4566B1544D61B820", kingston, true},
		{"0x4566b1544d61b820", kingston, true},
		{"62265334-4327-4773-8451-c1468c72e287", kingston, true},
		{"62265334432747738451c1468c72e287", kingston, true},
		{"eui.00000048650797555278f2654f61f329", kingston, true},
		{"00000048650797555278f2654f61f329", kingston, true},
		{"nvme.1987-35303033374139363432333038323245-4b494e4753544f4e20534b433130303032343047-00000001", simple, true},
		{"4566b1544d61b8", kingston, false},
		{"4566b1544d61b821", kingston, false},
		{"0000000000000000", zero, false},
	}
	for _, tt := range tests {
		got, err := selectWith(tt.tree.fs(), tt.selector, dev{}.stat)
		if found := err == nil; found != tt.found {
			t.Errorf("%s: %+v, %v, want found %v", tt.selector, got, err, tt.found)
		}
		if err == nil && cmp.Diff(&Selection{Controller: "nvme0", NSID: 1, Block: "nvme0n1"}, got) != "" {
			t.Errorf("%s: %+v", tt.selector, got)
		}
	}
}

// TestSelectUnknownSubsystems has two drives of one serial number on a kernel
// that does not list subsystems: nothing says that they are one.
func TestSelectUnknownSubsystems(t *testing.T) {
	b := newBuilder()
	b.controller("nvme0", 0, "pci0000:00/0000:00:01.0/0000:01:00.0", "TWIN0001")
	b.controller("nvme1", 0, "pci0000:00/0000:00:02.0/0000:02:00.0", "TWIN0001")
	delete(b.Links, "class/nvme-subsystem/nvme-subsys0")
	if got, err := selectWith(b.fs(), "TWIN0001", dev{}.stat); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("twins of unknown subsystems: %+v, %v, want ErrAmbiguous", got, err)
	}
}

// TestSelectClonedIdentifier has two namespaces of one drive with the same
// identifier.
func TestSelectClonedIdentifier(t *testing.T) {
	b := crossed()
	const drive = "devices/pci0000:00/0000:00:1b.0/0000:01:00.0/nvme/nvme1/"
	tr := b.with(map[string]string{drive + "nvme0n1/wwid": "eui.0123456789abcdef\n", drive + "nvme0n2/wwid": "eui.0123456789abcdef\n"})
	if got, err := selectWith(tr.fs(), "0123456789abcdef", dev{}.stat); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("clones: %+v, %v, want ErrAmbiguous", got, err)
	}
}

// TestSelectSharedIdentifier finds one namespace through two controllers.
func TestSelectSharedIdentifier(t *testing.T) {
	got, err := selectWith(load(t, "tree-pcie").fs(), "eui.36525451883287943583699973963903", dev{}.stat)
	want := &Selection{
		Controller: "nvme1", NSID: 1, Block: "nvme1n1", Note: "nvme1 is one of several controllers of this drive, beside nvme2",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestSelectOnThisHost looks at real paths, none of which is an NVMe drive.
func TestSelectOnThisHost(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := file + ".link"
	if err := os.Symlink("/dev/null", link); err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{
		file: "this is a regular file, not a drive", filepath.Dir(file): "this is a directory, not a drive",
		file + ".missing": "there is no such file or device node", link: "this character device is not an NVMe drive's",
	}
	for selector, want := range tests {
		_, err := Select(crossedHost(), selector)
		var se *SelectError
		if !errors.As(err, &se) || se.Cause != want {
			t.Errorf("Select(%s) = %v, want %s", selector, err, want)
		}
	}
	mode, major, minor, err := statNode("/dev/null")
	if mode.Type() != fs.ModeDevice|fs.ModeCharDevice || major != 1 || minor != 3 || err != nil {
		t.Errorf("statNode(/dev/null) = %v, %d:%d, %v, want character device 1:3", mode, major, minor, err)
	}
}
