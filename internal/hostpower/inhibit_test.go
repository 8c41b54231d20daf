package hostpower

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// busConfig is that of a bus for the user who runs the test.
const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=%s/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

// socketDir returns a directory whose path is short enough for a socket.
func socketDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "qd1-bus-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// startBus runs a bus of its own until the end of the test and returns its
// address.
func startBus(t *testing.T) string {
	t.Helper()
	address, _ := startStoppableBus(t)
	return address
}

func startStoppableBus(t *testing.T) (address string, stop func()) {
	t.Helper()
	daemon, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("NOT TESTED: asking logind over a bus: dbus-daemon is not installed")
	}
	dir := socketDir(t)
	config := filepath.Join(dir, "bus.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, busConfig, dir), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(daemon, "--config-file="+config, "--nofork", "--nopidfile", "--print-address")
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	}
	t.Cleanup(stop)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the bus does not start: %v", err)
	}
	return strings.TrimSpace(line), stop
}

// logind is a fake of systemd-logind. Its fields are set before it is served.
type logind struct {
	// silent, if not nil, keeps back the answer until it is closed.
	silent chan struct{}
	// calls has the arguments of each call.
	calls chan []string
	// held is the end of a pipe that sees whether somebody holds the lock,
	// given the other one, which is given away as the descriptor fd.
	held, given *os.File
	fd          dbus.UnixFD
}

// Inhibit is what is called over the bus. A reason that is the name of an
// error is answered with that.
func (l *logind) Inhibit(what, who, why, mode string) (dbus.UnixFD, *dbus.Error) {
	l.calls <- []string{what, who, why, mode}
	if l.silent != nil {
		<-l.silent
	}
	if strings.HasPrefix(why, "org.") {
		return 0, dbus.NewError(why, []any{"the reason"})
	}
	return l.fd, nil
}

// isHeld reports whether the descriptor that was given away is still open
// after so many milliseconds.
func (l *logind) isHeld(t *testing.T, wait int) bool {
	t.Helper()
	fds := []unix.PollFd{{Fd: int32(l.held.Fd()), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, wait)
		if err == nil {
			return fds[0].Revents&unix.POLLHUP == 0
		}
		if err != unix.EINTR {
			t.Fatal(err)
		}
	}
}

// serve puts a logind on a bus.
func serve(t *testing.T, address string, l *logind) {
	t.Helper()
	var err error
	if l.held, l.given, err = os.Pipe(); err != nil {
		t.Fatal(err)
	}
	l.calls, l.fd = make(chan []string, 10), dbus.UnixFD(l.given.Fd())
	ctx, cancel := context.WithCancel(context.Background())
	stop := time.AfterFunc(10*time.Second, cancel) // a bus that does not answer
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = conn.Close()
		_ = l.held.Close()
		_ = l.given.Close()
	})
	if err := conn.Export(l, "/org/freedesktop/login1", "org.freedesktop.login1.Manager"); err != nil {
		t.Fatal(err)
	}
	reply, err := conn.RequestName("org.freedesktop.login1", dbus.NameFlagDoNotQueue)
	if err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("the name of logind: %v, %v", reply, err)
	}
	stop.Stop()
}

func TestInhibit(t *testing.T) {
	address, stop := startStoppableBus(t)
	bus := Bus{Address: address}
	l := &logind{}
	serve(t, address, l)
	ctx, cancel := context.WithCancel(t.Context())
	lock, err := bus.Inhibit(ctx, "sleep:shutdown", "qd1", "erasing a drive")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"sleep:shutdown", "qd1", "erasing a drive", "block"}, <-l.calls); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	flags, err := unix.FcntlInt(lock.(*os.File).Fd(), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("flags of the descriptor are %#x, %v, want FD_CLOEXEC", flags, err)
	}
	if err := l.given.Close(); err != nil {
		t.Fatal(err)
	}
	cancel() // is of the asking alone
	stop()   // no copy is on its way through the bus any more
	if !l.isHeld(t, 0) {
		t.Error("nobody holds the lock")
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if l.isHeld(t, 5000) {
		t.Error("somebody holds the lock after Close")
	}
}

func TestInhibitRefused(t *testing.T) {
	address := startBus(t)
	l := &logind{}
	serve(t, address, l)
	tests := []struct {
		name string
		want error
	}{
		{"org.freedesktop.login1.OperationInProgress", ErrUnderWay},
		{"org.freedesktop.DBus.Error.AccessDenied", ErrInhibitRefused},
		{"org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", ErrInhibitRefused},
		{"org.freedesktop.DBus.Error.UnknownMethod", ErrNoInhibitor},
	}
	for _, tt := range tests {
		lock, err := Bus{Address: address}.Inhibit(t.Context(), "sleep", "qd1", tt.name)
		if lock != nil || !errors.Is(err, tt.want) || !strings.HasSuffix(err.Error(), ": the reason") {
			t.Errorf("%s: %v, %v, want %v", tt.name, lock, err, tt.want)
		}
		<-l.calls
	}
}

func TestNoInhibitor(t *testing.T) {
	closed := filepath.Join(socketDir(t), "bus")
	listener, err := net.Listen("unix", closed)
	if err != nil {
		t.Fatal(err)
	}
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{
		"no socket":   "unix:path=" + filepath.Join(t.TempDir(), "bus"),
		"no listener": "unix:path=" + closed,
		"no address":  "bus",
	}
	if address := startBusIfAny(t); address != "" {
		tests["no logind"] = address
	}
	for name, address := range tests {
		lock, err := Bus{Address: address}.Inhibit(t.Context(), "sleep", "qd1", "test")
		if lock != nil || !errors.Is(err, ErrNoInhibitor) {
			t.Errorf("%s: %v, %v, want ErrNoInhibitor", name, lock, err)
		}
	}
}

// startBusIfAny is startBus for a test that has more than that.
func startBusIfAny(t *testing.T) string {
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		t.Log("NOT TESTED: a bus without logind: dbus-daemon is not installed")
		return ""
	}
	return startBus(t)
}

// TestInhibitDoesNotHang asks those who stop answering at each stage.
func TestInhibitDoesNotHang(t *testing.T) {
	l := &logind{silent: make(chan struct{})}
	addresses := map[string]string{"bus": silentBus(t, nil), "bus after the greeting": silentBus(t, []string{
		"REJECTED EXTERNAL", "OK 0123456789abcdef0123456789abcdef", "AGREE_UNIX_FD", "",
	})}
	if address := startBusIfAny(t); address != "" {
		serve(t, address, l)
		addresses["logind"] = address
	}
	defer close(l.silent)
	for name, address := range addresses {
		_, err := Bus{Address: address, limit: 100 * time.Millisecond}.Inhibit(t.Context(), "sleep", "qd1", "test")
		if !errors.Is(err, ErrNoInhibitor) || !strings.HasSuffix(err.Error(), "no answer within 100ms") {
			t.Errorf("%s is silent: %v, want ErrNoInhibitor", name, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		stop := time.AfterFunc(20*time.Millisecond, cancel)
		_, err = Bus{Address: address, limit: time.Hour}.Inhibit(ctx, "sleep", "qd1", "test")
		if err != context.Canceled {
			t.Errorf("%s is silent: %v, want Canceled", name, err)
		}
		stop.Stop()
		cancel()
	}
}

// silentBus takes connections, gives these answers to the lines that come, and
// then no more.
func silentBus(t *testing.T, answers []string) string {
	t.Helper()
	path := filepath.Join(socketDir(t), "bus")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go talk(conn, answers)
		}
	}()
	return "unix:path=" + path
}

// talk answers line by line, and reads until the other side ends.
func talk(conn net.Conn, answers []string) {
	defer conn.Close()
	for r := bufio.NewReader(conn); ; {
		if _, err := r.ReadString('\n'); err != nil {
			return
		}
		if len(answers) > 0 {
			if answers[0] != "" {
				_, _ = fmt.Fprintf(conn, "%s\r\n", answers[0])
			}
			answers = answers[1:]
		}
	}
}

// TestEnvironmentIsNotAsked holds that the address is that of the system.
func TestEnvironmentIsNotAsked(t *testing.T) {
	address := startBus(t)
	l := &logind{}
	serve(t, address, l)
	t.Setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
	if _, err := os.Stat(strings.TrimPrefix(SystemBus, "unix:path=")); err == nil {
		t.Skip("NOT TESTED: there is a system bus here, which is not to be disturbed")
	}
	if _, err := Inhibit(t.Context(), "sleep", "qd1", "test"); !errors.Is(err, ErrNoInhibitor) {
		t.Errorf("error %v, want ErrNoInhibitor", err)
	}
	if len(l.calls) > 0 {
		t.Errorf("the bus of the environment was asked: %q", <-l.calls)
	}
}
