package conditions

import (
	"errors"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

func TestSamplerDue(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }
	c, log := simulated(t, "nand-modern")
	s := NewSampler(start, 0)
	steps := []struct {
		at  float64
		due bool
	}{{-1, false}, {0, true}, {0.5, false}, {9.9, false}, {10, true}, {19, false}, {47, true}, {49.9, false}, {50, true}, {59, false}}
	var want []float64
	for _, step := range steps {
		if got := s.Due(at(step.at)); got != step.due {
			t.Fatalf("due at %v s = %t, want %t", step.at, got, step.due)
		}
		if step.due {
			want = append(want, step.at)
			if err := s.Sample(t.Context(), at(step.at), c); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []float64
	for _, p := range s.Points() {
		got = append(got, p.Seconds)
		equal(t, "value", Heat{Celsius: new(38), Hottest: new(52)}, p.Value)
	}
	equal(t, "times", want, got)
	if len(*log) != len(want) {
		t.Errorf("%d commands for %d readings", len(*log), len(want))
	}
}

// TestSamplerOutOfTurn takes a last reading at the end, which changes no time.
func TestSamplerOutOfTurn(t *testing.T) {
	c, _ := simulated(t, "nand-modern")
	start := time.Now()
	s := NewSampler(start, time.Minute)
	for _, d := range []time.Duration{0, 59 * time.Second} {
		if err := s.Sample(t.Context(), start.Add(d), c); err != nil {
			t.Fatal(err)
		}
	}
	if s.Due(start.Add(59*time.Second)) || !s.Due(start.Add(time.Minute)) || len(s.Points()) != 2 {
		t.Errorf("points %+v, next at %v", s.Points(), s.next.Sub(start))
	}
}

// TestSamplerError leaves a drive alone that does not answer.
func TestSamplerError(t *testing.T) {
	broken := errors.New("broken")
	c := refusing(t, "nand-modern", func(*nvme.Command) error { return broken })
	start := time.Now()
	s := NewSampler(start, 10*time.Second)
	if err := s.Sample(t.Context(), start, c); !errors.Is(err, broken) {
		t.Errorf("Sample = %v, want the error of the drive", err)
	}
	if s.Due(start.Add(9*time.Second)) || len(s.Points()) != 0 {
		t.Errorf("due again, or points %+v", s.Points())
	}
}

func TestHeat(t *testing.T) {
	s := NewSampler(time.Now(), 0)
	steps := []struct {
		log  nvme.SMARTLog
		want Heat
	}{
		{nvme.SMARTLog{CompositeTemperature: 313, TMT1Transitions: 7, TMT2Transitions: 2}, Heat{Celsius: new(40)}},
		{nvme.SMARTLog{TemperatureSensors: [8]nvme.Kelvin{0, 333, 323}, TMT1Transitions: 8, TMT2Transitions: 3}, Heat{Hottest: new(60), Throttles: 2}},
		{nvme.SMARTLog{TMT1Transitions: 1}, Heat{}}, // The counters began anew.
		{nvme.SMARTLog{TMT1Transitions: 2}, Heat{Throttles: 1}},
	}
	for _, step := range steps {
		equal(t, "heat", step.want, s.heat(&step.log))
	}
	equal(t, "merged", Heat{Celsius: new(50), Hottest: new(60), Throttles: 3}, hotter(Heat{Celsius: new(50), Throttles: 3}, Heat{Celsius: new(40), Hottest: new(60), Throttles: 1}))
	equal(t, "merged with nothing", Heat{}, hotter(Heat{}, Heat{}))
}
