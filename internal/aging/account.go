package aging

import (
	"encoding/json"
	"time"

	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/journal"
)

// The states of a job in their order, before [journal.Done].
const (
	// Planned: nothing was measured yet.
	Planned journal.State = "PLANNED"
	// Before and After: the runs of the sets are made.
	Before journal.State = "BEFORE"
	// Treating: the treatment, with its probes.
	Treating journal.State = "TREATING"
	// Settling: the drive cools down.
	Settling journal.State = "SETTLING"
	After    journal.State = "AFTER"
)

// rank returns the place of a state in the order, from 0; -1 for one of a newer
// version.
func rank(s journal.State) int {
	for i, t := range []journal.State{Planned, Before, Treating, Settling, After, journal.Done} {
		if s == t {
			return i
		}
	}
	return -1
}

// note is the data of an entry of the journal. Totals stand in every one, so
// that one that is lost takes nothing with it but itself.
type note struct {
	At       time.Time `json:"at"`
	Treated  float64   `json:"treated_seconds"`
	Written  int64     `json:"written_bytes"`
	Reserved int64     `json:"reserved_bytes,omitempty"`
	// Cycles are the power cycles of the drive, Celsius its temperature; as far
	// as they were read since the last note.
	Cycles  *uint64 `json:"power_cycles,omitempty"`
	Celsius *int    `json:"celsius,omitempty"`

	// At most one of these is what has happened.
	Sitting      int           `json:"sitting,omitempty"`
	Run          int           `json:"run,omitempty"`
	Probe        *Probe        `json:"probe,omitempty"`
	Slice        *Slice        `json:"slice,omitempty"`
	Stop         *Stop         `json:"stop,omitempty"`
	Interruption *Interruption `json:"interruption,omitempty"`
}

// account is what the notes of a job come to. The same code makes it while the
// job runs and from the journal afterwards.
type account struct {
	plan  *Plan
	state journal.State
	began time.Time
	last  time.Time

	treated           float64
	written, reserved int64
	cycles            *uint64
	celsius           *int

	sittings int
	// done are the runs of each set that the journal knows of.
	done          map[journal.State]map[int]bool
	phases        []Phase
	probes        []Probe
	stops         []Stop
	interruptions []Interruption
	series        *conditions.Series[Slice]
}

// seriesPoints is the most points of the series of a treatment.
const seriesPoints = 1000

func newAccount(p *Plan, began time.Time) *account {
	return &account{
		plan: p, state: Planned, began: began, last: began,
		done:   map[journal.State]map[int]bool{Before: {}, After: {}},
		series: conditions.NewSeries(seriesPoints, joined),
	}
}

// joined makes one slice of two.
func joined(a, b Slice) Slice {
	a.Seconds += b.Seconds
	a.ReadBytes += b.ReadBytes
	a.WrittenBytes += b.WrittenBytes
	a.Throttles = max(a.Throttles, b.Throttles)
	if a.Celsius == nil || b.Celsius != nil && *b.Celsius > *a.Celsius {
		a.Celsius = b.Celsius
	}
	return a
}

// replay makes the account of a journal.
func replay(p *Plan, j *journal.Record) *account {
	a := newAccount(p, j.Time)
	for _, e := range j.Entries {
		var n note
		if len(e.Data) == 0 || json.Unmarshal(e.Data, &n) != nil || n.At.IsZero() {
			continue // of a newer version
		}
		a.add(e.State, &n)
	}
	return a
}

// add adds a note.
func (a *account) add(s journal.State, n *note) {
	a.enter(s, n.At)
	a.last = n.At
	start := a.treated
	a.treated, a.written, a.reserved = max(a.treated, n.Treated), n.Written, n.Reserved
	if n.Cycles != nil {
		a.cycles = n.Cycles
	}
	if n.Celsius != nil {
		a.celsius = n.Celsius
	}
	a.sittings = max(a.sittings, n.Sitting)
	switch {
	case n.Run > 0 && n.Run <= a.plan.Runs && a.done[s] != nil:
		a.done[s][n.Run] = true
	case n.Probe != nil:
		a.probe(n.Probe)
	case n.Slice != nil:
		a.series.Add(start, *n.Slice)
	case n.Stop != nil:
		a.stop(n.Stop)
	case n.Interruption != nil:
		a.interruptions = append(a.interruptions, *n.Interruption)
	}
}

// enter notes the state, and when its phase began. There is no way back.
func (a *account) enter(s journal.State, at time.Time) {
	if rank(s) <= rank(a.state) {
		return
	}
	a.state = s
	if n := len(a.phases); n > 0 {
		a.phases[n-1].Ended = &at
	}
	if s != journal.Done {
		a.phases = append(a.phases, Phase{Phase: s, Started: at})
	}
}

// probe adds a probe, unless it is there.
func (a *account) probe(p *Probe) {
	if p.Probe == len(a.probes)+1 {
		a.probes = append(a.probes, *p)
	}
}

// stop adds a stop, or closes the pause that is open.
func (a *account) stop(s *Stop) {
	if n := len(a.stops); n > 0 && a.stops[n-1].Open {
		a.stops[n-1] = *s
		return
	}
	a.stops = append(a.stops, *s)
}

// ends returns the stop that ends the treatment or the job, nil for none.
func (a *account) ends(what Ends) *Stop {
	for i := range a.stops {
		if a.stops[i].Ends == what {
			return &a.stops[i]
		}
	}
	return nil
}

// treatmentOver reports whether nothing is left of the treatment, but for the
// last probe.
func (a *account) treatmentOver() bool {
	return a.plan.TreatmentSeconds-a.treated < leastSlice || a.ends(EndsTreatment) != nil
}

// leastSlice is the shortest slice in seconds; less than that is no time.
const leastSlice = 1e-3

// probeDue reports whether the next probe is.
func (a *account) probeDue() bool {
	next := len(a.probes) + 1
	return next <= a.plan.Probes && a.treated >= float64(next)*a.plan.ProbeSeconds-leastSlice
}

// remaining is what is left in seconds, without pauses.
func (a *account) remaining() float64 {
	p := a.plan
	run := (p.QD1.Duration + p.QD1.Warmup).Seconds()
	left := 0.0
	set := func(s journal.State) {
		if rank(a.state) <= rank(s) {
			left += run * float64(p.Runs-min(len(a.done[s]), p.Runs))
			if len(a.done[s]) < p.Runs {
				left += p.WarmupSeconds
			}
		}
	}
	set(Before)
	if rank(a.state) <= rank(Treating) && a.ends(EndsTreatment) == nil {
		left += max(p.TreatmentSeconds-a.treated, 0) + run*float64(p.Probes-min(len(a.probes), p.Probes))
	}
	if rank(a.state) <= rank(Settling) {
		left += p.Limits.SettleSeconds
	}
	set(After)
	if a.ends(EndsJob) != nil || a.state == journal.Done {
		return 0
	}
	return left
}

// counted returns the phases with what was done in them.
func (a *account) counted() []Phase {
	list := append([]Phase{}, a.phases...)
	for i := range list {
		list[i].Done, list[i].Planned = a.progress(list[i].Phase)
	}
	return list
}

// progress counts what is done in a phase.
func (a *account) progress(s journal.State) (done, of int) {
	switch s {
	case Before, After:
		return len(a.done[s]), a.plan.Runs
	case Treating:
		return len(a.probes), a.plan.Probes
	}
	return 0, 0
}
