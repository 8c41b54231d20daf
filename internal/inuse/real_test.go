package inuse

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The tests of this file use loop devices on files of their own, so that the
// kernel's real tables are read. They need root.

// asRoot skips a test that cannot run here, loudly.
func asRoot(t *testing.T, tools ...string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("SKIPPED, NOT TESTED: loop devices need root")
	}
	for _, tool := range append(tools, "losetup") {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED, NOT TESTED: %v", err)
		}
	}
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: the kernel has no loop devices: %v", err)
	}
}

// needs skips a test for which the kernel lacks something.
func needs(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: the kernel lacks it: %v", err)
	}
}

// run runs a program and returns what it printed.
func run(t *testing.T, argv ...string) string {
	t.Helper()
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", argv, err, out)
	}
	return strings.TrimSpace(string(out))
}

// atEnd runs a program when the test ends.
func atEnd(t *testing.T, argv ...string) {
	t.Cleanup(func() {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%q: %v\n%s", argv, err, out)
		}
	})
}

// loopOn makes a loop device on a path and returns its name.
func loopOn(t *testing.T, path string, options ...string) string {
	t.Helper()
	node := run(t, append(append([]string{"losetup", "--find", "--show"}, options...), path)...)
	atEnd(t, "losetup", "--detach", node)
	return filepath.Base(node)
}

// image makes an empty file.
func image(t *testing.T, mebibytes int64) string {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "image")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(mebibytes << 20); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// mountOn mounts a device in the test's folder.
func mountOn(t *testing.T, device string, options ...string) string {
	t.Helper()
	dir := t.TempDir()
	run(t, append(append([]string{"mount"}, options...), device, dir)...)
	t.Cleanup(func() { _ = exec.Command("umount", dir).Run() })
	return dir
}

// begin runs a program that says a line when it is ready, and ends when its
// input does.
func begin(t *testing.T, argv ...string) int {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatalf("%q said %q, %v", argv, line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	return cmd.Process.Pid
}

// checkReal compares the uses of devices of this host. Programs of the host
// that look at new devices have them open for a moment, so that open files
// count only if they are wanted.
func checkReal(t *testing.T, devices []string, want ...string) *Survey {
	t.Helper()
	s, err := System().Survey(t.Context(), devices)
	if err != nil {
		t.Fatal(err)
	}
	got := slices.DeleteFunc(lines(s), func(line string) bool {
		return strings.HasPrefix(line, "open") && !slices.Contains(want, line)
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("uses of %q (-want +got):\n%s\nunchecked: %q", devices, diff, s.Unchecked)
	}
	return s
}

func TestRealMount(t *testing.T) {
	asRoot(t, "mkfs.ext4", "mount", "truncate")
	name := loopOn(t, image(t, 16))
	checkReal(t, []string{name})
	run(t, "mkfs.ext4", "-q", "/dev/"+name)
	dir := mountOn(t, "/dev/"+name)
	checkReal(t, []string{name}, "mount "+dir+": "+name+" is mounted on "+dir)

	t.Run("on it a file of another loop device", func(t *testing.T) {
		file := filepath.Join(dir, "inner")
		run(t, "truncate", "-s", "1M", file)
		inner := loopOn(t, file)
		checkReal(t, []string{name}, "mount "+dir+": "+name+" is mounted on "+dir,
			"loop "+file+": "+name+" has the file "+file+" of "+inner)
	})
	t.Run("lazily unmounted", func(t *testing.T) {
		f, err := os.Create(filepath.Join(dir, "open"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		run(t, "umount", "--lazy", dir)
		needs(t, "/sys/fs/ext4/"+name)
		checkReal(t, []string{name}, "mount: "+name+" has an active ext4 file system, mounted where this program cannot see it")
	})
}

func TestRealMountOfOthers(t *testing.T) {
	asRoot(t, "mkfs.ext4", "mount", "unshare", "sh")
	name := loopOn(t, image(t, 16))
	run(t, "mkfs.ext4", "-q", "/dev/"+name)
	dir := t.TempDir()
	pid := begin(t, "unshare", "--mount", "--propagation", "private", "sh", "-c", "mount /dev/"+name+" "+dir+" && echo ready && read x")
	s := checkReal(t, []string{name}, "mount "+dir+": "+name+" is mounted on "+dir+" in the mount namespace of "+who("sh", pid))
	if len(s.Uses) == 1 && (s.Uses[0].PID != pid || s.Uses[0].Process != "sh") {
		t.Errorf("use %+v, want process %d", s.Uses[0], pid)
	}
}

func TestRealSwap(t *testing.T) {
	asRoot(t, "mkswap", "swapon")
	needs(t, "/proc/swaps")
	name := loopOn(t, image(t, 16))
	run(t, "mkswap", "/dev/"+name)
	if out, err := exec.Command("swapon", "/dev/"+name).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: swapon: %v\n%s", err, out)
	}
	t.Cleanup(func() { run(t, "swapoff", "/dev/"+name) })
	checkReal(t, []string{name}, "swap: "+name+" is used as swap")
}

func TestRealOpenFile(t *testing.T) {
	asRoot(t, "sh")
	name := loopOn(t, image(t, 16))
	node := filepath.Join(t.TempDir(), "other name")
	run(t, "cp", "-a", "/dev/"+name, node)
	pid := begin(t, "sh", "-c", `exec 5< "$1"; echo ready; read x`, "sh", node)
	want := "open: " + name + " is open in " + who("sh", pid)
	checkReal(t, []string{name}, want)
	s, err := (&Host{Ignore: []int{pid}}).Survey(t.Context(), []string{name})
	if err != nil || slices.Contains(lines(s), want) {
		t.Errorf("survey that ignores the process: %+v, %v", s, err)
	}
}

func TestRealLoopOnLoop(t *testing.T) {
	asRoot(t, "mkfs.ext4", "mount")
	lower := loopOn(t, image(t, 32))
	upper := loopOn(t, "/dev/"+lower)
	checkReal(t, []string{lower}, "loop /dev/"+lower+": "+lower+" is behind the loop device "+upper)
	run(t, "mkfs.ext4", "-q", "/dev/"+upper)
	dir := mountOn(t, "/dev/"+upper)
	checkReal(t, []string{lower}, "mount "+dir+": "+lower+" is behind the loop device "+upper+", which is mounted on "+dir)
	checkReal(t, []string{upper}, "mount "+dir+": "+upper+" is mounted on "+dir)
}

func TestRealPartition(t *testing.T) {
	asRoot(t, "mkfs.ext4", "mount", "addpart", "delpart")
	name := loopOn(t, image(t, 32))
	run(t, "addpart", "/dev/"+name, "2", "2048", "32768")
	atEnd(t, "delpart", "/dev/"+name, "2") // it would outlive the loop device
	needs(t, "/dev/"+name+"p2")
	run(t, "mkfs.ext4", "-q", "/dev/"+name+"p2")
	dir := mountOn(t, "/dev/"+name+"p2")
	checkReal(t, []string{name}, "mount "+dir+": "+name+"p2 is mounted on "+dir)
}

func TestRealBtrfs(t *testing.T) {
	asRoot(t, "mkfs.btrfs", "mount")
	needs(t, "/sys/fs/btrfs")
	one, two := loopOn(t, image(t, 128)), loopOn(t, image(t, 128))
	run(t, "mkfs.btrfs", "-q", "/dev/"+one, "/dev/"+two)
	dir := mountOn(t, "/dev/"+one)
	for _, name := range []string{one, two} {
		checkReal(t, []string{name}, "mount "+dir+": "+name+" is one of 2 devices of the btrfs file system that is mounted on "+dir)
	}
	run(t, "umount", dir)
	checkReal(t, []string{one, two})
}

func TestRealJournals(t *testing.T) {
	asRoot(t, "mkfs.ext4", "mkfs.xfs", "mount")
	needs(t, "/proc/fs/jbd2")
	t.Run("ext4", func(t *testing.T) {
		data, journal := loopOn(t, image(t, 32)), loopOn(t, image(t, 16))
		run(t, "mkfs.ext4", "-q", "-b", "1024", "-O", "journal_dev", "/dev/"+journal)
		run(t, "mkfs.ext4", "-q", "-b", "1024", "-J", "device=/dev/"+journal, "/dev/"+data)
		mountOn(t, "/dev/"+data)
		checkReal(t, []string{journal}, "mount: "+journal+" is the journal of a mounted file system")
	})
	t.Run("xfs", func(t *testing.T) {
		needs(t, "/sys/fs/xfs")
		data, log := loopOn(t, image(t, 512)), loopOn(t, image(t, 128))
		run(t, "mkfs.xfs", "-q", "-l", "logdev=/dev/"+log, "/dev/"+data)
		dir := mountOn(t, "/dev/"+data, "-o", "logdev=/dev/"+log)
		checkReal(t, []string{log}, "mount "+dir+": "+log+" is the log of the file system that is mounted on "+dir)
	})
}
