package protocol

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// readings returns one after the other, and the last one for ever.
func readings(celsius ...int) func(context.Context) (*int, error) {
	return func(context.Context) (*int, error) {
		now := celsius[0]
		if len(celsius) > 1 {
			celsius = celsius[1:]
		}
		return &now, nil
	}
}

func TestGate(t *testing.T) {
	broken := errors.New("no answer")
	for _, tt := range []struct {
		name    string
		read    func(context.Context) (*int, error)
		limit   time.Duration
		celsius int
		want    error
		waiting []int
	}{
		{"cool", readings(36), time.Minute, 36, nil, nil},
		{"cools down", readings(41, 38, 36), time.Minute, 36, nil, []int{41, 38}},
		{"stays hot", readings(41), 3 * time.Millisecond, 41, &HotError{}, nil},
		{"no time to wait", readings(37), 0, 37, &HotError{}, nil},
		{"not reported", func(context.Context) (*int, error) { return nil, nil }, time.Minute, 0, ErrNoTemperature, nil},
		{"not read", func(context.Context) (*int, error) { return nil, broken }, time.Minute, 0, broken, nil},
	} {
		var waiting []int
		g := &Gate{MaxCelsius: 36, Limit: tt.limit, Every: time.Millisecond, Read: tt.read, Waiting: func(c int, left time.Duration) {
			if waiting = append(waiting, c); left <= 0 {
				t.Errorf("%s: %v are left", tt.name, left)
			}
		}}
		celsius, waited, err := g.Wait(t.Context())
		var hot *HotError
		wantsHot := errors.As(tt.want, &hot)
		if celsius != tt.celsius || wantsHot != errors.As(err, &hot) || !wantsHot && !errors.Is(err, tt.want) {
			t.Errorf("%s: %d °C, %v; want %d °C, %v", tt.name, celsius, err, tt.celsius, tt.want)
		}
		if wantsHot && (hot.Celsius != tt.celsius || hot.MaxCelsius != 36 || hot.Waited < tt.limit) {
			t.Errorf("%s: %+v", tt.name, hot)
		}
		if wantsHot {
			continue
		}
		if diff := cmp.Diff(tt.waiting, waiting); diff != "" {
			t.Errorf("%s: waits at (-want +got):\n%s", tt.name, diff)
		}
		if len(tt.waiting) > 0 && waited < 2*time.Millisecond {
			t.Errorf("%s: waited %v", tt.name, waited)
		}
	}
}

// TestGateInterrupted ends the wait at once, and also a reading.
func TestGateInterrupted(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	g := &Gate{MaxCelsius: 36, Limit: time.Hour, Every: time.Hour, Read: readings(50), Waiting: func(int, time.Duration) { cancel(stop) }}
	if _, _, err := g.Wait(ctx); !errors.Is(err, stop) {
		t.Errorf("while it waits: %v", err)
	}
	g.Read = func(ctx context.Context) (*int, error) { return nil, context.Cause(ctx) }
	if _, _, err := g.Wait(ctx); !errors.Is(err, stop) {
		t.Errorf("while it reads: %v", err)
	}
}

func TestHotError(t *testing.T) {
	const want = "the drive is still at 41 °C after 10m0s, and the runs are to start at 36 °C at most"
	if got := (&HotError{41, 36, 10*time.Minute + 3*time.Millisecond}).Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
