package record

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// saver starts a process that saves records as fast as it can, and writes the
// identifier of each one whose Save has returned.
func saver(t *testing.T, s *Store, name string, records int) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSaver$")
	cmd.Env = append(os.Environ(), "QD1_TEST_RECORDS="+s.dir, "QD1_TEST_NAME="+name, fmt.Sprintf("QD1_TEST_COUNT=%d", records))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// TestSaver is the process that saver starts.
func TestSaver(t *testing.T) {
	dir := os.Getenv("QD1_TEST_RECORDS")
	if dir == "" {
		t.Skip("runs in a process of another test")
	}
	var records int
	if _, err := fmt.Sscan(os.Getenv("QD1_TEST_COUNT"), &records); err != nil {
		t.Fatal(err)
	}
	s := Open(dir)
	for i := range records {
		r := sample(i%5, "bench", os.Getenv("QD1_TEST_NAME"))
		// Bodies of several pages are cut more often.
		r.Body = fmt.Appendf(nil, `{"n":%d,"fill":%q}`, i, strings.Repeat("x", i%7*20000))
		if _, err := s.Save(r); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintln(os.Stdout, "saved", r.ID); err != nil {
			t.Fatal(err)
		}
	}
}

// saved returns the identifiers in the output of a process, without a line
// that is not whole.
func saved(out []byte) []string {
	var list []string
	for line := range bytes.Lines(out) {
		if id, ok := strings.CutPrefix(string(line), "saved "); ok && strings.HasSuffix(id, "\n") {
			list = append(list, strings.TrimSpace(id))
		}
	}
	return list
}

// TestKill kills a process at random moments while it saves, again and again:
// each record whose Save returned is there, all that is there is whole, and
// what was broken off is gone after the next Save.
func TestKill(t *testing.T) {
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	s := store(t)
	acknowledged := map[string]bool{}
	broken := 0
	for round := range rounds {
		cmd, out := saver(t, s, fmt.Sprintf("round%d", round), 1<<30)
		lines := bufio.NewReader(out)
		first, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the process ended early: %v", err)
		}
		time.Sleep(rand.N(15 * time.Millisecond)) // a moment within any of its saves
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(lines)
		if err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // killed
		for _, id := range saved(append([]byte(first), rest...)) {
			acknowledged[id] = true
		}
		broken += len(temps(t, s))
		checkKilled(t, s, acknowledged, round+1)
	}
	t.Logf("%d records were acknowledged, %d files were broken off", len(acknowledged), broken)
	save(t, s, sample(0, "bench", "last"))
	if left := temps(t, s); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// checkKilled looks at the records after so many kills, each of which may have
// left one that was not acknowledged.
func checkKilled(t *testing.T, s *Store, acknowledged map[string]bool, kills int) {
	t.Helper()
	list := all(t, s)
	if more := len(list) - len(acknowledged); more < 0 || more > kills {
		t.Fatalf("%d records after %d kills, %d were acknowledged", len(list), kills, len(acknowledged))
	}
	there := map[string]bool{}
	for _, r := range list {
		there[r.ID] = true
		if !bytes.HasSuffix(r.Body, []byte(`"}`)) {
			t.Fatalf("%s is not whole", r.ID)
		}
	}
	for id := range acknowledged {
		if !there[id] {
			t.Fatalf("record %s was acknowledged and is lost", id)
		}
	}
}

// TestProcesses lets several processes save records of one drive at once, while
// this one lists, exports and removes.
func TestProcesses(t *testing.T) {
	const processes, each = 4, 25
	s := store(t)
	save(t, s, sample(-9, "report", "old"))
	var cmds []*exec.Cmd
	var outs []io.Reader
	for n := range processes {
		cmd, out := saver(t, s, fmt.Sprintf("p%d", n), each)
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	if gone, faults := s.Prune(Query{Label: "old"}, 0, start, false); len(gone) != 1 || len(faults) > 0 {
		t.Errorf("removed %v, %v", gone, faults)
	}
	if _, faults := s.Export(io.Discard, Query{}); len(faults) > 0 {
		t.Errorf("export meanwhile: %v", faults)
	}
	ids := map[string]bool{}
	for n, out := range outs {
		text, err := io.ReadAll(out)
		if err != nil {
			t.Fatal(err)
		}
		if err := cmds[n].Wait(); err != nil {
			t.Errorf("process %d: %v", n, err)
		}
		for _, id := range saved(text) {
			ids[id] = true
		}
		all(t, s)
	}
	if list := all(t, s); len(ids) != processes*each || len(list) != len(ids) {
		t.Errorf("%d identifiers, %d records, want %d", len(ids), len(list), processes*each)
	}
	if left := temps(t, s); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
