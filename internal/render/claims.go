package render

import (
	"fmt"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/smart"
)

// claims is the line about whether the drive is what it claims, and new; ""
// where that says nothing. Where the signs are a reason of the verdict, which
// has them in words, they are only named.
func claims(c *smart.Credibility) string {
	if c == nil {
		return ""
	}
	var signs []string
	for i := range c.Signs {
		switch s := &c.Signs[i]; {
		case s.Weight == 0:
		case c.Belief == smart.Plausible:
			signs = append(signs, s.Text+prefixed(", ", fleet(s)))
		default:
			signs = append(signs, s.ID+" "+strconv.Itoa(s.Weight)+prefixed(" ", fleet(s)))
		}
	}
	belief := ""
	if len(signs) > 0 || c.Belief != smart.Plausible && c.Belief != smart.Unjudged {
		belief = join(": ", fmt.Sprintf("%s, score %d", c.Belief, c.Score), strings.Join(signs, "; "))
	}
	return join(" · ", conditionText(c.Condition), belief)
}

// conditionText is what the counters say of the use of a drive, "" for the
// ordinary.
func conditionText(c smart.Condition) string {
	switch c {
	case smart.ConditionNew:
		return "the counters of a new drive"
	case smart.ConditionOpened:
		return "hardly used: tested, opened or returned"
	}
	return ""
}

// fleet says how common a sign is, "" if that is not known.
func fleet(s *smart.Sign) string {
	if s.FleetPercent == nil {
		return ""
	}
	return fmt.Sprintf("as %s of %s seen", percent(round3(*s.FleetPercent)), counted(s.FleetDrives, "drive", "drives"))
}

func (p *page) plausibility(c *smart.Credibility) {
	if c == nil {
		return
	}
	p.title("Is it what it claims")
	condition := string(c.Condition)
	if condition == "" {
		condition = "unknown"
	}
	p.table([]pair{{"belief", fmt.Sprintf("%s, score %d", c.Belief, c.Score)}, {"in words", c.Text}, {"condition", condition}})
	for i := range c.Signs {
		s := &c.Signs[i]
		p.labelled(Dim, "sign", fmt.Sprintf("%s [%s: %s]", join(", ", s.Text, "weight"+nbsp+strconv.Itoa(s.Weight), fleet(s)), s.ID, s.Evidence))
	}
}

// others is where the drive stands among those of its family: its hours and
// what was written, or else what can be compared.
func others(x *report.Population) string {
	if x == nil || len(x.Percentiles) == 0 {
		return ""
	}
	parts := []string{}
	for _, c := range x.Percentiles {
		if c.Metric == "power_on_hours" || c.Metric == "terabytes_written" {
			parts = append(parts, c.Text)
		}
	}
	if len(parts) == 0 {
		parts = append(parts, x.Percentiles[0].Text)
	}
	return sayOnce(parts)
}

// sayOnce joins clauses and leaves out what the next one says again at its
// end, such as how many drives were seen.
func sayOnce(clauses []string) string {
	for i := range len(clauses) - 1 {
		if at := strings.Index(clauses[i], " of "); at >= 0 && strings.HasSuffix(clauses[i+1], clauses[i][at:]) {
			clauses[i] = clauses[i][:at]
		}
	}
	return strings.Join(clauses, ", ")
}

func (p *page) population(x *report.Population) {
	if x == nil {
		return
	}
	p.title("Beside others of its family")
	pairs := []pair{{"seen", fmt.Sprintf("%s of the family %s, as somebody posted them: no fair sample", counted(x.Drives, "drive", "drives"), x.Family)}}
	for _, c := range x.Percentiles {
		pairs = append(pairs, pair{strings.ReplaceAll(c.Metric, "_", " "), fmt.Sprintf("%s: %s (%s below, %s above, of %d)",
			decimal(c.Value), c.Text, with(c.BelowPercent, "%"), with(c.AbovePercent, "%"), c.Drives)})
	}
	p.table(pairs)
}
