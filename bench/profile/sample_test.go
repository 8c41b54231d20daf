package profile

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
)

func TestSampleOf(t *testing.T) {
	var h bench.Histogram
	for range 2000 {
		h.Add(time.Millisecond)
	}
	p99 := bench.LatencyOf(&h).P99
	job := func(op bench.Op) bench.Job { return bench.Job{Op: op, BlockBytes: 131072} }
	full := bench.Progress{
		Seconds: 7, Operations: 100_000, IntervalSeconds: 1, Interval: &h,
		Telemetry: &bench.Telemetry{Celsius: 55, Throttles: 3},
	}
	for _, tt := range []struct {
		name string
		p    bench.Progress
		op   bench.Op
		want Sample
		ok   bool
	}{
		{"read", full, bench.OpRead, Sample{Seconds: 7, MBPerS: 262.144, P99US: p99, Celsius: new(55), Throttles: new(uint64(3))}, true},
		{"write", full, bench.OpWrite, Sample{Seconds: 7, MBPerS: 262.144, P99US: p99, Celsius: new(55), Throttles: new(uint64(3)), BytesWritten: 13_107_200_000}, true},
		{"mix", full, bench.OpMix, Sample{Seconds: 7, MBPerS: 262.144, P99US: p99, Celsius: new(55), Throttles: new(uint64(3)), BytesWritten: 3_932_160_000}, true},
		{"silent drive", bench.Progress{Seconds: 7, Operations: 10, IntervalSeconds: 1}, bench.OpRead, Sample{Seconds: 7}, true},
		{"warm-up", bench.Progress{WarmingUp: true, IntervalSeconds: 1, Interval: &h}, bench.OpRead, Sample{}, false},
		{"no time", bench.Progress{Interval: &h}, bench.OpRead, Sample{}, false},
	} {
		got, ok := SampleOf(tt.p, job(tt.op))
		if diff := cmp.Diff(tt.want, got); diff != "" || ok != tt.ok {
			t.Errorf("%s: %t, want %t (-want +got):\n%s", tt.name, ok, tt.ok, diff)
		}
	}
}

// TestSampleIsCopied holds that a sample keeps nothing of the progress, which is
// used again.
func TestSampleIsCopied(t *testing.T) {
	p := bench.Progress{IntervalSeconds: 1, Telemetry: &bench.Telemetry{Celsius: 40, Throttles: 1}}
	s, _ := SampleOf(p, bench.Job{BlockBytes: 4096})
	*p.Telemetry = bench.Telemetry{Celsius: 90, Throttles: 9}
	if *s.Celsius != 40 || *s.Throttles != 1 {
		t.Errorf("%d °C, throttled %d times", *s.Celsius, *s.Throttles)
	}
}

func TestMedianP99(t *testing.T) {
	all := []Sample{{P99US: new(30.0)}, {}, {P99US: new(10.0)}, {P99US: new(20.0)}}
	if got := medianP99(all); got == nil || *got != 20 {
		t.Errorf("%v, want 20", got)
	}
	if got := medianP99(all[:3]); got != nil {
		t.Errorf("of two seconds %v, want none", *got)
	}
}
