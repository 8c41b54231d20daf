package bench

import "strconv"

// maxProgress is room for the longest line of progress in bytes: all buckets of
// a histogram in use, with counts of 10 digits.
const maxProgress = 16*bucketCount + 1024

// appendProgress appends the line of the protocol that tells p, as json.Marshal
// would make it, but without allocating.
func appendProgress(b []byte, p *Progress) []byte {
	b = strconv.AppendBool(append(b, `{"progress":{"warming_up":`...), p.WarmingUp)
	b = appendFloat(append(b, `,"seconds":`...), p.Seconds)
	b = appendFloat(append(b, `,"planned_seconds":`...), p.PlannedSeconds)
	b = strconv.AppendInt(append(b, `,"operations":`...), p.Operations, 10)
	b = strconv.AppendInt(append(b, `,"planned_operations":`...), p.PlannedOperations, 10)
	b = appendFloat(append(b, `,"iops":`...), p.IOPS)
	b = appendFloat(append(b, `,"mb_per_s":`...), p.MBPerS)
	b = appendLatency(append(b, `,"latency_us":`...), &p.Latency)
	b = strconv.AppendInt(append(b, `,"errors":`...), p.Errors, 10)
	b = appendFloat(append(b, `,"interval_seconds":`...), p.IntervalSeconds)
	if p.Interval != nil {
		b = p.Interval.appendJSON(append(b, `,"interval":`...))
	}
	b = appendFloat(append(b, `,"silent_seconds":`...), p.SilentSeconds)
	if t := p.Telemetry; t != nil {
		b = strconv.AppendInt(append(b, `,"telemetry":{"celsius":`...), int64(t.Celsius), 10)
		b = append(strconv.AppendUint(append(b, `,"throttles":`...), t.Throttles, 10), '}')
	}
	return append(b, "}}\n"...)
}

func appendLatency(b []byte, l *Latency) []byte {
	b = appendFigure(append(b, `{"min":`...), l.Min)
	b = appendFigure(append(b, `,"mean":`...), l.Mean)
	b = appendFigure(append(b, `,"p50":`...), l.P50)
	b = appendFigure(append(b, `,"p90":`...), l.P90)
	b = appendFigure(append(b, `,"p99":`...), l.P99)
	b = appendFigure(append(b, `,"p999":`...), l.P999)
	b = appendFigure(append(b, `,"p9999":`...), l.P9999)
	b = appendFigure(append(b, `,"max":`...), l.Max)
	return append(b, '}')
}

func appendFigure(b []byte, v *float64) []byte {
	if v == nil {
		return append(b, "null"...)
	}
	return appendFloat(b, *v)
}

// appendFloat appends a finite number.
func appendFloat(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'f', -1, 64) }
