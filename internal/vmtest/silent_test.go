package vmtest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/vmtest"
)

// silentLimit is how long a report may take after its drive stopped answering,
// with a time-out of three seconds, on the slow emulated processor. The
// kernel's own time-out of 30 seconds comes later.
const silentLimit = 15 * time.Second

// silentScript is like unplugScript: the drive stays, but answers no more
// until the script tells that it has ended. The process that reads can then
// not even be killed.
var silentScript = []string{
	`reads() { read -r count rest </sys/block/nvme0n1/stat; }`,
	`reads; enough=$((count + 3000))`,
	qd1Path + ` report --format json --exit-code --timeout 3s --bench=long /dev/nvme0 >/out/silent.json 2>/out/silent.err &`,
	`pid=$!`,
	`until [ $count -gt $enough ]; do sleep 0.1; reads; done`,
	`echo "QD1-EVENT reading" >$QD1_EVENTS`,
	`until now=$count; sleep 0.3; reads; [ $now = $count ]; do :; done`,
	`read -r silent rest </proc/uptime`,
	`status=0; wait $pid || status=$?`,
	`read -r ended rest </proc/uptime`,
	`echo "QD1-EVENT ended" >$QD1_EVENTS`,
	`echo $silent $ended $status`,
}

// TestSilent lets a drive stop answering in the middle of the benchmark.
func TestSilent(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	vm := vmtest.New(t, vmtest.Config{
		Devices: []string{
			"-drive", "id=disk,if=none,format=raw,cache=unsafe,file=" + vmtest.Disk(t, 64<<20, vmtest.Filled(64<<20)),
			"-device", "nvme,id=silent,drive=disk,serial=" + firstSerial,
		},
		Programs: []string{"sh", "sleep"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		WaitFor:  []string{"/dev/nvme0n1"},
	})
	var jobs jobList
	jobs.shell("silent", silentScript...)
	vm.Start(jobs...)
	vm.WaitEvent("reading")
	vm.QMP("block_set_io_throttle", throttle(1))
	vm.WaitEvent("ended")
	vm.QMP("block_set_io_throttle", throttle(0))
	res := vm.Wait()

	var silent, ended float64
	var status int
	if _, err := fmt.Sscan(string(res.Output("silent")), &silent, &ended, &status); err != nil {
		t.Fatalf("%v: %s", err, vmtest.Describe(res.Get("silent")))
	}
	stderr := readFile(t, res.File("silent.err"))
	took := time.Duration((ended - silent) * float64(time.Second))
	t.Logf("the report ended %v after the drive fell silent, with exit status %d", took, status)
	if took > silentLimit {
		t.Errorf("the report ended %v after the drive fell silent, want at most %v", took, silentLimit)
	}
	if !slices.Contains([]int{3, 4}, status) || strings.Contains(stderr, "panic") {
		t.Errorf("exit status: got %d, want 4 (a section could not be read) or 3 (findings); messages:\n%s", status, stderr)
	}
	checkCutShort(t, object(t, []byte(readFile(t, res.File("silent.json")))))
}

// throttle limits the emulated drive to a number of bytes a second; 0 lifts
// the limit.
func throttle(bytes int) map[string]any {
	return map[string]any{"id": "silent", "bps": bytes, "bps_rd": 0, "bps_wr": 0, "iops": 0, "iops_rd": 0, "iops_wr": 0}
}
