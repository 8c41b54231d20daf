package nvme

import (
	"context"
	"fmt"
	"time"
)

// ReadOnly returns p behind a guard that lets only Identify, Get Log Page, Get
// Features and Read through, and Security Receive for the list of protocols and
// Level 0 Discovery. Anything else fails with [ErrWouldModify] and does not
// reach the device.
func ReadOnly(p Passthru) Passthru {
	return PassthruFunc(func(ctx context.Context, cmd *Command) (Completion, error) {
		if !readsOnly(cmd) {
			return Completion{}, fmt.Errorf("%s, %s command %02Xh: %w", cmd.name(), cmd.Queue, cmd.Opcode, ErrWouldModify)
		}
		return p.Submit(ctx, cmd)
	})
}

// readsOnly reports whether a command is known to change nothing. The list is
// of what is allowed, so that new and vendor specific opcodes are refused.
func readsOnly(c *Command) bool {
	switch c.Queue {
	case AdminQueue:
		switch c.Opcode {
		case AdminIdentify, AdminGetLogPage, AdminGetFeatures:
			return true
		case AdminSecurityReceive:
			return discovers(c)
		}
	case IOQueue:
		return c.Opcode == IORead
	}
	return false
}

// WithTimeout returns p with a deadline of d for each command, unless the
// context ends earlier. With d of 0 or less it returns p.
func WithTimeout(p Passthru, d time.Duration) Passthru {
	if d <= 0 {
		return p
	}
	return PassthruFunc(func(ctx context.Context, cmd *Command) (Completion, error) {
		ctx, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		return p.Submit(ctx, cmd)
	})
}
