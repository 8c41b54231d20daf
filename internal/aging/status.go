package aging

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/report"
)

// Kind is the kind of the jobs of this package in the journal.
const Kind = "age"

// ErrNotAge is a journal of something else.
var ErrNotAge = errors.New("not the journal of an aging")

// header is what the journal begins with.
type header struct {
	Schema string      `json:"schema"`
	Tool   report.Tool `json:"tool"`
	Plan   *Plan       `json:"plan"`
}

// planOf reads the plan of a job.
func planOf(j *journal.Record) (*Plan, error) {
	if j.Kind != Kind {
		return nil, fmt.Errorf("%s: %w but of kind %q", j.ID, ErrNotAge, j.Kind)
	}
	var h header
	if err := json.Unmarshal(j.Header, &h); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", j.ID, ErrNotAge, err)
	}
	if h.Schema != Schema || h.Plan == nil || h.Plan.Schema != PlanSchema {
		return nil, fmt.Errorf("%s: %w that this version knows: its format is %q", j.ID, ErrNotAge, h.Schema)
	}
	return h.Plan, nil
}

// StatusSchema is the name and version of the JSON object of a Status.
const StatusSchema = "qd1.age-status/1"

// Status is how far a job is.
type Status struct {
	Schema string `json:"schema"`
	Job    string `json:"job"`
	Serial string `json:"serial"`
	Plan   *Plan  `json:"plan"`
	// Live says that the process PID works on it. A job that is neither live nor
	// ended can be resumed.
	Live  bool          `json:"live"`
	PID   int           `json:"pid"`
	Ended bool          `json:"ended"`
	State journal.State `json:"state"`
	// Done and Of count the runs of a set, or the probes of the treatment.
	Done             int     `json:"done"`
	Of               int     `json:"of"`
	TreatedSeconds   float64 `json:"treated_seconds"`
	RemainingSeconds float64 `json:"remaining_seconds"`
	Percent          float64 `json:"percent"`
	WrittenBytes     int64   `json:"written_bytes"`
	Celsius          *int    `json:"composite_temperature_celsius"`
	// Last is when the journal was last written to.
	Last          time.Time      `json:"last"`
	Phases        []Phase        `json:"phases"`
	Probes        []Probe        `json:"probes"`
	Stops         []Stop         `json:"stops"`
	Interruptions []Interruption `json:"interruptions"`
	// Text says it in a sentence, with what can be done.
	Text string `json:"text"`
}

// StatusOf tells how far a job is. The error wraps ErrNotAge.
func StatusOf(j *journal.Record) (*Status, error) {
	p, err := planOf(j)
	if err != nil {
		return nil, err
	}
	a := replay(p, j)
	s := &Status{
		Schema: StatusSchema, Job: j.ID, Serial: j.Serial, Plan: p, Live: j.Live, PID: j.PID, Ended: j.Ended(),
		State: a.state, TreatedSeconds: a.treated, RemainingSeconds: a.remaining(), WrittenBytes: a.written + a.reserved,
		Celsius: a.celsius, Last: a.last, Phases: a.counted(), Probes: append([]Probe{}, a.probes...),
		Stops: append([]Stop{}, a.stops...), Interruptions: append([]Interruption{}, a.interruptions...),
	}
	s.Done, s.Of = a.progress(a.state)
	s.Percent = 100
	if p.TotalSeconds > 0 {
		s.Percent = 100 * (1 - s.RemainingSeconds/p.TotalSeconds)
	}
	s.Text = s.sentence()
	return s, nil
}

// sentence says how far the job is.
func (s *Status) sentence() string {
	text := phaseText(s.State, s.Done, s.Of, s.TreatedSeconds, s.Plan.TreatmentSeconds)
	switch {
	case s.Ended:
		return "it has ended"
	case s.Live:
		return text + ", about " + clock(s.RemainingSeconds) + " left"
	}
	return fmt.Sprintf("%s, when it was broken off at %s; it can be resumed, and takes about %s more",
		text, s.Last.Format(time.RFC3339), clock(s.RemainingSeconds))
}

// phaseText says what a state is about.
func phaseText(s journal.State, done, of int, treated, treatment float64) string {
	switch s {
	case Before:
		return fmt.Sprintf("before: %d of %d runs", done, of)
	case Treating:
		return fmt.Sprintf("treatment: %s of %s, %d of %d probes", clock(treated), clock(treatment), done, of)
	case Settling:
		return "settling: the drive cools down"
	case After:
		return fmt.Sprintf("after: %d of %d runs", done, of)
	}
	return "planned"
}

// clock writes a time in whole seconds.
func clock(seconds float64) string { return duration(seconds).Round(time.Second).String() }
