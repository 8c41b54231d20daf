package firmware

import (
	"time"

	"qd1.example/qd1/internal/guard"
)

// Schema is the format of [Record].
const Schema = "qd1.firmware-update/1"

// Class says what came of an update.
type Class string

// The classes.
const (
	// Planned: nothing was sent, and nothing speaks against it.
	Planned Class = "planned"
	// Refused: a check speaks against it, and nothing was sent.
	Refused Class = "refused"
	// Changed: the drive runs other firmware than before.
	Changed Class = "changed"
	// Pending: the drive has the image, and a reset is still needed.
	Pending Class = "reset-needed"
	// Unchanged: the drive accepted the image and runs what it ran before.
	Unchanged Class = "unchanged"
	// Rejected: the drive refused.
	Rejected Class = "rejected"
	// Failed: the host or the drive failed before the commit, which was not sent.
	Failed Class = "failed"
	// Cancelled: the user stopped it before the commit.
	Cancelled Class = "cancelled"
	// Interrupted: the commit was sent, and what came of it is not known.
	Interrupted Class = "interrupted"
)

// Tool is the program that made a record.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Firmware is what a drive and the kernel say of its firmware at one moment.
type Firmware struct {
	// Revision is that of Identify, Kernel that of sysfs, "" if it is not there.
	Revision string `json:"revision"`
	Kernel   string `json:"kernel_revision,omitempty"`
	// ActiveSlot is the slot of the running firmware, NextSlot that of the next
	// reset; 0 if the drive does not say.
	ActiveSlot int `json:"active_slot"`
	NextSlot   int `json:"next_slot"`
	// Slots are the revisions from slot 1 on, "" for an empty one.
	Slots []string `json:"slots"`
}

// in returns the revision in a slot.
func (f *Firmware) in(slot int) string {
	if slot < 1 || slot > len(f.Slots) {
		return ""
	}
	return f.Slots[slot-1]
}

// Reply is an answer of the drive that matters.
type Reply struct {
	// Command is the name of the command with its action, Status the status in
	// hexadecimal, such as "0x111".
	Command string `json:"command"`
	Status  string `json:"status"`
	// Text says what it means, Do what is to be done, "" for nothing.
	Text string `json:"text"`
	Do   string `json:"do,omitempty"`
}

// Record is an update: what was planned, sent, answered and seen.
type Record struct {
	Schema string    `json:"schema"`
	Tool   Tool      `json:"tool"`
	Time   time.Time `json:"time"`
	// Job names its journal, "" for a plan.
	Job       string         `json:"job,omitempty"`
	Simulated bool           `json:"simulated"`
	Identity  guard.Identity `json:"identity"`
	// Lineage says who sold the drive, as far as the model number tells.
	Lineage string        `json:"lineage,omitempty"`
	Plan    *Plan         `json:"plan"`
	Checks  []guard.Check `json:"checks"`
	// Phrase is what a person types to agree.
	Phrase string `json:"phrase"`
	// Earlier says what is known of jobs that were broken off.
	Earlier []string `json:"earlier"`
	// Users are those who use the drive, which keeps it from being reset.
	Users []string `json:"users"`

	// ChunksSent is how many chunks the drive has taken, Retries how often one
	// was sent again.
	ChunksSent int     `json:"chunks_sent"`
	Retries    int     `json:"retries"`
	Replies    []Reply `json:"replies"`
	// ResetNeeded is what activates the image, ResetDone what was done.
	ResetNeeded Reset  `json:"reset_needed"`
	ResetDone   Reset  `json:"reset_done"`
	ResetText   string `json:"reset_text,omitempty"`

	// Before and After are null where they were not read.
	Before *Firmware `json:"before"`
	After  *Firmware `json:"after"`
	Notes  []string  `json:"notes"`

	Result Class  `json:"result"`
	Text   string `json:"text"`
	Next   string `json:"next,omitempty"`
	// Error is what made it fail, "" for nothing.
	Error string `json:"error,omitempty"`

	// RecordID is the record that it is kept as; BenchBefore and BenchAfter are
	// those of the benchmarks, and Benchmark is what they come to.
	RecordID    string `json:"record,omitempty"`
	BenchBefore string `json:"benchmark_before,omitempty"`
	BenchAfter  string `json:"benchmark_after,omitempty"`
	Benchmark   string `json:"benchmark,omitempty"`
}

// NewRecord is the record of a plan. Checks that are not of the guard are given;
// agreement is nil for a plan that nobody has agreed to yet.
func NewRecord(tool Tool, now time.Time, looked *guard.Case, p *Plan, agreement *guard.Agreement, gates []guard.Check) *Record {
	r := &Record{
		Schema: Schema, Tool: tool, Time: now.UTC(), Simulated: looked.Identity.Simulated, Identity: looked.Identity,
		Plan: p, Checks: append(looked.Judge(agreement), gates...), Phrase: looked.Phrase(),
		Earlier: []string{}, Users: []string{}, Replies: []Reply{}, Notes: []string{},
		ResetNeeded: p.Reset, ResetDone: NoReset, Result: Planned,
		Text: "nothing was sent to the drive",
	}
	for _, c := range r.Checks {
		if c.Result == guard.Refuse {
			r.Result = Refused
		}
	}
	return r
}
