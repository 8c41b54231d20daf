package sata

import (
	"fmt"
	"slices"
	"strings"
)

// Facts is what is known about a drive. A nil field was not read or does not
// exist; no rule looks at it then.
type Facts struct {
	Host        *Host
	Advice      *Advice
	Identity    *Identity
	Status      *Status
	Attributes  *Attributes
	Statistics  *Statistics
	Health      *Health
	ErrorLog    *ErrorLog
	SelfTestLog *SelfTestLog
	// Problems are the sections that could not be read.
	Problems []Problem
}

// Facts returns the facts of a report.
func (r *Report) Facts() *Facts {
	return &Facts{
		Host: r.Host, Advice: r.Advice, Identity: r.Identity, Status: r.Status, Attributes: r.Attributes, Statistics: r.Statistics,
		Health: r.Health, ErrorLog: r.ErrorLog, SelfTestLog: r.SelfTestLog, Problems: r.Problems,
	}
}

// Level is the verdict, in the words of the verdict on NVMe drives.
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
	// Severity is the weight of the finding.
	Severity Severity `json:"severity"`
	// Text is one sentence for people.
	Text string `json:"text"`
	// Evidence has the fields and their values, as in "pending_sectors 3".
	Evidence string `json:"evidence"`
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

// Rule is one rule of the verdict.
type Rule struct {
	// ID is the identity of the rule. It never changes.
	ID string `json:"id"`
	// Severity is the weight of its finding.
	Severity Severity `json:"severity"`
	// Inconclusive says that a finding makes the verdict Unknown, unless another
	// finding makes it Return.
	Inconclusive bool `json:"inconclusive"`
	// Fields are the JSON names of the fields that the rule looks at.
	Fields []string `json:"fields"`
	// Text is the sentence; names in braces stand for values.
	Text string `json:"text"`
	// Source says where the rule comes from.
	Source string `json:"source"`

	applies func(*Facts) *hit
}

// hit is what a rule found: the evidence, and the values of the sentence as
// pairs of a name in braces and its text.
type hit struct {
	evidence string
	values   []string
}

func found(evidence string, values ...string) *hit { return &hit{evidence, values} }

func (r Rule) finding(h *hit) Finding {
	return Finding{Rule: r.ID, Severity: r.Severity, Text: strings.NewReplacer(h.values...).Replace(r.Text), Evidence: h.evidence}
}

// Rules returns all rules in the order in which they are applied. Of two
// findings of the same severity, the rule that stands first comes first.
func Rules() []Rule {
	return slices.Concat(rulesReadable(), rulesFailing(), rulesMedia(), rulesWear(), rulesLink())
}

// Assess applies all rules to the facts: the same facts always give the same
// verdict.
//
// The level is Return if a finding says so; else Unknown if the drive could not
// be read or its SMART data cannot be believed; else Note if a finding says so;
// else Keep.
func Assess(f *Facts) Assessment {
	a := Assessment{Findings: []Finding{}}
	unsure := -1
	for _, r := range Rules() {
		h := r.applies(f)
		if h == nil {
			continue
		}
		if r.Inconclusive && unsure < 0 {
			unsure = len(a.Findings)
		}
		a.Findings = append(a.Findings, r.finding(h))
	}
	doubt := ""
	if unsure >= 0 {
		doubt = a.Findings[unsure].Text
	}
	slices.SortStableFunc(a.Findings, func(x, y Finding) int { return x.Severity.rank() - y.Severity.rank() })
	a.Level = level(a.Findings, unsure >= 0)
	a.Summary = summary(a, doubt)
	return a
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

func summary(a Assessment, doubt string) string {
	switch a.Level {
	case Keep:
		return keepSummary(a.Findings)
	case Unknown:
		return doubt
	}
	decisive := a.Findings[0]
	more := -1
	for _, x := range a.Findings {
		if x.Severity == decisive.Severity {
			more++
		}
	}
	if more == 0 {
		return decisive.Text
	}
	return fmt.Sprintf("%s (and %d more).", strings.TrimSuffix(decisive.Text, "."), more)
}

// keepSummary joins the evidence for the drive.
func keepSummary(findings []Finding) string {
	var parts []string
	for _, x := range findings {
		if x.Severity == SeverityOK {
			parts = append(parts, lowerFirst(strings.TrimSuffix(x.Text, "."), len(parts) > 0))
		}
	}
	if len(parts) == 0 {
		return "No rule found anything against the drive."
	}
	return strings.Join(parts, "; ") + "."
}

// lowerFirst makes a sentence a part of one.
func lowerFirst(s string, lower bool) string {
	if !lower {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
