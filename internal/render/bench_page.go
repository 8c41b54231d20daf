package render

import (
	"io"
	"slices"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/scratch"
)

// Bench writes the outcome of the bench command: what makes the figures doubtful,
// the figures, and under which conditions they came about.
func Bench(w io.Writer, b *report.BenchReport, style Style) error {
	p := &page{style: style}
	t := p.lang()
	p.banner(b.Simulated)
	p.heading(piece{Strong, b.Target.Name}, piece{Plain, t.Sentence(b.Target.Detail)}, piece{Plain, deref(b.Label, "")})
	for _, text := range benchWarnings(t, b) {
		p.labelled(Warn, "warning", text)
	}
	if b.Profile != nil || len(b.Rows) > 1 || len(b.Results) != 1 {
		p.figures(b)
	}
	if len(b.Rows) <= 1 {
		p.runs(b)
	}
	p.against(b)
	p.layers(b.Layers)
	p.copies(b.Copy)
	p.title("Conditions")
	p.table(conditionPairs(t, b))
	return p.writeTo(w)
}

// benchWarnings are all sentences that stand before the figures, each once.
func benchWarnings(t lang.Tag, b *report.BenchReport) []string {
	var list []string
	add := func(text string) {
		if text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if b.Partial {
		add(join(": ", t.Text("PARTIAL: not all runs went to their end"), t.Sentence(b.Ended)))
	}
	for _, text := range b.Warnings {
		add(t.Sentence(text))
	}
	for i := range b.Copy {
		for _, text := range b.Copy[i].Warnings {
			add(t.Sentence(text))
		}
	}
	for i := range b.Results {
		if r := &b.Results[i].Result; b.Layers == nil || !withoutDrive(r) {
			add(benchWarning(t, r))
		}
	}
	return list
}

// withoutDrive reports whether a run was one of the host alone.
func withoutDrive(r *bench.Result) bool {
	return r.Engine == bench.EngineNull || r.Engine == bench.EngineRAM
}

// benchWarning says what makes figures other than they look.
func benchWarning(t lang.Tag, r *bench.Result) string {
	switch {
	case r.Engine == bench.EngineNull:
		return t.Text("nothing was read: the null engine measures the cost of qd1 itself")
	case r.Engine == bench.EngineRAM:
		return t.Text("nothing was read: the ram engine copies memory, which is the most that this host can do")
	case r.BlankPercent != nil && *r.BlankPercent > 50:
		return t.Text("most blocks were never written: these are the figures of empty blocks, not of the medium")
	}
	return ""
}

// runs writes everything of the only run, or a line for each of several and what
// all of them have in common.
func (p *page) runs(b *report.BenchReport) {
	switch len(b.Results) {
	case 0:
	case 1:
		r := &b.Results[0]
		p.line("")
		p.line(p.paint(Strong, join(" ", r.Name, p.lang().Text(string(r.Op)))))
		p.table(runPairs(p.lang(), b, r))
	default:
		p.severalRuns(b)
	}
}

// severalRuns writes the runs of the only row.
func (p *page) severalRuns(b *report.BenchReport) {
	t := p.lang()
	p.title("The runs")
	g := &grid{columns: []column{
		{t.Text("run"), true, 0}, {"MB/s", false, 0}, {"IOPS", false, 0}, {"p50" + nbsp + "µs", false, 0}, {"p99" + nbsp + "µs", false, 2},
		{"p99.9" + nbsp + "µs", false, 3}, {t.Text("max") + nbsp + "µs", false, 1}, {"CPU" + nbsp + "µs", false, 4},
		{t.Text("start") + nbsp + "°C", false, 5},
	}}
	for i := range b.Results {
		r := &b.Results[i]
		g.rows = append(g.rows, gridRow{runCells(r), resultRemarks(t, r, "")})
	}
	p.grid(g)
	p.line("")
	p.line(p.paint(Strong, t.Text("In all runs")))
	p.table(commonPairs(t, b))
}

func runCells(r *report.BenchResult) []piece {
	l := &r.Latency
	return plainCells(count(r.Run), decimal(r.MBPerS), count(int64(r.IOPS+0.5)), cellMicros(l.P50), cellMicros(l.P99), cellMicros(l.P999), cellMicros(l.Max), cellMicros(r.CPUPerOp), startCell(r))
}

// startCell is how warm the drive was when a run began.
func startCell(r *report.BenchResult) string {
	if r.Start == nil || r.Start.Celsius == nil {
		return absent
	}
	return count(*r.Start.Celsius)
}

func plainCells(texts ...string) []piece {
	var cells []piece
	for _, text := range texts {
		cells = append(cells, piece{Plain, text})
	}
	return cells
}

func cellMicros(us *float64) string {
	if us == nil {
		return absent
	}
	return decimal(*us)
}

// commonPairs are what is the same in all runs.
func commonPairs(t lang.Tag, b *report.BenchReport) []pair {
	common := runPairs(t, b, &b.Results[0])
	for i := range b.Results[1:] {
		other := runPairs(t, b, &b.Results[i+1])
		common = slices.DeleteFunc(common, func(x pair) bool { return !slices.Contains(other, x) })
	}
	return common
}

// layers writes what each part of the way to the drive costs.
func (p *page) layers(costs []report.LayerCost) {
	if len(costs) == 0 {
		return
	}
	t := p.lang()
	p.title("Where the time goes, medians")
	g := &grid{columns: []column{{"", true, 0}, {"µs", false, 0}, {t.Text("measured by"), true, 1}}}
	for _, c := range costs {
		from := c.Engine
		if c.Without != "" {
			from = t.Textf("%s less %s", c.Engine, c.Without)
		}
		g.rows = append(g.rows, gridRow{cells: plainCells(t.Sentence(c.Layer), decimal(c.MedianUS), from)})
	}
	p.grid(g)
}

// copies writes the runs of the copy workload.
func (p *page) copies(all []scratch.CopyResult) {
	t := p.lang()
	for i := range all {
		c := &all[i]
		p.line("")
		p.heading(piece{Strong, t.Textf("%s, %s, copied %s", counted(t, c.Files, "file", "files"), size(uint64(c.Bytes)), copyWay(t, c.Direct))})
		g := &grid{columns: []column{
			{t.Text("run"), true, 0}, {"MB/s", false, 0}, {t.Text("files/s"), false, 0}, {"s", false, 0}, {t.Text("of it sync, s"), false, 2},
			{t.Text("p50 of a file, µs"), false, 3}, {t.Text("p99 of a file, µs"), false, 4}, {t.Text("from the medium"), false, 1},
		}}
		for k := range c.Runs {
			g.rows = append(g.rows, copyRow(t, k+1, &c.Runs[k]))
		}
		for _, l := range wrap(copyText(t, c), p.style.width()-len(gridIndent)) {
			p.line(gridIndent + p.paint(Dim, l))
		}
		p.grid(g)
		if c.Partial {
			p.remarks([]piece{{Warn, t.Text("PARTIAL: not all runs went to their end")}})
		}
	}
}

func copyWay(t lang.Tag, direct bool) string {
	if direct {
		return t.Text("past the page cache")
	}
	return t.Text("through the page cache")
}

func copyRow(t lang.Tag, number int, r *scratch.CopyRun) gridRow {
	medium := absent
	if r.MediumPercent != nil {
		medium = percent(round3(*r.MediumPercent))
	}
	row := gridRow{cells: plainCells(count(number), decimal(r.MBPerS), decimal(r.FilesPerS), decimal(r.Seconds), decimal(r.SyncSeconds), cellMicros(r.Latency.P50), cellMicros(r.Latency.P99), medium)}
	if r.Partial {
		row.remarks = []piece{{Warn, t.Textf("PARTIAL: %s, %s were copied", counted(t, r.Files, "file", "files"), size(uint64(r.Bytes)))}}
	}
	return row
}

// copyText is how files were copied.
func copyText(t lang.Tag, c *scratch.CopyResult) string {
	when := map[scratch.Sync]string{
		scratch.SyncEnd: t.Text("synced at the end"), scratch.SyncFile: t.Text("each file synced"), scratch.SyncNone: t.Text("not synced"),
	}[c.Sync]
	if when == "" {
		when = string(c.Sync)
	}
	return join(" · ", t.Textf("sizes %s", t.Text(string(c.Preset))), t.Textf("blocks of %s", blockSize(t, c.BlockBytes)), counted(t, c.Workers, "worker", "workers"), when,
		join(" ", c.Filesystem.Type, c.Filesystem.Source), t.Textf("made in %s", seconds(round3(c.FillSeconds))), t.Textf("%s written in all", size(uint64(c.BytesWritten))))
}
