package profile

import (
	"fmt"
	"strings"
	"time"

	"qd1.example/qd1/bench"
)

const (
	qd1Time   = 30 * time.Second
	qd1Warmup = 2 * time.Second
	// qd1Runs is the least number of runs whose median has a confidence
	// interval of 95 %.
	qd1Runs = 6
)

// qd1 is the headline figure: the latency of one request at a time.
func qd1(variant string) *Profile {
	ops := []bench.Op{bench.OpRead}
	if variant == "write" {
		ops = append(ops, bench.OpWrite)
	}
	rows := rowsOf([]shape{{"RND4K Q1T1", bench.Random, 4 * kib, 1, 1}}, qd1Time, PickMedian, ops...)
	for i := range rows {
		rows[i].Job.Warmup = qd1Warmup
	}
	return &Profile{
		Title:       "Latency of one request at a time",
		Description: "Random 4 KiB, one at a time, over all of the target: the median of the medians of the runs.",
		Rows:        rows,
		Runs:        qd1Runs,
		Interval:    cdmTime,
		FileBytes:   4 * gib,
	}
}

// iometer is a matrix of Iometer's outstanding I/Os and workers, and the access
// specifications that people use beside it.
func iometer(string) *Profile {
	var rows []Row
	add := func(spec string, op bench.Op, pattern bench.Pattern, block, depth, workers int) {
		name := fmt.Sprintf("%s; Q%d W%d", spec, depth, workers)
		r := shape{name, pattern, block, depth, workers}.row(op, 10*time.Second, PickMean)
		r.Job.Warmup = 2 * time.Second
		if op == bench.OpMix {
			r.Job.ReadPercent = 67
		}
		rows = append(rows, r)
	}
	for _, workers := range []int{1, 2, 4} {
		for _, depth := range []int{1, 2, 4, 8, 16, 32, 64, 128} {
			add("4 KiB; 100% Read; 100% random", bench.OpRead, bench.Random, 4*kib, depth, workers)
		}
	}
	add("64 KiB; 100% Read; 0% random", bench.OpRead, bench.Sequential, 64*kib, 32, 1)
	add("4 KiB; 67% Read; 100% random", bench.OpMix, bench.Random, 4*kib, 32, 1)
	add("4 KiB; 0% Read; 100% random", bench.OpWrite, bench.Random, 4*kib, 32, 1)
	add("64 KiB; 0% Read; 0% random", bench.OpWrite, bench.Sequential, 64*kib, 32, 1)
	return &Profile{
		Title:       "Iometer 1.1",
		Description: "A matrix of outstanding I/Os and workers, and four access specifications; for a device against a file on it.",
		Rows:        rows,
		Runs:        1,
		FileBytes:   4 * gib,
	}
}

// sweep goes through block sizes like ATTO Disk Benchmark.
func sweep(string) *Profile {
	var rows []Row
	for _, block := range []int{
		512, 1 * kib, 2 * kib, 4 * kib, 8 * kib, 16 * kib, 32 * kib, 64 * kib, 128 * kib, 256 * kib, 512 * kib,
		1 * mib, 2 * mib, 4 * mib, 8 * mib, 12 * mib, 16 * mib, 24 * mib, 32 * mib, 48 * mib, 64 * mib,
	} {
		name := strings.Replace(sizeName(int64(block)), "iB", "B", 1) // as ATTO writes it
		s := shape{name, bench.Sequential, block, 4, 1}
		rows = append(rows, rowsOf([]shape{s}, 2*time.Second, PickBest, bench.OpWrite, bench.OpRead)...)
	}
	return &Profile{
		Title:       "Sweep of block sizes, like ATTO Disk Benchmark 4",
		Description: "Sequential, 4 in flight, 512 B to 64 MiB, on 256 MiB.",
		Rows:        rows,
		Runs:        1,
		SizeBytes:   256 * mib,
	}
}

// txbench is the log of sustained speed or, as variant basic, the first page
// of TxBENCH.
func txbench(variant string) *Profile {
	p := &Profile{Title: "TxBENCH 0.95", Runs: 1, FileBytes: 16 * gib}
	if variant == "basic" {
		p.Description = "The four basic rows."
		p.SizeBytes = 1 * gib
		p.Rows = rowsOf([]shape{
			{"Seq 128KB QD32", bench.Sequential, 128 * kib, 32, 1},
			{"Rnd 4KB QD32", bench.Random, 4 * kib, 32, 1},
			{"Seq 128KB QD1", bench.Sequential, 128 * kib, 1, 1},
			{"Rnd 4KB QD1", bench.Random, 4 * kib, 1, 1},
		}, 10*time.Second, PickMean, bench.OpRead, bench.OpWrite)
		return p
	}
	op := bench.OpRead
	if variant == "write" {
		op = bench.OpWrite
	}
	p.Description = fmt.Sprintf("Sequential 128 KiB, 4 in flight, a %s of 200 s with a row a second: the drop by heat or a full cache.", op)
	r := shape{"Seq 128KB QD4", bench.Sequential, 128 * kib, 4, 1}.row(op, 200*time.Second, PickMean)
	r.Series = true
	p.Rows = []Row{r}
	return p
}

// apps resembles what programs do. It is not a trace of any.
func apps(string) *Profile {
	const d = 10 * time.Second
	start := shape{"Program start 4K Q1", bench.Random, 4 * kib, 1, 1}
	assets := shape{"Assets 64K Q2", bench.Random, 64 * kib, 2, 1}
	stream := shape{"Open a large file 64K Q4", bench.Sequential, 64 * kib, 4, 1}
	data := shape{"Database 16K Q1", bench.Random, 16 * kib, 1, 1}
	work := shape{"Several programs 4K Q4", bench.Random, 4 * kib, 4, 1}
	save := shape{"Save 16K Q1", bench.Random, 16 * kib, 1, 1}
	rows := []Row{
		start.row(bench.OpRead, d, PickMedian),
		assets.row(bench.OpRead, d, PickMedian),
		stream.row(bench.OpRead, d, PickMedian),
		data.row(bench.OpMix, d, PickMedian),
		work.row(bench.OpMix, d, PickMedian),
		save.row(bench.OpWrite, d, PickMedian),
	}
	for i := range rows {
		rows[i].Job.Warmup = time.Second
		if rows[i].Job.Op == bench.OpMix {
			rows[i].Job.ReadPercent = 80
		}
	}
	return &Profile{
		Title:       "Small mixed workloads, as of programs",
		Description: "Reads and 80/20 mixes of 4 to 64 KiB with 1 to 4 in flight.",
		Rows:        rows,
		Runs:        3,
		Interval:    2 * time.Second,
		SizeBytes:   4 * gib,
	}
}

// wake lets the drive rest for ever longer between reads. The numbers of
// operations let the rows end in about 30 s, and are enough for a median.
func wake(string) *Profile {
	var rows []Row
	for _, pause := range []struct {
		name       string
		think      time.Duration
		operations int64
	}{
		{"no pause", 0, 20000},
		{"pause 100 µs", 100 * time.Microsecond, 10000},
		{"pause 1 ms", time.Millisecond, 2000},
		{"pause 10 ms", 10 * time.Millisecond, 200},
		{"pause 100 ms", 100 * time.Millisecond, 30},
		{"pause 1 s", time.Second, 20},
	} {
		r := shape{"RND4K Q1T1, " + pause.name, bench.Random, 4 * kib, 1, 1}.row(bench.OpRead, 0, PickMedian)
		r.Job.ThinkTime, r.Job.Operations = pause.think, pause.operations
		rows = append(rows, r)
	}
	return &Profile{
		Title:       "Wake-up latency after pauses",
		Description: "Random 4 KiB reads, one at a time, with pauses of 0 to 1 s: what leaving a power state of the drive costs.",
		Rows:        rows,
		Runs:        1,
		FileBytes:   1 * gib,
	}
}
