package render

import (
	"slices"
	"strings"

	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
)

// temperatureText is the composite temperature at the start and the highest one
// that was read, the limits, and whether the drive slowed down.
func temperatureText(t lang.Tag, c *report.Conditions) string {
	if c.Before == nil || c.Before.Health == nil || c.Before.Health.Celsius == nil {
		return ""
	}
	before, after := c.Before.Health.Celsius, ""
	if c.After != nil && c.After.Health != nil && c.After.Health.Celsius != nil {
		after = t.Textf("%s at the end", celsius(t, c.After.Health.Celsius))
	}
	highest, sensor := hottest(c)
	text := commas(t, t.Textf("%s at the start", celsius(t, before)), after, t.Textf("highest %s", celsius(t, &highest)))
	if sensor != nil && *sensor > highest {
		text += comma(t) + t.Textf("hottest sensor %s", celsius(t, sensor))
	}
	return join(" · ", text, limitsText(t, c.Before.Limits), throttledText(t, c.Changes))
}

// hottest returns the highest composite temperature that was read, and that of
// the hottest sensor, nil if none was read meanwhile.
func hottest(c *report.Conditions) (highest int, sensor *int) {
	highest = *c.Before.Health.Celsius
	if c.After != nil && c.After.Health != nil && c.After.Health.Celsius != nil {
		highest = max(highest, *c.After.Health.Celsius)
	}
	for _, x := range c.Temperatures {
		if x.Value.Celsius != nil {
			highest = max(highest, *x.Value.Celsius)
		}
		if h := x.Value.Hottest; h != nil && (sensor == nil || *h > *sensor) {
			sensor = h
		}
	}
	return highest, sensor
}

func limitsText(t lang.Tag, l *conditions.Limits) string {
	if l == nil {
		return ""
	}
	named := func(format string, c *int) string {
		if c == nil {
			return ""
		}
		return t.Textf(format, celsius(t, c))
	}
	return commas(t, named("slows down from %s", l.TMT1), named("warning at %s", l.Warning), named("critical at %s", l.Critical))
}

func throttledText(t lang.Tag, c *conditions.Changes) string {
	switch {
	case c == nil || c.Throttled == nil:
		return ""
	case *c.Throttled:
		return t.Text("THROTTLED by heat")
	}
	return t.Text("not throttled")
}

// driveStateText is what the drive does between requests and with writes.
func driveStateText(t lang.Tag, d *conditions.DriveState) string {
	if d == nil {
		return ""
	}
	return commas(t, powerText(t, d.Power), writeCacheText(t, d))
}

func powerText(t lang.Tag, p *conditions.Power) string {
	if p == nil {
		return ""
	}
	state := ""
	if p.State != nil {
		state = t.Textf("power state %d", *p.State)
	}
	return commas(t, state, apstText(t, p.APST))
}

// apstText says whether the drive falls asleep by itself, and what waking it may
// cost.
func apstText(t lang.Tag, a *conditions.APST) string {
	switch {
	case a == nil:
		return ""
	case !a.Enabled:
		return t.Text("APST off")
	case a.Deepest == nil:
		return t.Text("APST on, without a transition")
	case a.Deepest.ExitUS == nil:
		return t.Textf("APST on, down to state %d", a.Deepest.Number)
	}
	return t.Textf("APST on, down to state %d (%s to leave it)", a.Deepest.Number, micros(float64(*a.Deepest.ExitUS)))
}

func writeCacheText(t lang.Tag, d *conditions.DriveState) string {
	switch {
	case d.HasWriteCache != nil && !*d.HasWriteCache:
		return t.Text("no volatile write cache")
	case d.WriteCache == nil:
		return ""
	case *d.WriteCache:
		return t.Text("volatile write cache on")
	}
	return t.Text("volatile write cache off")
}

// factsText is what changed in the drive meanwhile.
func factsText(t lang.Tag, c *conditions.Changes) string {
	if c == nil {
		return ""
	}
	var list []string
	for _, fact := range c.Facts {
		list = append(list, t.Sentence(fact))
	}
	return strings.Join(list, semicolon(t))
}

// problemsText is what the drive did not tell.
func problemsText(t lang.Tag, c *report.Conditions) string {
	var list []string
	for _, d := range []*conditions.DriveState{c.Before, c.After} {
		if d == nil {
			continue
		}
		for _, text := range d.Problems {
			if text = t.Sentence(text); !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return strings.Join(list, semicolon(t))
}
