package firmware

import (
	"encoding/json"
	"fmt"

	"qd1.example/qd1/internal/journal"
)

// Kind is the kind of these jobs in the journal.
const Kind = "firmware"

// RecordOf reads the record of a job from its journal: that of the last entry
// that has one.
func RecordOf(j *journal.Record) *Record {
	for i := len(j.Entries) - 1; i >= -1; i-- {
		data := j.Header
		if i >= 0 {
			data = j.Entries[i].Data
		}
		r := new(Record)
		if len(data) > 0 && json.Unmarshal(data, r) == nil && r.Schema == Schema {
			r.Job = j.ID
			return r
		}
	}
	return &Record{Job: j.ID}
}

// Known says what is known of an update that was broken off; now is what the
// drive says, nil if it was not asked.
func Known(j *journal.Record, now *Firmware) string {
	r := RecordOf(j)
	what := "firmware"
	if p := r.Plan; p != nil && p.Image != nil {
		what = fmt.Sprintf("%s (sha256 %.12s…)", p.Image.Name, p.Image.SHA256)
	}
	text := fmt.Sprintf("the update with %s of %s was broken off: ", what, j.Time.Format("2006-01-02 15:04"))
	switch j.State() {
	case "":
		text += "nothing was sent"
	case journal.Armed:
		text += "parts of the image were transferred and not committed; a reset drops them"
	case journal.Sent:
		text += "it was committed, and the answer is not known"
	default:
		text += "the drive had answered"
		if n := len(r.Replies); n > 0 {
			text += ": " + r.Replies[n-1].Text
		}
	}
	return text + sinceThen(r, now)
}

// sinceThen compares what the drive says now with what it said before.
func sinceThen(r *Record, now *Firmware) string {
	if now == nil || r.Before == nil || r.Plan == nil {
		return ""
	}
	switch slot := r.Plan.Slot; {
	case now.Revision != r.Before.Revision:
		return fmt.Sprintf(". The drive ran %s then and runs %s now", r.Before.Revision, now.Revision)
	case now.NextSlot == slot && now.NextSlot != now.ActiveSlot, now.in(slot) != r.Before.in(slot):
		return fmt.Sprintf(". The drive still runs %s; slot %d has %s, which waits for a reset", now.Revision, slot, now.in(slot))
	}
	return fmt.Sprintf(". The drive runs %s, as before", now.Revision)
}
