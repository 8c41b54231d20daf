package vmtest_test

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// wrongSelectors are selectors that are no drive, or none for this user: what
// the cause must name, the selector if empty, and what the hint must say.
var wrongSelectors = []struct {
	name, selector string
	names          string
	uid            int
	exit           int
	says           string
}{
	{name: "character device", selector: "/dev/null", exit: 1},
	{name: "other disk", selector: "/dev/vda", exit: 1},
	{name: "regular file", selector: "/etc/passwd", exit: 1},
	{name: "folder", selector: "/dev", exit: 1},
	{name: "missing node", selector: "/dev/nvme9", exit: 1},
	{name: "unknown serial", selector: "NO-SUCH-SERIAL", exit: 1},
	{name: "shared suffix", selector: "S", exit: 1},
	{name: "nobody", selector: first, uid: nobody, exit: 1, says: "sudo"},
	{name: "nobody with a namespace", selector: first + "n1", names: first, uid: nobody, exit: 1, says: "sudo"},
}

// addWrongSelectors adds the reports of wrongSelectors, in text and one in
// JSON, and one without a selector where there are two drives.
func addWrongSelectors(jobs *jobList) {
	for _, w := range wrongSelectors {
		jobs.add("wrong "+w.name, qd1Path, "report", "--bench=off", w.selector)
		(*jobs)[len(*jobs)-1].UID = w.uid
		jobs.add("name "+w.name, "sh", "-c", "echo "+cmp.Or(w.names, w.selector))
	}
	jobs.qd1("report", "--bench=off", "--format", "json", "/dev/nvme9")
	jobs.qd1("report", "--bench=off")
}

// checkWrongSelectors checks that each gives a cause that names what was asked
// for, a next step, nothing on standard output, and the exit status.
func checkWrongSelectors(t *testing.T, res *vmtest.Results) {
	for _, w := range wrongSelectors {
		got := res.Get("wrong " + w.name)
		name := strings.TrimSpace(string(res.Output("name " + w.name)))
		cause, hint := messages(string(got.Stderr))
		if got.Exit != w.exit || len(got.Stdout) != 0 || !strings.Contains(cause, name) || hint == "" {
			t.Errorf("%s: want exit %d, a cause with %s, and a hint: %s", w.name, w.exit, name, vmtest.Describe(got))
		}
		if !strings.Contains(hint, w.says) {
			t.Errorf("%s: want %q in the hint: %s", w.name, w.says, vmtest.Describe(got))
		}
	}
	asJSON := res.Get("qd1 report --bench=off --format json /dev/nvme9")
	if asJSON.Exit != 1 || !json.Valid(asJSON.Stderr) || len(asJSON.Stdout) != 0 {
		t.Errorf("error in JSON: want exit 1 and one object on standard error: %s", vmtest.Describe(asJSON))
	}
	none := res.Get("qd1 report --bench=off")
	if !strings.Contains(string(none.Stderr), firstSerial) || !strings.Contains(string(none.Stderr), secondSerial) || none.Exit == 0 {
		t.Errorf("no selector: want the serial numbers of both drives: %s", vmtest.Describe(none))
	}
}

// messages takes the cause and the hint out of the lines on standard error.
func messages(stderr string) (cause, hint string) {
	for line := range strings.Lines(stderr) {
		if rest, ok := strings.CutPrefix(line, "qd1: error: "); ok {
			cause += rest
		}
		if rest, ok := strings.CutPrefix(line, "qd1: hint: "); ok {
			hint += rest
		}
	}
	return cause, hint
}

// The serial numbers of the drives of TestSubsystem.
const (
	sharedSerial = "QD1-SHARED"
	otherSerial  = "QD1-OTHER"
)

// crossNumbers makes /dev/nvme1n1 a namespace that is reached through nvme0
// and nvme1, with another drive as nvme2. The number of a namespace's node is
// that of the controller that found its subsystem first, so the controllers
// are bound to the driver again in another order: the other drive takes the
// number 0 while the second controller of the subsystem comes up.
var crossNumbers = []string{
	`bind() { echo 0000:00:0$1.0 >/sys/bus/pci/drivers/nvme/bind; live $2; }`,
	`unbind() { echo 0000:00:0$1.0 >/sys/bus/pci/drivers/nvme/unbind; }`,
	`live() { state=; until [ "$state" = live ]; do sleep 0.05; read -r state </sys/class/nvme/$1/state || :; done; }`,
	`unbind 4; unbind 5; unbind 6; sleep 0.3`,
	`bind 4 nvme0; bind 6 nvme1; unbind 4; sleep 0.3; bind 5 nvme0; bind 4 nvme2`,
	`until [ -b /dev/nvme1n1 ] && [ -b /dev/nvme2n1 ]; do sleep 0.05; done`,
	`echo /sys/class/nvme/*`,
}

// TestSubsystem looks at a subsystem with two controllers, where the numbers
// of controllers and of namespace nodes do not agree.
func TestSubsystem(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	vm := vmtest.New(t, vmtest.Config{
		Devices: []string{
			"-drive", "id=other-disk,if=none,format=raw,cache=unsafe,file=" + vmtest.Disk(t, 16<<20),
			"-drive", "id=shared-disk,if=none,format=raw,cache=unsafe,file=" + vmtest.Disk(t, 32<<20),
			"-device", "nvme,serial=" + otherSerial + ",drive=other-disk,addr=4",
			"-device", "nvme-subsys,id=subsystem",
			"-device", "nvme,serial=" + sharedSerial + ",subsys=subsystem,addr=5",
			"-device", "nvme,serial=" + sharedSerial + ",subsys=subsystem,addr=6",
			"-device", "nvme-ns,drive=shared-disk,nsid=1,shared=on",
		},
		Programs: []string{"sh", "sleep"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		WaitFor:  []string{"/dev/nvme0", "/dev/nvme1", "/dev/nvme2", "/dev/nvme0n1"},
	})
	var jobs jobList
	jobs.shell("cross", crossNumbers...)
	for _, selector := range []string{"/dev/nvme0", "/dev/nvme1", "/dev/nvme1n1", "/dev/ng1n1", sharedSerial, "/dev/nvme2n1"} {
		jobs.report(selector)
	}
	jobs.qd1("list", "--format", "json")
	jobs.shell("remove", "echo 0000:00:06.0 >/sys/bus/pci/drivers/nvme/unbind", "[ -b /dev/nvme1n1 ]")
	jobs.add("alone", qd1Path, "report", "--format", "json", "--bench=off", "/dev/nvme1n1")
	res := vm.Run(jobs...)

	res.Output("cross")
	for _, selector := range []string{"/dev/nvme0", "/dev/nvme1", "/dev/nvme1n1", "/dev/ng1n1", sharedSerial} {
		got := reportOf(t, res, selector)
		checkValue(t, got, "drive.serial", sharedSerial)
		checkValue(t, got, "namespaces.0.size_bytes", "33554432")
		checkValue(t, got, "namespaces.0.block_device", "nvme1n1")
	}
	checkValue(t, reportOf(t, res, "/dev/nvme0"), "drive.controller", "nvme0")
	checkValue(t, reportOf(t, res, "/dev/nvme1"), "drive.controller", "nvme1")
	checkValue(t, reportOf(t, res, "/dev/nvme2n1"), "drive.serial", otherSerial)
	list := string(res.Output("qd1 list --format json"))
	if !strings.Contains(list, sharedSerial) || !strings.Contains(list, otherSerial) {
		t.Errorf("list: want both serial numbers:\n%s", list)
	}
	res.Output("remove")
	alone := object(t, res.Output("alone"))
	checkValue(t, alone, "drive.serial", sharedSerial)
	checkValue(t, alone, "drive.controller", "nvme0")
}
