package render

import (
	"fmt"
	"strings"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// summary is what stands above the fold, below the verdict.
func summary(t lang.Tag, r *report.Report) []entry {
	list := append(reasons(t, &r.Verdict), entry{Plain, "source", sourceLine(t, r.Source), 1}, entry{Plain, "claims", claims(t, r.Plausibility), 2})
	list = append(list, summarySATA(t, r.SATA)...)
	if s := r.SMART.Data; s != nil {
		list = append(list, entry{Plain, "life", life(t, s), 0}, entry{Plain, "others", others(t, r.Population), 3},
			entry{Plain, "wear", wear(t, s, r.Endurance), 0},
			entry{Plain, "left", wearLeft(t, r.Endurance), 4}, entry{Plain, "nand", amplification(t, r.VendorLogs.Data), 4},
			entry{Plain, "errors", errorLine(t, r), 0}, entry{Plain, "heat", heat(t, s), 0})
	}
	if n := r.Namespaces.Data; n != nil {
		list = append(list, entry{Plain, "capacity", capacity(t, *n), 0})
	} else {
		list = append(list, entry{Plain, "capacity", sourceSize(t, r.Source), 0})
	}
	list = append(list, entry{Plain, "firmware", firmware(t, r), 0})
	if r.Link.Data != nil {
		list = append(list, entry{Plain, "link", linkLine(t, r.Link.Data), 0})
	}
	if b := r.Bench.Data; b != nil && b.QD1Read != nil {
		list = append(list, entry{Plain, "latency", latencyLine(t, b.QD1Read), 0}, entry{Plain, "among", placeText(t, b.Placement), 5}, entry{Plain, "rate", rateLine(t, b.QD1Read), 3})
	}
	if id := r.IdentifyController.Data; id != nil {
		list = append(list, entry{Dim, "lacks", lacks(t, id, r.Namespaces.Data), 5})
	}
	return append(list, notRead(t, r)...)
}

// reasons are the summary of the verdict and the findings that carry it, each
// with its rule. What speaks for a drive goes first where there is no room, the
// last of it before the others.
func reasons(t lang.Tag, v *smart.Assessment) []entry {
	why := entry{Plain, "why", t.Summary(v), 0}
	var list []entry
	for _, f := range v.Reasons() {
		switch {
		case strings.HasPrefix(v.Summary, strings.TrimSuffix(f.Text, ".")):
			why.text += " [" + f.Rule + "]"
		case v.Level == smart.Keep:
			list = append(list, entry{severityRole(f.Severity), string(f.Severity), reason(t, &f), min(6+len(list), mostSpare)})
		default:
			list = append(list, entry{severityRole(f.Severity), string(f.Severity), reason(t, &f), min(len(list), 1)})
		}
	}
	return append([]entry{why}, list...)
}

// reason is a finding with its rule, and with its values where the sentence
// has no number.
func reason(t lang.Tag, f *smart.Finding) string {
	if strings.ContainsAny(f.Text, "0123456789") || f.Evidence == "" {
		return t.Finding(*f).Text + " [" + f.Rule + "]"
	}
	return fmt.Sprintf("%s [%s: %s]", t.Finding(*f).Text, f.Rule, f.Evidence)
}

// notRead names the sections that are missing; those with the same cause
// together.
func notRead(t lang.Tag, r *report.Report) []entry {
	var list []entry
	names, text := "", ""
	flush := func() {
		if names != "" {
			list = append(list, entry{Warn, "not read", names + ": " + text, 0})
		}
	}
	for _, x := range r.Problems() {
		if cause := join(" · ", t.Sentence(x.Text), t.Sentence(x.Hint)); cause != text || names == "" {
			flush()
			names, text = t.Sentence(x.Section), cause
		} else {
			names += comma(t) + t.Sentence(x.Section)
		}
	}
	flush()
	return list
}

func life(t lang.Tag, s *report.SMART) string {
	return join(" · ", told(t, s, "power_on_hours", t.Textf("%s h powered on", count128(s.PowerOnHours))),
		told(t, s, "power_cycles", counted128(t, s.PowerCycles, "power cycle", "power cycles")),
		told(t, s, "unsafe_shutdowns", counted128(t, s.UnsafeShutdowns, "unsafe shutdown", "unsafe shutdowns")))
}

func wear(t lang.Tag, s *report.SMART, e *smart.Endurance) string {
	written := told(t, s, "bytes_written", t.Textf("%s written", sizeBig(s.BytesWritten)))
	if e != nil && e.WrittenPercent != nil && e.RatedBytes != nil {
		written += t.Textf(" = %s of the %s rating", percent(*e.WrittenPercent), terabytes(float64(*e.RatedBytes)))
		if e.RatedIndicative {
			written += t.Text(" (indicative)")
		}
	}
	return join(" · ", written, told(t, s, "percentage_used_percent", t.Textf("the drive says %s used", usedPercent(t, s.PercentageUsedPercent))), spare(t, s))
}

func usedPercent(t lang.Tag, used int) string {
	if used == 255 {
		return t.Textf("%s %% or more", count(used))
	}
	return with(used, "%")
}

func spare(t lang.Tag, s *report.SMART) string {
	limit := t.Text(" (no limit set)")
	switch x := s.SpareThresholdPercent; {
	case !s.Has("available_spare_threshold_percent"):
		limit = ""
	case x > 0 && x <= 100:
		limit = t.Textf(" (limit %s)", with(x, "%"))
	}
	return told(t, s, "available_spare_percent", t.Textf("spare %s", with(s.AvailableSparePercent, "%"))+limit)
}

func wearLeft(t lang.Tag, e *smart.Endurance) string {
	if e == nil {
		return ""
	}
	judged := prefixed(t.Text("not compared with a rating: "), t.Sentence(e.NotJudged))
	if e.BytesToRated == nil {
		return judged
	}
	left := t.Textf("%s to the rating", terabytes(float64(*e.BytesToRated)))
	if e.YearsLeftAtObservedRate != nil {
		left += comma(t) + t.Textf("%s at the rate so far", years(t, *e.YearsLeftAtObservedRate))
	}
	readOnly := ""
	switch {
	case e.ReadOnlyAtPercent == nil || e.BytesToReadOnly == nil:
	case *e.BytesToReadOnly == 0:
		readOnly = t.Textf("at the end: such drives turn read-only at %s used", with(*e.ReadOnlyAtPercent, "%"))
	default:
		readOnly = t.Textf("about %s to read-only, seen on such drives at %s used", terabytes(float64(*e.BytesToReadOnly)), with(*e.ReadOnlyAtPercent, "%"))
		if e.YearsToReadOnlyAtObservedRate != nil {
			readOnly += comma(t) + t.Textf("%s at the rate so far", years(t, *e.YearsToReadOnlyAtObservedRate))
		}
	}
	return join(" · ", judged, left, readOnly)
}

func years(t lang.Tag, y float64) string {
	if y > 100 {
		return t.Text("more than 100" + nbsp + "years")
	}
	return t.Textf("%s"+nbsp+"years", decimal(y))
}

func errorLine(t lang.Tag, r *report.Report) string {
	s := r.SMART.Data
	log := told(t, s, "error_log_entries", t.Textf("%s over its life", counted128(t, s.ErrorLogEntries, "entry", "entries")))
	if r.Errors.Data != nil {
		log = commas(t, log, t.Textf("%s still there", count(len(r.Errors.Data.Entries))))
	}
	return join(" · ", told(t, s, "media_errors", counted128(t, s.MediaErrors, "media error", "media errors")),
		told(t, s, "critical_warning", warningText(t, s.CriticalWarning)), prefixed(t.Text("error log: "), log))
}

func warningText(t lang.Tag, w report.CriticalWarning) string {
	if w == (report.CriticalWarning{}) {
		return t.Text("no critical warning")
	}
	return t.Textf("critical warning %s", warningBits(t, w))
}

func warningBits(t lang.Tag, w report.CriticalWarning) string {
	var bits []string
	for _, b := range []struct {
		set  bool
		name string
	}{
		{w.AvailableSpareLow, "spare low"}, {w.Temperature, "temperature"}, {w.ReliabilityDegraded, "reliability degraded"},
		{w.ReadOnly, "read-only"}, {w.VolatileBackupFailed, "volatile memory backup failed"}, {w.PMRUnreliable, "persistent memory region unreliable"},
	} {
		if b.set {
			bits = append(bits, t.Text(b.name))
		}
	}
	if reserved := nvme.CriticalWarning(w.Value).Reserved(); reserved != 0 {
		bits = append(bits, fmt.Sprintf("%s 0x%02x", t.Text("reserved bits"), reserved))
	}
	if len(bits) == 0 {
		return t.Text("none")
	}
	return fmt.Sprintf("0x%02x (%s)", w.Value, commas(t, bits...))
}

func heat(t lang.Tag, s *report.SMART) string {
	after := ""
	if s.TemperatureAfterBenchCelsius != nil {
		after = t.Textf("%s after the benchmark", celsius(t, s.TemperatureAfterBenchCelsius))
	}
	now := told(t, s, "composite_temperature_celsius", t.Text("temperature "+notReported))
	if s.CompositeTemperatureCelsius != nil {
		now = t.Textf("%s now", celsius(t, s.CompositeTemperatureCelsius))
	}
	return join(" · ", now, after, sensorText(t, s.TemperatureSensorsCelsius), limitsLine(t, s), overLimits(t, s))
}

// limits are the temperature limits of the drive.
func limits(t lang.Tag, s *report.SMART) string {
	if s.WarningThresholdCelsius == nil && s.CriticalThresholdCelsius == nil {
		return t.Text(notReported)
	}
	return limit(t, "warning", s.WarningThresholdCelsius) + comma(t) + limit(t, "critical", s.CriticalThresholdCelsius)
}

func limit(t lang.Tag, name string, c *int) string {
	if c == nil {
		return t.Text("no " + name + " limit reported")
	}
	return t.Textf(name+" at %s", celsius(t, c))
}

func limitsLine(t lang.Tag, s *report.SMART) string {
	if !s.Has("warning_threshold_celsius") && s.WarningThresholdCelsius == nil {
		return ""
	}
	if s.WarningThresholdCelsius == nil && s.CriticalThresholdCelsius == nil {
		return t.Text("limits " + notReported)
	}
	return limits(t, s)
}

// overLimits is the time above the limits, "" where there was none.
func overLimits(t lang.Tag, s *report.SMART) string {
	if !s.Has("warning_temperature_minutes") || s.WarningTemperatureMinutes == 0 && s.CriticalTemperatureMinutes == 0 {
		return ""
	}
	return overLimitsText(t, s)
}

func overLimitsText(t lang.Tag, s *report.SMART) string {
	return t.Textf("%s above warning, %s above critical", with(s.WarningTemperatureMinutes, "min"), with(s.CriticalTemperatureMinutes, "min"))
}

func sensorText(t lang.Tag, list []*int) string {
	var parts []string
	for i, c := range list {
		if c != nil {
			parts = append(parts, t.Textf("sensor"+nbsp+"%d %s", i+1, celsius(t, c)))
		}
	}
	return commas(t, parts...)
}

// shownNamespaces is how many namespaces the summary names.
const shownNamespaces = 3

func capacity(t lang.Tag, list []report.Namespace) string {
	switch len(list) {
	case 0:
		return t.Text("no active namespace")
	case 1:
		return capacityOf(t, &list[0])
	}
	parts, total, more := []string{}, uint64(0), ""
	for i, n := range list {
		total += n.SizeBytes
		if n.Problem != nil {
			more = t.Text(" or more")
		}
		if i < shownNamespaces {
			parts = append(parts, capacityOf(t, &n))
		}
	}
	if hidden := len(list) - shownNamespaces; hidden > 0 {
		parts = append(parts, t.Textf("%s more below", count(hidden)))
	}
	return t.Textf("%s%s in %s: %s", size(total), more, counted(t, len(list), "namespace", "namespaces"), strings.Join(parts, " · "))
}

func capacityOf(t lang.Tag, n *report.Namespace) string {
	name := t.Textf("namespace"+nbsp+"%d", n.NSID)
	if n.Block != nil {
		name += " (" + *n.Block + ")"
	}
	if n.Problem != nil || !n.Has("size_bytes") {
		return t.Textf("%s of unknown size", name)
	}
	metadata := ""
	if m := n.LBAFormat.MetadataBytes; m != 0 {
		metadata = t.Textf(" + %d-byte metadata", m)
	}
	return t.Textf("%s in %s, %s-byte blocks%s", told(t, n, "size_bytes", size(n.SizeBytes)), name, count(n.LBAFormat.DataBytes), metadata)
}

func firmware(t lang.Tag, r *report.Report) string {
	f := r.Firmware.Data
	if f == nil || f.ActiveSlot == 0 {
		return r.Drive.Firmware
	}
	text := t.Textf("%s in slot %d", orUnknown(t, r.Drive.Firmware), f.ActiveSlot)
	switch {
	case f.Update == nil || !f.Has("update.slots"):
	case f.Update.Slots == 1:
		text += t.Text(", the only one")
	default:
		text += t.Textf(" of %d", f.Update.Slots)
	}
	if f.NextSlot != nil && *f.NextSlot != int(f.ActiveSlot) {
		text += t.Textf(" · the next reset starts slot %d", *f.NextSlot)
	}
	return text
}

func linkLine(t lang.Tag, l *report.Link) string {
	text := "PCIe " + linkOf(t, l.SpeedGTs, l.Width, l.MaxSpeedGTs, l.MaxWidth)
	port := ""
	if n := len(l.Path); n > 0 {
		up := l.Path[n-1]
		port = t.Textf("port above it (%s) %s", up.Address, linkOf(t, up.SpeedGTs, up.Width, up.MaxSpeedGTs, up.MaxWidth))
	}
	return join(" · ", text, port, linkErrors(t, l.AER))
}

// linkOf is a link and what its end could do at most.
func linkOf(t lang.Tag, speed *float64, width *int, maxSpeed *float64, maxWidth *int) string {
	now, most := link(t, speed, width), link(t, maxSpeed, maxWidth)
	switch {
	case maxSpeed == nil && maxWidth == nil:
		return now
	case now == most:
		return t.Textf("%s, its maximum", now)
	}
	return t.Textf("%s of at most %s", now, most)
}

// linkErrors is what the host counted, "" where it does not count.
func linkErrors(t lang.Tag, a *sysfs.AER) string {
	if a == nil {
		return ""
	}
	var parts []string
	sum := uint64(0)
	for _, c := range aerCounters(a) {
		if c.n != nil {
			parts = append(parts, t.Textf("%s "+c.name, count(*c.n)))
			sum |= *c.n
		}
	}
	switch {
	case len(parts) == 0:
		return ""
	case sum == 0:
		return t.Text("no link errors")
	}
	return t.Text("link errors: ") + commas(t, parts...)
}

// lacks names what people look for and this drive does not have.
func lacks(t lang.Tag, id *report.IdentifyController, namespaces *[]report.Namespace) string {
	var list []string
	for _, f := range []struct {
		has         bool
		field, name string
	}{
		{id.OACS&nvme.OACSFormat != 0, "oacs", "Format NVM"},
		{id.SANICAP != 0, "sanicap", "sanitize"},
		{id.OACS&nvme.OACSSelfTest != 0, "oacs", "self-test"},
		{id.OACS&nvme.OACSNamespaceManagement != 0, "oacs", "namespace management"},
		{has4K(namespaces), "", "4096-byte blocks"},
		{id.WCTEMP != 0, "wctemp", "temperature limits"},
	} {
		if !f.has && id.Has(f.field) {
			list = append(list, t.Text(f.name))
		}
	}
	return commas(t, list...)
}

// has4K reports whether a namespace has such a format, or it is not known.
func has4K(namespaces *[]report.Namespace) bool {
	if namespaces == nil {
		return true
	}
	listed := false
	for _, n := range *namespaces {
		for _, f := range n.LBAFormats {
			listed = listed || n.Has("lba_formats")
			if f.DataBytes == 4096 {
				return true
			}
		}
	}
	return !listed
}
