package vmtest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/vmtest"
)

// The drives of TestBenchPlaces.
const (
	rawSerial   = "QD1-BENCH-RAW"   // free; two namespaces
	largeSerial = "QD1-BENCH-4K"    // blocks of 4096 bytes
	oddSerial   = "QD1-BENCH-ODD"   // a partition that fits no page
	goodSerial  = "QD1-BENCH-GOOD"  // an ext4 with room
	packSerial  = "QD1-BENCH-PACK"  // an ext4 without
	fixedSerial = "QD1-BENCH-FIXED" // an ext4 that is mounted read-only
)

// The partition of the odd drive, in sectors, and its size in whole blocks of
// 4 KiB.
const (
	oddStart, oddSectors = 2049, 16383
	oddBytes             = oddSectors / 8 * 4096
)

// fixedSetup makes a filesystem that is mounted read-only. Those that can be
// written to come later, so that nothing writes meanwhile.
var fixedSetup = []string{
	"mkdir -p /mnt/good /mnt/pack /mnt/fixed",
	"mkfs.ext4 -q " + node(fixedSerial) + "; mount " + node(fixedSerial) + " /mnt/fixed; head -c 4000000 /dev/urandom >/mnt/fixed/data",
	"cp /mnt/fixed/data /tmp/data; sync; mount -o remount,ro /mnt/fixed; sync",
}

// filesSetup makes a filesystem with room and one without.
var filesSetup = []string{
	"mkfs.ext4 -q " + node(packSerial) + "; mount " + node(packSerial) + " /mnt/pack",
	"dd if=/dev/zero of=/mnt/pack/much bs=1M 2>/dev/null || true",
	"mkfs.ext4 -q " + node(goodSerial) + "; mount " + node(goodSerial) + " /mnt/good; cp /tmp/data /mnt/good/data",
}

// filesThere tells what is in the directories.
const filesThere = "cksum /mnt/good/data /mnt/pack/much; ls -A /mnt/good /mnt/pack"

func placesDrives(t *testing.T, images map[string]string) []string {
	drive := func(serial string, spaces ...vmtest.Namespace) []string {
		return vmtest.Drive{ID: strings.ToLower(serial), Serial: serial, Namespaces: spaces}.Arguments()
	}
	return slices.Concat(
		drive(rawSerial, vmtest.Namespace{Image: images["raw"]}, vmtest.Namespace{Image: images["other"]}),
		drive(largeSerial, vmtest.Namespace{Image: images["large"], Options: "logical_block_size=4096,physical_block_size=4096"}),
		drive(oddSerial, vmtest.Namespace{Image: vmtest.Disk(t, 16<<20, vmtest.Filled(16<<20), vmtest.Partition(oddStart, oddSectors))}),
		drive(goodSerial, vmtest.Namespace{Image: vmtest.Disk(t, 400<<20)}),
		drive(packSerial, vmtest.Namespace{Image: vmtest.Disk(t, 32<<20)}),
		drive(fixedSerial, vmtest.Namespace{Image: vmtest.Disk(t, 32<<20)}),
	)
}

// TestBenchPlaces measures in all kinds of places, also where it is not
// possible, and writes to a drive and into directories.
func TestBenchPlaces(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	images := map[string]string{}
	for name, size := range map[string]int64{"raw": rawBytes, "other": otherBytes, "large": 32 << 20} {
		images[name] = vmtest.Disk(t, size, vmtest.Filled(size))
	}
	vm := vmtest.New(t, vmtest.Config{
		Devices: placesDrives(t, images), Append: "nvme.poll_queues=1", Trace: benchTrace,
		Programs: []string{"sh", "nvme", "mkdir", "mkfs.ext4", "mount", "dd", "head", "sync", "cksum", "ls", "cp"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		WaitFor:  []string{"/dev/nvme5n1", "/dev/nvme*n1p1"},
	})
	var jobs jobList
	jobs.shell("setup", fixedSetup...)
	addPlaces(&jobs)
	addRaw(&jobs)
	addFiles(&jobs)
	res := vm.Run(jobs...)
	logJobs(t, res, jobs)
	res.Output("setup")
	seen := steps(t, vm.Trace())
	t.Run("Places", func(t *testing.T) { checkPlaces(t, res.With(t)) })
	t.Run("Odd", func(t *testing.T) { checkOdd(t, res.With(t), seen[stepOdd]) })
	t.Run("Raw", func(t *testing.T) { checkRaw(t, res.With(t), seen, images["raw"], images["other"]) })
	t.Run("Files", func(t *testing.T) { checkFiles(t, res.With(t)) })
	checkUntouched(t, "the drive with blocks of 4096 bytes", images["large"], 32<<20)
}

// measured are places that can be measured: the flags, the bytes that are used,
// and what the engine uses of the kernel.
var measured = []struct {
	name, target string
	flags        []string
	span         int64
	uses         string
}{
	{"4 KiB blocks", node(largeSerial), nil, 32 << 20, ""},
	{"file on a read-only filesystem", "/mnt/fixed/data", nil, 4000000 / 4096 * 4096, ""},
	{"poll uring", node(rawSerial), []string{"--engine", "uring", "--io-poll"}, rawBytes, "polled completions"},
	{"poll passthru", node(rawSerial), []string{"--engine", "passthru", "--io-poll"}, rawBytes, "polled completions"},
	{"passthru", rawSerial, []string{"--engine", "passthru", "--qd", "8", "--seconds", "1"}, rawBytes, "registered"},
}

// notMeasured are places that cannot be measured, and what is said of them.
var notMeasured = []struct {
	name, target string
	flags        []string
	exit         int
	says, hint   string
}{
	{"512 bytes of 4 KiB blocks", node(largeSerial), []string{"--bs", "512"}, 2, "4096 bytes", "multiple of"},
	{"file in memory", "/tmp/data", nil, 1, "/tmp/data lies on tmpfs", "on the drive"},
	{"directory in memory", "/tmp", []string{"--size", "1MiB"}, 1, "/tmp lies on tmpfs", "on the drive"},
	{"read-only directory", "/mnt/fixed", []string{"--size", "1MiB"}, 1, "mounted read-only", "mount it for writing"},
}

func placeJob(jobs *jobList, name, target string, flags ...string) {
	qd1Job(jobs, name, []string{"bench", target, "--warmup", "0"}, flags)
}

func addPlaces(jobs *jobList) {
	for _, p := range notMeasured {
		placeJob(jobs, p.name, p.target, append([]string{"--count", "200"}, p.flags...)...)
	}
	for _, p := range measured {
		placeJob(jobs, p.name, p.target, append([]string{"--format", "json", "--count", "4000"}, p.flags...)...)
	}
	step(jobs, oddSerial, stepOdd)
	placeJob(jobs, "odd", node(oddSerial)+"p1", "--format", "json", "--bs", "4KiB", "--pattern", "sequential", "--bytes", "8MiB")
}

func checkPlaces(t *testing.T, res *vmtest.Results) {
	for _, p := range notMeasured {
		t.Run(p.name, func(t *testing.T) { checkFailure(t, res.With(t).Get(p.name), p.exit, p.says, p.hint) })
	}
	for _, p := range measured {
		t.Run(p.name, func(t *testing.T) {
			result := object(t, res.With(t).Output(p.name))
			checkValue(t, result, "results.0.errors", "0")
			checkValue(t, result, "results.0.partial", "false")
			checkValue(t, result, "results.0.span_bytes", fmt.Sprint(p.span))
			if p.uses == "" {
				return
			}
			if flags := text(lookup(t, result, "results.0.engine_flags")); !strings.Contains(flags, p.uses) {
				t.Errorf("the engine uses %s, want %s", flags, p.uses)
			}
			if p50, p99 := number(t, result, "results.0.latency_us.p50"), number(t, result, "results.0.latency_us.p99"); p50 <= 0 || p99 < p50 {
				t.Errorf("p50 %v µs, p99 %v µs", p50, p99)
			}
		})
	}
}

// checkOdd checks that a partition whose start and end fit no page is read from
// its start to its last whole block, and not beyond.
func checkOdd(t *testing.T, res *vmtest.Results, lines []string) {
	result := object(t, res.Output("odd"))
	checkValue(t, result, "results.0.span_bytes", fmt.Sprint(oddBytes))
	checkValue(t, result, "results.0.operations", fmt.Sprint(8<<20/4096))
	checkValue(t, result, "results.0.errors", "0")
	if why := text(lookup(t, result, "warnings")); !strings.Contains(why, "no multiple of 4096") {
		t.Errorf("nothing is said of where the partition begins: %s", why)
	}
	read := map[int64]bool{}
	for _, a := range kindOf(accesses(t, lines), false, 8) {
		if at := a.block - oddStart; at < 0 || at%8 != 0 || at+8 > oddSectors {
			t.Errorf("a read outside of the blocks of the partition: %+v", a)
		}
		read[a.block] = true
	}
	if len(read) != oddBytes/4096 {
		t.Errorf("%d different blocks were read, want %d", len(read), oddBytes/4096)
	}
}

// addFiles adds benchmarks of directories.
func addFiles(jobs *jobList) {
	jobs.shell("files", append(filesSetup, filesThere)...)
	for _, op := range []string{"read", "write", "mix"} {
		placeJob(jobs, "directory "+op, "/mnt/good", "--op", op, "--size", "4MiB", "--count", "400", "--format", "json")
	}
	placeJob(jobs, "full", "/mnt/pack", "--size", "1MiB", "--count", "200")
	jobs.shell("files after", filesThere)
}

// checkFiles checks that the files which were there are all that is there, as
// they were.
func checkFiles(t *testing.T, res *vmtest.Results) {
	if diff := cmp.Diff(string(res.Output("files")), string(res.Output("files after"))); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
	checkFailure(t, res.Get("full"), 1, "/mnt/pack has 0 bytes free", "make room")
	for _, op := range []string{"read", "write", "mix"} {
		checkCount(t, res, "directory "+op, 400)
		checkValue(t, object(t, res.Output("directory "+op)), "target.bytes", fmt.Sprint(4<<20))
	}
}
