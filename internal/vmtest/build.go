package vmtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// modulePath is the import path of the module under test.
const modulePath = "qd1.example/qd1"

// coverMode is the counter mode of every binary. The host's tests must use the
// same, or their counters cannot be merged.
const coverMode = "atomic"

// Build builds a command of this module statically and with coverage counters.
// pkg is a path below the module root, such as "cmd/qd1"; flags are more of the
// go tool, such as -tags.
func Build(t testing.TB, pkg string, flags ...string) string {
	t.Helper()
	args := append([]string{"-cover", "-covermode=" + coverMode, "-coverpkg=" + modulePath + "/..."}, flags...)
	return goTool(t, filepath.Base(pkg), "build", append(args, "./"+pkg)...)
}

// BuildTest builds the tests of a package with coverage counters for the
// package and all that it imports from this module. [TestJob] runs it.
func BuildTest(t testing.TB, pkg string) string {
	t.Helper()
	return goTool(t, filepath.Base(pkg)+".test", "test", "-c", "-cover", "-covermode="+coverMode,
		"-coverpkg="+strings.Join(ownPackages(t, pkg), ","), "./"+pkg)
}

// buildGuest builds PID 1.
func buildGuest(t testing.TB) string {
	t.Helper()
	return goTool(t, "guest", "build", "./internal/vmtest/guest")
}

// TestJob returns the job that runs a test binary which stands at the guest
// path given, with more flags such as -test.run.
func TestJob(name, guestPath string, flags ...string) Job {
	return Job{Name: name, Argv: append([]string{guestPath, "-test.v", "-test.gocoverdir=" + coverDir}, flags...)}
}

// ownPackages lists a package and the packages of this module below it.
func ownPackages(t testing.TB, pkg string) []string {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "./"+pkg)
	cmd.Dir = moduleRoot(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	var own []string
	for line := range strings.Lines(string(out)) {
		if name := strings.TrimSpace(line); strings.HasPrefix(name, modulePath+"/") {
			own = append(own, name)
		}
	}
	return own
}

// goTool runs the go tool without cgo and returns the path of what it built.
func goTool(t testing.TB, name, verb string, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), name)
	cmd := exec.Command("go", append([]string{verb, "-o", out}, args...)...)
	cmd.Dir = moduleRoot(t)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, text)
	}
	return out
}
