package smart

import (
	"fmt"
	"slices"
	"strings"
)

// Level is the verdict.
type Level string

// The verdicts. Unknown means that the facts do not suffice, which is neither
// good nor bad news about the drive.
const (
	Keep    Level = "keep"
	Note    Level = "note"
	Return  Level = "return"
	Unknown Level = "unknown"
)

// Severity is the weight of one finding.
type Severity string

// The severities, from the lightest. SeverityOK is evidence for the drive,
// SeverityInfo is neither for nor against it.
const (
	SeverityOK     Severity = "ok"
	SeverityInfo   Severity = "info"
	SeverityNote   Severity = "note"
	SeverityReturn Severity = "return"
)

// rank orders findings: the heaviest first.
func (s Severity) rank() int {
	return slices.Index([]Severity{SeverityReturn, SeverityNote, SeverityInfo, SeverityOK}, s)
}

// Finding is a rule that applies to a drive.
type Finding struct {
	// Rule is the identity of the rule.
	Rule string `json:"rule"`
	// Axis is what the finding is about.
	Axis Axis `json:"axis"`
	// Severity is the weight of the finding.
	Severity Severity `json:"severity"`
	// Text is one sentence for people.
	Text string `json:"text"`
	// Evidence has the fields and their values, as in "media_errors 3".
	Evidence string `json:"evidence"`
	// Values are the values of Text by their names in [Rule.Text], for those
	// who write the sentence in another language.
	Values map[string]string `json:"-"`
}

// Assessment is the verdict on a drive and its reasons.
type Assessment struct {
	// Level is the verdict.
	Level Level `json:"level"`
	// Summary is one sentence that names the decisive reason.
	Summary string `json:"summary"`
	// Findings has all rules that apply, the heaviest first.
	Findings []Finding `json:"findings"`
}

// Assess applies all rules to the facts.
//
// The level is Return if a finding says so; else Unknown if the SMART log
// could not be read or cannot be believed; else Note if a finding says so;
// else Keep.
func Assess(f *Facts) Assessment {
	var a Assessment
	unsure := false
	believed := believable(f)
	for _, r := range rules() {
		facts := believed
		if r.Inconclusive {
			facts = f
		}
		if !facts.knows(r.Fields...) {
			continue
		}
		if hit := r.applies(facts); hit != nil {
			a.Findings = append(a.Findings, r.finding(hit))
			unsure = unsure || r.Inconclusive
		}
	}
	slices.SortStableFunc(a.Findings, func(x, y Finding) int { return x.Severity.rank() - y.Severity.rank() })
	a.Level = level(a.Findings, unsure)
	a.Summary = summary(f, a)
	return a
}

// believable returns a copy of the facts, without a SMART page that holds no
// data.
func believable(f *Facts) *Facts {
	g := *f
	if g.SMART != nil && (isEmpty(g.SMART) || isAllOnes(g.SMART)) {
		g.SMART = nil
	}
	if wasCut(&g) {
		g.Missing = slices.Concat(g.Missing, cutAway())
	}
	g.lookUp()
	return &g
}

// level wants the findings sorted, the heaviest first.
func level(sorted []Finding, unsure bool) Level {
	heaviest := SeverityOK
	if len(sorted) > 0 {
		heaviest = sorted[0].Severity
	}
	switch {
	case heaviest == SeverityReturn:
		return Return
	case unsure:
		return Unknown
	case heaviest == SeverityNote:
		return Note
	}
	return Keep
}

func summary(f *Facts, a Assessment) string {
	if a.Level == Keep {
		return keepSummary(f)
	}
	decisive := a.Findings[0]
	if a.Level == Unknown {
		decisive = inconclusive(a.Findings)
	}
	more := -1
	for _, x := range a.Findings {
		if x.Severity == decisive.Severity {
			more++
		}
	}
	if more == 0 {
		return decisive.Text
	}
	return fmt.Sprintf("%s (and %d more)", strings.TrimSuffix(decisive.Text, "."), more) + "."
}

// inconclusive returns the finding that makes the verdict Unknown.
func inconclusive(findings []Finding) Finding {
	if i := slices.IndexFunc(findings, isInconclusive); i >= 0 {
		return findings[i]
	}
	return findings[0]
}

func isInconclusive(f Finding) bool {
	return slices.ContainsFunc(rules(), func(r Rule) bool { return r.ID == f.Rule && r.Inconclusive })
}

func keepSummary(f *Facts) string {
	s := "No critical warning, not read-only, no media errors"
	e, own := f.Endurance(), float64(f.SMART.PercentageUsed)
	rated := e.WrittenPercent != nil && *e.WrittenPercent < 100 && !f.SMART.DataUnitsWritten.IsZero()
	if rated {
		of := "the rated endurance"
		if e.RatedIndicative {
			of = "an unchecked rating"
		}
		s += fmt.Sprintf(", %s %% of %s written", percentText(*e.WrittenPercent), of)
	}
	if own > 0 && (!rated || own > *e.WrittenPercent) {
		s += fmt.Sprintf(", %.0f %% of its life used by its own account", own)
	}
	return s + "."
}
