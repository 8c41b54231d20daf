package vmtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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

// goTool runs the go tool without cgo and returns the path of what it built. What
// one test has built another one gets: linking takes longer than a boot.
func goTool(t testing.TB, name, verb string, args ...string) string {
	t.Helper()
	return programs.get(t, name, append([]string{verb}, args...))
}

// programs are what the tests of this process have built.
var programs built

// built has programs by the arguments that they were made with.
type built struct {
	mu    sync.Mutex
	dir   string
	paths map[string]string
}

// get returns a program, which it builds if nobody has before.
func (b *built) get(t testing.TB, name string, args []string) string {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	key := strings.Join(args, " ")
	if path := b.paths[key]; path != "" {
		return path
	}
	if b.dir == "" {
		dir, err := os.MkdirTemp("", "qd1vm-programs")
		if err != nil {
			t.Fatal(err)
		}
		b.dir, b.paths = dir, map[string]string{}
	}
	out := filepath.Join(b.dir, fmt.Sprintf("%d-%s", len(b.paths), name))
	cmd := exec.Command("go", slices.Insert(slices.Clone(args), 1, "-o", out)...)
	cmd.Dir = moduleRoot(t)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, text)
	}
	b.paths[key] = out
	return out
}

// CleanUp removes what the tests have built. TestMain calls it at the end.
func CleanUp() error {
	programs.mu.Lock()
	defer programs.mu.Unlock()
	return os.RemoveAll(programs.dir)
}
