package smart

import (
	"fmt"
	"strings"

	"qd1.example/qd1/nvme"
)

// Rule is one rule of the verdict.
type Rule struct {
	// ID is the identity of the rule. It never changes.
	ID string `json:"id"`
	// Axis is what the rule is about.
	Axis Axis `json:"axis"`
	// Severity is the weight of its finding.
	Severity Severity `json:"severity"`
	// Inconclusive says that a finding makes the verdict Unknown, unless
	// another finding makes it Return.
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

// found returns a hit; values are pairs as in [hit].
func found(evidence string, values ...string) *hit { return &hit{evidence, values} }

// byName returns the values by their names without braces.
func (h *hit) byName() map[string]string {
	values := map[string]string{}
	for i := 0; i+1 < len(h.values); i += 2 {
		values[strings.Trim(h.values[i], "{}")] = h.values[i+1]
	}
	return values
}

func (r Rule) finding(h *hit) Finding {
	return Finding{
		Rule:     r.ID,
		Axis:     r.Axis,
		Severity: r.Severity,
		Text:     strings.NewReplacer(h.values...).Replace(r.Text),
		Evidence: h.evidence,
		Values:   h.byName(),
	}
}

// Rules returns all rules in the order in which they are applied.
func Rules() []Rule { return rules() }

// rules is the table. Of two findings of the same severity, the rule that
// stands first here comes first in the verdict.
func rules() []Rule {
	var all []Rule
	for _, topic := range [][]Rule{
		rulesReadable(), rulesWarning(), rulesMedia(), rulesSpare(), rulesCapacity(), rulesPlausibility(), rulesCondition(),
		rulesFirmware(), rulesWear(), rulesErrorLog(), rulesLink(), rulesThermal(), rulesLatency(), rulesHeat(), rulesUse(),
	} {
		all = append(all, topic...)
	}
	return all
}

// Sources that several rules share.
const (
	sourceSMART = "NVM Express Base Specification, Revision 2.0, SMART / Health Information Log Page"
	sourceError = "NVM Express Base Specification, Revision 2.0, Error Information Log Page"
	sourceFleet = "public smartctl reports of 14264 NVMe drives"
)

// onSMART makes a rule that looks at the SMART log alone. It does not apply
// where the log was not read.
func onSMART(applies func(*nvme.SMARTLog) *hit) func(*Facts) *hit {
	return func(f *Facts) *hit {
		if f.SMART == nil {
			return nil
		}
		return applies(f.SMART)
	}
}

// counter returns the evidence and the value of one counter.
func counter(name string, n nvme.Uint128) *hit {
	return found(fmt.Sprintf("%s %s", name, n), "{count}", group(n.String()))
}

// group puts a space between groups of three digits.
func group(digits string) string {
	var s strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			s.WriteByte(' ')
		}
		s.WriteRune(d)
	}
	return s.String()
}
