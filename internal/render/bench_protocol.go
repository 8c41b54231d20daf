package render

import (
	"strconv"

	"qd1.example/qd1/bench/reference"
	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/protocol"
	"qd1.example/qd1/internal/report"
)

// protocolPairs are how the runs were arranged, and what they can show.
func protocolPairs(t lang.Tag, b *report.BenchReport) []pair {
	list := []pair{
		{"order", orderText(t, b)},
		{"start", startText(t, b)},
		{"pilot", pilotText(t, b.Pilot)},
		{"control", controlText(t, b)},
	}
	if len(b.Rows) == 1 {
		list = append(list, pair{"noise", noiseText(t, b.Rows[0].Noise)}, pair{"drift", driftText(t, b.Rows[0].Drift)})
	}
	return append(list, pair{"kept as", b.Record})
}

// orderText is the order of the runs, where there were several rows.
func orderText(t lang.Tag, b *report.BenchReport) string {
	switch order := b.Conditions.Protocol.Order; {
	case len(b.Rows) < 2:
		return ""
	case len(b.Turns) > 0:
		return t.Textf("interleaved: %s", turnsText(b.Turns))
	case order == protocol.ByRow:
		return t.Text("all runs of a row, then those of the next")
	default:
		return order
	}
}

// shownTurns is how many runs of the order stand in the text.
const shownTurns = 24

// turnsText names the rows by letters, such as ABBA.
func turnsText(turns []protocol.Turn) string {
	text := ""
	for i, x := range turns {
		if i == shownTurns {
			return text + "…"
		}
		if x.Row >= 'Z'-'A' {
			text += " " + strconv.Itoa(x.Row+1)
			continue
		}
		text += string(rune('A' + x.Row))
	}
	return text
}

// startText is how warm the drive was allowed to be when a run began.
func startText(t lang.Tag, b *report.BenchReport) string {
	c := &b.Conditions.Protocol
	most, waited, air := "", "", ""
	if c.StartMaxCelsius != nil {
		most = t.Textf("each run at %s at most", celsius(t, c.StartMaxCelsius))
		total, lowest, highest := 0.0, (*int)(nil), (*int)(nil)
		for i := range b.Results {
			if s := b.Results[i].Start; s != nil && s.Celsius != nil {
				total += s.WaitedSeconds
				lowest, highest = lower(lowest, s.Celsius), higher(highest, s.Celsius)
			}
		}
		if lowest != nil {
			waited = t.Textf("began at %s to %s", celsius(t, lowest), celsius(t, highest)) + comma(t) + t.Textf("waited %s in all", seconds(round3(total)))
		}
	}
	if c.AmbientCelsius != nil {
		air = t.Textf("air of %s", decimal(*c.AmbientCelsius)+nbsp+"°C")
	}
	return commas(t, most, waited, air)
}

func lower(a, b *int) *int {
	if a == nil || *b < *a {
		return b
	}
	return a
}

func higher(a, b *int) *int {
	if a == nil || *b > *a {
		return b
	}
	return a
}

// pilotText is what short runs told before.
func pilotText(t lang.Tag, all []report.PilotRow) string {
	var parts []string
	for i := range all {
		x := &all[i]
		text := t.Textf("%d runs of %s: %s", x.Runs, seconds(x.Seconds), noiseText(t, &x.Noise))
		if len(all) > 1 {
			text = x.Label + ": " + text
		}
		parts = append(parts, text)
	}
	return join(semicolon(t), parts...)
}

// noiseText is how much runs differ, and which change they can show.
func noiseText(t lang.Tag, n *protocol.Noise) string {
	if n == nil {
		return ""
	}
	found, more := t.Textf("%d runs show no change, however large", n.PlannedRuns), t.Text("1 % needs more than 1000 runs")
	if d := n.DetectablePercent; d != nil {
		found = t.Textf("%d runs find a change of %s in 80 %% of cases", n.PlannedRuns, percent(twoDigits(*d)))
	}
	switch r := n.RunsFor1Percent; {
	case r != nil:
		more = t.Textf("1 %% needs %d", *r)
	case n.StepPercent > 1:
		more = t.Textf("the histogram tells medians apart by %s", percent(twoDigits(n.StepPercent)))
	}
	return commas(t, t.Textf("%s from run to run (%s)", percent(twoDigits(n.CVPercent)), noiseOf(t, n.Metric)), found, more)
}

// noiseOf is what varies.
func noiseOf(t lang.Tag, metric string) string {
	if metric == string(reference.MBPerS) {
		return "MB/s"
	}
	return metricWord(t, reference.Metric(metric))
}

// driftText is a trend over the runs.
func driftText(t lang.Tag, d *protocol.Drift) string {
	switch {
	case d == nil:
		return ""
	case d.Found:
		return t.Textf("DRIFTS by %s from the first of %d runs to the last (p = %s)", signed(twoDigits(d.ChangePercent))+nbsp+"%", d.Runs, decimal(twoDigits(d.P)))
	}
	return t.Textf("none to be seen in %d runs (%s, p = %s)", d.Runs, signed(twoDigits(d.ChangePercent))+nbsp+"%", decimal(twoDigits(d.P)))
}

// controlText is what a row that was measured twice shows.
func controlText(t lang.Tag, b *report.BenchReport) string {
	c := b.Control
	if c == nil {
		return ""
	}
	verdict := map[string]string{
		protocol.Alike: t.Text("alike"), protocol.Differs: t.Text("DIFFERS, which is not the drive's doing"), protocol.NotEnoughRuns: t.Text("too few runs to tell"),
	}[c.Verdict]
	if verdict == "" {
		verdict = c.Verdict
	}
	change, p, between95 := "", "", ""
	if c.ChangePercent != nil {
		change = signed(twoDigits(*c.ChangePercent)) + nbsp + "%"
	}
	if c.CI95Percent != nil {
		between95 = t.Textf("95 %% confidence: %s", between(*c.CI95Percent)+nbsp+"%")
	}
	if c.P != nil {
		p = "p = " + decimal(twoDigits(*c.P))
	}
	return commas(t, t.Textf("%s against %s", labelOf(b, c.Row), labelOf(b, c.Of)), verdict, change, between95, p, t.Textf("%d runs each, %s", c.Runs, noiseOf(t, c.Metric)))
}

func labelOf(b *report.BenchReport, row int) string {
	if row < 0 || row >= len(b.Rows) {
		return absent
	}
	return b.Rows[row].Label
}

// twoDigits rounds to 2 significant digits, or whole from 10 on.
func twoDigits(v float64) float64 {
	format := byte('g')
	digits := 2
	if v >= 10 || v <= -10 {
		format, digits = 'f', 0
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, format, digits, 64), 64)
	return rounded
}
