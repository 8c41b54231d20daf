package aging

import (
	"errors"
	"fmt"
	"time"

	"qd1.example/qd1/bench"
)

// Mode is a treatment.
type Mode string

// The treatments.
const (
	// Idle leaves the drive alone but for the probes.
	Idle Mode = "idle"
	// Read reads at an even rate, random and sequential by turns.
	Read Mode = "read"
	// Mixed reads and writes random blocks at an even rate, 70 to 30.
	Mixed Mode = "mixed"
)

// The defaults of [Options].
const (
	DefaultRuns        = 6
	DefaultMBPerS      = 100
	DefaultWearPercent = 0.1
	DefaultTempMax     = 70
	leastRuns          = 5
	mostRuns           = 100
	readPercent        = 70
	randomBytes        = 16 << 10
	sequentialBytes    = 128 << 10
	hotMargin          = 5
	settleMargin       = 3
	mostTreatment      = 1000 * time.Hour
	leastTreatment     = time.Second
	mostProbes         = 10000
	defaultRun         = 30 * time.Second
	defaultInterval    = time.Hour
	defaultPause       = 30 * time.Minute
	defaultSettle      = 30 * time.Minute
	defaultSlice       = 30 * time.Second
	defaultIdleSlice   = 5 * time.Minute
	leastStep          = time.Second
	mostWarmup         = 5 * time.Second
	mostSlices         = 20000
	defaultSeed        = 1
	loadDepth          = 8
	loadWorkers        = 4
	slack              = 1.05
)

// ErrOptions is wrapped by the errors that say why options make no plan.
var ErrOptions = errors.New("impossible")

// Options are what the user chose. 0 and "" stand for the default.
type Options struct {
	Mode Mode
	// Duration of the treatment, 1 s to 1000 h. It has no default.
	Duration time.Duration
	// Runs of each set, 5 to 100. 0: 6.
	Runs int
	// RunDuration of each run and probe. 0: 30 s, or a hundredth of a treatment
	// below 50 min, at least 1 s.
	RunDuration time.Duration
	// Interval between probes. 0: 1 h, or a third of a treatment below 3 h.
	Interval time.Duration
	// MBPerS is the rate of the load in 10^6 bytes a second, reads and writes
	// together. 0: 100.
	MBPerS float64
	// BlockBytes of the load. 0: 16 KiB random, 128 KiB sequential.
	BlockBytes int
	// Pattern of the load. "": random, in the mode read with sequential by
	// turns.
	Pattern bench.Pattern
	// Engine of the load. "": uring. QD1Engine is that of runs and probes, "":
	// psync.
	Engine    string
	QD1Engine string
	// Span limits everything to so many bytes from the start. 0: all.
	Span int64
	// WearPercent is the share of the rated endurance that may be written. 0:
	// 0.1. WearBytes is the limit in bytes, in its place. 0: none.
	WearPercent float64
	WearBytes   int64
	// TempMax is the composite temperature in °C above which the treatment
	// pauses. 0: 5 K below the warning threshold of the drive, or 70.
	TempMax int
	// PauseMost is how long a pause may last. 0: 30 min. SettleMost is how long
	// the drive may cool down before the second set. 0: 30 min, or half of a
	// treatment below 1 h; negative: it is not waited for.
	PauseMost  time.Duration
	SettleMost time.Duration
	// Seed of the offsets; run k of both sets has the same. 0: 1.
	Seed  uint64
	Label string
	// MinEffectPercent and Confidence are those of the comparison.
	MinEffectPercent float64
	Confidence       float64
}

// filled returns the options with their defaults.
func (o Options) filled() Options {
	set(&o.Runs, DefaultRuns)
	set(&o.RunDuration, max(min(defaultRun, o.Duration/100), leastStep))
	set(&o.Interval, min(defaultInterval, max(o.Duration/3, leastStep)))
	set(&o.MBPerS, DefaultMBPerS)
	set(&o.Engine, bench.EngineUring)
	set(&o.QD1Engine, bench.EnginePsync)
	set(&o.WearPercent, DefaultWearPercent)
	set(&o.PauseMost, defaultPause)
	set(&o.SettleMost, min(defaultSettle, o.Duration/2))
	set(&o.Seed, defaultSeed)
	return o
}

// set gives a value that is zero its default.
func set[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

// check reports the first option that is impossible.
func (o Options) check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...)
	}
	switch {
	case o.Mode != Idle && o.Mode != Read && o.Mode != Mixed:
		return bad("mode %q: %q, %q and %q are known", o.Mode, Idle, Read, Mixed)
	case o.Duration < leastTreatment || o.Duration > mostTreatment:
		return bad("a treatment of %v: %v to %v are possible", o.Duration, leastTreatment, mostTreatment)
	case o.Runs < leastRuns || o.Runs > mostRuns:
		return bad("%d runs a side: %d to %d are possible, since fewer show no change", o.Runs, leastRuns, mostRuns)
	case o.RunDuration < 0 || o.Interval < 0 || o.PauseMost < 0:
		return bad("a duration is negative")
	case o.Duration/o.Interval > mostProbes:
		return bad("a probe each %v are more than %d", o.Interval, mostProbes)
	case !(o.MBPerS > 0 && o.MBPerS <= 1e6):
		return bad("a rate of %g MB/s: up to 1000000 are possible", o.MBPerS)
	case o.Pattern != "" && o.Pattern != bench.Random && o.Pattern != bench.Sequential:
		return bad("pattern %q: %q and %q are known", o.Pattern, bench.Random, bench.Sequential)
	case !(o.WearPercent > 0 && o.WearPercent <= 100) || o.WearBytes < 0:
		return bad("a wear budget of %g %%: more than 0, and up to 100 are possible", o.WearPercent)
	case o.TempMax < 0 || o.TempMax > 125:
		return bad("a limit of %d °C: 1 to 125 are possible", o.TempMax)
	}
	return nil
}
