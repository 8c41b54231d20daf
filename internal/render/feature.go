package render

import (
	"fmt"
	"io"
	"strings"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
)

// Feature writes one value of a feature with its fields. Like all pages of a
// technical kind it is English only.
func Feature(w io.Writer, d Part, f *report.Feature, full bool, style Style) error {
	p := &page{style: style.english()}
	p.head(d)
	p.line("")
	p.feature(f, full)
	return p.writeTo(w)
}

// feature writes a value below the heading of its drive.
func (p *page) feature(f *report.Feature, full bool) {
	head := fmt.Sprintf("FID%s%02Xh, %s value", nbsp, f.FID, f.Select)
	if f.Value == nil {
		head = fmt.Sprintf("FID%s%02Xh", nbsp, f.FID)
	}
	if f.NSID != 0 {
		head += fmt.Sprintf(", NSID%s%d", nbsp, f.NSID)
	}
	if f.CDW11 != 0 {
		head += fmt.Sprintf(", CDW11%s0x%x", nbsp, f.CDW11)
	}
	p.heading(piece{Strong, f.Title}, piece{Plain, head})
	if f.Problem != nil {
		p.problem(f.Problem)
		return
	}
	p.table([]pair{{"value", featureValue(f)}, {"means", f.Words}, {"can be", capabilityText(f.Capabilities, f.Value == nil)}})
	p.transitions(f.Transitions)
	options := spec.LineOptions{Full: full}
	if full && f.Fields != nil {
		p.specLines(f.Fields.Lines(options))
	}
	switch {
	case f.Data != nil && (full || f.Transitions == nil && f.HostMemory == nil):
		p.specLines(f.Data.Lines(options))
	case f.Data == nil && len(f.Raw) > 0:
		p.hexDump(f.Raw)
	}
}

// featureValue is dword 0, "" where there is none or it says nothing.
func featureValue(f *report.Feature) string {
	if f.Value == nil || f.Fields == nil && len(f.Raw) > 0 {
		return ""
	}
	return fmt.Sprintf("0x%08x", *f.Value)
}

// capabilityText says what can be done with a feature; told is set where the words
// say it already.
func capabilityText(c *report.FeatureCapabilities, told bool) string {
	if c == nil || told {
		return ""
	}
	var can []string
	if c.Changeable {
		can = append(can, "changed")
	}
	if c.Saveable {
		can = append(can, "saved")
	}
	if c.NamespaceSpecific {
		can = append(can, "set for each namespace")
	}
	if can == nil {
		return "neither changed nor saved"
	}
	return strings.Join(can, ", ")
}

// transitions writes what an idle drive does.
func (p *page) transitions(list []report.PowerTransition) {
	if len(list) == 0 {
		return
	}
	p.title("when idle")
	g := &grid{columns: []column{
		{head: "from", left: true}, {head: "after"}, {head: "to", left: true}, {head: "power at most"}, {head: "to enter"}, {head: "to leave"},
	}}
	for _, t := range list {
		g.rows = append(g.rows, gridRow{cells: []piece{
			{Plain, fmt.Sprintf("PS%s%d", nbsp, t.From)}, {Plain, with(t.After, "ms")}, {Plain, fmt.Sprintf("PS%s%d", nbsp, t.To)},
			{Plain, powerOf(t.Milliwatts)}, {Plain, latencyOf(t.EntryLatency)}, {Plain, latencyOf(t.ExitLatency)},
		}})
	}
	p.grid(g)
}

func powerOf(mw float64) string {
	if mw == 0 {
		return "not reported"
	}
	return decimal(mw) + nbsp + "mW"
}

func latencyOf(us uint32) string {
	if us == 0 {
		return "not reported"
	}
	return with(us, "µs")
}

// Features writes all features of a drive, one line each, or with all fields.
func Features(w io.Writer, d Part, list *report.FeatureList, full bool, style Style) error {
	p := &page{style: style.english()}
	p.head(d)
	p.line("")
	if full {
		for i := range list.Features {
			p.feature(&list.Features[i], true)
			p.line("")
		}
	} else {
		p.featureRows(list.Features)
	}
	p.notAsked(list.NotAsked)
	return p.writeTo(w)
}

// featureRows writes a line for each feature; what it means wraps.
func (p *page) featureRows(list []report.Feature) {
	width := 0
	for i := range list {
		width = max(width, displayWidth(featureWord(&list[i])))
	}
	// FID, word, capabilities, value.
	const fid, letters, value, gaps = 3, 3, 10, 10
	p.line("  " + p.paint(Dim, "FID  "+"name"+pad("name", width)+"  can  value       means"))
	indent := strings.Repeat(" ", fid+width+letters+value+gaps)
	for i := range list {
		f := &list[i]
		head := fmt.Sprintf("%02Xh  %s%s  %s  %-10s", f.FID, featureWord(f), pad(featureWord(f), width), capabilityLetters(f.Capabilities), featureValue(f))
		text := f.Words
		if f.Problem != nil {
			text = "not read: " + f.Problem.Text
		}
		p.hanging("  "+head+"  ", displayWidth(head)+4, indent, text)
	}
	if len(list) > 0 {
		p.note("can: c be changed, s be saved, n be set for each namespace")
	}
}

func featureWord(f *report.Feature) string { return firstText(f.Name, f.Title) }

// capabilityLetters are c, s and n, three columns.
func capabilityLetters(c *report.FeatureCapabilities) string {
	if c == nil {
		return "?  "
	}
	letters := ""
	for _, x := range []struct {
		is     bool
		letter string
	}{{c.Changeable, "c"}, {c.Saveable, "s"}, {c.NamespaceSpecific, "n"}} {
		if x.is {
			letters += x.letter
		} else {
			letters += "-"
		}
	}
	return letters
}

// notAsked names what the drive does not list.
func (p *page) notAsked(list []report.NotAsked) {
	if len(list) == 0 {
		return
	}
	var words []string
	for _, n := range list {
		words = append(words, n.Name)
	}
	p.line("")
	p.note("Not asked for, because the drive does not list them: " + strings.Join(words, ", ") + ".")
}

// FeatureChange is a setting of a feature for [FeatureChanged].
type FeatureChange struct {
	// Command is the command that is sent.
	Command *nvme.Command
	// Guarded is what the guard says of it.
	Guarded Guarded
	// Before and After are the values, nil where one could not be read, and After
	// also where nothing was sent.
	Before, After *report.Feature
	// Outcome says in words what became of it.
	Outcome string
	// Failed says that it is not what was asked for.
	Failed bool
}

// FeatureChanged writes a setting of a feature: what was there before, and what is
// there now.
func FeatureChanged(w io.Writer, d Part, c *FeatureChange, style Style) error {
	p := &page{style: style.english()}
	p.head(d)
	p.line("")
	p.heading(piece{Strong, "Set Features"}, piece{Plain, nvme.FID(c.Command.CDW10).String()})
	p.table([]pair{{"command", commandLine(c.Command)}, {"before", changedWords(c.Before)}, {"after", changedWords(c.After)}})
	p.guarded(&c.Guarded)
	role := Good
	if c.Failed {
		role = Bad
	}
	p.line("")
	for _, l := range wrap(c.Outcome, p.style.width()-2) {
		p.line("  " + p.paint(role, l))
	}
	return p.writeTo(w)
}

func changedWords(f *report.Feature) string {
	switch {
	case f == nil:
		return ""
	case f.Problem != nil:
		return "not read: " + f.Problem.Text
	}
	return join(": ", featureValue(f), f.Words)
}
