package record

import (
	"crypto/rand"
	"strings"
	"time"
)

// stampLayout is the time in an identifier, in UTC.
const stampLayout = "20060102T150405Z"

// randomBytes is the number of random letters in an identifier, of 5 bits.
const randomBytes = 6

// idBytes is the length of an identifier.
const idBytes = len(stampLayout) + 1 + randomBytes

// NewID makes an identifier for a record of a time. Two of the same second
// differ with a chance of a billion to one; Save makes sure of it.
func NewID(t time.Time) string {
	return t.UTC().Format(stampLayout) + "-" + strings.ToLower(rand.Text()[:randomBytes])
}

// validID reports whether a text has the form of an identifier.
func validID(id string) bool {
	if len(id) != idBytes || id[len(stampLayout)] != '-' {
		return false
	}
	if _, err := time.Parse(stampLayout, id[:len(stampLayout)]); err != nil {
		return false
	}
	return strings.Trim(id[len(stampLayout)+1:], "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// idsIn adds all identifiers that stand in a text to a set.
func idsIn(text []byte, set map[string]bool) {
	for i := range text {
		// Most places are ruled out by one byte.
		if text[i] != 'T' || i < 8 || i-8+idBytes > len(text) {
			continue
		}
		if id := string(text[i-8 : i-8+idBytes]); validID(id) {
			set[id] = true
		}
	}
}
