package render

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/guard"
	"qd1.example/qd1/internal/journal"
	"qd1.example/qd1/internal/report"
)

// agePlanOf plans an aging of a drive with a rating of 1 PB.
func agePlanOf(t *testing.T, o aging.Options, state conditions.DriveState) *aging.Plan {
	t.Helper()
	target := aging.Target{
		Drive:  &report.Identity{Serial: "TEST0001", Model: "TEST DRIVE", Firmware: "FW1"},
		Target: report.BenchTarget{Name: "TEST DRIVE", Target: bench.Target{Kind: bench.BlockTarget, Path: "/dev/nvme0n1", Bytes: 1e12, BlockBytes: 512}},
	}
	p, err := aging.NewPlan(o, 1e15, target, state)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkAge checks which phrases a text has and has not.
func checkAge(t *testing.T, text string, has, not []string) {
	t.Helper()
	got := strings.Join(strings.Fields(text), " ")
	for _, w := range has {
		if !strings.Contains(got, w) {
			t.Errorf("want %q in:\n%s", w, text)
		}
	}
	for _, w := range not {
		if strings.Contains(got, w) {
			t.Errorf("do not want %q in:\n%s", w, text)
		}
	}
}

func TestAgePlan(t *testing.T) {
	hot := conditions.DriveState{Health: &conditions.Health{Celsius: new(80)}}
	refused := &report.BenchPlan{
		Identity: guard.Identity{Model: "TEST DRIVE", Serial: "TEST0001", Bytes: 1e12}, Phrase: "AGE TEST DRIVE", Refused: true,
		Radius: []guard.Member{{NSID: 1, Bytes: 1e12, Block: "nvme0n1", LBABytes: 512}},
		Checks: []guard.Check{{Check: "in use", Result: guard.Refuse, Text: "nvme0n1 is mounted on /mnt", Hint: "umount /mnt"}, {Check: "identity", Result: guard.Pass, Text: "agree"}},
	}
	admitted := *refused
	admitted.Refused, admitted.Checks = false, []guard.Check{
		{Check: "signatures", Result: guard.Consent, Text: "ext on nvme0n1"}, {Check: "power", Result: guard.Pass, Warning: true, Text: "battery"}}
	for _, tt := range []struct {
		name     string
		o        aging.Options
		state    conditions.DriveState
		guard    *report.BenchPlan
		has, not []string
	}{
		{"idle", aging.Options{Mode: aging.Idle, Duration: 3 * time.Hour}, conditions.DriveState{}, nil,
			[]string{"PLAN aging: 3 h in the mode idle", "serial TEST0001", "1 TB (1 000 000 000 000 bytes)", "/dev/nvme0n1", "probe 3 30 s", "settling 1 up to 30 min", "writes nothing", "above 70 °C", "qd1 age resume", "tells no temperature"},
			[]string{"REFUSED", "written up to", "zeroed"}},
		{"hot", aging.Options{Mode: aging.Read, Duration: time.Hour}, hot, nil, []string{"REFUSED aging: 60 min in the mode read", "the drive is at 80 °C now"}, []string{"PLAN"}},
		{"no settling", aging.Options{Mode: aging.Read, Duration: time.Hour, SettleMost: -1}, conditions.DriveState{}, nil, []string{"treatment 1 60 min"}, []string{"settling"}},
		{"mixed", aging.Options{Mode: aging.Mixed, Duration: time.Hour, WearPercent: 0.5}, conditions.DriveState{}, &admitted,
			[]string{"PLAN", "ALL DATA of namespace 1", "up to 113 GB", "0.0113 % of the rated endurance", "at most 5 TB are allowed (0.5 %)", "CONSENT signatures: ext", "warning power: battery", "you will type: AGE TEST DRIVE", "first MiB is zeroed"}, []string{"REFUSED"}},
		{"budget in bytes", aging.Options{Mode: aging.Mixed, Duration: time.Hour, WearBytes: 1e9}, conditions.DriveState{}, &admitted,
			[]string{"REFUSED", "more than the wear budget of 1000000000", "at most 1 GB are allowed"}, []string{"you will type", "allowed ("}},
		{"in use", aging.Options{Mode: aging.Mixed, Duration: time.Hour}, conditions.DriveState{}, refused,
			[]string{"REFUSED aging", "in use: nvme0n1 is mounted on /mnt", "hint: umount /mnt", "checked identity: agree"}, []string{"you will type"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := AgePlan(&b, agePlanOf(t, tt.o, tt.state), tt.guard, Style{}); err != nil {
				t.Fatal(err)
			}
			checkAge(t, b.String(), tt.has, tt.not)
		})
	}
}

func TestAgeStatus(t *testing.T) {
	p := agePlanOf(t, aging.Options{Mode: aging.Mixed, Duration: time.Hour}, conditions.DriveState{})
	base := aging.Status{
		Job: "J1", Serial: "TEST0001", Plan: p, PID: 77, State: aging.Treating, Percent: 41.6, WrittenBytes: 5e9, Celsius: new(44), Text: "treatment: 25m0s of 1h0m0s",
		Probes: []aging.Probe{{TreatedSeconds: 1200, IOPS: 80123, Latency: bench.Latency{P50: new(11.9)}, Celsius: new(45), Throttles: 2, MediaErrors: new(uint64(1)), WrittenBytes: 4e9}},
		Stops:  []aging.Stop{{Reason: aging.Heat, Text: "71 °C", Open: true}},
		Interruptions: []aging.Interruption{
			{State: aging.Before, Text: "nothing was done for 3m0s"},
		},
	}
	for _, tt := range []struct {
		name     string
		change   func(*aging.Status)
		has, not []string
	}{
		{"broken off", func(*aging.Status) {}, []string{"BROKEN OFF aging: 60 min in the mode mixed serial TEST0001", "42 %", "5 GB (5 000 000 000 bytes)", "44 °C", "pauses temperature: 71 °C", "broken before: nothing was done", "20 min 11.9 µs 80 123 45 °C 2 1 4 GB", "qd1 age resume J1 carries on", "qd1 age abandon J1"}, []string{"process"}},
		{"live", func(s *aging.Status) { s.Live = true }, []string{"UNDER WAY", "process 77 works on it"}, []string{"resume"}},
		{"ended", func(s *aging.Status) { s.Ended, s.Probes, s.WrittenBytes, s.Celsius = true, nil, 0, nil }, []string{"ENDED", "qd1 age resume J1 shows the result", "written nothing"}, []string{"Probes", "heat"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := base
			tt.change(&s)
			var b bytes.Buffer
			if err := AgeStatus(&b, &s, Style{}); err != nil {
				t.Fatal(err)
			}
			checkAge(t, b.String(), tt.has, tt.not)
		})
	}
}

// agedRecord is a result with a comparison.
func agedRecord(t *testing.T, overall compare.Overall) *aging.Record {
	worse := compare.Worse
	before, after := "7.0", "7.1"
	c := &compare.Comparison{Overall: overall, Warnings: []string{"a partition is not aligned"}, Rows: []compare.Row{
		{Metric: "iops", Unit: "IOPS", Before: compare.Sample{Median: 80000}, After: compare.Sample{Median: 70000}, ChangePercent: new(-12.5), CI95Percent: &[2]float64{-13, -12}, NoisePercent: new(0.5), PHolm: new(0.002), Verdict: &worse},
		{Metric: "latency_p50", Unit: "µs", Before: compare.Sample{Median: 12}, After: compare.Sample{Median: 13.5}},
	}}
	c.Differences = []compare.Difference{{Difference: conditions.Difference{What: "kernel", Before: &before, After: &after}}}
	return &aging.Record{
		Job: "J1", Label: new("night"), Plan: agePlanOf(t, aging.Options{Mode: aging.Mixed, Duration: time.Hour}, conditions.DriveState{}), State: journal.Done,
		Summary: "1h0m0s of 1h0m0s in the mode mixed: worse", TreatedSeconds: 3600, Comparison: c, Lost: []string{"before-2: damaged"},
		Wear: aging.Wear{WrittenBytes: 1e11, Percent: new(0.01)}, Changes: &conditions.Changes{Facts: []string{"media errors rose by 1"}},
		Stops:  []aging.Stop{{Reason: aging.Heat, Text: "71 °C", Seconds: 90}, {Reason: aging.MediaErrors, Ends: aging.EndsJob, Text: "media errors rose by 1"}},
		Record: "R3", BeforeRecords: []string{"R1"}, AfterRecords: []string{"R2"},
	}
}

func TestAgeResult(t *testing.T) {
	var b bytes.Buffer
	if err := AgeResult(&b, agedRecord(t, compare.AllWorse), Style{Width: 160}); err != nil {
		t.Fatal(err)
	}
	checkAge(t, b.String(), []string{
		"WORSE TEST DRIVE serial TEST0001", "result 1h0m0s of 1h0m0s", "paused temperature: 71 °C, for 90 s", "stopped media-errors: media errors rose by 1", "lost before-2: damaged",
		"label night", "100 GB (100 000 000 000 bytes) written · 0.01 % of the rated endurance", "kernel: 7.0, then 7.1", "warning a partition is not aligned",
		"IOPS 80 000 70 000 -12.5 % -13.0 to -12.0 0.002 0.5 % worse", "p50 µs 12.00 13.50", "records R3 · before R1 · after R2",
	}, []string{"Probes"})
	r := agedRecord(t, "")
	r.Comparison, r.Wear, r.Plan.Drive, r.Changes, r.Record, r.BeforeRecords, r.AfterRecords = nil, aging.Wear{}, nil, nil, "", nil, nil
	b.Reset()
	if err := AgeResult(&b, r, Style{}); err != nil {
		t.Fatal(err)
	}
	checkAge(t, b.String(), []string{"NOT COMPARED TEST DRIVE", "nothing was written by the treatment"}, []string{"What else changed", "serial", "records"})
}

func TestAgedPiece(t *testing.T) {
	for overall, want := range map[compare.Overall]string{
		compare.AllBetter: "BETTER", compare.AllWorse: "WORSE", compare.Mixed: "BETTER AND WORSE", compare.Unchanged: "NO CHANGE",
		compare.NotComparable: "NOT COMPARABLE", compare.Unknown: "NOT ENOUGH RUNS",
	} {
		if got := agedPiece(agedRecord(t, overall)).text; got != want {
			t.Errorf("%s: %s, want %s", overall, got, want)
		}
	}
}
