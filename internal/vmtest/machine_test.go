package vmtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/vmtest"
)

// nobody is the user without any permission.
const nobody = 65534

// qd1Path is where the program under test stands in a guest.
const qd1Path = "/usr/bin/qd1"

// The serial numbers of the drives that most machines have.
const (
	firstSerial  = "QD1-FIRST"
	secondSerial = "QD1-SECOND"
)

// twoDrives are two drives with four namespaces: two of the first, of 512 and
// 4096 bytes a block, behind a bridge with a faster link than the drive's own;
// two of the second, the first of which has a partition. The second drive
// warns of its temperature and of its spare.
func twoDrives(t *testing.T) []string {
	first := vmtest.Drive{ID: "first", Serial: firstSerial, Options: "bus=bridge", Namespaces: []vmtest.Namespace{
		{Image: vmtest.Disk(t, 64<<20, vmtest.Filled(64<<20)), Options: "eui64=0x5254001122334455"},
		{Image: vmtest.Disk(t, 32<<20), Options: "logical_block_size=4096,physical_block_size=4096"},
	}}
	second := vmtest.Drive{ID: "second", Serial: secondSerial, Options: "smart_critical_warning=3", Namespaces: []vmtest.Namespace{
		{Image: vmtest.Disk(t, 16<<20, vmtest.OnePartition(8<<20))},
		{Image: vmtest.Disk(t, 8<<20)},
	}}
	port := []string{"-device", "pcie-root-port,id=bridge,chassis=1,x-speed=8,x-width=4"}
	return slices.Concat(port, first.Arguments(), second.Arguments())
}

// bothReady are the nodes of twoDrives.
var bothReady = []string{"/dev/nvme0n1", "/dev/nvme0n2", "/dev/nvme1n1", "/dev/nvme1n2", "/dev/nvme*n1p1"}

// jobList collects the jobs of one machine.
type jobList []vmtest.Job

// add adds a job that runs a program, under a name.
func (l *jobList) add(name string, argv ...string) {
	*l = append(*l, vmtest.Job{Name: name, Argv: argv})
}

// qd1 adds a job that runs qd1, named by its arguments.
func (l *jobList) qd1(args ...string) {
	l.add("qd1 "+strings.Join(args, " "), append([]string{qd1Path}, args...)...)
}

// report adds a job that makes a report without a benchmark, named by the
// selector, and without the vendor's logs: simulated drives have none, and
// count the question.
func (l *jobList) report(selector string) {
	l.add("report "+selector, qd1Path, "report", "--format", "json", "--bench=off", "--vendor-logs=off", selector)
}

// shell adds a job that runs a script, which stops at the first error.
func (l *jobList) shell(name string, lines ...string) {
	l.add(name, "sh", "-ec", strings.Join(lines, "\n"))
}

// object reads JSON with numbers as they stand.
func object(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var v map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, text)
	}
	return v
}

// reportOf returns the report that a job made.
func reportOf(t *testing.T, res *vmtest.Results, selector string) map[string]any {
	t.Helper()
	return object(t, res.Output("report "+selector))
}

// lookup returns the value at a path such as "namespaces.0.nsid". It ends the
// test if there is none.
func lookup(t *testing.T, v any, path string) any {
	t.Helper()
	for key := range strings.SplitSeq(path, ".") {
		next, ok := child(v, key)
		if !ok {
			t.Fatalf("no key %s of %s in %v", key, path, v)
		}
		v = next
	}
	return v
}

func child(v any, key string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		c, ok := v[key]
		return c, ok
	case []any:
		i, err := strconv.Atoi(key)
		if err != nil || i >= len(v) {
			return nil, false
		}
		return v[i], true
	}
	return nil, false
}

// text returns a scalar as text, without padding.
func text(v any) string {
	if v == nil {
		return "null"
	}
	return strings.TrimSpace(fmt.Sprint(v))
}

// checkValue compares one value of a JSON object with a text.
func checkValue(t *testing.T, v any, path, want string) {
	t.Helper()
	if got := text(lookup(t, v, path)); got != want {
		t.Errorf("%s: got %s, want %s", path, got, want)
	}
}

// facts returns a report without what differs from one way to name a drive to
// another, and from one moment to another.
func facts(report map[string]any) map[string]any {
	delete(report, "time")
	if drive, ok := report["drive"].(map[string]any); ok {
		delete(drive, "selector")
		delete(drive, "note")
	}
	return report
}

// checkFacts compares two reports.
func checkFacts(t *testing.T, what string, want, got map[string]any) {
	t.Helper()
	if diff := cmp.Diff(facts(want), facts(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// checkCount checks that a benchmark did so many operations and no other.
func checkCount(t *testing.T, res *vmtest.Results, job string, want int) {
	t.Helper()
	got := object(t, res.Output(job))
	checkValue(t, got, "results.0.operations", text(want))
	checkValue(t, got, "results.0.errors", "0")
	checkValue(t, got, "results.0.partial", "false")
}

// checkFailure checks the exit status of a command that was refused or failed,
// and what its message and its next step say. The message is JSON where the
// result is.
func checkFailure(t *testing.T, r vmtest.Result, exit int, says, hint string) {
	t.Helper()
	message, next := string(r.Stderr), string(r.Stderr)
	if strings.HasPrefix(message, "{") {
		failure := object(t, r.Stderr)
		message, next = text(lookup(t, failure, "error.text")), text(failure["error"].(map[string]any)["hint"])
	} else if !strings.Contains(message, "qd1: error: ") || !strings.Contains(message, "qd1: hint: ") {
		t.Errorf("no message with a next step: %s", vmtest.Describe(r))
	}
	if r.Exit != exit || !strings.Contains(oneLine(message), says) || !strings.Contains(oneLine(next), hint) {
		t.Errorf("want exit status %d with %q and the next step %q: %s", exit, says, hint, vmtest.Describe(r))
	}
}
