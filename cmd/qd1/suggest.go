package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// suggestion offers what a word that is no command may have meant.
func suggestion(word string, among []command) string {
	if strings.ContainsAny(word, "/:") || strings.HasPrefix(word, "nvme") {
		return fmt.Sprintf("; did you mean \"qd1 report %s\"?", word)
	}
	var names []string
	for _, c := range among {
		names = append(names, c.name)
	}
	if name := nearest(word, names); name != "" {
		return fmt.Sprintf("; did you mean %q?", name)
	}
	return ""
}

// flagSuggestion is the same for a word that is no flag.
func flagSuggestion(word string, flags []cli.Flag) string {
	var names []string
	for _, f := range flags {
		names = append(names, f.Names()...)
	}
	if name := nearest(strings.TrimLeft(word, "-"), names); name != "" {
		return fmt.Sprintf("; did you mean --%s?", name)
	}
	return ""
}

// nearest returns the name that word begins or misspells, "" if none is near.
func nearest(word string, names []string) string {
	best, least := "", 3
	for _, name := range names {
		d := distance(word, name)
		if len(word) > 1 && len(name) > 1 && (strings.HasPrefix(name, word) || strings.HasPrefix(word, name)) {
			d = 0
		}
		if d < least && (d == 0 || len(name) > 3) {
			best, least = name, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete or replace to make b of
// a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
