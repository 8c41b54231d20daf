package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/firmware"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
)

// quiet is a benchmark of ten runs without noise worth speaking of, around a
// latency in µs.
func quiet(revision string, us float64) *report.BenchReport {
	b := &report.BenchReport{Schema: report.BenchSchema, Time: "2026-01-02T03:04:05Z", Tool: report.Tool{Name: "qd1", Version: "1"}}
	b.Drive = &report.Identity{Serial: "A1", Model: "M", Firmware: revision}
	b.Conditions.Subject = conditions.Subject{Serial: "A1", Firmware: revision}
	b.Conditions.CPULatencyHeld = true
	b.Rows = []report.BenchRow{{Label: "RND4K Q1T1 read", Job: bench.Job{Engine: "psync", Op: bench.OpRead, Pattern: bench.Random, BlockBytes: 4096, QueueDepth: 1, Workers: 1}}}
	for i := range 10 {
		v := us * (1 + float64(i%5)/10000)
		r := report.BenchResult{Run: i + 1}
		r.Operations, r.IOPS, r.MBPerS, r.CPULatencyHeld = 1000, 1e6/v, 4096/v, true
		r.Latency.P50, r.Latency.Mean, r.Latency.P99 = new(v), new(v), new(2*v)
		b.Results = append(b.Results, r)
	}
	return b
}

// TestFirmwareBenchmark holds what the benchmarks before and after come to: other
// firmware does not stand in the way of a verdict.
func TestFirmwareBenchmark(t *testing.T) {
	for _, tt := range []struct {
		after, effect float64
		want          string
	}{
		{12, 2, "no change of 2 % or more"},
		{12.05, 5, "no change of 5 % or more"},
		{13, 2, "worse: "},
		{11, 2, "better: "},
	} {
		m := &beforeAfter{effect: tt.effect, before: quiet("E2010480", 12)}
		if got := m.compare(quiet("E2010650", tt.after)); !strings.HasPrefix(got, tt.want) {
			t.Errorf("12 µs before, %v µs after: %q, want %q", tt.after, got, tt.want)
		}
	}
}

// TestFirmwareSelector names the drive that is measured afterwards.
func TestFirmwareSelector(t *testing.T) {
	for selector, want := range map[string]string{"sim:nand-modern": "sim:nand-modern?firmware=NEW", "sim:nand-modern?seed=1": "sim:nand-modern?seed=1&firmware=NEW"} {
		g, err := openGuarded(selector, "")
		if err != nil {
			t.Fatal(err)
		}
		u := &updating{guarded: g}
		if got := new(beforeAfter).selector(u, "NEW"); got != want {
			t.Errorf("%s: %s, want %s", selector, got, want)
		}
		if got := new(beforeAfter).selector(u, ""); got != selector {
			t.Errorf("%s before: %s", selector, got)
		}
		_ = g.Close()
	}
}

func TestFirmwareOutcome(t *testing.T) {
	for class, want := range map[firmware.Class]int{
		firmware.Changed: exitDone, firmware.Pending: exitPending, firmware.Unchanged: exitUnproven, firmware.Rejected: exitFailed,
		firmware.Failed: exitFailed, firmware.Cancelled: exitInterrupted, firmware.Interrupted: exitWorking,
	} {
		err := firmwareOutcome(&firmware.Record{Result: class, Text: "text"})
		if got := exitOf(t.Context(), err); err != nil && got.status != want || err == nil && want != exitDone {
			t.Errorf("%s: %v, want %d", class, err, want)
		}
	}
	if got := exitOf(t.Context(), firmwareNotBegun(&firmware.Record{Result: firmware.Failed}, errors.New("no answer"))); got.status != exitFailed || !strings.Contains(got.Error(), "Nothing was sent") {
		t.Errorf("not begun: %+v", got)
	}
	if got := exitOf(t.Context(), firmwareNotBegun(&firmware.Record{Result: firmware.Cancelled}, errors.New("x"))); got.status != exitInterrupted {
		t.Errorf("cancelled: %+v", got)
	}
}

// TestFirmwarePlanSendsNothing looks at every command that a drive gets from a
// plan, also from one that is refused.
func TestFirmwarePlanSendsNothing(t *testing.T) {
	for _, slot := range []int{0, 2} {
		d, err := sim.Open("optane-905p")
		if err != nil {
			t.Fatal(err)
		}
		var changes []uint8
		d.WithTrace(func(c *nvme.Command) {
			if c.Opcode == nvme.AdminFirmwareCommit || c.Opcode == nvme.AdminFirmwareImageDownload {
				changes = append(changes, c.Opcode)
			}
		})
		g, err := openGuarded("sim:optane-905p", "")
		if err != nil {
			t.Fatal(err)
		}
		g.Passthru = d
		r := firmware.Request{Reset: firmware.ResetAsNeeded, Slot: slot}
		image, err := firmware.NewImage("x", bytes.Repeat([]byte("QD1!"), 1024))
		if err != nil {
			t.Fatal(err)
		}
		r.Image = image
		in := new(invocation)
		u, err := in.prepareFirmware(t.Context(), g, r)
		if r.Slot != 0 && err == nil || r.Slot == 0 && (err != nil || u.record(nil).Result != firmware.Planned) {
			t.Errorf("slot %d: %v", slot, err)
		}
		if len(changes) != 0 {
			t.Errorf("slot %d: sent %x", slot, changes)
		}
		_, _ = g.Close(), d.Close()
	}
}
