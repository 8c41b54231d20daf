package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/smart"
)

// claims is the line about whether the drive is what it claims, and new; ""
// where that says nothing. Where the signs are a reason of the verdict, which
// has them in words, they are only named.
func claims(t lang.Tag, c *smart.Credibility) string {
	if c == nil {
		return ""
	}
	var signs []string
	for i := range c.Signs {
		switch s := &c.Signs[i]; {
		case s.Weight == 0:
		case c.Belief == smart.Plausible:
			signs = append(signs, t.Sentence(s.Text)+prefixed(comma(t), fleet(t, s)))
		default:
			signs = append(signs, s.ID+" "+strconv.Itoa(s.Weight)+prefixed(" ", fleet(t, s)))
		}
	}
	belief := ""
	if len(signs) > 0 || c.Belief != smart.Plausible && c.Belief != smart.Unjudged {
		belief = join(": ", t.Textf("%s, score %d", t.Text(string(c.Belief)), c.Score), strings.Join(signs, semicolon(t)))
	}
	return join(" · ", conditionText(t, c.Condition), belief)
}

// conditionText is what the counters say of the use of a drive, "" for the
// ordinary.
func conditionText(t lang.Tag, c smart.Condition) string {
	switch c {
	case smart.ConditionNew:
		return t.Text("the counters of a new drive")
	case smart.ConditionOpened:
		return t.Text("hardly used: tested, opened or returned")
	}
	return ""
}

// fleet says how common a sign is, "" if that is not known.
func fleet(t lang.Tag, s *smart.Sign) string {
	if s.FleetPercent == nil {
		return ""
	}
	return t.Textf("as %s of %s seen", percent(round3(*s.FleetPercent)), counted(t, s.FleetDrives, "drive", "drives"))
}

func (p *page) plausibility(c *smart.Credibility) {
	if c == nil {
		return
	}
	t := p.lang()
	p.title("Is it what it claims")
	condition := string(c.Condition)
	if condition == "" {
		condition = "unknown"
	}
	p.table([]pair{{"belief", t.Textf("%s, score %d", t.Text(string(c.Belief)), c.Score)}, {"in words", t.Sentence(c.Text)}, {"condition", t.Text(condition)}})
	for i := range c.Signs {
		s := &c.Signs[i]
		p.labelled(Dim, "sign", fmt.Sprintf("%s [%s: %s]", commas(t, t.Sentence(s.Text), t.Textf("weight"+nbsp+"%d", s.Weight), fleet(t, s)), s.ID, s.Evidence))
	}
}

// others is where the drive stands among those of its family: its hours and
// what was written, or else what can be compared.
func others(t lang.Tag, x *report.Population) string {
	if x == nil || len(x.Percentiles) == 0 {
		return ""
	}
	parts := []string{}
	for _, c := range x.Percentiles {
		if c.Metric == "power_on_hours" || c.Metric == "terabytes_written" {
			parts = append(parts, t.Sentence(c.Text))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, t.Sentence(x.Percentiles[0].Text))
	}
	return sayOnce(t, parts)
}

// sayOnce joins clauses and leaves out how many drives were seen where the next
// one says it again at its end, or in Japanese the one before at its beginning.
func sayOnce(t lang.Tag, clauses []string) string {
	if t == lang.Japanese {
		return sayFirst(clauses)
	}
	for i := range len(clauses) - 1 {
		if at := strings.Index(clauses[i], " of "); at >= 0 && strings.HasSuffix(clauses[i+1], clauses[i][at:]) {
			clauses[i] = clauses[i][:at]
		}
	}
	return commas(t, clauses...)
}

func sayFirst(clauses []string) string {
	const comma = "、"
	list := slices.Clone(clauses)
	for i := 1; i < len(list); i++ {
		if at := strings.Index(clauses[i], comma); at >= 0 && strings.HasPrefix(clauses[i-1], clauses[i][:at]) {
			list[i] = clauses[i][at+len(comma):]
		}
	}
	return strings.Join(list, comma)
}

func (p *page) population(x *report.Population) {
	if x == nil {
		return
	}
	t := p.lang()
	p.title("Beside others of its family")
	pairs := []pair{{"seen", t.Textf("%s of the family %s, as somebody posted them: no fair sample", counted(t, x.Drives, "drive", "drives"), x.Family)}}
	for _, c := range x.Percentiles {
		pairs = append(pairs, pair{strings.ReplaceAll(c.Metric, "_", " "), t.Textf("%s: %s (%s below, %s above, of %d)",
			decimal(c.Value), t.Sentence(c.Text), with(c.BelowPercent, "%"), with(c.AbovePercent, "%"), c.Drives)})
	}
	p.table(pairs)
}
