package aging

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"qd1.example/qd1/internal/journal"
)

// victimDir is the environment variable that makes the test program work on a
// job in a directory until it is killed.
const victimDir = "QD1_AGING_TEST_DIR"

// TestVictim is the program that is killed.
func TestVictim(t *testing.T) {
	dir := os.Getenv(victimDir)
	if dir == "" {
		t.Skip("for the other process of TestKill")
	}
	if _, err := work(t, dir); err != nil {
		t.Fatal(err)
	}
}

// work begins the job in a directory, or carries on with it.
func work(t *testing.T, dir string) (*Record, error) {
	d := simulated(t, "optane-905p", dir)
	if list, _ := d.Journal.List(); len(list) > 0 {
		return Resume(t.Context(), d, list[0].ID)
	}
	state, err := d.Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(quick(Mixed), 0, d.Target, state)
	if err != nil {
		t.Fatal(err)
	}
	return Run(t.Context(), d, p)
}

// TestKill kills a process in the set before, in the treatment and in the set
// after, and carries on with its job.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	store := journal.Open(dir)
	killed := 0
	for _, at := range []journal.State{Before, Treating, After} {
		c := exec.Command("/proc/self/exe", "-test.run=^TestVictim$")
		c.Env = append(os.Environ(), victimDir+"="+dir)
		c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		awaitState(t, store, at)
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := c.Wait(); errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
			killed++
		}
		list, faults := store.List()
		if len(list) != 1 || len(faults) > 0 || list[0].Live {
			t.Fatalf("killed in %s: journal %+v, %v", at, list, faults)
		}
	}
	rec, err := work(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if !rec.Complete || len(rec.Interruptions) != killed || killed < 2 {
		t.Errorf("complete %t, %d interruptions after %d kills: %s", rec.Complete, len(rec.Interruptions), killed, rec.Summary)
	}
	runs := 0
	for _, b := range append(rec.Before, rec.After...) {
		runs += len(b.Results)
	}
	if runs != 2*rec.Plan.Runs || len(rec.Probes) != 2 {
		t.Errorf("%d runs and %d probes, want %d and 2", runs, len(rec.Probes), 2*rec.Plan.Runs)
	}
}

// awaitState waits until the journal of the only job has come to a state.
func awaitState(t *testing.T, store *journal.Store, s journal.State) {
	t.Helper()
	for range 3000 {
		if list, _ := store.List(); len(list) == 1 && rank(list[0].State()) >= rank(s) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the job has not come to %s", s)
}
