package vmtest_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// addBench adds benchmarks of a namespace full of data, and of a blank one. The
// counters of the drive stand on both sides of the first.
func addBench(jobs *jobList) {
	jobs.add("before bench", "nvme", "smart-log", "-o", "json", first)
	jobs.add("bench", qd1Path, "bench", "--format", "json", "--seconds", "0.5", "--size", "32MiB", first+"n1")
	jobs.add("after bench", "nvme", "smart-log", "-o", "json", first)
	jobs.add("bench blank", qd1Path, "bench", "--format", "json", "--count", "100", "--warmup", "0", first+"n2")
	jobs.add("bench quick", qd1Path, "report", "--format", "json", "--bench=quick", first)
	jobs.add("bench nobody", qd1Path, "bench", "--seconds", "0.5", first+"n1")
	(*jobs)[len(*jobs)-1].UID = nobody
}

// checkBench checks that a benchmark reads from the drive and not from a
// cache, knows blank data, and is part of the report.
func checkBench(t *testing.T, res *vmtest.Results) {
	full := object(t, res.Output("bench"))
	checkValue(t, full, "schema", "qd1.bench/1")
	checkValue(t, full, "results.0.blank_percent", "0")
	checkValue(t, full, "results.0.errors", "0")
	checkValue(t, full, "results.0.cached", "false")
	checkValue(t, full, "results.0.block_bytes", "4096")
	done := integer(t, text(lookup(t, full, "results.0.operations")))
	before := integer(t, text(object(t, res.Output("before bench"))["host_read_commands"]))
	after := integer(t, text(object(t, res.Output("after bench"))["host_read_commands"]))
	if done == 0 || after-before < done {
		t.Errorf("the benchmark counts %d reads, the drive %d", done, after-before)
	}
	blank := object(t, res.Output("bench blank"))
	checkValue(t, blank, "results.0.operations", "100")
	checkValue(t, blank, "results.0.blank_percent", "100")

	quick := object(t, res.Output("bench quick"))
	checkValue(t, quick, "bench.qd1_read.errors", "0")
	if n := integer(t, text(lookup(t, quick, "bench.qd1_read.operations"))); n == 0 {
		t.Error("report --bench=quick: no operations")
	}
	p50, p99 := number(t, quick, "bench.qd1_read.latency_us.p50"), number(t, quick, "bench.qd1_read.latency_us.p99")
	if p50 <= 0 || p99 < p50 {
		t.Errorf("report --bench=quick: p50 %v µs, p99 %v µs", p50, p99)
	}
	if got := res.Get("bench nobody"); got.Exit != 1 || len(got.Stdout) != 0 {
		t.Errorf("bench as nobody: want exit 1 and no output: %s", vmtest.Describe(got))
	}
}

func integer(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func number(t *testing.T, v any, path string) float64 {
	t.Helper()
	n, ok := lookup(t, v, path).(json.Number)
	if !ok {
		t.Fatalf("%s is not a number", path)
	}
	f, err := n.Float64()
	if err != nil {
		t.Fatal(err)
	}
	return f
}
