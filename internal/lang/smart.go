package lang

import (
	"slices"
	"strings"

	"qd1.example/qd1/smart"
)

// Finding returns a finding with its sentence in the language. Its evidence has
// names of fields and values, and is the same in all.
func (t Tag) Finding(f smart.Finding) smart.Finding {
	if t != Japanese {
		return f
	}
	i := slices.IndexFunc(smart.Rules(), func(r smart.Rule) bool { return r.ID == f.Rule })
	if i < 0 {
		f.Text = t.Sentence(f.Text)
		return f
	}
	var pairs []string
	for name, value := range f.Values {
		name = "{" + name + "}"
		pairs = append(pairs, name, t.value(name, value))
	}
	f.Text = fill(t.Text(smart.Rules()[i].Text), pairs)
	return f
}

// Rule returns a rule with its sentence in the language.
func (t Tag) Rule(r smart.Rule) smart.Rule {
	r.Text = t.Text(r.Text)
	return r
}

// Summary returns the summary of a verdict.
func (t Tag) Summary(a *smart.Assessment) string {
	if t != Japanese {
		return a.Summary
	}
	for _, f := range a.Findings {
		rest, ok := strings.CutPrefix(a.Summary, strings.TrimSuffix(f.Text, "."))
		switch {
		case f.Text == "" || !ok:
		case rest == ".":
			return t.Finding(f).Text
		case strings.HasPrefix(rest, " (and "):
			return strings.TrimSuffix(t.Finding(f).Text, "。") + t.Sentence(strings.TrimPrefix(rest, " "))
		}
	}
	if text := t.Sentence(a.Summary); text != a.Summary || a.Level != smart.Keep {
		return text
	}
	if text := t.list(strings.TrimSuffix(a.Summary, ".")); text != strings.ReplaceAll(strings.TrimSuffix(a.Summary, "."), ", ", "、") {
		return text + "。"
	}
	return t.evidenceFor(a)
}

// evidenceFor joins what speaks for a drive, as the summary of a disk of the
// SCSI layer does.
func (t Tag) evidenceFor(a *smart.Assessment) string {
	var parts []string
	for _, f := range a.Findings {
		if f.Severity == smart.SeverityOK {
			parts = append(parts, strings.TrimSuffix(t.Finding(f).Text, "。"))
		}
	}
	if len(parts) == 0 {
		return a.Summary
	}
	return strings.Join(parts, "、") + "。"
}
