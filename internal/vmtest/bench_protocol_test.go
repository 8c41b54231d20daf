package vmtest_test

import (
	"slices"
	"strings"
	"testing"

	"qd1.example/qd1/internal/vmtest"
)

// protocolSerial is the drive of TestBenchProtocol, which always has 50 °C.
const protocolSerial = "QD1-PROTOCOL"

// The jobs of TestBenchProtocol.
const (
	jobInterleaved = "interleaved, cool enough"
	jobControl     = "control"
	jobTooHot      = "too hot"
	jobAgainst     = "against a label"
	jobUnkept      = "not kept"
	jobRecords     = "records"
)

// addProtocol measures by rows in rounds, with a limit of the temperature, and
// beside what was kept.
func addProtocol(jobs *jobList) {
	bench := func(name string, args ...string) {
		qd1Job(jobs, name, []string{"bench", node(protocolSerial), "--count", "200", "--warmup", "0"}, args)
	}
	bench(jobInterleaved, "--size", "8MiB,16MiB", "--runs", "2", "--interleave", "--start-temp-max", "60", "--ambient", "22", "--label", "first", "--format", "json")
	bench(jobControl, "--size", "8MiB", "--runs", "5", "--control", "--interleave", "--format", "json")
	bench(jobTooHot, "--start-temp-max", "40", "--settle", "1.5", "--sample", "1")
	bench(jobAgainst, "--size", "8MiB,16MiB", "--against", "first", "--format", "json")
	bench(jobUnkept, "--no-save", "--count", "10", "--format", "json")
	jobs.shell(jobRecords, "ls /var/lib/qd1/records/"+protocolSerial)
}

// TestBenchProtocol arranges runs on a real block device: the order, the
// temperature at the start, what is kept, and what stands beside.
func TestBenchProtocol(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	const size = 32 << 20
	vm := vmtest.New(t, vmtest.Config{
		Devices:  vmtest.Drive{ID: "protocol", Serial: protocolSerial, Namespaces: []vmtest.Namespace{{Image: vmtest.Disk(t, size, vmtest.Filled(size))}}}.Arguments(),
		Programs: []string{"sh", "ls"},
		Files:    map[string]string{qd1Path: vmtest.Build(t, "cmd/qd1")},
		WaitFor:  []string{"/dev/nvme0n1"},
	})
	var jobs jobList
	addProtocol(&jobs)
	res := vm.Run(jobs...)
	t.Run("order", func(t *testing.T) { checkOrder(t, res.With(t)) })
	t.Run("control", func(t *testing.T) { checkControl(t, res.With(t)) })
	t.Run("temperature", func(t *testing.T) { checkStart(t, res.With(t)) })
	t.Run("kept", func(t *testing.T) { checkKept(t, res.With(t)) })
}

// checkOrder checks that rows took turns, and what the drive had at the start.
func checkOrder(t *testing.T, res *vmtest.Results) {
	r := object(t, res.Output(jobInterleaved))
	for path, want := range map[string]string{
		"conditions.protocol.order": "interleaved", "conditions.protocol.start_temperature_max_celsius": "60", "conditions.protocol.ambient_celsius": "22",
		"results.0.row": "0", "results.1.row": "1", "results.2.row": "1", "results.3.row": "0", "results.3.run": "2", "partial": "false",
		"results.0.start.composite_temperature_celsius": "50", "results.3.start.composite_temperature_celsius": "50", "conditions.drive_before.health.composite_temperature_celsius": "50",
	} {
		checkValue(t, r, path, want)
	}
	// The result itself names its record (checkKept).
	if got := string(res.Get(jobInterleaved).Stderr); strings.Contains(got, "kept as record ") {
		t.Errorf("beside the result it says %s", got)
	}
}

// checkControl checks that a row that is measured twice has a verdict.
func checkControl(t *testing.T, res *vmtest.Results) {
	r := object(t, res.Output(jobControl))
	checkValue(t, r, "control.runs", "5")
	checkValue(t, r, "rows.1.control_of", "0")
	checkValue(t, r, "rows.0.drift.runs", "5")
	if v := text(lookup(t, r, "control.verdict")); v != "alike" && v != "differs" {
		t.Errorf("the verdict is %s", v)
	}
}

// checkStart checks that a drive that stays hot is not measured.
func checkStart(t *testing.T, res *vmtest.Results) {
	x := res.Get(jobTooHot)
	if x.Exit != 1 || len(x.Stdout) > 0 {
		t.Errorf("status %d, %s", x.Exit, x.Stdout)
	}
	for _, text := range []string{"the drive is still at 50 °C after", "the runs are to start at 40 °C at most", "hint: cool it better"} {
		if !strings.Contains(string(x.Stderr), text) {
			t.Errorf("%q is not in %s", text, x.Stderr)
		}
	}
}

// checkKept checks which results have a record, and that a label finds one.
func checkKept(t *testing.T, res *vmtest.Results) {
	var want []string
	for _, name := range []string{jobInterleaved, jobControl, jobAgainst} {
		want = append(want, text(lookup(t, object(t, res.Output(name)), "record"))+".json")
	}
	got := strings.Fields(string(res.Output(jobRecords)))
	if !slices.Equal(got, want) {
		t.Errorf("records are %q, want %q", got, want)
	}
	if _, ok := object(t, res.Output(jobUnkept))["record"]; ok {
		t.Error("with --no-save there is a record")
	}
	r := object(t, res.Output(jobAgainst))
	checkValue(t, r, "against.kind", "result")
	checkValue(t, r, "against.simulated", "false")
	checkValue(t, r, "rows.0.against.0.source", "first")
	checkValue(t, r, "rows.1.against.0.source", "first")
}
