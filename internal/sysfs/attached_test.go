package sysfs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAttached(t *testing.T) {
	drive := Port{Address: "0000:01:00.0", VendorID: 0x8086}
	intel := func(address string) []Port { return []Port{{Address: address, VendorID: vendorIntel}, drive} }
	for _, tt := range []struct {
		name string
		path []Port
		want Attachment
	}{
		{"hub, first port", intel("0000:00:1b.0"), AttachedToChipset},
		{"hub, last port", intel("0000:00:1d.7"), AttachedToChipset},
		{"hub of 2022", intel("0000:00:1a.0"), AttachedToChipset},
		{"graphics port", intel("0000:00:01.0"), AttachedToCPU},
		{"storage port", intel("0000:00:06.0"), AttachedToCPU},
		{"server", intel("0000:64:02.0"), AttachedToCPU},
		{"server, a bus with the device of a hub", intel("0000:64:1c.0"), AttachedToCPU},
		{"hub behind volume management", intel("10000:e0:1d.0"), AttachedToChipset},
		{"processor behind volume management", intel("10000:e0:06.0"), AttachedToCPU},
		{"another device", intel("0000:00:14.0"), AttachedUnknown},
		{"no address", intel("x"), AttachedUnknown},
		{"AMD", []Port{{Address: "0000:00:01.1", VendorID: vendorAMD}, drive}, AttachedToCPU},
		{"AMD, a switch of a card", []Port{{VendorID: vendorAMD}, {VendorID: 0x1B21, DeviceID: 0x2824}, drive}, AttachedToCPU},
		{"AMD X570", []Port{{VendorID: vendorAMD}, {VendorID: vendorAMD, DeviceID: 0x57AD}, {VendorID: vendorAMD, DeviceID: 0x57A3}, drive}, AttachedToChipset},
		{"AMD 600 series", []Port{{VendorID: vendorAMD}, {VendorID: vendorAMD, DeviceID: 0x43F4}, drive}, AttachedToChipset},
		{"AMD, the drive is no switch", []Port{{VendorID: vendorAMD}, {VendorID: vendorAMD, DeviceID: 0x43F4}}, AttachedToCPU},
		{"Arm", []Port{{Address: "0004:00:00.0", VendorID: 0x17CB}, drive}, AttachedUnknown},
		{"identity not known", []Port{{Address: "0000:00:1b.0"}, drive}, AttachedUnknown},
		{"only the drive", []Port{drive}, AttachedUnknown},
		{"no path", nil, AttachedUnknown},
	} {
		if got := (&Link{Path: tt.path}).Attached(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := (*Link)(nil).Attached(); got != AttachedUnknown {
		t.Errorf("no link: got %q", got)
	}
}

func TestReadASPM(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts map[string]string
		want  []string
	}{
		{"not told", map[string]string{"d/class": "0x010802\n"}, nil},
		{"off", map[string]string{"d/link/l0s_aspm": "0\n", "d/link/l1_aspm": "0\n"}, []string{}},
		{"on", map[string]string{"d/link/l1_2_aspm": "1\n", "d/link/l1_aspm": "1\n", "d/link/l1_1_aspm": "0\n", "d/link/clkpm": "1\n"}, []string{"L1", "L1.2"}},
	} {
		if diff := cmp.Diff(tt.want, readASPM(Map(tt.texts, nil), "d")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestKernel(t *testing.T) {
	texts := map[string]string{
		"c/queue_count": "17\n", "c/hmb": "1\n", "c/power/pm_qos_latency_tolerance_us": "100000\n",
		"block/nvme0n2/queue/scheduler": "[none] mq-deadline kyber\n", "block/nvme0n2/queue/write_cache": "write through\n",
		"module/pcie_aspm/parameters/policy": "default performance [powersave] powersupersave\n",
	}
	want := Kernel{Queues: new(16), HMB: new(true), LatencyTolerance: "100000", Scheduler: "none", WriteCache: "write through", ASPMPolicy: "powersave"}
	got := kernelOf(Map(texts, nil), "c", []Namespace{{NSID: 1}, {NSID: 2, Block: "nvme0n2"}, {NSID: 3, Block: "nvme0n3"}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Kernel{}, kernelOf(Map(nil, nil), "c", nil)); diff != "" {
		t.Errorf("a host that says nothing (-want +got):\n%s", diff)
	}
	for text, want := range map[string]string{"none\n": "none\n", "a [b] c": "b", "a [b": "b", "": ""} {
		if got := chosen(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
