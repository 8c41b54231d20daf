package bench

import (
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// warming is a drive that gets warmer with each access, and throttles now and
// then. It tells nothing if it is mute.
type warming struct {
	drive
	accesses atomic.Int64
	mute     bool
}

// newWarming returns a drive whose accesses take 1 ms.
func newWarming(mute bool) *warming {
	w := &warming{mute: mute}
	w.drive = func(p []byte, off int64) (int, error) {
		w.accesses.Add(1)
		return steady(time.Millisecond)(p, off)
	}
	return w
}

func (w *warming) Telemetry() (celsius int, throttles uint64, ok bool) {
	n := w.accesses.Load()
	return 30 + int(n)/100, uint64(n / 500), !w.mute
}

// observed returns the telemetry that 3 s of reading give.
func observed(t *testing.T, source drive, device *warming) []Telemetry {
	var got []Telemetry
	synctest.Test(t, func(t *testing.T) {
		e := NewReaderAt("sim", source)
		if device != nil {
			e = NewReaderAt("sim", device)
		}
		_, err := Run(t.Context(), e, smallTarget, plain(3500*time.Millisecond), func(p Progress) {
			if p.Telemetry != nil {
				got = append(got, *p.Telemetry)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	return got
}

func TestProgressHasTelemetry(t *testing.T) {
	got := observed(t, nil, newWarming(false))
	if len(got) != 3 {
		t.Fatalf("telemetry %+v, want three", got)
	}
	for i, g := range got {
		// The drive is asked when about as many thousands of reads were done.
		if g.Celsius < 38+10*i || g.Celsius > 41+10*i || g.Throttles < uint64(1+2*i) || g.Throttles > uint64(2+2*i) {
			t.Errorf("second %d: %+v", i+1, g)
		}
	}
}

func TestProgressWithoutTelemetry(t *testing.T) {
	if got := observed(t, steady(time.Millisecond), nil); got != nil {
		t.Errorf("of a drive that has none: %+v", got)
	}
	if got := observed(t, nil, newWarming(true)); got != nil {
		t.Errorf("of one that does not tell: %+v", got)
	}
}

// telling is a device of a timed engine with a state.
type telling struct {
	*schedule
	told Telemetry
}

func (d telling) Telemetry() (int, uint64, bool) { return d.told.Celsius, d.told.Throttles, true }

func TestTimedTelemetry(t *testing.T) {
	want := Telemetry{Celsius: -5, Throttles: 7}
	e := NewTimed("sim", telling{told: want})
	fork, err := e.(Forker).Fork()
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []Engine{e, fork} {
		got, ok := engine.(Telemeter).Telemetry()
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("told: %t (-want +got):\n%s", ok, diff)
		}
	}
	if _, ok := NewTimed("sim", &schedule{}).(Telemeter).Telemetry(); ok {
		t.Error("a device without telemetry tells some")
	}
}

// TestTelemetryDoesNotAllocate holds that the state of the drive costs the run no
// memory, on its way into the line of the protocol too.
func TestTelemetryDoesNotAllocate(t *testing.T) {
	w := newWarming(false)
	w.drive = func(p []byte, _ int64) (int, error) { return len(p), nil }
	e := NewReaderAt("sim", w)
	r := prepared(t, e, plain(time.Hour))
	r.reporter.ask(e)
	line := make([]byte, 0, maxProgress)
	r.observe = func(p Progress) { line = appendProgress(line[:0], &p) }
	if n := testing.AllocsPerRun(20, func() { r.some(50); r.second() }); n != 0 {
		t.Errorf("%g allocations, want 0", n)
	}
	if !strings.Contains(string(line), `,"telemetry":{"celsius":30,"throttles":0}}}`) {
		t.Errorf("the line does not tell the state of the drive: %s", line)
	}
}

func TestTelemetryHasRoom(t *testing.T) {
	p := Progress{Telemetry: &Telemetry{Celsius: math.MinInt32, Throttles: math.MaxUint64}}
	if n := len(appendProgress(nil, &p)) - len(appendProgress(nil, &Progress{})); n > 100 {
		t.Errorf("%d bytes", n)
	}
}
