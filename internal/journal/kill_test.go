package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// appender starts a process that appends entries to a job as fast as it can,
// and writes a line for each one whose Append has returned.
func appender(t *testing.T, s *Store, id string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAppender$")
	cmd.Env = append(os.Environ(), "QD1_TEST_JOURNAL="+s.dir, "QD1_TEST_JOB="+id)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewReader(out)
}

// TestAppender is the process that appender starts. It creates a job, or
// resumes one, appends entries and does not end by itself.
func TestAppender(t *testing.T) {
	dir, id := os.Getenv("QD1_TEST_JOURNAL"), os.Getenv("QD1_TEST_JOB")
	if dir == "" {
		t.Skip("runs in a process of another test")
	}
	s := Open(dir)
	var j *Job
	var err error
	next := 0
	if id == "" {
		j, err = s.Create("erase", serial, nil, time.Now())
	} else {
		var rec *Record
		j, rec, err = s.Resume(id)
		next = len(rec.Entries)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := next; i < next+100; i++ {
		// Entries of several pages are cut more often.
		data := map[string]any{"n": i, "fill": strings.Repeat("x", i%5*4000)}
		if err := j.Append(Sent, data); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(os.Stdout, "%d\n", i); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // until the other process ends
}

// TestKill kills a process at random moments while it appends, and takes its
// job over, again and again: each entry whose Append returned is there.
func TestKill(t *testing.T) {
	s := store(t)
	id, entries := "", 0
	for round := range 6 {
		cmd, out := appender(t, s, id)
		last := readTo(t, out, entries+rand.IntN(30))
		if round == 0 {
			id = only(t, s).ID
			checkHeld(t, s, id, cmd.Process.Pid)
		}
		time.Sleep(rand.N(2 * time.Millisecond)) // a moment within an entry
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(out)
		if err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // killed
		if f := bytes.Fields(rest); len(f) > 0 && rest[len(rest)-1] == '\n' {
			last = atoi(t, string(f[len(f)-1]))
		}
		rec := only(t, s)
		entries = len(rec.Entries)
		t.Logf("round %d: %d entries returned, %d in the journal, torn %t", round, last+1, entries, rec.Torn)
		checkBroken(t, s, &rec, last)
	}
}

// readTo reads the lines of a process up to a number.
func readTo(t *testing.T, out *bufio.Reader, number int) int {
	t.Helper()
	for {
		line, err := out.ReadString('\n')
		if err != nil {
			t.Fatalf("the process ended early: %v", err)
		}
		if n := atoi(t, strings.TrimSpace(line)); n >= number {
			return n
		}
	}
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("the process wrote %q", s)
	}
	return n
}

// checkHeld looks at a job that another process holds.
func checkHeld(t *testing.T, s *Store, id string, pid int) {
	t.Helper()
	if rec := only(t, s); !rec.Live || rec.PID != pid {
		t.Errorf("live %t, process %d, want %d", rec.Live, rec.PID, pid)
	}
	if got := s.Unfinished(serial); len(got) != 0 {
		t.Errorf("unfinished %v, want none", got)
	}
	_, createErr := s.Create("erase", serial, nil, start)
	_, _, resumeErr := s.Resume(id)
	for _, err := range []error{createErr, resumeErr} {
		var live *LiveError
		if !errors.As(err, &live) || live.ID != id || live.PID != pid || live.Serial != serial {
			t.Errorf("error %v, want ErrLive with job %s of process %d", err, id, pid)
		}
	}
}

// checkBroken looks at a job whose process was killed after its Append number
// last had returned.
func checkBroken(t *testing.T, s *Store, rec *Record, last int) {
	t.Helper()
	if rec.Live || len(rec.Entries) <= last || len(rec.Entries) > last+2 {
		t.Fatalf("live %t, %d entries, want %d or one more", rec.Live, len(rec.Entries), last+1)
	}
	for i, e := range rec.Entries {
		if n := number(t, e); n != i || e.State != Sent {
			t.Fatalf("entry %d is number %d, state %s", i, n, e.State)
		}
	}
	if got := s.Unfinished(serial); len(got) != 1 || got[0].ID != rec.ID {
		t.Errorf("unfinished %v, want %s", got, rec.ID)
	}
}

// TestKilledJobDoesNotBlock creates a job beside one that was broken off.
func TestKilledJobDoesNotBlock(t *testing.T) {
	s := store(t)
	cmd, out := appender(t, s, "")
	readTo(t, out, 0)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	j, err := s.Create("erase", serial, nil, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if got := s.Unfinished(serial); len(got) != 1 || got[0].ID == j.ID || filepath.Dir(got[0].Path) != s.dir {
		t.Errorf("unfinished %v, want the other one", got)
	}
}
