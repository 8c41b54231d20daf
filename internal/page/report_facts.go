package page

import (
	"fmt"
	"math/big"
	"strings"

	"qd1.example/qd1/internal/chart"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// lifeFacts are the counters that say how the drive has lived.
func lifeFacts(r *report.Report) []fact {
	list := append(sataFacts(r.SATA), sourceFact(r.Source)...)
	if s := r.SMART.Data; s != nil {
		list = append(list, smartFacts(s)...)
		list = append(list, enduranceFacts(r.Endurance)...)
	}
	if v := r.VendorLogs.Data; v != nil && v.WriteAmplification != nil {
		list = append(list, fact{"write amplification", chart.Number(v.WriteAmplification.Factor)})
	}
	return list
}

// sourceFact says that another tool read the drive.
func sourceFact(s *report.Source) []fact {
	if s == nil {
		return nil
	}
	return []fact{{"source", "what another tool printed; what it leaves out is not shown"}}
}

func smartFacts(s *report.SMART) []fact {
	known := func(key, text string) string {
		if !s.Has(key) {
			return ""
		}
		return text
	}
	return facts(
		fact{"powered on", known("power_on_hours", wide(s.PowerOnHours)+nbsp+"h")},
		fact{"power cycles", known("power_cycles", wide(s.PowerCycles))},
		fact{"unsafe shutdowns", known("unsafe_shutdowns", wide(s.UnsafeShutdowns))},
		fact{"written by the host", known("bytes_written", bigSize(s.BytesWritten))},
		fact{"read by the host", known("bytes_read", bigSize(s.BytesRead))},
		fact{"media errors", known("media_errors", wide(s.MediaErrors))},
		fact{"error log entries", known("error_log_entries", wide(s.ErrorLogEntries)+" over its life")},
		fact{"critical warning", known("critical_warning", warningText(&s.CriticalWarning))},
		fact{"spare", known("available_spare_percent", spareText(s))},
		fact{"temperature", known("composite_temperature_celsius", heatText(s))},
	)
}

// wide writes a counter of 128 bits with all its digits.
func wide(u nvme.Uint128) string {
	digits := u.String()
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + nbsp + digits[i:]
	}
	return digits
}

func bigSize(n *big.Int) string {
	if n == nil {
		return ""
	}
	f, _ := new(big.Float).SetInt(n).Float64()
	return size(f)
}

func warningText(w *report.CriticalWarning) string {
	var list []string
	for _, b := range []struct {
		set  bool
		name string
	}{
		{w.AvailableSpareLow, "spare low"}, {w.Temperature, "temperature"}, {w.ReliabilityDegraded, "reliability degraded"},
		{w.ReadOnly, "read-only"}, {w.VolatileBackupFailed, "volatile memory backup failed"}, {w.PMRUnreliable, "persistent memory region unreliable"},
	} {
		if b.set {
			list = append(list, b.name)
		}
	}
	switch {
	case len(list) > 0:
		return strings.Join(list, ", ")
	case w.Value != 0:
		return fmt.Sprintf("0x%02x, reserved bits", w.Value)
	}
	return "none"
}

func spareText(s *report.SMART) string {
	text := percent(float64(s.AvailableSparePercent))
	if limit := s.SpareThresholdPercent; limit > 0 && limit <= 100 && s.Has("available_spare_threshold_percent") {
		text += ", limit " + percent(float64(limit))
	}
	return text
}

func heatText(s *report.SMART) string {
	at := func(c *int, name string) string { return textf(name+"%d"+nbsp+"°C", c) }
	minutes := func(n uint32, name string) string {
		if n == 0 {
			return ""
		}
		return counted(uint64(n), "minute", "minutes") + " " + name
	}
	if s.CompositeTemperatureCelsius == nil {
		return "not reported by this drive"
	}
	return join(", ", at(s.CompositeTemperatureCelsius, ""), at(s.TemperatureAfterBenchCelsius, "after the benchmark "), at(s.WarningThresholdCelsius, "warning from "),
		at(s.CriticalThresholdCelsius, "critical from "), minutes(s.WarningTemperatureMinutes, "above the warning"), minutes(s.CriticalTemperatureMinutes, "above the critical limit"))
}

// enduranceFacts set what was written beside what the drive is rated for.
func enduranceFacts(e *smart.Endurance) []fact {
	if e == nil {
		return nil
	}
	rated, left, readOnly := "", "", ""
	if e.RatedBytes != nil {
		rated = size(float64(*e.RatedBytes))
		if e.RatedIndicative {
			rated += " (indicative)"
		}
		rated = join(", ", rated, prefixed("source: ", deref(e.RatedSource)))
	}
	if e.BytesToRated != nil {
		left = join(", ", size(float64(*e.BytesToRated))+" to the rating", yearsText(e.YearsLeftAtObservedRate))
	}
	if e.ReadOnlyAtPercent != nil && e.BytesToReadOnly != nil {
		readOnly = join(", ", "about "+size(float64(*e.BytesToReadOnly))+" to go", fmt.Sprintf("seen on such drives at %d"+nbsp+"%% used", *e.ReadOnlyAtPercent), yearsText(e.YearsToReadOnlyAtObservedRate))
	}
	return facts(fact{"rated endurance", rated}, fact{"left", left}, fact{"until read-only", readOnly}, fact{"not judged", sentence(e.NotJudged)})
}

func yearsText(y *float64) string {
	switch {
	case y == nil:
		return ""
	case *y > 100:
		return "more than 100 years at the rate so far"
	}
	return chart.With(*y, "years") + " at the rate so far"
}

// sataFacts are those of a disk that speaks ATA.
func sataFacts(s *report.SATA) []fact {
	if s == nil || s.Health == nil {
		return nil
	}
	h := s.Health
	number := func(v *uint64) string {
		if v == nil {
			return ""
		}
		return chart.Number(float64(*v))
	}
	bytes := func(v *uint64) string {
		if v == nil {
			return ""
		}
		return size(float64(*v))
	}
	return facts(
		fact{"powered on", number(h.PowerOnHours) + unlessNil(h.PowerOnHours, nbsp+"h")}, fact{"power cycles", number(h.PowerCycles)},
		fact{"written by the host", bytes(h.BytesWritten)}, fact{"read by the host", bytes(h.BytesRead)},
		fact{"temperature", textf("%d"+nbsp+"°C", h.TemperatureCelsius)}, fact{"used", textf("%d"+nbsp+"%%", h.PercentageUsed)},
		fact{"reallocated sectors", number(h.ReallocatedSectors)}, fact{"pending sectors", number(h.PendingSectors)},
		fact{"uncorrectable errors", number(h.UncorrectableErrors)}, fact{"damaged transfers", number(h.CRCErrors)})
}

func unlessNil[T any](v *T, s string) string {
	if v == nil {
		return ""
	}
	return s
}

// driveFacts say what the drive is and how it is connected.
func driveFacts(r *report.Report) []fact {
	list := facts(
		fact{"model", r.Drive.Model}, fact{"marketing name", deref(r.Drive.MarketingName)}, fact{"serial", r.Drive.Serial},
		fact{"firmware", firmwareText(r)}, fact{"PCI address", pciText(r.Drive.PCI)}, fact{"link", reportLink(r.Link.Data)})
	if r.Namespaces.Data != nil {
		for i, n := range *r.Namespaces.Data {
			if i == mostNamespaces {
				list = append(list, fact{"namespaces", counted(len(*r.Namespaces.Data), "in all", "in all")})
				break
			}
			list = append(list, fact{fmt.Sprintf("namespace %d", n.NSID), namespaceText(&n)})
		}
	}
	return list
}

// mostNamespaces is how many a page lists.
const mostNamespaces = 16

func namespaceText(n *report.Namespace) string {
	if n.Problem != nil {
		return "not read: " + n.Problem.Text
	}
	return join(", ", size(float64(n.SizeBytes)), "blocks of "+blockSize(int(n.LBAFormat.DataBytes)), deref(n.Block))
}

func firmwareText(r *report.Report) string {
	text := r.Drive.Firmware
	if f := r.Firmware.Data; f != nil {
		text = join(", ", text, fmt.Sprintf("slot %d of %d", f.ActiveSlot, len(f.Slots)))
	}
	return text
}

func pciText(p *report.PCI) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s, vendor %04x, device %04x", p.Address, p.VendorID, p.DeviceID)
}

func reportLink(l *report.Link) string {
	if l == nil {
		return ""
	}
	where := ""
	if l.Attached == "cpu" || l.Attached == "chipset" {
		where = "at the " + string(l.Attached)
	}
	return join(", ", pcieText(l.SpeedGTs, l.Width, l.MaxSpeedGTs, l.MaxWidth), where)
}

// errorCells are one kind of error in the log.
func errorCells(g *smart.ErrorGroup) []string {
	blocks := ""
	if g.LBAMin != nil && g.LBAMax != nil {
		blocks = fmt.Sprintf("%d to %d", *g.LBAMin, *g.LBAMax)
		if *g.LBAMin == *g.LBAMax {
			blocks = fmt.Sprint(*g.LBAMin)
		}
	}
	if blocks == "" {
		blocks = absent
	}
	return []string{g.Status, blocks, chart.Number(float64(g.Entries))}
}
