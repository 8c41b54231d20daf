package selftest

import (
	"strings"

	"qd1.example/qd1/nvme"
)

// Report is what became of a test that was to be started.
type Report struct {
	// Test is which test it is.
	Test string `json:"test"`
	// NSID is the namespace that is tested: FFFFFFFFh for all, 0 for none.
	NSID nvme.NSID `json:"nsid"`
	// Command is the command in words.
	Command string `json:"command"`
	// EstimateSeconds is how long it takes, as the specification (short) or the
	// drive (extended) says. 0: the drive does not say.
	EstimateSeconds float64 `json:"estimate_seconds"`
	// Sent is false for a dry run and for a refusal.
	Sent bool `json:"sent"`
	// Status is the answer, nil while nothing was sent.
	Status *nvme.Status `json:"status"`
	// Followed is what was seen of the test, nil where it was not followed.
	Followed *Followed `json:"followed"`
	// Next is the next step for a person, "" for none.
	Next string `json:"next,omitempty"`
}

// Word is what came of it, in one word: PASSED, FAILED, ABORTED, UNKNOWN; RUNNING
// for a test that goes on in the drive, LOST for one without a result, REFUSED,
// and NOT STARTED while nothing was sent.
func (r *Report) Word() string {
	f := r.Followed
	switch {
	case !r.Sent:
		return "NOT STARTED"
	case r.Status != nil && !r.Status.OK():
		return "REFUSED"
	case f == nil || f.End == Stuck || f.End == Left || f.End == Silent:
		return "RUNNING"
	case f.Result == nil:
		return "LOST"
	}
	return strings.ToUpper(string(f.Result.Outcome))
}
