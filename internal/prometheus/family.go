package prometheus

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// kind is the type of a family.
type kind string

// The kinds that are used: a counter only ever grows, a gauge goes up and down.
const (
	counter kind = "counter"
	gauge   kind = "gauge"
)

// family is all samples of one name.
//
// Source: Prometheus documentation, Exposition formats, Text-based format.
type family struct {
	name, help string
	kind       kind
	samples    []sample
}

// sample is one value. Its labels are pairs of name and value, in order.
type sample struct {
	labels []string
	value  string
}

// page is the families in the order in which they were first named.
type page struct{ families []*family }

// with returns a section whose samples begin with labels.
func (p *page) with(labels ...string) *section {
	return &section{page: p, labels: labels}
}

// section adds the samples of one drive to a page.
type section struct {
	page   *page
	labels []string
}

// add enters a sample. The first call of a name gives its help and kind.
func (s *section) add(k kind, name, help, value string, labels ...string) {
	f := s.page.family(k, name, help)
	f.samples = append(f.samples, sample{slices.Concat(s.labels, labels), value})
}

func (p *page) family(k kind, name, help string) *family {
	i := slices.IndexFunc(p.families, func(f *family) bool { return f.name == name })
	if i < 0 {
		i = len(p.families)
		p.families = append(p.families, &family{name: name, help: help, kind: k})
	}
	return p.families[i]
}

// write writes all families, each in one block.
func (p *page) write(w io.Writer) error {
	var b strings.Builder
	for _, f := range p.families {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", f.name, helpEscapes.Replace(f.help), f.name, f.kind)
		for _, s := range f.samples {
			b.WriteString(f.name + braces(s.labels) + " " + s.value + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// braces writes the labels of a sample.
func braces(labels []string) string {
	if len(labels) == 0 {
		return ""
	}
	var pairs []string
	for i := 0; i+1 < len(labels); i += 2 {
		pairs = append(pairs, labels[i]+`="`+labelEscapes.Replace(clean(labels[i+1]))+`"`)
	}
	return "{" + strings.Join(pairs, ",") + "}"
}

// clean keeps text of a drive valid UTF-8 without control characters.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}

func integer[T ~int | ~int64 | ~uint8 | ~uint32 | ~uint64](v T) string { return fmt.Sprint(v) }

func float(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// percent is a ratio of whole percent, written without the noise of a division.
func percent(v int) string { return strconv.FormatFloat(float64(v)/100, 'f', -1, 64) }

func boolean(v bool) string {
	if v {
		return "1"
	}
	return "0"
}
