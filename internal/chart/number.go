package chart

import (
	"math"
	"strconv"
	"strings"
)

// nbsp keeps a number and its unit, or a group of digits, on one line.
const nbsp = "\u00a0"

// Number writes v with three significant digits, all digits before the point,
// and groups of three. A number that is not finite is "–".
func Number(v float64) string {
	if !finite(v) {
		return "–"
	}
	text := strconv.FormatFloat(rounded(v), 'f', -1, 64)
	whole, rest, point := strings.Cut(text, ".")
	if point {
		rest = "." + rest
	}
	return grouped(whole) + rest
}

// With writes v as [Number] does, and its unit.
func With(v float64, unit string) string {
	if unit == "" {
		return Number(v)
	}
	return Number(v) + nbsp + unit
}

// rounded keeps three significant digits and the digits before the point. It
// never gives a negative zero.
func rounded(v float64) float64 {
	if math.Abs(v) >= 100 {
		return math.Round(v)
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	return r + 0
}

// grouped puts a space after each three digits, counted from the end.
func grouped(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "−", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + nbsp + digits[i:]
	}
	return sign + digits
}
