package main

import (
	"io"

	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/page"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/surface"
)

// paged is a result that is shown as the page of another value, which it makes.
type paged interface{ page() any }

// writePage writes the page of a value: an HTML document, or a table in
// Markdown. Which one follows from its type.
func writePage(w io.Writer, format string, value any) error {
	if p, ok := value.(paged); ok {
		value = p.page()
	}
	write := htmlOf
	if format == "markdown" {
		write = markdownOf
	}
	if f := write(value); f != nil {
		return f(w)
	}
	return usagef("--format %s: this result has no such page; --format text and json it has", format)
}

// htmlOf returns what writes the HTML page of a value, nil if there is none.
func htmlOf(value any) func(io.Writer) error {
	switch v := value.(type) {
	case *report.BenchReport:
		return func(w io.Writer) error { return page.Bench(w, v) }
	case *report.Report:
		return func(w io.Writer) error { return page.Report(w, v) }
	case *compare.Comparison:
		return func(w io.Writer) error { return page.Compare(w, v) }
	case *compare.Deltas:
		return func(w io.Writer) error { return page.Deltas(w, v) }
	case *page.Records:
		return func(w io.Writer) error { return page.History(w, v) }
	case *aging.Record:
		return func(w io.Writer) error { return page.Age(w, v) }
	case *surface.Report:
		return func(w io.Writer) error { return page.Scan(w, v) }
	}
	return nil
}

// markdownOf returns what writes the table of a value, nil if there is none. A
// table is for the public: it names no serial number.
func markdownOf(value any) func(io.Writer) error {
	switch v := value.(type) {
	case *report.BenchReport:
		return func(w io.Writer) error { return page.MarkdownBench(w, v, page.MarkdownOptions{}) }
	case *compare.Comparison:
		return func(w io.Writer) error { return page.MarkdownCompare(w, v, page.MarkdownOptions{}) }
	case *compare.Deltas:
		return func(w io.Writer) error { return page.MarkdownDeltas(w, v, page.MarkdownOptions{}) }
	case *aging.Record:
		return func(w io.Writer) error { return page.MarkdownAge(w, v, page.MarkdownOptions{}) }
	}
	return nil
}
