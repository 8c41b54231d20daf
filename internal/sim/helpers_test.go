package sim

import (
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// open opens a drive for one test.
func open(t testing.TB, profile string) *Drive {
	t.Helper()
	d, err := Open(profile)
	if err != nil {
		t.Fatalf("Open(%q): %v", profile, err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// instant is a 905P whose accesses take next to no time, with a clock that
// moves only when the test moves it.
func instant(t testing.TB, change func(*personality)) (*Drive, *time.Time) {
	t.Helper()
	return instantOf(t, optane905P(), change)
}

// instantOf is the drive of a profile whose accesses and operations take next
// to no time.
func instantOf(t testing.TB, profile Profile, change func(*personality)) (*Drive, *time.Time) {
	t.Helper()
	p := profile.personality
	p.medium.read, p.medium.write, p.medium.bytesPerSecond = 1, 1, 1<<40
	p.work = work{}
	if change != nil {
		change(&p)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	d, err := newDrive(&p, nil, func() time.Time { return now })
	if err != nil {
		t.Fatalf("newDrive: %v", err)
	}
	t.Cleanup(func() { d.Close() })
	return d, &now
}

// submit sends a command that the drive must answer.
func submit(t testing.TB, d *Drive, cmd *nvme.Command) nvme.Completion {
	t.Helper()
	c, err := d.Submit(t.Context(), cmd)
	if err != nil {
		t.Fatalf("Submit(%s %02Xh): %v", cmd.Queue, cmd.Opcode, err)
	}
	return c
}

func smartLog(t testing.TB, d *Drive) *nvme.SMARTLog {
	t.Helper()
	s, err := nvme.NewController(d).SMARTLog(t.Context())
	if err != nil {
		t.Fatalf("SMARTLog: %v", err)
	}
	return s
}

func errorLogOf(t testing.TB, d *Drive) nvme.ErrorLog {
	t.Helper()
	l, err := nvme.NewController(d).ErrorLog(t.Context(), nil)
	if err != nil {
		t.Fatalf("ErrorLog: %v", err)
	}
	return l
}

// newStore is a store of its own.
func newStore(size int64, seed uint64) *store { return newStoreIn(size, newGenerator(seed), newRoom()) }
