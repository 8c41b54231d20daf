package journal

import (
	"fmt"
	"strings"
	"time"
)

// suffix ends the name of each journal. What a job keeps beside it has a dot
// in its name before that.
const suffix = ".jsonl"

// maxNameBytes bounds identifiers and names of kept files.
const maxNameBytes = 100

// newID makes the identifier of a job: the time in UTC to the millisecond, so
// that identifiers sort by time, and the serial. It is a file name on any file
// system.
func newID(now time.Time, serial string) string {
	stamp := now.UTC().Format("20060102T150405.000")
	return strings.Replace(stamp, ".", "-", 1) + "-" + cleanSerial(serial)
}

// cleanSerial leaves letters and digits, and at most 40 of them.
func cleanSerial(serial string) string {
	s := strings.Map(func(r rune) rune {
		if alphanumeric(r) {
			return r
		}
		return '_'
	}, strings.TrimSpace(serial))
	return s[:min(len(s), 40)]
}

func alphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
}

// checkName accepts names that are one part of a path and begin with a letter
// or a digit. The other characters may be these, "_", "-" and those of more.
func checkName(name, more string) error {
	good := func(i int, r rune) bool {
		return alphanumeric(r) || i > 0 && strings.ContainsRune("_-"+more, r)
	}
	for i, r := range name {
		if !good(i, r) {
			return fmt.Errorf("%w: %q", ErrBadName, name)
		}
	}
	if name == "" || len(name) > maxNameBytes {
		return fmt.Errorf("%w: %q", ErrBadName, name)
	}
	return nil
}

// idOf returns the identifier that a file name stands for, "" for other files.
func idOf(name string) string {
	id, ok := strings.CutSuffix(name, suffix)
	if !ok || checkName(id, "") != nil {
		return ""
	}
	return id
}
