package render

import (
	"fmt"
	"math/big"
	"strconv"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// details writes everything below the fold.
func (p *page) details(r *report.Report) {
	p.title("Drive")
	p.table(drivePairs(&r.Drive))
	p.source(r.Source)
	p.sata(r.SATA)
	if r.SATA == nil {
		p.nvme(r)
	} else {
		p.bench(&r.Bench)
	}
	p.title("Verdict in full")
	p.labelled(Plain, "level", string(r.Verdict.Level))
	for _, f := range r.Verdict.Findings {
		p.labelled(severityRole(f.Severity), string(f.Severity), fmt.Sprintf("%s [%s: %s]", f.Text, f.Rule, f.Evidence))
	}
	p.plausibility(r.Plausibility)
	p.title("This report")
	p.table(reportPairs(r))
}

// nvme writes the sections of an NVMe drive.
func (p *page) nvme(r *report.Report) {
	p.smart(&r.SMART)
	p.endurance(r.Endurance)
	p.population(r.Population)
	p.vendorLogs(&r.VendorLogs)
	p.firmware(&r.Firmware)
	p.errors(&r.Errors)
	p.link(&r.Link)
	p.bench(&r.Bench)
	p.namespaces(&r.Namespaces)
	p.controller(&r.IdentifyController)
}

func drivePairs(d *report.Identity) []pair {
	return []pair{
		{"model", withHex(d.Model, d.ModelHex)},
		{"marketing name", deref(d.MarketingName, "not in the drive database")},
		{"serial", withHex(d.Serial, d.SerialHex)},
		{"firmware", withHex(d.Firmware, d.FirmwareHex)},
		{"selected by", join(" · ", d.Selector, d.Note)},
		{"controller", join(", ", d.Controller, prefixed("transport ", d.Transport), prefixed("state ", d.State), prefixed("subsystem ", d.Subsystem))},
		{"PCI", pciText(d.PCI)},
	}
}

func withHex(s, hex string) string {
	if hex == "" {
		return s
	}
	return s + " (bytes " + hex + ")"
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func pciText(c *report.PCI) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s, vendor:device %04x:%04x, subsystem %04x:%04x", c.Address, c.VendorID, c.DeviceID, c.SubsystemVendorID, c.SubsystemDeviceID)
}

func reportPairs(r *report.Report) []pair {
	f := r.Footprint
	sent := "nothing was sent to a drive"
	added := "an unknown number of entries"
	if f.ErrorLogEntriesAdded != nil {
		added = counted(*f.ErrorLogEntriesAdded, "entry", "entries")
	}
	if f != (report.Footprint{}) {
		sent = fmt.Sprintf("%s sent, %s of them refused by the drive, its error log grew by %s",
			counted(f.Commands, "command", "commands"), count(f.Refused), added)
	}
	return []pair{
		{"made by", fmt.Sprintf("%s %s, %s", r.Tool.Name, r.Tool.Version, r.Schema)},
		{"time", r.Time.Format("2006-01-02 15:04:05 MST")},
		{"host", join(", ", r.Host.Kernel, r.Host.Arch)},
		{"footprint", sent},
	}
}

// section begins a section and reports whether it has data to show.
func section[T any](p *page, title string, s *report.Section[T], without string) bool {
	p.title(title)
	switch {
	case s.Problem != nil:
		p.problem(s.Problem)
		return false
	case s.Data == nil:
		p.note(without)
	}
	return s.Data != nil
}

const noSection = "this drive has none"

func (p *page) smart(s *report.Section[report.SMART]) {
	if section(p, "SMART / Health log", s, noSection) {
		p.table(smartPairs(s.Data))
	}
}

func smartPairs(s *report.SMART) []pair {
	k := func(label, key, text string) pair { return pair{label, told(s, key, text)} }
	return []pair{
		k("critical warning", "critical_warning", warningBits(s.CriticalWarning)),
		k("temperature", "composite_temperature_celsius", join(", ", celsius(s.CompositeTemperatureCelsius), kelvinText(s.CompositeTemperatureKelvin), sensorText(s.TemperatureSensorsCelsius))),
		k("limits", "warning_threshold_celsius", limits(s)),
		k("over limits", "warning_temperature_minutes", overLimitsText(s)),
		k("throttling", "thermal_management.tmt1_transitions", throttling(&s.ThermalManagement)),
		{"spare", join(", ", told(s, "available_spare_percent", with(s.AvailableSparePercent, "%")),
			told(s, "available_spare_threshold_percent", "threshold "+with(s.SpareThresholdPercent, "%")))},
		k("percentage used", "percentage_used_percent", usedPercent(s.PercentageUsedPercent)+", by the drive's own estimate"),
		k("endurance groups", "endurance_group_critical_warning", groupWarning(s.EnduranceGroupWarning)),
		k("written", "bytes_written", dataUnits(s.BytesWritten, s.DataUnitsWritten)),
		k("read", "bytes_read", dataUnits(s.BytesRead, s.DataUnitsRead)),
		{"commands", join(", ", told(s, "host_read_commands", counted128(s.HostReadCommands, "read", "reads")),
			told(s, "host_write_commands", counted128(s.HostWriteCommands, "write", "writes")))},
		k("busy", "controller_busy_minutes", count128(s.ControllerBusyMinutes)+nbsp+"min"),
		k("power cycles", "power_cycles", count128(s.PowerCycles)),
		k("powered on", "power_on_hours", count128(s.PowerOnHours)+nbsp+"h"),
		k("unsafe shutdowns", "unsafe_shutdowns", count128(s.UnsafeShutdowns)),
		k("media errors", "media_errors", count128(s.MediaErrors)),
		k("error log entries", "error_log_entries", count128(s.ErrorLogEntries)+" over the life of the drive"),
	}
}

func kelvinText(k *int) string {
	if k == nil {
		return ""
	}
	return strconv.Itoa(*k) + nbsp + "K"
}

func dataUnits(bytes *big.Int, units nvme.Uint128) string {
	return fmt.Sprintf("%s (%s of 512"+nbsp+"000 bytes)", sizeBig(bytes), counted128(units, "data unit", "data units"))
}

func throttling(t *report.Thermal) string {
	level := func(n int, times, seconds uint32) string {
		return fmt.Sprintf("level %d: %s, %s in all", n, counted(times, "time", "times"), with(seconds, "s"))
	}
	return level(1, t.TMT1Transitions, t.TMT1Seconds) + "; " + level(2, t.TMT2Transitions, t.TMT2Seconds)
}

func groupWarning(w int) string {
	if w == 0 {
		return ""
	}
	return fmt.Sprintf("critical warning summary 0x%02x", w)
}

func (p *page) endurance(e *smart.Endurance) {
	if e == nil || e.RatedBytes == nil {
		return
	}
	p.title("Endurance")
	pairs := []pair{{"rated", fmt.Sprintf("%s written by the host%s", terabytes(float64(*e.RatedBytes)), indicative(e.RatedIndicative))}}
	if e.RatedSource != nil {
		pairs = append(pairs, pair{"source", *e.RatedSource})
	}
	if e.WrittenPercent != nil {
		pairs = append(pairs, pair{"written", percent(*e.WrittenPercent) + " of it"})
	}
	pairs = append(pairs, pair{"left", wearLeft(e)})
	p.table(pairs)
}

func indicative(yes bool) string {
	if yes {
		return " (indicative: the figure could not be checked)"
	}
	return ""
}

func (p *page) firmware(s *report.Section[report.Firmware]) {
	if section(p, "Firmware slots", s, noSection) {
		p.table(firmwarePairs(s.Data))
	}
}

func firmwarePairs(f *report.Firmware) []pair {
	pairs := []pair{{"running from", told(f, "active_slot", activeSlot(f))}, {"after a reset", told(f, "next_slot", nextSlot(f))}}
	for _, s := range f.Slots {
		pairs = append(pairs, pair{fmt.Sprintf("slot %d", s.Slot), deref(s.Revision, "empty")})
	}
	if f.Update != nil && f.Has("update.supported") && f.Has("update.slots") {
		pairs = append(pairs, pair{"updates", updateText(f.Update)})
	}
	return pairs
}

func activeSlot(f *report.Firmware) string {
	if f.ActiveSlot == 0 {
		return "a slot that is " + notReported
	}
	return fmt.Sprintf("slot %d", f.ActiveSlot)
}

func nextSlot(f *report.Firmware) string {
	if f.NextSlot == nil {
		return "no other slot pending"
	}
	return fmt.Sprintf("slot %d", *f.NextSlot)
}

func updateText(u *report.FirmwareUpdate) string {
	if !u.Supported {
		return "this drive takes none"
	}
	activation := "needs a reset to activate"
	if u.ActivationWithoutReset {
		activation = "can activate without a reset"
	}
	readOnly := ""
	if u.Slot1ReadOnly {
		readOnly = "slot 1 is read-only"
	}
	return join(", ", counted(u.Slots, "slot", "slots"), readOnly, activation, granularity(u.GranularityBytes))
}

func granularity(bytes *int) string {
	switch {
	case bytes == nil:
		return "granularity " + notReported
	case *bytes == 0:
		return "pieces of any size"
	}
	return "pieces of " + with(*bytes, "bytes")
}

func (p *page) link(s *report.Section[report.Link]) {
	if section(p, "PCI Express link", s, "this drive is not on PCI Express, or the host does not show its link") {
		p.table(linkPairs(s.Data))
	}
}

func linkPairs(l *report.Link) []pair {
	pairs := []pair{{"drive", linkOf(l.SpeedGTs, l.Width, l.MaxSpeedGTs, l.MaxWidth)}}
	for _, x := range l.Path {
		pairs = append(pairs, pair{"port " + x.Address, linkOf(x.SpeedGTs, x.Width, x.MaxSpeedGTs, x.MaxWidth)})
	}
	pairs = append(pairs, pair{"attached to", l.Attached})
	if l.NUMANode != nil {
		pairs = append(pairs, pair{"NUMA node", strconv.Itoa(*l.NUMANode)})
	}
	return append(pairs, pair{"link errors", aerText(l.AER)})
}

// aerText is every counter of link errors.
func aerText(a *report.AER) string {
	text := ""
	if a != nil {
		for _, c := range aerCounters(a) {
			if c.n != nil {
				text = join(", ", text, with(*c.n, c.name))
			}
		}
	}
	if text == "" {
		return "not counted by this host"
	}
	return text + " since the host started"
}

type counter struct {
	n    *uint64
	name string
}

func aerCounters(a *report.AER) []counter {
	return []counter{{a.Correctable, "correctable"}, {a.Nonfatal, "non-fatal"}, {a.Fatal, "fatal"}}
}

func (p *page) bench(s *report.Section[report.Bench]) {
	const without = "not measured"
	switch {
	case !section(p, "QD1 read benchmark", s, without):
	case s.Data.QD1Read == nil:
		p.note(without)
	default:
		p.table(benchPairs(s.Data.QD1Read))
	}
}
