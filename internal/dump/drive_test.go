package dump

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// TestHas checks fields that a dump has, has not, has because the tool leaves
// out what is zero, and has rounded.
func TestHas(t *testing.T) {
	const (
		old   = "smartctl/telegraf-TS128GMTE850.txt" // smartctl 6.5, no capabilities.
		apple = "smartctl/apple-macOS-internal-ssd-excerpt.txt"
		p4800 = "smartctl/optane-P4800X-SSDPED1K375GA.txt"
		plain = "nvme-cli/smart-log-samsung-970EVO.txt"
		list  = "nvme-cli/list-optane-MEMPEK1J032GAD.txt"
	)
	for _, tc := range []struct {
		file, field  string
		has, rounded bool
	}{
		{p4800, "smart", true, false},
		{p4800, "smart.power_on_hours", true, false},
		{p4800, "smart.temperature_sensors_kelvin", true, false}, // None, left out.
		{p4800, "smart.warning_temperature_minutes", true, false},
		{p4800, "smart.tmt1_seconds", true, false},
		{p4800, "identify_controller.wctemp", true, false},
		{p4800, "identify_controller.tnvmcap", true, false},
		{p4800, "identify_controller.sqes", false, false},
		{p4800, "identify_controller.fna", false, false},
		{p4800, "namespaces.nuse", true, false}, // As the capacity, left out.
		{p4800, "namespaces.nguid", false, false},
		{p4800, "firmware", false, false},
		{p4800, "smart.no_such_field", false, false},
		{p4800, "no_such_page", false, false},
		{old, "identify_controller.wctemp", false, false},
		{old, "identify_controller.oacs", false, false},
		{old, "namespaces.lbafs", false, false},
		{old, "errors", false, false},
		{apple, "smart.tmt1_seconds", false, false}, // Not known which version.
		{apple, "identify_controller.mdts", true, false},
		{apple, "identify_controller.sn", false, false},
		{plain, "smart.endurance_group_critical_warning", false, false},
		{plain, "identify_controller", false, false},
		{list, "namespaces.nsze", true, true},
		{list, "namespaces.nuse", true, true},
		{list, "namespaces.ncap", false, false},
		{list, "namespaces", true, false},
		{list, "smart", false, false},
	} {
		d := file(t, tc.file)
		if d.Has(tc.field) != tc.has || d.Rounded(tc.field) != tc.rounded {
			t.Errorf("%s: %s: has %t, rounded %t", tc.file, tc.field, d.Has(tc.field), d.Rounded(tc.field))
		}
	}
}

// TestCutOff checks that what a tool leaves out where it is zero is missing
// where the output ends before it.
func TestCutOff(t *testing.T) {
	const text = "smartctl 7.4 2023-08-01 r5530 [x86_64-linux-6.1.0] (local build)\n\n" +
		"=== START OF SMART DATA SECTION ===\nSMART/Health Information (NVMe Log 0x02)\nCritical Warning: 0x00\nTemperature: 35 Celsius\nPower Cycles: 5\n"
	const rest = "Error Information Log Entries: 0\n"
	for _, tc := range []struct {
		text string
		has  bool
	}{
		{text, false}, {text + rest, false}, {text + rest + "\n", true}, {text + "\n", false},
		{text + rest + "Temperature Sensor 1: 35 Celsius\n", true},
	} {
		d := only(t, read(t, tc.text))
		if got := d.Has("smart.warning_temperature_minutes"); got != tc.has || !d.Has("smart.power_cycles") {
			t.Errorf("%q: has %t, want %t", tc.text[len(text):], got, tc.has)
		}
	}
	d := only(t, read(t, text))
	if d.Has("smart.media_errors") || !slices.Contains(d.Missing(), "smart.media_errors") || !slices.Contains(d.Missing(), PageFirmware) {
		t.Errorf("missing: %v", d.Missing())
	}
}

func TestMissing(t *testing.T) {
	d := file(t, "nvme-cli/smart-log-samsung-970EVO.txt")
	want := []string{"identify_controller", "errors", "firmware", "namespaces", "smart.endurance_group_critical_warning"}
	if diff := cmp.Diff(want, d.Missing()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d := file(t, "nvme-cli/list-optane-MEMPEK1J032GAD.txt"); !slices.Equal(d.RoundedFields(), []string{"namespaces.nsze", "namespaces.nuse"}) {
		t.Errorf("rounded: %v", d.RoundedFields())
	}
}

func TestSubmit(t *testing.T) {
	d := file(t, "smartctl/optane-P4800X-SSDPED1K375GA.txt")
	buf := make([]byte, 4096)
	for _, tc := range []struct {
		name string
		cmd  *nvme.Command
		ok   bool
	}{
		{"Identify Controller", nvme.Identify{CNS: nvme.CNSController}.Command(buf), true},
		{"Identify Namespace", nvme.Identify{CNS: nvme.CNSNamespace, NSID: 1}.Command(buf), true},
		{"another namespace", nvme.Identify{CNS: nvme.CNSNamespace, NSID: 2}.Command(buf), false},
		{"list", nvme.Identify{CNS: nvme.CNSActiveNamespaces}.Command(buf), true},
		{"descriptors", nvme.Identify{CNS: nvme.CNSNamespaceDescriptors, NSID: 1}.Command(buf), false},
		{"SMART log", nvme.GetLogPage{LID: nvme.LIDSMART, NSID: nvme.BroadcastNSID}.Command(buf), true},
		{"error log", nvme.GetLogPage{LID: nvme.LIDError}.Command(buf), true},
		{"firmware slot log", nvme.GetLogPage{LID: nvme.LIDFirmwareSlot}.Command(buf), false},
		{"vendor log", nvme.GetLogPage{LID: 0xC0}.Command(buf), false},
		{"feature", &nvme.Command{Opcode: nvme.AdminGetFeatures, CDW10: 4}, false},
		{"read", &nvme.Command{Queue: nvme.IOQueue, Opcode: 2, NSID: 1, Data: buf}, false},
		{"format", &nvme.Command{Opcode: 0x80, NSID: 1}, false},
	} {
		_, err := d.Submit(t.Context(), tc.cmd)
		if (err == nil) != tc.ok || err != nil && !errors.Is(err, ErrNotInDump) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Submit(ctx, nvme.Identify{CNS: nvme.CNSController}.Command(buf)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
	tail := make([]byte, 520)
	tail[511] = 1
	if _, err := d.Submit(t.Context(), nvme.GetLogPage{LID: nvme.LIDSMART, Offset: 32}.Command(tail)); err != nil || tail[0] == 0 || tail[511] != 0 {
		t.Errorf("from offset 32: % x, %v", tail[:8], err)
	}
}

func TestNamespaces(t *testing.T) {
	d := file(t, "smartctl/optane-P4800X-SSDPED1K375GA.txt")
	c := nvme.NewController(d)
	list, err := c.ActiveNamespaces(t.Context(), nil)
	if err != nil || !slices.Equal(list, []nvme.NSID{1}) || !d.AllNamespaces() {
		t.Fatalf("namespaces %v, all: %t, %v", list, d.AllNamespaces(), err)
	}
	ns, err := c.IdentifyNamespace(t.Context(), 1)
	if err != nil || ns.SizeBytes().Lo != 375083606016 || ns.NSZE != ns.NUSE || len(ns.Formats()) != 7 || ns.EUI64.String() != "5cd2e48941767834" {
		t.Errorf("%v, %d formats, %v, %v", ns.SizeBytes(), len(ns.Formats()), ns.EUI64, err)
	}
	// smartctl shows one of many namespaces.
	d = file(t, "smartctl/SAMSUNG_MZQLB1T9HAJR-00007.json")
	if d.Has(PageNamespace) && d.AllNamespaces() != (d.controller.field("nn").Uint() == 1) {
		t.Error("it is not known whether these are all namespaces")
	}
	d = file(t, "smartctl/kioxia-KCM61VUL1T60-CM6-second.txt")
	if _, err := nvme.NewController(d).ActiveNamespaces(t.Context(), nil); !errors.Is(err, ErrNotInDump) {
		t.Errorf("no namespace in the dump: %v", err)
	}
}

func TestHost(t *testing.T) {
	for _, tc := range []struct {
		name string
		want Host
	}{
		{"smartctl/optane-P4800X-SSDPED1K375GA.txt", Host{
			Platform: "x86_64-linux-6.5.8-200.fc38.x86_64", Time: "Sun Oct 29 03:57:04 2023 CET", VendorID: 0x8086, SubsystemVendorID: 0x8086,
			SizeBytes: 375083606016, Verdict: "PASSED"}},
		{"smartctl/INTEL_SSDPEK1A058GA.json", Host{
			Device: "/dev/nvme0", Platform: "x86_64-linux-5.15.0", Time: "Fri Feb 13 23:31:30 2009 UTC", VendorID: 0x8086, SubsystemVendorID: 0x8086,
			SizeBytes: 58977157120, Verdict: "PASSED"}},
		{"nvme-cli/list-optane-MEMPEK1J032GAD.txt", Host{Device: "/dev/nvme0n1", SizeBytes: 29260000000, SizeRounded: true}},
		{"nvme-cli/id-ctrl-wdc-SN730-256GB.json", Host{VendorID: 0x15b7, SubsystemVendorID: 0x15b7, SizeBytes: 256060514304}},
	} {
		if diff := cmp.Diff(tc.want, file(t, tc.name).Host); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
	nested := read(t, string(load(t, "nvme-cli/list-nvmecli2.11-nested.json"))).Drives[1]
	want := Host{Device: "nvme1", Address: "0000:81:00.0", SizeBytes: 4000787030016}
	if diff := cmp.Diff(want, nested.Host); diff != "" || nested.Serial != "7VS000QT" || nested.Rounded("namespaces.nsze") {
		t.Errorf("nested list: %q (-want +got):\n%s", nested.Serial, diff)
	}
}

func ExampleDrive_Has() {
	fmt.Println((&Drive{}).Has("smart.media_errors"))
	// Output: false
}
