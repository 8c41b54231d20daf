package conditions

import (
	"encoding/binary"

	"qd1.example/qd1/nvme"
)

// Power is how a drive saves power, and what it costs to come back.
type Power struct {
	// State is the power state that the host or the drive chose, nil if it could
	// not be read. A drive that works has an operational one.
	State *int `json:"state"`
	// States are those that the drive has.
	States []PowerState `json:"states"`
	// APST is nil if the drive does not change states by itself.
	APST *APST `json:"apst"`
}

// PowerState is one power state of a drive.
//
// Source: NVM Express Base Specification, Revision 2.0, Identify - Power State
// Descriptor Data Structure.
type PowerState struct {
	Number int `json:"number"`
	// MaxMilliwatts is nil if it is not reported.
	MaxMilliwatts *float64 `json:"max_milliwatts"`
	// Operational tells whether the drive reads and writes in it.
	Operational bool `json:"operational"`
	// EntryUS and ExitUS are the longest times to enter and to leave, in µs, nil
	// if they are not reported.
	EntryUS *uint32 `json:"entry_latency_us"`
	ExitUS  *uint32 `json:"exit_latency_us"`
}

// APST is Autonomous Power State Transition: after some time without work the
// drive enters a state from which the first access is slow.
//
// Source: NVM Express Base Specification, Revision 2.0, Autonomous Power State
// Transition.
type APST struct {
	Enabled     bool         `json:"enabled"`
	Transitions []Transition `json:"transitions"`
	// Deepest is the last state that a transition leads to, with its latencies;
	// nil if there is no transition.
	Deepest *PowerState `json:"deepest"`
}

// Transition is what a drive does that has been idle in one state.
type Transition struct {
	From   int `json:"from"`
	To     int `json:"to"`
	IdleMS int `json:"idle_ms"`
}

// apstBytes is the length of the table of transitions, 32 entries of 8 bytes.
const apstBytes = 256

func (r *reading) power(id *nvme.IdentifyController) *Power {
	p := &Power{States: powerStates(id)}
	if v, _, ok := r.feature(nvme.FIDPowerManagement, 0); ok {
		p.State = new(int(v & 0x1F))
	}
	if id.APSTA&1 != 0 {
		if v, table, ok := r.feature(nvme.FIDAutonomousTransition, apstBytes); ok {
			p.APST = newAPST(v&1 != 0, table, p.States)
		}
	}
	return p
}

func powerStates(id *nvme.IdentifyController) []PowerState {
	descriptors := id.PowerStates()
	states := make([]PowerState, len(descriptors))
	for i := range descriptors {
		d := &descriptors[i]
		states[i] = PowerState{
			Number:        i,
			MaxMilliwatts: notZero(d.MaxMilliwatts()),
			Operational:   !d.NonOperational(),
			EntryUS:       notZero(d.EntryLatency),
			ExitUS:        notZero(d.ExitLatency),
		}
	}
	return states
}

func notZero[T uint32 | float64](v T) *T {
	if v == 0 {
		return nil
	}
	return &v
}

// newAPST decodes the table: each entry has the idle time in bits 31:8, in ms,
// and the state to enter in bits 7:3; a time of 0 is no transition.
func newAPST(enabled bool, table []byte, states []PowerState) *APST {
	a := &APST{Enabled: enabled, Transitions: []Transition{}}
	for from := range states {
		if len(table) < (from+1)*8 {
			break
		}
		entry := binary.LittleEndian.Uint32(table[from*8:])
		t := Transition{From: from, To: int(entry >> 3 & 0x1F), IdleMS: int(entry >> 8)}
		if t.IdleMS == 0 {
			continue
		}
		a.Transitions = append(a.Transitions, t)
		if t.To < len(states) && (a.Deepest == nil || t.To > a.Deepest.Number) {
			a.Deepest = &states[t.To]
		}
	}
	return a
}
