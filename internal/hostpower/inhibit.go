package hostpower

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/godbus/dbus/v5"
)

// Errors of Inhibit.
var (
	// ErrNoInhibitor is a host on which nobody keeps it from sleeping: there is
	// no system bus, no systemd-logind on it, or no answer from them.
	ErrNoInhibitor = errors.New("nothing here can keep the host from sleeping or shutting down")
	// ErrInhibitRefused is a user whom logind does not let do that.
	ErrInhibitRefused = errors.New("systemd-logind refuses to keep the host from sleeping or shutting down")
	// ErrUnderWay is a host that is already going to sleep or shutting down.
	ErrUnderWay = errors.New("the host is going to sleep or shutting down")
)

// SystemBus is the address of the system bus. The environment is not asked, so
// that it cannot lead a program of root elsewhere.
const SystemBus = "unix:path=/run/dbus/system_bus_socket"

// answerTime is how long bus and logind together have for an answer.
const answerTime = 2 * time.Second

// Bus is a message bus with systemd-logind on it.
type Bus struct {
	// Address is where it is, in the form of the D-Bus specification, Server
	// Addresses; "" for SystemBus.
	Address string
	// limit is the time for an answer, 0 for answerTime.
	limit time.Duration
}

// Inhibit is [Bus.Inhibit] of the system bus.
func Inhibit(ctx context.Context, what, who, why string) (io.Closer, error) {
	return Bus{}.Inhibit(ctx, what, who, why)
}

// Inhibit keeps the host from what, such as "sleep:shutdown", until Close or
// the end of the process. Who and why are shown to those who try. It is a lock
// of the mode "block": those who may override it, such as root with
// "systemctl poweroff -i", still can, and it does not keep the power on.
//
// It returns within 2 seconds. Errors match ErrNoInhibitor, ErrInhibitRefused
// or ErrUnderWay, or are that of ctx.
//
// Source: org.freedesktop.login1(5), The Manager Object, Inhibit().
func (b Bus) Inhibit(ctx context.Context, what, who, why string) (io.Closer, error) {
	limit := b.limit
	if limit == 0 {
		limit = answerTime
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	fd, err := b.ask(limited, what, who, why)
	if err == nil {
		// The lock lives as long as the descriptor, without the connection.
		return os.NewFile(uintptr(fd), "inhibitor"), nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if limited.Err() != nil {
		return nil, fmt.Errorf("%w: no answer within %v", ErrNoInhibitor, limit)
	}
	return nil, explain(err)
}

// ask calls Inhibit. When ctx ends, the library closes the connection, which
// ends whatever waits on it.
func (b Bus) ask(ctx context.Context, what, who, why string) (dbus.UnixFD, error) {
	address := b.Address
	if address == "" {
		address = SystemBus
	}
	user := dbus.AuthExternal(fmt.Sprint(os.Geteuid()))
	conn, err := dbus.Connect(address, dbus.WithContext(ctx), dbus.WithAuth(user))
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	var fd dbus.UnixFD
	manager := conn.Object("org.freedesktop.login1", "/org/freedesktop/login1")
	call := manager.CallWithContext(ctx, "org.freedesktop.login1.Manager.Inhibit", 0, what, who, why, "block")
	err = call.Store(&fd)
	return fd, err
}

// explain says what an error of the bus or of logind means.
func explain(err error) error {
	var answer dbus.Error
	if !errors.As(err, &answer) {
		return fmt.Errorf("%w: %w", ErrNoInhibitor, err)
	}
	switch answer.Name {
	case "org.freedesktop.login1.OperationInProgress":
		return fmt.Errorf("%w: %w", ErrUnderWay, err)
	case "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.AuthFailed",
		"org.freedesktop.DBus.Error.InteractiveAuthorizationRequired":
		return fmt.Errorf("%w: %w", ErrInhibitRefused, err)
	}
	return fmt.Errorf("%w: %w", ErrNoInhibitor, err)
}
