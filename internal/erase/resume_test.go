package erase

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/nvme"
)

// killed is what a test panics with in the place of a kill.
const killed = "killed"

// crash runs an erase that is killed: after an entry of the journal, or at work
// while the drive works on the command.
func (r *rig) crash(request Request, at State, atWork bool) {
	r.t.Helper()
	d := r.deps(request)
	kill := func() { panic(killed) }
	var last State
	d.written = func(s State) {
		if last = s; s == at && !atWork {
			kill()
		}
	}
	if atWork {
		d.ControllerState = func() string {
			if last == at {
				kill()
			}
			return "live"
		}
	}
	defer func() {
		r.t.Helper()
		if got := recover(); got != killed {
			r.t.Fatalf("the run was not killed in %s: %v", at, got)
		}
		if j := r.record(); j.Live || j.State() != at {
			r.t.Fatalf("after the kill the job is live %t in %s, want %s", j.Live, j.State(), at)
		}
	}()
	_, err := Run(r.t.Context(), d)
	r.t.Fatalf("the run came to its end: %v", err)
}

// busy makes the drive tell of work for a number of looks after it got a command,
// whatever the time that it takes, and keeps the answer of a format back.
func (r *rig) busy(looks int) {
	ended := r.t.Context().Done()
	r.behind = func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		cpl, err := r.drive.Submit(ctx, cmd)
		namespace := cmd.Opcode == nvme.AdminIdentify && cmd.CDW10 == 0
		sanitize := cmd.Opcode == nvme.AdminGetLogPage && nvme.LID(cmd.CDW10) == nvme.LIDSanitize
		switch sent := r.commands(); {
		case cmd.Opcode == nvme.AdminFormatNVM:
			<-ended
		case len(sent) == 0 || looks == 0 || !namespace && !sanitize:
		case namespace && sent[0].Opcode == nvme.AdminFormatNVM:
			looks--
			cmd.Data[32] = 0x80 | 50
		case sanitize && sent[0].Opcode == nvme.AdminSanitize:
			looks--
			copy(cmd.Data, []byte{0, 0x80, nvme.SanitizeInProgress, 0})
		}
		return cpl, err, true
	}
}

// again is what a second process has: no consent.
func (r *rig) again() *Deps {
	return &Deps{Tool: Tool{"qd1", "test"}, Journal: r.store, Prover: &prover{}, Poll: r, Open: r.openNamespace, Now: r.now, Wait: r.wait}
}

// noClaim fails the test if a record says that data are gone.
func noClaim(t *testing.T, rec *Record) {
	t.Helper()
	if rec.Class() == Done || rec.Verdict == proof.Pass {
		t.Errorf("it is claimed that the drive is erased: %s, %s", rec.Result, rec.Verdict)
	}
}

const modern = "nand-modern?size=8388608&"

// TestKill kills a run at each state and holds what is said and done next.
func TestKill(t *testing.T) {
	type outcome struct {
		class  Class
		err    error
		ended  bool
		sent   int // commands in all, those of the killed run included
		passes bool
	}
	tests := []struct {
		name, profile string
		request       Request
		at            State
		atWork        bool
		action        Action
		want          outcome
	}{
		{"armed", small, Request{}, journal.Armed, false, StartAgain, outcome{Cancelled, nil, true, 0, false}},
		{"sent, not arrived", small, Request{}, journal.Sent, false, Repeat, outcome{Interrupted, ErrNeedsConsent, false, 0, false}},
		{"format at work, tells", modern + "speed=1000000", Request{Technique: FormatUserData}, journal.Sent, true, AwaitFormat, outcome{Interrupted, ErrNeedsConsent, false, 1, false}},
		{"sanitize at work", modern + "speed=1000000", Request{}, journal.Returned, true, AwaitSanitize, outcome{Done, nil, true, 1, true}},
		{"sanitize at work, fails", modern + "speed=1000000&sanitize=fails", Request{}, journal.Returned, true, AwaitSanitize, outcome{NotErased, nil, true, 1, false}},
		{"sanitize sent, not arrived", modern + "speed=1000000", Request{}, journal.Sent, false, Repeat, outcome{Interrupted, ErrNeedsConsent, false, 0, false}},
		{"returned", small, Request{}, journal.Returned, false, VerifyOnly, outcome{Done, nil, true, 1, true}},
		{"bare format returned", small, Request{Technique: Format}, journal.Returned, false, VerifyOnly, outcome{Done, nil, true, 1, false}},
		{"verify", small, Request{}, journal.Verify, false, VerifyOnly, outcome{Done, nil, true, 1, true}},
		{"sanitize verify", modern + "speed=1000000", Request{}, journal.Verify, false, VerifyOnly, outcome{Done, nil, true, 1, true}},
		{"overwrite sent", small, Request{Technique: Overwrite}, journal.Sent, false, Repeat, outcome{Interrupted, ErrNeedsConsent, false, 0, false}},
		{"overwrite verify", small, Request{Technique: Overwrite}, journal.Verify, false, VerifyOnly, outcome{Done, nil, true, 0, true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.profile)
			if tt.atWork {
				r.busy(8)
			}
			r.crash(tt.request, tt.at, tt.atWork)
			j := r.record()
			look := LookAt(t.Context(), r, RecordOf(j))
			if step := Next(j, look); step.Action != tt.action || step.Text == "" || step.Do == "" {
				t.Errorf("step %+v, want %s; look %+v", step, tt.action, look)
			}
			status := Status(j, look)
			noClaim(t, status)
			if status.Next == "" || status.State != tt.at {
				t.Errorf("status %s: %q", status.State, status.Next)
			}
			rec, err := Resume(t.Context(), r.again(), j.ID)
			if !errors.Is(err, tt.want.err) || rec.Class() != tt.want.class {
				t.Errorf("resumed: %s, error %v, want %s, %v; verification %+v, warnings %q", rec.Result, err, tt.want.class, tt.want.err, rec.Verification, rec.Warnings)
			}
			if passes := rec.Verdict == proof.Pass; passes != tt.want.passes {
				t.Errorf("verdict %s, want a pass: %t", rec.Verdict, tt.want.passes)
			}
			if got := len(r.commands()); got != tt.want.sent {
				t.Errorf("%d commands were sent, want %d", got, tt.want.sent)
			}
			if j := r.record(); j.Ended() != tt.want.ended || j.Live {
				t.Errorf("ended %t, live %t, want ended %t", j.Ended(), j.Live, tt.want.ended)
			}
			if rec.Class() == Done && len(rec.Interruptions) != 1 {
				t.Errorf("interruptions %+v, want one", rec.Interruptions)
			}
		})
	}
}

// TestKillBeforeArmed holds that a job without an entry is one that sent nothing.
func TestKillBeforeArmed(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	job, err := r.store.Create(jobKind, d.Case.Identity.Serial, NewPlan(d), r.now())
	if err != nil {
		t.Fatal(err)
	}
	if err := job.Close(); err != nil {
		t.Fatal(err)
	}
	j := r.record()
	if step := Next(j, Look{}); step.Action != StartAgain {
		t.Errorf("step %+v", step)
	}
	rec, err := Resume(t.Context(), r.again(), j.ID)
	if err != nil || rec.Class() != Cancelled || !r.record().Ended() {
		t.Errorf("result %s, error %v", rec.Result, err)
	}
}

// TestRepeatWithConsent holds that a repeated erase is compared with what was
// kept before the first one, and tells of the interruption.
func TestRepeatWithConsent(t *testing.T) {
	for _, technique := range []Technique{FormatUserData, Overwrite} {
		r := newRig(t, small)
		r.crash(Request{Technique: technique}, journal.Sent, false)
		d := r.deps(Request{Technique: technique})
		d.Poll = r
		p := d.Prover.(*prover)
		rec, err := Resume(t.Context(), d, r.record().ID)
		if err != nil {
			t.Fatal(err)
		}
		if rec.Class() != Done || rec.Verdict != proof.Pass || len(rec.Interruptions) != 1 || rec.Interruptions[0].State != journal.Sent {
			t.Errorf("%s: result %s, verdict %s, interruptions %+v", technique, rec.Result, rec.Verdict, rec.Interruptions)
		}
		if p.befores != 0 || p.afters != 1 {
			t.Errorf("%s: sampled %d times, compared %d times", technique, p.befores, p.afters)
		}
		want := []State{journal.Armed, journal.Sent, journal.Armed, journal.Sent, journal.Returned, journal.Verify, journal.Done}
		if diff := cmp.Diff(want, states(r.record())); diff != "" {
			t.Errorf("%s: journal (-want +got):\n%s", technique, diff)
		}
	}
}

// TestRepeatIsKilledToo holds that a second kill before the command is not taken
// for a job that sent nothing.
func TestRepeatIsKilledToo(t *testing.T) {
	r := newRig(t, small)
	r.crash(Request{}, journal.Sent, false)
	d := r.deps(Request{})
	d.Poll = r
	d.written = func(State) { panic(killed) }
	func() {
		defer func() { _ = recover() }()
		_, _ = Resume(t.Context(), d, r.record().ID)
	}()
	j := r.record()
	if j.State() != journal.Armed {
		t.Fatalf("the job is in %s", j.State())
	}
	if step := Next(j, LookAt(t.Context(), r, RecordOf(j))); step.Action != Repeat {
		t.Errorf("step %+v", step)
	}
}

// TestRepeatRefused holds that a job whose repetition is refused or cancelled
// stays open: what its first command did is still not known.
func TestRepeatRefused(t *testing.T) {
	r := newRig(t, small)
	r.crash(Request{}, journal.Sent, false)
	d := r.deps(Request{})
	d.Poll = r
	phrase := d.Agreement.Phrase
	d.Agreement.Phrase = "no"
	rec, err := Resume(t.Context(), d, r.record().ID)
	if _, refused := errors.AsType[*guard.Refusal](err); !refused || rec.Class() != Refused || r.record().Ended() {
		t.Errorf("result %s, error %v, ended %t", rec.Result, err, r.record().Ended())
	}
	d.Agreement.Phrase = phrase
	ctx, cancel := context.WithCancel(t.Context())
	d.written = func(State) { cancel() }
	rec, err = Resume(ctx, d, r.record().ID)
	if !errors.Is(err, context.Canceled) || rec.Class() != Interrupted || r.record().Ended() {
		t.Errorf("result %s, error %v, ended %t", rec.Result, err, r.record().Ended())
	}
	if len(r.commands()) != 0 {
		t.Errorf("sent %v", r.commands())
	}
}

// TestResumeOfGhost holds that nothing is sent to a drive that is not itself,
// whatever the job was at.
func TestResumeOfGhost(t *testing.T) {
	for _, at := range []State{journal.Sent, journal.Returned, journal.Verify} {
		r := newRig(t, small)
		r.crash(Request{}, at, false)
		sent := len(r.commands())
		r.behind = func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
			cpl, err := r.drive.Submit(ctx, cmd)
			if cmd.Opcode == nvme.AdminIdentify && cmd.CDW10 == 1 {
				copy(cmd.Data[24:64], "SM2270                                  ")
			}
			return cpl, err, true
		}
		d := r.again()
		rec, err := Resume(t.Context(), d, r.record().ID)
		if !errors.Is(err, ErrRescue) || !strings.Contains(rec.Next, "SM2270") || r.record().Ended() {
			t.Errorf("%s: error %v, next %q, ended %t", at, err, rec.Next, r.record().Ended())
		}
		noClaim(t, rec)
		if len(r.commands()) != sent {
			t.Errorf("%s: sent %v", at, r.commands()[sent:])
		}
	}
}

// TestResumeOfSilentDrive holds that a drive that does not answer is neither
// erased nor given up.
func TestResumeOfSilentDrive(t *testing.T) {
	for _, at := range []State{journal.Sent, journal.Returned, journal.Verify} {
		r := newRig(t, small)
		r.crash(Request{}, at, false)
		for _, poll := range []nvme.Passthru{nil, nvme.PassthruFunc(func(context.Context, *nvme.Command) (nvme.Completion, error) {
			return nvme.Completion{}, syscall.ENODEV
		})} {
			d := r.again()
			d.Poll = poll
			rec, err := Resume(t.Context(), d, r.record().ID)
			if !errors.Is(err, ErrRescue) || rec.Class() != Interrupted || r.record().Ended() {
				t.Errorf("%s: error %v, result %s, ended %t", at, err, rec.Result, r.record().Ended())
			}
			noClaim(t, rec)
		}
	}
}

// TestResumeOfLiveJob holds that a job that a process works on is left alone.
func TestResumeOfLiveJob(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	d.Prover = &prover{onBefore: func() {
		j := r.record()
		if step := Next(j, Look{}); step.Action != Follow {
			t.Errorf("step %+v", step)
		}
		noClaim(t, Status(j, Look{}))
		if _, err := Resume(t.Context(), r.again(), j.ID); !errors.Is(err, journal.ErrLive) {
			t.Errorf("error %v, want %v", err, journal.ErrLive)
		}
	}}
	if _, err := Run(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

// TestResumeOfFinishedJob holds that it does nothing.
func TestResumeOfFinishedJob(t *testing.T) {
	r := newRig(t, small)
	rec, err := Run(t.Context(), r.deps(Request{}))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Resume(t.Context(), r.again(), rec.Job)
	if err != nil || got.Class() != Done || len(r.commands()) != 1 || len(states(r.record())) != len(wholeRun) {
		t.Errorf("result %s, error %v, journal %v", got.Result, err, states(r.record()))
	}
	if step := Next(r.record(), Look{}); step.Action != Finished {
		t.Errorf("step %+v", step)
	}
}

// TestResumeAfterPowerLoss holds that a sanitize operation that went on after a
// loss of power is waited for and verified.
func TestResumeAfterPowerLoss(t *testing.T) {
	r := newRig(t, modern+"speed=20")
	r.crash(Request{}, journal.Returned, true)
	r.drive.PowerCycle()
	rec, err := Resume(t.Context(), r.again(), r.record().ID)
	if err != nil || rec.Class() != Done || rec.Verdict != proof.Pass {
		t.Errorf("result %s, error %v, verification %+v", rec.Result, err, rec.Verification)
	}
	if rec.Delta == nil || rec.Delta.PowerCycles == nil || *rec.Delta.PowerCycles != 1 {
		t.Errorf("delta %+v", rec.Delta)
	}
}

// TestResumeWithoutSamples holds that a verification without what was kept
// proves nothing.
func TestResumeWithoutSamples(t *testing.T) {
	r := newRig(t, small)
	r.crash(Request{}, journal.Returned, false)
	job, _, err := r.store.Resume(r.record().ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(job.Drop(keptSamples), job.Close()); err != nil {
		t.Fatal(err)
	}
	rec, err := Resume(t.Context(), r.again(), r.record().ID)
	if err != nil || rec.Class() != Unproven || len(rec.Warnings) == 0 {
		t.Errorf("result %s, error %v, warnings %q", rec.Result, err, rec.Warnings)
	}
}

// TestResumeFindsSurvivors holds that what is verified after an interruption can
// fail.
func TestResumeFindsSurvivors(t *testing.T) {
	r := newRig(t, small)
	r.behind = answers(nvme.AdminFormatNVM, nvme.Completion{}, nil)
	r.crash(Request{}, journal.Returned, false)
	rec, err := Resume(t.Context(), r.again(), r.record().ID)
	if err != nil || rec.Class() != NotErased || rec.Verdict != proof.Fail {
		t.Errorf("result %s, error %v, verdict %s", rec.Result, err, rec.Verdict)
	}
}

// TestResumeCancelled holds that waiting can be ended, and the job stays open.
func TestResumeCancelled(t *testing.T) {
	for _, request := range []Request{{}, {Technique: FormatUserData}} {
		r := newRig(t, modern+"speed=1000000")
		r.busy(1000)
		at := journal.Returned
		if request.Technique != Best {
			at = journal.Sent
		}
		r.crash(request, at, true)
		ctx, cancel := context.WithCancel(t.Context())
		d := r.again()
		d.Observe = func(Event) { cancel() }
		rec, err := Resume(ctx, d, r.record().ID)
		if !errors.Is(err, context.Canceled) || rec.Class() != Interrupted || r.record().Ended() {
			t.Errorf("%s: result %s, error %v, ended %t", at, rec.Result, err, r.record().Ended())
		}
	}
}
