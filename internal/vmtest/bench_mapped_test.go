package vmtest_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/vmtest"
)

// The mappings of TestBenchMapped over a namespace of 64 MiB.
const (
	mappedBytes = 64 << 20
	delayed     = "/dev/mapper/delayed" // each read takes 20 ms
	spotted     = "/dev/mapper/spotted" // 8 blocks of 4 KiB that fail, later 16 more
	flaky       = "/dev/mapper/flaky"   // works for a second, fails for a second
	failing     = "/dev/mapper/failing" // never works
)

// The blocks of spotted that fail.
const (
	fewBad, fewBadBlocks   = 512 << 10, 8
	manyBad, manyBadBlocks = 768 << 10, 16
)

// mappedSetup makes the mappings.
func mappedSetup() []string {
	disk := node(firstSerial)
	create := func(path, table string) string {
		return "printf '" + strings.ReplaceAll(table, "DISK", disk) + "' | dmsetup create " + strings.TrimPrefix(path, "/dev/mapper/")
	}
	const few, many = fewBad / 512, manyBad / 512
	afterFew, afterMany := few+fewBadBlocks*8, many+manyBadBlocks*8
	return []string{
		"export DM_DISABLE_UDEV=1",
		create(delayed, fmt.Sprintf("0 %d delay DISK 0 20\\n", mappedBytes/512)),
		create(spotted, fmt.Sprintf("0 %d linear DISK 0\\n%d %d error\\n%d %d linear DISK %d\\n%d %d error\\n%d %d linear DISK %d\\n",
			few, few, fewBadBlocks*8, afterFew, many-afterFew, afterFew, many, manyBadBlocks*8, afterMany, mappedBytes/512-afterMany, afterMany)),
		create(flaky, fmt.Sprintf("0 %d flakey DISK 0 1 1\\n", mappedBytes/512)),
		create(failing, fmt.Sprintf("0 %d error\\n", mappedBytes/512)),
	}
}

// mappedMachine has a drive to map and one to use as it is.
func mappedMachine(t *testing.T) *vmtest.VM {
	drive := func(serial string, bytes int64) []string {
		return vmtest.Drive{ID: strings.ToLower(serial), Serial: serial, Namespaces: []vmtest.Namespace{{Image: vmtest.Disk(t, bytes, vmtest.Filled(bytes))}}}.Arguments()
	}
	return vmtest.New(t, vmtest.Config{
		Devices:  slices.Concat(drive(firstSerial, mappedBytes), drive(countSerial, countBytes)),
		Trace:    benchTrace,
		Programs: []string{"sh", "nvme", "dmsetup", "fio", "cat", "grep", "sleep"},
		Modules:  []string{"dm-mod", "dm-delay", "dm-flakey"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		WaitFor:  []string{"/dev/nvme1n1"},
	})
}

// TestBenchMapped measures mappings of the kernel that are slow in a known way,
// or that fail in known places or at times, and compares what a drive is told
// with what fio tells it.
func TestBenchMapped(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	vm := mappedMachine(t)
	var jobs jobList
	jobs.shell("setup", mappedSetup()...)
	addDelay(&jobs)
	addFailing(&jobs)
	addCommands(&jobs)
	res := vm.Run(jobs...)
	res.Output("setup")
	logJobs(t, res, jobs)
	t.Run("Delay", func(t *testing.T) { checkDelay(t, res.With(t)) })
	t.Run("Errors", func(t *testing.T) { checkErrors(t, res.With(t)) })
	t.Run("Flaky", func(t *testing.T) { checkFlaky(t, res.With(t)) })
	t.Run("Commands", func(t *testing.T) { checkCommands(t, res.With(t), steps(t, vm.Trace())) })
}

// addFailing adds benchmarks that meet errors: few, as many in a row as end a
// run, or all the time; and such that are to go on.
func addFailing(jobs *jobList) {
	bench := func(name, target string, flags ...string) {
		qd1Job(jobs, name, []string{"bench", target, "--format", "json", "--pattern", "sequential", "--warmup", "0"}, flags)
	}
	for _, engine := range []string{"psync", "uring"} {
		bench("few "+engine, spotted, "--count", "180", "--engine", engine)
		bench("many "+engine, spotted, "--count", "256", "--engine", engine)
	}
	bench("kept psync", spotted, "--count", "256", "--keep-going")
	bench("kept uring", spotted, "--count", "256", "--keep-going", "--engine", "uring", "--qd", "4")
	bench("flaky", flaky, "--seconds", "4", "--keep-going")
	bench("failing", failing, "--seconds", "4")
}

// checkErrors checks that each failed block is counted where it is, and that the
// run ends after 10 in a row unless it is to go on.
func checkErrors(t *testing.T, res *vmtest.Results) {
	few := offsets(fewBad, fewBadBlocks)
	for _, engine := range []string{"psync", "uring"} {
		checkFailed(t, object(t, res.Output("few "+engine)), few, 180)
		checkFailed(t, object(t, res.Output("kept "+engine)), slices.Concat(few, offsets(manyBad, manyBadBlocks)), 256)

		many := res.Get("many " + engine)
		checkFailure(t, many, 1, "10 errors in a row", "error log")
		result := object(t, many.Stdout)
		checkFailed(t, result, slices.Concat(few, offsets(manyBad, 10)), manyBad/4096+10)
		checkValue(t, result, "results.0.partial", "true")
		if why := text(lookup(t, result, "results.0.ended")); !strings.Contains(why, "10 errors in a row") {
			t.Errorf("%s: ended by %q", engine, why)
		}
	}
	checkFailure(t, res.Get("failing"), 1, "10 errors in a row", "error log")
}

// offsets are those of blocks of 4 KiB.
func offsets(from, blocks int) []int64 {
	var all []int64
	for i := range blocks {
		all = append(all, int64(from+i*4096))
	}
	return all
}

// checkFailed checks that exactly these offsets failed, once each, out of so
// many operations.
func checkFailed(t *testing.T, result map[string]any, want []int64, tried int) {
	t.Helper()
	var got []int64
	list, _ := lookup(t, result, "results.0.error_offsets").([]any)
	for _, e := range list {
		checkValue(t, e, "count", "1")
		got = append(got, integer(t, text(lookup(t, e, "offset"))))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("offsets that failed (-want +got):\n%s", diff)
	}
	checkValue(t, result, "results.0.errors", text(len(want)))
	checkValue(t, result, "results.0.operations", text(tried-len(want)))
	checkValue(t, result, "results.0.error_details.0.error", "EIO")
	checkValue(t, result, "results.0.error_details.0.count", text(len(want)))
}

// checkFlaky checks a run on a device that failed half of the time.
func checkFlaky(t *testing.T, res *vmtest.Results) {
	result := object(t, res.Output("flaky"))
	checkValue(t, result, "results.0.partial", "false")
	checkValue(t, result, "results.0.error_details.0.error", "EIO")
	done, failed := integer(t, text(lookup(t, result, "results.0.operations"))), integer(t, text(lookup(t, result, "results.0.errors")))
	if done == 0 || failed == 0 {
		t.Errorf("%d operations and %d errors, want some of both", done, failed)
	}
	if list, _ := lookup(t, result, "results.0.error_offsets").([]any); len(list) == 0 || len(list) > 64 {
		t.Errorf("%d offsets that failed are told, want 1 to 64", len(list))
	}
}

// delayEngines are the engines to compare, with fio's names of them.
var delayEngines = map[string]string{"psync": "psync", "uring": "io_uring"}

// addDelay measures a mapping of 20 ms by qd1, and by fio in the same seconds:
// what disturbs the emulated machine disturbs both.
func addDelay(jobs *jobList) {
	for ours, theirs := range delayEngines {
		jobs.shell("delay "+ours,
			qd1Path+" bench "+delayed+" --engine "+ours+" --format json --seconds 6 --warmup 0.5 &", "pid=$!",
			"until grep -qs '[b]ench-worker' /proc/[0-9]*/cmdline; do sleep 0.02; kill -0 $pid; done",
			"fio --name=r --filename="+delayed+" --direct=1 --ioengine="+theirs+
				" --iodepth=1 --rw=randread --bs=4k --time_based --runtime=5.5 --ramp_time=0.5 --output-format=json >/tmp/fio",
			"wait $pid")
		jobs.shell("fio "+ours, "cat /tmp/fio")
	}
}

// The mean of qd1 may differ from fio's by maxDelayError percent. The kernel's
// clock has ticks of 4 ms, so that a read takes up to 24 ms; where fio sees more
// than busyDelay ms, the emulated machine did not run for much of the time.
const (
	maxDelayError = 3
	busyDelay     = 25.5
)

// checkDelay checks the mean latency of qd1 against that of fio, with a second
// try in a machine of its own.
func checkDelay(t *testing.T, res *vmtest.Results) {
	off, _ := delayError(t, res)
	if off <= maxDelayError {
		return
	}
	t.Logf("off by %.1f %%: once more", off)
	vm := mappedMachine(t)
	var jobs jobList
	jobs.shell("setup", mappedSetup()...)
	addDelay(&jobs)
	off, theirs := delayError(t, vm.Run(jobs...))
	switch {
	case off <= maxDelayError:
	case theirs > busyDelay:
		t.Skipf("NOT TESTED: this computer is busy: reads that take 20 to 24 ms take fio %.1f ms", theirs)
	default:
		t.Errorf("the mean differs from fio's by %.1f %%, want at most %v %%", off, maxDelayError)
	}
}

// delayError returns the largest difference of the means in percent, and the
// largest mean of fio in ms.
func delayError(t *testing.T, res *vmtest.Results) (worst, theirs float64) {
	t.Helper()
	for engine := range delayEngines {
		ours := number(t, object(t, res.Output("delay "+engine)), "results.0.latency_us.mean") / 1000
		fio := fioMean(t, res.Output("fio "+engine))
		off := 100 * (ours/fio - 1)
		t.Logf("%s: mean %.3f ms, fio's %.3f ms, %+.2f %%", engine, ours, fio, off)
		worst, theirs = max(worst, math.Abs(off)), max(theirs, fio)
	}
	return worst, theirs
}

// fioMean is the mean latency of reads in ms of fio's output as JSON.
func fioMean(t *testing.T, text []byte) float64 {
	t.Helper()
	var out struct {
		Jobs []struct {
			Read struct {
				Latency struct{ Mean float64 } `json:"lat_ns"`
			}
		}
	}
	if err := json.Unmarshal(text, &out); err != nil || len(out.Jobs) != 1 {
		t.Fatalf("fio says %s: %v", text, err)
	}
	return out.Jobs[0].Read.Latency.Mean / 1e6
}
