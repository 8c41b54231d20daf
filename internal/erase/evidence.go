package erase

import (
	"fmt"
	"strings"

	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/nvme"
)

// evidence is what the command itself shows: the answers of the drive, what
// became of the controller meanwhile, and what the logs say. It passes only if
// nothing speaks against it.
func (r *Record) evidence() proof.Tier {
	var failed, doubt []string
	failed = append(failed, r.failures()...)
	doubt = append(doubt, r.doubts()...)
	switch {
	case len(failed) > 0:
		return proof.Tier{Verdict: proof.Fail, Text: strings.Join(append(failed, doubt...), "; ")}
	case len(doubt) > 0:
		return proof.Tier{Verdict: proof.Inconclusive, Text: strings.Join(doubt, "; ")}
	}
	return proof.Tier{Verdict: proof.Pass, Text: r.success()}
}

// success says what passed.
func (r *Record) success() string {
	text := fmt.Sprintf("%d of %d commands succeeded", len(r.Outcomes), len(r.Commands))
	if r.attested() && !r.answered() {
		text = "the answer to the command was lost, and the drive says that it did it"
	}
	if r.Technique == Overwrite {
		text = fmt.Sprintf("%d of %d namespaces were written to the end", len(r.Outcomes), len(r.Commands))
	}
	if r.Sanitize != nil {
		text += fmt.Sprintf(", the sanitize log says completed (SSTAT %#04x)", uint16(r.Sanitize.Status))
	}
	text += ", " + r.disturbances()
	text += ", and the drive is the same"
	if r.Delta != nil && len(r.Delta.Changes) > 0 {
		text += " but for " + strings.Join(r.Delta.Changes, ", ")
	}
	return text
}

// disturbances are those that did not keep the drive from going on.
func (r *Record) disturbances() string {
	var all []string
	if r.Resets > 0 {
		all = append(all, fmt.Sprintf("the drive was reset %d times meanwhile", r.Resets))
	}
	if n := r.powerLosses(); n > 0 {
		all = append(all, fmt.Sprintf("the drive lost its power %d times meanwhile", n))
	}
	if len(all) == 0 {
		return "no reset was seen"
	}
	return strings.Join(all, ", ") + " and went on"
}

// powerLosses is how often the drive counted a power cycle meanwhile.
func (r *Record) powerLosses() int64 {
	if r.Delta == nil || r.Delta.PowerCycles == nil {
		return 0
	}
	return *r.Delta.PowerCycles
}

// attested reports whether the drive itself says that it did the operation of
// this job, so that a lost answer is no loss.
func (r *Record) attested() bool {
	return r.Technique.Sanitizes() && !r.Lost && completed(r.Sanitize) && len(r.Commands) > 0 && r.Sanitize.CDW10 == r.Commands[0].CDW10
}

func completed(l *nvme.SanitizeLog) bool {
	if l == nil {
		return false
	}
	state := l.Status.State()
	return state == nvme.SanitizeCompleted || state == nvme.SanitizeCompletedDeallocate
}

func (r *Record) sanitizeFailed() bool {
	return r.Technique.Sanitizes() && r.Sanitize != nil && r.Sanitize.Status.State() == nvme.SanitizeFailed
}

// failures say that the drive did not do it.
func (r *Record) failures() []string {
	var all []string
	for i := range r.Outcomes {
		if o := &r.Outcomes[i]; !o.OK() && !o.Host {
			all = append(all, "the drive answered: "+o.Text)
		}
	}
	if r.Technique.Sanitizes() && r.Sanitize != nil {
		switch r.Sanitize.Status.State() {
		case nvme.SanitizeFailed:
			all = append(all, "the sanitize operation failed, says the sanitize log")
		case nvme.SanitizeNever:
			all = append(all, "the sanitize log says that there never was a sanitize operation")
		}
	}
	for _, sign := range ghost(r.Before, r.After) {
		all = append(all, "the drive does not look like itself: "+sign)
	}
	return all
}

// doubts say why success could be something else.
func (r *Record) doubts() []string {
	var all []string
	doubt := func(when bool, format string, args ...any) {
		if when {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	doubt(r.Lost, "the answer to a command did not come")
	if !r.attested() {
		doubt(len(r.Outcomes) < len(r.Commands), "%d of %d commands were answered", len(r.Outcomes), len(r.Commands))
		for i := range r.Outcomes {
			doubt(r.Outcomes[i].Host, "the host failed: %s", r.Outcomes[i].Text)
		}
	}
	doubt(r.Resets > 0 && !r.attested(), "the controller was reset %d times meanwhile", r.Resets)
	doubt(r.After == nil, "the drive could not be looked at afterwards")
	if r.Technique.Sanitizes() {
		doubt(r.Sanitize == nil, "the sanitize log could not be read")
		doubt(r.Sanitize != nil && len(r.Commands) > 0 && r.Sanitize.CDW10 != r.Commands[0].CDW10,
			"the sanitize log is about another operation")
	}
	return append(all, r.deltaDoubts()...)
}

// deltaDoubts are about the logs. A run that was broken off by a loss of power
// has counted that, and a sanitize operation that the drive attests has survived
// it.
func (r *Record) deltaDoubts() []string {
	d := r.Delta
	if d == nil {
		return nil
	}
	var all []string
	switch {
	case d.PowerCycles == nil:
	case *d.PowerCycles < 0:
		all = append(all, "the drive counts fewer power cycles than before")
	case *d.PowerCycles > 0 && len(r.Interruptions) == 0 && !r.attested():
		all = append(all, fmt.Sprintf("the drive was switched off and on %d times meanwhile", *d.PowerCycles))
	}
	if d.MediaErrors != nil && *d.MediaErrors > 0 {
		all = append(all, fmt.Sprintf("the drive counted %d media errors meanwhile", *d.MediaErrors))
	} else if d.mediaError {
		all = append(all, "the error log has new media errors")
	}
	return all
}
