package page

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"qd1.example/qd1/internal/chart"
)

const (
	nbsp   = "\u00a0"
	absent = "–"
)

// size writes bytes in decimal units, as drives are sold.
func size(bytes float64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB", "PB", "EB"}
	i := 0
	for math.Abs(bytes) >= 999.5 && i < len(units)-1 {
		bytes, i = bytes/1000, i+1
	}
	return chart.With(bytes, units[i])
}

// blockSize writes the size of a block, in KiB where it is whole.
func blockSize(bytes int) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return fmt.Sprintf("%d"+nbsp+"MiB", bytes>>20)
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%d"+nbsp+"KiB", bytes>>10)
	}
	return chart.With(float64(bytes), "bytes")
}

func micros(us float64) string { return chart.With(us, "µs") }

func percent(v float64) string { return chart.With(v, "%") }

// leastShare is the smallest share of a life that is worth its digits, in %.
const leastShare = 0.001

// share writes how much of something is used up, in percent.
func share(v float64) string {
	if v > 0 && v < leastShare {
		return "less than " + percent(leastShare)
	}
	return percent(v)
}

// signed writes a change in percent with its sign.
func signed(v float64) string {
	if v > 0 {
		return "+" + percent(v)
	}
	return percent(v)
}

// or writes the value, absent for nil.
func or[T any](v *T, write func(T) string) string {
	if v == nil {
		return absent
	}
	return write(*v)
}

// counted writes a number of things.
func counted[T ~int | ~int64 | ~uint64](n T, one, many string) string {
	if n == 1 {
		return "1" + nbsp + one
	}
	return chart.Number(float64(n)) + nbsp + many
}

// join joins the parts that are not empty.
func join(sep string, parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, sep)
}

// textf is fmt.Sprintf of what is known, "" for nil.
func textf[T any](format string, v *T) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf(format, *v)
}

func deref[T any](v *T) T {
	if v == nil {
		return *new(T)
	}
	return *v
}

// moment writes a time of day.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// momentOf writes a time that is a text in JSON, as it is if it is no time.
func momentOf(text string) string {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text
	}
	return moment(t)
}

// sentence begins with a capital letter and ends in a full stop.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	first, n := utf8.DecodeRuneInString(s)
	return stopped(string(unicode.ToUpper(first)) + s[n:])
}

// stopped ends s in a full stop.
func stopped(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}
