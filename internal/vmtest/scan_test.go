package vmtest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/vmtest"
)

// The mapping of TestScan over a namespace of 64 MiB, in blocks of 512 bytes: three
// ranges that fail and two that take 150 ms a read. A scan reads it in pieces of
// 128 blocks.
const (
	scanned      = "/dev/mapper/scanned"
	scanBlocks   = mappedBytes / 512
	scanDelay    = 150
	mediaProfile = "optane-905p-media-errors"
	mediaSerial  = "QD1SIM905PMEDIA00001"
	media        = "/dev/{nvme:" + mediaSerial + "}"
)

// scanRange is a range of blocks of the mapping.
type scanRange struct{ first, blocks int }

var (
	scanBad  = []scanRange{{1000, 1}, {5000, 24}, {scanBlocks - 8, 8}}
	scanSlow = []scanRange{{20480, 256}, {64000, 128}}
)

// scanTable is the table of the mapping.
func scanTable(disk string) string {
	var table strings.Builder
	at := 0
	linear := func(to int) {
		if to > at {
			fmt.Fprintf(&table, "%d %d linear %s %d\n", at, to-at, disk, at)
		}
		at = to
	}
	all := map[int]string{}
	var starts []int
	add := func(list []scanRange, line func(r scanRange) string) {
		for _, r := range list {
			starts = append(starts, r.first)
			all[r.first] = line(r)
		}
	}
	lengths := map[int]int{}
	for _, r := range slices.Concat(scanBad, scanSlow) {
		lengths[r.first] = r.blocks
	}
	add(scanBad, func(r scanRange) string { return fmt.Sprintf("%d %d error\n", r.first, r.blocks) })
	add(scanSlow, func(r scanRange) string {
		return fmt.Sprintf("%d %d delay %s %d %d\n", r.first, r.blocks, disk, r.first, scanDelay)
	})
	slices.Sort(starts)
	for _, s := range starts {
		linear(s)
		table.WriteString(all[s])
		at = s + lengths[s]
	}
	linear(scanBlocks)
	return table.String()
}

// TestScan scans a mapping of the kernel that fails and is slow in known places,
// and a drive with two blocks that cannot be read; a drive tests itself, is
// aborted by another process and reset in the middle.
func TestScan(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	drive := vmtest.Drive{ID: strings.ToLower(firstSerial), Serial: firstSerial, Namespaces: []vmtest.Namespace{{Image: vmtest.Disk(t, mappedBytes, vmtest.Filled(mappedBytes))}}}
	vm := vmtest.New(t, vmtest.Config{
		Devices:  drive.Arguments(),
		Programs: []string{"sh", "nvme", "dmsetup", "cat", "grep", "sleep", "ip", "kill"},
		Modules:  []string{"dm-mod", "dm-delay", "nvme-tcp", "crc32c_generic"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		WaitFor:  []string{"/dev/nvme0n1"},
	})
	var jobs jobList
	jobs.shell("setup", "export DM_DISABLE_UDEV=1", "dmsetup create scanned <<END\n"+scanTable(node(firstSerial))+"END")
	qd1Job(&jobs, "mapping", []string{"scan", scanned, "--format", "json"})
	addInterrupted(&jobs)
	addServer(&jobs, "'"+modernProfile+"?speed=40' "+mediaProfile)
	jobs.connect("connect", modernProfile, modernSerial, "")
	jobs.connect("connect media", mediaProfile, mediaSerial, "")
	qd1Job(&jobs, "media", []string{"scan", media, "--start", "960.19GB", "--format", "json"})
	qd1Job(&jobs, "media again", []string{"scan", media, "--errors-only", "--format", "json"})
	addSelfTestCommand(&jobs)
	res := vm.Run(jobs...)
	logJobs(t, res, jobs)
	res.Output("setup")
	t.Run("Mapping", func(t *testing.T) { checkScanned(t, res.With(t)) })
	t.Run("Resumed", func(t *testing.T) { checkScanResumed(t, res.With(t)) })
	t.Run("Media", func(t *testing.T) { checkMedia(t, res.With(t)) })
	t.Run("SelfTest", func(t *testing.T) { checkSelfTestCommand(t, res.With(t)) })
}

// found are the ranges that a scan has found.
func found(t *testing.T, scan map[string]any, key string) []scanRange {
	t.Helper()
	var list []scanRange
	for _, r := range lookup(t, scan, "scan."+key).([]any) {
		var one scanRange
		o := r.(map[string]any)
		fmt.Sscan(fmt.Sprint(o["lba"]), &one.first)
		fmt.Sscan(fmt.Sprint(o["blocks"]), &one.blocks)
		list = append(list, one)
	}
	return list
}

// checkFound checks that a scan of the mapping has found exactly what there is.
func checkFound(t *testing.T, scan map[string]any) {
	t.Helper()
	checkValue(t, scan, "scan.complete", "true")
	if diff := cmp.Diff(scanBad, found(t, scan, "unreadable"), cmp.AllowUnexported(scanRange{})); diff != "" {
		t.Errorf("unreadable (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(scanSlow, found(t, scan, "slow"), cmp.AllowUnexported(scanRange{})); diff != "" {
		t.Errorf("slow (-want +got):\n%s", diff)
	}
}

func checkScanned(t *testing.T, res *vmtest.Results) {
	r := res.Get("mapping")
	checkFailure(t, r, 1, "33 blocks in 3 ranges cannot be read; 2 ranges are slow", "save what is on it")
	checkFound(t, object(t, r.Stdout))
}

// addInterrupted breaks a scan off in a slow range, and carries on with it.
func addInterrupted(jobs *jobList) {
	slower := strings.ReplaceAll(scanTable(node(firstSerial)), fmt.Sprintf("64000 %d\n", scanDelay), "64000 4000\n")
	reload := func(table string) string {
		return "dmsetup suspend scanned; dmsetup load scanned <<END\n" + table + "END\ndmsetup resume scanned"
	}
	jobs.shell("interrupted", "export DM_DISABLE_UDEV=1", reload(slower),
		"set +e", "qd1 scan "+scanned+" --format json >/tmp/part 2>/tmp/why & scan=$!", "sleep 2; kill -TERM $scan; wait $scan; echo $?",
		reload(scanTable(node(firstSerial))), "cat /tmp/why")
	jobs.shell("part", "cat /tmp/part")
	qd1Job(jobs, "resumed", []string{"scan", "resume", scanned, "--format", "json"})
}

func checkScanResumed(t *testing.T, res *vmtest.Results) {
	if out := string(res.Output("interrupted")); !strings.HasPrefix(out, "130") || !strings.Contains(out, "what was read is kept") {
		t.Errorf("interrupted: %s", out)
	}
	part := object(t, res.Output("part"))
	checkValue(t, part, "scan.complete", "false")
	if diff := cmp.Diff(scanBad[:2], found(t, part, "unreadable"), cmp.AllowUnexported(scanRange{})); diff != "" {
		t.Errorf("unreadable before Ctrl-C (-want +got):\n%s", diff)
	}
	whole := object(t, res.Get("resumed").Stdout)
	checkFound(t, whole)
	checkValue(t, whole, "scan.sittings", "2")
}

func checkMedia(t *testing.T, res *vmtest.Results) {
	scan := object(t, res.Get("media").Stdout)
	want := []scanRange{{1875384832, 1}, {1875384968, 1}}
	if diff := cmp.Diff(want, found(t, scan, "unreadable"), cmp.AllowUnexported(scanRange{})); diff != "" {
		t.Errorf("unreadable (-want +got):\n%s", diff)
	}
	again := res.Get("media again")
	checkFailure(t, again, 1, "of 2 blocks of the error log 2 are still bad", "save what is on the drive")
	spots := object(t, again.Stdout)
	for i, r := range want {
		checkValue(t, spots, fmt.Sprintf("relook.spots.%d.lba", i), fmt.Sprint(r.first))
		checkValue(t, spots, fmt.Sprintf("relook.spots.%d.readable", i), "false")
	}
}

// addSelfTestCommand starts tests, over another one, aborts one from another
// process and resets the drive in the middle of one.
func addSelfTestCommand(jobs *jobList) {
	run := func(name string, args ...string) { qd1Job(jobs, name, append([]string{"selftest"}, args...)) }
	run("test", "run", modernSerial, "--yes", "--format", "json")
	run("test left", "run", modernSerial, "--yes", "--extended", "--no-wait")
	run("test over a test", "run", modernSerial, "--yes")
	run("test log", "log", modernSerial, "--format", "json")
	run("test abort", "abort", modernSerial, "--yes")
	run("no test", "run", mediaSerial, "--yes")
	jobs.shell("test reset", "set +e", "qd1 selftest run "+modernSerial+" --yes --format json >/tmp/test 2>/tmp/testwhy & test=$!",
		"until grep -q begun /tmp/testwhy; do sleep 0.05; done; nvme reset "+modern+"; wait $test; echo $? >&2; cat /tmp/test")
	jobs.add("test log of nvme", "nvme", "self-test-log", "-o", "json", modern)
}

func checkSelfTestCommand(t *testing.T, res *vmtest.Results) {
	passed := object(t, res.Output("test"))
	checkValue(t, passed, "selftest.followed.result.outcome", "passed")
	checkValue(t, passed, "drive.serial", modernSerial)
	res.Output("test left")
	checkFailure(t, res.Get("test over a test"), 5, "a self-test is running", "or abort it")
	checkValue(t, object(t, res.Output("test log")), "log.running.test", "extended")
	if out := string(res.Output("test abort")); !strings.Contains(out, "ABORTED  extended self-test") {
		t.Errorf("abort:\n%s", out)
	}
	checkFailure(t, res.Get("no test"), 5, "does not list Device Self-test", "qd1 scan "+mediaSerial)
	reset := res.Get("test reset")
	if strings.TrimSpace(string(reset.Stderr)) != "7" {
		t.Errorf("a reset in the middle: %s", vmtest.Describe(reset))
	}
	checkValue(t, object(t, reset.Stdout), "selftest.followed.result.code", "2")
	log := object(t, res.Output("test log of nvme"))
	for i, result := range []string{"2", "1", "0"} {
		checkValue(t, log, fmt.Sprintf("List of Valid Reports.%d.Self test result", i), result)
	}
}
