package render

import (
	"fmt"
	"io"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/report"
)

// latencyLine is the latency that people feel.
func latencyLine(r *bench.Result) string {
	return partial(r) + fmt.Sprintf("QD%d %s, %s %s: ", r.QueueDepth, r.Op, blockSize(r.BlockBytes), r.Pattern) + percentiles(" · ", latencies(&r.Latency)[2:])
}

// rateLine is what goes with it.
func rateLine(r *bench.Result) string {
	return join(" · ", with(int64(r.IOPS+0.5), "IOPS"), decimal(r.MBPerS)+nbsp+"MB/s", cpuCost(r), held(r), blank(r), failures(r))
}

type figure struct {
	name string
	us   *float64
}

func latencies(l *bench.Latency) []figure {
	return []figure{{"min", l.Min}, {"mean", l.Mean}, {"p50", l.P50}, {"p90", l.P90}, {"p99", l.P99},
		{"p99.9", l.P999}, {"p99.99", l.P9999}, {"max", l.Max}}
}

// percentiles leaves out those that rest on too few reads.
func percentiles(sep string, list []figure) string {
	var parts []string
	for _, f := range list {
		if f.us != nil {
			parts = append(parts, f.name+nbsp+micros(*f.us))
		}
	}
	if len(parts) == 0 {
		return "none measured"
	}
	return join(sep, parts...)
}

func held(r *bench.Result) string {
	if r.CPULatencyHeld {
		return "CPU kept from deep sleep"
	}
	return "CPU free to sleep, which adds to the latency"
}

func blank(r *bench.Result) string {
	switch {
	case r.BlankPercent == nil:
		return ""
	case *r.BlankPercent == 0:
		return "no blank blocks"
	case *r.BlankPercent > 1:
		return percent(*r.BlankPercent) + " blank blocks, which may not touch the medium"
	}
	return percent(*r.BlankPercent) + " blank blocks"
}

// partial marks figures of a run that was cut short.
func partial(r *bench.Result) string {
	if !r.Partial {
		return ""
	}
	return "PARTIAL, ended early (" + r.Ended + "): "
}

func failures(r *bench.Result) string {
	if r.Errors == 0 {
		return ""
	}
	text := counted(r.Errors, "failed read", "failed reads")
	for _, k := range r.ErrorDetails {
		text += fmt.Sprintf(", %s × %s first at byte %s", count(k.Count), k.Error, count(k.FirstOffset))
	}
	return text
}

// benchPairs is everything that a result has.
func benchPairs(r *bench.Result) []pair {
	all := latencies(&r.Latency)
	return []pair{
		{"partial", partialText(r)},
		{"latency", percentiles(", ", all)},
		{"rate", fmt.Sprintf("%s, %s MB/s of 10^6 bytes", with(int64(r.IOPS+0.5), "IOPS"), decimal(r.MBPerS))},
		{"rated", rated(r)},
		{"operations", fmt.Sprintf("%s in %s after %s of warm-up", count(r.Operations), seconds(r.Seconds), seconds(r.WarmupSeconds))},
		{"workload", fmt.Sprintf("%s %s of %s, queue depth %d, %s, engine %s", r.Pattern, r.Op, blockSize(r.BlockBytes), r.QueueDepth,
			counted(r.Workers, "worker", "workers"), r.Engine)},
		{"offsets", fmt.Sprintf("in the first %s, seed %d", size(uint64(r.SpanBytes)), r.Seed)},
		{"processor", join(", ", cpuCost(r), userCost(r), pinned(r), held(r))},
		{"blank", blank(r)},
		{"page cache", map[bool]string{false: "not used", true: "used"}[r.Cached]},
		{"failures", join("", failures(r), none(r.Errors))},
	}
}

func seconds(s float64) string { return decimal(s) + nbsp + "s" }

func none(n int64) string {
	if n == 0 {
		return "none"
	}
	return ""
}

func partialText(r *bench.Result) string {
	if !r.Partial {
		return ""
	}
	return "the run ended early: " + r.Ended
}

func rated(r *bench.Result) string {
	if r.RatedPercent == nil {
		return ""
	}
	return percent(*r.RatedPercent) + " of what the maker states"
}

func pinned(r *bench.Result) string {
	if r.CPU == nil {
		return "not pinned"
	}
	return fmt.Sprintf("pinned to CPU %d", *r.CPU)
}

func cpuCost(r *bench.Result) string {
	if r.CPUPerOp == nil {
		return ""
	}
	return micros(*r.CPUPerOp) + " CPU time each"
}

func userCost(r *bench.Result) string {
	if r.UserPerOp == nil {
		return ""
	}
	return micros(*r.UserPerOp) + " of it in user mode"
}

// Bench writes the outcome of the bench command as text.
func Bench(w io.Writer, b *report.BenchReport, style Style) error {
	p := &page{style: style}
	p.banner(b.Simulated)
	p.heading(piece{Strong, b.Target.Name}, piece{Plain, b.Target.Detail}, piece{Plain, deref(b.Label, "")})
	for i := range b.Results {
		r := &b.Results[i]
		run := ""
		if len(b.Results) > 1 {
			run = fmt.Sprintf(", run %d of %d", i+1, len(b.Results))
		}
		p.title(fmt.Sprintf("%s %s%s", r.Name, r.Op, run))
		p.labelled(Warn, "warning", benchWarning(r))
		p.table(benchPairs(r))
	}
	p.title("Conditions")
	p.table(conditionPairs(b))
	return p.writeTo(w)
}

// benchWarning says what makes figures other than they look.
func benchWarning(r *bench.Result) string {
	if r.Engine == bench.EngineNull {
		return "nothing was read: the null engine measures the cost of qd1 itself"
	}
	if r.BlankPercent != nil && *r.BlankPercent > 50 {
		return "most blocks were never written: these are the figures of empty blocks, not of the medium"
	}
	return ""
}

func conditionPairs(b *report.BenchReport) []pair {
	c := &b.Conditions
	return []pair{
		{"target", join(", ", b.Target.Path, sizeBoth(uint64(b.Target.Bytes)), fmt.Sprintf("blocks of %s", with(b.Target.BlockBytes, "bytes")))},
		{"made by", join(" ", b.Tool.Name, b.Tool.Version)},
		{"time", b.Time},
		{"kernel", join(", ", c.Kernel, c.Arch)},
		{"processor", fmt.Sprintf("%s, %s, governor %s", orUnknown(c.CPUModel), counted(c.CPUs, "CPU", "CPUs"), deref(c.Governor, "not shown by this host"))},
		{"CPU wake-up", heldWord(c.CPULatencyHeld)},
		{"scheduler", deref(c.Scheduler, "")},
	}
}

func heldWord(held bool) string {
	if held {
		return "kept fast: /dev/cpu_dma_latency held at 0 µs"
	}
	return "as found: /dev/cpu_dma_latency could not be held at 0 µs, which needs root"
}
