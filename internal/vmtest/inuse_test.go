package vmtest_test

import (
	"testing"
	"time"

	"qd1.example/qd1/internal/vmtest"
)

// TestInUse runs the tests of internal/inuse where the kernel has all that can
// use a drive: arrays, volumes, caches, exports; also as a user who may see
// little.
func TestInUse(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	vm := vmtest.New(t, vmtest.Config{
		Devices: twoDrives(t),
		Programs: []string{"sh", "mount", "umount", "losetup", "mkfs.ext4", "mkfs.btrfs", "mkfs.xfs", "unshare", "cp", "truncate", "addpart", "mkswap",
			"swapon", "swapoff", "dmsetup", "mdadm", "cryptsetup", "make-bcache", "bcache-super-show", "grep", "head", "mkdir", "cat", "ls"},
		Modules: []string{"loop", "ext4", "crc32c_generic", "btrfs", "xfs", "dm-mod", "dm-crypt", "xts", "ecb", "cbc", "aes_generic", "raid1", "bcache",
			"nvmet", "target_core_mod", "target_core_iblock", "configfs"},
		Files:   map[string]string{"/tests/inuse.test": vmtest.BuildTest(t, "internal/inuse")},
		WaitFor: bothReady, Timeout: 6 * time.Minute,
	})
	root := vmtest.TestJob("root", "/tests/inuse.test", "-test.run=Real|System|Stat|Loop|VM")
	root.Timeout = 5 * time.Minute
	user := vmtest.TestJob("user", "/tests/inuse.test", "-test.run=System|VM")
	user.UID = 65534
	var jobs jobList
	jobs.shell("configfs", "mount -t configfs configfs /sys/kernel/config", "mkdir -p /sys/kernel/config/target/core /run/cryptsetup")
	res := vm.Run(append(jobs, root, user)...)
	res.Output("configfs")
	t.Logf("%s%s", res.Output("root"), res.Output("user"))
}
