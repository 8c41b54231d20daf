package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/protocol"
)

// checkGate says why the temperature at the start cannot be known.
func (m *measurement) checkGate() error {
	if m.arranged.startMax == nil || m.place.controller() != nil {
		return nil
	}
	why, hint := "the drive cannot be asked for its temperature", "name an NVMe drive or its block device, as root"
	switch m.place.Target.Kind {
	case bench.FileTarget:
		why = "a file has no temperature"
	case bench.SimulatedTarget:
		why, hint = "a simulated drive begins each run as one that was just switched on", "leave it out: all runs begin at the same temperature"
	}
	return failf(hint, "--start-temp-max %d: %s", *m.arranged.startMax, why)
}

// coolDown waits until the drive is as cool as a run is to begin.
func (m *measurement) coolDown(ctx context.Context) (*protocol.Start, error) {
	start := &protocol.Start{AtSeconds: m.elapsed()}
	ctl := m.place.controller()
	if m.arranged.startMax == nil || ctl == nil {
		return start, nil
	}
	every := m.load.sample
	if every <= 0 {
		every = conditions.DefaultSampling
	}
	gate := protocol.Gate{
		MaxCelsius: *m.arranged.startMax, Limit: m.arranged.settle, Every: every,
		Read: func(ctx context.Context) (*int, error) {
			heat, err := conditions.ReadHeat(ctx, ctl)
			return heat.Celsius, err
		},
		Waiting: func(celsius int, left time.Duration) {
			m.progress.text(fmt.Sprintf("waiting for %d °C: the drive is at %d °C, at most %v more", *m.arranged.startMax, celsius, left.Round(time.Second)))
		},
	}
	m.progress.step(fmt.Sprintf("waiting for %d °C", *m.arranged.startMax))
	celsius, waited, err := gate.Wait(ctx)
	if err != nil {
		return nil, m.gateError(ctx, err)
	}
	start.AtSeconds, start.Celsius, start.WaitedSeconds = m.elapsed(), &celsius, waited.Seconds()
	return start, nil
}

// gateError says what can be done about a drive that is too hot.
func (m *measurement) gateError(ctx context.Context, err error) error {
	var hot *protocol.HotError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", bench.ErrInterrupted, context.Cause(ctx))
	case errors.As(err, &hot):
		return failf("cool it better, wait longer (--settle), or choose a higher limit", "%w", err)
	case errors.Is(err, protocol.ErrNoTemperature):
		return failf("leave out --start-temp-max, and note --ambient", "%w", err)
	}
	return err
}

// elapsed is the time since the start, seconds.
func (m *measurement) elapsed() float64 {
	if m.started.IsZero() {
		return 0
	}
	return m.in.env.now().Sub(m.started).Seconds()
}
