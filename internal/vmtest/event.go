package vmtest

import (
	"bufio"
	"io"
	"strings"
	"sync"

	"qd1.example/qd1/internal/vmtest/wire"
)

// eventLog is what the guest said on its event port.
type eventLog struct {
	mu   sync.Mutex
	told map[string]chan struct{}
	rc   string
}

func newEventLog() *eventLog { return &eventLog{told: make(map[string]chan struct{})} }

// seen returns a channel that is closed once the event was told.
func (e *eventLog) seen(name string) chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.told[name] == nil {
		e.told[name] = make(chan struct{})
	}
	return e.told[name]
}

// status returns the value of the guest's status line, empty before it came.
func (e *eventLog) status() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.rc
}

// read takes in lines until the port closes.
func (e *eventLog) read(r io.Reader) {
	for s := bufio.NewScanner(r); s.Scan(); {
		e.line(strings.TrimSpace(s.Text()))
	}
}

// line takes in one line. A repeated event is one event.
func (e *eventLog) line(text string) {
	if rc, ok := strings.CutPrefix(text, wire.StatusPrefix); ok {
		e.mu.Lock()
		e.rc = rc
		e.mu.Unlock()
	}
	name, ok := strings.CutPrefix(text, wire.EventPrefix)
	if !ok {
		return
	}
	told := e.seen(name)
	select {
	case <-told:
	default:
		close(told)
	}
}
