package scratch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"qd1.example/qd1/bench"
)

// Mode is what is written before a measurement.
type Mode string

// The modes of preconditioning.
const (
	// PreconditionNone writes nothing.
	PreconditionNone Mode = "none"
	// PreconditionFill writes the span once, in order.
	PreconditionFill Mode = "fill"
	// PreconditionPTS writes the span twice in order, then random blocks of
	// 4 KiB in rounds until the rate is steady (SNIA, Solid State Storage
	// Performance Test Specification 2.0, "Preconditioning").
	PreconditionPTS Mode = "pts"
)

const (
	fillDepth    = 8
	passBlock    = 128 << 10
	passDepth    = 32
	passes       = 2
	roundBlock   = 4 << 10
	roundDepth   = 32
	defaultRound = time.Minute
)

// PreconditionOptions of [Precondition]. The zero value is ready for use.
type PreconditionOptions struct {
	// Engine of the jobs. "": psync, whose queue is one deep; others get 8 or 32.
	Engine string
	// Start is the first byte of the span.
	Start int64
	// Round is the length of one round of random writes. 0: 1 minute.
	Round time.Duration
	// Rule says when the rounds end.
	Rule SteadyRule
	// MostMBPerS is the highest rate, in 10^6 bytes a second, that the drive can
	// be expected to write at random. It limits what the rounds can write at
	// most. 0: not known; then a round may write the span once.
	MostMBPerS float64
	// Seed of the random places. 0: random ones.
	Seed uint64
}

// Plan is what a mode of preconditioning writes.
type Plan struct {
	Mode  Mode   `json:"mode"`
	Steps []Step `json:"steps"`
	// Bytes are written for certain, MostBytes with as many rounds as allowed.
	Bytes     int64 `json:"bytes"`
	MostBytes int64 `json:"most_bytes"`
	// WearPercent and MostWearPercent are the same as shares of the bytes that
	// the drive is rated for. Nil: the rating is not known.
	WearPercent     *float64 `json:"wear_percent"`
	MostWearPercent *float64 `json:"most_wear_percent"`
}

// Step is one part of a plan.
type Step struct {
	Name string    `json:"name"`
	Job  bench.Job `json:"job"`
	// Bytes that the job writes at most each time.
	Bytes int64 `json:"bytes"`
	// Until repeats the job until its IOPS are steady. Nil: it is done once.
	Until *SteadyRule `json:"until,omitempty"`
}

// Precondition plans a mode for a span. ratedBytes is what the drive may write in
// its life (TBW), in bytes; 0: not known. The span is to be a multiple of 512.
func Precondition(mode Mode, spanBytes, ratedBytes int64, o PreconditionOptions) (Plan, error) {
	p := Plan{Mode: mode}
	if spanBytes < roundBlock || spanBytes%512 != 0 || o.Start < 0 {
		return p, fmt.Errorf("precondition %d bytes from %d: a multiple of 512 from %d on is possible", spanBytes, o.Start, roundBlock)
	}
	if o.Engine == "" {
		o.Engine = bench.EnginePsync
	}
	switch mode {
	case PreconditionNone:
	case PreconditionFill:
		p.Steps = o.pass("fill", fillBlock, fillDepth, spanBytes)
	case PreconditionPTS:
		for i := range passes {
			p.Steps = append(p.Steps, o.pass(fmt.Sprintf("pass %d of %d", i+1, passes), passBlock, passDepth, spanBytes)...)
		}
		p.Steps = append(p.Steps, o.rounds(spanBytes))
	default:
		return p, fmt.Errorf("precondition %q: %q, %q and %q are known", mode, PreconditionNone, PreconditionFill, PreconditionPTS)
	}
	p.addUp(ratedBytes)
	return p, nil
}

// depth is 1 for the engine that cannot do more.
func (o PreconditionOptions) depth(wanted int) int {
	switch o.Engine {
	case bench.EnginePsync, bench.EngineIoctl:
		return 1
	}
	return wanted
}

// job is a writing job on a part of the target.
func (o PreconditionOptions) job(name string, block, depth int, start, span int64) bench.Job {
	return bench.Job{
		Name: name, Engine: o.Engine, Op: bench.OpWrite, BlockBytes: block,
		QueueDepth: o.depth(depth), Workers: 1, Start: start, Span: span, Seed: o.Seed,
	}
}

// pass writes a span once in order, and in a step of its own what is left behind
// the last whole block. The start of that is a multiple of its own block only if
// that of the span is.
func (o PreconditionOptions) pass(name string, block, depth int, span int64) []Step {
	for block > 512 && (o.Start%int64(block) != 0 || span < int64(block)) {
		block /= 2
	}
	whole := span - span%int64(block)
	steps := []Step{o.sequential(name, block, depth, o.Start, whole)}
	if rest := span - whole; rest > 0 {
		small := 512
		if rest%roundBlock == 0 && block > roundBlock {
			small = roundBlock
		}
		steps = append(steps, o.sequential(name+", end", small, depth, o.Start+whole, rest))
	}
	return steps
}

func (o PreconditionOptions) sequential(name string, block, depth int, start, span int64) Step {
	j := o.job(name, block, depth, start, span)
	j.Pattern, j.TotalBytes = bench.Sequential, span
	return Step{Name: name, Job: j, Bytes: span}
}

// rounds writes random blocks.
func (o PreconditionOptions) rounds(span int64) Step {
	block := roundBlock
	for o.Start%int64(block) != 0 {
		block = 512
	}
	j := o.job("random writes", block, roundDepth, o.Start, span)
	j.Pattern = bench.Random
	if j.Duration = o.Round; j.Duration <= 0 {
		j.Duration = defaultRound
	}
	most := span
	if o.MostMBPerS > 0 {
		most = min(most, int64(o.MostMBPerS*1e6*j.Duration.Seconds()))
	}
	j.TotalBytes = max(most/int64(block), 1) * int64(block)
	return Step{Name: j.Name, Job: j, Bytes: j.TotalBytes, Until: new(o.Rule.complete())}
}

// addUp fills in the totals.
func (p *Plan) addUp(rated int64) {
	for _, s := range p.Steps {
		if s.Until == nil {
			p.Bytes += s.Bytes
			p.MostBytes += s.Bytes
		} else {
			p.MostBytes += s.Bytes * int64(s.Until.Rounds)
		}
	}
	if rated > 0 {
		p.WearPercent = new(100 * float64(p.Bytes) / float64(rated))
		p.MostWearPercent = new(100 * float64(p.MostBytes) / float64(rated))
	}
}

// Preconditioned is what carrying out a plan came to.
type Preconditioned struct {
	Mode Mode `json:"mode"`
	// BytesWritten by all jobs, also those that failed.
	BytesWritten int64 `json:"bytes_written"`
	// Rounds of random writes and their windows. Steady: the last window was.
	Rounds []Window `json:"rounds,omitempty"`
	Steady bool     `json:"steady"`
	// Partial: the plan was not carried out to its end.
	Partial bool `json:"partial"`
}

// Run carries the plan out with run, which does one job. It ends with the first
// error, partial result or end of ctx. observe is told each window; it may be
// nil.
func (p Plan) Run(ctx context.Context, run func(context.Context, bench.Job) (*bench.Result, error), observe func(Window)) (Preconditioned, error) {
	done := Preconditioned{Mode: p.Mode}
	for _, s := range p.Steps {
		if err := done.step(ctx, s, run, observe); err != nil {
			done.Partial = true
			return done, fmt.Errorf("precondition, %s: %w", s.Name, err)
		}
	}
	return done, nil
}

// step does the job of s, once or until it is steady.
func (d *Preconditioned) step(ctx context.Context, s Step, run func(context.Context, bench.Job) (*bench.Result, error), observe func(Window)) error {
	steady := Steady{}
	if s.Until != nil {
		steady.Rule = *s.Until
	}
	for {
		r, err := d.job(ctx, s.Job, run)
		if err != nil || s.Until == nil {
			return err
		}
		w := steady.Add(r.IOPS)
		d.Rounds, d.Steady = append(d.Rounds, w), w.Steady
		if observe != nil {
			observe(w)
		}
		if w.Over {
			return nil
		}
		if s.Job.Seed != 0 {
			s.Job.Seed++ // Other places in the next round.
		}
	}
}

// job does one job and adds up what it wrote.
func (d *Preconditioned) job(ctx context.Context, j bench.Job, run func(context.Context, bench.Job) (*bench.Result, error)) (*bench.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := run(ctx, j)
	if r != nil {
		d.BytesWritten += r.BytesWritten
	}
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return nil, errors.New("no result")
	case r.Partial:
		return nil, errors.New(r.Ended)
	}
	return r, nil
}
