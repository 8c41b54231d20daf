package aging

import (
	"context"
	"fmt"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/journal"
)

// set makes the next run of a set, or goes on to what comes after it.
func (r *run) set(ctx context.Context, next journal.State) error {
	s := r.acc.state
	k := 1
	for ; r.acc.done[s][k]; k++ {
	}
	if k > r.plan.Runs {
		if next == journal.Done {
			return r.finish()
		}
		return r.enter(next, note{})
	}
	if r.warm != s {
		return r.warmUp(ctx, s)
	}
	return r.setRun(ctx, s, k)
}

// The seeds of the runs that are in no set are those of the sets plus these.
const (
	warmupSeed = 1 << 20
	probeSeed  = 1 << 21
	loadSeed   = 1 << 22
)

// warmUp makes a run that does not count, because the first one after a pause
// is unlike the others.
func (r *run) warmUp(ctx context.Context, s journal.State) error {
	j := r.plan.QD1
	j.Duration = duration(r.plan.WarmupSeconds)
	j.Seed += warmupSeed
	if _, err := r.measure(ctx, j, "warming up"); err != nil {
		return r.failed(ctx, err)
	}
	r.warm = s
	return r.look(ctx)
}

// setRun makes run k of a set.
func (r *run) setRun(ctx context.Context, s journal.State, k int) error {
	j := r.plan.QD1
	j.Seed += uint64(k - 1)
	done := keptRun{Sitting: r.acc.sittings, Start: r.state}
	before, known := r.statistics()
	res, err := r.measure(ctx, j, fmt.Sprintf("%s: run %d of %d", setFile(s), k, r.plan.Runs))
	if err != nil {
		return r.failed(ctx, err)
	}
	if after, still := r.statistics(); known && still {
		done.OtherIO = r.otherIO(after.Sub(before), res)
	}
	if err := r.look(ctx); err != nil {
		return err
	}
	done.Result, done.End = res, r.state
	if err := r.keep(setFile(s), kept{Number: k, Run: &done}); err != nil {
		return err
	}
	r.reach("kept " + setFile(s))
	r.sets[s][k] = &done
	return r.enter(s, note{Run: k})
}

// statistics reads those of the block device.
func (r *run) statistics() (s conditions.Stats, ok bool) {
	if r.Statistics == nil {
		return s, false
	}
	s, err := r.Statistics()
	return s, err == nil
}

// otherIO says what else went to the device in a run.
func (r *run) otherIO(delta conditions.Stats, res *bench.Result) *conditions.OtherIO {
	if res.BlockBytes <= 0 {
		return nil
	}
	block := int64(res.BlockBytes)
	ours := conditions.Ours{
		Reads: res.BytesRead / block, ReadBytes: res.BytesRead,
		Writes: res.BytesWritten / block, WriteBytes: res.BytesWritten,
		Failed: res.Errors, BlockBytes: res.BlockBytes,
		File:      r.Target.Target.Kind == bench.FileTarget,
		Uncounted: res.Engine == bench.EnginePassthru || res.Engine == bench.EngineIoctl,
	}
	var block0 *conditions.Block
	if s := r.sittings[r.acc.sittings]; s != nil {
		block0 = s.Conditions.Block
	}
	return new(conditions.Foreign(block0, delta, ours))
}

// probe makes the next probe.
func (r *run) probe(ctx context.Context) error {
	n := len(r.acc.probes) + 1
	j := r.plan.QD1
	j.Seed += probeSeed + uint64(n)
	res, err := r.measure(ctx, j, fmt.Sprintf("probe %d of %d", n, r.plan.Probes))
	if err != nil {
		return r.failed(ctx, err)
	}
	if err := r.look(ctx); err != nil {
		return err
	}
	p := r.probeOf(n, res)
	if err := r.keep(probeFile, kept{Number: n, Probe: p}); err != nil {
		return err
	}
	r.reach("kept " + probeFile)
	return r.enter(Treating, note{Probe: p})
}

// probeOf sums up a probe.
func (r *run) probeOf(n int, res *bench.Result) *Probe {
	p := &Probe{
		Probe: n, Time: r.now().UTC(), TreatedSeconds: r.acc.treated, Operations: res.Operations,
		IOPS: res.IOPS, MBPerS: res.MBPerS, Latency: res.Latency, BlankPercent: res.BlankPercent, Errors: res.Errors,
		Celsius: r.celsius(), Throttles: r.throttles(), WrittenBytes: r.acc.written, Sitting: r.acc.sittings,
	}
	if c := r.changes(); c != nil {
		p.MediaErrors, p.DriveWrittenBytes = c.MediaErrors, c.BytesWritten
	}
	return p
}

// throttles is how often the drive entered thermal management since the first
// look.
func (r *run) throttles() uint64 {
	n := uint64(0)
	if c := r.changes(); c != nil {
		for _, t := range []*uint64{c.TMT1Transitions, c.TMT2Transitions} {
			if t != nil {
				n += *t
			}
		}
	}
	return n
}
