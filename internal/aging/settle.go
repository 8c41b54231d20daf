package aging

import (
	"context"
	"fmt"
)

// settle waits until the drive is about as warm as when the first set began,
// because a warm drive and a cold one cannot be compared.
func (r *run) settle(ctx context.Context) error {
	limit := r.plan.Limits.SettleSeconds
	start := r.startCelsius()
	if limit <= 0 || start == nil || !r.hot(*start+settleMargin) || r.settled() >= limit {
		return r.enter(After, note{})
	}
	return r.wait(ctx, fmt.Sprintf("%d °C: waiting for %d °C", *r.celsius(), *start+settleMargin))
}

// startCelsius is the temperature when the first set began, nil if not known.
func (r *run) startCelsius() *int {
	s := r.base
	for k := 1; k <= r.plan.Runs; k++ {
		if done := r.sets[Before][k]; done != nil && done.Start != nil {
			s = done.Start
			break
		}
	}
	if s == nil || s.Health == nil {
		return nil
	}
	return s.Health.Celsius
}

// settled is how long the drive has been cooling down, in seconds. It cools
// down in an interruption too.
func (r *run) settled() float64 {
	if n := len(r.acc.phases); n > 0 {
		return r.since(r.acc.phases[n-1].Started)
	}
	return 0
}
