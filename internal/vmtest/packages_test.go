package vmtest_test

import (
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// TestHostPackages runs the tests of the packages that look at the host where
// there are drives. The environment of a guest sets QD1_VM=1, which lets the
// packages' own tests of real devices run: those of bench compare what the
// engines read and write.
func TestHostPackages(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	vm := vmtest.New(t, vmtest.Config{
		Devices: twoDrives(t),
		Files: map[string]string{
			"/tests/ioctl.test": vmtest.BuildTest(t, "ioctl"),
			"/tests/sysfs.test": vmtest.BuildTest(t, "internal/sysfs"),
			"/tests/bench.test": vmtest.BuildTest(t, "bench"),
		},
		WaitFor: bothReady,
	})
	user := vmtest.TestJob("bench as nobody", "/tests/bench.test", "-test.run=^TestVMNobody$")
	user.UID = nobody
	// Those named after problem cases read files that the guest has not.
	res := vm.Run(vmtest.TestJob("ioctl", "/tests/ioctl.test", "-test.skip=^TestCase"), vmtest.TestJob("sysfs", "/tests/sysfs.test", "-test.run=^TestVM"),
		user, vmtest.TestJob("bench", "/tests/bench.test", "-test.run=^TestVM")) // The last writes to the drives.
	for _, job := range []string{"ioctl", "sysfs", "bench as nobody", "bench"} {
		t.Logf("%s", res.Output(job))
	}
}
