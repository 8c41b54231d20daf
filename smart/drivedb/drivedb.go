// Package drivedb knows facts about drive models that the drives do not
// report themselves: the name on the box, the rated endurance, the rated
// speed. Each figure has a source, and figures that could not be checked are
// marked as indicative.
//
// The data are two JSON files in this package, one object a model line.
// intel_optane.json is kept by hand: to add a drive, add an object and run the
// tests with -update, which sorts the file. drives.json is made by go generate
// from testdata/drives.csv and testdata/models_observed.csv: to add a drive,
// add a line there. index.tsv is made of both, for a look-up that reads no more
// than it needs.
package drivedb

//go:generate go test -run ^(TestCanonical|TestGenerated|TestIndex|TestModelsSeen)$ . -update

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	//go:embed intel_optane.json
	byHand []byte
	//go:embed drives.json
	generated []byte
	//go:embed index.tsv
	index string
)

// DB is a set of entries. Its methods may be called from any goroutine.
type DB struct{ items []*item }

func compile(pattern string) (*regexp.Regexp, error) {
	if !strings.HasPrefix(pattern, "^") || !strings.HasSuffix(pattern, "$") {
		return nil, fmt.Errorf("pattern %q is not anchored at both ends", pattern)
	}
	return regexp.Compile(`\A(?:` + pattern + `)\z`)
}

// Lookup returns the entry whose pattern matches the model number, with or
// without its padding, and nil if there is none.
func (db *DB) Lookup(model string) *Entry {
	model = strings.Trim(model, " \x00")
	for _, it := range db.items {
		if it.matches(model) {
			return new(it.read().entry)
		}
	}
	return nil
}

// Entries returns a copy of all entries in the order of the file.
func (db *DB) Entries() []Entry {
	entries := make([]Entry, len(db.items))
	for i, it := range db.items {
		entries[i] = it.read().entry
	}
	return entries
}

// Merge returns a database that looks into first, then into db. Neither is
// changed.
func (db *DB) Merge(first *DB) *DB {
	return &DB{slices.Concat(first.items, db.items)}
}

// Builtin returns the database that is part of this package.
func Builtin() *DB { return parsed() }

var parsed = sync.OnceValue(func() *DB {
	return &DB{indexed(index, map[string][]byte{"intel_optane.json": byHand, "drives.json": generated})}
})

// Lookup returns the entry of the built-in database for a model number, and
// nil if there is none.
func Lookup(model string) *Entry { return Builtin().Lookup(model) }
