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
	if r.Op == bench.OpWrite || r.Op == bench.OpMix {
		text = counted(t, r.Errors, "failed request", "failed requests")
	}
	for _, k := range r.ErrorDetails {
		text += t.Textf(", %s × %s first at byte %s", count(k.Count), k.Error, count(k.FirstOffset))
	}
	return text
}

// benchPairs is everything that a result has.
func benchPairs(t lang.Tag, r *bench.Result) []pair {
	return []pair{
		{"partial", partialText(t, r)},
		{"latency", percentiles(t, comma(t), latencies(&r.Latency))},
		{"confidence", intervals(t, &r.LatencyCI95)},
		{"from when due", correctedText(t, r.Corrected)},
		{"slowest", slowestText(t, r.Slowest)},
		{"rate", t.Textf("%s, %s MB/s of 10^6 bytes", with(int64(r.IOPS+0.5), "IOPS"), decimal(r.MBPerS))},
		{"reads", halfText(t, r.Reads)},
		{"writes", halfText(t, r.Writes)},
		{"rated", rated(t, r)},
		{"operations", t.Textf("%s in %s after %s of warm-up", count(r.Operations), seconds(r.Seconds), seconds(r.WarmupSeconds))},
		{"transferred", transferred(t, r)},
		{"workload", workloadText(t, r)},
		{"offsets", offsetsText(t, r)},
		{"engine", engineText(t, r)},
		{"processor", commas(t, cpuCost(t, r), userCost(t, r), pinned(t, r), held(t, r))},
		{"blank", blank(t, r)},
		{"page cache", usedWord(t, r.Cached)},
		{"failures", join("", failures(t, r), none(t, r.Errors))},
		{"failed at", failedAt(t, r.ErrorOffsets)},
	}
}

// workloadText is what was asked for.
func workloadText(t lang.Tag, r *bench.Result) string {
	what := t.Text(string(r.Op))
	if r.ReadPercent != nil {
		what = t.Textf("mix of %d %% reads", *r.ReadPercent)
	}
	content, rate, pause := "", "", ""
	if r.Content != "" {
		content = t.Textf("content %s", t.Text(r.Content))
	}
	if r.RatePerS > 0 {
		rate = t.Textf("%s started each second", decimal(r.RatePerS))
	}
	if r.ThinkTimeUS > 0 {
		pause = t.Textf("pauses of %s", micros(r.ThinkTimeUS))
	}
	return commas(t, t.Textf("%s %s of %s", t.Text(string(r.Pattern)), what, blockSize(t, r.BlockBytes)), t.Textf("queue depth %d", r.QueueDepth),
		counted(t, r.Workers, "worker", "workers"), content, rate, pause)
}

func offsetsText(t lang.Tag, r *bench.Result) string {
	where := t.Textf("in the first %s", size(uint64(r.SpanBytes)))
	if r.StartBytes > 0 {
		where = t.Textf("in %s from byte %s on", size(uint64(r.SpanBytes)), count(r.StartBytes))
	}
	return commas(t, where, t.Textf("seed %d", r.Seed))
}

// engineText is how requests were made.
func engineText(t lang.Tag, r *bench.Result) string {
	return commas(t, append([]string{r.Engine, submission(t, r.Submission)}, flagTexts(t, r.EngineFlags)...)...)
}

// submission is how requests were given to the kernel.
func submission(t lang.Tag, how string) string {
	switch how {
	case "one":
		return t.Text("submitted one by one")
	case "batch":
		return t.Text("submitted in batches")
	}
	return how
}

// flagTexts are what an engine uses of the kernel.
func flagTexts(t lang.Tag, flags []string) []string {
	var list []string
	for _, flag := range flags {
		list = append(list, t.Text(flag))
	}
	return list
}

// transferred counts the warm-up too.
func transferred(t lang.Tag, r *bench.Result) string {
	read, written := "", ""
	if r.BytesRead > 0 {
		read = t.Textf("read %s", size(uint64(r.BytesRead)))
	}
	if r.BytesWritten > 0 {
		written = t.Textf("wrote %s", size(uint64(r.BytesWritten)))
	}
	if read+written == "" {
		return ""
	}
	return commas(t, read, written) + t.Text(", warm-up included")
}

// intervals are how sure the percentiles are.
func intervals(t lang.Tag, l *bench.LatencyIntervals) string {
	var parts []string
	for _, x := range []struct {
		name    string
		range95 *[2]float64
	}{{"p50", l.P50}, {"p90", l.P90}, {"p99", l.P99}, {"p99.9", l.P999}, {"p99.99", l.P9999}} {
		if x.range95 != nil {
			parts = append(parts, x.name+nbsp+between(*x.range95)+nbsp+"µs")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return t.Textf("95 %%: %s", commas(t, parts...))
}

// correctedText is the latency of a job with a rate as a user sees it who does
// not wait for the one before.
func correctedText(t lang.Tag, l *bench.Latency) string {
	if l == nil {
		return ""
	}
	return percentiles(t, comma(t), latencies(l))
}

// halfText is the reads or the writes of a mix.
func halfText(t lang.Tag, h *bench.Half) string {
	if h == nil {
		return ""
	}
	return join(" · ", counted(t, h.Operations, "operation", "operations"), with(int64(h.IOPS+0.5), "IOPS")+comma(t)+decimal(h.MBPerS)+nbsp+"MB/s", percentiles(t, comma(t), latencies(&h.Latency)))
}

const (
	// shownSlowest and shownOffsets are how many of them stand in the text.
	shownSlowest = 3
	shownOffsets = 5
)

// slowestText are the slowest operations, with when and where.
func slowestText(t lang.Tag, all []bench.SlowOperation) string {
	var parts []string
	for _, x := range all[:min(len(all), shownSlowest)] {
		write := ""
		if x.Write {
			write = t.Text("write") + " "
		}
		parts = append(parts, t.Textf("%s after %s at byte %s", write+micros(x.LatencyUS), seconds(round3(x.AtSeconds)), count(x.Offset)))
	}
	return join(" · ", parts...)
}

// failedAt are the first places that failed.
func failedAt(t lang.Tag, all []bench.ErrorOffset) string {
	var parts []string
	for _, x := range all[:min(len(all), shownOffsets)] {
		times := ""
		if x.Count > 1 {
			times = " × " + count(x.Count)
		}
		parts = append(parts, count(x.Offset)+times)
	}
	if len(parts) == 0 {
		return ""
	}
	more := ""
	if n := len(all) - shownOffsets; n > 0 {
		more = t.Textf("and %s more", count(n))
	}
	return t.Textf("byte %s", join(comma(t), append(parts, more)...))
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
