package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/report"
)

// The kinds of results that can be compared.
const (
	kindBench  = "bench"
	kindReport = "report"
)

// compareSide is what one argument stands for.
type compareSide struct {
	word    string
	kind    string
	records []*sideRecord
}

// sideRecord is one result of a side.
type sideRecord struct{ *record.Record }

// name is what a user knows a result by.
func (r *sideRecord) name() string {
	if r.ID != "" {
		return r.ID
	}
	return r.File
}

// sides finds what both arguments stand for: of one kind, and nothing on both.
func (in *invocation) sides() (before, after *compareSide, err error) {
	if before, err = in.side(in.arg(0)); err != nil {
		return nil, nil, err
	}
	if after, err = in.side(in.arg(1)); err != nil {
		return nil, nil, err
	}
	if before.kind != after.kind {
		return nil, nil, failf("compare two benchmarks or two reports", "%s and %s cannot be compared: %s is %s and %s is %s",
			before.word, after.word, before.word, kindText(before.kind), after.word, kindText(after.kind))
	}
	for _, r := range after.records {
		if slices.ContainsFunc(before.records, r.same) {
			return nil, nil, failf("name other results on one of the sides", "%s is on both sides: it cannot differ from itself", r.name())
		}
	}
	return before, after, nil
}

// same reports whether two records are one.
func (r *sideRecord) same(o *sideRecord) bool {
	if r.ID != "" || o.ID != "" {
		return r.ID == o.ID
	}
	return r.File == o.File && string(r.Body) == string(o.Body)
}

func kindText(kind string) string {
	switch kind {
	case kindBench:
		return "a benchmark"
	case kindReport:
		return "a report"
	case "erase", "age":
		return "a record of an " + kind
	}
	return "a record of a " + kind
}

// side finds the records of one argument.
func (in *invocation) side(word string) (*compareSide, error) {
	store, err := in.store()
	if err != nil {
		return nil, err
	}
	found, err := store.Find(record.Query{Drive: in.String("drive"), Kind: in.String("kind")}, globbed(word)...)
	if err != nil {
		return nil, sideError(word, err)
	}
	s := &compareSide{word: word}
	for _, r := range found {
		if kind := in.String("kind"); kind == "" || kind == kindOf(r) {
			s.records = append(s.records, &sideRecord{r})
		}
	}
	return s, s.check(in.String("kind"))
}

// globbed replaces patterns by the files that they fit. A pattern without any
// stays, and is then looked for as it is.
func globbed(word string) []string {
	if _, err := os.Stat(word); err == nil || !strings.ContainsAny(word, "*?[") {
		return []string{word}
	}
	var all []string
	for part := range strings.SplitSeq(word, ",") {
		files, err := filepath.Glob(part)
		if err != nil || len(files) == 0 {
			files = []string{part}
		}
		all = append(all, files...)
	}
	return all
}

// kindOf is what a record is of, by its body: that decides how it is read.
func kindOf(r *record.Record) string {
	var head struct {
		Schema string `json:"schema"`
	}
	_ = json.Unmarshal(r.Body, &head) // Without a schema the record's own word counts.
	switch head.Schema {
	case report.BenchSchema:
		return kindBench
	case report.Schema:
		return kindReport
	}
	return r.Kind
}

// check holds that the records are of one kind which can be compared.
func (s *compareSide) check(kind string) error {
	if len(s.records) == 0 {
		return failf("leave --kind out to see what there is", "%s has no %s", s.word, kind)
	}
	of := map[string]int{}
	for _, r := range s.records {
		of[kindOf(r.Record)]++
		s.kind = kindOf(r.Record)
	}
	switch {
	case len(of) > 1:
		return failf("--kind bench or --kind report takes one kind", "%s has results of several kinds: %s", s.word, s.listed())
	case s.kind != kindBench && s.kind != kindReport:
		return failf("benchmarks and reports can be compared", "%s is %s: %s", s.word, kindText(s.kind), s.listed())
	}
	return nil
}

// mostListed is how many records an error names.
const mostListed = 4

// listed names the records with their kinds.
func (s *compareSide) listed() string {
	var names []string
	for _, r := range s.records[:min(len(s.records), mostListed)] {
		names = append(names, r.name()+" is "+kindText(kindOf(r.Record)))
	}
	if more := len(s.records) - mostListed; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// decode reads the result of a record.
func (r *sideRecord) decode(v any) error {
	if err := json.Unmarshal(r.Body, v); err != nil {
		return failf("it may be cut, or of a later version", "%s: %w", r.name(), err)
	}
	return nil
}

// benchmarks reads all results of a side. A label that is the record's alone is
// the result's too.
func (s *compareSide) benchmarks() ([]*report.BenchReport, error) {
	var list []*report.BenchReport
	for _, r := range s.records {
		b := new(report.BenchReport)
		if err := r.decode(b); err != nil {
			return nil, err
		}
		if b.Label == nil && r.Label != "" {
			b.Label = &r.Label
		}
		list = append(list, b)
	}
	return list, nil
}

// sideError says what there is instead of what was looked for.
func sideError(word string, err error) error {
	var ambiguous *record.AmbiguousError
	switch {
	case errors.As(err, &ambiguous) && ambiguous.What == "label":
		return failf("choose one with --drive SERIAL", "%w", err)
	case errors.As(err, &ambiguous):
		return failf("write more of it", "%w", err)
	case errors.Is(err, record.ErrNotFound):
		return failf("qd1 history shows the records; qd1 bench --label NAME keeps one under a name; --format json --output FILE makes a file", "%w", err)
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(word, "*?["):
		return failf("the shell leaves a pattern as it is where no file has such a name; ls shows what there is", "no file matches %s", word)
	case errors.Is(err, fs.ErrNotExist):
		return failf(nearFile(word), "there is no file %s", word)
	case errors.Is(err, record.ErrNotRecord), errors.Is(err, record.ErrDamaged), errors.Is(err, record.ErrVersion):
		return failf("qd1 bench --format json --output FILE makes a file to compare; so does qd1 report", "%w", err)
	}
	return err
}

// nearFile is a hint at the file that a name may have meant.
func nearFile(name string) string {
	dir := filepath.Dir(name)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Sprintf("there is no directory %s", dir)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if near := nearest(filepath.Base(name), names); near != "" {
		return fmt.Sprintf("did you mean %s?", filepath.Join(dir, near))
	}
	return "qd1 history shows the records of a drive; a label or an identifier has no slash and no .json"
}
