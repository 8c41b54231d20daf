package vmtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// qemuProgram is the emulator.
const qemuProgram = "qemu-system-x86_64"

// OldKernel names Linux 5.10 for [Config].Kernel. It drives NVMe through
// io_uring, but takes no NVMe commands by it.
const OldKernel = "5.10"

// kernel is an unpacked kernel package.
type kernel struct {
	image   string // boot/vmlinuz-VERSION
	modules string // lib/modules/VERSION
}

// Require ends the test where a machine cannot run: as a failure when the
// environment sets CI or QD1_REQUIRE_VM, else as a skip that says what is
// missing.
func Require(t testing.TB) {
	t.Helper()
	if _, err := prerequisites(t, ""); err != nil {
		missing(t, err)
	}
}

// prerequisites finds the emulator and a kernel, the usual one if the version
// is empty.
func prerequisites(t testing.TB, version string) (kernel, error) {
	t.Helper()
	if _, err := exec.LookPath(qemuProgram); err != nil {
		return kernel{}, errors.New(qemuProgram + " is not installed")
	}
	dir := kernelDir(t)
	if version != "" {
		dir += "-" + version
	}
	return findKernel(dir)
}

// missing fails or skips the test.
func missing(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("CI") != "" || os.Getenv("QD1_REQUIRE_VM") != "" {
		t.Fatalf("test machine: %v; install it with .ci/setup", err)
	}
	t.Skipf("SKIPPED, NOT TESTED: test machine: %v; install it with .ci/setup", err)
}

// kernelDir is where .ci/setup unpacks the usual kernel's package; the others
// stand beside it.
func kernelDir(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("QD1_VM_KERNEL"); dir != "" {
		return dir
	}
	return filepath.Join(moduleRoot(t), ".cache", "vm", "kernel")
}

// findKernel finds the one kernel under dir.
func findKernel(dir string) (kernel, error) {
	images, err := filepath.Glob(filepath.Join(dir, "boot", "vmlinuz-*"))
	if err != nil || len(images) != 1 {
		return kernel{}, fmt.Errorf("%d kernels under %s, not one", len(images), dir)
	}
	version := filepath.Base(images[0])[len("vmlinuz-"):]
	k := kernel{image: images[0], modules: filepath.Join(dir, "lib", "modules", version)}
	if _, err := os.Stat(k.modules); err != nil {
		return kernel{}, err
	}
	return k, nil
}

// moduleRoot returns the folder of go.mod above the test's own folder.
func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above the test's folder")
	return ""
}
