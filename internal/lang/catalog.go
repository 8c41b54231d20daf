package lang

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"qd1.example/qd1/internal/lazyregexp"
)

//go:embed sentences.tsv
var sentenceTable string

//go:embed texts.tsv
var textTable string

// entry is a sentence in both languages.
type entry struct{ english, japanese string }

// parse reads a table: a line has the English, a tab and the Japanese. Lines that
// begin with "# " are comments.
func parse(table string) ([]entry, error) {
	var list []entry
	for i, line := range strings.Split(table, "\n") {
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		english, japanese, ok := strings.Cut(line, "\t")
		if !ok || english == "" || japanese == "" || strings.Contains(japanese, "\t") {
			return nil, fmt.Errorf("line %d is not an English text, a tab and a Japanese one", i+1)
		}
		list = append(list, entry{english, japanese})
	}
	return list, nil
}

// catalog has both tables.
type catalog struct {
	// exact has all texts by their English.
	exact map[string]string
	// patterns are the sentences with names, those with the most letters first.
	patterns []pattern
}

// pattern recognises a sentence by its English form.
type pattern struct {
	entry
	form  *regexp.Regexp
	names []string
}

// japanese is the catalog. Its tables are part of the program: a malformed one
// fails every test.
var japanese = sync.OnceValue(func() *catalog {
	sentences, err := parse(sentenceTable)
	if err != nil {
		panic("sentences.tsv: " + err.Error())
	}
	texts, err := parse(textTable)
	if err != nil {
		panic("texts.tsv: " + err.Error())
	}
	c := &catalog{exact: map[string]string{}}
	for _, e := range slices.Concat(texts, sentences) {
		c.exact[e.english] = e.japanese
	}
	for _, e := range sentences {
		if p := newPattern(e); len(p.names) > 0 && literal(p) > 0 {
			c.patterns = append(c.patterns, p)
		}
	}
	slices.SortStableFunc(c.patterns, func(a, b pattern) int { return literal(b) - literal(a) })
	return c
})

// placeholder is a name in braces.
var placeholder = lazyregexp.New(`\{[a-z0-9]+\}`)

func newPattern(e entry) pattern {
	p := pattern{entry: e}
	form, last := "", 0
	for _, at := range placeholder.FindAllStringIndex(e.english, -1) {
		form += regexp.QuoteMeta(e.english[last:at[0]]) + "(.+?)"
		p.names = append(p.names, e.english[at[0]:at[1]])
		last = at[1]
	}
	p.form = regexp.MustCompile("^(?s:" + form + regexp.QuoteMeta(e.english[last:]) + ")$")
	return p
}

// literal is the number of letters that are not of a name.
func literal(p pattern) int { return len(placeholder.ReplaceAllString(p.english, "")) }

// fill puts values into a sentence; pairs are a name in braces and its text.
func fill(sentence string, pairs []string) string {
	return strings.NewReplacer(pairs...).Replace(sentence)
}
