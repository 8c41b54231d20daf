package bench

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// TimedDevice is a device that says at once when an access will have ended, as
// a simulated drive can. The data have moved when BeginAt returns.
type TimedDevice interface {
	BeginAt(write bool, p []byte, off int64) (n int, end time.Time, err error)
}

// DeviceTelemeter is a [TimedDevice], or a source of [NewReaderAt], that tells its
// state as a [Telemeter] does, in plain numbers: the composite temperature in °C,
// and how often it has entered thermal management.
type DeviceTelemeter interface {
	Telemetry() (celsius int, throttles uint64, ok bool)
}

const (
	maxTimedDepth = 1024
	// timedSpin is how long before an end the engine stops sleeping: timers are
	// late by up to a millisecond.
	timedSpin = 2 * time.Millisecond
	// timedYield is how long before an end the thread gives way to nothing.
	timedYield = 100 * time.Microsecond
)

// timed waits in the place of a device. What is in flight is a heap, the first
// to end at its top.
type timed struct {
	name   string
	device TimedDevice
	flight []timedAccess
}

// timedAccess is one access in flight.
type timedAccess struct {
	end   time.Time
	event Event
}

// NewTimed returns an engine over d under the given name, up to 1024 requests
// at a time. Several workers call d.BeginAt concurrently.
func NewTimed(name string, d TimedDevice) Engine {
	return &timed{name: name, device: d, flight: make([]timedAccess, 0, maxTimedDepth)}
}

// Name returns the name given to NewTimed.
func (e *timed) Name() string { return e.name }

// MaxQueueDepth returns 1024.
func (e *timed) MaxQueueDepth() int { return maxTimedDepth }

// Submit starts the requests that there is room for.
func (e *timed) Submit(requests []Request) (int, error) {
	for i := range requests {
		if len(e.flight) == maxTimedDepth {
			return i, nil
		}
		r := &requests[i]
		n, end, err := e.device.BeginAt(r.Write, r.Data, r.Offset)
		e.push(timedAccess{end, Event{Buffer: r.Buffer, Bytes: n, Err: err}})
	}
	return len(requests), nil
}

// Reap waits for the ends, for at most 0.1 s each.
func (e *timed) Reap(events []Event, least int) (int, error) {
	if len(e.flight) < least || len(events) < least {
		return 0, unix.EINVAL
	}
	n := 0
	for n < len(events) && len(e.flight) > 0 {
		left := time.Until(e.flight[0].end)
		if left > 0 && n >= least {
			break
		}
		if !waitFor(left, e.flight[0].end) {
			break
		}
		events[n] = e.pop()
		n++
	}
	return n, nil
}

// waitFor returns true at the end, or false after 0.1 s.
func waitFor(left time.Duration, end time.Time) bool {
	if left > uringPatience {
		time.Sleep(uringPatience)
		return false
	}
	if left > timedSpin {
		time.Sleep(left - timedSpin)
	}
	for left = time.Until(end); left > 0; left = time.Until(end) {
		if left > timedYield {
			runtime.Gosched()
		}
	}
	return true
}

// push adds an access to the heap.
func (e *timed) push(a timedAccess) {
	h := append(e.flight, a)
	for i := len(h) - 1; i > 0 && h[i].end.Before(h[(i-1)/2].end); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	e.flight = h
}

// pop takes the access that ends first from the heap.
func (e *timed) pop() Event {
	h := e.flight
	event := h[0].event
	last := len(h) - 1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if h[child].end.Before(h[first].end) {
				first = child
			}
		}
		if first == i {
			break
		}
		h[i], h[first] = h[first], h[i]
		i = first
	}
	e.flight = h
	return event
}

// Telemetry is that of the device, if it tells any.
func (e *timed) Telemetry() (Telemetry, bool) { return telemetryOf(e.device) }

// telemetryOf asks what stands behind an engine.
func telemetryOf(device any) (Telemetry, bool) {
	d, ok := device.(DeviceTelemeter)
	if !ok {
		return Telemetry{}, false
	}
	celsius, throttles, ok := d.Telemetry()
	return Telemetry{Celsius: celsius, Throttles: throttles}, ok
}

// Fork returns another engine over the same device.
func (e *timed) Fork() (Engine, error) { return NewTimed(e.name, e.device), nil }

// Close does nothing; the device belongs to the caller.
func (e *timed) Close() error { return nil }
