// Command guest is PID 1 of a test machine. It mounts the kernel's file
// systems, loads modules, runs the jobs of the plan, writes the results to the
// disk with the serial number RESULTS and switches the machine off.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/vmtest/wire"
)

func main() {
	status := 0
	if err := run(); err != nil {
		fmt.Printf("guest: %v\n", err)
		status = 1
	}
	line := fmt.Sprintf("%s%d\n", wire.StatusPrefix, status)
	fmt.Print(line)
	tell(line)
	unix.Sync()
	err := unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
	fmt.Printf("guest: power off: %v\n", err)
}

// run does the plan and saves its results, also those of a plan that failed
// half way.
func run() error {
	if err := mountAll(); err != nil {
		return err
	}
	if err := awake(); err != nil {
		return err
	}
	plan, err := readPlan()
	if err != nil {
		return err
	}
	if err := loadModules(plan.Modules); err != nil {
		return err
	}
	disk, err := resultsDisk(30 * time.Second)
	if err != nil {
		return err
	}
	if err := waitFor(plan.WaitFor, 30*time.Second); err != nil {
		return errors.Join(err, save(disk, nil))
	}
	return save(disk, runJobs(plan.Jobs))
}

// awake sleeps a moment on each processor and tells that the machine is up. The
// emulator has been seen to lose the timer of a processor, where a sleep never ends:
// the host then starts the machine anew.
func awake() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return err
	}
	for cpu := range runtime.NumCPU() {
		var one unix.CPUSet
		one.Set(cpu)
		if err := unix.SchedSetaffinity(0, &one); err != nil {
			return fmt.Errorf("processor %d: %w", cpu, err)
		}
		if err := sleep(5 * time.Millisecond); err != nil {
			return fmt.Errorf("sleep on processor %d: %w", cpu, err)
		}
	}
	tell(wire.EventPrefix + wire.UpEvent + "\n")
	return unix.SchedSetaffinity(0, &all)
}

// sleep sleeps in the kernel, whatever signals of the Go runtime come meanwhile.
func sleep(span time.Duration) error {
	for rest := unix.NsecToTimespec(span.Nanoseconds()); ; {
		if err := unix.Nanosleep(&rest, &rest); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// mountAll gives the guest the file systems that programs expect.
func mountAll() error {
	mounts := []struct{ kind, target, data string }{
		{"proc", "/proc", ""},
		{"sysfs", "/sys", ""},
		{"devtmpfs", "/dev", ""},
		{"tmpfs", "/tmp", "mode=1777"},
		{"tmpfs", "/run", "mode=0755"},
		{"tmpfs", wire.OutDir, "mode=1777"},
	}
	for _, m := range mounts {
		if err := os.MkdirAll(m.target, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(m.kind, m.target, m.kind, 0, m.data); err != nil {
			return fmt.Errorf("mount %s on %s: %w", m.kind, m.target, err)
		}
	}
	if err := os.Mkdir(wire.CoverDir, 0o777); err != nil {
		return err
	}
	return os.Chmod(wire.CoverDir, 0o1777)
}

func readPlan() (*wire.Plan, error) {
	text, err := os.ReadFile(wire.PlanPath)
	if err != nil {
		return nil, err
	}
	plan := new(wire.Plan)
	if err := json.Unmarshal(text, plan); err != nil {
		return nil, fmt.Errorf("%s: %w", wire.PlanPath, err)
	}
	return plan, nil
}

// loadModules loads kernel modules in the order given.
func loadModules(paths []string) error {
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		err = unix.FinitModule(int(f.Fd()), "", 0)
		f.Close()
		if err != nil && !errors.Is(err, unix.EEXIST) {
			return fmt.Errorf("load %s: %w", path, err)
		}
	}
	return nil
}

// waitFor waits until every pattern matches a file.
func waitFor(patterns []string, limit time.Duration) error {
	for _, pattern := range patterns {
		if !poll(limit, func() bool { m, _ := filepath.Glob(pattern); return len(m) > 0 }) {
			return fmt.Errorf("%s did not appear within %v", pattern, limit)
		}
	}
	return nil
}

// poll asks done every few milliseconds until it is true or the limit is over.
func poll(limit time.Duration, done func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if done() {
			return true
		}
	}
	return done()
}

// tell writes a line to the event port. A host that does not listen is no
// reason to fail.
func tell(line string) {
	f, err := os.OpenFile(wire.EventPort, os.O_WRONLY|unix.O_NOCTTY, 0)
	if err != nil {
		fmt.Printf("guest: event port: %v\n", err)
		return
	}
	defer f.Close()
	if _, err := f.WriteString(line); err != nil {
		fmt.Printf("guest: event port: %v\n", err)
	}
}
