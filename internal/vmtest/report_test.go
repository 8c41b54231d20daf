package vmtest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// The drives of twoDrives as arguments of jobs.
const (
	first  = "/dev/{nvme:QD1-FIRST}"
	second = "/dev/{nvme:QD1-SECOND}"
)

// byIDLink is a link as udev makes them.
const byIDLink = "/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_QD1-FIRST"

// sameDrive are ways to name the first drive. Its EUI-64 is not one of them:
// the kernel hides the identifiers of QEMU's drives.
var sameDrive = []string{
	first, first + "n1", "/dev/{ng:QD1-FIRST}n1", first + "n2", firstSerial, "FIRST",
	"{pci:QD1-FIRST}", byIDLink,
}

// rawPages are the raw pages to compare: the arguments of qd1 and of nvme.
var rawPages = []struct{ qd1, nvme string }{
	{"id ctrl -o binary " + first, "id-ctrl -b " + first},
	{"id ns -o binary " + first + "n1", "id-ns -b " + first + "n1"},
	{"id ns -o binary " + first + "n2", "id-ns -b " + first + "n2"},
	{"id ns -o binary --namespace-id 2 " + first, "id-ns -b -n 2 " + first},
	{"smart -o binary " + first, "smart-log -b " + first},
	{"smart -o binary " + second, "smart-log -b " + second},
	{"firmware info -o binary " + first, "fw-log -b " + first},
	{"errors -o binary " + first, "error-log -b " + first},
}

// TestReport looks at two drives in all the ways that the main job has. It is
// one machine, because a boot costs more than most jobs.
func TestReport(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	program := vmtest.Build(t, "cmd/qd1")
	vm := vmtest.New(t, vmtest.Config{
		Devices:  twoDrives(t),
		Programs: []string{"nvme", "smartctl", "sh", "ln", "mkdir"},
		Files:    map[string]string{qd1Path: program},
		WaitFor:  bothReady,
	})
	var jobs jobList
	jobs.add("partition", "sh", "-c", "echo "+second+"n1p1")
	jobs.shell("links", "mkdir -p /dev/disk/by-id", "ln -s ../../{nvme:QD1-FIRST}n1 "+byIDLink)
	for _, selector := range append(sameDrive, second, second+"n1p1", second+"n2") {
		jobs.report(selector)
	}
	jobs.qd1("list", "--format", "json")
	addRawJobs(&jobs)
	addOtherTools(&jobs)
	addSections(&jobs)
	addWrongSelectors(&jobs)
	jobs.qd1("capture", first, vmtest.OutDir+"/first.jsonl")
	addBench(&jobs)
	res := vm.Run(jobs...)

	t.Run("SameFacts", func(t *testing.T) { checkSameFacts(t, res.With(t)) })
	t.Run("Partition", func(t *testing.T) { checkPartition(t, res.With(t)) })
	t.Run("Link", func(t *testing.T) { checkLink(t, res.With(t)) })
	t.Run("List", func(t *testing.T) { checkList(t, res.With(t)) })
	t.Run("RawPages", func(t *testing.T) { checkRawPages(t, res.With(t)) })
	t.Run("OtherTools", func(t *testing.T) { checkOtherTools(t, res.With(t)) })
	t.Run("Sections", func(t *testing.T) { checkSections(t, res.With(t)) })
	t.Run("WrongSelectors", func(t *testing.T) { checkWrongSelectors(t, res.With(t)) })
	t.Run("Bench", func(t *testing.T) { checkBench(t, res.With(t)) })
	t.Run("Replay", func(t *testing.T) { checkReplay(t, program, res.With(t)) })
}

// checkSameFacts compares the reports by all names of one drive.
func checkSameFacts(t *testing.T, res *vmtest.Results) {
	want := reportOf(t, res, first)
	checkValue(t, want, "schema", "qd1.report/1")
	checkValue(t, want, "simulated", "false")
	checkValue(t, want, "drive.serial", firstSerial)
	checkValue(t, want, "drive.model", "QEMU NVMe Ctrl")
	checkValue(t, want, "namespaces.0.size_bytes", "67108864")
	checkValue(t, want, "namespaces.1.nsid", "2")
	checkValue(t, want, "namespaces.1.lba_format.data_bytes", "4096")
	checkValue(t, want, "namespaces.0.eui64", "5254001122334455")
	for _, selector := range sameDrive[1:] {
		checkFacts(t, selector, reportOf(t, res, first), reportOf(t, res, selector))
	}
	other := reportOf(t, res, second)
	checkValue(t, other, "drive.serial", secondSerial)
	checkValue(t, other, "smart.critical_warning.value", "3")
	checkValue(t, other, "smart.critical_warning.available_spare_low", "true")
	checkValue(t, other, "smart.critical_warning.temperature", "true")
	checkValue(t, other, "smart.critical_warning.read_only", "false")
	checkValue(t, other, "verdict.level", "return")
}

// checkPartition checks that a partition means its namespace, and that the
// report says so.
func checkPartition(t *testing.T, res *vmtest.Results) {
	got := reportOf(t, res, second+"n1p1")
	node := strings.TrimPrefix(strings.TrimSpace(string(res.Output("partition"))), "/dev/")
	if note := text(lookup(t, got, "drive.note")); !strings.Contains(note, node) {
		t.Errorf("drive.note: got %q, want it to name %s", note, node)
	}
	if parts := text(lookup(t, got, "namespaces.0.partitions")); !strings.Contains(parts, node) {
		t.Errorf("namespaces.0.partitions: got %s, want %s in it", parts, node)
	}
	checkFacts(t, "partition", reportOf(t, res, second), got)
}

// checkLink checks the link of a drive behind a port of 8 GT/s and 4 lanes.
// The emulated drive itself has 2.5 GT/s and one lane.
func checkLink(t *testing.T, res *vmtest.Results) {
	got := reportOf(t, res, first)
	checkValue(t, got, "link.speed_gts", "2.5")
	checkValue(t, got, "link.width", "1")
	checkValue(t, got, "link.max_speed_gts", "2.5")
	checkValue(t, got, "link.max_width", "1")
	checkValue(t, got, "link.path.0.max_speed_gts", "8")
	checkValue(t, got, "link.path.0.max_width", "4")
}

// checkList checks that the list has two drives with two namespaces each.
func checkList(t *testing.T, res *vmtest.Results) {
	var list struct {
		Schema string
		Drives []struct {
			Serial     string
			SizeBytes  int64 `json:"size_bytes"`
			Namespaces []struct {
				NSID int `json:"nsid"`
			}
			Error any
		}
	}
	if err := json.Unmarshal(res.Output("qd1 list --format json"), &list); err != nil {
		t.Fatal(err)
	}
	sizes := make(map[string]int64)
	for _, d := range list.Drives {
		sizes[d.Serial] = d.SizeBytes
		if len(d.Namespaces) != 2 || d.Error != nil {
			t.Errorf("%s: got %d namespaces and error %v, want 2 and none", d.Serial, len(d.Namespaces), d.Error)
		}
	}
	if len(list.Drives) != 2 || sizes[firstSerial] != 96<<20 || sizes[secondSerial] != 24<<20 {
		t.Errorf("drives: got %v", sizes)
	}
}

// addRawJobs reads each page three times: by qd1, by nvme, and by qd1 again,
// so that a counter that moves in between does not fail the comparison.
func addRawJobs(jobs *jobList) {
	for _, p := range rawPages {
		args := append([]string{qd1Path}, strings.Fields(p.qd1)...)
		jobs.add("before "+p.qd1, args...)
		jobs.add("nvme "+p.qd1, append([]string{"nvme"}, strings.Fields(p.nvme)...)...)
		jobs.add("after "+p.qd1, args...)
	}
}

// checkRawPages compares the pages byte for byte.
func checkRawPages(t *testing.T, res *vmtest.Results) {
	for _, p := range rawPages {
		want := res.Output("nvme " + p.qd1)
		before, after := res.Output("before "+p.qd1), res.Output("after "+p.qd1)
		if len(want) == 0 || !slices.Equal(before, want) && !slices.Equal(after, want) {
			t.Errorf("qd1 %s: %d and %d bytes, nvme %s: %d bytes, not the same", p.qd1,
				len(before), len(after), p.nvme, len(want))
		}
	}
}

// addSections adds the commands that show one section, and a namespace that
// does not exist.
func addSections(jobs *jobList) {
	for _, name := range []string{"smart", "errors", "link"} {
		jobs.qd1(name, "--format", "json", first)
	}
	jobs.qd1("firmware", "info", "--format", "json", first)
	jobs.qd1("report", "--bench=off", first)
	jobs.qd1("list")
	jobs.qd1("id", "ns", "--namespace-id", "0x7777", first)
}

// checkSections checks that the commands end with success and print what they
// should, and that the status of a refused command is an error.
func checkSections(t *testing.T, res *vmtest.Results) {
	for _, name := range []string{"smart", "errors", "link", "firmware info"} {
		object(t, res.Output("qd1 "+name+" --format json "+first))
	}
	for _, name := range []string{"qd1 report --bench=off " + first, "qd1 list"} {
		if out := string(res.Output(name)); !strings.Contains(out, firstSerial) || strings.Contains(out, "SIMULATED") {
			t.Errorf("%s: no serial number, or simulated:\n%s", name, out)
		}
	}
	bad := res.Get("qd1 id ns --namespace-id 0x7777 " + first)
	stderr := string(bad.Stderr)
	if bad.Exit != 1 || !strings.Contains(stderr, "Invalid Namespace or Format") || !strings.Contains(strings.ToLower(stderr), "0x00b") {
		t.Errorf("identify of a namespace that does not exist: %s", vmtest.Describe(bad))
	}
}

// checkReplay makes the report of the capture on the host and compares it with
// the report made in the guest.
func checkReplay(t *testing.T, program string, res *vmtest.Results) {
	res.Output("qd1 capture " + first + " " + vmtest.OutDir + "/first.jsonl")
	file := filepath.Join(t.TempDir(), "first.jsonl")
	text, err := os.ReadFile(res.File("first.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "report", "--format", "json", "--bench=off", "replay:"+file)
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	checkFacts(t, "replay", reportOf(t, res, first), object(t, out))
}
