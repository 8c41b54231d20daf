package erase

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/nvme"
)

// TestOverwriteIsReadBack holds that an overwriting host believes what it reads
// and not what it wrote.
func TestOverwriteIsReadBack(t *testing.T) {
	tests := []struct {
		name    string
		prepare func(*rig)
		want    proof.Verdict
		class   Class
	}{
		{"good", func(*rig) {}, proof.Pass, Done},
		{"nothing was written", func(r *rig) { r.swallows = true }, proof.Fail, NotErased},
		{"cannot be read", func(r *rig) { r.unreadable = 5 << 20 }, proof.Inconclusive, Unproven},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, small)
			d := r.deps(Request{Technique: Overwrite})
			d.Prover = nil
			tt.prepare(r)
			rec, err := Run(t.Context(), d)
			if err != nil || rec.Verification.FullRead.Verdict != tt.want || rec.Class() != tt.class {
				t.Errorf("error %v, result %s, full read %+v, want %s, %s", err, rec.Result, rec.Verification.FullRead, tt.want, tt.class)
			}
			if len(r.commands()) != 0 {
				t.Errorf("sent %v", r.commands())
			}
		})
	}
}

// TestOverwriteCancelled holds that an overwriting host can be stopped, and that
// the job stays open.
func TestOverwriteCancelled(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{Technique: Overwrite})
	ctx, cancel := context.WithCancel(t.Context())
	d.Observe = func(e Event) {
		if e.Kind == ProgressEvent && e.Phase == PhaseErase {
			cancel()
		}
	}
	rec, err := Run(ctx, d)
	if !errors.Is(err, context.Canceled) || rec.Class() != Interrupted || r.record().Ended() || !strings.Contains(rec.Next, "in part") {
		t.Errorf("result %s, error %v, next %q", rec.Result, err, rec.Next)
	}
}

// TestRunWithoutJournal holds that nothing is sent that is not written down.
func TestRunWithoutJournal(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	permit, err := d.Case.Claim(t.Context(), d.Agreement)
	if err != nil {
		t.Fatal(err)
	}
	defer permit.Close()
	job, err := r.store.Create(jobKind, "S", nil, r.now())
	if err != nil {
		t.Fatal(err)
	}
	if err := job.Close(); err != nil {
		t.Fatal(err)
	}
	broken := &run{Deps: d, rec: NewPlan(d), job: job, permit: permit}
	for name, step := range map[string]func(context.Context) error{"erase": broken.erase, "command": broken.execute} {
		err := step(t.Context())
		if !errors.Is(err, journal.ErrClosed) || len(r.commands()) != 0 {
			t.Errorf("%s: error %v, sent %v", name, err, r.commands())
		}
		if ended := broken.classify(t.Context(), err); !ended || broken.rec.Result != Failed || broken.rec.Lost {
			t.Errorf("%s: ended %t, result %s, lost %t", name, ended, broken.rec.Result, broken.rec.Lost)
		}
	}
}

// TestRunWithTooLargeRecord holds that a job that cannot be written down does
// not begin.
func TestRunWithTooLargeRecord(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	d.Method.Reasons = append(d.Method.Reasons, strings.Repeat("x", journal.MaxLineBytes))
	rec, err := Run(t.Context(), d)
	if !errors.Is(err, journal.ErrTooLarge) || rec.Class() != Failed || len(r.commands()) != 0 {
		t.Errorf("result %s, error %v, sent %v", rec.Result, err, r.commands())
	}
}

// TestRunBesideALiveJob holds that a drive has one job at a time.
func TestRunBesideALiveJob(t *testing.T) {
	r := newRig(t, small)
	first, second := r.deps(Request{}), r.deps(Request{})
	first.Prover = &prover{onBefore: func() {
		rec, err := Run(t.Context(), second)
		if !errors.Is(err, journal.ErrLive) || rec.Class() != Failed || len(r.commands()) != 0 {
			t.Errorf("result %s, error %v, sent %v", rec.Result, err, r.commands())
		}
	}}
	if _, err := Run(t.Context(), first); err != nil {
		t.Fatal(err)
	}
}

// TestRunDriveGoneAfterwards holds that a success whose drive is gone afterwards
// is no proof.
func TestRunDriveGoneAfterwards(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	r.behind = func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		return nvme.Completion{}, syscall.ENODEV, cmd.Opcode != nvme.AdminFormatNVM && len(r.commands()) > 0
	}
	rec, err := Run(t.Context(), d)
	if err != nil || rec.Class() != Unproven || rec.Verification.Command.Verdict != proof.Inconclusive || rec.After != nil {
		t.Errorf("result %s, error %v, command %+v", rec.Result, err, rec.Verification.Command)
	}
}

// TestRunDriveGoneBefore holds that a drive that does not answer gets nothing.
func TestRunDriveGoneBefore(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	d.written = func(State) {
		r.behind = func(context.Context, *nvme.Command) (nvme.Completion, error, bool) {
			return nvme.Completion{}, syscall.ENODEV, true
		}
	}
	rec, err := Run(t.Context(), d)
	if !errors.Is(err, syscall.ENODEV) || rec.Class() != Failed || len(r.commands()) != 0 || !r.record().Ended() || len(rec.Advice) != 1 {
		t.Errorf("result %s, error %v, sent %v, advice %+v", rec.Result, err, r.commands(), rec.Advice)
	}
}

// TestRunGhostAfterwards holds that a drive that comes back as another fails.
func TestRunGhostAfterwards(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	r.behind = func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		cpl, err := r.drive.Submit(ctx, cmd)
		if cmd.Opcode == nvme.AdminIdentify && cmd.CDW10 == 0 && len(r.commands()) > 0 {
			copy(cmd.Data, []byte{0, 8, 0, 0, 0, 0, 0, 0}) // 2048 blocks
		}
		return cpl, err, true
	}
	rec, err := Run(t.Context(), d)
	if err != nil || rec.Class() != NotErased || !strings.Contains(rec.Verification.Command.Text, "1048576") {
		t.Errorf("result %s, error %v, command %+v", rec.Result, err, rec.Verification.Command)
	}
}

func TestMerge(t *testing.T) {
	tier := func(v proof.Verdict) proof.Tier { return proof.Tier{Verdict: v} }
	own := Verification{Command: tier(proof.Fail), FullRead: tier(proof.Pass)}
	tests := []struct {
		name string
		seen *Verification
		err  error
		want []proof.Verdict
	}{
		{"nothing", nil, errors.New("x"), []proof.Verdict{proof.Fail, proof.Inconclusive, "", proof.Pass}},
		{"own reading", &Verification{Command: tier(proof.Pass), Comparison: tier(proof.Pass), FullRead: tier(proof.Skipped)}, nil, []proof.Verdict{proof.Fail, proof.Pass, "", proof.Pass}},
		{"its reading", &Verification{FullRead: tier(proof.Fail)}, nil, []proof.Verdict{proof.Fail, "", "", proof.Fail}},
	}
	for _, tt := range tests {
		v := merge(own, tt.seen, tt.err)
		got := []proof.Verdict{v.Command.Verdict, v.Comparison.Verdict, v.Canaries.Verdict, v.FullRead.Verdict}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestLookAtDoesNotHurry holds that the commands with which a drive at work is
// looked at have the time-out of the job: a shorter one would reset it.
func TestLookAtDoesNotHurry(t *testing.T) {
	for _, tt := range []struct {
		rec  Record
		want time.Duration
	}{
		{Record{}, 30 * time.Minute},
		{Record{Commands: []Command{{TimeoutMS: 3_600_000}, {TimeoutMS: 1000}}}, time.Hour},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var left time.Duration
		l := LookAt(ctx, nvme.PassthruFunc(func(ctx context.Context, _ *nvme.Command) (nvme.Completion, error) {
			deadline, _ := ctx.Deadline()
			left = time.Until(deadline).Round(time.Minute)
			cancel()
			<-ctx.Done()
			return nvme.Completion{}, ctx.Err()
		}), &tt.rec)
		if left != tt.want || l.Condition != Silent {
			t.Errorf("the drive had %v, want %v; %+v", left, tt.want, l)
		}
	}
}

// TestAwaitFormatGivesUp holds that a drive that formats and then is gone leaves
// the job open.
func TestAwaitFormatGivesUp(t *testing.T) {
	r := newRig(t, small)
	r.crash(Request{}, journal.Sent, false)
	asked := 0
	d := r.again()
	d.Poll = nvme.PassthruFunc(func(context.Context, *nvme.Command) (nvme.Completion, error) {
		if asked++; asked < 4 {
			return nvme.Completion{Status: nvme.StatusFormatInProgress}, nil
		}
		return nvme.Completion{}, syscall.ENODEV
	})
	rec, err := Resume(t.Context(), d, r.record().ID)
	if !errors.Is(err, errNoAnswer) || rec.Class() != Interrupted || r.record().Ended() || asked != 3+mostFailures {
		t.Errorf("result %s, error %v, asked %d times", rec.Result, err, asked)
	}
}

// TestResumeWithoutReader holds that a drive that cannot be opened for the
// verification proves nothing.
func TestResumeWithoutReader(t *testing.T) {
	r := newRig(t, small)
	r.crash(Request{}, journal.Returned, false)
	d := r.again()
	d.Open = nil
	rec, err := Resume(t.Context(), d, r.record().ID)
	if err != nil || rec.Class() == Done || rec.Verdict == proof.Pass {
		t.Errorf("result %s, verdict %s, error %v", rec.Result, rec.Verdict, err)
	}
}

func TestResumeOfNothing(t *testing.T) {
	r := newRig(t, small)
	if rec, err := Resume(t.Context(), r.again(), "20260101T000000Z-NONE"); err == nil {
		t.Errorf("record %+v", rec)
	}
}

func TestRealClock(t *testing.T) {
	d := new(Deps)
	start := d.now()
	if err := d.wait(t.Context(), time.Millisecond); err != nil || d.now().Sub(start) < time.Millisecond {
		t.Errorf("error %v after %v", err, d.now().Sub(start))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.wait(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
