package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/vmtest/wire"
)

// defaultTimeout is the limit of a job that names none.
const defaultTimeout = time.Minute

// stuckAfter is how long a killed job may take to end. One that hangs in the
// kernel never does, and is left behind.
const stuckAfter = 5 * time.Second

// environment is what every job starts with.
func environment() []string {
	return []string{
		"PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=/tmp", "LANG=C.UTF-8", "TZ=UTC", "QD1_VM=1",
		"GOCOVERDIR=" + wire.CoverDir,
		"QD1_EVENTS=" + wire.EventPort,
	}
}

// runJobs runs the jobs one after the other and reports each on the console.
func runJobs(jobs []wire.Job) []wire.Result {
	os.Setenv("PATH", environment()[0][len("PATH="):])
	var results []wire.Result
	for _, job := range jobs {
		res := runJob(job)
		fmt.Printf("guest: job %s: exit %d %s%s (%.1f s to %.1f s)\n",
			job.Name, res.Exit, res.Signal, res.Error, res.Started.Seconds(), res.Ended.Seconds())
		results = append(results, res)
	}
	return results
}

// runJob runs one job in a process group of its own.
func runJob(job wire.Job) (res wire.Result) {
	res = wire.Result{Name: job.Name, Exit: -1, Started: uptime()}
	defer func() { res.Ended = uptime() }()
	if len(job.Argv) == 0 {
		res.Error = "no program given"
		return res
	}
	argv := expand(job.Argv)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(environment(), job.Env...)
	cmd.Dir = "/tmp"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if job.UID != 0 {
		id := uint32(job.UID)
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: id, Gid: id}
	}
	var stdout, stderr output
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 2 * time.Second
	if err := cmd.Start(); err != nil {
		res.Error = err.Error()
		return res
	}
	await(cmd, job, &res)
	res.Stdout, res.Stderr = stdout.copy(), stderr.copy()
	return res
}

// output keeps what a program prints. It can be read while a program that
// cannot be killed still writes.
type output struct {
	mu   sync.Mutex
	text []byte
}

// Write appends p.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	return len(p), nil
}

func (o *output) copy() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.text)
}

// await waits for the end of cmd, tells the job's event and kills the process
// group at the time-out.
func await(cmd *exec.Cmd, job wire.Job, res *wire.Result) {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	event := make(<-chan time.Time)
	if job.Event != "" {
		event = time.After(job.EventAfter)
	}
	limit := time.After(timeout(job))
	for {
		select {
		case err := <-ended:
			describe(cmd, err, res)
			return
		case <-event:
			tell(wire.EventPrefix + job.Event + "\n")
		case <-limit:
			if res.TimedOut {
				res.Error = "still there after SIGKILL"
				return
			}
			res.TimedOut = true
			_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
			limit = time.After(stuckAfter)
		}
	}
}

func timeout(job wire.Job) time.Duration {
	if job.Timeout == 0 {
		return defaultTimeout
	}
	return job.Timeout
}

// describe fills in how the program ended.
func describe(cmd *exec.Cmd, err error, res *wire.Result) {
	res.Exit = cmd.ProcessState.ExitCode()
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		res.Signal = ws.Signal().String()
	}
	if ee := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ee) {
		res.Error = err.Error()
	}
}

// uptime returns the time since boot.
func uptime() time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
