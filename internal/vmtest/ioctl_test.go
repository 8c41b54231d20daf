package vmtest_test

import (
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// TestIoctlPackage runs the tests of package ioctl where there are drives. The
// environment of a guest sets QD1_VM=1, which lets the package's own tests of
// real devices run.
func TestIoctlPackage(t *testing.T) {
	vmtest.Require(t)
	vm := vmtest.New(t, vmtest.Config{
		Devices: twoDrives(t),
		Files:   map[string]string{"/tests/ioctl.test": vmtest.BuildTest(t, "ioctl")},
		WaitFor: bothReady,
	})
	res := vm.Run(vmtest.TestJob("ioctl", "/tests/ioctl.test"))
	t.Logf("%s", res.Output("ioctl"))
}
