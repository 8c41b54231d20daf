package smart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Sign is something about a drive that a genuine and unaltered one seldom
// shows.
type Sign struct {
	// ID names the sign. It never changes.
	ID string `json:"id"`
	// Weight is how much the sign counts: 3 hardly ever happens to a genuine
	// drive, 2 seldom, 1 now and then; 0 is common and counts nothing.
	Weight int `json:"weight"`
	// Text is one clause for people.
	Text string `json:"text"`
	// Evidence has the fields and their values.
	Evidence string `json:"evidence"`
	// FleetPercent is the share of drives in public reports that show the
	// sign. nil means not known.
	FleetPercent *float64 `json:"fleet_percent"`
	// FleetDrives is the number of drives behind FleetPercent.
	FleetDrives int `json:"fleet_drives"`
}

// Belief is what the signs amount to.
type Belief string

// The beliefs. Unjudged means that nothing was known to look at.
const (
	Plausible   Belief = "plausible"
	Doubtful    Belief = "doubtful"
	Implausible Belief = "implausible"
	Unjudged    Belief = "unknown"
)

// The scores from which a drive is doubtful and implausible: one strong sign,
// and two.
const (
	doubtfulScore    = 3
	implausibleScore = 6
)

// Credibility is how far a drive can be believed to be what it claims.
type Credibility struct {
	// Belief is the judgement.
	Belief Belief `json:"belief"`
	// Score is the sum of the weights.
	Score int `json:"score"`
	// Text is one sentence for people.
	Text string `json:"text"`
	// Signs has all signs, the weightiest first.
	Signs []Sign `json:"signs"`
	// Condition is "new", "opened" or "used", "" if it is not known.
	Condition Condition `json:"condition"`
}

// Plausibility looks for signs that a drive is forged, that its counters were
// altered, or that it is not as it was sold. as is [AsNew], [AsUsed] or "".
func Plausibility(f *Facts, as string) *Credibility {
	g := believable(f)
	g.As = as
	c := &Credibility{Belief: Plausible, Signs: []Sign{}, Condition: conditionOf(g)}
	for _, sign := range signs() {
		if s := sign(g); s != nil {
			c.Signs = append(c.Signs, *s)
			c.Score += s.Weight
		}
	}
	slices.SortStableFunc(c.Signs, func(a, b Sign) int { return cmp.Compare(b.Weight, a.Weight) })
	switch {
	case len(c.Signs) == 0 && g.SMART == nil && g.vendorID() == 0: // a name alone
		c.Belief = Unjudged
	case c.Score >= implausibleScore:
		c.Belief = Implausible
	case c.Score >= doubtfulScore:
		c.Belief = Doubtful
	}
	c.Text = c.sentence()
	return c
}

// shown is the number of signs that a sentence names.
const shown = 3

func (c *Credibility) sentence() string {
	switch c.Belief {
	case Unjudged:
		return "Nothing is known by which the drive could be judged."
	case Doubtful:
		return "Some of what the drive says is doubtful: " + c.clauses() + "."
	case Implausible:
		return "The drive is not what it claims, or its counters were altered: " + c.clauses() + "."
	}
	return "Nothing speaks against the drive being what it claims."
}

// clauses names the weightiest signs.
func (c *Credibility) clauses() string {
	var list []string
	rest := 0
	for _, s := range c.Signs {
		switch {
		case s.Weight == 0:
		case len(list) < shown:
			list = append(list, s.Text)
		default:
			rest++
		}
	}
	text := strings.Join(list, "; ")
	if rest > 0 {
		text += fmt.Sprintf(" (and %d more signs)", rest)
	}
	return text
}

// evidence names all signs with their weights.
func (c *Credibility) evidence() string {
	list := []string{fmt.Sprintf("score %d", c.Score)}
	for _, s := range c.Signs {
		if s.Weight > 0 {
			list = append(list, fmt.Sprintf("%s %d", s.ID, s.Weight))
		}
	}
	return strings.Join(list, ", ")
}

func signs() []func(*Facts) *Sign { return slices.Concat(signsOfCounters(), signsOfIdentity()) }

// fleet is the number of drives that the shares below were counted in.
const fleet = 14_264

// sign returns a sign with its share of the fleet in percent.
func sign(id string, weight int, percent float64, text, evidence string) *Sign {
	return &Sign{ID: id, Weight: weight, Text: text, Evidence: evidence, FleetPercent: &percent, FleetDrives: fleet}
}

func rulesPlausibility() []Rule {
	fields := []string{"smart", "drive", "link", "model"}
	source := "signs with their shares in " + sourceFleet
	return []Rule{
		{
			ID: "implausible", Axis: AxisPlausibility, Severity: SeverityReturn, Fields: fields, Source: source,
			Text:    "The drive is not what it claims, or its counters were altered: {signs}.",
			applies: believed(Implausible),
		},
		{
			ID: "doubtful", Axis: AxisPlausibility, Severity: SeverityNote, Fields: fields, Source: source,
			Text:    "Some of what the drive says is doubtful: {signs}.",
			applies: believed(Doubtful),
		},
		{
			ID: "no-name", Axis: AxisPlausibility, Severity: SeverityInfo, Fields: []string{"drive.model"},
			Text:    "The model number names no product ({model}), so that the drive cannot be compared with what it should be.",
			Source:  sourceFleet + ": drives that were sold without a name",
			applies: noName,
		},
	}
}

func believed(b Belief) func(*Facts) *hit {
	return func(f *Facts) *hit {
		c := Plausibility(f, f.As)
		if c.Belief != b {
			return nil
		}
		return found(c.evidence(), "{signs}", c.clauses())
	}
}
