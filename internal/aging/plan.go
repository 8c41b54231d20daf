package aging

import (
	"errors"
	"fmt"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/report"
)

// PlanSchema is the name and version of the JSON object of a Plan. Keys are
// only ever added.
const PlanSchema = "qd1.age-plan/1"

// ErrRefused is a job that must not be done as it is planned.
var ErrRefused = errors.New("refused")

// Target is what is aged.
type Target struct {
	// Drive is nil for a file.
	Drive     *report.Identity   `json:"drive"`
	Target    report.BenchTarget `json:"target"`
	Simulated bool               `json:"simulated"`
}

// Key is the serial number, or the path of what has none.
func (t *Target) Key() string {
	if t.Drive != nil && t.Drive.Serial != "" {
		return t.Drive.Serial
	}
	return t.Target.Path
}

// Plan is what a job is going to do.
type Plan struct {
	Schema string `json:"schema"`
	Mode   Mode   `json:"mode"`
	Label  string `json:"label,omitempty"`
	Target
	// TreatmentSeconds is the length of the treatment, without probes and
	// pauses. Runs is the number of runs of each set.
	TreatmentSeconds float64 `json:"treatment_seconds"`
	Runs             int     `json:"runs"`
	// Probes is their number, one each ProbeSeconds of treatment.
	Probes       int     `json:"probes"`
	ProbeSeconds float64 `json:"probe_interval_seconds"`
	// QD1 is the job of a run and a probe, Loads those of the treatment, by
	// turns; none in the mode idle. Their durations are those of a slice, after
	// which the drive is asked for its health.
	QD1          bench.Job   `json:"qd1_job"`
	Loads        []bench.Job `json:"loads"`
	SliceSeconds float64     `json:"slice_seconds"`
	// WarmupSeconds is the length of the run before each set that does not
	// count.
	WarmupSeconds float64 `json:"warmup_seconds"`
	// Steps in order; TotalSeconds of all of them, without pauses.
	Steps        []Step  `json:"steps"`
	TotalSeconds float64 `json:"total_seconds"`
	// WrittenBytes are written at most. RatedBytes is the rated endurance, nil
	// if it is not known, WearPercent the share of it.
	WrittenBytes int64    `json:"written_bytes"`
	RatedBytes   *int64   `json:"rated_bytes"`
	WearPercent  *float64 `json:"wear_percent"`
	Limits       Limits   `json:"limits"`
	// MinEffectPercent and Confidence are those of the comparison, 0 for its
	// defaults.
	MinEffectPercent float64 `json:"min_effect_percent,omitempty"`
	Confidence       float64 `json:"confidence,omitempty"`
	// Notes are sentences worth reading, Refusals say why the plan is not
	// carried out.
	Notes    []string `json:"notes"`
	Refusals []string `json:"refusals"`
	Refused  bool     `json:"refused"`
}

// Step is a part of a plan.
type Step struct {
	// Step is "warm-up", "before", "treatment", "probe", "settling" or "after".
	Step string `json:"step"`
	// Count is how often, Seconds how long each time; of settling at most.
	Count        int     `json:"count"`
	Seconds      float64 `json:"seconds"`
	WrittenBytes int64   `json:"written_bytes"`
}

// Limits end or pause a job.
type Limits struct {
	// TempMax is the temperature above which the job pauses, until the drive is
	// at TempResume; it ends after PauseSeconds.
	TempMax      int     `json:"temp_max_celsius"`
	TempResume   int     `json:"temp_resume_celsius"`
	TempSource   string  `json:"temp_source"`
	PauseSeconds float64 `json:"pause_most_seconds"`
	// SettleSeconds is how long the drive may cool down before the second set.
	SettleSeconds float64 `json:"settle_most_seconds"`
	// BudgetBytes may be written, nil if there is no budget because nothing is
	// written or the endurance is not known.
	BudgetBytes   *int64  `json:"wear_budget_bytes"`
	BudgetPercent float64 `json:"wear_budget_percent"`
}

// NewPlan plans a job on a target whose drive is in a state; rated is its rated
// endurance in bytes written, 0 if that is not known. A plan may be refused,
// and says why. Errors wrap ErrOptions.
func NewPlan(o Options, rated int64, t Target, s conditions.DriveState) (*Plan, error) {
	o = o.filled()
	if err := o.check(); err != nil {
		return nil, err
	}
	p := &Plan{
		Schema: PlanSchema, Mode: o.Mode, Label: o.Label, Target: t,
		TreatmentSeconds: o.Duration.Seconds(), Runs: o.Runs,
		Probes: int(o.Duration / o.Interval), ProbeSeconds: o.Interval.Seconds(),
		MinEffectPercent: o.MinEffectPercent, Confidence: o.Confidence,
		Loads: []bench.Job{}, Notes: []string{}, Refusals: []string{},
	}
	if rated > 0 {
		p.RatedBytes = &rated
	}
	p.addJobs(o)
	if err := p.checkJobs(); err != nil {
		return nil, err
	}
	p.addSteps(o)
	p.limit(o, s)
	p.judge(s)
	p.Refused = len(p.Refusals) > 0
	return p, nil
}

// addJobs makes the jobs.
func (p *Plan) addJobs(o Options) {
	p.QD1 = bench.QD1Read(o.RunDuration.Seconds())
	p.QD1.Engine, p.QD1.Span, p.QD1.Seed = o.QD1Engine, o.Span, o.Seed
	p.WarmupSeconds = min(o.RunDuration, mostWarmup).Seconds()
	slice := sliceLength(defaultSlice, o)
	switch o.Mode {
	case Idle:
		slice = sliceLength(defaultIdleSlice, o)
	case Mixed:
		p.Loads = append(p.Loads, load(o, firstOf(o.Pattern, bench.Random), slice))
	case Read:
		if o.Pattern == "" {
			p.Loads = append(p.Loads, load(o, bench.Random, slice))
		}
		p.Loads = append(p.Loads, load(o, firstOf(o.Pattern, bench.Sequential), slice))
	}
	p.SliceSeconds = slice.Seconds()
}

// sliceLength is the length of a slice: some for each probe, and not too many for
// the journal.
func sliceLength(most time.Duration, o Options) time.Duration {
	return max(min(most, o.Interval/4), o.Duration/mostSlices, leastStep)
}

// firstOf returns the pattern that was chosen, or the other one.
func firstOf(chosen, other bench.Pattern) bench.Pattern {
	if chosen != "" {
		return chosen
	}
	return other
}

// load returns the job of a slice of the treatment.
func load(o Options, pattern bench.Pattern, slice time.Duration) bench.Job {
	j := bench.Job{
		Engine: o.Engine, Op: bench.OpRead, Pattern: pattern, BlockBytes: randomBytes,
		QueueDepth: loadDepth, Workers: 1, Span: o.Span, Duration: slice,
	}
	if pattern == bench.Sequential {
		j.BlockBytes = sequentialBytes
	}
	if o.BlockBytes > 0 {
		j.BlockBytes = o.BlockBytes
	}
	if o.Mode == Mixed {
		j.Op, j.ReadPercent = bench.OpMix, readPercent
	}
	if o.Engine == bench.EnginePsync || o.Engine == bench.EngineIoctl {
		j.QueueDepth, j.Workers = 1, loadWorkers
	}
	j.Rate = o.MBPerS * 1e6 / float64(j.BlockBytes)
	return j
}

// checkJobs reports the first job that is impossible.
func (p *Plan) checkJobs() error {
	for _, j := range append([]bench.Job{p.QD1}, p.Loads...) {
		if err := j.Validate(); err != nil {
			return fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	return nil
}

// addSteps sums up what is done.
func (p *Plan) addSteps(o Options) {
	if p.Mode == Mixed {
		p.WrittenBytes = p.allowance(&p.Loads[0], p.TreatmentSeconds)
	}
	run := (p.QD1.Duration + p.QD1.Warmup).Seconds()
	p.Limits.SettleSeconds = max(o.SettleMost, 0).Seconds()
	p.Steps = []Step{
		{Step: "warm-up", Count: 2, Seconds: p.WarmupSeconds},
		{Step: "before", Count: p.Runs, Seconds: run},
		{Step: "treatment", Count: 1, Seconds: p.TreatmentSeconds, WrittenBytes: p.WrittenBytes},
		{Step: "probe", Count: p.Probes, Seconds: run},
		{Step: "settling", Count: 1, Seconds: p.Limits.SettleSeconds},
		{Step: "after", Count: p.Runs, Seconds: run},
	}
	for _, s := range p.Steps {
		p.TotalSeconds += float64(s.Count) * s.Seconds
	}
}

// allowance is what a load writes at most in so many seconds. The share of
// writes is a matter of luck, for which there is some slack.
func (p *Plan) allowance(j *bench.Job, seconds float64) int64 {
	if j.Op == bench.OpRead {
		return 0
	}
	operations := min(j.Rate*seconds, j.Rate*seconds*(100-readPercent)/100*slack+100)
	return int64(operations+1) * int64(j.BlockBytes)
}
