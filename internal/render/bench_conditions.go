package render

import (
	"slices"
	"strings"

	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/scratch"
)

// conditionPairs are what figures depend on beside the drive.
func conditionPairs(t lang.Tag, b *report.BenchReport) []pair {
	c := &b.Conditions
	return slices.Concat([]pair{
		{"target", targetText(t, b)},
		{"engines", enginesText(t, b)},
	}, protocolPairs(t, b), []pair{
		{"own cost", ownCost(t, b.SelfUS)},
		{"prepared", preparedText(t, b.Precondition)},
		{"written", writtenText(t, b)},
		{"temperature", temperatureText(t, c)},
		{"drive", driveStateText(t, c.Before)},
		{"meanwhile", factsText(t, c.Changes)},
		{"not read", problemsText(t, c)},
		{"blank blocks", blankText(t, c.Blank)},
		{"block device", blockText(t, c.Block)},
		{"file system", fileSystemText(c.Filesystem)},
		{"lies in", extentsText(t, c.Extents)},
		{"processor", processorText(t, &c.Host)},
		{"CPU wake-up", wakeUpText(t, b)},
		{"supply", supplyText(t, c.OnMains)},
		{"load", loadText(t, c.LoadAverage)},
		{"kernel", kernelText(t, &c.Host)},
		{"made by", join(" ", b.Tool.Name, b.Tool.Version)},
		{"time", b.Time},
	})
}

func targetText(t lang.Tag, b *report.BenchReport) string {
	x, bytes, blocks, namespace := &b.Target, "", "", ""
	if x.Bytes > 0 {
		bytes = sizeBoth(t, uint64(x.Bytes))
	}
	if x.BlockBytes > 0 {
		blocks = t.Textf("blocks of %s", exactly(t, x.BlockBytes))
	}
	if x.NSID > 0 {
		namespace = t.Textf("namespace"+nbsp+"%d", x.NSID)
	}
	return commas(t, x.Path, bytes, blocks, namespace, x.Generic)
}

// enginesText names the engines with what they use of the kernel, and then how
// requests were submitted, where the page does not show each run.
func enginesText(t lang.Tag, b *report.BenchReport) string {
	if len(b.Rows) <= 1 {
		return ""
	}
	var engines, submitted []string
	for i := range b.Results {
		r := &b.Results[i].Result
		name := r.Engine
		if len(r.EngineFlags) > 0 {
			name += " (" + commas(t, flagTexts(t, r.EngineFlags)...) + ")"
		}
		if !slices.Contains(engines, name) {
			engines = append(engines, name)
		}
		if how := submission(t, r.Submission); how != "" && !slices.Contains(submitted, how) {
			submitted = append(submitted, how)
		}
	}
	return join(semicolon(t), commas(t, engines...), commas(t, submitted...))
}

// ownCost is what qd1 adds to each operation.
func ownCost(t lang.Tag, us *float64) string {
	if us == nil {
		return ""
	}
	return t.Textf("%s of each operation are qd1's own", micros(*us))
}

// preparedText is what was written before the measurement.
func preparedText(t lang.Tag, p *scratch.Preconditioned) string {
	if p == nil {
		return ""
	}
	rounds, partial := "", ""
	if n := len(p.Rounds); n > 0 {
		rounds = counted(t, n, "round of random writes", "rounds of random writes") + comma(t) + t.Text("not steady")
		if p.Steady {
			rounds = counted(t, n, "round of random writes", "rounds of random writes") + comma(t) + t.Text("steady")
		}
	}
	if p.Partial {
		partial = t.Text("PARTIAL")
	}
	return commas(t, string(p.Mode), t.Textf("wrote %s", size(uint64(p.BytesWritten))), rounds, partial)
}

// writtenText is what the measurement wrote to the target, the runs that do not
// count left out.
func writtenText(t lang.Tag, b *report.BenchReport) string {
	total := int64(0)
	for i := range b.Results {
		total += b.Results[i].BytesWritten
	}
	if total == 0 || len(b.Results) == 1 {
		return ""
	}
	return t.Textf("%s by the runs above", size(uint64(total)))
}

// blankText is what samples of a device show.
func blankText(t lang.Tag, b *scratch.Blank) string {
	if b == nil || b.Percent == nil {
		return ""
	}
	text := t.Textf("%s of %s samples", percent(round3(*b.Percent)), count(b.Samples))
	if b.CI95 != nil {
		text += comma(t) + t.Textf("95 %% confidence: %s", between(*b.CI95)+nbsp+"%")
	}
	if b.Failed > 0 {
		text += comma(t) + t.Textf("%s could not be read", count(b.Failed))
	}
	if b.BlankMedianUS != nil && b.DataMedianUS != nil {
		text += comma(t) + t.Textf("answered in %s, others in %s", micros(*b.BlankMedianUS), micros(*b.DataMedianUS))
	}
	return text
}

// blockText is what the kernel does above the drive.
func blockText(t lang.Tag, b *conditions.Block) string {
	if b == nil {
		return ""
	}
	queues, cache := "", ""
	if b.HardwareQueues != nil {
		queues = counted(t, *b.HardwareQueues, "hardware queue", "hardware queues")
	}
	if b.WriteCache != nil {
		cache = t.Textf("write cache %s", *b.WriteCache)
	}
	return commas(t, b.Device, join(" ", b.Kind, deref(b.Level, "")), loopText(t, b.Loop), membersText(t, b.Members),
		t.Textf("scheduler %s", deref(b.Scheduler, t.Text("none"))), queues, cache, nvmeText(t, b.NVMe))
}

func loopText(t lang.Tag, l *conditions.Loop) string {
	if l == nil {
		return ""
	}
	direct := ""
	if l.Direct != nil && !*l.Direct {
		direct = t.Text("through the page cache")
	}
	return join(" ", t.Textf("on %s", deref(l.BackingFile, t.Text("unknown"))), direct)
}

func membersText(t lang.Tag, members []conditions.Block) string {
	var names []string
	for i := range members {
		names = append(names, members[i].Device)
	}
	if len(names) == 0 {
		return ""
	}
	return t.Textf("made of %s", strings.Join(names, " "))
}

// nvmeText is the link of the drive and what may let it sleep or slow it down.
func nvmeText(t lang.Tag, n *conditions.NVMe) string {
	if n == nil {
		return ""
	}
	lane := ""
	if n.Link != nil {
		lane = prefixed("PCIe ", linkOf(t, n.Link.SpeedGTs, n.Link.Width, n.Link.MaxSpeedGTs, n.Link.MaxWidth))
	}
	aspm := deref(n.Policy, "")
	if n.States != nil {
		aspm = orNone(t, strings.Join(n.States, " "))
	}
	return commas(t, lane, prefixed("ASPM ", aspm), prefixed("IOMMU ", deref(n.IOMMU, "")))
}

func orNone(t lang.Tag, s string) string {
	if s == "" {
		return t.Text("off")
	}
	return s
}

func fileSystemText(f *conditions.FileSystem) string {
	if f == nil {
		return ""
	}
	return join(" · ", f.Type, f.MountPoint, f.Source)
}

// extentsText is where a file lies, and how much of it the medium is not asked
// for.
func extentsText(t lang.Tag, e *scratch.Extents) string {
	if e == nil || e.Method == scratch.MethodNone {
		return ""
	}
	pieces, untouched := "", ""
	if e.Method == scratch.MethodFiemap {
		pieces = t.Textf("%s, %s", counted(t, e.Count, "extent", "extents"), counted(t, e.Fragments, "piece", "pieces"))
	}
	if e.UntouchedPercent != nil {
		untouched = t.Textf("%s of it read without the medium", percent(round3(*e.UntouchedPercent)))
	}
	return commas(t, pieces, untouched)
}

func processorText(t lang.Tag, h *conditions.Host) string {
	cpus, virtual := "", ""
	if h.CPUs != nil {
		cpus = counted(t, *h.CPUs, "CPU", "CPUs")
	}
	if h.Virtualised != nil && *h.Virtualised {
		virtual = t.Text("virtual machine")
	}
	return commas(t, orUnknown(t, deref(h.CPUModel, "")), cpus, t.Textf("governor %s", deref(h.Governor, t.Text("not shown by this host"))),
		prefixed(t.Text("preference "), deref(h.Preference, "")), onOff(t, "turbo", h.Turbo), onOff(t, "SMT", h.SMT), virtual)
}

// onOff says of a switch how it stands, "" if that is not known.
func onOff(t lang.Tag, name string, on *bool) string {
	switch {
	case on == nil:
		return ""
	case *on:
		return t.Textf("%s on", t.Text(name))
	}
	return t.Textf("%s off", t.Text(name))
}

// wakeUpText is what keeps the processor awake, and how deep it sleeps if
// nothing does. Copying files does not try.
func wakeUpText(t lang.Tag, b *report.BenchReport) string {
	c := &b.Conditions
	if len(b.Copy) > 0 && len(b.Results) == 0 {
		return ""
	}
	text := heldWord(t, c.CPULatencyHeld)
	for _, s := range slices.Backward(c.IdleStates) {
		if !c.CPULatencyHeld && !s.Disabled && s.ExitUS != nil {
			return commas(t, text, t.Textf("deepest idle state %s, %s to wake up", s.Name, micros(float64(*s.ExitUS))))
		}
	}
	return text
}

func supplyText(t lang.Tag, mains *bool) string {
	switch {
	case mains == nil:
		return ""
	case *mains:
		return t.Text("mains")
	}
	return t.Text("BATTERY, which may slow the computer down")
}

// loadText is how much else the computer had to do.
func loadText(t lang.Tag, averages []float64) string {
	var list []string
	for _, v := range averages {
		list = append(list, decimal(v))
	}
	if len(list) == 0 {
		return ""
	}
	return t.Textf("%s tasks over 1, 5 and 15 min", strings.Join(list, comma(t)))
}

func kernelText(t lang.Tag, h *conditions.Host) string {
	clock := ""
	if h.ClockSource != nil && *h.ClockSource != "tsc" {
		clock = t.Textf("clock source %s", *h.ClockSource)
	}
	mitigations := ""
	if h.Mitigations != nil {
		mitigations = t.Textf("mitigations %s", t.Text(*h.Mitigations))
	}
	return commas(t, deref(h.Kernel, ""), h.Arch, mitigations, clock, strings.Join(h.KernelParameters, " "))
}

// heldWord says whether the processor was kept awake.
func heldWord(t lang.Tag, held bool) string {
	if held {
		return t.Text("kept fast: /dev/cpu_dma_latency held at 0 µs")
	}
	return t.Text("as found: /dev/cpu_dma_latency could not be held at 0 µs, which needs root")
}
