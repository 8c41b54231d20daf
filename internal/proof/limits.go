package proof

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// limits returns what the tiers cannot show, from their numbers.
func limits(v *Verification) []string {
	all := []string{
		"Only blocks that a host can address were read. Over-provisioned, retired and cached areas of the drive cannot be seen: for them, and for what the memory cells still hold behind an answer of zeroes, the maker's implementation is trusted.",
	}
	if len(v.Comparison.Comparisons) == 0 {
		all = append(all, "Nothing was compared with before, so data that survived and look random cannot be told from erased blocks.")
	}
	for i := range v.Comparison.Comparisons {
		all = append(all, v.Comparison.Comparisons[i].limits()...)
	}
	if len(v.Canaries.Checks) == 0 {
		all = append(all, "No canaries were planted: whether blank parts of the medium would have been erased is not known, nor whether the drive erased only what had been read.")
	}
	if len(v.FullRead.Reads) == 0 && !everythingCompared(v.Comparison.Comparisons) {
		all = append(all, "The medium was not read as a whole.")
	}
	return all
}

func everythingCompared(all []Comparison) bool {
	for _, c := range all {
		if !c.Whole {
			return false
		}
	}
	return len(all) > 0
}

// limits returns the sentences of one medium.
func (r *Comparison) limits() []string {
	if r.Whole {
		return []string{fmt.Sprintf("On %s every block was compared; those that were constant before (%s of %s) say nothing.",
			r.Medium, grouped(r.Before.uniform()), grouped(r.Before.Total()))}
	}
	var all []string
	if r.Bound95 != nil {
		all = append(all, fmt.Sprintf("On %s, none of %s informative samples is as before. So what could remain is at most %s %% of the blocks that held data (95 %%; 99 %%: %s %%), if it is scattered: %s of %s.",
			r.Medium, grouped(r.Informative), short(*r.Bound95), short(*r.Bound99), megabytes(*r.Bound95/100*float64(r.Bytes)), megabytes(float64(r.Bytes))))
	}
	return append(all, fmt.Sprintf("On %s, one intact region of 1 MiB, such as a file, is found by %s samples with a probability of only %.0f %%.",
		r.Medium, grouped(r.Samples), r.MiBFound))
}

// percent turns a share into percent with 6 significant digits.
func percent(share float64) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(100*share, 'g', 6, 64), 64)
	return v
}

// short writes a percentage with three significant digits, rounded up because it
// is an upper bound.
func short(v float64) string {
	if v <= 0 {
		return "0"
	}
	digits := max(2-int(math.Floor(math.Log10(v))), 0)
	scale := math.Pow10(digits)
	text := strconv.FormatFloat(math.Ceil(v*scale-1e-6)/scale, 'f', digits, 64)
	if digits > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// megabytes writes a number of bytes in a decimal unit.
func megabytes(n float64) string {
	switch {
	case n >= 1e9:
		return strconv.FormatFloat(n/1e9, 'f', 0, 64) + " GB"
	case n >= 1e6:
		return strconv.FormatFloat(n/1e6, 'f', 1, 64) + " MB"
	}
	return strconv.FormatFloat(n/1e3, 'f', 0, 64) + " kB"
}

// grouped writes a number with a space between groups of three digits.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(d)
	}
	return b.String()
}
