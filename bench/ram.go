package bench

import (
	"encoding/binary"

	"qd1.example/qd1/internal/rawio"
)

// ramBytes is the size of the memory area, a power of two: more than the caches
// next to a core hold, and small enough to stay mapped.
const ramBytes = 8 << 20

// ram copies between the buffers and an area of memory.
type ram struct {
	area    *rawio.Buffer
	pending []Event
}

// NewRAM returns the engine that copies memory instead of doing I/O: the ceiling
// of the host. Every fork has an area of 8 MiB of its own, full of data.
func NewRAM() (Engine, error) {
	area, err := rawio.Alloc(ramBytes)
	if err != nil {
		return nil, err
	}
	b := area.Bytes()
	for i := 0; i < ramBytes; i += 8 {
		binary.NativeEndian.PutUint64(b[i:], uint64(i)*0x9e3779b97f4a7c15|1)
	}
	return &ram{area: area}, nil
}

// Submit takes all requests.
//
//go:nosplit
func (m *ram) Submit(requests []Request) (int, error) {
	for i := range requests {
		r := &requests[i]
		m.copy(r)
		m.pending = append(m.pending, Event{Buffer: r.Buffer, Bytes: len(r.Data)})
	}
	return len(requests), nil
}

// copy moves the data of one request. Its place is the offset modulo the size of
// the area; what is longer than the rest of the area goes on at its start.
//
//go:nosplit
func (m *ram) copy(r *Request) {
	area := m.area.Bytes()
	at := int(uint64(r.Offset) % ramBytes)
	for done := 0; done < len(r.Data); {
		n := 0
		if r.Write {
			n = copy(area[at:], r.Data[done:])
		} else {
			n = copy(r.Data[done:], area[at:])
		}
		done, at = done+n, 0
	}
}

// Reap returns what was submitted, the latest first.
//
//go:nosplit
func (m *ram) Reap(events []Event, _ int) (int, error) {
	return reapLatest(events, &m.pending), nil
}

// Fork returns another one with its own memory.
func (m *ram) Fork() (Engine, error) { return NewRAM() }

// Close gives the memory up. A second call does nothing.
func (m *ram) Close() error { return m.area.Free() }
