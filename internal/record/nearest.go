package record

import "strings"

// maxWordBytes bounds the words that nearest compares.
const maxWordBytes = 100

// nearest returns the name that a word begins, with other capitals or not, or
// misspells by at most two letters, "" if none is near.
func nearest(word string, names []string) string {
	if len(word) < 2 || len(word) > maxWordBytes {
		return ""
	}
	best, least := "", 3
	for _, name := range names {
		if len(name) > maxWordBytes {
			continue
		}
		d := distance(strings.ToLower(word), strings.ToLower(name))
		if strings.HasPrefix(strings.ToLower(name), strings.ToLower(word)) {
			d = 0
		}
		if d < least && d < len(name) {
			best, least = name, d
		}
	}
	return best
}

// distance is the number of bytes to insert, delete or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
