package drivedb

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// item is an entry of a database, which is read when it is needed: a start of
// the program looks up one model among hundreds.
type item struct {
	// starts are what a match of the pattern can begin with, with a tab between
	// them.
	starts string
	read   func() *content
}

type content struct {
	entry   Entry
	pattern *regexp.Regexp
}

func newItem(e Entry, pattern *regexp.Regexp) *item {
	c := &content{e, pattern}
	return &item{read: func() *content { return c }}
}

func (it *item) matches(model string) bool {
	return it.mayMatch(model) && it.read().pattern.MatchString(model)
}

// mayMatch reports whether the model begins as a match does.
func (it *item) mayMatch(model string) bool {
	for start := range strings.SplitSeq(it.starts, "\t") {
		if strings.HasPrefix(model, start) {
			return true
		}
	}
	return false
}

// indexed makes items of an index: a line for each entry with its place, such as
// "drives.json 2 940" for the bytes of that file from 2 to before 940, and its
// starts. A test holds that the index of this package is that of its files.
func indexed(index string, files map[string][]byte) []*item {
	items := make([]*item, 0, strings.Count(index, "\n"))
	for line := range strings.Lines(index) {
		place, starts, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		items = append(items, &item{starts, sync.OnceValue(func() *content { return contentAt(place, files) })})
	}
	return items
}

// contentAt reads the entry at a place of an index.
func contentAt(place string, files map[string][]byte) *content {
	var file string
	var from, to int
	if _, err := fmt.Sscan(place, &file, &from, &to); err != nil {
		panic(fmt.Errorf("drive database: index: %q: %w", place, err))
	}
	db, err := Parse(slices.Concat([]byte("["), files[file][from:to], []byte("]")))
	if err != nil {
		panic(err)
	}
	return db.items[0].read()
}
