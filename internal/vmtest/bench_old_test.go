package vmtest_test

import (
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// TestBenchOldKernel benchmarks on Linux 5.10, which does not take NVMe commands
// through io_uring: qd1 says which version does, and the rest works. Polling
// needs queues that were not asked for.
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
	for _, engine := range []string{"psync", "uring", "ioctl"} {
		qd1Job(&jobs, engine, []string{"bench", node(firstSerial), "--engine", engine, "--count", "400", "--warmup", "0", "--format", "json"})
	}
	qd1Job(&jobs, "passthru", []string{"bench", node(firstSerial), "--engine", "passthru", "--count", "400"})
	qd1Job(&jobs, "poll", []string{"bench", node(firstSerial), "--engine", "uring", "--io-poll", "--count", "400"})
	jobs.add("report", qd1Path, "report", "--format", "json", "--bench=quick", firstSerial)
	res := vm.Run(jobs...)
	logJobs(t, res, jobs)
	for _, engine := range []string{"psync", "uring", "ioctl"} {
		t.Run(engine, func(t *testing.T) { checkCount(t, res.With(t), engine, 400) })
	}
	t.Run("passthru", func(t *testing.T) {
		checkFailure(t, res.With(t).Get("passthru"), 2, "needs Linux 5.19 or newer", "use the engine ioctl")
	})
	t.Run("poll", func(t *testing.T) {
		checkFailure(t, res.With(t).Get("poll"), 2, "queue/io_poll is 0", "nvme.poll_queues")
	})
	t.Run("report", func(t *testing.T) {
		report := object(t, res.With(t).Output("report"))
		checkValue(t, report, "bench.qd1_read.errors", "0")
		checkValue(t, report, "drive.serial", firstSerial)
	})
}
