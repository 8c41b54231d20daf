package vmtest_test

import (
	"fmt"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// TestCriticalWarnings has a drive for each bit of Critical Warning that QEMU
// can raise, and the verdict on it. It raises that of the Persistent Memory
// Region only on drives with one.
func TestCriticalWarnings(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	bits := []struct{ rule, axis, level string }{
		{"critical-warning-spare", "spare", "return"},
		{"critical-warning-temperature", "thermal", "note"},
		{"critical-warning-reliability", "media", "return"},
		{"critical-warning-read-only", "read-only", "return"},
		{"critical-warning-volatile-backup", "media", "return"},
	}
	var devices, ready []string
	var jobs jobList
	serial := func(bit int) string { return fmt.Sprintf("QD1-BIT-%d", bit) }
	for bit := range bits {
		d := vmtest.Drive{ID: fmt.Sprintf("bit%d", bit), Serial: serial(bit), Options: fmt.Sprintf("smart_critical_warning=%d", 1<<bit),
			Namespaces: []vmtest.Namespace{{Image: vmtest.Disk(t, 1<<20)}}}
		devices, ready = append(devices, d.Arguments()...), append(ready, fmt.Sprintf("/dev/nvme%dn1", bit))
		jobs.report(serial(bit))
	}
	vm := vmtest.New(t, vmtest.Config{Devices: devices, Files: map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")}, WaitFor: ready})
	res := vm.Run(jobs...)
	for bit, want := range bits {
		r := reportOf(t, res, serial(bit))
		checkValue(t, r, "drive.serial", serial(bit))
		checkValue(t, r, "smart.critical_warning.value", fmt.Sprint(1<<bit))
		checkValue(t, r, "verdict.level", want.level)
		checkValue(t, r, "verdict.findings.0.rule", want.rule)
		checkValue(t, r, "verdict.findings.0.axis", want.axis)
		checkValue(t, r, "footprint.refused", "0")
	}
}
