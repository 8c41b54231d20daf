package render

import (
	"fmt"
	"io"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/report"
)

// speed is a result in one line: the latency people feel, with IOPS and MB/s.
func speed(r *bench.Result) string {
	l := r.Latency
	return join(" · ",
		fmt.Sprintf("%s %s: p50 %s", r.Name, r.Op, micros(l.P50)),
		"p90 "+micros(l.P90), "p99 "+micros(l.P99), "p99.9 "+micros(l.P999), "p99.99 "+micros(l.P9999), "max "+micros(l.Max))
}

func speedDetail(r *bench.Result) string {
	text := fmt.Sprintf("%s IOPS = %s MB/s", count(int64(r.IOPS+0.5)), decimal(r.MBPerS))
	if r.CPUPerOp != nil {
		text += " · " + decimal(*r.CPUPerOp) + " µs CPU each"
	}
	return join(" · ", text, fmt.Sprintf("%s s, engine %s", decimal(r.Seconds), r.Engine), held(r), blank(r), partial(r), failures(r))
}

func held(r *bench.Result) string {
	if r.CPULatencyHeld {
		return "CPU kept awake"
	}
	return "CPU idle states as found"
}

func blank(r *bench.Result) string {
	if r.BlankPercent == nil {
		return ""
	}
	text := decimal(*r.BlankPercent) + " % of the blocks were blank"
	if *r.BlankPercent > 1 {
		text += ": such reads may not touch the medium"
	}
	return text
}

func partial(r *bench.Result) string {
	if !r.Partial {
		return ""
	}
	return "PARTIAL: " + r.Ended
}

func failures(r *bench.Result) string {
	if r.Errors == 0 {
		return ""
	}
	text := fmt.Sprintf("%s failed reads", count(r.Errors))
	for _, k := range r.ErrorDetails {
		text += fmt.Sprintf(", %s × %s from byte %s", count(k.Count), k.Error, count(k.FirstOffset))
	}
	return text
}

// benchPairs is everything that a result has.
func benchPairs(r *bench.Result) []pair {
	l := r.Latency
	return []pair{
		{"latency", fmt.Sprintf("min %s, mean %s, p50 %s, p90 %s, p99 %s, p99.9 %s, p99.99 %s, max %s",
			micros(l.Min), micros(l.Mean), micros(l.P50), micros(l.P90), micros(l.P99), micros(l.P999), micros(l.P9999), micros(l.Max))},
		{"rate", fmt.Sprintf("%s IOPS, %s MB/s (10^6 bytes)", count(int64(r.IOPS+0.5)), decimal(r.MBPerS))},
		{"operations", fmt.Sprintf("%s in %s s after %s s of warm-up", count(r.Operations), decimal(r.Seconds), decimal(r.WarmupSeconds))},
		{"workload", fmt.Sprintf("%s %s, %s-byte blocks, queue depth %d, %d worker(s), seed %d, over %s",
			r.Pattern, r.Op, count(r.BlockBytes), r.QueueDepth, r.Workers, r.Seed, size(uint64(r.SpanBytes)))},
		{"processor", processor(r)},
		{"blank", blank(r)},
		{"rated", rated(r)},
		{"page cache", yesNo(r.Cached)},
		{"errors", join("", failures(r), none(r.Errors))},
		{"ended", join(", ", r.Ended, partialMark(r.Partial))},
	}
}

func none(n int64) string {
	if n == 0 {
		return "none"
	}
	return ""
}

func partialMark(p bool) string {
	if p {
		return "partial"
	}
	return ""
}

func rated(r *bench.Result) string {
	if r.RatedPercent == nil {
		return ""
	}
	return decimal(*r.RatedPercent) + " % of the model's rated rate"
}

func processor(r *bench.Result) string {
	cpu := "not pinned"
	if r.CPU != nil {
		cpu = fmt.Sprintf("pinned to CPU %d", *r.CPU)
	}
	return join(", ", cpuCost(r), cpu, held(r), "engine "+r.Engine)
}

func cpuCost(r *bench.Result) string {
	if r.CPUPerOp == nil || r.UserPerOp == nil {
		return ""
	}
	return fmt.Sprintf("%s µs each, %s µs of it in user mode", decimal(*r.CPUPerOp), decimal(*r.UserPerOp))
}

// Bench writes the outcome of the bench command as text.
func Bench(w io.Writer, b *report.BenchReport, style Style) error {
	p := &page{style: style}
	p.banner(b.Simulated)
	p.linef("%s  %s", p.style.paint(Strong, b.Target.Name), b.Target.Detail)
	for i := range b.Results {
		r := &b.Results[i]
		p.title(fmt.Sprintf("%s  %s", r.Name, r.Op))
		p.table(benchPairs(r))
	}
	p.title("conditions")
	p.table(conditionPairs(&b.Conditions))
	return p.writeTo(w)
}

func conditionPairs(c *report.Conditions) []pair {
	return []pair{
		{"kernel", c.Kernel},
		{"processor", fmt.Sprintf("%s, %d CPUs, governor %s", orUnknown(c.CPUModel), c.CPUs, deref(c.Governor, "not shown by this host"))},
		{"CPU wake-up", heldWord(c.CPULatencyHeld)},
		{"scheduler", deref(c.Scheduler, "")},
	}
}

func heldWord(held bool) string {
	if held {
		return "latency held at 0 µs through /dev/cpu_dma_latency"
	}
	return "as found: /dev/cpu_dma_latency could not be held (needs root)"
}
