package bench

import (
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// usage is processor time of a thread.
type usage struct{ user, system time.Duration }

func (u usage) total() time.Duration { return u.user + u.system }

func (u usage) plus(o usage) usage { return usage{u.user + o.user, u.system + o.system} }

func (u usage) minus(o usage) usage { return usage{u.user - o.user, u.system - o.system} }

// threadUsage returns what the calling thread has used, 0 if the kernel does
// not say.
func threadUsage() usage {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &r) != nil {
		return usage{}
	}
	return usage{time.Duration(r.Utime.Nano()), time.Duration(r.Stime.Nano())}
}

// pin binds the calling thread to one CPU and returns how to undo it.
func pin(cpu int) (restore func(), err error) {
	var before, set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, fmt.Errorf("read the CPUs of the thread: %w", err)
	}
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("pin the worker to CPU %d: %w", cpu, err)
	}
	return func() { _ = unix.SchedSetaffinity(0, &before) }, nil
}

// chooseCPUs returns a CPU for each worker: those of the job, or the allowed
// ones from the highest down, because interrupts and housekeeping tend to be
// at the low end. It returns nil if the kernel does not let a thread be pinned
// and the job does not insist on it.
func chooseCPUs(j Job) ([]int, error) {
	choice := j.CPUs
	if len(choice) == 0 {
		choice = allowedCPUs()
	}
	if len(choice) == 0 {
		return nil, nil
	}
	cpus := make([]int, j.Workers)
	for i := range cpus {
		cpus[i] = choice[i%len(choice)]
		if err := tryPin(cpus[i]); err != nil && len(j.CPUs) > 0 {
			return nil, fmt.Errorf("%w: %w", ErrBadJob, err)
		} else if err != nil {
			return nil, nil
		}
	}
	return cpus, nil
}

// tryPin reports whether a thread can be pinned to cpu.
func tryPin(cpu int) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	restore, err := pin(cpu)
	if err == nil {
		restore()
	}
	return err
}

// allowedCPUs returns the CPUs that the calling thread may use, the highest
// first.
func allowedCPUs() []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	var cpus []int
	for cpu := len(set)*64 - 1; cpu >= 0; cpu-- {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}
