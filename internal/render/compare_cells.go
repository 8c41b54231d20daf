package render

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/compare"
)

func changeCells(r *compare.Row) []piece {
	return plainCells(gridIndent+metricText(r), median(r.Before.Median), median(r.After.Median), orAbsent(r.ChangePercent, change), intervalCell(r.CI95Percent), orAbsent(r.PHolm, probability), orAbsent(r.NoisePercent, noiseCell))
}

// metricText is a metric with its unit.
func metricText(r *compare.Row) string {
	switch name, ok := strings.CutPrefix(r.Metric, "latency_"); {
	case ok:
		return percentileName(name) + nbsp + r.Unit
	case isRate(r):
		return r.Unit
	}
	return r.Metric + nbsp + r.Unit
}

// percentileName writes a key such as "p999" as people do.
func percentileName(key string) string {
	if len(key) > 3 && key[0] == 'p' {
		return key[:3] + "." + key[3:]
	}
	return key
}

// median keeps four significant digits, so that small changes can be seen.
func median(v float64) string {
	decimals := 0
	for limit := 1000.0; math.Abs(v) < limit && decimals < 3; limit /= 10 {
		decimals++
	}
	if decimals == 0 {
		return count(int64(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// change writes a change in percent with its sign.
func change(v float64) string { return changeNumber(v) + nbsp + "%" }

func changeNumber(v float64) string {
	decimals := 2
	if math.Abs(v) >= 9.995 { // It would be rounded to 10.00.
		decimals = 1
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	switch {
	case strings.Trim(text, "-0.") == "":
		return strings.TrimPrefix(text, "-")
	case v > 0:
		return "+" + text
	}
	return text
}

func intervalCell(ci *[2]float64) string {
	if ci == nil {
		return absent
	}
	return changeNumber(ci[0]) + nbsp + "to" + nbsp + changeNumber(ci[1])
}

func probability(p float64) string {
	if p < 0.0001 {
		return "<" + nbsp + "0.0001"
	}
	return strconv.FormatFloat(p, 'g', 2, 64)
}

func noiseCell(v float64) string { return percent(round3(v)) }

func orAbsent(v *float64, write func(float64) string) string {
	if v == nil {
		return absent
	}
	return write(*v)
}

// verdictPiece says what came of a row. step is the difference in percent that
// its values cannot show.
func verdictPiece(r *compare.Row, step float64) piece {
	if r.Verdict == nil {
		return piece{Warn, "not comparable"}
	}
	switch *r.Verdict {
	case compare.Better:
		return piece{Good, "better"}
	case compare.Worse:
		return piece{Bad, "worse"}
	case compare.NoChange:
		return piece{Plain, "no change ≥" + nbsp + ruledOut(r.CI95Percent, step)}
	}
	text := fmt.Sprintf("not enough runs: %d and %d", r.Before.N, r.After.N)
	switch {
	case r.RunsNeeded != nil:
		text += fmt.Sprintf(", %d needed", *r.RunsNeeded)
	case r.ChangePercent != nil:
		text += ", more than 1" + nbsp + "000 needed"
	}
	return piece{Warn, text}
}

// ruledOut is the smallest change that an interval leaves out on both sides,
// rounded up.
func ruledOut(ci *[2]float64, step float64) string {
	if ci == nil {
		return "?"
	}
	most := step + max(math.Abs(ci[0]), math.Abs(ci[1]))
	parts := 10.0
	if most < 1 {
		parts = 100
	}
	return percent(max(math.Ceil(most*parts-1e-9), 1) / parts)
}

// stepOf is what two percentiles may differ by in percent without showing it: the
// width of the bucket of a histogram, of which there are 64 an octave. It is 0 for
// rates, and for latencies that no histogram stands behind.
func stepOf(r *compare.Row, all []compare.Ladder) float64 {
	counted := slices.ContainsFunc(all, func(l compare.Ladder) bool { return l.Label == r.Label })
	if !counted || isRate(r) || r.Before.Median <= 0 {
		return 0
	}
	ns := 1000 * r.Before.Median
	return 100 * math.Exp2(math.Floor(math.Log2(ns))-6) / ns
}

// reasonText is why a row has no verdict, or what speaks against one, without
// what stands in the row anyway: the noise, the interval, the runs that it takes.
func reasonText(r *compare.Row, least float64) string {
	small := r.ChangePercent != nil && math.Abs(*r.ChangePercent) < least
	switch {
	case r.Verdict == nil:
		return r.Reason
	case *r.Verdict == compare.NotEnoughRuns, small && *r.Verdict != compare.NoChange:
		text, _, _ := strings.Cut(r.Reason, "; ")
		if _, after, ok := strings.Cut(text, " %: "); ok && strings.HasPrefix(text, "between ") {
			return after
		}
		return text
	}
	return ""
}
