package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/reference"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
)

// opponent is what figures are set beside.
type opponent struct {
	against report.Against
	figures []reference.Figure
	results []*report.BenchReport
}

// listWord asks for a list of what there is.
const listWord = "list"

// showReferences shows the figures that --against takes by name.
func (in *invocation) showReferences(format string) error {
	list := &report.ReferenceList{Schema: report.ReferenceListSchema, Figures: reference.All()}
	return in.show(format, list, func(w io.Writer, s render.Style) error { return render.References(w, list.Figures, s) })
}

// opponent finds what --against names, nil without it: a drive of the list by its
// whole name, then records by identifier or label and files, then drives of the
// list by a part of their name.
func (in *invocation) opponent() (*opponent, error) {
	ref := in.String("against")
	if ref == "" {
		return nil, nil
	}
	figures := reference.Lookup(ref)
	if len(figures) > 0 && strings.EqualFold(figures[0].Model, ref) {
		return published(ref, figures), nil
	}
	store, err := in.store()
	if err != nil {
		return nil, err
	}
	found, err := store.Find(record.Query{}, ref)
	switch {
	case err == nil:
		return recorded(ref, found)
	case len(figures) > 0 && errors.Is(err, record.ErrNotFound):
		return published(ref, figures), nil
	}
	return nil, failf("qd1 bench --against list shows the drives with published figures, qd1 history the records", "--against %s: %w", ref, err)
}

// published are figures of the list.
func published(ref string, figures []reference.Figure) *opponent {
	var names []string
	for _, f := range figures {
		if len(names) == 0 || names[len(names)-1] != f.Model {
			names = appendOnce(names, f.Model)
		}
	}
	return &opponent{against: report.Against{Ref: ref, Kind: report.AgainstReference, Name: strings.Join(names, ", ")}, figures: figures}
}

func appendOnce(list []string, s string) []string {
	for _, x := range list {
		if x == s {
			return list
		}
	}
	return append(list, s)
}

// recorded are results of this program.
func recorded(ref string, found []*record.Record) (*opponent, error) {
	o := &opponent{against: report.Against{Ref: ref, Kind: report.AgainstResult}}
	var names []string
	for _, r := range found {
		b, err := benchOf(r.Body)
		if err != nil {
			return nil, fmt.Errorf("--against %s: %w", ref, err)
		}
		o.results = append(o.results, b)
		names = appendOnce(names, opponentName(b))
	}
	o.against.Name = strings.Join(names, ", ")
	return o, nil
}

// opponentName names the drive of a result, and its label.
func opponentName(b *report.BenchReport) string {
	name := b.Target.Name
	if b.Drive != nil {
		name = b.Drive.Model + " " + b.Drive.Serial
	}
	if b.Label != nil && *b.Label != "" {
		name += " “" + *b.Label + "”"
	}
	return strings.TrimSpace(name)
}

// benchOf reads a benchmark, or that of a report.
func benchOf(body json.RawMessage) (*report.BenchReport, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(body, &head); err != nil {
		return nil, err
	}
	switch head.Schema {
	case report.BenchSchema:
		b := &report.BenchReport{}
		return b, json.Unmarshal(body, b)
	case report.Schema:
		return benchOfReport(body)
	}
	return nil, failf("name a benchmark or a report", "a result of the schema %q has no figures to set beside these", head.Schema)
}

// benchOfReport is the quick benchmark of a report.
func benchOfReport(body json.RawMessage) (*report.BenchReport, error) {
	var r struct {
		Simulated bool             `json:"simulated"`
		Drive     *report.Identity `json:"drive"`
		Bench     *struct {
			QD1Read *bench.Result `json:"qd1_read"`
		} `json:"bench"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	b := &report.BenchReport{Simulated: r.Simulated, Drive: r.Drive}
	if r.Bench != nil && r.Bench.QD1Read != nil {
		job := bench.QD1Read(r.Bench.QD1Read.Seconds)
		b.Rows = []report.BenchRow{{Label: job.Label(), Job: job}}
		b.Results = []report.BenchResult{{Run: 1, Result: *r.Bench.QD1Read}}
	}
	return b, nil
}

// beside sets the figures of a result beside those of the opponent.
func (o *opponent) beside(b *report.BenchReport) {
	switch {
	case o == nil:
	case o.against.Kind == report.AgainstReference:
		b.SetBesideFigures(o.against, o.figures)
	default:
		b.SetBesideResults(o.against, o.results)
	}
}
