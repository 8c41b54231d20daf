package erase

import (
	"time"
)

// EventKind is what an event tells.
type EventKind string

// The kinds of events.
const (
	// StateEvent is a new state of the journal.
	StateEvent EventKind = "state"
	// ProgressEvent is how far a phase is.
	ProgressEvent EventKind = "progress"
	// WarningEvent is worth reading and does not end the job.
	WarningEvent EventKind = "warning"
	// OutcomeEvent is an answer to a command.
	OutcomeEvent EventKind = "outcome"
)

// Phase is a part of a job that takes time.
type Phase string

// The phases.
const (
	PhaseBefore Phase = "before"
	PhaseErase  Phase = "erase"
	PhaseVerify Phase = "verify"
)

// Event is something that happened in a job.
type Event struct {
	Time time.Time `json:"time"`
	Kind EventKind `json:"event"`
	// State is the new state, Job the identifier of the job; of a StateEvent.
	State State  `json:"state,omitempty"`
	Job   string `json:"job,omitempty"`
	Text  string `json:"text"`
	// Phase, Percent, Estimated, Elapsed and Remaining are of a ProgressEvent.
	Phase Phase `json:"phase,omitempty"`
	// Percent is how much is done, null if nobody knows.
	Percent *float64 `json:"percent,omitempty"`
	// Estimated says that Percent is not from the drive but from the estimate
	// of the plan.
	Estimated bool `json:"estimated,omitempty"`
	// Elapsed and Remaining are seconds; null Remaining means not known.
	Elapsed   float64  `json:"elapsed_seconds,omitempty"`
	Remaining *float64 `json:"remaining_seconds,omitempty"`
}
