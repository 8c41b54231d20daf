package vmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// qemu is a running emulator.
type qemu struct {
	cmd    *exec.Cmd
	ctx    context.Context // ends at the machine's time-out
	output bytes.Buffer
	waited error
	done   chan struct{} // closed when the process has ended
	qmp    chan *qmpClient
}

// startQEMU starts the emulator with the machine's files and connects its
// event port and its control port.
func startQEMU(ctx context.Context, v *VM) (*qemu, error) {
	q := &qemu{ctx: ctx, done: make(chan struct{}), qmp: make(chan *qmpClient, 1)}
	eventPort, err := listen(ctx, v.path("event.sock"))
	if err != nil {
		return nil, err
	}
	control, err := listen(ctx, v.path("qmp.sock"))
	if err != nil {
		return nil, err
	}
	q.cmd = exec.CommandContext(ctx, v.emulator.program, v.arguments()...)
	q.cmd.Stdout, q.cmd.Stderr = &q.output, &q.output
	q.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	q.cmd.Cancel = func() error { return syscall.Kill(-q.cmd.Process.Pid, syscall.SIGKILL) }
	q.cmd.WaitDelay = 5 * time.Second
	if err := q.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { q.serveEvents(eventPort, v.events) }()
	go func() { q.serveControl(control) }()
	go func() {
		q.waited = q.cmd.Wait()
		eventPort.Close()
		control.Close()
		close(q.done)
	}()
	return q, nil
}

func listen(ctx context.Context, path string) (net.Listener, error) {
	var lc net.ListenConfig
	return lc.Listen(ctx, "unix", path)
}

// arguments returns the command line of the emulator.
func (v *VM) arguments() []string {
	args := []string{
		"-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-m", "1024", "-smp", "2",
		"-display", "none", "-nodefaults", "-no-user-config", "-no-reboot", "-nic", "none",
		"-chardev", "file,id=console,path=" + v.path("console.log"), "-serial", "chardev:console",
		"-chardev", "socket,id=event,path=" + v.path("event.sock"), "-serial", "chardev:event",
		"-chardev", "socket,id=qmp,path=" + v.path("qmp.sock"), "-mon", "chardev=qmp,mode=control",
		"-drive", "id=results,if=none,format=raw,cache=unsafe,file=" + v.path("results.img"),
		"-device", "virtio-blk-pci,drive=results,serial=RESULTS",
		"-kernel", v.kernel.image, "-initrd", v.path("initrd.img"),
		"-append", strings.TrimSpace("console=ttyS0 quiet panic=-1 rdinit=/init mitigations=off tsc=reliable " + v.cfg.Append),
	}
	for _, dir := range v.emulator.firmware {
		args = append(args, "-L", dir)
	}
	for _, event := range v.cfg.Trace {
		args = append(args, "-trace", "enable="+event)
	}
	if len(v.cfg.Trace) > 0 {
		args = append(args, "-D", v.path("trace.log"))
	}
	return append(args, v.cfg.Devices...)
}

// serveEvents reads the lines of the event port.
func (q *qemu) serveEvents(l net.Listener, events *eventLog) {
	conn, err := l.Accept()
	if err != nil {
		return
	}
	defer conn.Close()
	events.read(conn)
}

// serveControl waits for the emulator to connect and greets it.
func (q *qemu) serveControl(l net.Listener) {
	conn, err := l.Accept()
	if err != nil {
		return
	}
	c, err := newQMP(conn)
	if err != nil {
		conn.Close()
		return
	}
	q.qmp <- c
}

// execute sends a command over the control port.
func (q *qemu) execute(command string, arguments map[string]any) (json.RawMessage, error) {
	select {
	case c := <-q.qmp:
		q.qmp <- c
		if arguments == nil {
			return c.execute(command, nil)
		}
		return c.execute(command, arguments)
	case <-q.done:
		return nil, fmt.Errorf("qmp %s: the emulator has ended", command)
	}
}

// messages returns what the emulator itself printed. It waits for its end.
func (q *qemu) messages() string {
	select {
	case <-q.done:
		return q.output.String()
	case <-time.After(time.Second):
		return "still running"
	}
}

// verdict says whether the machine ended as it should. The exit status of the
// emulator does not: it is 0 after a kernel panic.
func (q *qemu) verdict(console string, events *eventLog) error {
	switch status := events.status(); {
	case strings.Contains(console, "Kernel panic"):
		return errors.New("kernel panic")
	case q.ctx.Err() != nil:
		return fmt.Errorf("time-out: %w", q.ctx.Err())
	case q.waited != nil:
		return fmt.Errorf("emulator: %w", q.waited)
	case status == "":
		return errors.New("the guest ended without its status line")
	case status != "0":
		return errors.New("the guest reports a failure")
	}
	return nil
}

// tail returns the last n lines of a text.
func tail(text string, n int) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
