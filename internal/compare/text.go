package compare

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// round keeps 3 decimals.
func round(v float64) float64 { return math.Round(v*1000) / 1000 }

func rounded(v *float64) *float64 {
	if v == nil {
		return nil
	}
	return new(round(*v))
}

// digits keeps 4 significant digits, for values that may be very small.
func digits(v float64) float64 {
	kept, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return kept
}

// percent writes a change with its sign.
func percent(v float64) string {
	decimals := 2
	if math.Abs(v) >= 9.995 { // It would be rounded to 10.00.
		decimals = 1
	}
	return fmt.Sprintf("%+.*f %%", decimals, v)
}

// number writes a value with 3 significant digits, or whole and in groups of
// three if it is larger.
func number(v float64) string {
	if math.Abs(v) >= 1000 {
		return grouped(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// grouped parts the digits of a whole number in groups of three.
func grouped(text string) string {
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + " " + text[i:]
	}
	return text
}

// whole writes a counter with its unit.
func whole(n *big.Int, unit string) string {
	return strings.TrimSpace(grouped(n.String()) + " " + unit)
}

// plural writes a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// enumerate writes a list with "and" before its last element.
func enumerate(list []string) string {
	n := len(list)
	if n < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
}
