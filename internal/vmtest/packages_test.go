package vmtest_test

import (
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// TestHostPackages runs the tests of the packages that look at the host where
// there are drives. The environment of a guest sets QD1_VM=1, which lets the
// packages' own tests of real devices run.
func TestHostPackages(t *testing.T) {
	vmtest.Require(t)
	vm := vmtest.New(t, vmtest.Config{
		Devices: twoDrives(t),
		Files: map[string]string{
			"/tests/ioctl.test": vmtest.BuildTest(t, "ioctl"),
			"/tests/sysfs.test": vmtest.BuildTest(t, "internal/sysfs"),
		},
		WaitFor: bothReady,
	})
	res := vm.Run(vmtest.TestJob("ioctl", "/tests/ioctl.test"), vmtest.TestJob("sysfs", "/tests/sysfs.test", "-test.run=^TestVM"))
	t.Logf("%s%s", res.Output("ioctl"), res.Output("sysfs"))
}
