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

// unplugLimit is how long the report may go on without its drive. On a real
// processor two seconds are the limit; the emulated one is far slower.
const unplugLimit = 10 * time.Second

// runLimit is how long a benchmark may go on without its drive.
const runLimit = 2 * time.Second

// unplugScript starts a report with a long benchmark, tells the host when the
// benchmark reads, waits until the drive is gone, and prints when that was,
// when the report ended, and its exit status. The kernel counts the reads of a
// multipath namespace at its path, which has a name of its own.
var unplugScript = []string{
	`drive={nvme:SERIAL}`,
	`reads() { count=0; for f in /sys/block/${drive}n1/stat /sys/block/${drive}c*n1/stat; do`,
	`  if read -r n rest <$f; then count=$((count + n)); fi; done 2>/dev/null; }`,
	`reads; enough=$((count + 3000))`,
	qd1Path + ` report --format json --exit-code --bench=long /dev/$drive >/out/SERIAL.json 2>/out/SERIAL.err &`,
	`pid=$!`,
	`until [ $count -gt $enough ]; do sleep 0.1; reads; done`,
	`echo "QD1-EVENT SERIAL" >$QD1_EVENTS`,
	`while [ -e /sys/class/nvme/$drive ]; do sleep 0.02; done`,
	`read -r gone rest </proc/uptime`,
	`status=0; wait $pid || status=$?`,
	`read -r ended rest </proc/uptime`,
	`echo $gone $ended $status`,
}

// unplugRuns are benchmarks to take the drive away from. The drive of uring is
// alone, the kernel reaches the others through its multipath layer.
var unplugRuns = []struct{ engine, serial, says string }{
	{"psync", "QD1-GONE-PSYNC", "gone"},
	{"uring", "QD1-GONE-URING", "gone"},
	{"passthru", "QD1-GONE-PASSTHRU", "gone"},
}

// unplugRunScript is like unplugScript for a benchmark. The drive itself counts
// the commands, because the block layer does not see those of all engines.
var unplugRunScript = []string{
	`drive={nvme:SERIAL}`,
	`reads() { count=$(nvme smart-log -o json /dev/$drive | grep host_read_commands | tr -dc 0-9); }`,
	`reads; enough=$((count + 2500))`, // More than qd1 reads beforehand.
	qd1Path + ` bench --format json --seconds 60 --engine ENGINE /dev/${drive}n1 >/out/SERIAL.json 2>/out/SERIAL.err &`,
	`pid=$!`,
	`until [ $count -gt $enough ]; do sleep 0.1; kill -0 $pid; reads; done`,
	`sleep 1`, // The measured part has begun.
	`echo "QD1-EVENT SERIAL" >$QD1_EVENTS`,
	`while [ -e /sys/class/nvme/$drive ]; do sleep 0.02; done`,
	`read -r gone rest </proc/uptime`,
	`status=0; wait $pid || status=$?`,
	`read -r ended rest </proc/uptime`,
	`echo $gone $ended $status`,
}

// TestUnplug takes drives away in the middle of a benchmark: one alone, and
// one that the kernel reaches through its multipath layer. The report must end
// soon, with what was read before, and so must a benchmark by itself.
func TestUnplug(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	alone := []string{
		"-device", "pcie-root-port,id=bridge,chassis=1",
		"-drive", "id=disk,if=none,format=raw,cache=unsafe,file=" + vmtest.Disk(t, 64<<20, vmtest.Filled(64<<20)),
		"-device", "nvme,id=first,bus=bridge,drive=disk,serial=" + firstSerial,
		"-device", "pcie-root-port,id=bridge2,chassis=2",
	}
	multipath := vmtest.Drive{ID: "second", Serial: secondSerial, Options: "bus=bridge2",
		Namespaces: []vmtest.Namespace{{Image: vmtest.Disk(t, 64<<20, vmtest.Filled(64<<20))}}}
	devices := slices.Concat(alone, multipath.Arguments())
	for i, r := range unplugRuns {
		devices = append(devices, unplugDrive(t, r.engine, r.serial, i+3)...)
	}
	vm := vmtest.New(t, vmtest.Config{
		Devices:  devices,
		Programs: []string{"sh", "sleep", "nvme", "grep", "tr"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		WaitFor:  []string{fmt.Sprintf("/dev/nvme%dn1", 1+len(unplugRuns))},
	})
	var jobs jobList
	for _, serial := range []string{firstSerial, secondSerial} {
		jobs.shell(serial, strings.ReplaceAll(strings.Join(unplugScript, "\n"), "SERIAL", serial))
	}
	for _, r := range unplugRuns {
		jobs.shell(r.serial, strings.NewReplacer("SERIAL", r.serial, "ENGINE", r.engine).Replace(strings.Join(unplugRunScript, "\n")))
	}
	vm.Start(jobs...)
	vm.WaitEvent(firstSerial)
	vm.QMP("device_del", map[string]any{"id": "first"})
	vm.WaitEvent(secondSerial)
	vm.QMP("device_del", map[string]any{"id": "second"})
	for _, r := range unplugRuns {
		vm.WaitEvent(r.serial)
		vm.QMP("device_del", map[string]any{"id": r.engine})
	}
	res := vm.Wait()
	t.Run("Alone", func(t *testing.T) { checkUnplug(t, res.With(t), firstSerial) })
	t.Run("Multipath", func(t *testing.T) { checkUnplug(t, res.With(t), secondSerial) })
	for _, r := range unplugRuns {
		t.Run(r.engine, func(t *testing.T) { checkUnpluggedRun(t, res.With(t), r.serial, r.says) })
	}
}

// unplugDrive is a drive behind a port of its own.
func unplugDrive(t *testing.T, id, serial string, port int) []string {
	bus, image := fmt.Sprintf("bridge%d", port), vmtest.Disk(t, 64<<20, vmtest.Filled(64<<20))
	args := []string{"-device", fmt.Sprintf("pcie-root-port,id=%s,chassis=%d", bus, port)}
	if id == "uring" {
		return append(args, "-drive", "id=disk-"+id+",if=none,format=raw,cache=unsafe,file="+image,
			"-device", "nvme,id="+id+",bus="+bus+",drive=disk-"+id+",serial="+serial)
	}
	return append(args, vmtest.Drive{ID: id, Serial: serial, Options: "bus=" + bus, Namespaces: []vmtest.Namespace{{Image: image}}}.Arguments()...)
}

// checkUnpluggedRun checks when and how a benchmark ended, and that it tells
// what it measured.
func checkUnpluggedRun(t *testing.T, res *vmtest.Results, serial, says string) {
	gone, ended, status := unplugged(t, res, serial)
	took, stderr := time.Duration((ended-gone)*float64(time.Second)), readFile(t, res.File(serial+".err"))
	t.Logf("the run ended %v after the drive was gone, with exit status %d: %s", took, status, stderr)
	if took > runLimit {
		t.Errorf("the run ended %v after the drive was gone, want at most %v", took, runLimit)
	}
	if status != 1 || !strings.Contains(stderr, says) {
		t.Errorf("want exit status 1 with %q, got %d: %s", says, status, stderr)
	}
	result := object(t, []byte(readFile(t, res.File(serial+".json"))))
	checkValue(t, result, "results.0.partial", "true")
	if why := text(lookup(t, result, "results.0.ended")); !strings.Contains(why, says) {
		t.Errorf("the result does not say %q: %s", says, why)
	}
	if n := integer(t, text(lookup(t, result, "results.0.operations"))); n == 0 {
		t.Error("the result has no operations")
	}
}

// unplugged returns what unplugScript prints.
func unplugged(t *testing.T, res *vmtest.Results, serial string) (gone, ended float64, status int) {
	t.Helper()
	if _, err := fmt.Sscan(string(res.Output(serial)), &gone, &ended, &status); err != nil {
		t.Fatalf("%v: %s", err, vmtest.Describe(res.Get(serial)))
	}
	return gone, ended, status
}

// checkUnplug checks when and how a report ended.
func checkUnplug(t *testing.T, res *vmtest.Results, serial string) {
	gone, ended, status := unplugged(t, res, serial)
	stderr := readFile(t, res.File(serial+".err"))
	took := time.Duration((ended - gone) * float64(time.Second))
	t.Logf("the report ended %v after the drive was gone, with exit status %d", took, status)
	if took > unplugLimit {
		t.Errorf("the report ended %v after the drive was gone, want at most %v", took, unplugLimit)
	}
	// A drive that went away must never look like a good one to a script.
	if status != 4 && status != 3 {
		t.Errorf("exit status: got %d, want 4 (a section could not be read) or 3 (findings); messages:\n%s", status, stderr)
	}
	if strings.Contains(stderr, "panic") || strings.Contains(stderr, "goroutine ") {
		t.Errorf("the program crashed:\n%s", stderr)
	}
	report := object(t, []byte(readFile(t, res.File(serial+".json"))))
	checkValue(t, report, "drive.serial", serial)
	checkValue(t, report, "identify_controller.sn", serial)
	checkCutShort(t, report)
}

// checkCutShort checks that the report has what was read before the drive
// went or fell silent, and says what happened to the benchmark.
func checkCutShort(t *testing.T, report map[string]any) {
	checkValue(t, report, "smart.composite_temperature_celsius", "50")
	checkValue(t, report, "namespaces.0.size_bytes", "67108864")
	what, ok := benchEnd(report)
	t.Logf("the benchmark section says: %s", what)
	if !ok {
		t.Errorf("the benchmark section does not say that it was cut off: %v", report["bench"])
	}
}

// benchEnd returns what the benchmark section says of its end: an error where
// nothing was measured, else the result of a part with the reason.
func benchEnd(report map[string]any) (what string, ok bool) {
	section, _ := report["bench"].(map[string]any)
	if problem, _ := section["error"].(map[string]any); problem != nil {
		return text(problem["text"]), text(problem["text"]) != ""
	}
	result, _ := section["qd1_read"].(map[string]any)
	return text(result["ended"]), result["partial"] == true && text(result["ended"]) != ""
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
