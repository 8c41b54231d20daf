package render

import (
	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/lang"
)

// latencyLine is the latency that people feel.
func latencyLine(t lang.Tag, r *bench.Result) string {
	return partial(t, r) + t.Textf("QD%d %s, %s %s: ", r.QueueDepth, t.Text(string(r.Op)), blockSize(t, r.BlockBytes), t.Text(string(r.Pattern))) + percentiles(t, " · ", latencies(&r.Latency)[2:])
}

// rateLine is what goes with it.
func rateLine(t lang.Tag, r *bench.Result) string {
	return join(" · ", with(int64(r.IOPS+0.5), "IOPS"), decimal(r.MBPerS)+nbsp+"MB/s", cpuCost(t, r), held(t, r), blank(t, r), failures(t, r))
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
func percentiles(t lang.Tag, sep string, list []figure) string {
	var parts []string
	for _, f := range list {
		if f.us != nil {
			parts = append(parts, t.Text(f.name)+nbsp+micros(*f.us))
		}
	}
	if len(parts) == 0 {
		return t.Text("none measured")
	}
	return join(sep, parts...)
}

func held(t lang.Tag, r *bench.Result) string {
	if r.CPULatencyHeld {
		return t.Text("CPU kept from deep sleep")
	}
	return t.Text("CPU free to sleep, which adds to the latency")
}

func blank(t lang.Tag, r *bench.Result) string {
	switch {
	case r.BlankPercent == nil:
		return ""
	case *r.BlankPercent == 0:
		return t.Text("no blank blocks")
	case *r.BlankPercent > 1:
		return t.Textf("%s blank blocks, which may not touch the medium", percent(*r.BlankPercent))
	}
	return t.Textf("%s blank blocks", percent(*r.BlankPercent))
}

// partial marks figures of a run that was cut short.
func partial(t lang.Tag, r *bench.Result) string {
	if !r.Partial {
		return ""
	}
	return t.Textf("PARTIAL, ended early (%s): ", t.Sentence(r.Ended))
}

func failures(t lang.Tag, r *bench.Result) string {
	if r.Errors == 0 {
		return ""
	}
	text := counted(t, r.Errors, "failed read", "failed reads")
	for _, k := range r.ErrorDetails {
		text += t.Textf(", %s × %s first at byte %s", count(k.Count), k.Error, count(k.FirstOffset))
	}
	return text
}

// benchPairs is everything that a result has.
func benchPairs(t lang.Tag, r *bench.Result) []pair {
	all := latencies(&r.Latency)
	return []pair{
		{"partial", partialText(t, r)},
		{"latency", percentiles(t, comma(t), all)},
		{"rate", t.Textf("%s, %s MB/s of 10^6 bytes", with(int64(r.IOPS+0.5), "IOPS"), decimal(r.MBPerS))},
		{"rated", rated(t, r)},
		{"operations", t.Textf("%s in %s after %s of warm-up", count(r.Operations), seconds(r.Seconds), seconds(r.WarmupSeconds))},
		{"workload", t.Textf("%s %s of %s, queue depth %d, %s, engine %s", t.Text(string(r.Pattern)), t.Text(string(r.Op)), blockSize(t, r.BlockBytes), r.QueueDepth,
			counted(t, r.Workers, "worker", "workers"), r.Engine)},
		{"offsets", t.Textf("in the first %s, seed %d", size(uint64(r.SpanBytes)), r.Seed)},
		{"processor", commas(t, cpuCost(t, r), userCost(t, r), pinned(t, r), held(t, r))},
		{"blank", blank(t, r)},
		{"page cache", usedWord(t, r.Cached)},
		{"failures", join("", failures(t, r), none(t, r.Errors))},
	}
}

func usedWord(t lang.Tag, used bool) string {
	if used {
		return t.Text("used")
	}
	return t.Text("not used")
}

func seconds(s float64) string { return decimal(s) + nbsp + "s" }

func none(t lang.Tag, n int64) string {
	if n == 0 {
		return t.Text("none")
	}
	return ""
}

func partialText(t lang.Tag, r *bench.Result) string {
	if !r.Partial {
		return ""
	}
	return t.Textf("the run ended early: %s", t.Sentence(r.Ended))
}

func rated(t lang.Tag, r *bench.Result) string {
	if r.RatedPercent == nil {
		return ""
	}
	return t.Textf("%s of what the maker states", percent(*r.RatedPercent))
}

func pinned(t lang.Tag, r *bench.Result) string {
	if r.CPU == nil {
		return t.Text("not pinned")
	}
	return t.Textf("pinned to CPU %d", *r.CPU)
}

func cpuCost(t lang.Tag, r *bench.Result) string {
	if r.CPUPerOp == nil {
		return ""
	}
	return t.Textf("%s CPU time each", micros(*r.CPUPerOp))
}

func userCost(t lang.Tag, r *bench.Result) string {
	if r.UserPerOp == nil {
		return ""
	}
	return t.Textf("%s of it in user mode", micros(*r.UserPerOp))
}

// benchWarning says what makes figures other than they look.
func benchWarning(t lang.Tag, r *bench.Result) string {
	if r.Engine == bench.EngineNull {
		return t.Text("nothing was read: the null engine measures the cost of qd1 itself")
	}
	if r.BlankPercent != nil && *r.BlankPercent > 50 {
		return t.Text("most blocks were never written: these are the figures of empty blocks, not of the medium")
	}
	return ""
}

func heldWord(t lang.Tag, held bool) string {
	if held {
		return t.Text("kept fast: /dev/cpu_dma_latency held at 0 µs")
	}
	return t.Text("as found: /dev/cpu_dma_latency could not be held at 0 µs, which needs root")
}
