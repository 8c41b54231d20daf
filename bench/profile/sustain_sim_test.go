package profile_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
)

// virtual makes the accesses of a simulated drive take their time by sleeping
// alone, so that it may be virtual.
type virtual struct{ *sim.Drive }

func (d virtual) ReadAt(p []byte, off int64) (int, error)  { return d.access(false, p, off) }
func (d virtual) WriteAt(p []byte, off int64) (int, error) { return d.access(true, p, off) }

func (d virtual) access(write bool, p []byte, off int64) (int, error) {
	n, end, err := d.BeginAt(write, p, off)
	time.Sleep(time.Until(end))
	return n, err
}

// measured is what a run tells of each second, and the drive of itself.
type measured struct {
	samples []profile.Sample
	limits  profile.Limits
}

// every sums up with the state of the drive of every so many seconds, as from a
// drive that is asked for it, and of the last one.
func (m measured) every(n int) profile.Sustained {
	samples := slices.Clone(m.samples)
	for i := range samples {
		if i%n != 0 && i != len(samples)-1 {
			samples[i].Celsius, samples[i].Throttles = nil, nil
		}
	}
	return profile.SustainSamples(samples, m.limits)
}

// measure runs the row of a profile on a simulated drive, one access at a time,
// for some seconds.
func measure(t *testing.T, name, drive string, seconds int) measured {
	t.Helper()
	d, err := sim.Open(drive)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	target := bench.Target{Kind: bench.SimulatedTarget, Path: drive, Bytes: 32 << 20, BlockBytes: d.BlockBytes(), Writable: true}
	p, err := profile.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(target, profile.Options{Duration: time.Duration(seconds) * time.Second, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	job := plan.Steps[0].Job
	job.QueueDepth, job.HoldCPULatency = 1, false
	var samples []profile.Sample
	_, err = bench.Run(t.Context(), bench.NewReaderAt("sim", virtual{d}), target, job, func(p bench.Progress) {
		if s, ok := profile.SampleOf(p, job); ok {
			samples = append(samples, s)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return measured{samples, limitsOf(t.Context(), t, d)}
}

// limitsOf reads the limits of a drive with commands, as a program does.
func limitsOf(ctx context.Context, t *testing.T, d *sim.Drive) profile.Limits {
	t.Helper()
	c := nvme.NewController(d)
	id, err := c.Identify(ctx)
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := c.Feature(ctx, nvme.FeatureRequest{FID: nvme.FIDThermalManagement})
	if err != nil {
		t.Fatal(err)
	}
	celsius := func(k uint32) *int { return new(int(k) - 273) }
	return profile.Limits{TMT1: celsius(v >> 16), TMT2: celsius(v & 0xFFFF), Warning: celsius(uint32(id.WCTEMP)), CapacityBytes: d.Size()}
}

// TestSimulatedThrottling holds the acceptance for heat: second, plateau and cause.
func TestSimulatedThrottling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := measure(t, "sustain", "throttling?read_latency=4ms", 60)
		for _, every := range []int{1, 10} {
			s := m.every(every)
			if s.Onset == nil || s.Onset.Second < 8 || s.Onset.Second > 10 {
				t.Fatalf("onset %+v, want one in second 9", s.Onset)
			}
			if p := s.Plateau; p == nil || p.Second < 17 || p.Second > 21 || p.MBPerS > 0.4*s.Onset.BeforeMBPerS {
				t.Errorf("plateau %+v of %g MB/s, want one from second 19 on", p, s.Onset.BeforeMBPerS)
			}
			if s.Recovery != nil {
				t.Errorf("recovery %+v", s.Recovery)
			}
			if c := s.Cause; c.Kind != profile.CauseHeat || *c.Drops[0].Throttles == 0 {
				t.Errorf("read every %d s: cause %+v", every, c)
			}
		}
	})
}

// TestSimulatedCache holds the acceptance for the full cache, apart from heat.
func TestSimulatedCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// About 125 MB/s: the cache is full after about 11 s.
		m := measure(t, "sustain:write", "nand-modern?write_latency=1ms&cache=1280MiB", 40)
		for _, every := range []int{1, 10} {
			s := m.every(every)
			if s.Onset == nil || s.Onset.Second < 9 || s.Onset.Second > 13 {
				t.Fatalf("onset %+v, want one in about second 11", s.Onset)
			}
			if p := s.Plateau; p == nil || p.Second != s.Onset.Second || p.MBPerS > 0.1*s.Onset.BeforeMBPerS {
				t.Errorf("plateau %+v of %g MB/s", p, s.Onset.BeforeMBPerS)
			}
			c := s.Cause
			if c.Kind != profile.CauseCache || *c.Drops[0].Throttles != 0 || c.Drops[0].BytesWritten < 1_250_000_000 || c.Drops[0].BytesWritten > 1_450_000_000 {
				t.Errorf("read every %d s: cause %+v", every, c)
			}
		}
	})
}

// TestSimulatedBoth writes to a drive that fills its cache and then gets too hot.
func TestSimulatedBoth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := measure(t, "sustain:write", "throttling?write_latency=1ms&cache=1280MiB&heating=100s", 60).every(1)
		if s.Cause == nil || s.Cause.Kind != profile.CauseBoth {
			t.Fatalf("cause %+v, want both", s.Cause)
		}
		if d := s.Cause.Drops; d[0].Kind != profile.CauseCache || d[1].Kind != profile.CauseHeat {
			t.Errorf("drops %+v, want that of the cache first", d)
		}
	})
}

// TestSimulatedSteady reads from a drive that keeps cool.
func TestSimulatedSteady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if s := measure(t, "sustain", "nand-modern?read_latency=4ms", 30).every(1); s.Onset != nil || s.Cause != nil {
			t.Errorf("onset %+v, cause %+v", s.Onset, s.Cause)
		}
	})
}
