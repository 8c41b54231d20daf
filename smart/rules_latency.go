package smart

import "fmt"

const (
	// hostShareUS is what the host adds to the latency of the drive: reviews
	// of an unloaded host saw 3 to 6 µs.
	hostShareUS = 6
	// slowFactor is how much slower than its model a drive may be.
	slowFactor = 1.5
	// xpointUS is the median that no sound 3D XPoint drive passes on an
	// unloaded host: reviews saw 8 to 22 µs.
	xpointUS = 40
	// nandUS is the same for flash: reviews saw 45 to 110 µs.
	nandUS = 150
)

const mediaXPoint = "3D XPoint"

func rulesLatency() []Rule {
	fields := []string{"bench.qd1_read", "model.rated_read_latency_us"}
	source := fmt.Sprintf("drive database; limit: %g times the rated latency and %d µs of the host, from reviews of 14 drives", slowFactor, hostShareUS)
	return []Rule{
		{
			ID: "latency-not-xpoint", Axis: AxisLatency, Severity: SeverityNote, Fields: []string{"bench.qd1_read", "model.media"},
			Text:    "A read took {p50} µs (median at queue depth 1), which is too slow for 3D XPoint: measure again on an idle host without power saving; if it stays, the drive is not what it claims or its link is bad.",
			Source:  "reviews of 900P, 905P, P4800X, 800P and P1600X: 8 to 22 µs at the host; no flash gets near",
			applies: notXPoint,
		},
		{
			ID: "latency-high", Axis: AxisLatency, Severity: SeverityNote, Fields: fields, Source: source,
			Text:    "A read took {p50} µs (median at queue depth 1); the drive is rated for {rated} µs and the host adds about 6: look at power saving, the link and the temperature.",
			applies: slowRead(true),
		},
		{
			ID: "latency-high-indicative", Axis: AxisLatency, Severity: SeverityInfo, Fields: fields, Source: source,
			Text:    "A read took {p50} µs (median at queue depth 1), slower than {rated} µs and the host's share, a rating that could not be checked.",
			applies: slowRead(false),
		},
		{
			ID: "latency-high-flash", Axis: AxisLatency, Severity: SeverityInfo, Fields: []string{"bench.qd1_read"},
			Text:    "A read took {p50} µs (median at queue depth 1), slow for flash: power saving, a chipset or USB in between, or throttling.",
			Source:  "reviews of drives with TLC and QLC flash: 45 to 110 µs",
			applies: slowFlash,
		},
		{
			ID: "latency-ok", Axis: AxisLatency, Severity: SeverityOK, Fields: fields, Source: source,
			Text:    "A read took {p50} µs (median at queue depth 1), as the rated {rated} µs and the host's share allow.",
			applies: quickRead,
		},
	}
}

func latencyHit(f *Facts) *hit {
	p50, rated := fmt.Sprintf("%.1f", f.QD1ReadP50US), ""
	evidence := "qd1_read p50 " + p50 + " us"
	if f.Model != nil && f.Model.RatedReadLatencyUS > 0 {
		rated = fmt.Sprintf("%g", f.Model.RatedReadLatencyUS)
		evidence += ", rated_read_latency_us " + rated
	}
	return found(evidence, "{p50}", p50, "{rated}", rated)
}

func notXPoint(f *Facts) *hit {
	if f.Model == nil || f.Model.Media != mediaXPoint || f.QD1ReadP50US <= xpointUS {
		return nil
	}
	return latencyHit(f)
}

// readLimit returns the slowest median that the rating allows.
func readLimit(f *Facts) (us float64, ok bool) {
	if f.Model == nil || f.Model.RatedReadLatencyUS <= 0 || f.QD1ReadP50US <= 0 {
		return 0, false
	}
	return slowFactor * (f.Model.RatedReadLatencyUS + hostShareUS), true
}

func slowRead(checked bool) func(*Facts) *hit {
	return func(f *Facts) *hit {
		limit, ok := readLimit(f)
		if !ok || f.QD1ReadP50US <= limit || f.Model.Checked("rated_read_latency_us") != checked || notXPoint(f) != nil {
			return nil
		}
		return latencyHit(f)
	}
}

func slowFlash(f *Facts) *hit {
	if f.QD1ReadP50US <= nandUS || f.Model != nil && f.Model.Media == mediaXPoint || slowRead(true)(f) != nil || slowRead(false)(f) != nil {
		return nil
	}
	return latencyHit(f)
}

func quickRead(f *Facts) *hit {
	limit, ok := readLimit(f)
	if !ok || f.QD1ReadP50US > limit {
		return nil
	}
	return latencyHit(f)
}
