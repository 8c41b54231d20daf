package page

import (
	"embed"
	"html/template"
	"io"
	"slices"
	"strings"
	"unicode"

	"qd1.example/qd1/internal/chart"
)

// tone is the colour of a heading or of a word. It says nothing that the text
// does not say.
type tone string

const (
	plain tone = "plain"
	good  tone = "good"
	warn  tone = "warn"
	bad   tone = "bad"
)

// document is what every page is made of.
type document struct {
	// Title is that of the window, Kind and Heading stand above the rest.
	Title, Kind, Heading string
	Tone                 tone
	Simulated            bool
	// Lead has the sentences below the heading, Warnings those that stand out.
	Lead, Warnings []string
	Parts          []part
	// Made says what made the page and when.
	Made string
}

// part is a section. What is empty is left out.
type part struct {
	Title    string
	Notes    []string
	Findings []finding
	Charts   []template.HTML
	Facts    []fact
	Tables   []table
}

// finding is a sentence with a word before it.
type finding struct {
	Tone             tone
	Word, Text, More string
}

// fact is a name with a value.
type fact struct{ Name, Value string }

// table has a head; its columns are of numbers but for those named by Words.
type table struct {
	Caption string
	Head    []string
	// Words is how many columns, from the left, hold words.
	Words int
	Rows  []row
}

// row is one line of a table, with what is unusual about it.
type row struct {
	Cells   []string
	Remarks []string
}

// Few reports whether there are so few numbers in a row that each has a line of
// its own where the page is narrow.
func (t table) Few() bool { return len(t.Head)-t.Words <= 3 }

// Columns pairs the cells of a row with their heads.
func (t table) Columns(r row) []cell {
	var list []cell
	for i, text := range r.Cells {
		class := ""
		if i >= t.Words {
			class = "n"
		}
		if text == absent {
			class = strings.TrimSpace(class + " absent")
		}
		list = append(list, cell{t.Head[i], text, class})
	}
	return list
}

// cell is one cell of a table.
type cell struct {
	Head, Text string
	// Class is "n" for a number, "absent" for what is not known, or both.
	Class string
}

// facts leaves out the pairs without a value.
func facts(all ...fact) []fact {
	return slices.DeleteFunc(all, func(f fact) bool { return f.Value == "" })
}

// add appends a part unless there is nothing in it.
func (d *document) add(p part) {
	if len(p.Notes)+len(p.Findings)+len(p.Charts)+len(p.Facts)+len(p.Tables) > 0 {
		d.Parts = append(d.Parts, p)
	}
}

//go:embed page.html.tmpl
var files embed.FS

// write renders the document.
func (d *document) write(w io.Writer) error {
	t, err := template.ParseFS(files, "page.html.tmpl")
	if err != nil {
		return err
	}
	var b strings.Builder
	err = t.Execute(&b, struct {
		*document
		ChartStyle template.CSS
	}{d, chart.Style})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, printable(b.String()))
	return err
}

// printable replaces what no document may hold: control characters but for
// those of lines, and bytes that are no text.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}
