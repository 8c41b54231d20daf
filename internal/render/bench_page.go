package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/scratch"
)

// Bench writes the outcome of the bench command as text.
func Bench(w io.Writer, b *report.BenchReport, style Style) error {
	p := &page{style: style}
	p.banner(b.Simulated)
	p.heading(piece{Strong, b.Target.Name}, piece{Plain, b.Target.Detail}, piece{Plain, deref(b.Label, "")})
	for _, text := range b.Warnings {
		p.labelled(Warn, "warning", p.lang().Sentence(text))
	}
	if b.Profile != nil || len(b.Rows) > 1 {
		p.figures(b)
	} else {
		p.runs(b)
	}
	p.layers(b.Layers)
	p.copies(b.Copy)
	p.title("Conditions")
	p.table(conditionPairs(p.lang(), b))
	return p.writeTo(w)
}

// runs writes everything of each run.
func (p *page) runs(b *report.BenchReport) {
	for i := range b.Results {
		r := &b.Results[i].Result
		run := ""
		if len(b.Results) > 1 {
			run = p.lang().Textf(", run %d of %d", i+1, len(b.Results))
		}
		p.title(fmt.Sprintf("%s %s%s", r.Name, p.lang().Text(string(r.Op)), run))
		p.labelled(Warn, "warning", benchWarning(p.lang(), r))
		p.table(benchPairs(p.lang(), r))
	}
	if len(b.Results) > 1 {
		p.figures(b)
	}
}

// figures writes a line for each row.
func (p *page) figures(b *report.BenchReport) {
	title := p.lang().Text("Figures")
	if b.Profile != nil {
		title = b.Profile.Title
	}
	p.line("")
	p.line(p.paint(Strong, title))
	rows := [][]string{{"", "MB/s", "IOPS", "µs", "p99 µs", "p99.9 µs", p.lang().Text("RATED"), p.lang().Text("RUNS")}}
	for i := range b.Rows {
		rows = append(rows, figureCells(p.lang(), &b.Rows[i]))
	}
	p.grid(rows)
	for i := range b.Rows {
		if s := b.Rows[i].Sustained; s != nil {
			p.labelled(Strong, "sustained", sustainedText(p.lang(), s))
		}
	}
	if b.Profile == nil {
		return
	}
	for _, s := range b.Profile.Skipped {
		p.labelled(Dim, "left out", join(": ", s.Label, s.Reason))
	}
}

// grid writes cells in columns, all but the first one to the right. What does
// not fit into the width goes on below.
func (p *page) grid(rows [][]string) {
	widths := columnWidths(rows)
	for i, cells := range rows {
		role := Plain
		if i == 0 {
			role = Dim
		}
		line := ""
		for c, cell := range cells {
			space := pad(cell, widths[c])
			if c == 0 {
				line += p.paint(role, cell) + space
			} else {
				line += "  " + space + p.paint(role, cell)
			}
		}
		p.line("  " + line)
	}
}

func figureCells(t lang.Tag, r *report.BenchRow) []string {
	f := r.Figure
	if f == nil {
		return []string{r.Label, absent, absent, absent, absent, absent, absent, t.Text("not measured")}
	}
	rated := absent
	if r.Rated != nil {
		rated = percent(round3(r.Rated.Percent))
	}
	return []string{r.Label, decimal(f.MBPerS), count(int64(f.IOPS + 0.5)), cellMicros(f.LatencyUS), cellMicros(f.P99US), cellMicros(f.P999US), rated, runsText(t, f)}
}

func cellMicros(us *float64) string {
	if us == nil {
		return absent
	}
	return decimal(*us)
}

func runsText(t lang.Tag, f *profile.Figure) string {
	text := strconv.Itoa(f.Runs)
	if f.Runs > 1 {
		text = t.Textf("%s of %d", t.Text(string(f.Pick)), f.Runs)
	}
	if f.Partial {
		text += " " + t.Text("PARTIAL")
	}
	return text
}

func sustainedText(t lang.Tag, s *profile.Sustained) string {
	text := t.Textf("highest %s, mean %s, lowest %s MB/s over %d s", decimal(s.MaxMBPerS), decimal(s.MeanMBPerS), decimal(s.MinMBPerS), s.Seconds)
	if s.Onset == nil {
		return text + t.Text("; no lasting drop")
	}
	return text + t.Textf("; after %d s it dropped for good, from %s to %s MB/s (%s)", s.Onset.Second, decimal(s.Onset.BeforeMBPerS), decimal(s.Onset.AfterMBPerS), percent(s.Onset.DropPercent))
}

// layers writes what each part of the way costs.
func (p *page) layers(costs []report.LayerCost) {
	if len(costs) == 0 {
		return
	}
	p.title("Where the time goes, medians")
	for _, c := range costs {
		from := c.Engine
		if c.Without != "" {
			from = p.lang().Textf("%s less %s", c.Engine, c.Without)
		}
		p.labelled(Plain, micros(round3(c.MedianUS)), join(" · ", p.lang().Text(c.Layer), from))
	}
}

// copies writes the runs of the copy workload.
func (p *page) copies(all []scratch.CopyResult) {
	for i := range all {
		c := &all[i]
		way := p.lang().Text("through the page cache")
		if c.Direct {
			way = p.lang().Text("past the page cache")
		}
		p.title(p.lang().Textf("%s files, %s, copied %s", count(c.Files), size(uint64(c.Bytes)), way))
		rows := [][]string{{p.lang().Text("run"), "MB/s", p.lang().Text("files/s"), "s", p.lang().Text("of them sync, s"), "p50 µs", "p99 µs"}}
		for k, r := range c.Runs {
			number := strconv.Itoa(k + 1)
			if r.Partial {
				number += " " + p.lang().Text("PARTIAL")
			}
			rows = append(rows, []string{number, decimal(r.MBPerS), decimal(r.FilesPerS), decimal(r.Seconds), decimal(r.SyncSeconds), cellMicros(r.Latency.P50), cellMicros(r.Latency.P99)})
		}
		p.grid(rows)
		for _, text := range c.Warnings {
			p.labelled(Warn, "warning", p.lang().Sentence(text))
		}
	}
}

func conditionPairs(t lang.Tag, b *report.BenchReport) []pair {
	c := &b.Conditions
	return []pair{
		{"target", commas(t, b.Target.Path, sizeBoth(t, uint64(b.Target.Bytes)), blocksOf(t, b.Target.BlockBytes))},
		{"made by", join(" ", b.Tool.Name, b.Tool.Version)},
		{"time", b.Time},
		{"kernel", commas(t, deref(c.Kernel, ""), c.Arch)},
		{"processor", processorText(t, &c.Host)},
		{"CPU wake-up", heldWord(t, c.CPULatencyHeld)},
		{"own cost", ownCost(t, b.SelfUS)},
		{"block device", blockText(t, c.Block)},
		{"file system", fileSystemText(c.Filesystem)},
		{"blank blocks", blankText(t, c.Blank)},
		{"temperature", temperatureText(t, c)},
		{"meanwhile", join("; ", changesOf(c.Changes)...)},
		{"wrote", writtenText(t, b)},
	}
}

func blocksOf(t lang.Tag, bytes int) string {
	if bytes == 0 {
		return ""
	}
	return t.Textf("blocks of %s", exactly(t, bytes))
}

// ownCost is what the program adds to each operation.
func ownCost(t lang.Tag, us *float64) string {
	if us == nil {
		return ""
	}
	return t.Textf("%s of qd1 itself in each operation", micros(round3(*us)))
}

func processorText(t lang.Tag, h *conditions.Host) string {
	cpus := ""
	if h.CPUs != nil {
		cpus = counted(t, *h.CPUs, "CPU", "CPUs")
	}
	virtual := ""
	if h.Virtualised != nil && *h.Virtualised {
		virtual = t.Text("virtual machine")
	}
	return commas(t, orUnknown(t, deref(h.CPUModel, "")), cpus, t.Textf("governor %s", deref(h.Governor, t.Text("not shown by this host"))), virtual)
}

func blockText(t lang.Tag, b *conditions.Block) string {
	if b == nil {
		return ""
	}
	cache := ""
	if b.WriteCache != nil {
		cache = t.Textf("write cache %s", *b.WriteCache)
	}
	queues := ""
	if b.HardwareQueues != nil {
		queues = counted(t, *b.HardwareQueues, "hardware queue", "hardware queues")
	}
	lane := ""
	if b.NVMe != nil && b.NVMe.Link != nil {
		lane = prefixed("PCIe ", link(t, b.NVMe.Link.SpeedGTs, b.NVMe.Link.Width))
	}
	return commas(t, b.Device, join(" ", b.Kind, deref(b.Level, "")), t.Textf("scheduler %s", deref(b.Scheduler, t.Text("none"))), queues, cache, lane)
}

func fileSystemText(f *conditions.FileSystem) string {
	if f == nil {
		return ""
	}
	return join(" · ", f.Type, f.MountPoint, f.Source)
}

func blankText(t lang.Tag, b *scratch.Blank) string {
	if b == nil || b.Percent == nil {
		return ""
	}
	text := t.Textf("%s of %s samples", percent(round3(*b.Percent)), count(b.Samples))
	if b.CI95 != nil {
		text += t.Textf(", %s to %s with 95 %% confidence", percent(round3(b.CI95[0])), percent(round3(b.CI95[1])))
	}
	return text
}

// temperatureText is the composite temperature at the start and the highest one
// that was read.
func temperatureText(t lang.Tag, c *report.Conditions) string {
	if c.Before == nil || c.Before.Health == nil || c.Before.Health.Celsius == nil {
		return ""
	}
	highest := c.Before.Health.Celsius
	for _, x := range c.Temperatures {
		if x.Value.Celsius != nil && *x.Value.Celsius > *highest {
			highest = x.Value.Celsius
		}
	}
	if c.After != nil && c.After.Health != nil && c.After.Health.Celsius != nil && *c.After.Health.Celsius > *highest {
		highest = c.After.Health.Celsius
	}
	return t.Textf("%s before, highest %s", celsius(t, c.Before.Health.Celsius), celsius(t, highest))
}

func changesOf(c *conditions.Changes) []string {
	if c == nil {
		return nil
	}
	return c.Facts
}

// writtenText is what the measurement wrote to the target.
func writtenText(t lang.Tag, b *report.BenchReport) string {
	total := int64(0)
	for i := range b.Results {
		total += b.Results[i].BytesWritten
	}
	if b.Precondition != nil {
		total += b.Precondition.BytesWritten
	}
	if total == 0 {
		return ""
	}
	return t.Textf("%s, the runs that do not count left out", size(uint64(total)))
}

// Profiles writes the list of profiles.
func Profiles(w io.Writer, all []*profile.Profile, style Style) error {
	p := &page{style: style.english()}
	for _, x := range all {
		p.heading(piece{Strong, x.ID()}, piece{Plain, x.Title})
		p.note(x.Description)
		var rows []string
		for _, r := range x.Rows {
			rows = append(rows, r.Label())
		}
		if len(rows) > 12 {
			rows = append(rows[:12], "…")
		}
		p.note(strings.Join(rows, " · "))
	}
	p.heading(piece{Strong, "copy"}, piece{Plain, "files copied within a directory"})
	return p.writeTo(w)
}
