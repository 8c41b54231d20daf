package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
)

// ageCall is a command line of age, as far as an invocation.
func ageCall(t *testing.T, args ...string) *invocation {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	e := &env{stdout: new(bytes.Buffer), stderr: new(bytes.Buffer), stdin: strings.NewReader(""), now: time.Now}
	var in *invocation
	a := e.app()
	for _, c := range a.Commands {
		if c.Name == "age" {
			c.Action = func(ctx *cli.Context) error { in = &invocation{Context: ctx, env: e, name: "qd1 age"}; return nil }
		}
	}
	arranged, err := arrange(append([]string{"age"}, args...), commands())
	if err == nil {
		err = a.RunContext(t.Context(), append([]string{"qd1"}, arranged...))
	}
	if err != nil || in == nil {
		t.Fatalf("%q: %v", args, err)
	}
	return in
}

// recorder writes down what is sent to a drive.
type recorder struct {
	nvme.Passthru
	sent []nvme.Command
}

func (r *recorder) Submit(ctx context.Context, cmd *nvme.Command) (nvme.Completion, error) {
	r.sent = append(r.sent, *cmd)
	return r.Passthru.Submit(ctx, cmd)
}

const (
	agedModel  = "INTEL SSDPE21D960GA"
	agedSerial = "QD1SIM905PFRESH00001"
)

// Whatever is refused, the drive is told nothing but what it is, and nothing is
// written.
func TestAgeRefusedSendsNothing(t *testing.T) {
	const drive = "sim:optane-905p?size=16777216&speed=1000000"
	agreed := []string{"--yes", "--expect-model", agedModel, "--expect-bytes", "16777216"}
	for _, tt := range []struct {
		name, drive, says string
		boot              bool
		args              []string
	}{
		{"nobody agreed", drive, "nobody agreed", false, nil},
		{"another model", drive, "was expected", false, []string{"--yes", "--expect-model", "OTHER", "--expect-bytes", "16777216"}},
		{"another size", drive, "were expected", false, []string{"--yes", "--expect-model", agedModel, "--expect-bytes", "4096"}},
		{"a signature", drive, "MBR", true, agreed},
		{"the budget", drive, "more than the wear budget", false, append([]string{"--wear-budget", "4096"}, agreed...)},
		{"no rating", "sim:nand-modern?size=16777216", "rated endurance of the drive is not known", false, []string{"--wear-budget", "1%"}},
		{"heat", drive, "above the limit of 20 °C", false, append([]string{"--temperature-limit", "20"}, agreed...)},
		{"read-only", "sim:nand-worn", "read-only", false, []string{"--wear-budget", "1TB"}},
		{"locked", drive + "&opal=locked", "locked", false, agreed},
		{"dry run", drive, "", false, append([]string{"--dry-run"}, agreed...)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := ageCall(t, append([]string{tt.drive, "--mode", "mixed", "--hours", "0.001"}, tt.args...)...)
			o, err := in.ageOptions()
			if err != nil {
				t.Fatal(err)
			}
			j, err := in.openAged(tt.drive, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer j.close()
			if tt.boot {
				if _, err := j.sim.WriteAt(bootSector(), 0); err != nil {
					t.Fatal(err)
				}
			}
			seen := &recorder{Passthru: j.guarded.Passthru}
			j.guarded.Passthru = seen
			was := j.state().Health
			p, err := aging.NewPlan(o, j.ratedBytes(), j.target(), j.state())
			if err != nil {
				t.Fatal(err)
			}
			shown, err := j.admit("text", p, tt.drive)
			if tt.says == "" && (err != nil || !shown) {
				t.Fatalf("a dry run: shown %t, %v", shown, err)
			}
			if x := exitOf(t.Context(), err); tt.says != "" && (err == nil || x.status != exitRefused || !strings.Contains(x.Error(), tt.says)) {
				t.Errorf("%v, want a refusal with %q", err, tt.says)
			}
			for _, c := range seen.sent {
				if c.Queue == nvme.IOQueue && c.Opcode != nvme.IORead || c.Queue != nvme.IOQueue && !slices.Contains([]uint8{0x02, 0x06, 0x0a, 0x82}, c.Opcode) {
					t.Errorf("sent: queue %v opcode %#02x", c.Queue, c.Opcode)
				}
			}
			if len(seen.sent) == 0 {
				t.Error("the guard did not look at the drive")
			}
			if is := j.state().Health; is.DataUnitsWritten != was.DataUnitsWritten || j.began || j.place.Target.Writable {
				t.Errorf("%v units were written, then %v; began %t", was.DataUnitsWritten, is.DataUnitsWritten, j.began)
			}
			if _, _, err := findAge(""); err == nil {
				t.Error("a job was begun")
			}
		})
	}
}

// A target that the guard cannot judge is not written to.
func TestAgeNotWhole(t *testing.T) {
	j := &ageJob{in: ageCall(t, "x", "--mode", "mixed"), place: &place{BenchTarget: report.BenchTarget{Name: "/dev/nvme0n1p1"}}}
	_, err := j.admit("text", &aging.Plan{Mode: aging.Mixed}, "x")
	if x := exitOf(t.Context(), err); x.status != exitRefused || !strings.Contains(x.Error(), "not a whole namespace") {
		t.Errorf("%v", err)
	}
}

// With consent the drive is claimed, written to, and its first MiB zeroed at the
// end of the sitting; without a measurement nothing is.
func TestAgeClaim(t *testing.T) {
	const drive = "sim:optane-905p?size=16777216&speed=1000000"
	for _, began := range []bool{false, true} {
		in := ageCall(t, drive, "--mode", "mixed", "--hours", "0.001", "--yes", "--expect-model", agedModel, "--expect-bytes", "16777216")
		j, err := in.openAged(drive, 0)
		if err != nil {
			t.Fatal(err)
		}
		o, err := in.ageOptions()
		if err != nil {
			t.Fatal(err)
		}
		p, err := aging.NewPlan(o, j.ratedBytes(), j.target(), j.state())
		if err != nil {
			t.Fatal(err)
		}
		if shown, err := j.admit("text", p, drive); shown || err != nil || !j.place.Target.Writable {
			t.Fatalf("shown %t, %v", shown, err)
		}
		data := bytes.Repeat([]byte{1}, 4096)
		if _, err := j.sim.WriteAt(data, 0); err != nil {
			t.Fatal(err)
		}
		j.began = began
		first := make([]byte, 4096)
		last := j.place.closers[0] // The drive itself is looked at before it goes.
		j.place.closers[0] = func() error {
			if _, err := j.sim.ReadAt(first, 0); err != nil {
				t.Error(err)
			}
			return last()
		}
		if err := j.close(); err != nil {
			t.Fatal(err)
		}
		if zeroed := bytes.Equal(first, make([]byte, 4096)); zeroed != began {
			t.Errorf("began %t: zeroed %t", began, zeroed)
		}
	}
}

func TestAgeOptions(t *testing.T) {
	in := ageCall(t, "x", "--hours", "0.5", "--mode", "mixed", "--runs", "7", "--seconds", "10", "--probe-every", "5m", "--rate", "50", "--size", "1GiB",
		"--wear-budget", "0.5%", "--temperature-limit", "60", "--settle", "0", "--label", "night", "--min-effect", "3", "--engine", "psync")
	got, err := in.ageOptions()
	want := aging.Options{
		Mode: aging.Mixed, Duration: 30 * time.Minute, Runs: 7, RunDuration: 10 * time.Second, Interval: 5 * time.Minute, MBPerS: 50, Span: 1 << 30,
		WearPercent: 0.5, TempMax: 60, SettleMost: -1, Label: "night", MinEffectPercent: 3, Engine: bench.EnginePsync,
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if got, err := ageCall(t, "x", "--hours", "1", "--mode", "mixed", "--wear-budget", "500GB").ageOptions(); err != nil || got.WearBytes != 500e9 || got.WearPercent != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAgedSelector(t *testing.T) {
	plan := func(kind bench.TargetKind, path string, nsid uint32, serial string) *aging.Plan {
		p := &aging.Plan{}
		p.Target.Target.Target = bench.Target{Kind: kind, Path: path, NSID: nsid}
		if serial != "" {
			p.Drive = &report.Identity{Serial: serial}
		}
		return p
	}
	for want, p := range map[string]*aging.Plan{
		"sim:optane-905p": plan(bench.SimulatedTarget, "optane-905p", 1, agedSerial),
		"S1":              plan(bench.BlockTarget, "/dev/nvme0n1", 1, "S1"),
		"/dev/nvme0n1p1":  plan(bench.BlockTarget, "/dev/nvme0n1p1", 0, "S1"),
		"/dev/mapper/x":   plan(bench.BlockTarget, "/dev/mapper/x", 0, ""),
	} {
		if got := agedSelector(p); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestAgeEnds(t *testing.T) {
	j := &ageJob{in: ageCall(t, "x")}
	rec := &aging.Record{Job: "J1", Summary: "half"}
	for _, tt := range []struct {
		name       string
		err        error
		status     int
		says, hint string
	}{
		{"another drive", errors.Join(aging.ErrOtherDrive, errors.New("S2")), exitRefused, "another drive", "age resume J1"},
		{"gone", aging.ErrDrive, exitFailed, "cannot be reached; what was measured is kept", "age resume J1"},
		{"measured", &bench.Error{Cause: "10 errors", Hint: "look"}, exitFailed, "10 errors", "look; then qd1 age resume J1"},
		{"nothing", nil, exitFailed, "not done", "age resume J1"},
	} {
		if x := exitOf(t.Context(), j.brokenOff(rec, tt.err)); x.status != tt.status || !strings.Contains(x.Error(), tt.says) || !strings.Contains(x.hint, tt.hint) {
			t.Errorf("%s: %d %s, hint %s", tt.name, x.status, x.Error(), x.hint)
		}
	}
	for _, tt := range []struct {
		name   string
		err    error
		status int
		says   string
	}{
		{"live", &journal.LiveError{ID: "J1", Serial: "S1", PID: 77}, exitFailed, "77"},
		{"another drive", aging.ErrOtherDrive, exitRefused, "another drive"},
		{"refused", aging.ErrRefused, exitRefused, "refused"},
		{"other", io.ErrUnexpectedEOF, exitFailed, "unexpected EOF"},
	} {
		if x := exitOf(t.Context(), j.notBegun(tt.err)); x.status != tt.status || !strings.Contains(x.Error(), tt.says) {
			t.Errorf("%s: %d %s", tt.name, x.status, x.Error())
		}
	}
	rec.Plan = &aging.Plan{}
	for want, stop := range map[int]aging.Stop{
		0: {Reason: aging.WearBudget, Ends: aging.EndsTreatment}, exitFailed: {Reason: aging.MediaErrors, Ends: aging.EndsJob, Text: "media errors rose by 1"},
	} {
		rec.Stops = []aging.Stop{{Reason: aging.Heat}, stop, {Reason: aging.Abandoned, Ends: aging.EndsJob}}
		got := 0
		if err := ageOutcome(rec); err != nil {
			got = exitOf(t.Context(), err).status
		}
		if got != want {
			t.Errorf("%s: exit status %d, want %d", stop.Reason, got, want)
		}
	}
}

func TestEventLine(t *testing.T) {
	e := aging.Event{
		State: aging.Treating, Text: "probe 1 of 3", TreatedSeconds: 3600, RemainingSeconds: 7261, Celsius: new(44),
		Progress: &bench.Progress{IOPS: 80000, MBPerS: 320, Seconds: 3, PlannedSeconds: 30},
	}
	if got, want := eventLine(e), "probe 1 of 3, 1h0m0s of it done; measuring: 80000 IOPS, 320.0 MB/s, 3 of 30 s; 44 °C; about 2h1m1s left"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := eventLine(aging.Event{State: aging.Before, Text: "warming up"}), "warming up; about 0s left"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// keptRecord is the result of a job of two sittings in its first set.
func keptRecord() *aging.Record {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	set := func(label string, hour int) *report.BenchReport {
		return &report.BenchReport{Schema: report.BenchSchema, Time: at.Add(time.Duration(hour) * time.Hour).Format(time.RFC3339Nano), Label: &label}
	}
	rec := &aging.Record{
		Schema: aging.Schema, Job: "J1", Time: at.Add(5 * time.Hour), Label: new("night"), Plan: &aging.Plan{}, State: journal.Done,
		Before: []*report.BenchReport{set("night before", 0), set("night before", 1)}, After: []*report.BenchReport{set("night after", 4)},
	}
	rec.Plan.Drive = &report.Identity{Serial: "S1", Model: "M"}
	rec.Plan.Target.Target.Bytes = 1e12
	return rec
}

// What is kept twice, as after a crash, is kept once, and the result names its
// sets.
func TestAgeKeep(t *testing.T) {
	in := ageCall(t, "x")
	for range 2 {
		j := &ageJob{in: in, progress: in.env.startProgress()}
		rec := keptRecord()
		j.keep(rec)
		if j.close() != nil || j.kept == nil || len(rec.BeforeRecords) != 2 || len(rec.AfterRecords) != 1 || rec.Record == "" {
			t.Fatalf("%+v: %s", rec, in.env.stderr)
		}
	}
	store, err := in.store()
	if err != nil {
		t.Fatal(err)
	}
	list, faults := store.List(record.Query{Drive: "S1"})
	var kinds []string
	for _, r := range list {
		kinds = append(kinds, r.Kind+" "+r.Label)
	}
	if diff := cmp.Diff([]string{"bench night before", "bench night before", "bench night after", "age night"}, kinds); diff != "" || len(faults) > 0 {
		t.Errorf("%v\n%s", faults, diff)
	}
	if last := string(list[3].Body); !strings.Contains(last, list[0].ID) || !strings.Contains(last, list[2].ID) || !strings.Contains(last, list[3].ID) {
		t.Error("the result does not name its records")
	}
}

func TestAgeKeepNot(t *testing.T) {
	for _, tt := range []struct {
		name      string
		simulated bool
		args      []string
		want      bool
	}{
		{"simulated", true, nil, false}, {"simulated, asked for", true, []string{"--save"}, true}, {"not wanted", false, []string{"--no-save"}, false}, {"real", false, nil, true},
	} {
		in := ageCall(t, append([]string{"x"}, tt.args...)...)
		rec := keptRecord()
		rec.Simulated = tt.simulated
		j := &ageJob{in: in, progress: in.env.startProgress()}
		j.keep(rec)
		if got := rec.Record != ""; got != tt.want {
			t.Errorf("%s: kept %t", tt.name, got)
		}
	}
	in := ageCall(t, "x")
	if err := os.WriteFile(filepath.Join(os.Getenv("XDG_STATE_HOME"), "qd1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j, rec := &ageJob{in: in, progress: in.env.startProgress()}, keptRecord()
	j.keep(rec)
	if said := in.env.stderr.(*bytes.Buffer).String(); rec.Record != "" || rec.BeforeRecords != nil || !strings.Contains(said, "warning: ") || !strings.Contains(said, "qd1 age resume J1 keeps it later") {
		t.Errorf("record %q: %s", rec.Record, said)
	}
}

// Without a drive nothing is asked for its health; with one it is.
func TestAgeDeps(t *testing.T) {
	j := &ageJob{in: ageCall(t, "x")}
	d, err := j.deps()
	if err != nil || d.Health != nil || d.Conditions != nil || d.Target.Key() != "" || j.state().Health != nil || j.ratedBytes() != 0 {
		t.Errorf("%+v, %v", d, err)
	}
	s, err := ageCall(t, "x").openAged("sim:optane-905p", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if d, err = s.deps(); err != nil {
		t.Fatal(err)
	}
	h, err := d.Health(t.Context())
	c, more := d.Conditions(t.Context())
	if err != nil || more != nil || h.Health == nil || c.Host.Kernel == nil || d.Statistics != nil || d.Target.Key() != agedSerial || s.ratedBytes() == 0 {
		t.Errorf("%+v %v %v, key %s", h, err, more, d.Target.Key())
	}
}
