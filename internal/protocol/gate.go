package protocol

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrNoTemperature is a drive that does not tell its temperature.
var ErrNoTemperature = errors.New("the drive reports no composite temperature")

// HotError says that a drive did not get as cool as it should in time.
type HotError struct {
	// Celsius is the last reading, MaxCelsius the limit.
	Celsius, MaxCelsius int
	Waited              time.Duration
}

// Error names both temperatures and the time.
func (e *HotError) Error() string {
	return fmt.Sprintf("the drive is still at %d °C after %v, and the runs are to start at %d °C at most", e.Celsius, e.Waited.Round(time.Second), e.MaxCelsius)
}

// Gate lets a run begin when the drive is cool enough.
type Gate struct {
	// MaxCelsius is the highest composite temperature at the start.
	MaxCelsius int
	// Limit is how long it waits at most, Every the time between readings: each
	// one is a command, and some drives get warm of that alone.
	Limit, Every time.Duration
	// Read returns the composite temperature in °C, nil for a drive that does
	// not report it.
	Read func(context.Context) (*int, error)
	// Waiting, if it is not nil, is told each reading that is too high, and how
	// long the gate goes on waiting.
	Waiting func(celsius int, left time.Duration)
}

// Start is how a run began.
type Start struct {
	// AtSeconds is the time since the start of the measurement.
	AtSeconds float64 `json:"at_seconds"`
	// Celsius is the composite temperature right before; nil: it was not read.
	Celsius *int `json:"composite_temperature_celsius"`
	// WaitedSeconds is how long the drive was let cool down.
	WaitedSeconds float64 `json:"waited_seconds"`
}

// Wait reads the temperature until it is low enough. The error is
// [ErrNoTemperature], a [*HotError], the cause of the context or that of Read.
func (g *Gate) Wait(ctx context.Context) (celsius int, waited time.Duration, err error) {
	begin := time.Now()
	for {
		now, err := g.Read(ctx)
		waited = time.Since(begin)
		switch {
		case ctx.Err() != nil:
			return 0, waited, context.Cause(ctx)
		case err != nil:
			return 0, waited, fmt.Errorf("read the temperature before a run: %w", err)
		case now == nil:
			return 0, waited, ErrNoTemperature
		case *now <= g.MaxCelsius:
			return *now, waited, nil
		case waited >= g.Limit:
			return *now, waited, &HotError{*now, g.MaxCelsius, waited}
		}
		left := g.Limit - waited
		if g.Waiting != nil {
			g.Waiting(*now, left)
		}
		if err := sleep(ctx, min(g.Every, left)); err != nil {
			return *now, time.Since(begin), err
		}
	}
}

// sleep waits, and ends early with the cause of the context.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
