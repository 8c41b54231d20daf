package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/state"
)

func TestJob(t *testing.T) {
	s := store(t)
	j := create(t, s)
	appendAll(t, j, Armed, Sent)
	if err := j.Append(Returned, nil); err != nil {
		t.Fatal(err)
	}
	no := false
	want := Record{
		ID: "20260304T050607-089-" + serial, Kind: "erase", Serial: serial, Time: start,
		Header: []byte(`{"passes":1}`), Live: true, PID: os.Getpid(), Boot: s.Boot(), Restarted: &no,
		Path: filepath.Join(s.Dir(), "20260304T050607-089-"+serial+".jsonl"),
	}
	got := only(t, s)
	entries := got.Entries
	got.Entries = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	for i, want := range []Entry{
		{State: Armed, Data: []byte(`{"n":0}`)}, {State: Sent, Data: []byte(`{"n":1}`)}, {State: Returned},
	} {
		got := entries[i]
		if age := time.Since(got.Time); age < 0 || age > time.Minute || got.PID != os.Getpid() || got.Boot != s.Boot() {
			t.Errorf("entry %d: %+v", i, got)
		}
		got.Time, got.PID, got.Boot = time.Time{}, 0, ""
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("entry %d (-want +got):\n%s", i, diff)
		}
	}
	if j.ID != want.ID || j.Kind != "erase" || j.Serial != serial {
		t.Errorf("job is %s %s %s", j.ID, j.Kind, j.Serial)
	}
}

func TestFilesAreForTheOwner(t *testing.T) {
	s := store(t)
	j := create(t, s)
	if err := j.Keep("samples", []byte("x")); err != nil {
		t.Fatal(err)
	}
	for _, name := range names(t, s) {
		info, err := os.Stat(filepath.Join(s.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != 0o600 {
			t.Errorf("mode of %s is %v, want 0600", name, info.Mode())
		}
	}
	flags, err := unix.FcntlInt(j.file.Fd(), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("flags of the descriptor are %#x, %v, want FD_CLOEXEC", flags, err)
	}
}

func TestEmptyStore(t *testing.T) {
	s := store(t)
	if records, faults := s.List(); records != nil || faults != nil {
		t.Errorf("List = %v, %v, want nothing", records, faults)
	}
	if got := s.Unfinished(serial); got != nil {
		t.Errorf("Unfinished = %v, want nothing", got)
	}
	if _, _, err := s.Resume("20260304T050607-089-A"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Resume: %v, want ErrNotExist", err)
	}
	if _, _, err := s.Resume("../A"); !errors.Is(err, ErrBadName) {
		t.Errorf("Resume: %v, want ErrBadName", err)
	}
	if _, err := os.Stat(s.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory was created by reading: %v", err)
	}
}

func TestOneLiveJobForEachSerial(t *testing.T) {
	s := store(t)
	first := create(t, s)
	appendAll(t, first, Armed)
	_, err := s.Create("format", serial, nil, start)
	want := &LiveError{ID: first.ID, Serial: serial, PID: os.Getpid()}
	var got *LiveError
	if !errors.Is(err, ErrLive) || !errors.As(err, &got) || *got != *want {
		t.Fatalf("a second job: %v, want %v", err, want)
	}
	if text := fmt.Sprintf("a job is under way for serial %s: job %s, process %d", serial, first.ID, os.Getpid()); err.Error() != text {
		t.Errorf("error %q, want %q", err, text)
	}
	other, err := s.Create("erase", serial+"X", nil, start)
	if err != nil {
		t.Fatalf("for another serial: %v", err)
	}
	closeJob(t, other)
	closeJob(t, first)
	second := create(t, s)
	if second.ID <= first.ID {
		t.Errorf("identifiers %s, then %s at the same time, want rising ones", first.ID, second.ID)
	}
	if _, _, err := s.Resume(first.ID); !errors.As(err, &got) || got.ID != second.ID {
		t.Errorf("Resume of the first: %v, want that %s is live", err, second.ID)
	}
	if _, _, err := s.Resume(second.ID); !errors.As(err, &got) || got.ID != second.ID || got.PID != os.Getpid() {
		t.Errorf("Resume of the second: %v, want that it is live", err)
	}
}

// TestCreateAtTheSameTime lets several create jobs: each drive gets one.
func TestCreateAtTheSameTime(t *testing.T) {
	s := store(t)
	const each, drives = 4, 5
	jobs := make([]*Job, each*drives)
	errs := make([]error, len(jobs))
	var wg sync.WaitGroup
	for i := range jobs {
		wg.Go(func() { jobs[i], errs[i] = s.Create("erase", fmt.Sprint("DRIVE", i%drives), nil, start) })
	}
	wg.Wait()
	got := map[string]int{}
	for i, j := range jobs {
		if j == nil {
			if !errors.Is(errs[i], ErrLive) {
				t.Errorf("job %d: %v, want ErrLive", i, errs[i])
			}
			continue
		}
		got[j.Serial]++
		closeJob(t, j)
	}
	want := map[string]int{"DRIVE0": 1, "DRIVE1": 1, "DRIVE2": 1, "DRIVE3": 1, "DRIVE4": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("jobs (-want +got):\n%s", diff)
	}
}

func TestCreateRefuses(t *testing.T) {
	s := store(t)
	tests := []struct {
		name, serial string
		header       any
		want         error
	}{
		{"no serial", " ", nil, ErrNoSerial},
		{"large header", serial, strings.Repeat("x", MaxLineBytes), ErrTooLarge},
		{"header that just does not fit", serial, strings.Repeat("x", MaxLineBytes-10), ErrTooLarge},
		{"header that is no JSON", serial, func() {}, nil},
	}
	for _, tt := range tests {
		_, err := s.Create("erase", tt.serial, tt.header, start)
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if records, faults := s.List(); len(records)+len(faults) != 0 {
		t.Errorf("List = %v, %v, want nothing", records, faults)
	}
}

func TestBusyStore(t *testing.T) {
	s := store(t)
	closeJob(t, create(t, s))
	l, err := state.Lock(filepath.Join(s.dir, lockName))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s.patience = 0
	if _, err := s.Create("erase", serial, nil, start); !errors.Is(err, ErrBusy) {
		t.Errorf("Create: %v, want ErrBusy", err)
	}
	if _, _, err := s.Resume(only(t, s).ID); !errors.Is(err, ErrBusy) {
		t.Errorf("Resume: %v, want ErrBusy", err)
	}
}

// TestUnfinished has a job that ended, one that was broken off, one that never
// began, one of another drive and one that is live.
func TestUnfinished(t *testing.T) {
	s := store(t)
	var ids []string
	for _, list := range [][]State{{Armed, Sent, Done}, {Armed, Sent}, {}, {Armed, Done, "NOTE"}} {
		j := create(t, s)
		appendAll(t, j, list...)
		closeJob(t, j)
		ids = append(ids, j.ID)
	}
	other, err := s.Create("erase", "OTHER", nil, start)
	if err != nil {
		t.Fatal(err)
	}
	closeJob(t, other)
	create(t, s)
	var got []string
	for _, rec := range s.Unfinished(serial) {
		got = append(got, rec.ID+" "+string(rec.State()))
	}
	if diff := cmp.Diff([]string{ids[1] + " SENT", ids[2] + " "}, got); diff != "" {
		t.Errorf("unfinished (-want +got):\n%s", diff)
	}
	records, _ := s.List()
	if len(records) != 6 {
		t.Errorf("List has %d, want all 6", len(records))
	}
}

func TestListNamesWhatItCannotRead(t *testing.T) {
	s := store(t)
	j := create(t, s)
	appendAll(t, j, Armed)
	closeJob(t, j)
	good := contents(t, s.path(j.ID))
	write(t, s.path("bad"), append(good, "garbage\n{}\n"...))
	write(t, s.path("empty"), nil)
	write(t, s.path("renamed"), good)
	write(t, filepath.Join(s.dir, "notes.txt"), nil)
	write(t, filepath.Join(s.dir, j.ID+".keep.x.jsonl"), nil)
	large := s.path("large")
	write(t, large, nil)
	if err := os.Truncate(large, MaxFileBytes+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(s.path("dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(s.path("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.path(j.ID), s.path("link")); err != nil {
		t.Fatal(err)
	}
	records, faults := s.List()
	if len(records) != 1 || records[0].ID != j.ID {
		t.Errorf("records %v, want the good one", records)
	}
	want := []struct {
		id   string
		kind error
	}{
		{"bad", nil}, {"dir", ErrNotJournal}, {"empty", ErrNotJournal}, {"fifo", ErrNotJournal},
		{"large", ErrTooLarge}, {"link", unix.ELOOP}, {"renamed", ErrNotJournal},
	}
	for i, w := range want {
		if i >= len(faults) || !strings.Contains(faults[i].Error(), s.path(w.id)) || w.kind != nil && !errors.Is(faults[i], w.kind) {
			t.Fatalf("faults %q, want %s with %v at %d", faults, w.id, w.kind, i)
		}
	}
	var parse *ParseError
	if !errors.As(faults[0], &parse) || parse.Line != 3 {
		t.Errorf("garbage: %v, want line 3", faults[0])
	}
}

// TestDamagedJournalOfLiveJob holds that a job counts as live even where its
// journal cannot be read.
func TestDamagedJournalOfLiveJob(t *testing.T) {
	s := store(t)
	j := create(t, s)
	write(t, s.path(j.ID), []byte("garbage\n"))
	var live *LiveError
	if _, err := s.Create("erase", serial, nil, start); !errors.As(err, &live) || live.ID != j.ID {
		t.Errorf("Create: %v, want that %s is live", err, j.ID)
	}
	if _, _, err := s.Resume(j.ID); !errors.As(err, &live) || live.ID != j.ID {
		t.Errorf("Resume: %v, want that %s is live", err, j.ID)
	}
	if _, err := s.Create("erase", "OTHER", nil, start); err != nil {
		t.Errorf("for another serial: %v", err)
	}
	closeJob(t, j)
	if _, _, err := s.Resume(j.ID); !errors.Is(err, ErrNotJournal) {
		t.Errorf("Resume of it when it is not live: %v, want ErrNotJournal", err)
	}
}

// TestUnreadableJournal holds that a journal that may be of the same drive and
// cannot be opened is not passed over.
func TestUnreadableJournal(t *testing.T) {
	s := store(t)
	closeJob(t, create(t, s))
	if err := unix.Mkfifo(s.path("1-"+serial), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create("erase", serial, nil, start); !errors.Is(err, ErrNotJournal) {
		t.Errorf("Create: %v, want ErrNotJournal", err)
	}
	if _, err := s.Create("erase", "OTHER", nil, start); err != nil {
		t.Errorf("for another serial: %v", err)
	}
}

func TestRestarted(t *testing.T) {
	s := store(t)
	boot := filepath.Join(t.TempDir(), "boot_id")
	s.bootFile = boot
	write(t, boot, []byte("one\n"))
	j := create(t, s)
	appendAll(t, j, Armed)
	closeJob(t, j)
	yes, no := true, false
	for _, tt := range []struct {
		boot string
		want *bool
	}{{"one\n", &no}, {"two\n", &yes}, {"", nil}, {strings.Repeat("x", 200), nil}} {
		write(t, boot, []byte(tt.boot))
		rec := only(t, s)
		if diff := cmp.Diff(tt.want, rec.Restarted); diff != "" || rec.Boot != "one" {
			t.Errorf("now %.9q: boot %q, restarted (-want +got):\n%s", tt.boot, rec.Boot, diff)
		}
	}
	if err := os.Remove(boot); err != nil {
		t.Fatal(err)
	}
	if got := s.Boot(); got != "" {
		t.Errorf("Boot = %q without the file", got)
	}
}

func TestSweep(t *testing.T) {
	s := store(t)
	closeJob(t, create(t, s))
	write(t, filepath.Join(s.dir, state.TempPrefix+"left"), []byte("x"))
	closeJob(t, create(t, s))
	for _, name := range names(t, s) {
		if strings.HasPrefix(name, state.TempPrefix) {
			t.Errorf("%s is still there", name)
		}
	}
}

func TestStoreIsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, nil)
	s := Open(path)
	if _, err := s.Create("erase", serial, nil, start); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("Create: %v, want ENOTDIR", err)
	}
	if _, faults := s.List(); len(faults) != 1 || !errors.Is(faults[0], syscall.ENOTDIR) {
		t.Errorf("List: %v, want ENOTDIR", faults)
	}
}
