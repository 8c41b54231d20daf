package sysfs

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// function is a PCI function as sysfs shows it.
func function(address, class, id, driver string, more map[string]string) tree {
	vendor, device, _ := strings.Cut(id, ":")
	dir := busPCI + "/" + address
	tr := tree{
		Texts: map[string]string{dir + "/class": class + "\n", dir + "/vendor": "0x" + vendor + "\n", dir + "/device": "0x" + device + "\n"},
		Links: map[string]string{},
	}
	if driver != "" {
		tr.Links[dir+"/driver"] = "../../../bus/pci/drivers/" + driver
	}
	for name, text := range more {
		tr.Texts[dir+"/"+name] = text
	}
	return tr
}

func host(functions ...tree) tree {
	all := tree{map[string]string{}, map[string]string{}}
	for _, f := range functions {
		maps.Copy(all.Texts, f.Texts)
		maps.Copy(all.Links, f.Links)
	}
	return all
}

func TestFindHidden(t *testing.T) {
	const nvme, raid = "0x010802", "0x010400"
	vmd := function("0000:00:0e.0", raid, "8086:9a0b", "vmd", nil)
	for _, tt := range []struct {
		name string
		host tree
		want string // address, hiding and driver of each
		says string
	}{
		{"nothing", host(), "", ""},
		{"a drive", host(function("0000:01:00.0", nvme, "8086:2700", "nvme", nil)), "", ""},
		{"a disk controller", host(function("0000:00:17.0", "0x010601", "8086:a352", "ahci", nil)), "", ""},
		{"passed to a machine", host(function("0000:01:00.0", nvme, "8086:2700", "vfio-pci", nil)), "0000:01:00.0 driver vfio-pci", "the driver vfio-pci has"},
		{"without a driver", host(function("0000:01:00.0", nvme, "8086:2700", "", nil)), "0000:01:00.0 unbound ", "without a driver"},
		{"volume management without a driver", host(function("0000:00:0e.0", raid, "8086:467f", "", nil)), "0000:00:0e.0 vmd ", "load the module vmd"},
		{"volume management with nothing behind", host(vmd), "0000:00:0e.0 vmd vmd", "no drive has shown up"},
		{"volume management with a drive", host(vmd, function("10000:e1:00.0", nvme, "8086:2700", "nvme", nil)), "", ""},
		{"a drive beside volume management", host(vmd, function("0000:01:00.0", nvme, "8086:2700", "nvme", nil)), "0000:00:0e.0 vmd vmd", ""},
		{"RAID mode", host(function("0000:00:17.0", raid, "8086:282a", "ahci", nil)), "0000:00:17.0 raid ahci", "may keep NVMe drives"},
		{"RAID mode, two remapped", host(function("0000:00:17.0", raid, "8086:282a", "ahci", map[string]string{"remapped_nvme": "2\n"})), "0000:00:17.0 raid ahci", "keeps 2 NVMe drive(s)"},
		{"RAID mode, none remapped", host(function("0000:00:17.0", raid, "8086:282a", "ahci", map[string]string{"remapped_nvme": "0\n"})), "", ""},
		{"a RAID card", host(function("0000:03:00.0", raid, "1000:005d", "megaraid_sas", nil)), "", ""},
		{"in order", host(function("0000:02:00.0", nvme, "8086:2700", "", nil), function("0000:01:00.0", nvme, "8086:2700", "", nil)),
			"0000:01:00.0 unbound , 0000:02:00.0 unbound ", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got, said []string
			for _, h := range FindHidden(tt.host.fs()) {
				got = append(got, h.Address+" "+string(h.Hiding)+" "+h.Driver)
				said = append(said, h.String())
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if text := strings.Join(said, "\n"); !strings.Contains(text, tt.says) {
				t.Errorf("got %q, want %q in it", text, tt.says)
			}
		})
	}
}

// Where there is no drive, the next step is what may hide one.
func TestNoDriveHint(t *testing.T) {
	for want, tr := range map[string]tree{
		"lspci":             host(),
		"driver vfio-pci":   host(function("0000:01:00.0", "0x010802", "8086:2700", "vfio-pci", nil)),
		"Volume Management": host(function("0000:00:0e.0", "0x010400", "8086:467f", "", nil)),
	} {
		_, err := Select(tr.fs(), "")
		var se *SelectError
		if !errors.As(err, &se) || !strings.Contains(se.Hint, want) {
			t.Errorf("got %v, want a hint with %q", err, want)
		}
	}
}
