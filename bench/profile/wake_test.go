package profile

import (
	"testing"
	"time"

	"qd1.example/qd1/bench"
)

// pauser is a recorder that also measures the shortest time between a
// completion and the next submission.
type pauser struct {
	*recorder
	completed time.Time
	shortest  time.Duration
}

func (p *pauser) Submit(requests []bench.Request) (int, error) {
	if !p.completed.IsZero() {
		p.shortest = min(p.shortest, time.Since(p.completed))
	}
	return p.recorder.Submit(requests)
}

func (p *pauser) Reap(events []bench.Event, least int) (int, error) {
	n, err := p.recorder.Reap(events, least)
	p.completed = time.Now()
	return n, err
}

// TestWakePauses runs a few operations of each row and looks at the pauses.
func TestWakePauses(t *testing.T) {
	p, err := Lookup("wake")
	if err != nil {
		t.Fatal(err)
	}
	want := []time.Duration{0, 100 * time.Microsecond, time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second}
	if len(p.Rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(p.Rows), len(want))
	}
	for i, r := range p.Rows {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			j := r.Job
			j.Operations, j.HoldCPULatency = 2, false
			e := &pauser{recorder: newRecorder(), shortest: time.Hour}
			target := bench.Target{Kind: bench.FileTarget, Path: "recorded", Bytes: 1 << 20}
			if _, err := bench.Run(t.Context(), e, target, j, nil); err != nil {
				t.Fatal(err)
			}
			if e.shortest < want[i] || e.shortest == time.Hour {
				t.Errorf("a pause of %v, want %v or more", e.shortest, want[i])
			}
		})
	}
}
