package vmtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// qemuProgram is the usual emulator.
const qemuProgram = "qemu-system-x86_64"

// NewEmulator names QEMU 10 for [Config].Emulator. Its drives have endurance
// groups, flexible data placement and a log page of a vendor.
const NewEmulator = "10"

// emulator is what runs a machine.
type emulator struct {
	program string
	// firmware are the folders of the firmware that belongs to it; none are the
	// emulator's own.
	firmware []string
}

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
	if _, _, err := prerequisites(t, Config{}); err != nil {
		missing(t, err)
	}
}

// prerequisites finds the emulator and the kernel of a machine.
func prerequisites(t testing.TB, cfg Config) (emulator, kernel, error) {
	t.Helper()
	e, err := findEmulator(t, cfg.Emulator)
	if err != nil {
		return e, kernel{}, err
	}
	dir := kernelDir(t)
	if cfg.Kernel != "" {
		dir += "-" + cfg.Kernel
	}
	k, err := findKernel(dir)
	return e, k, err
}

// findEmulator finds the emulator of the version, the usual one if it is empty.
func findEmulator(t testing.TB, version string) (emulator, error) {
	t.Helper()
	if version == "" {
		if _, err := exec.LookPath(qemuProgram); err != nil {
			return emulator{}, errors.New(qemuProgram + " is not installed")
		}
		return emulator{program: qemuProgram}, nil
	}
	usr := filepath.Join(filepath.Dir(kernelDir(t)), "qemu-"+version, "usr")
	e := emulator{
		program:  filepath.Join(usr, "bin", qemuProgram),
		firmware: []string{filepath.Join(usr, "share", "qemu"), filepath.Join(usr, "share", "seabios")},
	}
	_, err := exec.LookPath(e.program)
	return e, err
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
