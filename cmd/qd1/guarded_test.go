package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/hostpower"
	"qd1.example/qd1/internal/inuse/signature"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/state"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

func TestJudgePower(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		name   string
		state  hostpower.State
		power  string
		result guard.Result
	}{
		{"mains", hostpower.State{OnMains: &yes}, "no loss of power", guard.Pass},
		{"unknown", hostpower.State{}, "no battery", guard.Pass},
		{"battery", hostpower.State{OnMains: &no, Battery: "57 %"}, "runs on battery (57 %)", guard.Pass},
		{"shutdown", hostpower.State{OnMains: &yes, Shutdown: "poweroff at 10:00"}, "no loss", guard.Refuse},
	} {
		checks := judgePower(tt.state)
		if !strings.Contains(checks[0].Text, tt.power) || checks[1].Result != tt.result {
			t.Errorf("%s: %+v", tt.name, checks)
		}
		if (tt.name == "battery") != checks[0].Warning {
			t.Errorf("%s: warning %t", tt.name, checks[0].Warning)
		}
	}
}

func TestJournalCheck(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/dev/shm/qd1-test")
	if c := journalCheck(); c.Result != guard.Pass || !c.Warning || !strings.Contains(c.Text, "/dev/shm/qd1-test/qd1/journal") {
		t.Errorf("in memory: %+v", c)
	}
	t.Setenv("XDG_STATE_HOME", "/var/lib")
	if volatile, _ := state.Volatile("/var/lib"); volatile {
		t.Skip("this computer keeps everything in memory")
	}
	if c := journalCheck(); c.Result != guard.Pass || c.Warning {
		t.Errorf("on a disk: %+v", c)
	}
}

func TestNotOpened(t *testing.T) {
	bound := func(address string) bool { return address == "0000:01:00.0" }
	missing := errors.New("no such drive")
	for _, tt := range []struct {
		selector string
		err      error
		status   int
		says     string
	}{
		{"0000:01:00.0", missing, exitRefused, "0000:01:00.0 is given to a virtual machine"},
		{"0000:02:00.0", missing, exitFailed, "no such drive"},
		{"S1", &sysfs.SelectError{Selector: "S1", Cause: "2 drives have this serial number", Err: sysfs.ErrAmbiguous}, exitRefused, "2 drives have this serial number"},
	} {
		if x := exitOf(t.Context(), notOpened(tt.selector, tt.err, bound)); x.status != tt.status || !strings.Contains(x.Error(), tt.says) {
			t.Errorf("%s: %d, %s", tt.selector, x.status, x.Error())
		}
	}
}

// looked is a simulated drive with data on it, as the guard sees it.
func looked(t *testing.T, selector string, write []byte) *prepared {
	t.Helper()
	g, err := openGuarded(selector, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	if write != nil {
		if _, err := g.host.(simHost).drive.WriteAt(write, 0); err != nil {
			t.Fatal(err)
		}
	}
	p, err := prepare(t.Context(), g, erase.Request{AllNamespaces: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bootSector is what makes a drive look partitioned.
func bootSector() []byte {
	b := make([]byte, 4096)
	copy(b[446:], []byte{0, 0, 0, 0, 0x83, 0, 0, 0, 8, 0, 0, 0, 64, 0, 0, 0})
	b[510], b[511] = 0x55, 0xAA
	return b
}

// On a terminal the kinds of what lies on the drive are typed first, then the
// phrase; what was typed is what is agreed to.
func TestAsk(t *testing.T) {
	const drive = "sim:optane-905p?size=1048576&speed=1000000"
	for _, tt := range []struct {
		name, typed string
		want        []signature.Kind
		phrase      string
		fails       bool
	}{
		{"both", "mbr\nERASE INTEL SSDPE21D960GA H00001\n", []signature.Kind{signature.MBR}, "ERASE INTEL SSDPE21D960GA H00001", false},
		{"another kind", "gpt ext4\nERASE\n", []signature.Kind{signature.GPT, signature.Ext}, "ERASE", false},
		{"no kind at all", "yes\n", nil, "", true},
		{"nothing more", "", nil, "", false},
	} {
		p := looked(t, drive, bootSector())
		var shown bytes.Buffer
		e := &env{stderr: &shown, now: time.Now}
		a := &guard.Agreement{Serial: p.looked.Identity.Serial}
		err := e.ask(t.Context(), newLines(strings.NewReader(tt.typed)), p.looked, a)
		if (err != nil) != tt.fails {
			t.Errorf("%s: error %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, a.Destroy); diff != "" || a.Phrase != tt.phrase {
			t.Errorf("%s: phrase %q, kinds (-want +got):\n%s", tt.name, a.Phrase, diff)
		}
		if complete := len(unmet(p.looked, a)) == 0; complete != (tt.name == "both") {
			t.Errorf("%s: agreed: %t", tt.name, complete)
		}
		if !strings.Contains(shown.String(), "\n  mbr\n") {
			t.Errorf("%s: the kinds are not shown:\n%s", tt.name, shown.String())
		}
	}
}

func TestAskLineInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never, _ := io.Pipe()
	e := &env{stderr: io.Discard, now: time.Now}
	_, err := e.askLine(ctx, newLines(never), "Type", "x")
	if x := exitOf(ctx, err); x.status != exitInterrupted || !strings.Contains(x.Error(), "nothing was sent") {
		t.Errorf("%v", err)
	}
}

// What a job's process tells is what its parent gets.
func TestJobMessages(t *testing.T) {
	var wire bytes.Buffer
	out := &teller{w: &wire}
	out.tell(jobMessage{Event: &erase.Event{Kind: erase.StateEvent, State: journal.Sent, Text: "sent"}})
	out.tell(jobMessage{Record: &erase.Record{Result: erase.NotErased}, Certificate: "c.json", Error: &jobError{Status: exitUnproven, Text: "left", Hint: "again"}})
	var events []erase.Event
	res, err := listen(&wire, func(ev erase.Event) { events = append(events, ev) })
	if len(events) != 1 || events[0].State != journal.Sent {
		t.Errorf("events %+v", events)
	}
	if x := exitOf(t.Context(), err); res.record.Class() != erase.NotErased || res.certificate != "c.json" || x.status != exitUnproven || x.Error() != "left" || x.hint != "again" {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err := listen(strings.NewReader(""), func(erase.Event) {}); exitOf(t.Context(), err).status != exitWorking {
		t.Errorf("a process that died: %v", err)
	}
	if _, err := listen(strings.NewReader("garbage"), func(erase.Event) {}); err == nil {
		t.Error("garbage passed for a message")
	}
}

// An overwriting host stops at Ctrl-C, and its end is waited for.
func TestFollowStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	work := func(ctx context.Context, _ jobRequest, observe func(erase.Event)) (jobResult, error) {
		observe(erase.Event{Kind: erase.StateEvent, State: journal.Sent, Text: "sent"})
		cancel()
		return jobResult{record: &erase.Record{Result: erase.Interrupted}}, ctx.Err()
	}
	e := &env{stderr: io.Discard, now: time.Now}
	res, err := e.follow(ctx, jobRequest{Stops: true}, work, func(string) {})
	if res.record == nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", res, err)
	}
}

// After the command was sent Ctrl-C ends the waiting and nothing else; before,
// the job ends by itself.
func TestFollow(t *testing.T) {
	for _, sent := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		release := make(chan struct{})
		work := func(ctx context.Context, _ jobRequest, observe func(erase.Event)) (jobResult, error) {
			if sent {
				observe(erase.Event{Kind: erase.StateEvent, State: journal.Sent, Text: "sent"})
			}
			cancel()
			if sent {
				<-release
			}
			return jobResult{record: &erase.Record{Result: erase.Cancelled}}, ctx.Err()
		}
		e := &env{stderr: io.Discard, now: time.Now}
		res, err := e.follow(ctx, jobRequest{Agreement: guard.Agreement{Serial: "S1"}}, work, func(string) {})
		close(release)
		if !sent {
			if res.record == nil || !errors.Is(err, context.Canceled) {
				t.Errorf("before: %+v, %v", res, err)
			}
			continue
		}
		if x := exitOf(ctx, err); x.status != exitWorking || !strings.Contains(x.Error(), "the drive keeps working") || !strings.Contains(x.hint, "qd1 erase status S1") {
			t.Errorf("after: %v", err)
		}
	}
}

// TestFollowInProcess checks that a job of this process, which ends with it, is
// no other than one that goes on: what the user is told is the same.
func TestFollowInProcess(t *testing.T) {
	for range 100 { // Both may be noticed first.
		ctx, cancel := context.WithCancel(t.Context())
		work := func(ctx context.Context, _ jobRequest, observe func(erase.Event)) (jobResult, error) {
			observe(erase.Event{Kind: erase.StateEvent, State: journal.Sent, Text: "sent"})
			cancel()
			return jobResult{record: &erase.Record{Result: erase.Interrupted}}, ctx.Err()
		}
		e := &env{stderr: io.Discard, now: time.Now}
		if _, err := e.follow(ctx, jobRequest{}, work, func(string) {}); err == nil || !strings.Contains(err.Error(), "the drive keeps working") {
			t.Fatalf("got %v", err)
		}
	}
}

func TestEraseOutcome(t *testing.T) {
	for class, want := range map[erase.Class]int{
		erase.Done: 0, erase.Planned: 0, erase.Failed: exitFailed, erase.Refused: exitRefused, erase.NotErased: exitUnproven,
		erase.Unproven: exitUndecided, erase.Interrupted: exitWorking, erase.Cancelled: exitInterrupted,
	} {
		err := eraseOutcome(&erase.Record{Result: class, Error: "cause"}, nil)
		got := 0
		if err != nil {
			got = exitOf(t.Context(), err).status
		}
		if got != want {
			t.Errorf("%s: exit status %d, want %d", class, got, want)
		}
	}
}

func TestBatchOutcome(t *testing.T) {
	for _, tt := range []struct {
		statuses []int
		want     int
	}{{[]int{0, 0}, 0}, {[]int{0, exitRefused}, exitRefused}, {[]int{exitRefused, exitUnproven, exitFailed}, exitUnproven}, {[]int{exitUndecided, exitWorking}, exitWorking}} {
		b := &erase.Batch{}
		for _, s := range tt.statuses {
			b.Drives = append(b.Drives, erase.BatchRow{ExitStatus: s})
		}
		got := 0
		if err := batchOutcome(b); err != nil {
			got = exitOf(t.Context(), err).status
		}
		if got != tt.want {
			t.Errorf("%v: %d, want %d", tt.statuses, got, tt.want)
		}
	}
}

// The namespaces of a simulated drive are read and written each for itself.
func TestSimNamespaces(t *testing.T) {
	p := looked(t, "sim:nand-modern?namespaces=2&size=2097152", nil)
	marks := map[string]byte{"nvme0n1": 1, "nvme0n2": 2}
	for block, mark := range marks {
		c, err := p.host.Claim(block)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.WriteAt(bytes.Repeat([]byte{mark}, 128<<10), 4096); err != nil {
			t.Fatalf("%s: %v", block, err)
		}
		if err := c.(interface{ Sync() error }).Sync(); err != nil {
			t.Errorf("%s: sync: %v", block, err)
		}
	}
	for block, mark := range marks {
		r, err := p.host.Open(block)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 128<<10)
		if n, err := r.ReadAt(b, 4096); err != nil || n != len(b) || !bytes.Equal(b, bytes.Repeat([]byte{mark}, len(b))) {
			t.Errorf("%s: read %d bytes, %v", block, n, err)
		}
		if _, err := r.ReadAt(b[:512], 1<<20); !errors.Is(err, io.EOF) {
			t.Errorf("%s: a read beyond the end: %v", block, err)
		}
	}
	if _, err := p.host.Open("nvme0n3"); err == nil {
		t.Error("a namespace that is not there was opened")
	}
	if c, err := p.host.Claim("nvme0"); err != nil {
		t.Error(err)
	} else if _, err := nvme.NewController(c).Identify(t.Context()); err != nil {
		t.Error(err)
	}
}
