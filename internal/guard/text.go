package guard

import (
	"slices"
	"strconv"
)

// bytesText writes a number of bytes with its unit, in groups of three digits.
func bytesText(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var groups []byte
	for i, d := range []byte(digits) {
		if left := len(digits) - i; i > 0 && left%3 == 0 && digits[i-1] != '-' {
			groups = append(groups, ' ')
		}
		groups = append(groups, d)
	}
	return string(groups) + " bytes"
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func contains(list []string, s string) bool { return slices.Contains(list, s) }
