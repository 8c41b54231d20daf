package erase

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/proof"
	"qd1.example/qd1/nvme"
)

var wholeRun = []State{journal.Armed, journal.Sent, journal.Returned, journal.Verify, journal.Done}

// TestRun holds what a good run sends, writes down and says.
func TestRun(t *testing.T) {
	tests := []struct {
		name, profile string
		request       Request
		want          []nvme.Command
		verdict       proof.Verdict
	}{
		{"user data", small, Request{}, []nvme.Command{{Opcode: 0x80, NSID: 1, CDW10: 0x200}}, proof.Pass},
		{"crypto", "nand-modern?size=8388608&speed=1000000", Request{Technique: FormatCrypto}, []nvme.Command{{Opcode: 0x80, NSID: 1, CDW10: 0x400}}, proof.Pass},
		{"sanitize", "nand-modern?size=8388608&speed=1000000", Request{}, []nvme.Command{{Opcode: 0x84, CDW10: 0xA}}, proof.Pass},
		{"sanitize crypto", "nand-modern?size=8388608&speed=1000000", Request{Technique: SanitizeCrypto}, []nvme.Command{{Opcode: 0x84, CDW10: 0xC}}, proof.Pass},
		{"other format", "nand-modern?size=8388608&speed=1000000", Request{Technique: FormatUserData, LBAF: pointer(1)}, []nvme.Command{{Opcode: 0x80, NSID: 1, CDW10: 0x201}}, proof.Pass},
		{"overwrite", small, Request{Technique: Overwrite}, nil, proof.Pass},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.profile)
			d := r.deps(tt.request)
			rec, err := Run(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, r.commands()); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			for _, deadline := range r.deadlines {
				if deadline != d.Method.Timeout || rec.Commands[0].TimeoutMS != deadline.Milliseconds() {
					t.Errorf("the command had %v, the plan says %v and %d ms", deadline, d.Method.Timeout, rec.Commands[0].TimeoutMS)
				}
			}
			if diff := cmp.Diff(wholeRun, states(r.record())); diff != "" {
				t.Errorf("journal (-want +got):\n%s", diff)
			}
			if rec.Class() != Done || rec.Verdict != tt.verdict || rec.Verification.Command.Verdict != proof.Pass {
				t.Errorf("result %s, verdict %s, command %+v, warnings %q", rec.Result, rec.Verdict, rec.Verification.Command, rec.Warnings)
			}
			if rec.Before == nil || rec.After == nil || rec.Delta == nil || rec.Started == nil || rec.Ended == nil || rec.Job == "" {
				t.Errorf("the record is not complete: %+v", rec)
			}
			if j := r.record(); !j.Ended() || j.Live {
				t.Errorf("the job is live %t, ended %t", j.Live, j.Ended())
			}
		})
	}
}

// TestRunDropsWhatItKept holds that nothing that was kept for the comparison
// outlives the job.
func TestRunDropsWhatItKept(t *testing.T) {
	r := newRig(t, small)
	rec, err := Run(t.Context(), r.deps(Request{}))
	if err != nil {
		t.Fatal(err)
	}
	job, _, err := r.store.Resume(rec.Job)
	if err != nil {
		t.Fatal(err)
	}
	defer job.Close()
	if kept, err := job.Kept(keptSamples); err == nil {
		t.Errorf("%d bytes are still kept", len(kept))
	}
}

// TestRunRecordSurvivesJSON holds that the journal gives back what the run knew.
func TestRunRecordSurvivesJSON(t *testing.T) {
	r := newRig(t, "nand-modern?size=8388608&speed=1000000")
	rec, err := Run(t.Context(), r.deps(Request{}))
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(rec.forJournal())
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(RecordOf(r.record()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("record (-run +journal):\n%s", diff)
	}
	if rec.Consent == nil || rec.Consent.By != "phrase" {
		t.Errorf("consent %+v", rec.Consent)
	}
}

// TestBareFormat holds that a format without secure erase is done and not called
// an erase.
func TestBareFormat(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{Technique: Format})
	rec, err := Run(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Class() != Done || rec.Verdict != proof.Skipped || !strings.Contains(rec.Next, "not an erase") {
		t.Errorf("result %s, verdict %s, next %q", rec.Result, rec.Verdict, rec.Next)
	}
	if p := d.Prover.(*prover); p.befores+p.afters != 0 || r.writes != 0 {
		t.Errorf("the prover was asked %d times, %d writes", p.befores+p.afters, r.writes)
	}
	if got := r.commands(); len(got) != 1 || got[0].CDW10 != 0 {
		t.Errorf("sent %+v", got)
	}
}

// TestRunWithoutProof holds that success of the command alone is no proof.
func TestRunWithoutProof(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	d.Prover = nil
	rec, err := Run(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Class() != Unproven || rec.Verdict != proof.Inconclusive {
		t.Errorf("result %s, verdict %s", rec.Result, rec.Verdict)
	}
}

// TestRunOnProverTrouble holds that the erase is done, and unproven.
func TestRunOnProverTrouble(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	d.Prover = &prover{err: errors.New("no memory")}
	rec, err := Run(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Class() != Unproven || len(r.commands()) != 1 || len(rec.Warnings) < 2 {
		t.Errorf("result %s, %d commands, warnings %q", rec.Result, len(r.commands()), rec.Warnings)
	}
}

// TestRunOnLyingDrive holds that a success that erased nothing is found out.
func TestRunOnLyingDrive(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	r.behind = answers(nvme.AdminFormatNVM, nvme.Completion{}, nil)
	rec, err := Run(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Class() != NotErased || rec.Verdict != proof.Fail || rec.Verification.Command.Verdict != proof.Pass {
		t.Errorf("result %s, verdict %s, tiers %+v", rec.Result, rec.Verdict, rec.Verification)
	}
}

// TestRunRefusedByDrive holds that a status ends the job and is explained, with
// what the drive says about its security.
func TestRunRefusedByDrive(t *testing.T) {
	tests := []struct {
		profile, cause string
	}{
		{"nand-modern?size=8388608&blocksid=1", "Block SID"},
		{"nand-modern?size=8388608&opal=unlocked", "password"},
	}
	for _, tt := range tests {
		r := newRig(t, tt.profile)
		d := r.deps(Request{Technique: FormatUserData})
		if tt.cause == "password" {
			r.behind = answers(nvme.AdminFormatNVM, nvme.Completion{Status: nvme.StatusAccessDenied}, nil)
		}
		rec, err := Run(t.Context(), d)
		if err == nil || rec.Class() != Failed || rec.Error == "" {
			t.Errorf("%s: result %s, error %v", tt.profile, rec.Result, err)
		}
		if len(rec.Advice) != 2 || !strings.Contains(rec.Advice[0].Cause, tt.cause) {
			t.Errorf("%s: advice %+v", tt.profile, rec.Advice)
		}
		if diff := cmp.Diff([]State{journal.Armed, journal.Sent, journal.Returned, journal.Done}, states(r.record())); diff != "" {
			t.Errorf("%s: journal (-want +got):\n%s", tt.profile, diff)
		}
	}
}

// TestRunWithoutAnswer holds that a command whose answer did not come leaves the
// job open, and says that the drive may still be working.
func TestRunWithoutAnswer(t *testing.T) {
	for _, host := range []error{syscall.EINTR, syscall.ENODEV, syscall.EIO} {
		r := newRig(t, small)
		d := r.deps(Request{})
		r.behind = answers(nvme.AdminFormatNVM, nvme.Completion{}, host)
		rec, err := Run(t.Context(), d)
		if !errors.Is(err, host) || rec.Class() != Interrupted || len(rec.Advice) != 1 || !rec.Lost {
			t.Errorf("%v: result %s, error %v, advice %+v", host, rec.Result, err, rec.Advice)
		}
		if diff := cmp.Diff([]State{journal.Armed, journal.Sent, journal.Returned}, states(r.record())); diff != "" {
			t.Errorf("%v: journal (-want +got):\n%s", host, diff)
		}
		if !strings.Contains(rec.Next, "leave it switched on") || rec.Verdict != proof.Skipped {
			t.Errorf("%v: next %q, verdict %s", host, rec.Next, rec.Verdict)
		}
	}
}

// TestRunRefused holds that nothing is sent and no job begun without consent.
func TestRunRefused(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	d.Agreement.Phrase = "ERASE SOMETHING ELSE"
	rec, err := Run(t.Context(), d)
	if _, refused := errors.AsType[*guard.Refusal](err); !refused || rec.Class() != Refused {
		t.Errorf("result %s, error %v", rec.Result, err)
	}
	if len(r.commands()) != 0 || r.writes != 0 {
		t.Errorf("%d commands and %d writes reached the drive", len(r.commands()), r.writes)
	}
	if list, _ := r.store.List(); len(list) != 0 {
		t.Errorf("%d jobs", len(list))
	}
	names := map[string]int{}
	for _, c := range rec.Checks {
		names[c.Check+string(c.Result)]++
	}
	for name, n := range names {
		if strings.HasSuffix(name, string(guard.Refuse)) && n != 1 {
			t.Errorf("the check %s is there %d times", name, n)
		}
	}
}

// TestRunCancelledBeforeSent holds that Ctrl-C before the command ends the job
// and sends nothing.
func TestRunCancelledBeforeSent(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	ctx, cancel := context.WithCancel(t.Context())
	d.Prover = &prover{onBefore: cancel}
	rec, err := Run(ctx, d)
	if !errors.Is(err, context.Canceled) || rec.Class() != Cancelled || len(r.commands()) != 0 {
		t.Errorf("result %s, error %v, sent %v", rec.Result, err, r.commands())
	}
	if diff := cmp.Diff([]State{journal.Armed, journal.Done}, states(r.record())); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
	if !strings.Contains(rec.Next, "no command was sent") || !strings.Contains(rec.Next, "planted") {
		t.Errorf("next %q", rec.Next)
	}
}

func TestRunCancelledAtOnce(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rec, err := Run(ctx, d)
	if !errors.Is(err, context.Canceled) || rec.Class() != Cancelled || len(r.commands()) != 0 {
		t.Errorf("result %s, error %v, sent %v", rec.Result, err, r.commands())
	}
}

// TestRunCancelledAfterSent holds that Ctrl-C does not touch a command that was
// sent, and that its answer is written down when it comes.
func TestRunCancelledAfterSent(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	ctx, cancel := context.WithCancel(t.Context())
	release, ended := make(chan struct{}), make(chan error, 1)
	r.behind = func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		if cmd.Opcode != nvme.AdminFormatNVM {
			return nvme.Completion{}, nil, false
		}
		cancel()
		<-release
		ended <- ctx.Err()
		return nvme.Completion{}, nil, true
	}
	rec, err := Run(ctx, d)
	if !errors.Is(err, context.Canceled) || rec.Class() != Interrupted || rec.State != journal.Sent {
		t.Errorf("result %s in %s, error %v", rec.Result, rec.State, err)
	}
	j := r.record()
	if !j.Live || j.State() != journal.Sent {
		t.Errorf("the job is live %t in %s", j.Live, j.State())
	}
	if step := Next(j, Look{}); step.Action != Follow {
		t.Errorf("step %+v", step)
	}
	close(release)
	if err := <-ended; err != nil {
		t.Errorf("the command's context ended: %v", err)
	}
	for r.record().Live {
		time.Sleep(time.Millisecond)
	}
	if j := r.record(); j.State() != journal.Returned || len(RecordOf(j).Outcomes) != 1 || RecordOf(j).Lost {
		t.Errorf("the job is in %s, outcomes %+v", j.State(), RecordOf(j).Outcomes)
	}
}

// TestRunCancelledInVerification holds that the job stays open for it.
func TestRunCancelledInVerification(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	ctx, cancel := context.WithCancel(t.Context())
	d.Prover = &prover{onAfter: cancel}
	rec, err := Run(ctx, d)
	if !errors.Is(err, context.Canceled) || rec.Class() != Interrupted || r.record().Ended() || rec.Verdict != proof.Skipped {
		t.Errorf("result %s, verdict %s, error %v, ended %t", rec.Result, rec.Verdict, err, r.record().Ended())
	}
}

// TestRunWarnings holds that what fails beside the erase is told and no failure.
func TestRunWarnings(t *testing.T) {
	r := newRig(t, small)
	r.refresh = errors.New("re-read partition table: device busy")
	d := r.deps(Request{})
	d.Inhibit = func(context.Context, string) (io.Closer, error) { return nil, errors.New("no logind") }
	rec, err := Run(t.Context(), d)
	if err != nil || rec.Class() != Done {
		t.Errorf("result %s, error %v", rec.Result, err)
	}
	for _, want := range []string{"device busy", "no logind"} {
		if !slices.ContainsFunc(rec.Warnings, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("warnings %q, want %q", rec.Warnings, want)
		}
	}
}

type closed struct{ n *int }

func (c closed) Close() error { *c.n++; return nil }

func TestRunInhibits(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	ends, why := 0, ""
	d.Inhibit = func(_ context.Context, w string) (io.Closer, error) { why = w; return closed{&ends}, nil }
	if _, err := Run(t.Context(), d); err != nil || ends != 1 || !strings.Contains(why, d.Case.Identity.Serial) {
		t.Errorf("error %v, released %d times, why %q", err, ends, why)
	}
}

// TestRunSeesReset holds that a controller that the kernel resets meanwhile
// leaves doubt.
func TestRunSeesReset(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	looks := 0
	enough := make(chan struct{})
	d.ControllerState = func() string {
		if looks++; looks == 3 {
			close(enough)
		}
		return map[bool]string{true: "resetting", false: "live"}[looks == 2]
	}
	r.behind = func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		if cmd.Opcode == nvme.AdminFormatNVM {
			<-enough
		}
		return nvme.Completion{}, nil, false
	}
	rec, err := Run(t.Context(), d)
	if err != nil || rec.Resets != 1 || rec.Class() != Unproven || rec.Verification.Command.Verdict != proof.Inconclusive {
		t.Errorf("result %s, error %v, %d resets, command %+v", rec.Result, err, rec.Resets, rec.Verification.Command)
	}
}

// TestSanitizeFails holds that a sanitize operation that fails is no erase,
// although the command succeeded.
func TestSanitizeFails(t *testing.T) {
	r := newRig(t, "nand-modern?size=8388608&speed=1000000&sanitize=fails")
	rec, err := Run(t.Context(), r.deps(Request{}))
	if err != nil {
		t.Fatal(err)
	}
	if rec.Class() != NotErased || rec.Verdict != proof.Fail || len(rec.Advice) == 0 || !rec.Outcomes[0].OK() {
		t.Errorf("result %s, verdict %s, advice %+v", rec.Result, rec.Verdict, rec.Advice)
	}
}

// TestSanitizeStaleProgress holds that a progress of FFFFh does not end the
// waiting while the state says that the operation goes on.
func TestSanitizeStaleProgress(t *testing.T) {
	r := newRig(t, "nand-modern?size=8388608&speed=1000000")
	d := r.deps(Request{})
	reads := 0
	r.behind = func(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		if cmd.Opcode != nvme.AdminGetLogPage || uint8(cmd.CDW10) != uint8(nvme.LIDSanitize) || len(r.commands()) == 0 {
			return nvme.Completion{}, nil, false
		}
		cpl, err := r.drive.Submit(ctx, cmd)
		if reads++; reads <= 3 && len(cmd.Data) >= 4 {
			copy(cmd.Data, []byte{0xFF, 0xFF, nvme.SanitizeInProgress, 0})
		}
		return cpl, err, true
	}
	rec, err := Run(t.Context(), d)
	if err != nil || rec.Class() != Done || reads < 4 {
		t.Errorf("result %s, error %v, %d reads of the log", rec.Result, err, reads)
	}
}

// TestSanitizeLogUnreadable holds that the waiting gives up on a drive that does
// not answer any more, and leaves the job open.
func TestSanitizeLogUnreadable(t *testing.T) {
	r := newRig(t, "nand-modern?size=8388608&speed=1000000")
	d := r.deps(Request{})
	r.behind = func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		return nvme.Completion{}, syscall.ENODEV, cmd.Opcode == nvme.AdminGetLogPage && len(r.commands()) > 0
	}
	rec, err := Run(t.Context(), d)
	if !errors.Is(err, syscall.ENODEV) || rec.Class() != Interrupted || r.record().Ended() {
		t.Errorf("result %s, error %v", rec.Result, err)
	}
}

// TestRunTakesThePlaceOfABrokenOne holds that the new record tells of it.
func TestRunTakesThePlaceOfABrokenOne(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{})
	r.behind = answers(nvme.AdminFormatNVM, nvme.Completion{}, syscall.EINTR)
	first, _ := Run(t.Context(), d)
	r.behind = nil
	rec, err := Run(t.Context(), r.deps(Request{}))
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Interruptions) != 1 || rec.Interruptions[0].State != journal.Returned || rec.Class() != Done {
		t.Errorf("result %s, interruptions %+v", rec.Result, rec.Interruptions)
	}
	if left := r.store.Unfinished(d.Case.Identity.Serial); len(left) != 0 || first.Job == rec.Job {
		t.Errorf("jobs left open: %+v", left)
	}
}

// TestRunSeveralCommands holds that each namespace gets its command.
func TestRunSeveralCommands(t *testing.T) {
	r := newRig(t, "nand-modern?size=8388608&namespaces=2&fna=0xc&speed=1000000")
	d := r.deps(Request{Technique: FormatUserData, AllNamespaces: true})
	d.Prover = nil // The second namespace of a simulated drive has no reader.
	rec, err := Run(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	want := []nvme.Command{{Opcode: 0x80, NSID: 1, CDW10: 0x200}, {Opcode: 0x80, NSID: 2, CDW10: 0x200}}
	if diff := cmp.Diff(want, r.commands()); diff != "" || len(rec.Outcomes) != 2 {
		t.Errorf("outcomes %+v, sent (-want +got):\n%s", rec.Outcomes, diff)
	}
}

func TestRunSecondCommandRefused(t *testing.T) {
	r := newRig(t, "nand-modern?size=8388608&namespaces=2&fna=0xc&speed=1000000")
	d := r.deps(Request{Technique: FormatUserData, AllNamespaces: true})
	r.behind = func(_ context.Context, cmd *nvme.Command) (nvme.Completion, error, bool) {
		return nvme.Completion{Status: nvme.StatusInvalidFormat}, nil, cmd.Opcode == nvme.AdminFormatNVM && cmd.NSID == 2
	}
	rec, err := Run(t.Context(), d)
	if err == nil || rec.Class() != Failed || !strings.Contains(rec.Next, "1 of 2 commands had succeeded") {
		t.Errorf("result %s, error %v, next %q", rec.Result, err, rec.Next)
	}
}

// TestOverwriteFails holds that a medium that cannot be written to its end is a
// failure.
func TestOverwriteFails(t *testing.T) {
	r := newRig(t, small)
	d := r.deps(Request{Technique: Overwrite})
	d.Prover = nil
	d.written = func(s State) {
		if s == journal.Sent {
			_ = r.drive.Close()
		}
	}
	rec, err := Run(t.Context(), d)
	if err == nil || rec.Class() != Failed || rec.Verdict != proof.Skipped {
		t.Errorf("result %s, error %v", rec.Result, err)
	}
}
