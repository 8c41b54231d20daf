package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// wakeEvery is how often a wait looks whether the context has ended.
	wakeEvery = 50 * time.Millisecond
	// lookEvery is how often the first run is looked at.
	lookEvery = time.Millisecond
	// endGrace is how long a program has to end when it is asked to.
	endGrace = 2 * time.Second
)

// FailedError is a program that did not end with status 0.
type FailedError struct {
	// Status is how it ended, such as "exit status 1" or "signal: killed".
	Status string
	// Stderr is the end of its error output, at most 2 KiB.
	Stderr string
}

// Error gives the status and the last line of error output.
func (e *FailedError) Error() string {
	lines := strings.Split(strings.TrimSpace(e.Stderr), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return fmt.Sprintf("the program failed: %s: %s", e.Status, last)
	}
	return "the program failed: " + e.Status
}

// program is a command line that can be run.
type program struct {
	argv    []string
	path    string
	options Options
	grace   time.Duration
}

func newProgram(argv []string, o Options) (program, error) {
	if len(argv) == 0 || argv[0] == "" {
		return program{}, fmt.Errorf("%w: no program is given", ErrOptions)
	}
	path, err := executable(argv[0], o.Dir)
	if err != nil {
		return program{}, err
	}
	return program{argv: argv, path: path, options: o, grace: endGrace}, nil
}

// process is a program that runs.
type process struct {
	cmd     *exec.Cmd
	started time.Time
	grace   time.Duration
	pidfd   int
	output  *output
	seen    *seen // nil: nobody looks
}

// run starts the program and waits for its end or its text. When it returns, the
// program has ended, and what is left of its process group was killed.
func (p program) run(ctx context.Context, s *seen) (Run, error) {
	if ctx.Err() != nil {
		return Run{}, ErrInterrupted
	}
	x, err := p.start()
	if err != nil {
		return Run{}, err
	}
	x.seen = s
	wall, err := x.watch(ctx, p.options.Timeout)
	state := x.end(err == nil && !x.output.found)
	if err == nil {
		err = x.judge(state, p.options.Until)
	}
	if err != nil {
		return Run{}, err
	}
	return runOf(wall, state), nil
}

// start forks. Everything that can be made ready before is.
func (p program) start() (*process, error) {
	out, err := newOutput(p.options.Until)
	if err != nil {
		return nil, err
	}
	x := &process{output: out, pidfd: -1, grace: p.grace, cmd: &exec.Cmd{
		Path:        p.path,
		Args:        p.argv,
		Env:         p.options.Env,
		Dir:         p.options.Dir,
		Stderr:      out.stderr.writer,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}}
	x.cmd.SysProcAttr.PidFD = &x.pidfd
	if out.stdout != nil {
		x.cmd.Stdout = out.stdout.writer
	}
	x.started = time.Now()
	err = x.cmd.Start()
	out.closeWriters()
	if err == nil && x.pidfd < 0 {
		x.end(false)
		return nil, errors.New("the kernel gives no descriptor of a process: Linux 5.3 or later is needed")
	}
	if err != nil {
		out.close()
		return nil, err
	}
	return x, nil
}

// watch waits for the end or the text and returns how long it took.
func (x *process) watch(ctx context.Context, timeout time.Duration) (time.Duration, error) {
	for {
		events, err := x.poll(x.pause())
		passed := time.Since(x.started)
		switch {
		case err != nil:
			return 0, err
		case events.output && x.output.read(), events.ended:
			return passed, nil
		case ctx.Err() != nil:
			return 0, ErrInterrupted
		case passed > timeout:
			return 0, fmt.Errorf("%w: %v", ErrTimeout, timeout)
		}
		if x.seen != nil {
			x.seen.look(x.cmd.Process.Pid)
		}
	}
}

func (x *process) pause() time.Duration {
	if x.seen != nil {
		return lookEvery
	}
	return wakeEvery
}

// events are what poll saw.
type events struct{ output, ended bool }

// poll waits for output or the end.
func (x *process) poll(limit time.Duration) (events, error) {
	fds := append(x.output.pollFds(), unix.PollFd{Fd: int32(x.pidfd), Events: unix.POLLIN})
	_, err := unix.Poll(fds, int(limit/time.Millisecond))
	if err != nil && err != unix.EINTR {
		return events{}, fmt.Errorf("wait for the program: %w", err)
	}
	var e events
	for i, fd := range fds {
		if err == nil && fd.Revents != 0 {
			e.ended = e.ended || i == len(fds)-1
			e.output = e.output || i < len(fds)-1
		}
	}
	return e, nil
}

// end ends the process group and returns how the program itself ended. Unless
// it has ended by itself it is asked first, and killed if it does not.
func (x *process) end(ended bool) *os.ProcessState {
	group := -x.cmd.Process.Pid
	if !ended {
		unix.Kill(group, unix.SIGTERM)
		x.waitGrace()
	}
	// The process is not yet waited for, so that its number, which is that of
	// the group, cannot mean another one.
	unix.Kill(group, unix.SIGKILL)
	state, _ := x.cmd.Process.Wait()
	x.output.read()
	x.output.close()
	if x.pidfd >= 0 {
		unix.Close(x.pidfd)
	}
	return state
}

// waitGrace waits until the program has ended, at most the grace. Its output is
// read on, since it might wait for that.
func (x *process) waitGrace() {
	if x.pidfd < 0 {
		return
	}
	for asked := time.Now(); time.Since(asked) < x.grace; {
		e, err := x.poll(wakeEvery)
		if err != nil || e.ended {
			return
		}
		x.output.read()
	}
}

// judge says whether a run counts.
func (x *process) judge(state *os.ProcessState, until string) error {
	switch {
	case x.output.found:
		return nil
	case state == nil:
		return errors.New("how the program ended is not known")
	case !state.Success():
		return &FailedError{Status: state.String(), Stderr: x.output.tail()}
	case until != "":
		return fmt.Errorf("%w %q", ErrUnsaid, until)
	}
	return nil
}

// runOf puts a run together.
func runOf(wall time.Duration, state *os.ProcessState) Run {
	r := Run{WallMS: millis(wall)}
	if state == nil {
		return r
	}
	r.UserMS, r.SystemMS = millis(state.UserTime()), millis(state.SystemTime())
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		// ru_inblock counts 512 bytes, getrusage(2).
		r.ReadBytes, r.MajorFaults = int64(usage.Inblock)*512, int64(usage.Majflt)
	}
	return r
}
