package vmtest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

const sataSerial = "QD1-SATA"

// sataDevices are an ATA disk with a partition behind a parallel adapter, whose
// driver the kernel has, a virtual SCSI disk, and one NVMe drive.
func sataDevices(t *testing.T) []string {
	t.Helper()
	ata := vmtest.Disk(t, 64<<20, vmtest.OnePartition(32<<20))
	virtual := vmtest.Disk(t, 64<<20)
	nvme := vmtest.Drive{ID: "first", Serial: firstSerial, Namespaces: []vmtest.Namespace{{Image: vmtest.Disk(t, 64<<20)}}}
	return append(nvme.Arguments(),
		"-device", "piix3-ide,id=ide",
		"-drive", "id=sata,if=none,format=raw,cache=unsafe,file="+ata,
		"-device", "ide-hd,drive=sata,bus=ide.0,serial="+sataSerial+",ver=1.23,wwn=0x5000c500a1b2c3d4,rotation_rate=5400,physical_block_size=4096",
		"-device", "virtio-scsi-pci,id=scsi",
		"-drive", "id=virtual,if=none,format=raw,cache=unsafe,file="+virtual,
		"-device", "scsi-hd,drive=virtual,bus=scsi.0")
}

// smartctlATAKeys are the values that smartctl --json -a shows of an ATA disk.
var smartctlATAKeys = []comparedKey{
	{"identity.serial", "serial_number", nil},
	{"identity.model", "model_name", nil},
	{"identity.firmware", "firmware_version", nil},
	{"identity.capacity_bytes", "user_capacity.bytes", nil},
	{"identity.sectors", "user_capacity.blocks", nil},
	{"identity.logical_sector_bytes", "logical_block_size", nil},
	{"identity.physical_sector_bytes", "physical_block_size", nil},
	{"identity.rotation_rpm", "rotation_rate", nil},
	{"identity.smart.supported", "smart_support.available", nil},
	{"identity.smart.enabled", "smart_support.enabled", nil},
	{"identity.trim.supported", "trim.supported", nil},
	{"attributes.version", "ata_smart_attributes.revision", nil},
	{"health.power_on_hours", "power_on_time.hours", nil},
	{"health.power_cycles", "power_cycle_count", nil},
	{"health.temperature_celsius", "temperature.current", nil},
}

// smartctlAttributeKeys are the values of one attribute.
var smartctlAttributeKeys = []comparedKey{
	{"id", "id", nil},
	{"name", "name", nil},
	{"value", "value", nil},
	{"worst", "worst", nil},
	{"threshold", "thresh", nil},
	{"when_failed", "when_failed", nil},
	{"flags", "flags.value", nil},
	{"prefailure", "flags.prefailure", nil},
	{"raw", "raw.value", nil},
}

// TestSATA runs the tests of package sata where there is an ATA disk, and
// compares its report with smartctl's.
func TestSATA(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	vm := vmtest.New(t, vmtest.Config{
		Devices:  sataDevices(t),
		Programs: []string{"smartctl", "sh", "grep", "chmod"},
		Files:    map[string]string{"/tests/sata.test": vmtest.BuildTest(t, "internal/sata"), qd1Path: vmtest.Build(t, "cmd/qd1")},
		Modules:  []string{"sd_mod", "sg", "ata_piix", "virtio_scsi"},
		WaitFor:  []string{"/dev/sda", "/dev/sdb", "/dev/sd?1", "/dev/nvme0n1"},
	})
	const disk = `d=$(cd /sys/block; grep -l ATA sd*/device/vendor); d=/dev/${d%%/*}; `
	tests := vmtest.TestJob("sata", "/tests/sata.test", "-test.run=^TestVM")
	tests.Env = append(tests.Env, "QD1_SATA_REPORT="+vmtest.OutDir+"/report.json")
	res := vm.Run(
		vmtest.Job{Name: "self-test", Argv: []string{"sh", "-c", disk + "smartctl -t short $d"}},
		tests,
		vmtest.Job{Name: "open", Argv: []string{"sh", "-c", disk + "chmod 666 $d"}},
		vmtest.Job{Name: "nobody", Argv: []string{"/tests/sata.test", "-test.v", "-test.run=^TestVMNobody$"}, UID: nobody},
		vmtest.Job{Name: "smartctl", Argv: []string{"sh", "-c", disk + "smartctl --json -a $d"}},
		vmtest.Job{Name: "qd1", Argv: []string{"sh", "-c", disk + "qd1 report -o json --bench=off $d"}},
		vmtest.Job{Name: "qd1 part", Argv: []string{"sh", "-c", disk + "qd1 report -o json ${d}1"}},
		vmtest.Job{Name: "qd1 text", Argv: []string{"sh", "-c", disk + "qd1 report --bench=off --brief ${d#/dev/}"}},
		vmtest.Job{Name: "qd1 virtual", Argv: []string{"sh", "-c", `d=$(cd /sys/block; grep -L ATA sd*/device/vendor); qd1 report -o json --bench=off /dev/${d%%/*}`}},
	)
	t.Logf("%s%s%s", res.Output("self-test"), res.Output("sata"), res.Output("nobody"))
	res.Output("open")
	text, err := os.ReadFile(res.File("report.json"))
	if err != nil {
		t.Fatal(err)
	}
	compareATA(t, object(t, text), object(t, res.Get("smartctl").Stdout))
	compareATA(t, lookup(t, object(t, res.Output("qd1")), "sata").(map[string]any), object(t, res.Get("smartctl").Stdout))
	checkSATAReports(t, res)
}

// checkSATAReports looks at the reports of the whole program.
func checkSATAReports(t *testing.T, res *vmtest.Results) {
	t.Helper()
	disk, part, virtual := object(t, res.Output("qd1")), object(t, res.Output("qd1 part")), object(t, res.Output("qd1 virtual"))
	for _, r := range []map[string]any{disk, part} {
		checkValue(t, r, "drive.serial", sataSerial)
		checkValue(t, r, "drive.transport", "ata")
		checkValue(t, r, "verdict.level", "keep")
		if lookup(t, r, "smart") != nil || lookup(t, r, "namespaces") != nil || lookup(t, r, "footprint.refused") != json.Number("0") {
			t.Errorf("a report on a SATA disk: %v", r)
		}
	}
	if lookup(t, part, "bench.qd1_read.operations") == json.Number("0") || lookup(t, part, "drive.note") == "" {
		t.Errorf("a report on a part of a disk: %v", part)
	}
	if text := string(res.Output("qd1 text")); !strings.HasPrefix(text, "KEEP  QEMU HARDDISK  serial "+sataSerial) || !strings.Contains(text, "SMART status passed") {
		t.Errorf("text: %s", text)
	}
	checkValue(t, virtual, "verdict.level", "unknown")
	checkValue(t, virtual, "footprint.commands", "0")
	if lookup(t, virtual, "sata.advice.text") == "" {
		t.Errorf("a virtual disk: %v", virtual)
	}
}

func compareATA(t *testing.T, ours, theirs map[string]any) {
	compare(t, "smartctl", ours, theirs, smartctlATAKeys)
	checkValue(t, ours, "identity.serial", sataSerial)
	checkValue(t, ours, "identity.wwn", "5000c500a1b2c3d4")
	wantStatus := "failed"
	if passed, ok := lookup(t, theirs, "smart_status.passed").(bool); ok && passed {
		wantStatus = "passed"
	}
	checkValue(t, ours, "smart_status", wantStatus)
	list, ok := lookup(t, theirs, "ata_smart_attributes.table").([]any)
	if mine, _ := lookup(t, ours, "attributes.table").([]any); !ok || len(list) == 0 || len(mine) != len(list) {
		t.Fatalf("attributes: smartctl has %v, ours %v", list, mine)
	}
	for i := range list {
		at := fmt.Sprintf("table.%d", i)
		compare(t, "smartctl attribute", lookup(t, ours, "attributes."+at), lookup(t, theirs, "ata_smart_attributes."+at), smartctlAttributeKeys)
	}
}
