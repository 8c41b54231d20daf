package vmtest_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/vmtest"
)

// The drives of TestAge: one that is aged and one that looks partitioned. Their
// journal and their records lie on a disk whose every write is logged.
const (
	ageSerial           = "QD1-AGE"
	partedSerial        = "QD1-AGE-PARTED"
	ageBytes            = 64 << 20
	partedBytes         = 16 << 20
	stateBytes          = 48 << 20
	stateLogBytes       = 1 << 30
	ageCuts             = 50
	ageRate             = "4" // MB/s
	ageBudget     int64 = 500e6
)

// ageHours is the length of the treatment: 11 s, or the 72 s of the acceptance
// with QD1_LONG set, which are too long for every run of all tests.
func ageHours() string {
	if os.Getenv("QD1_LONG") != "" {
		return "0.02"
	}
	return "0.003"
}

// ageRefusals are command lines that must not write, with what they say: those
// that take a kernel. The tests of cmd/qd1 have the others.
var ageRefusals = []struct {
	name       string
	exit       int
	says, hint string
	args       []string
}{
	{"no consent", 5, "nobody agreed", "type the phrase", []string{ageSerial}},
	{"node", 5, "is the name of a node", ageSerial, append([]string{node(ageSerial)}, consent(ageBytes)...)},
	{"signature", 5, "MBR", "--destroy-signature", append([]string{partedSerial}, consent(partedBytes)...)},
	{"partition", 5, "is not a whole namespace", "full serial number", append([]string{node(partedSerial) + "p1"}, consent(partedBytes)...)},
	{"in use", 5, "held", "", append([]string{ageSerial}, consent(ageBytes)...)},
}

// The steps of the trace of TestAge.
const (
	stepAgeRefused = iota + 1
	stepAge
	stepAgeEnd
)

func ageMachine(t *testing.T, log, disk string) *vmtest.VM {
	drive := func(serial, image string) []string {
		return vmtest.Drive{ID: strings.ToLower(serial), Serial: serial, Namespaces: []vmtest.Namespace{{Image: image}}}.Arguments()
	}
	virtio := func(id, path string) []string {
		return []string{"-drive", "id=" + id + ",if=none,format=raw,cache=unsafe,file=" + path, "-device", "virtio-blk-pci,drive=" + id + ",serial=QD1" + strings.ToUpper(id)}
	}
	devices := slices.Concat(
		drive(ageSerial, vmtest.Disk(t, ageBytes, vmtest.Filled(ageBytes))), drive(partedSerial, vmtest.Disk(t, partedBytes, vmtest.OnePartition(8<<20))),
		virtio("state", disk), virtio("log", log))
	return vmtest.New(t, vmtest.Config{
		Devices: devices, Trace: benchTrace,
		Modules:  []string{"ext4", "crc32c_generic", "dm-mod", "dm-log-writes"},
		Programs: []string{"sh", "nvme", "dmsetup", "mount", "umount", "mkfs.ext4", "mkdir", "cat", "grep", "sleep", "kill", "sed", "sync", "ls", "blockdev", "touch"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		WaitFor:  []string{"/dev/nvme1n1p1", "/dev/nvme0n1"},
		Timeout:  6 * time.Minute,
	})
}

// loggedState makes the disk of the state, each of whose writes is logged.
var loggedState = []string{
	"export DM_DISABLE_UDEV=1",
	"for d in /sys/block/vd*; do if grep -q QD1STATE $d/serial; then disk=/dev/${d##*/}; fi; if grep -q QD1LOG $d/serial; then log=/dev/${d##*/}; fi; done",
	"echo 0 $(blockdev --getsz $disk) log-writes $disk $log | dmsetup create logged",
	"mkfs.ext4 -q -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 /dev/mapper/logged", "mkdir -p /state", "mount /dev/mapper/logged /state",
	"dmsetup message logged 0 mark mounted",
}

// keepRecords keeps records as fast as it can until /tmp/stop is there. Each one
// that is on stable storage, by what the program says, is marked in the log.
const keepRecords = `(
until [ -e /tmp/stop ]; do
	` + qd1Path + ` report --save --bench=off --vendor-logs=off --label written ` + partedSerial + ` >/dev/null 2>/tmp/kept
	dmsetup message logged 0 mark "record:$(sed -n 's/.*kept as record \([^ ,]*\).*/\1/p' /tmp/kept)"
done
) & writer=$!`

// TestAge ages a drive from end to end, killed twice, with its journal and
// records on a disk whose writes are logged; then the power is cut, on copies
// of that disk, at 50 random moments.
func TestAge(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	log, disk := vmtest.Disk(t, stateLogBytes), vmtest.Disk(t, stateBytes)
	vm := ageMachine(t, log, disk)
	var jobs jobList
	addAgeRefusals(&jobs)
	addAge(&jobs)
	addAgeWarning(&jobs)
	vm.Start(jobs...)
	vm.WaitEvent("warn")
	vm.QMP("qom-set", map[string]any{"path": "/machine/peripheral/" + strings.ToLower(ageSerial), "property": "smart_critical_warning", "value": 4})
	res := vm.Wait()
	logJobs(t, res, jobs)
	seen := steps(t, vm.Trace())
	t.Run("Refused", func(t *testing.T) { checkAgeRefused(t, res.With(t), seen[stepAgeRefused]) })
	t.Run("Result", func(t *testing.T) { checkAged(t, res.With(t), seen[stepAge]) })
	t.Run("Warning", func(t *testing.T) { checkAgeWarning(t, res.With(t)) })
	t.Run("PowerCuts", func(t *testing.T) { checkPowerCuts(t, openLog(t, log), ageCuts) })
}

// ageArgs are the arguments of a job of the mode mixed.
func ageArgs(more ...string) []string {
	return append([]string{"age", "--mode", "mixed", "--hours", ageHours(), "--runs", "5", "--seconds", "0.3", "--rate", ageRate, "--format", "json"}, more...)
}

func addAgeRefusals(jobs *jobList) {
	disk := node(ageSerial)
	step(jobs, ageSerial, stepAgeRefused)
	for _, r := range ageRefusals {
		if r.name == "in use" {
			jobs.shell("hold", "export DM_DISABLE_UDEV=1", fmt.Sprintf("echo 0 %d linear %s 0 | dmsetup create held", ageBytes/512, disk))
		}
		qd1Job(jobs, "age "+r.name, ageArgs(r.args...), []string{"--wear-budget", fmt.Sprint(ageBudget)})
		if r.name == "in use" {
			jobs.shell("let go", "DM_DISABLE_UDEV=1 dmsetup remove held")
		}
	}
	qd1Job(jobs, "age dry run", ageArgs(ageSerial, "--dry-run", "--wear-budget", fmt.Sprint(ageBudget)))
	jobs.shell("no journal", "! ls /var/lib/qd1/journal/*.jsonl 2>/dev/null")
}

func checkAgeRefused(t *testing.T, res *vmtest.Results, lines []string) {
	for _, r := range ageRefusals {
		checkFailure(t, res.Get("age "+r.name), r.exit, r.says, r.hint)
	}
	plan := object(t, res.Output("age dry run"))
	checkValue(t, plan, "schema", "qd1.age-plan/1")
	checkValue(t, plan, "guard.phrase", "AGE QEMU NVMe Ctrl D1-AGE")
	checkValue(t, plan, "rated_bytes", "null")
	res.Output("no journal")
	if sent := destroying(lines); len(sent) > 0 || len(lines) < 100 {
		t.Errorf("the emulator saw %d commands that write among %d: %q", len(sent), len(lines), sent)
	}
}

// addAge ages the drive; the program is killed in the first set and in the
// treatment.
func addAge(jobs *jobList) {
	agreed := shellWords(append(consent(ageBytes), "--label", "vm", "--wear-budget", fmt.Sprint(ageBudget)))
	again := shellWords(consent(ageBytes))
	kill := func(file string) []string {
		return []string{
			"until ls /state/qd1/journal/*.keep." + file + " >/dev/null 2>&1; do sleep 0.02; kill -0 $pid; done", "kill -9 $pid; wait $pid || true",
			"while grep -qs '[b]ench-worker' /proc/[0-9]*/cmdline; do sleep 0.02; done", // It ends when it notices.
			"dmsetup message logged 0 mark killed",
		}
	}
	step(jobs, ageSerial, stepAge)
	jobs.shell("age", slices.Concat(loggedState, []string{"export XDG_STATE_HOME=/state", keepRecords,
		qd1Path + " " + shellWords(ageArgs(ageSerial)) + " " + agreed + " >/out/age.1 2>&1 & pid=$!"}, kill("before-2"), []string{
		qd1Path + " age status --format json >/out/age.status",
		qd1Path + " age resume " + ageSerial + " " + again + " >/out/age.2 2>&1 & pid=$!"}, kill("probe-2"), []string{
		qd1Path + " age resume " + ageSerial + " " + again + " --format json 2>/tmp/age >/out/age.json || { cat /tmp/age >&2; exit 1; }",
		"for id in $(sed -n 's/.*kept as record \\([^,]*\\), the sets as \\(.*\\)/\\1 \\2/p' /tmp/age | sed 's/,//g'); do dmsetup message logged 0 mark record:$id; done",
		qd1Path + " age resume " + ageSerial + " --format html >/out/age.html",
		"sleep 1; touch /tmp/stop; wait $writer",
		"umount /state; dmsetup remove logged; sync",
	})...)
	(*jobs)[len(*jobs)-1].Timeout = 5 * time.Minute
	step(jobs, ageSerial, stepAgeEnd)
}

// checkAged checks the result of the job that was killed twice, and what the
// emulator saw of it.
func checkAged(t *testing.T, res *vmtest.Results, lines []string) {
	res.Output("age")
	status := object(t, []byte(readFile(t, res.File("age.status"))))
	checkValue(t, status, "state", "BEFORE")
	checkValue(t, status, "live", "false")
	checkValue(t, status, "ended", "false")
	record := object(t, []byte(readFile(t, res.File("age.json"))))
	for path, want := range map[string]string{
		"schema": "qd1.age/1", "complete": "true", "state": "DONE", "label": "vm", "plan.mode": "mixed", "interruptions.0.state": "BEFORE", "interruptions.1.state": "TREATING",
		"interruptions.1.restarted": "false", "stops": "[]", "lost": "[]", "comparison.schema": "qd1.compare/1", "sittings.2.sitting": "3",
	} {
		checkValue(t, record, path, want)
	}
	for _, set := range []string{"before", "after"} {
		if got := fmt.Sprint(runsOf(t, record, set)); got != "[1 2 3 4 5]" {
			t.Errorf("%s: runs %s, want each of 5 once", set, got)
		}
	}
	for i := range 3 {
		checkValue(t, record, fmt.Sprintf("probes.%d.probe", i), fmt.Sprint(i+1))
	}
	checkValue(t, record, "treated_seconds", text(lookup(t, record, "plan.treatment_seconds")))
	counted, planned := integer(t, text(lookup(t, record, "wear.written_bytes"))), integer(t, text(lookup(t, record, "plan.written_bytes")))
	written := int64(0)
	for _, a := range kindOf(accesses(t, lines), true, 16<<10/512) {
		if a.nsid == 1 && a.block >= perMiB { // What lies before may be of the zeroing.
			written += a.count * 512
		}
	}
	if written == 0 || written > counted || counted > planned+16<<20 || counted > ageBudget {
		t.Errorf("the emulator saw %d bytes written, the job counts %d, the plan says %d", written, counted, planned)
	}
	for _, line := range destroying(lines) {
		if !writeCommand.MatchString(line) {
			t.Errorf("besides writes, the emulator saw %s", line)
		}
	}
	if page := readFile(t, res.File("age.html")); !strings.Contains(page, "<html") || !strings.Contains(page, "INTERRUPTED") {
		t.Error("the page does not tell of the interruptions")
	}
}

// runsOf are the numbers of the runs of a set, of all sittings.
func runsOf(t *testing.T, record map[string]any, set string) []string {
	t.Helper()
	var runs []string
	reports, _ := lookup(t, record, set).([]any)
	for _, b := range reports {
		results, _ := lookup(t, b, "results").([]any)
		for _, x := range results {
			runs = append(runs, text(lookup(t, x, "run")))
		}
	}
	slices.Sort(runs)
	return runs
}

// addAgeWarning ages a drive that raises a warning in the middle.
func addAgeWarning(jobs *jobList) {
	jobs.shell("age warning",
		qd1Path+" age "+ageSerial+" --mode read --hours 0.01 --runs 5 --seconds 0.05 --rate 4 --no-save --format json >/out/warning.json 2>/out/warning.err & pid=$!",
		"until grep -q TREATING /var/lib/qd1/journal/*.jsonl 2>/dev/null; do sleep 0.02; kill -0 $pid; done", `echo "QD1-EVENT warn" >$QD1_EVENTS`,
		"code=0; wait $pid || code=$?; echo $code")
}

func checkAgeWarning(t *testing.T, res *vmtest.Results) {
	if got := strings.TrimSpace(string(res.Output("age warning"))); got != "1" {
		t.Errorf("exit status %s, want 1:\n%s", got, readFile(t, res.File("warning.err")))
	}
	record := object(t, []byte(readFile(t, res.File("warning.json"))))
	checkValue(t, record, "complete", "false")
	checkValue(t, record, "stops.0.reason", "critical-warning")
	checkValue(t, record, "stops.0.ends", "job")
	if got := fmt.Sprint(runsOf(t, record, "before")); got != "[1 2 3 4 5]" {
		t.Errorf("runs %s are kept, want all of the first set", got)
	}
}
