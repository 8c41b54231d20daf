package page

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/compare"
)

// Compare writes a comparison as an HTML page: the answer, what else differs,
// every row with its interval, and the pictures of both sides over each other.
func Compare(w io.Writer, c *compare.Comparison) error {
	return compareDocument(c).write(w)
}

func compareDocument(c *compare.Comparison) *document {
	word := overallWord(c.Overall)
	d := &document{
		Title: word + " · comparison", Kind: "Before and after", Heading: word, Tone: overallTone(c.Overall),
		Simulated: c.Before.Simulated || c.After.Simulated, Lead: compareLead(c), Made: made(c.Tool, momentOf(c.Time)),
	}
	for _, text := range c.Warnings {
		d.Warnings = once(d.Warnings, sentence(text))
	}
	d.add(part{Title: "What else differs", Notes: differenceNotes(c), Tables: differenceTable(c)})
	d.add(part{Title: "Doubtful figures", Findings: doubts(c)})
	d.add(part{Title: "What changed", Notes: changeNotes(c), Charts: changeChart(c), Tables: changeTable(c)})
	d.add(ladderPart(c))
	d.add(part{Title: "The runs", Charts: runCharts(c)})
	d.add(part{Title: "The host or the drive", Findings: attributions(c)})
	d.add(part{Title: "Not compared", Facts: oneSided(c)})
	d.add(part{Title: "The sides, and what they cost", Tables: sideTable(c), Facts: treatmentFacts(c)})
	return d
}

func overallWord(o compare.Overall) string {
	switch o {
	case compare.AllBetter:
		return "BETTER"
	case compare.AllWorse:
		return "WORSE"
	case compare.Mixed:
		return "BETTER AND WORSE"
	case compare.Unchanged:
		return "NO CHANGE"
	case compare.Unknown:
		return "NOT ENOUGH RUNS"
	case compare.NotComparable:
		return "NOT COMPARABLE"
	}
	return strings.ToUpper(string(o))
}

func overallTone(o compare.Overall) tone {
	switch o {
	case compare.AllBetter:
		return good
	case compare.AllWorse:
		return bad
	case compare.Unchanged:
		return plain
	}
	return warn
}

func compareLead(c *compare.Comparison) []string {
	before, after := sideName(&c.Before, "before"), sideName(&c.After, "after")
	x, y := sideDrive(&c.Before), sideDrive(&c.After)
	if x == y {
		return []string{sentence(c.Summary), join(" · ", before+" → "+after, x)}
	}
	return []string{sentence(c.Summary), join(" ", before, bracketed(x)) + " → " + join(" ", after, bracketed(y))}
}

// sideName is what a side is called.
func sideName(s *compare.Side, none string) string {
	if len(s.Labels) > 0 {
		return "“" + strings.Join(s.Labels, ", ") + "”"
	}
	return none
}

// sideDrive is the drive of a side by its serial number.
func sideDrive(s *compare.Side) string {
	model := s.Model
	if model == "" {
		model = s.Target
	}
	return join(", ", model, prefixed("serial ", s.Serial), prefixed("firmware ", s.Firmware))
}

func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

func differenceNotes(c *compare.Comparison) []string {
	switch {
	case len(c.Differences) == 0:
		return []string{"Nothing that is known differs between the sides."}
	case len(c.BlockedBy) > 0:
		return []string{"There is no verdict because of: " + strings.Join(c.BlockedBy, ", ") + "."}
	}
	return nil
}

func differenceTable(c *compare.Comparison) []table {
	if len(c.Differences) == 0 {
		return nil
	}
	t := table{Head: []string{"what", "before", "after", "weight"}, Words: 4}
	for _, x := range c.Differences {
		weight := string(x.Severity)
		switch {
		case x.Changed:
			weight = "changed on purpose"
		case x.Within != "":
			weight += ", within the side " + x.Within
		}
		t.Rows = append(t.Rows, row{Cells: []string{x.What, textOr(x.Before), textOr(x.After), weight}})
	}
	return []table{t}
}

func textOr(s *string) string { return or(s, func(s string) string { return s }) }

func doubts(c *compare.Comparison) []finding {
	var list []finding
	for _, x := range c.Doubts {
		list = append(list, finding{warn, strings.ToUpper(x.Side), join(": ", x.Label, sentence(x.Text)), x.Rule})
	}
	return list
}

func changeNotes(c *compare.Comparison) []string {
	if len(c.Rows) == 0 {
		return []string{"There is no row that both sides have."}
	}
	return []string{fmt.Sprintf("A change of less than %s does not matter here. A row changed if the exact test of Mann and Whitney says so among all rows, at %s.",
		percent(c.MinEffectPercent), percent(c.ConfidencePercent))}
}

// verdictWord is what is said of a row.
func verdictWord(v *compare.Verdict) string {
	if v == nil {
		return "not comparable"
	}
	return strings.ReplaceAll(string(*v), "-", " ")
}

// verdictSide chooses colour and shape by the verdict.
func verdictSide(v *compare.Verdict) int {
	switch {
	case v == nil || *v == compare.NotEnoughRuns:
		return 3
	case *v == compare.Better:
		return 0
	case *v == compare.Worse:
		return 1
	}
	return 2
}

// changeChart sets all rows beside no change. Secondary rows follow where there
// is room.
func changeChart(c *compare.Comparison) []template.HTML {
	if len(c.Rows) == 0 {
		return nil
	}
	p := chart.Changes{Caption: chart.Caption{
		Title: "Change of each figure, with its interval", Empty: "No change could be estimated: it takes 4 runs a side.",
		Note: "The grey band is the change that does not matter. Of IOPS more is better, of a latency less.",
	}, Margin: c.MinEffectPercent}
	primary := len(c.Rows) > 12
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.ChangePercent == nil || primary && r.Secondary {
			continue
		}
		p.Rows = append(p.Rows, chart.Change{Name: rowName(r), Text: signed(*r.ChangePercent) + ", " + verdictWord(r.Verdict), Percent: *r.ChangePercent, Interval: r.CI95Percent, Side: verdictSide(r.Verdict)})
	}
	return []template.HTML{p.HTML()}
}

// rowName is the workload and the metric in words.
func rowName(r *compare.Row) string { return join(" ", r.Label, metricName(r.Metric)) }

func metricName(metric string) string {
	switch metric {
	case "iops":
		return "IOPS"
	case "latency_p50":
		return "median"
	case "latency_p99":
		return "p99"
	case "latency_p999":
		return "p99.9"
	}
	return strings.ReplaceAll(metric, "_", " ")
}

// mostRows is how many rows of a comparison a page lists.
const mostRows = 240

func changeTable(c *compare.Comparison) []table {
	if len(c.Rows) == 0 {
		return nil
	}
	t := table{Head: []string{"figure", "before", "after", "change", "interval", "noise", "p" + nbsp + "(Holm)", "verdict"}, Words: 1}
	for i := range c.Rows[:min(len(c.Rows), mostRows)] {
		r := &c.Rows[i]
		t.Rows = append(t.Rows, row{[]string{rowName(r), sampleText(&r.Before, r.Unit), sampleText(&r.After, r.Unit), or(r.ChangePercent, signed), intervalText(r.CI95Percent),
			or(r.NoisePercent, percent), or(r.PHolm, chart.Number), verdictWord(r.Verdict)}, rowRemarks(r)})
	}
	if len(c.Rows) > mostRows {
		t.Caption = fmt.Sprintf("The first %d of %d rows", mostRows, len(c.Rows))
	}
	return []table{t}
}

// sampleText is the median of a side and how many runs it is of.
func sampleText(s *compare.Sample, unit string) string {
	return fmt.Sprintf("%s"+nbsp+"(%d)", chart.With(s.Median, unit), s.N)
}

func intervalText(i *[2]float64) string {
	if i == nil {
		return absent
	}
	return strings.TrimSuffix(signed(i[0]), nbsp+"%") + " to" + nbsp + signed(i[1])
}

func rowRemarks(r *compare.Row) []string {
	var list []string
	if decided := r.Verdict != nil && (*r.Verdict == compare.Better || *r.Verdict == compare.Worse); r.Reason != "" && !decided {
		list = append(list, sentence(r.Reason))
	}
	if r.Doubtful {
		list = append(list, "A figure of this workload cannot be that of the drive.")
	}
	return list
}

func attributions(c *compare.Comparison) []finding {
	var list []finding
	for _, a := range c.Attributions {
		list = append(list, finding{plain, strings.ToUpper(string(a.Origin)), join(": ", a.Label, sentence(a.Text)), strings.Join(a.Facts, "; ")})
	}
	return list
}

func oneSided(c *compare.Comparison) []fact {
	var list []fact
	for _, x := range c.OneSided {
		list = append(list, fact{x.Label, join(", ", x.Side+" only", x.Reason)})
	}
	return list
}
