package record_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

func ptr[T any](v T) *T { return &v }

// encoded makes a record of a result as the command prints it.
func encoded(t *testing.T, v any) *record.Record {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return &record.Record{Body: body}
}

// read is a run at queue depth 1.
func read(p50, p99 float64) bench.Result {
	r := bench.Result{Op: "read", Pattern: "random", BlockBytes: 4096, QueueDepth: 1, Workers: 1}
	r.Latency.P50, r.Latency.P99 = &p50, &p99
	return r
}

func number(n uint64) nvme.Uint128 { return nvme.Uint128{Lo: n} }

// TestKeys looks whether the keys that a Point is made of are still those of
// the results.
func TestKeys(t *testing.T) {
	want := record.Point{
		Firmware: ptr("FW1"), Hours: ptr(uint64(1)), PowerCycles: ptr(uint64(2)), BytesRead: ptr(uint64(3 * 512000)),
		BytesWritten: ptr(uint64(4 * 512000)), UnsafeShutdowns: ptr(uint64(5)), MediaErrors: ptr(uint64(6)),
		ErrorLogEntries: ptr(uint64(7)), PercentageUsed: ptr(uint64(8)), AvailableSpare: ptr(uint64(9)),
		Temperature: ptr(40.0), QD1P50US: ptr(10.0), QD1P99US: ptr(20.0),
	}
	b := &report.BenchReport{Schema: report.BenchSchema, Time: "2026-01-02T03:04:05Z", Drive: &report.Identity{Serial: "S", Firmware: "FW1"}}
	b.Results = []report.BenchResult{{Result: read(10, 20)}}
	b.Conditions.After = &conditions.DriveState{Health: &conditions.Health{
		PowerOnHours: number(1), PowerCycles: number(2), DataUnitsRead: number(3), DataUnitsWritten: number(4), UnsafeShutdowns: number(5),
		MediaErrors: number(6), ErrorLogEntries: number(7), UsedPercent: 8, SparePercent: 9, Celsius: ptr(40),
	}}
	checkPoint(t, encoded(t, b), want)
	b.Conditions.Before, b.Conditions.After = b.Conditions.After, nil
	checkPoint(t, encoded(t, b), want)

	r := &report.Report{Schema: report.Schema, Time: time.Unix(1, 0), Drive: report.Identity{Serial: "S", Firmware: "FW1"}}
	r.Bench.Data = &report.Bench{QD1Read: ptr(read(10, 20))}
	r.SMART.Data = &report.SMART{
		PowerOnHours: number(1), PowerCycles: number(2), DataUnitsRead: number(3), DataUnitsWritten: number(4), UnsafeShutdowns: number(5),
		MediaErrors: number(6), ErrorLogEntries: number(7), PercentageUsedPercent: 8, AvailableSparePercent: 9, CompositeTemperatureCelsius: ptr(40),
	}
	r.Endurance = &smart.Endurance{RatedBytes: ptr(int64(1000)), RatedSource: ptr("maker"), RatedIndicative: true}
	want.Rated = &record.Rated{Bytes: 1000, Source: "maker", Indicative: true}
	checkPoint(t, encoded(t, r), want)
}

func checkPoint(t *testing.T, r *record.Record, want record.Point) {
	t.Helper()
	got, err := record.PointOf(r)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s\n%s", err, diff, r.Body)
	}
}

// TestSubjectKeys does the same for what a result is about.
func TestSubjectKeys(t *testing.T) {
	b := &report.BenchReport{Simulated: true, Drive: &report.Identity{Serial: "S", Model: "M"}}
	b.Target.Target = bench.Target{Path: "/dev/nvme0n1", Bytes: 5}
	r := &report.Report{Drive: report.Identity{Serial: "S", Model: "M", Selector: "/dev/nvme0"}}
	for want, v := range map[record.Subject]any{
		{Serial: "S", Model: "M", Path: "/dev/nvme0n1", Bytes: 5, Simulated: true}: b,
		{Serial: "S", Model: "M", Path: "/dev/nvme0"}:                              r,
	} {
		if got := record.SubjectOf(encoded(t, v).Body); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
