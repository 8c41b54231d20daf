package vmtest_test

import (
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// TestBenchOldKernel benchmarks on Linux 5.10, which does not take NVMe commands
// through io_uring. The rest works.
func TestBenchOldKernel(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	vm := vmtest.New(t, vmtest.Config{
		Kernel: vmtest.OldKernel,
		Devices: vmtest.Drive{ID: "first", Serial: firstSerial,
			Namespaces: []vmtest.Namespace{{Image: vmtest.Disk(t, 16<<20, vmtest.Filled(16<<20))}}}.Arguments(),
		Files:   map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		WaitFor: []string{"/dev/nvme0n1"},
	})
	var jobs jobList
	for _, engine := range []string{"psync", "uring"} {
		qd1Job(&jobs, engine, []string{"bench", node(firstSerial), "--engine", engine, "--count", "400", "--warmup", "0", "--format", "json"})
	}
	jobs.add("report", qd1Path, "report", "--format", "json", "--bench=quick", firstSerial)
	res := vm.Run(jobs...)
	logJobs(t, res, jobs)
	for _, engine := range []string{"psync", "uring"} {
		t.Run(engine, func(t *testing.T) { checkCount(t, res.With(t), engine, 400) })
	}
	t.Run("report", func(t *testing.T) {
		report := object(t, res.With(t).Output("report"))
		checkValue(t, report, "bench.qd1_read.errors", "0")
		checkValue(t, report, "drive.serial", firstSerial)
	})
}

// checkCount checks that a benchmark did so many operations and no other.
func checkCount(t *testing.T, res *vmtest.Results, job string, want int) {
	t.Helper()
	got := object(t, res.Output(job))
	checkValue(t, got, "results.0.operations", text(want))
	checkValue(t, got, "results.0.errors", "0")
	checkValue(t, got, "results.0.partial", "false")
}
