package capture

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"qd1.example/qd1/nvme"
)

// ErrNotRecorded is a command that a capture has no answer to. The error that
// wraps it names the command.
var ErrNotRecorded = errors.New("not in this capture")

// RecordedError is an error of the host that was recorded: the drive did not
// answer this command then, and replay fails again.
type RecordedError struct {
	// Text is the text of the error at the time.
	Text string
}

// Error says that the error was recorded, and which one.
func (e *RecordedError) Error() string { return "recorded error: " + e.Text }

// Capture is a capture in memory. It is an [nvme.Passthru] that is safe for
// concurrent use.
type Capture struct {
	header       Header
	texts, links map[string]string

	mu      sync.Mutex
	answers map[key][]answer
	next    map[key]int
}

var _ nvme.Passthru = (*Capture)(nil)

// Header returns the first line.
func (c *Capture) Header() Header { return c.header }

// Sysfs returns what sysfs said: path relative to /sys to the text of a file
// and to the target of a link. The maps belong to the caller.
func (c *Capture) Sysfs() (texts, links map[string]string) {
	return maps.Clone(c.texts), maps.Clone(c.links)
}

// Submit answers as the recorded drive did. Data is cut, or filled with zero
// bytes, to the length of cmd.Data.
//
// The error wraps [ErrNotRecorded] if the capture has no such command, is a
// [*RecordedError] if the command failed on the host when it was recorded, or
// is the error of ctx.
func (c *Capture) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	if err := ctx.Err(); err != nil {
		return nvme.Completion{}, err
	}
	a, ok := c.take(cmd)
	if !ok {
		return nvme.Completion{}, fmt.Errorf("%w: %s", ErrNotRecorded, commandName(cmd))
	}
	if err := a.wait(ctx); err != nil {
		return nvme.Completion{}, err
	}
	if a.err != nil {
		return nvme.Completion{}, a.err
	}
	if a.completion.Status == 0 && cmd.Transfer()&nvme.ControllerToHost != 0 {
		n := copy(cmd.Data, a.data)
		clear(cmd.Data[n:])
	}
	return a.completion, nil
}

// take returns the next answer to cmd. The last one repeats.
func (c *Capture) take(cmd *nvme.Command) (answer, bool) {
	e := newExchange(cmd)
	k, err := newKey(&e)
	if err != nil {
		return answer{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.answers[k]
	if len(list) == 0 {
		return answer{}, false
	}
	i := c.next[k]
	c.next[k] = min(i+1, len(list)-1)
	return list[i], true
}

// wait takes the time that the recorded drive took.
func (a *answer) wait(ctx context.Context) error {
	if a.silent {
		<-ctx.Done()
		return ctx.Err()
	}
	if a.delay == 0 {
		return nil
	}
	t := time.NewTimer(a.delay)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
