package erase

import (
	"encoding/json"

	"qd1.example/qd1/internal/journal"
)

// forJournal is the record as the journal gets it: without the events, which
// can be many.
func (r *Record) forJournal() *Record {
	c := *r
	c.Events = []Event{}
	return &c
}

// RecordOf reads the record of a job from its journal: that of the last entry
// that has one.
func RecordOf(j *journal.Record) *Record {
	r := new(Record)
	for i := len(j.Entries) - 1; i >= 0; i-- {
		if decodes(j.Entries[i].Data, r) {
			r.State, r.Job = j.Entries[i].State, j.ID
			return r
		}
	}
	decodes(j.Header, r)
	r.State, r.Job = j.State(), j.ID
	return r
}

// decodes reads a record, and reports whether it was one.
func decodes(data json.RawMessage, r *Record) bool {
	if len(data) == 0 {
		return false
	}
	if err := json.Unmarshal(data, r); err != nil || r.Schema != Schema {
		*r = Record{}
		return false
	}
	return true
}

// everSent reports whether a command of the job was sent, for all that is
// known.
func everSent(j *journal.Record) bool {
	for _, e := range j.Entries {
		switch e.State {
		case journal.Armed, journal.Done:
		default:
			return true
		}
	}
	return false
}

// interruption is how a job was broken off.
func interruption(j *journal.Record) Interruption {
	i := Interruption{Time: j.Time, State: j.State(), Text: "the run ended before its time"}
	if n := len(j.Entries); n > 0 {
		i.Time = j.Entries[n-1].Time
	}
	if j.Restarted != nil && *j.Restarted {
		i.Text += ", and the computer was started again since"
	}
	return i
}
