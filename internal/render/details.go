package render

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// details writes everything below the fold.
func (p *page) details(r *report.Report) {
	p.title("Drive")
	p.table(drivePairs(&r.Drive))
	p.smart(r)
	p.endurance(r.Endurance)
	p.firmware(&r.Firmware)
	p.errors(&r.Errors)
	p.link(&r.Link)
	p.bench(&r.Bench)
	p.namespaces(&r.Namespaces)
	p.controller(&r.IdentifyController)
	p.title("Verdict in full")
	for _, f := range r.Verdict.Findings {
		p.labelled(severityRole(f.Severity), string(f.Severity), fmt.Sprintf("%s [%s: %s]", f.Text, f.Rule, f.Evidence))
	}
	p.title("This report")
	p.table(reportPairs(r))
}

func drivePairs(d *report.Identity) []pair {
	return []pair{
		{"model", withHex(d.Model, d.ModelHex)},
		{"marketing name", deref(d.MarketingName, "not in the drive database")},
		{"serial", withHex(d.Serial, d.SerialHex)},
		{"firmware", withHex(d.Firmware, d.FirmwareHex)},
		{"selected by", join(" · ", d.Selector, d.Note)},
		{"controller", join(", ", d.Controller, d.Transport, d.State, d.Subsystem)},
		{"PCI", pciText(d.PCI)},
	}
}

func withHex(s, hex string) string {
	if hex == "" {
		return s
	}
	return s + " (bytes " + hex + ")"
}

func pciText(c *report.PCI) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s, vendor:device %04x:%04x, subsystem %04x:%04x", c.Address, c.VendorID, c.DeviceID, c.SubsystemVendorID, c.SubsystemDeviceID)
}

func reportPairs(r *report.Report) []pair {
	f := r.Footprint
	added := "not known"
	if f.ErrorLogEntriesAdded != nil {
		added = strconv.FormatInt(*f.ErrorLogEntriesAdded, 10)
	}
	return []pair{
		{"made by", fmt.Sprintf("%s %s, %s", r.Tool.Name, r.Tool.Version, r.Schema)},
		{"time", r.Time.Format("2006-01-02 15:04:05 MST")},
		{"host", join(", ", r.Host.Kernel, r.Host.Arch)},
		{"footprint", fmt.Sprintf("%d commands sent, %d refused by the drive, %s entries added to its error log meanwhile", f.Commands, f.Refused, added)},
	}
}

func (p *page) smart(r *report.Report) {
	p.title("SMART / Health log")
	if r.SMART.Problem != nil {
		p.problem(r.SMART.Problem)
		return
	}
	p.table(smartPairs(r.SMART.Data))
}

func smartPairs(s *report.SMART) []pair {
	w := s.CriticalWarning
	return []pair{
		{"critical warning", warningText(w)},
		{"temperature", join(", ", celsius(s.CompositeTemperatureCelsius), kelvinText(s.CompositeTemperatureKelvin), sensorText(s.TemperatureSensorsCelsius))},
		{"limits", fmt.Sprintf("warning %s, critical %s", celsius(s.WarningThresholdCelsius), celsius(s.CriticalThresholdCelsius))},
		{"over limits", fmt.Sprintf("%s min above warning, %s min above critical", count(s.WarningTemperatureMinutes), count(s.CriticalTemperatureMinutes))},
		{"throttling", fmt.Sprintf("level 1: %s times, %s s; level 2: %s times, %s s", count(s.ThermalManagement.TMT1Transitions), count(s.ThermalManagement.TMT1Seconds),
			count(s.ThermalManagement.TMT2Transitions), count(s.ThermalManagement.TMT2Seconds))},
		{"spare", fmt.Sprintf("%d %%, limit %d %%", s.AvailableSparePercent, s.SpareThresholdPercent)},
		{"percentage used", usedText(s.PercentageUsedPercent)},
		{"endurance groups", groupWarning(s.EnduranceGroupWarning)},
		{"written", fmt.Sprintf("%s (%s data units of 512"+nbsp+"000 bytes)", sizeBig(s.BytesWritten), count128(s.DataUnitsWritten))},
		{"read", fmt.Sprintf("%s (%s data units)", sizeBig(s.BytesRead), count128(s.DataUnitsRead))},
		{"commands", fmt.Sprintf("%s reads, %s writes", count128(s.HostReadCommands), count128(s.HostWriteCommands))},
		{"busy", count128(s.ControllerBusyMinutes) + " min"},
		{"power cycles", count128(s.PowerCycles)},
		{"powered on", count128(s.PowerOnHours) + " h"},
		{"unsafe shutdowns", count128(s.UnsafeShutdowns)},
		{"media errors", count128(s.MediaErrors)},
		{"error log entries", count128(s.ErrorLogEntries)},
	}
}

func kelvinText(k *int) string {
	if k == nil {
		return ""
	}
	return strconv.Itoa(*k) + " K"
}

func usedText(percent int) string {
	if percent == 255 {
		return "255 % or more, by the drive's own estimate"
	}
	return fmt.Sprintf("%d %%, by the drive's own estimate", percent)
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
	p.title("Firmware slots")
	if s.Problem != nil {
		p.problem(s.Problem)
		return
	}
	p.table(firmwarePairs(s.Data))
}

func firmwarePairs(f *report.Firmware) []pair {
	pairs := []pair{{"running from", fmt.Sprintf("slot %d", f.ActiveSlot)}, {"after a reset", nextSlot(f)}}
	for _, s := range f.Slots {
		pairs = append(pairs, pair{fmt.Sprintf("slot %d", s.Slot), deref(s.Revision, "empty")})
	}
	if f.Update != nil {
		pairs = append(pairs, pair{"updates", updateText(f.Update)})
	}
	return pairs
}

func nextSlot(f *report.Firmware) string {
	if f.NextSlot == nil {
		return notReported
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
	return join(", ", fmt.Sprintf("%d slot(s)", u.Slots), readOnly, activation, granularity(u.GranularityBytes))
}

func granularity(bytes *int) string {
	switch {
	case bytes == nil:
		return "granularity " + notReported
	case *bytes == 0:
		return "pieces of any size"
	}
	return fmt.Sprintf("pieces of %s bytes", count(*bytes))
}

func (p *page) errors(s *report.Section[report.Errors]) {
	p.title("Error log")
	if s.Problem != nil {
		p.problem(s.Problem)
		return
	}
	if len(s.Data.Entries) == 0 {
		p.line("  no entries (drives lose them at a power cycle or reset, the counter stays)")
		return
	}
	for _, g := range s.Data.Groups {
		p.labelled(Plain, fmt.Sprintf("%d ×", g.Entries), groupText(&g))
	}
	p.line("")
	for i := range s.Data.Entries {
		p.labelled(Dim, fmt.Sprintf("#%d", s.Data.Entries[i].ErrorCount), entryText(&s.Data.Entries[i]))
	}
}

func groupText(g *smart.ErrorGroup) string {
	text := fmt.Sprintf("%s (0x%03x), %s", g.Status, uint16(g.StatusCode), g.Category)
	if g.NSID != 0 && g.NSID != nvme.BroadcastNSID {
		text += fmt.Sprintf(", namespace %d", g.NSID)
	}
	if g.LBAMin != nil && g.LBAMax != nil {
		text += fmt.Sprintf(", LBA %s to %s", count(*g.LBAMin), count(*g.LBAMax))
	}
	return text
}

func entryText(e *report.ErrorEntry) string {
	return join(", ",
		fmt.Sprintf("%s (status 0x%04x, phase %d)", e.StatusText, e.Status, e.StatusInfo.Phase()),
		fmt.Sprintf("queue %d command %d", e.SQID, e.CID),
		fmt.Sprintf("LBA %d", e.LBA), fmt.Sprintf("namespace %d", e.NSID),
		fmt.Sprintf("parameter 0x%04x", e.ParameterErrorLocation),
		nonZero("opcode 0x%02x", uint64(e.Opcode)), nonZero("command set %d", uint64(e.CSI)),
		nonZero("vendor log 0x%02x", uint64(e.VSIA)), nonZero("transport %d", uint64(e.TRTYPE)),
		nonZero("command specific 0x%x", e.CommandSpecific), nonZero("transport specific 0x%x", uint64(e.TTSI)),
		nonZero("log page version %d", uint64(e.LPVER)))
}

func nonZero(format string, v uint64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf(format, v)
}

func (p *page) link(s *report.Section[report.Link]) {
	p.title("PCI Express link")
	if s.Problem != nil {
		p.problem(s.Problem)
		return
	}
	if s.Data == nil {
		p.line("  this drive is not on PCI Express, or the host does not show its link")
		return
	}
	p.table(linkPairs(s.Data))
}

func linkPairs(l *report.Link) []pair {
	pairs := []pair{
		{"drive", fmt.Sprintf("%s, at most %s", link(l.SpeedGTs, l.Width), link(l.MaxSpeedGTs, l.MaxWidth))},
	}
	for _, x := range l.Path {
		pairs = append(pairs, pair{"port " + x.Address, fmt.Sprintf("%s, at most %s", link(x.SpeedGTs, x.Width), link(x.MaxSpeedGTs, x.MaxWidth))})
	}
	pairs = append(pairs, pair{"attached to", l.Attached})
	if l.NUMANode != nil {
		pairs = append(pairs, pair{"NUMA node", strconv.Itoa(*l.NUMANode)})
	}
	if l.AER != nil {
		pairs = append(pairs, pair{"link errors", aerText(l.AER)})
	}
	return pairs
}

func aerText(a *report.AER) string {
	var parts []string
	for _, c := range []struct {
		n    *uint64
		name string
	}{{a.Correctable, "correctable"}, {a.Nonfatal, "non-fatal"}, {a.Fatal, "fatal"}} {
		if c.n != nil {
			parts = append(parts, count(*c.n)+" "+c.name)
		}
	}
	return strings.Join(parts, ", ")
}

func (p *page) bench(s *report.Section[report.Bench]) {
	p.title("QD1 read latency")
	switch {
	case s.Problem != nil:
		p.problem(s.Problem)
	case s.Data == nil:
		p.line("  not measured")
	default:
		p.table(benchPairs(s.Data.QD1Read))
	}
}

func (p *page) namespaces(s *report.Section[[]report.Namespace]) {
	if s.Problem != nil {
		p.title("Namespaces")
		p.problem(s.Problem)
		return
	}
	for i := range *s.Data {
		n := &(*s.Data)[i]
		p.title(fmt.Sprintf("Namespace %d", n.NSID))
		if n.Problem != nil {
			p.problem(n.Problem)
			continue
		}
		p.table(namespacePairs(n))
		p.columns(fields(n.Fields, "nguid", "eui64"))
	}
}

func namespacePairs(n *report.Namespace) []pair {
	return []pair{
		{"size", fmt.Sprintf("%s bytes (%s)", count(n.SizeBytes), size(n.SizeBytes))},
		{"capacity", count(n.CapacityBytes) + " bytes"},
		{"in use", count(n.UtilizationBytes) + " bytes by the drive's count"},
		{"block format", fmt.Sprintf("%d: %s", n.LBAFormatIndex, formatText(n.LBAFormat))},
		{"formats", formatList(n.LBAFormats)},
		{"devices", join(", ", deref(n.Block, ""), deref(n.Generic, ""), strings.Join(n.Partitions, ", "))},
		{"EUI-64", n.EUI64.String()},
		{"NGUID", n.NGUID.String()},
		{"UUID", n.UUID.String()},
	}
}

func formatText(f report.LBAFormat) string {
	return fmt.Sprintf("%s bytes of data, %d of metadata, relative performance %d", count(f.DataBytes), f.MetadataBytes, f.RelativePerformance)
}

func formatList(list []report.LBAFormat) string {
	var parts []string
	for i, f := range list {
		parts = append(parts, fmt.Sprintf("%d: %d+%d (performance %d)", i, f.DataBytes, f.MetadataBytes, f.RelativePerformance))
	}
	return strings.Join(parts, ", ")
}

func (p *page) controller(s *report.Section[report.IdentifyController]) {
	p.title("Identify Controller")
	if s.Problem != nil {
		p.problem(s.Problem)
		return
	}
	p.columns(fields(s.Data.IdentifyController, "sn", "mn", "fr", "subnqn", "fguid"))
	p.table([]pair{{"subnqn", s.Data.SUBNQN.String()}, {"fguid", s.Data.FGUID.String()}})
	p.table(powerPairs(s.Data.PowerStates))
}

func powerPairs(list []nvme.PowerState) []pair {
	var pairs []pair
	for i := range list {
		s := &list[i]
		if s.MaxPower == 0 && s.EntryLatency == 0 && s.ExitLatency == 0 && s.IdlePower == 0 && s.ActivePower == 0 {
			continue
		}
		operational := "operational"
		if s.NonOperational() {
			operational = "non-operational"
		}
		pairs = append(pairs, pair{fmt.Sprintf("power state %d", i), join(", ",
			fmt.Sprintf("%s W at most", strconv.FormatFloat(s.MaxMilliwatts()/1000, 'f', -1, 64)), operational,
			fmt.Sprintf("entry %d µs, exit %d µs", s.EntryLatency, s.ExitLatency),
			fmt.Sprintf("relative rrt %d rrl %d rwt %d rwl %d", s.RRT, s.RRL, s.RWT, s.RWL),
			nonZero("idle power %d", uint64(s.IdlePower)), nonZero("scale 0x%02x", uint64(s.IdleScale)),
			nonZero("active power %d", uint64(s.ActivePower)), nonZero("scale 0x%02x", uint64(s.ActiveScale)))})
	}
	return pairs
}

// fields lists the fields of a structure by their JSON names, in the order of
// the structure, without those that are shown elsewhere.
func fields(v any, except ...string) []pair {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var values map[string]json.RawMessage
	if json.Unmarshal(b, &values) != nil {
		return nil
	}
	for _, name := range except {
		delete(values, name)
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	text := string(b)
	sort.Slice(names, func(i, j int) bool {
		return strings.Index(text, `"`+names[i]+`":`) < strings.Index(text, `"`+names[j]+`":`)
	})
	pairs := make([]pair, len(names))
	for i, name := range names {
		pairs[i] = pair{name, fieldText(name, string(values[name]))}
	}
	return pairs
}

// bitFields are the fields of Identify that are sets of bits or identifiers.
const bitFields = " vid ssvid cmic ver oaes ctratt rrls nvmsr vwci mec oacs frmw lpa avscc apsta rpmbs dsto hctma sanicap anacap " +
	"sqes cqes oncs fuses fna vwc icsvscc nwpc ocfs sgls fcatt ofcs cntlid nsfeat flbas mc dpc dps nmic rescap fpi dlfeat nsattr "

func fieldText(name, value string) string {
	if n, err := strconv.ParseUint(value, 10, 64); err == nil && strings.Contains(bitFields, " "+name+" ") {
		return fmt.Sprintf("0x%x", n)
	}
	return strings.Trim(value, `"`)
}
