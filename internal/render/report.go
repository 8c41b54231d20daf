package render

import (
	"fmt"
	"io"
	"strings"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// Report writes a report as text: the verdict and what it rests on first, in
// at most 25 lines of 100 columns, then every detail.
func Report(w io.Writer, r *report.Report, style Style) error {
	p := &page{style: style}
	p.banner(r.Simulated)
	p.verdict(r)
	p.summary(r)
	p.details(r)
	return p.writeTo(w)
}

func (p *page) banner(simulated bool) {
	if simulated {
		p.line(p.style.paint(Warn, "SIMULATED: no real drive stands behind this report"))
	}
}

var verdictWords = map[smart.Level]struct {
	word string
	role Role
}{
	smart.Keep:    {"KEEP", Good},
	smart.Note:    {"KEEP, WITH A NOTE", Warn},
	smart.Return:  {"RETURN", Bad},
	smart.Unknown: {"UNKNOWN", Warn},
}

func (p *page) verdict(r *report.Report) {
	v := verdictWords[r.Verdict.Level]
	p.linef("%s  %s  serial %s", p.style.paint(v.role, v.word), p.style.paint(Strong, driveName(&r.Drive)), orUnknown(r.Drive.Serial))
	p.labelled(Plain, "why", r.Verdict.Summary)
	for _, f := range topFindings(r.Verdict.Findings) {
		p.labelled(severityRole(f.Severity), string(f.Severity), f.Text+" ["+f.Rule+"]")
	}
}

func driveName(d *report.Identity) string {
	if d.MarketingName == nil {
		return orUnknown(d.Model)
	}
	return fmt.Sprintf("%s (%s)", *d.MarketingName, d.Model)
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// topFindings returns the first five findings that speak against the drive.
func topFindings(all []smart.Finding) []smart.Finding {
	n := 0
	for n < len(all) && n < 5 && (all[n].Severity == smart.SeverityReturn || all[n].Severity == smart.SeverityNote) {
		n++
	}
	return all[:n]
}

func severityRole(s smart.Severity) Role {
	switch s {
	case smart.SeverityReturn:
		return Bad
	case smart.SeverityNote:
		return Warn
	case smart.SeverityOK:
		return Good
	}
	return Dim
}

// summary writes the lines above the fold.
func (p *page) summary(r *report.Report) {
	s, n := r.SMART.Data, r.Namespaces.Data
	if s != nil {
		p.labelled(Plain, "life", life(s))
		p.labelled(Plain, "wear", wear(s, r.Endurance))
		p.labelled(Plain, "errors", errorLine(r))
		p.labelled(Plain, "heat", heat(s))
	}
	if n != nil {
		p.labelled(Plain, "capacity", capacity(*n))
	}
	if r.Firmware.Data != nil {
		p.labelled(Plain, "firmware", firmware(r))
	} else {
		p.labelled(Plain, "firmware", r.Drive.Firmware)
	}
	if r.Link.Data != nil {
		p.labelled(Plain, "link", linkLine(r.Link.Data))
	}
	if r.Bench.Data != nil {
		p.labelled(Plain, "speed", speed(r.Bench.Data.QD1Read))
		p.labelled(Plain, "", speedDetail(r.Bench.Data.QD1Read))
	}
	if id := r.IdentifyController.Data; id != nil {
		p.labelled(Dim, "lacks", lacks(id.IdentifyController, n))
	}
	for _, x := range r.Problems() {
		p.labelled(Warn, "not read", x.Section+": "+join(" · ", x.Text, x.Hint))
	}
}

func life(s *report.SMART) string {
	return fmt.Sprintf("%s h powered on · %s power cycles · %s unsafe shutdowns",
		count128(s.PowerOnHours), count128(s.PowerCycles), count128(s.UnsafeShutdowns))
}

func wear(s *report.SMART, e *smart.Endurance) string {
	written := sizeBig(s.BytesWritten) + " written"
	if e != nil && e.WrittenPercent != nil {
		mark := ""
		if e.RatedIndicative {
			mark = ", indicative"
		}
		written += fmt.Sprintf(" = %s of %s rated%s", percent(*e.WrittenPercent), terabytes(float64(*e.RatedBytes)), mark)
	}
	return join(" · ", written,
		fmt.Sprintf("the drive says %d %% used", s.PercentageUsedPercent),
		fmt.Sprintf("spare %d %% (limit %d %%)", s.AvailableSparePercent, s.SpareThresholdPercent),
		wearLeft(e))
}

func wearLeft(e *smart.Endurance) string {
	if e == nil || e.BytesToRated == nil {
		return ""
	}
	left := terabytes(float64(*e.BytesToRated)) + " to the rating"
	if e.YearsLeftAtObservedRate != nil {
		left += fmt.Sprintf(", %s years at the rate so far", years(*e.YearsLeftAtObservedRate))
	}
	if e.ReadOnlyAtPercent != nil && e.BytesToReadOnly != nil {
		left += fmt.Sprintf(" · about %s to read-only at %d %%", terabytes(float64(*e.BytesToReadOnly)), *e.ReadOnlyAtPercent)
	}
	return left
}

func years(y float64) string {
	if y > 100 {
		return "more than 100"
	}
	return decimal(y)
}

func errorLine(r *report.Report) string {
	s := r.SMART.Data
	text := fmt.Sprintf("%s media errors · %s error log entries over its life", count128(s.MediaErrors), count128(s.ErrorLogEntries))
	if r.Errors.Data != nil {
		text += fmt.Sprintf(", %d in the log now", len(r.Errors.Data.Entries))
	}
	return join(" · ", text, warningText(s.CriticalWarning))
}

func warningText(w report.CriticalWarning) string {
	if w.Value == 0 {
		return "no critical warning"
	}
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
	return fmt.Sprintf("critical warning 0x%02x (%s)", w.Value, strings.Join(bits, ", "))
}

func heat(s *report.SMART) string {
	limits := "limits " + notReported
	if s.WarningThresholdCelsius != nil || s.CriticalThresholdCelsius != nil {
		limits = fmt.Sprintf("warning at %s, critical at %s", celsius(s.WarningThresholdCelsius), celsius(s.CriticalThresholdCelsius))
	}
	after := ""
	if s.TemperatureAfterBenchCelsius != nil {
		after = celsius(s.TemperatureAfterBenchCelsius) + " after the benchmark"
	}
	now := "now " + celsius(s.CompositeTemperatureCelsius)
	return join(" · ", now, after, sensorText(s.TemperatureSensorsCelsius), limits,
		fmt.Sprintf("%d min above warning, %d min above critical", s.WarningTemperatureMinutes, s.CriticalTemperatureMinutes))
}

func sensorText(list []*int) string {
	var parts []string
	for i, c := range list {
		if c != nil {
			parts = append(parts, fmt.Sprintf("sensor %d %d °C", i+1, *c))
		}
	}
	return strings.Join(parts, ", ")
}

func capacity(list []report.Namespace) string {
	var parts []string
	for _, n := range list {
		if len(parts) == 4 {
			parts = append(parts, fmt.Sprintf("and %d more", len(list)-4))
			break
		}
		parts = append(parts, capacityOf(&n))
	}
	if len(parts) == 0 {
		return "no active namespace"
	}
	return strings.Join(parts, " · ")
}

func capacityOf(n *report.Namespace) string {
	if n.Problem != nil {
		return fmt.Sprintf("namespace %d not read", n.NSID)
	}
	return fmt.Sprintf("namespace %d%s: %s, %s-byte blocks%s", n.NSID, inBrackets(n.Block),
		size(n.SizeBytes), count(n.LBAFormat.DataBytes), metadata(n.LBAFormat))
}

func inBrackets(s *string) string {
	if s == nil {
		return ""
	}
	return " (" + *s + ")"
}

func metadata(f report.LBAFormat) string {
	if f.MetadataBytes == 0 {
		return ""
	}
	return fmt.Sprintf(" + %d bytes of metadata", f.MetadataBytes)
}

func firmware(r *report.Report) string {
	f := r.Firmware.Data
	text := fmt.Sprintf("%s, running from slot %d", r.Drive.Firmware, f.ActiveSlot)
	if f.ActiveSlot == 0 {
		text = r.Drive.Firmware + ", slot " + notReported
	}
	if f.Update != nil {
		text += fmt.Sprintf(" of %d", f.Update.Slots)
	}
	if f.NextSlot != nil && *f.NextSlot != f.ActiveSlot {
		text += fmt.Sprintf(" · slot %d becomes active at the next reset", *f.NextSlot)
	}
	return text
}

func linkLine(l *report.Link) string {
	text := fmt.Sprintf("PCIe %s of %s", link(l.SpeedGTs, l.Width), link(l.MaxSpeedGTs, l.MaxWidth))
	if n := len(l.Path); n > 0 {
		up := l.Path[n-1]
		text += fmt.Sprintf(" · port above it (%s) %s of %s", up.Address, link(up.SpeedGTs, up.Width), link(up.MaxSpeedGTs, up.MaxWidth))
	}
	if l.AER != nil {
		text += " · link errors: " + aerText(l.AER)
	}
	return text
}

// lacks names what people look for and this drive does not have.
func lacks(id *nvme.IdentifyController, namespaces *[]report.Namespace) string {
	var list []string
	for _, f := range []struct {
		has  bool
		name string
	}{
		{id.OACS&nvme.OACSFormat != 0, "Format NVM"},
		{id.SANICAP != 0, "sanitize"},
		{id.OACS&nvme.OACSSelfTest != 0, "self-test"},
		{id.OACS&nvme.OACSNamespaceManagement != 0, "namespace management"},
		{id.WCTEMP != 0, "temperature limits"},
		{has4K(namespaces), "4096-byte blocks"},
	} {
		if !f.has {
			list = append(list, f.name)
		}
	}
	return strings.Join(list, ", ")
}

func has4K(namespaces *[]report.Namespace) bool {
	if namespaces == nil {
		return true
	}
	for _, n := range *namespaces {
		for _, f := range n.LBAFormats {
			if f.DataBytes == 4096 {
				return true
			}
		}
	}
	return false
}
