package render

import (
	"fmt"
	"strings"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// summary is what stands above the fold, below the verdict.
func summary(r *report.Report) []entry {
	list := append(reasons(&r.Verdict), entry{Plain, "source", sourceLine(r.Source), 1}, entry{Plain, "claims", claims(r.Plausibility), 2})
	list = append(list, summarySATA(r.SATA)...)
	if s := r.SMART.Data; s != nil {
		list = append(list, entry{Plain, "life", life(s), 0}, entry{Plain, "others", others(r.Population), 3},
			entry{Plain, "wear", wear(s, r.Endurance), 0},
			entry{Plain, "left", wearLeft(r.Endurance), 4}, entry{Plain, "nand", amplification(r.VendorLogs.Data), 4},
			entry{Plain, "errors", errorLine(r), 0}, entry{Plain, "heat", heat(s), 0})
	}
	if n := r.Namespaces.Data; n != nil {
		list = append(list, entry{Plain, "capacity", capacity(*n), 0})
	} else {
		list = append(list, entry{Plain, "capacity", sourceSize(r.Source), 0})
	}
	list = append(list, entry{Plain, "firmware", firmware(r), 0})
	if r.Link.Data != nil {
		list = append(list, entry{Plain, "link", linkLine(r.Link.Data), 0})
	}
	if b := r.Bench.Data; b != nil && b.QD1Read != nil {
		list = append(list, entry{Plain, "latency", latencyLine(b.QD1Read), 0}, entry{Plain, "rate", rateLine(b.QD1Read), 3})
	}
	if id := r.IdentifyController.Data; id != nil {
		list = append(list, entry{Dim, "lacks", lacks(id, r.Namespaces.Data), 5})
	}
	return append(list, notRead(r)...)
}

// reasons are the summary of the verdict and the findings that carry it, each
// with its rule. What speaks for a drive goes first where there is no room, the
// last of it before the others.
func reasons(v *smart.Assessment) []entry {
	why := entry{Plain, "why", v.Summary, 0}
	var list []entry
	for _, f := range v.Reasons() {
		switch {
		case strings.HasPrefix(v.Summary, strings.TrimSuffix(f.Text, ".")):
			why.text += " [" + f.Rule + "]"
		case v.Level == smart.Keep:
			list = append(list, entry{severityRole(f.Severity), string(f.Severity), reason(&f), min(6+len(list), mostSpare)})
		default:
			list = append(list, entry{severityRole(f.Severity), string(f.Severity), reason(&f), min(len(list), 1)})
		}
	}
	return append([]entry{why}, list...)
}

// reason is a finding with its rule, and with its values where the sentence
// has no number.
func reason(f *smart.Finding) string {
	if strings.ContainsAny(f.Text, "0123456789") || f.Evidence == "" {
		return f.Text + " [" + f.Rule + "]"
	}
	return fmt.Sprintf("%s [%s: %s]", f.Text, f.Rule, f.Evidence)
}

// notRead names the sections that are missing; those with the same cause
// together.
func notRead(r *report.Report) []entry {
	var list []entry
	names, text := "", ""
	flush := func() {
		if names != "" {
			list = append(list, entry{Warn, "not read", names + ": " + text, 0})
		}
	}
	for _, x := range r.Problems() {
		if cause := join(" · ", x.Text, x.Hint); cause != text || names == "" {
			flush()
			names, text = x.Section, cause
		} else {
			names += ", " + x.Section
		}
	}
	flush()
	return list
}

func life(s *report.SMART) string {
	return join(" · ", told(s, "power_on_hours", count128(s.PowerOnHours)+nbsp+"h powered on"),
		told(s, "power_cycles", counted128(s.PowerCycles, "power cycle", "power cycles")),
		told(s, "unsafe_shutdowns", counted128(s.UnsafeShutdowns, "unsafe shutdown", "unsafe shutdowns")))
}

func wear(s *report.SMART, e *smart.Endurance) string {
	written := told(s, "bytes_written", sizeBig(s.BytesWritten)+" written")
	if e != nil && e.WrittenPercent != nil && e.RatedBytes != nil {
		written += fmt.Sprintf(" = %s of the %s rating", percent(*e.WrittenPercent), terabytes(float64(*e.RatedBytes)))
		if e.RatedIndicative {
			written += " (indicative)"
		}
	}
	return join(" · ", written, told(s, "percentage_used_percent", "the drive says "+usedPercent(s.PercentageUsedPercent)+" used"), spare(s))
}

func usedPercent(used int) string {
	if used == 255 {
		return with(used, "% or more")
	}
	return with(used, "%")
}

func spare(s *report.SMART) string {
	limit := " (no limit set)"
	switch t := s.SpareThresholdPercent; {
	case !s.Has("available_spare_threshold_percent"):
		limit = ""
	case t > 0 && t <= 100:
		limit = " (limit " + with(t, "%") + ")"
	}
	return told(s, "available_spare_percent", "spare "+with(s.AvailableSparePercent, "%")+limit)
}

func wearLeft(e *smart.Endurance) string {
	if e == nil {
		return ""
	}
	judged := prefixed("not compared with a rating: ", e.NotJudged)
	if e.BytesToRated == nil {
		return judged
	}
	left := terabytes(float64(*e.BytesToRated)) + " to the rating"
	if e.YearsLeftAtObservedRate != nil {
		left += ", " + years(*e.YearsLeftAtObservedRate) + " at the rate so far"
	}
	readOnly := ""
	switch {
	case e.ReadOnlyAtPercent == nil || e.BytesToReadOnly == nil:
	case *e.BytesToReadOnly == 0:
		readOnly = fmt.Sprintf("at the end: such drives turn read-only at %s used", with(*e.ReadOnlyAtPercent, "%"))
	default:
		readOnly = fmt.Sprintf("about %s to read-only, seen on such drives at %s used", terabytes(float64(*e.BytesToReadOnly)), with(*e.ReadOnlyAtPercent, "%"))
		if e.YearsToReadOnlyAtObservedRate != nil {
			readOnly += ", " + years(*e.YearsToReadOnlyAtObservedRate) + " at the rate so far"
		}
	}
	return join(" · ", judged, left, readOnly)
}

func years(y float64) string {
	if y > 100 {
		return "more than 100" + nbsp + "years"
	}
	return decimal(y) + nbsp + "years"
}

func errorLine(r *report.Report) string {
	s := r.SMART.Data
	log := told(s, "error_log_entries", counted128(s.ErrorLogEntries, "entry", "entries")+" over its life")
	if r.Errors.Data != nil {
		log = join(", ", log, fmt.Sprintf("%s still there", count(len(r.Errors.Data.Entries))))
	}
	return join(" · ", told(s, "media_errors", counted128(s.MediaErrors, "media error", "media errors")),
		told(s, "critical_warning", warningText(s.CriticalWarning)), prefixed("error log: ", log))
}

func warningText(w report.CriticalWarning) string {
	if bits := warningBits(w); bits != "none" {
		return "critical warning " + bits
	}
	return "no critical warning"
}

func warningBits(w report.CriticalWarning) string {
	var bits []string
	for _, b := range []struct {
		set  bool
		name string
	}{
		{w.AvailableSpareLow, "spare low"}, {w.Temperature, "temperature"}, {w.ReliabilityDegraded, "reliability degraded"},
		{w.ReadOnly, "read-only"}, {w.VolatileBackupFailed, "volatile memory backup failed"}, {w.PMRUnreliable, "persistent memory region unreliable"},
	} {
		if b.set {
			bits = append(bits, b.name)
		}
	}
	switch {
	case w.Value == 0 && len(bits) == 0:
		return "none"
	case len(bits) == 0:
		bits = []string{"reserved bits"}
	}
	return fmt.Sprintf("0x%02x (%s)", w.Value, strings.Join(bits, ", "))
}

func heat(s *report.SMART) string {
	after := ""
	if s.TemperatureAfterBenchCelsius != nil {
		after = celsius(s.TemperatureAfterBenchCelsius) + " after the benchmark"
	}
	now := told(s, "composite_temperature_celsius", "temperature "+notReported)
	if s.CompositeTemperatureCelsius != nil {
		now = celsius(s.CompositeTemperatureCelsius) + " now"
	}
	return join(" · ", now, after, sensorText(s.TemperatureSensorsCelsius), limitsLine(s), overLimits(s))
}

// limits are the temperature limits of the drive.
func limits(s *report.SMART) string {
	if s.WarningThresholdCelsius == nil && s.CriticalThresholdCelsius == nil {
		return notReported
	}
	return limit("warning", s.WarningThresholdCelsius) + ", " + limit("critical", s.CriticalThresholdCelsius)
}

func limit(name string, c *int) string {
	if c == nil {
		return "no " + name + " limit reported"
	}
	return name + " at " + celsius(c)
}

func limitsLine(s *report.SMART) string {
	if !s.Has("warning_threshold_celsius") && s.WarningThresholdCelsius == nil {
		return ""
	}
	if s.WarningThresholdCelsius == nil && s.CriticalThresholdCelsius == nil {
		return "limits " + notReported
	}
	return limits(s)
}

// overLimits is the time above the limits, "" where there was none.
func overLimits(s *report.SMART) string {
	if !s.Has("warning_temperature_minutes") || s.WarningTemperatureMinutes == 0 && s.CriticalTemperatureMinutes == 0 {
		return ""
	}
	return overLimitsText(s)
}

func overLimitsText(s *report.SMART) string {
	return fmt.Sprintf("%s above warning, %s above critical", with(s.WarningTemperatureMinutes, "min"), with(s.CriticalTemperatureMinutes, "min"))
}

func sensorText(list []*int) string {
	var parts []string
	for i, c := range list {
		if c != nil {
			parts = append(parts, fmt.Sprintf("sensor"+nbsp+"%d %s", i+1, celsius(c)))
		}
	}
	return strings.Join(parts, ", ")
}

// shownNamespaces is how many namespaces the summary names.
const shownNamespaces = 3

func capacity(list []report.Namespace) string {
	switch len(list) {
	case 0:
		return "no active namespace"
	case 1:
		return capacityOf(&list[0])
	}
	parts, total, more := []string{}, uint64(0), ""
	for i, n := range list {
		total += n.SizeBytes
		if n.Problem != nil {
			more = " or more"
		}
		if i < shownNamespaces {
			parts = append(parts, capacityOf(&n))
		}
	}
	if hidden := len(list) - shownNamespaces; hidden > 0 {
		parts = append(parts, fmt.Sprintf("%s more below", count(hidden)))
	}
	return fmt.Sprintf("%s%s in %s: %s", size(total), more, with(len(list), "namespaces"), strings.Join(parts, " · "))
}

func capacityOf(n *report.Namespace) string {
	name := fmt.Sprintf("namespace"+nbsp+"%d", n.NSID)
	if n.Block != nil {
		name += " (" + *n.Block + ")"
	}
	if n.Problem != nil || !n.Has("size_bytes") {
		return name + " of unknown size"
	}
	metadata := ""
	if m := n.LBAFormat.MetadataBytes; m != 0 {
		metadata = fmt.Sprintf(" + %d-byte metadata", m)
	}
	return fmt.Sprintf("%s in %s, %s-byte blocks%s", told(n, "size_bytes", size(n.SizeBytes)), name, count(n.LBAFormat.DataBytes), metadata)
}

func firmware(r *report.Report) string {
	f := r.Firmware.Data
	if f == nil || f.ActiveSlot == 0 {
		return r.Drive.Firmware
	}
	text := fmt.Sprintf("%s in slot %d", orUnknown(r.Drive.Firmware), f.ActiveSlot)
	switch {
	case f.Update == nil || !f.Has("update.slots"):
	case f.Update.Slots == 1:
		text += ", the only one"
	default:
		text += fmt.Sprintf(" of %d", f.Update.Slots)
	}
	if f.NextSlot != nil && *f.NextSlot != f.ActiveSlot {
		text += fmt.Sprintf(" · the next reset starts slot %d", *f.NextSlot)
	}
	return text
}

func linkLine(l *report.Link) string {
	text := "PCIe " + linkOf(l.SpeedGTs, l.Width, l.MaxSpeedGTs, l.MaxWidth)
	port := ""
	if n := len(l.Path); n > 0 {
		up := l.Path[n-1]
		port = fmt.Sprintf("port above it (%s) %s", up.Address, linkOf(up.SpeedGTs, up.Width, up.MaxSpeedGTs, up.MaxWidth))
	}
	return join(" · ", text, port, linkErrors(l.AER))
}

// linkOf is a link and what its end could do at most.
func linkOf(speed *float64, width *int, maxSpeed *float64, maxWidth *int) string {
	now, most := link(speed, width), link(maxSpeed, maxWidth)
	switch {
	case maxSpeed == nil && maxWidth == nil:
		return now
	case now == most:
		return now + ", its maximum"
	}
	return now + " of at most " + most
}

// linkErrors is what the host counted, "" where it does not count.
func linkErrors(a *report.AER) string {
	if a == nil {
		return ""
	}
	var parts []string
	sum := uint64(0)
	for _, c := range aerCounters(a) {
		if c.n != nil {
			parts = append(parts, with(*c.n, c.name))
			sum |= *c.n
		}
	}
	switch {
	case len(parts) == 0:
		return ""
	case sum == 0:
		return "no link errors"
	}
	return "link errors: " + strings.Join(parts, ", ")
}

// lacks names what people look for and this drive does not have.
func lacks(id *report.IdentifyController, namespaces *[]report.Namespace) string {
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
			list = append(list, f.name)
		}
	}
	return strings.Join(list, ", ")
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
