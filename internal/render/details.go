package render

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// details writes everything below the fold.
func (p *page) details(r *report.Report) {
	p.title("Drive")
	p.table(drivePairs(p.lang(), &r.Drive))
	p.source(r.Source)
	p.sata(r.SATA)
	if r.SATA == nil {
		p.nvme(r)
	} else {
		p.bench(&r.Bench)
	}
	t := p.lang()
	p.title("Verdict in full")
	p.labelled(Plain, "level", t.Text(string(r.Verdict.Level)))
	for _, f := range r.Verdict.Findings {
		p.labelled(severityRole(f.Severity), string(f.Severity), fmt.Sprintf("%s [%s: %s]", t.Finding(f).Text, f.Rule, f.Evidence))
	}
	p.plausibility(r.Plausibility)
	p.title("This report")
	p.table(reportPairs(p.lang(), r))
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

func drivePairs(t lang.Tag, d *report.Identity) []pair {
	return []pair{
		{"model", withHex(t, d.Model, d.ModelHex)},
		{"marketing name", deref(d.MarketingName, t.Text("not in the drive database"))},
		{"serial", withHex(t, d.Serial, d.SerialHex)},
		{"firmware", withHex(t, d.Firmware, d.FirmwareHex)},
		{"selected by", join(" · ", d.Selector, d.Note)},
		{"controller", commas(t, d.Controller, prefixed(t.Text("transport "), d.Transport), prefixed(t.Text("state "), d.State), prefixed(t.Text("subsystem "), d.Subsystem))},
		{"PCI", pciText(t, d.PCI)},
	}
}

func withHex(t lang.Tag, s, hex string) string {
	if hex == "" {
		return s
	}
	return s + t.Textf(" (bytes %s)", hex)
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func pciText(t lang.Tag, c *report.PCI) string {
	if c == nil {
		return ""
	}
	return t.Textf("%s, vendor:device %04x:%04x, subsystem %04x:%04x", c.Address, c.VendorID, c.DeviceID, c.SubsystemVendorID, c.SubsystemDeviceID)
}

func reportPairs(t lang.Tag, r *report.Report) []pair {
	f := r.Footprint
	sent := t.Text("nothing was sent to a drive")
	added := t.Text("an unknown number of entries")
	if f.ErrorLogEntriesAdded != nil {
		added = counted(t, *f.ErrorLogEntriesAdded, "entry", "entries")
	}
	if f != (report.Footprint{}) {
		sent = t.Textf("%s sent, %s of them refused by the drive, its error log grew by %s",
			counted(t, f.Commands, "command", "commands"), count(f.Refused), added)
	}
	return []pair{
		{"made by", fmt.Sprintf("%s %s, %s", r.Tool.Name, r.Tool.Version, r.Schema)},
		{"time", r.Time.Format("2006-01-02 15:04:05 MST")},
		{"host", commas(t, r.Host.Kernel, r.Host.Arch)},
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
		p.table(smartPairs(p.lang(), s.Data))
	}
}

func smartPairs(t lang.Tag, s *report.SMART) []pair {
	k := func(label, key, text string) pair { return pair{label, told(t, s, key, text)} }
	return []pair{
		k("critical warning", "critical_warning", warningBits(t, s.CriticalWarning)),
		k("temperature", "composite_temperature_celsius", commas(t, celsius(t, s.CompositeTemperatureCelsius), kelvinText(s.CompositeTemperatureKelvin), sensorText(t, s.TemperatureSensorsCelsius))),
		k("limits", "warning_threshold_celsius", limits(t, s)),
		k("over limits", "warning_temperature_minutes", overLimitsText(t, s)),
		k("throttling", "thermal_management.tmt1_transitions", throttling(t, &s.ThermalManagement)),
		{"spare", commas(t, told(t, s, "available_spare_percent", with(s.AvailableSparePercent, "%")),
			told(t, s, "available_spare_threshold_percent", t.Textf("threshold %s", with(s.SpareThresholdPercent, "%"))))},
		k("percentage used", "percentage_used_percent", t.Textf("%s, by the drive's own estimate", usedPercent(t, s.PercentageUsedPercent))),
		k("endurance groups", "endurance_group_critical_warning", groupWarning(t, s.EnduranceGroupWarning)),
		k("written", "bytes_written", dataUnits(t, s.BytesWritten, s.DataUnitsWritten)),
		k("read", "bytes_read", dataUnits(t, s.BytesRead, s.DataUnitsRead)),
		{"commands", commas(t, told(t, s, "host_read_commands", counted128(t, s.HostReadCommands, "read", "reads")),
			told(t, s, "host_write_commands", counted128(t, s.HostWriteCommands, "write", "writes")))},
		k("busy", "controller_busy_minutes", count128(s.ControllerBusyMinutes)+nbsp+"min"),
		k("power cycles", "power_cycles", count128(s.PowerCycles)),
		k("powered on", "power_on_hours", count128(s.PowerOnHours)+nbsp+"h"),
		k("unsafe shutdowns", "unsafe_shutdowns", count128(s.UnsafeShutdowns)),
		k("media errors", "media_errors", count128(s.MediaErrors)),
		k("error log entries", "error_log_entries", t.Textf("%s over the life of the drive", count128(s.ErrorLogEntries))),
	}
}

func kelvinText(k *int) string {
	if k == nil {
		return ""
	}
	return strconv.Itoa(*k) + nbsp + "K"
}

func dataUnits(t lang.Tag, bytes *big.Int, units nvme.Uint128) string {
	return t.Textf("%s (%s of 512"+nbsp+"000 bytes)", sizeBig(bytes), counted128(t, units, "data unit", "data units"))
}

func throttling(t lang.Tag, x *report.Thermal) string {
	level := func(n int, times, seconds uint32) string {
		return t.Textf("level %d: %s, %s in all", n, counted(t, times, "time", "times"), with(seconds, "s"))
	}
	return level(1, x.TMT1Transitions, x.TMT1Seconds) + semicolon(t) + level(2, x.TMT2Transitions, x.TMT2Seconds)
}

func groupWarning(t lang.Tag, w int) string {
	if w == 0 {
		return ""
	}
	return t.Textf("critical warning summary 0x%02x", w)
}

func (p *page) endurance(e *smart.Endurance) {
	if e == nil || e.RatedBytes == nil {
		return
	}
	p.title("Endurance")
	pairs := []pair{{"rated", p.lang().Textf("%s written by the host%s", terabytes(float64(*e.RatedBytes)), indicative(p.lang(), e.RatedIndicative))}}
	if e.RatedSource != nil {
		pairs = append(pairs, pair{"source", p.lang().Sentence(*e.RatedSource)})
	}
	if e.WrittenPercent != nil {
		pairs = append(pairs, pair{"written", p.lang().Textf("%s of it", percent(*e.WrittenPercent))})
	}
	pairs = append(pairs, pair{"left", wearLeft(p.lang(), e)})
	p.table(pairs)
}

func indicative(t lang.Tag, yes bool) string {
	if yes {
		return t.Text(" (indicative: the figure could not be checked)")
	}
	return ""
}

func (p *page) firmware(s *report.Section[report.Firmware]) {
	if section(p, "Firmware slots", s, noSection) {
		p.table(firmwarePairs(p.lang(), s.Data))
	}
}

func firmwarePairs(t lang.Tag, f *report.Firmware) []pair {
	pairs := []pair{{"running from", told(t, f, "active_slot", activeSlot(t, f))}, {"after a reset", told(t, f, "next_slot", nextSlot(t, f))}}
	for _, s := range f.Slots {
		pairs = append(pairs, pair{t.Textf("slot %d", s.Slot), deref(s.Revision, t.Text("empty"))})
	}
	if f.Update != nil && f.Has("update.supported") && f.Has("update.slots") {
		pairs = append(pairs, pair{"updates", updateText(t, f.Update)})
	}
	return pairs
}

func activeSlot(t lang.Tag, f *report.Firmware) string {
	if f.ActiveSlot == 0 {
		return t.Text("a slot that is " + notReported)
	}
	return t.Textf("slot %d", f.ActiveSlot)
}

func nextSlot(t lang.Tag, f *report.Firmware) string {
	if f.NextSlot == nil {
		return t.Text("no other slot pending")
	}
	return t.Textf("slot %d", *f.NextSlot)
}

func updateText(t lang.Tag, u *report.FirmwareUpdate) string {
	if !u.Supported {
		return t.Text("this drive takes none")
	}
	activation := t.Text("needs a reset to activate")
	if u.ActivationWithoutReset {
		activation = t.Text("can activate without a reset")
	}
	readOnly := ""
	if u.Slot1ReadOnly {
		readOnly = t.Text("slot 1 is read-only")
	}
	return commas(t, counted(t, u.Slots, "slot", "slots"), readOnly, activation, granularity(t, u.GranularityBytes))
}

func granularity(t lang.Tag, bytes *int) string {
	switch {
	case bytes == nil:
		return t.Text("granularity " + notReported)
	case *bytes == 0:
		return t.Text("pieces of any size")
	}
	return t.Textf("pieces of %s", exactly(t, *bytes))
}

func (p *page) link(s *report.Section[report.Link]) {
	if section(p, "PCI Express link", s, "this drive is not on PCI Express, or the host does not show its link") {
		p.table(linkPairs(p.lang(), s.Data))
	}
}

func linkPairs(t lang.Tag, l *report.Link) []pair {
	pairs := []pair{{"drive", linkOf(t, l.SpeedGTs, l.Width, l.MaxSpeedGTs, l.MaxWidth)}}
	for _, x := range l.Path {
		text := linkOf(t, x.SpeedGTs, x.Width, x.MaxSpeedGTs, x.MaxWidth)
		if x.VendorID != 0 {
			text = join(" · ", text, fmt.Sprintf("%04x:%04x", x.VendorID, x.DeviceID))
		}
		pairs = append(pairs, pair{t.Textf("port %s", x.Address), join(" · ", text, aspmText(t, x.ASPM), linkErrors(t, x.AER), kinds(x.AER))})
	}
	pairs = append(pairs, pair{"attached to", t.Text(string(l.Attached))})
	if l.NUMANode != nil {
		pairs = append(pairs, pair{"NUMA node", strconv.Itoa(*l.NUMANode)})
	}
	pairs = append(pairs, pair{"link errors", join(" · ", aerText(t, l.AER), kinds(l.AER))})
	return append(pairs, kernelPairs(t, l)...)
}

// kernelPairs is how the kernel drives the link and the drive, as far as it says.
func kernelPairs(t lang.Tag, l *report.Link) []pair {
	var pairs []pair
	add := func(name, text string) {
		if text != "" {
			pairs = append(pairs, pair{name, text})
		}
	}
	add("link power saving", join(" · ", aspmText(t, l.ASPM), policyText(t, l.Kernel.ASPMPolicy)))
	add("scheduler", l.Kernel.Scheduler)
	add("write cache", l.Kernel.WriteCache)
	if l.Kernel.Queues != nil {
		add("I/O queues", strconv.Itoa(*l.Kernel.Queues))
	}
	add("latency tolerance", tolerance(t, l.Kernel.LatencyTolerance))
	switch {
	case l.Kernel.HMB == nil:
	case *l.Kernel.HMB:
		add("host memory buffer", t.Text("on"))
	default:
		add("host memory buffer", t.Text("off"))
	}
	return pairs
}

// aspmText is the power saving states of a link that are on, "" where the host
// does not say.
func aspmText(t lang.Tag, states []string) string {
	switch {
	case states == nil:
		return ""
	case len(states) == 0:
		return t.Text("ASPM off")
	}
	return "ASPM " + strings.Join(states, ", ")
}

func policyText(t lang.Tag, policy string) string {
	if policy == "" {
		return ""
	}
	return t.Textf("policy %s", policy)
}

// tolerance is the kernel's attribute with its unit where it is a number.
func tolerance(t lang.Tag, text string) string {
	if _, err := strconv.Atoi(text); err == nil {
		return t.Textf("%s µs", text)
	}
	return text
}

// kinds are the single counters of link errors that are not zero, by the names
// of the kernel.
func kinds(a *sysfs.AER) string {
	if a == nil {
		return ""
	}
	var all []string
	for _, k := range a.Kinds {
		all = append(all, fmt.Sprintf("%s %s (%s)", count(k.Count), k.Name, k.Severity))
	}
	return strings.Join(all, ", ")
}

// aerText is every counter of link errors.
func aerText(t lang.Tag, a *sysfs.AER) string {
	text := ""
	if a != nil {
		for _, c := range aerCounters(a) {
			if c.n != nil {
				text = commas(t, text, t.Textf("%s "+c.name, count(*c.n)))
			}
		}
	}
	if text == "" {
		return t.Text("not counted by this host")
	}
	return t.Textf("%s since the host started", text)
}

type counter struct {
	n    *uint64
	name string
}

func aerCounters(a *sysfs.AER) []counter {
	return []counter{{a.Correctable, "correctable"}, {a.NonFatal, "non-fatal"}, {a.Fatal, "fatal"}}
}

func (p *page) bench(s *report.Section[report.Bench]) {
	const without = "not measured"
	switch {
	case !section(p, "QD1 read benchmark", s, without):
	case s.Data.QD1Read == nil:
		p.note(without)
	default:
		p.table(benchPairs(p.lang(), s.Data.QD1Read))
	}
}
