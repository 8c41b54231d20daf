package render

import (
	"math"
	"strconv"

	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
)

// figures writes a line for each row, with MB/s, IOPS and µs side by side.
func (p *page) figures(b *report.BenchReport) {
	if len(b.Rows) == 0 {
		return
	}
	t := p.lang()
	p.line("")
	if b.Profile != nil {
		p.heading(piece{Strong, t.Sentence(b.Profile.Title)}, piece{Dim, b.Profile.Name})
	} else {
		p.line(p.paint(Strong, t.Text("Figures")))
	}
	g := &grid{columns: figureColumns(t, b.Rows)}
	for i := range b.Rows {
		g.rows = append(g.rows, gridRow{figureCells(t, &b.Rows[i]), rowRemarks(t, b, i)})
	}
	p.grid(g)
	if b.Profile != nil {
		for _, text := range skippedTexts(t, b.Profile.Skipped) {
			p.labelled(Dim, "left out", text)
		}
	}
}

// figureColumns are the heads. What the latencies are stands in theirs, unless
// it is not the same in all rows.
func figureColumns(t lang.Tag, rows []report.BenchRow) []column {
	return []column{
		{"", true, 0}, {"MB/s", false, 0}, {"IOPS", false, 0}, {join(nbsp, latencyWord(t, rows), "µs"), false, 0},
		{"p99" + nbsp + "µs", false, 4}, {"p99.9" + nbsp + "µs", false, 5}, {t.Text("RATED"), false, 1}, {t.Text("OVER RAW"), false, 2},
		{t.Text("RUNS"), false, 3}, {t.Text("MB/s OF RUNS"), false, 6},
	}
}

func latencyWord(t lang.Tag, rows []report.BenchRow) string {
	word := ""
	for _, r := range rows {
		switch {
		case r.Figure == nil:
		case word != "" && word != r.Figure.LatencyIs:
			return ""
		default:
			word = r.Figure.LatencyIs
		}
	}
	return t.Text(word)
}

func figureCells(t lang.Tag, r *report.BenchRow) []piece {
	f := r.Figure
	if f == nil {
		return plainCells(r.Label, absent, absent, absent, absent, absent, absent, absent, t.Text("not measured"), absent)
	}
	cells := plainCells(r.Label, decimal(f.MBPerS), count(int64(f.IOPS+0.5)), cellMicros(f.LatencyUS), cellMicros(f.P99US), cellMicros(f.P999US))
	return append(cells, ratedCell(r.Rated), piece{Plain, costCell(r.FileSystemCost)}, piece{Plain, runsCell(t, f)}, piece{Plain, rangeCell(f)})
}

// ratedCell is the share of what the maker states; a remark says what is doubtful
// about it.
func ratedCell(c *profile.Comparison) piece {
	switch {
	case c == nil:
		return piece{Plain, absent}
	case c.Plausibility != profile.Plausible:
		return piece{Warn, rough(c.Percent)}
	}
	return piece{Plain, rough(c.Percent)}
}

// rough writes a percentage without decimals from 10 % on.
func rough(v float64) string {
	if v < 10 {
		return percent(math.Round(v*10) / 10)
	}
	return percent(math.Round(v))
}

// costCell is what a file costs more than the device below it.
func costCell(c *profile.Cost) string {
	if c == nil {
		return absent
	}
	latency := ""
	if c.LatencyUS != nil {
		latency = signed(*c.LatencyUS) + nbsp + "µs"
	}
	return join(" ", latency, signed(c.RatePercent)+nbsp+"%")
}

func signed(v float64) string {
	if v > 0 {
		return "+" + decimal(v)
	}
	return decimal(v)
}

func runsCell(t lang.Tag, f *profile.Figure) string {
	if f.Runs == 1 {
		return strconv.Itoa(f.Runs)
	}
	return t.Textf("%s of %d", t.Text(string(f.Pick)), f.Runs)
}

// rangeCell is the lowest and the highest rate of a run.
func rangeCell(f *profile.Figure) string {
	if f.Runs == 1 {
		return absent
	}
	return between(f.MBPerSRange)
}

// between writes two values as a range.
func between(r [2]float64) string {
	low, high := decimal(r[0]), decimal(r[1])
	if low == high {
		return low
	}
	return low + "–" + high
}

// rowRemarks are what is to be said of a row.
func rowRemarks(t lang.Tag, b *report.BenchReport, row int) []piece {
	r := &b.Rows[row]
	var list []piece
	add := func(role Role, text string) {
		if text != "" {
			list = append(list, piece{role, text})
		}
	}
	add(Warn, implausible(t, r.Rated))
	if f := r.Figure; f != nil {
		if f.Partial {
			add(Warn, t.Text("PARTIAL: no run went to its end"))
		}
		add(Dim, confidenceText(t, f))
	}
	if s := r.Sustained; s != nil {
		add(Plain, sustainedText(t, s))
		add(Plain, afterText(t, s))
		add(Plain, causeText(t, s.Cause))
	}
	if len(b.Rows) == 1 {
		return list
	}
	add(Dim, prefixed(t.Text("noise")+" ", noiseText(t, r.Noise)))
	if d := r.Drift; d != nil && d.Found {
		add(Warn, driftText(t, d))
	}
	for i := range b.Results {
		if x := &b.Results[i]; x.Row == row {
			list = append(list, resultRemarks(t, x, runPrefix(t, r.Figure, x.Run))...)
		}
	}
	return list
}

// runPrefix says which run it is, if there are several.
func runPrefix(t lang.Tag, f *profile.Figure, run int) string {
	if f == nil || f.Runs == 1 {
		return ""
	}
	return t.Textf("run %d: ", run)
}

// implausible says what a figure cannot be.
func implausible(t lang.Tag, c *profile.Comparison) string {
	switch {
	case c == nil:
		return ""
	case c.Plausibility == profile.HostLimited:
		return t.Textf("limited by the host: the maker states %s", ratedValue(t, c))
	case c.Plausibility == profile.AboveRated:
		return t.Textf("above what the maker states, %s", ratedValue(t, c))
	}
	return t.Text(string(c.Plausibility))
}

// ratedValue is a figure of the maker.
func ratedValue(t lang.Tag, c *profile.Comparison) string {
	unit := "IOPS"
	switch c.Figure {
	case profile.RatedReadMBs, profile.RatedWriteMBs:
		unit = "MB/s"
	case profile.RatedReadLatency, profile.RatedWriteLatency:
		unit = "µs"
	}
	return join(" ", t.Text(string(c.Figure)), decimal(c.Rated)+nbsp+unit)
}

func confidenceText(t lang.Tag, f *profile.Figure) string {
	latency, rate := "", ""
	if f.LatencyCI95 != nil {
		latency = between(*f.LatencyCI95) + nbsp + "µs"
	}
	if f.MBPerSCI95 != nil {
		rate = between(*f.MBPerSCI95) + nbsp + "MB/s"
	}
	if latency+rate == "" {
		return ""
	}
	return t.Textf("95 %% confidence: %s", commas(t, latency, rate))
}

func sustainedText(t lang.Tag, s *profile.Sustained) string {
	text := t.Textf("highest %s, mean %s, lowest %s MB/s over %d s", decimal(s.MaxMBPerS), decimal(s.MeanMBPerS), decimal(s.MinMBPerS), s.Seconds)
	if s.Onset == nil {
		return text + t.Text("; no lasting drop")
	}
	return text + t.Textf("; after %d s it dropped for good, from %s to %s MB/s (%s)", s.Onset.Second, decimal(s.Onset.BeforeMBPerS), decimal(s.Onset.AfterMBPerS), percent(round3(s.Onset.DropPercent)))
}

// afterText is what became of a rate that fell.
func afterText(t lang.Tag, s *profile.Sustained) string {
	var parts []string
	if x := s.Plateau; x != nil {
		parts = append(parts, t.Textf("plateau from second %d for %d s: %s MB/s, 90 %% of the time %s", x.Second, x.Seconds, decimal(x.MBPerS), between([2]float64{x.LowMBPerS, x.HighMBPerS})))
	}
	if x := s.Recovery; x != nil {
		parts = append(parts, t.Textf("at the old rate again from second %d, %d times for %d s together", x.Second, x.Times, x.Seconds))
	}
	if s.P99BeforeUS != nil && s.P99AfterUS != nil {
		parts = append(parts, t.Textf("p99 %s before and %s after", micros(*s.P99BeforeUS), micros(*s.P99AfterUS)))
	}
	return join(semicolon(t), parts...)
}

// causeText is why a rate fell, with what shows it.
func causeText(t lang.Tag, c *profile.Cause) string {
	if c == nil {
		return ""
	}
	parts := []string{t.Sentence(c.Text)}
	for _, d := range c.Drops {
		for _, fact := range append(d.Evidence, d.Missing...) {
			parts = append(parts, t.Textf("second %d: %s", d.Second, t.Sentence(fact)))
		}
	}
	return join(semicolon(t), parts...)
}

// skippedTexts names the rows that were left out, those with one reason
// together.
func skippedTexts(t lang.Tag, all []profile.Skipped) []string {
	var texts, reasons []string
	also := map[string][]string{}
	for _, s := range all {
		if _, ok := also[s.Reason]; !ok {
			reasons, also[s.Reason] = append(reasons, s.Reason), []string{}
			texts = append(texts, join(": ", s.Label, t.Sentence(s.Reason)))
			continue
		}
		also[s.Reason] = append(also[s.Reason], s.Label)
	}
	for i, reason := range reasons {
		if more := also[reason]; len(more) > 0 {
			texts[i] += semicolon(t) + t.Textf("also %s", commas(t, more...))
		}
	}
	return texts
}
