package launch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// sh is a command line of a shell.
func sh(script string) []string { return []string{"sh", "-c", script} }

// here is this host without its caches: nothing is dropped, and sync is only
// counted.
func here(t *testing.T) (h host, dropped string, syncs *int) {
	t.Helper()
	syncs = new(int)
	h = thisHost()
	h.dropCaches = filepath.Join(t.TempDir(), "drop_caches")
	h.sync = func() { *syncs++ }
	write(t, h.dropCaches, "")
	return h, h.dropCaches, syncs
}

func TestLaunchWarm(t *testing.T) {
	var seen []Progress
	got, err := Launch(t.Context(), []string{"true"}, Options{Runs: 6, Time: noon, Observe: func(p Progress) { seen = append(seen, p) }})
	if err != nil {
		t.Fatal(err)
	}
	if got.Kind != Kind || got.Time != "2026-01-02T12:00:00Z" || filepath.Base(got.Executable) != "true" || got.Program[0] != "true" {
		t.Errorf("identity = %+v", got)
	}
	if got.Cold != nil || got.Caches != nil || got.ColdMinusWarm != nil || got.Partial || got.Ended != "complete" {
		t.Errorf("result of warm runs = %+v", got)
	}
	if got.Warm == nil || len(got.Warm.Runs) != 6 || got.Warm.WallMS.MedianCI95 == nil || got.Warm.WallMS.Median <= 0 {
		t.Errorf("warm = %+v", got.Warm)
	}
	if len(seen) != 6 || seen[5].Done != 6 || seen[5].Total != 6 || seen[5].Cold || seen[5].Run != got.Warm.Runs[5] {
		t.Errorf("progress = %+v", seen)
	}
}

func TestLaunchCold(t *testing.T) {
	h, dropped, syncs := here(t)
	var order []bool
	got, err := h.launch(t.Context(), []string{"true"}, Options{Runs: 4, Cold: true, Observe: func(p Progress) { order = append(order, p.Cold) }})
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(dropped); !strings.HasPrefix(string(text), "3\n") || *syncs != 4 {
		t.Errorf("%q was written to drop_caches, %d syncs, want 3 and 4", text, *syncs)
	}
	if got.Caches == nil || got.Caches.Method != MethodDrop || got.Caches.Reason != "" || got.Caches.Files == 0 || got.Caches.Bytes == 0 {
		t.Errorf("caches = %+v", got.Caches)
	}
	if len(got.Cold.Runs) != 4 || len(got.Warm.Runs) != 4 || got.ColdMinusWarm == nil || got.ColdMinusWarm.CI95 == nil {
		t.Errorf("result = %+v", got)
	}
	for i, cold := range order {
		if cold != (i%2 == 0) {
			t.Fatalf("order of cold and warm runs = %v, want by turns", order)
		}
	}
	if !got.ColdMinusWarm.CI95.Contains(got.ColdMinusWarm.MS) {
		t.Errorf("difference = %+v", got.ColdMinusWarm)
	}
}

// TestForgetFiles: without the right to drop caches, the files that the program
// was seen to use leave memory, and reading them needs the device.
func TestForgetFiles(t *testing.T) {
	h, dropped, _ := here(t)
	h.dropCaches = dropped + "/absent"
	h.sync = unix.Sync
	path := filepath.Join(t.TempDir(), "data")
	const size = 8 << 20
	write(t, path, strings.Repeat("x", size))
	got, err := h.launch(t.Context(), sh("exec 3<"+path+"; sleep 0.05; cat <&3"), Options{Runs: 1, Cold: true})
	if err != nil {
		t.Fatal(err)
	}
	if got.Caches.Method != MethodAdvise || got.Caches.Reason == "" || got.Caches.Bytes < size {
		t.Errorf("caches = %+v", got.Caches)
	}
	if warm := got.Warm.Runs[0].ReadBytes; warm >= size {
		t.Errorf("a warm run reads %d bytes", warm)
	}
	if cold := got.Cold.Runs[0].ReadBytes; cold < size {
		t.Logf("a cold run reads %d bytes: the file system of %s is not on a device, or another program reads the file", cold, path)
	}
}

// TestResident: what was just written is in memory, and after the advice it is
// not.
func TestResident(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	write(t, path, strings.Repeat("x", 1<<20))
	c := &caches{host: host{sync: unix.Sync}, files: []string{path, path + "/absent", t.TempDir()}}
	c.reason = ""
	c.host.dropCaches = os.DevNull
	c.empty()
	if c.resident == nil {
		t.Skip("SKIPPED: the kernel has no cachestat for this user")
	}
	before := *c.resident
	c.reason = "not permitted"
	c.empty() // the advice
	c.empty() // what it has left
	if before != 1<<20 || c.bytes != 1<<20 {
		t.Errorf("%d of %d bytes in memory before, want 1 MiB of 1 MiB", before, c.bytes)
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err == nil && fs.Type != unix.TMPFS_MAGIC && *c.resident != 0 {
		t.Errorf("%d bytes in memory after the advice, want 0", *c.resident)
	}
}

// TestDropRefused: a kernel that refuses the write has the files forgotten.
func TestDropRefused(t *testing.T) {
	h, _, _ := here(t)
	h.dropCaches = "/dev/full"
	got, err := h.launch(t.Context(), []string{"true"}, Options{Runs: 1, Cold: true})
	if err != nil || got.Caches.Method != MethodAdvise || !strings.Contains(got.Caches.Reason, "no space") {
		t.Errorf("caches = %+v, %v, want the advice and why", got.Caches, err)
	}
}

func TestUntil(t *testing.T) {
	dir := t.TempDir()
	for _, stream := range []string{"1", "2"} {
		got, err := Launch(t.Context(), sh("echo $$ >"+dir+"/pid; printf 're' >&"+stream+"; sleep 0.02; echo ady >&"+stream+"; sleep 60"),
			Options{Runs: 2, Until: "ready"})
		if err != nil {
			t.Fatalf("stream %s: %v", stream, err)
		}
		if w := got.Warm.WallMS; w.Min < 20 || w.Max > 30000 || got.Until != "ready" {
			t.Errorf("stream %s: %+v", stream, w)
		}
		gone(t, dir+"/pid")
	}
}

// gone fails if the process whose number is in the file lives.
func gone(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	var stat []byte
	// Death takes a moment, and one that its parent has not waited for is a
	// zombie, which is ended too.
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		stat, err = os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	t.Errorf("process %d still runs: %s", pid, stat)
}

func TestLeftBehind(t *testing.T) {
	dir := t.TempDir()
	if _, err := Launch(t.Context(), sh("sleep 60 & echo $! >"+dir+"/pid"), Options{Runs: 1}); err != nil {
		t.Fatal(err)
	}
	gone(t, dir+"/pid")
}

func TestLaunchErrors(t *testing.T) {
	tests := []struct {
		name string
		argv []string
		o    Options
		want error
	}{
		{"nothing", nil, Options{}, ErrOptions},
		{"no name", []string{""}, Options{}, ErrOptions},
		{"too many runs", []string{"true"}, Options{Runs: MaxRuns + 1}, ErrOptions},
		{"negative runs", []string{"true"}, Options{Runs: -1}, ErrOptions},
		{"negative time-out", []string{"true"}, Options{Timeout: -1}, ErrOptions},
		{"no such program", []string{"no-such-program-here"}, Options{}, os.ErrNotExist},
		{"no such file", []string{"/nowhere/program"}, Options{}, os.ErrNotExist},
		{"no such directory", []string{"true"}, Options{Dir: "/nowhere"}, os.ErrNotExist},
		{"time-out", sh("sleep 60"), Options{Timeout: 50 * time.Millisecond}, ErrTimeout},
		{"text that never comes", sh("echo red"), Options{Until: "ready"}, ErrUnsaid},
		{"text that is late", sh("sleep 60"), Options{Until: "ready", Timeout: 50 * time.Millisecond}, ErrTimeout},
	}
	for _, tt := range tests {
		got, err := Launch(t.Context(), tt.argv, tt.o)
		if got != nil || !errors.Is(err, tt.want) && !(tt.want == os.ErrNotExist && err != nil) {
			t.Errorf("%s: %+v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
}

func TestFailures(t *testing.T) {
	tests := []struct{ script, status, message string }{
		{"echo one >&2; echo two >&2; exit 3", "exit status 3", "the program failed: exit status 3: two"},
		{"exit 1", "exit status 1", "the program failed: exit status 1"},
		{"kill -9 $$", "signal: killed", "the program failed: signal: killed"},
	}
	for _, tt := range tests {
		got, err := Launch(t.Context(), sh(tt.script), Options{Runs: 1})
		var failed *FailedError
		if got != nil || !errors.As(err, &failed) || failed.Status != tt.status || err.Error() != tt.message {
			t.Errorf("%s: %v, want %q", tt.script, err, tt.message)
		}
	}
}

// TestLateFailure: the runs before a failure are kept.
func TestLateFailure(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	got, err := Launch(t.Context(), sh("echo x >>"+count+"; test $(wc -l <"+count+") -lt 4"), Options{Runs: 5})
	var failed *FailedError
	if !errors.As(err, &failed) {
		t.Fatalf("error = %v, want a failure", err)
	}
	if got == nil || len(got.Warm.Runs) != 2 || !got.Partial || got.Ended != err.Error() {
		t.Errorf("result = %+v, want 2 runs and partial", got)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	got, err := Launch(ctx, []string{"true"}, Options{Runs: 5, Observe: func(p Progress) {
		if p.Done == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, ErrInterrupted) || got == nil || len(got.Warm.Runs) != 2 || !got.Partial || got.Ended != "interrupted" {
		t.Errorf("result = %+v, %v, want 2 runs, interrupted", got, err)
	}
	if got, err := Launch(ctx, []string{"true"}, Options{}); got != nil || !errors.Is(err, ErrInterrupted) {
		t.Errorf("with a context that has ended: %+v, %v", got, err)
	}
}

// TestInterruptedRun: the end of the context ends the program too, also one that
// does not want to.
func TestInterruptedRun(t *testing.T) {
	dir := t.TempDir()
	for _, script := range []string{"sleep 60", "trap '' TERM; while :; do sleep 0.05; done"} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		p, err := newProgram(sh("echo $$ >"+dir+"/pid; "+script), Options{Timeout: DefaultTimeout})
		if err != nil {
			t.Fatal(err)
		}
		p.grace = 100 * time.Millisecond
		if _, err := p.run(ctx, nil); !errors.Is(err, ErrInterrupted) {
			t.Errorf("%s: %v, want interrupted", script, err)
		}
		cancel()
		gone(t, dir+"/pid")
	}
}

func TestRunOfWork(t *testing.T) {
	got, err := Launch(t.Context(), sh("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"), Options{Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := got.Warm.Runs[0]
	if cpu := r.UserMS + r.SystemMS; cpu <= 0 || r.WallMS <= 0 || cpu > 4*r.WallMS {
		t.Errorf("run = %+v, want processor time within the time that passed", r)
	}
}

// TestChatter: a program that fills its pipes is read on, and ends.
func TestChatter(t *testing.T) {
	for _, until := range []string{"", "the end"} {
		_, err := Launch(t.Context(), sh("head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero; echo the end"), Options{Runs: 1, Until: until})
		if err != nil {
			t.Errorf("until %q: %v", until, err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "program"), "#!/bin/sh\ntest \"$A\" = b && test \"$(pwd)\" = \""+dir+"\" && ! read x\n")
	got, err := Launch(t.Context(), []string{"./program"}, Options{Runs: 1, Env: []string{"A=b", "PATH=/usr/bin:/bin"}, Dir: dir})
	if err != nil || got.Executable != filepath.Join(dir, "program") || got.Directory != dir {
		t.Errorf("Launch = %+v, %v", got, err)
	}
}
