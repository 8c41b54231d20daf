package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// parseDuration reads "200ms", "3s" or bare seconds, "0.5".
func parseDuration(s string) (time.Duration, error) {
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		d := time.Duration(v * float64(time.Second))
		if v < 0 || v > 1e9 || v != v {
			return 0, strconv.ErrRange
		}
		return d, nil
	}
	return time.ParseDuration(s)
}

// parseSize reads "4KiB", "1GiB", "50GB" or bare bytes. "4k" is refused: it is
// 4000 bytes to some and 4096 to others.
func parseSize(flag, s string) (int64, error) {
	if t := strings.TrimRight(s, "kKmMgGtTpPeE"); t != s && t != "" {
		unit := strings.ToUpper(s[len(t):])
		return 0, usagef("--%s %s: write %s%siB (powers of 1024) or %s%sB (powers of 1000)", flag, s, t, unit, t, unit)
	}
	n, err := humanize.ParseBytes(s)
	if err != nil || n > 1<<62 {
		return 0, usagef("--%s %s: a size such as 4KiB or 1GiB is needed", flag, s)
	}
	return int64(n), nil
}

// sizeText writes a number of bytes for people.
func sizeText(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }
