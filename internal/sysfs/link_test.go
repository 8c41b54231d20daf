package sysfs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadLink(t *testing.T) {
	counted := &AER{
		Correctable: ptr[uint64](13), NonFatal: ptr[uint64](0),
		Kinds: []AERCount{{"correctable", "BadTLP", 12}, {"correctable", "BadDLLP", 1}},
	}
	want := &Link{
		SpeedGTs: ptr(2.5), MaxSpeedGTs: ptr(8.0), Width: ptr(2), MaxWidth: ptr(4),
		Path: []Port{
			{Address: "0000:00:1c.4", SpeedGTs: ptr(8.0), MaxSpeedGTs: ptr(8.0), Width: ptr(4), MaxWidth: ptr(4), Class: "0x060400"},
			{Address: "0000:05:00.0", SpeedGTs: ptr(8.0), MaxSpeedGTs: ptr(16.0), Width: ptr(4), MaxWidth: ptr(8), Class: "0x060400"},
			{Address: "0000:06:01.0", SpeedGTs: ptr(2.5), Width: ptr(2), Class: "0x060400"},
			{Address: "0000:07:00.0", SpeedGTs: ptr(2.5), MaxSpeedGTs: ptr(8.0), Width: ptr(2), MaxWidth: ptr(4), Class: "0x010802", VendorID: 0x8086, DeviceID: 0x2700, AER: counted},
		},
		AER: counted,
	}
	c := mustRead(t, linked().fs(), "nvme0")
	if diff := cmp.Diff(want, c.Link); diff != "" {
		t.Errorf("link (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&PCI{"0000:07:00.0", 0x8086, 0x2700, 0x8086, 0x3900}, c.PCI); diff != "" {
		t.Errorf("PCI (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(ptr(1), c.NUMANode); diff != "" {
		t.Errorf("NUMA node (-want +got):\n%s", diff)
	}
}

func TestPorts(t *testing.T) {
	tests := []struct {
		name, device string
		want         []string
	}{
		{"root port and drive", "devices/pci0000:00/0000:00:1b.0/0000:01:00.0", []string{"devices/pci0000:00/0000:00:1b.0", "devices/pci0000:00/0000:00:1b.0/0000:01:00.0"}},
		{
			"behind volume management", "devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0",
			[]string{"devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0", "devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0"},
		},
		{"below a platform device", "devices/platform/soc/1c00000.pcie/pci0004:00/0004:00:00.0/0004:01:00.0", []string{
			"devices/platform/soc/1c00000.pcie/pci0004:00/0004:00:00.0", "devices/platform/soc/1c00000.pcie/pci0004:00/0004:00:00.0/0004:01:00.0",
		}},
		{"not PCI", "devices/platform/soc/27bcc0000.nvme", nil},
		{"no path", "", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, ports(tt.device)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestParseSpeed(t *testing.T) {
	tests := []struct {
		text string
		want *float64
	}{
		{"2.5 GT/s PCIe", ptr(2.5)},
		{"8.0 GT/s PCIe", ptr(8.0)},
		{"8 GT/s", ptr(8.0)},
		{"64.0 GT/s PCIe", ptr(64.0)},
		{"Unknown", nil},
		{"Unknown speed", nil},
		{"255", nil},
		{"", nil},
		{"8.0", nil},
		{"8.0 MHz", nil},
		{"0 GT/s", nil},
		{"-8.0 GT/s PCIe", nil},
		{"NaN GT/s", nil},
		{"Inf GT/s", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, parseSpeed(tt.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestParseWidth(t *testing.T) {
	for text, want := range map[string]*int{
		"1": ptr(1), "4": ptr(4), "16": ptr(16), "32": ptr(32),
		"0": nil, "255": nil, "63": nil, "-4": nil, "x4": nil, "": nil, "99999999999999999999": nil,
	} {
		if diff := cmp.Diff(want, parseWidth(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestReadAERJunk(t *testing.T) {
	for text, want := range map[string]*AER{
		"":                        nil,
		"TOTAL_ERR_COR\n":         nil,
		"TOTAL_ERR_COR x\n":       nil,
		"RxErr 5\n":               nil,
		"A B C\nTOTAL_ERR_COR 0":  {Correctable: ptr[uint64](0)},
		"TOTAL_ERR_COR 184467440": {Correctable: ptr[uint64](184467440)},
	} {
		got := readAER(Map(map[string]string{"d/aer_dev_correctable": text}, nil), "d")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestRealPath(t *testing.T) {
	fsys := crossed().fs()
	got, err := realPath(fsys, "class/nvme/nvme0/device")
	if want := "devices/pci0000:00/0000:00:1d.0/0000:02:00.0"; got != want || err != nil {
		t.Errorf("realPath = %q, %v, want %q", got, err, want)
	}
	endless := Map(nil, map[string]string{"a": "b", "b": "a", "out": "../../x"})
	for _, name := range []string{"a", "out"} {
		if got, err := realPath(endless, name); err == nil {
			t.Errorf("realPath(%s) = %q, want an error", name, got)
		}
	}
}
