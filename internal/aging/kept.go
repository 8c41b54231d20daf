package aging

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/journal"
)

// keptSchema is the format of the files beside the journal.
const keptSchema = "qd1.age-step/1"

// kept is what one step left: a file beside the journal.
type kept struct {
	Schema string        `json:"schema"`
	Job    string        `json:"job"`
	State  journal.State `json:"state"`
	// Number of the step among those of its kind, from 1.
	Number  int       `json:"number"`
	Time    time.Time `json:"time"`
	Treated float64   `json:"treated_seconds"`
	Written int64     `json:"written_bytes"`
	// One of these is there.
	Run     *keptRun `json:"run,omitempty"`
	Probe   *Probe   `json:"probe,omitempty"`
	Sitting *Sitting `json:"sitting,omitempty"`
}

// keptRun is one run of a set.
type keptRun struct {
	Sitting int           `json:"sitting"`
	Result  *bench.Result `json:"result"`
	// Start and End are the drive before and after it.
	Start   *conditions.DriveState `json:"drive_before"`
	End     *conditions.DriveState `json:"drive_after"`
	OtherIO *conditions.OtherIO    `json:"other_io"`
}

// The names of the files: a word and a number.
const (
	probeFile   = "probe"
	sittingFile = "sitting"
	resultFile  = "result"
)

// setFile is the word of the runs of a set.
func setFile(s journal.State) string { return strings.ToLower(string(s)) }

func numbered(word string, n int) string { return fmt.Sprintf("%s-%d", word, n) }

// keep puts what a step left on stable storage.
func (r *run) keep(word string, k kept) error {
	k.Schema, k.Job, k.State, k.Time = keptSchema, r.job.ID, r.acc.state, r.now().UTC()
	k.Treated, k.Written = r.acc.treated, r.acc.written
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return r.job.Keep(numbered(word, k.Number), data)
}

// errDamaged is a file that is not what was kept.
var errDamaged = errors.New("damaged")

// fetch reads what a step left. The error matches fs.ErrNotExist if it left
// nothing.
func (r *run) fetch(word string, n int) (*kept, error) {
	data, err := r.job.Kept(numbered(word, n))
	if err != nil {
		return nil, err
	}
	return parseKept(data, r.job.ID, word, n)
}

// parseKept decodes a file, and checks that it is the one that was asked for.
func parseKept(data []byte, job, word string, n int) (*kept, error) {
	var k kept
	if err := json.Unmarshal(data, &k); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	whole := false
	switch word {
	case probeFile:
		whole = k.Probe != nil && k.Probe.Probe == n
	case sittingFile:
		whole = k.Sitting != nil && k.Sitting.Sitting == n
	default:
		whole = k.Run != nil && k.Run.Result != nil
	}
	if !whole || k.Schema != keptSchema || k.Job != job || k.Number != n || !(k.Treated >= 0) || k.Written < 0 {
		return nil, fmt.Errorf("%w: it is not %s of this job", errDamaged, numbered(word, n))
	}
	return &k, nil
}

// adopt takes in what the steps left, also those that the journal does not know
// of because it lost its end.
func (r *run) adopt() {
	state, treated := r.acc.state, r.acc.treated
	for n := 1; r.adoptOne(sittingFile, n, n <= r.acc.sittings); n++ {
	}
	for _, s := range []journal.State{Before, After} {
		for n := 1; n <= r.plan.Runs; n++ {
			r.adoptOne(setFile(s), n, r.acc.done[s][n])
		}
	}
	for n := 1; n <= r.plan.Probes; n++ {
		r.adoptOne(probeFile, n, false)
	}
	if r.acc.state != state || r.acc.treated != treated {
		r.lose("the journal lost its end: it knew of %s and %s of treatment, the steps that were kept go as far as %s and %s",
			state, clock(treated), r.acc.state, clock(r.acc.treated))
	}
}

// adoptOne takes in what one step left, and reports whether there may be a
// next one. Known says that the journal has it, so that it is missed.
func (r *run) adoptOne(word string, n int, known bool) bool {
	k, err := r.fetch(word, n)
	if err == nil {
		r.take(k)
		return true
	}
	absent := errors.Is(err, fs.ErrNotExist)
	if known || !absent {
		r.lose("%s: %v", numbered(word, n), err)
	}
	for _, s := range []journal.State{Before, After} {
		if setFile(s) == word {
			delete(r.acc.done[s], n)
		}
	}
	return known || !absent
}

func (r *run) lose(format string, args ...any) {
	r.lost = append(r.lost, fmt.Sprintf(format, args...))
}

// take adds what a step left to the account. A later state is a state that the
// job was in.
func (r *run) take(k *kept) {
	a := r.acc
	a.enter(k.State, k.Time)
	a.treated, a.written = max(a.treated, k.Treated), max(a.written, k.Written)
	if k.Sitting == nil && k.Time.After(a.last) {
		a.last = k.Time
	}
	switch {
	case k.Sitting != nil:
		r.sittings[k.Number] = k.Sitting
		a.sittings = max(a.sittings, k.Number)
	case k.Probe != nil:
		a.probe(k.Probe)
	case a.done[k.State] != nil:
		a.done[k.State][k.Number] = true
		r.sets[k.State][k.Number] = k.Run
	}
}
