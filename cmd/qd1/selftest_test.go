package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/selftest"
	"qd1.example/qd1/nvme"
)

// testOn runs selftest run on a recorded drive.
func testOn(t *testing.T, g *guarded, args ...string) (stdout string, err error) {
	t.Helper()
	in, out, _ := invocationOf(t, selftestRunCommand(), args...)
	in.env.now = time.Now
	r, err := in.testRequest()
	if err != nil {
		return "", err
	}
	err = in.onTested(g, func(run *testRun) error { return run.start(t.Context(), r) })
	return out.String(), err
}

// abortOn runs selftest abort on a recorded drive.
func abortOn(t *testing.T, g *guarded, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	in, out, said := invocationOf(t, selftestAbortCommand(), args...)
	err = in.onTested(g, func(run *testRun) error { return run.abort(t.Context()) })
	return out.String(), said.String(), err
}

// startTest starts a test behind the program's back.
func startTest(t *testing.T, g *guarded) {
	t.Helper()
	cpl, err := g.host.(recordedHost).drive.Submit(t.Context(), selftest.Start(selftest.Extended, nvme.BroadcastNSID))
	if err != nil || !cpl.Status.OK() {
		t.Fatal(cpl, err)
	}
}

// TestSelftestRefused holds for each refusal that nothing but reading reached the
// drive.
func TestSelftestRefused(t *testing.T) {
	for _, tt := range []struct {
		name, profile string
		args          []string
		running       bool
		status        int
		says          string
	}{
		{"nobody agreed", "nand-modern", nil, false, exitRefused, "nobody agreed"},
		{"another model", "nand-modern", []string{"--yes", "--expect-model", "X"}, false, exitRefused, "the model number is"},
		{"another size", "nand-modern", []string{"--yes", "--expect-bytes", "1"}, false, exitRefused, "were expected"},
		{"a dry run", "nand-modern", []string{"--yes", "--dry-run", "--expect-bytes", "1"}, false, exitRefused, "see the result"},
		{"one is running", "nand-modern", []string{"--yes"}, true, exitRefused, "a self-test is running"},
		{"a drive without one", "optane-905p", []string{"--yes"}, false, exitRefused, "OACS bit 4 is 0"},
		{"two kinds", "nand-modern", []string{"--yes", "--short", "--extended"}, false, exitUsage, "one of them"},
		{"no time", "nand-modern", []string{"--yes", "--stand-still", "soon"}, false, exitUsage, "a time is needed"},
		{"no namespace", "nand-modern", []string{"--yes", "--namespace-id", "x"}, false, exitUsage, "a number"},
		{"hot", "nand-modern?temperature=90", []string{"--yes"}, false, exitRefused, "its limit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, r := recordedDrive(t, tt.profile, nil)
			if tt.running {
				startTest(t, g)
			}
			_, err := testOn(t, g, tt.args...)
			if err == nil {
				t.Fatal("no error")
			}
			if x := exitOf(t.Context(), err); x.status != tt.status || !strings.Contains(x.Error(), tt.says) {
				t.Errorf("status %d, %q; want %d, %q", x.status, x.Error(), tt.status, tt.says)
			}
			if sent := r.changes(); len(sent) > 0 {
				t.Errorf("sent: %+v", sent)
			}
		})
	}
}

// TestSelftestSends checks what reaches the drive with consent: the one command.
func TestSelftestSends(t *testing.T) {
	g, r := recordedDrive(t, "nand-modern?speed=1000", nil)
	out, err := testOn(t, g, "--yes", "--extended", "--namespace-id", "1")
	if err != nil || !strings.Contains(out, "PASSED  extended self-test  controller and namespace 1") {
		t.Errorf("%v\n%s", err, out)
	}
	sent := r.changes()
	if len(sent) != 1 || sent[0].Opcode != nvme.AdminDeviceSelfTest || sent[0].NSID != 1 || sent[0].CDW10 != 2 {
		t.Errorf("sent %+v, want an extended test of namespace 1", sent)
	}
}

// TestSelftestAgree types the word on a terminal in the place of the flag.
func TestSelftestAgree(t *testing.T) {
	for typed, want := range map[string]bool{"yes\n": true, "y\n": true, "no\n": false, "\n": false} {
		in, _, _ := invocationOf(t, selftestRunCommand())
		text, err := in.env.askLine(t.Context(), newLines(strings.NewReader(typed)), "Start?", "yes")
		if err != nil || isYes(text) != want {
			t.Errorf("%q: %q, %v", typed, text, err)
		}
	}
}

func TestSelftestAbort(t *testing.T) {
	g, r := recordedDrive(t, "nand-modern", nil)
	out, said, err := abortOn(t, g, "--yes")
	if err != nil || !strings.Contains(said, "no self-test is running") || !strings.Contains(out, "No self-test") {
		t.Errorf("without a test: %v, %q\n%s", err, said, out)
	}
	startTest(t, g)
	if _, _, err := abortOn(t, g); exitOf(t.Context(), err).status != exitRefused {
		t.Errorf("without consent: %v, want a refusal", err)
	}
	if sent := r.changes(); len(sent) > 0 {
		t.Fatalf("sent: %+v", sent)
	}
	out, _, err = abortOn(t, g, "--yes")
	if err != nil || !strings.Contains(out, "ABORTED  extended self-test") || !strings.Contains(out, "aborted by a Device Self-test command (code 1h)") {
		t.Errorf("with consent: %v\n%s", err, out)
	}
	if sent := r.changes(); len(sent) != 1 || sent[0].CDW10 != 0xF {
		t.Errorf("sent %+v, want the abort alone", sent)
	}
}

// TestSelftestLeft lets Ctrl-C come in the middle: the test goes on in the drive.
func TestSelftestLeft(t *testing.T) {
	g, _ := recordedDrive(t, "nand-modern", nil)
	in, out, _ := invocationOf(t, selftestRunCommand(), "--yes")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	in.env.now = time.Now
	err := in.onTested(g, func(run *testRun) error {
		return run.start(ctx, testRequest{kind: selftest.Short, nsid: nvme.BroadcastNSID})
	})
	x := exitOf(ctx, err)
	if x.status != exitWorking || !strings.Contains(x.Error(), "goes on in the drive") || !strings.Contains(x.hint, "qd1 selftest abort") {
		t.Errorf("status %d, %q, hint %q", x.status, x.Error(), x.hint)
	}
	if !strings.Contains(out.String(), "RUNNING  short self-test") {
		t.Errorf("shown:\n%s", out)
	}
	log, err := nvme.NewController(g.host.(recordedHost).drive).SelfTestLog(t.Context())
	if err != nil || log.CurrentOperation != 1 {
		t.Errorf("log %+v, %v: want that the test is running", log, err)
	}
}
