package inuse

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The tests of this file need parts of the kernel that small machines lack.

// mapped makes a device of the device mapper that is the start of another, and
// returns the kernel's name of it.
func mapped(t *testing.T, name, uuid, lower string) string {
	t.Helper()
	run(t, "dmsetup", "create", name, "--noudevsync", "--uuid", uuid, "--table", "0 16384 linear /dev/"+lower+" 0")
	atEnd(t, "dmsetup", "remove", "--noudevsync", name)
	return kernelName(t, name)
}

// kernelName returns the kernel's name of a volume.
func kernelName(t *testing.T, volume string) string {
	t.Helper()
	number := run(t, "dmsetup", "info", "-c", "--noheadings", "-o", "minor", volume)
	return "dm-" + strings.TrimSpace(number)
}

func TestRealDM(t *testing.T) {
	asRoot(t, "dmsetup", "mkfs.ext4", "mount")
	needs(t, "/sys/class/misc/device-mapper")
	name := loopOn(t, image(t, 16))
	first := fmt.Sprintf("qd1test%d-a--b", os.Getpid())
	dm := mapped(t, first, "LVM-qd1test"+first, name)
	checkReal(t, []string{name}, fmt.Sprintf("lvm %s: %s carries the LVM volume %s (%s)", first, name, first, dm))

	second := first + "2"
	upper := mapped(t, second, "CRYPT-PLAIN-qd1test"+second, dm)
	chain := fmt.Sprintf("%s carries the LVM volume %s (%s), which carries the encrypted volume %s (%s)", name, first, dm, second, upper)
	checkReal(t, []string{name}, "crypt "+second+": "+chain)

	run(t, "mkfs.ext4", "-q", "/dev/"+upper)
	dir := mountOn(t, "/dev/"+upper)
	s := checkReal(t, []string{name}, "mount "+dir+": "+chain+", which is mounted on "+dir)
	if want := fmt.Sprintf("[%s (%s) %s (%s)]", dm, first, upper, second); len(s.Uses) > 0 && fmt.Sprint(s.Uses[0].Through) != want {
		t.Errorf("through %q, want %q", s.Uses[0].Through, want)
	}
	run(t, "umount", dir)
}

func TestRealCrypt(t *testing.T) {
	asRoot(t, "cryptsetup", "dmsetup", "sh")
	needs(t, "/sys/class/misc/device-mapper")
	needs(t, "/sys/module/dm_crypt")
	name := loopOn(t, image(t, 16))
	volume := fmt.Sprintf("qd1test%d", os.Getpid())
	run(t, "sh", "-c", "head -c 32 /dev/zero | cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 256 --key-file - /dev/"+name+" "+volume)
	atEnd(t, "cryptsetup", "close", volume)
	checkReal(t, []string{name}, fmt.Sprintf("crypt %s: %s carries the encrypted volume %s (%s)", volume, name, volume, kernelName(t, volume)))
}

func TestRealMD(t *testing.T) {
	asRoot(t, "mdadm", "mkfs.ext4", "mount")
	needs(t, "/proc/mdstat")
	one, two := loopOn(t, image(t, 32)), loopOn(t, image(t, 32))
	const array = "/dev/md77"
	run(t, "mdadm", "--create", array, "--run", "--force", "--level=1", "--raid-devices=2", "--metadata=1.2", "/dev/"+one, "/dev/"+two)
	t.Cleanup(func() { run(t, "mdadm", "--stop", array) })
	for _, name := range []string{one, two} {
		checkReal(t, []string{name}, "md md77: "+name+" is part of the array md77 (raid1)")
	}
	run(t, "mkfs.ext4", "-q", array)
	dir := mountOn(t, array)
	checkReal(t, []string{one}, "mount "+dir+": "+one+" is part of the array md77 (raid1), which is mounted on "+dir)
	run(t, "umount", dir)

	t.Run("inactive", func(t *testing.T) {
		run(t, "mdadm", "--stop", array)
		run(t, "mdadm", "--incremental", "--no-degraded", "/dev/"+one)
		s := checkRealMD(t, one)
		if !strings.HasSuffix(s, " (inactive)") {
			t.Errorf("%s, want an array that is not active", s)
		}
	})
}

// checkRealMD returns the text of the only use, an array whose name the kernel
// chose.
func checkRealMD(t *testing.T, name string) string {
	t.Helper()
	s, err := System().Survey(t.Context(), []string{name})
	if err != nil || len(s.Uses) != 1 || s.Uses[0].Kind != MD {
		t.Fatalf("survey %+v, %v, want one array", s, err)
	}
	if s.Uses[0].Name != "md77" {
		t.Cleanup(func() { run(t, "mdadm", "--stop", "/dev/"+s.Uses[0].Name) })
	}
	return s.Uses[0].Text
}
