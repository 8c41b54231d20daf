package drivedb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"qd1.example/qd1/internal/lazyregexp"
)

// item is an entry of a database, which is read when it is needed: a start of
// the program looks up one model among hundreds.
type item struct {
	// prefix is what every match of the pattern begins with.
	prefix string
	read   func() *content
}

type content struct {
	entry   Entry
	pattern *regexp.Regexp
}

func newItem(e Entry, pattern *regexp.Regexp) *item {
	c := &content{e, pattern}
	return &item{prefix: lazyregexp.Prefix(e.Pattern), read: func() *content { return c }}
}

func (it *item) matches(model string) bool {
	return strings.HasPrefix(model, it.prefix) && it.read().pattern.MatchString(model)
}

// index finds the entries of a file of this package without reading them: each is
// a line of its own, or begins and ends with a line that is an indented brace. A
// test holds that the files are so.
func index(file []byte) []*item {
	var items []*item
	start, at := 0, 0
	for line := range bytes.Lines(file) {
		switch text := bytes.TrimRight(line, ",\n"); {
		case bytes.HasPrefix(text, []byte("{")):
			items = append(items, lazily(text))
		case string(text) == "  {":
			start = at
		case string(text) == "  }":
			items = append(items, lazily(file[start:at+len(text)]))
		}
		at += len(line)
	}
	return items
}

// patternKey is how the files name the pattern of an entry.
var patternKey = []byte(`"pattern":`)

// lazily makes an item of the JSON of an entry.
func lazily(object []byte) *item {
	text := bytes.TrimLeft(object[bytes.Index(object, patternKey)+len(patternKey):], " ")
	var pattern string
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&pattern); err != nil {
		panic(fmt.Errorf("drive database: %w", err))
	}
	return &item{prefix: lazyregexp.Prefix(pattern), read: sync.OnceValue(func() *content {
		db, err := Parse(append(append([]byte("["), object...), ']'))
		if err != nil {
			panic(err)
		}
		return db.items[0].read()
	})}
}
