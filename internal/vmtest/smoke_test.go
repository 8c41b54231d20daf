package vmtest_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/vmtest"
)

// TestMachine checks the machine itself: events, the control port, users,
// time-outs, files that come back, and two drives with their serial numbers.
func TestMachine(t *testing.T) {
	t.Parallel()
	vm := vmtest.New(t, vmtest.Config{
		Devices:  twoDrives(t),
		Programs: []string{"nvme", "sh"},
		WaitFor:  bothReady,
	})
	vm.Start(
		vmtest.Job{Name: "list", Argv: []string{"nvme", "list", "-o", "json"}},
		vmtest.Job{Name: "event", Argv: []string{"sh", "-c", `echo "QD1-EVENT hello" >$QD1_EVENTS`}},
		vmtest.Job{Name: "nobody", Argv: []string{"sh", "-c", `: </dev/nvme0`}, UID: nobody},
		vmtest.Job{Name: "file", Argv: []string{"sh", "-c", `echo text >` + vmtest.OutDir + `/file`}},
		vmtest.Job{Name: "slow", Argv: []string{"sh", "-c", `while :; do :; done`}, Timeout: 1e8, Event: "slow"},
		vmtest.Job{Name: "absent", Argv: []string{"no-such-program"}},
	)
	vm.WaitEvent("hello")
	if got := string(vm.QMP("query-status", nil)); !strings.Contains(got, `"running"`) {
		t.Errorf("query-status: got %s, want running", got)
	}
	vm.WaitEvent("slow")
	res := vm.Wait()

	want := []string{firstSerial, firstSerial, secondSerial, secondSerial}
	if diff := cmp.Diff(want, listedSerials(t, res.Output("list"))); diff != "" {
		t.Errorf("nvme list (-want +got):\n%s", diff)
	}
	if got := res.Get("nobody"); got.Exit != 2 || !strings.Contains(string(got.Stderr), "Permission denied") {
		t.Errorf("job as nobody: %s", vmtest.Describe(got))
	}
	if got := res.Get("slow"); !got.TimedOut || got.Signal != "killed" {
		t.Errorf("job with time-out: %s", vmtest.Describe(got))
	}
	if got := res.Get("absent"); got.Exit != -1 || got.Error == "" {
		t.Errorf("job without a program: %s", vmtest.Describe(got))
	}
	if got, err := os.ReadFile(res.File("file")); err != nil || string(got) != "text\n" {
		t.Errorf("file from the guest: %q, %v", got, err)
	}
}

// listedSerials returns the serial number of each namespace in the output of
// nvme list, sorted.
func listedSerials(t *testing.T, text []byte) []string {
	t.Helper()
	var list struct {
		Devices []struct{ SerialNumber string }
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	var serials []string
	for _, d := range list.Devices {
		serials = append(serials, d.SerialNumber)
	}
	slices.Sort(serials)
	return serials
}

// TestPanic checks that a kernel panic, after which the emulator exits with
// status 0, is not taken for success.
func TestPanic(t *testing.T) {
	vmtest.Require(t)
	t.Parallel()
	text, err := vmtest.RunBroken(t)
	if err == nil || !strings.Contains(err.Error(), "kernel panic") {
		t.Errorf("machine without PID 1: got error %v, want kernel panic; console:\n%s", err, text)
	}
}
