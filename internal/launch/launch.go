package launch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"time"

	"qd1.example/qd1/bench/stats"
)

// Kind is the kind of a record that holds a [Result].
const Kind = "launch"

// Defaults and limits of [Options].
const (
	DefaultRuns    = 10
	MaxRuns        = 1000
	DefaultTimeout = time.Minute
)

// Errors of [Launch], beside [*FailedError].
var (
	// ErrOptions is an impossible choice of options.
	ErrOptions = errors.New("bad options")
	// ErrTimeout is a program that neither ended nor said the text in time.
	ErrTimeout = errors.New("the program did not end in time")
	// ErrUnsaid is a program that ended without saying the text.
	ErrUnsaid = errors.New("the program ended without the text")
	// ErrInterrupted is an end of the context.
	ErrInterrupted = errors.New("interrupted")
)

// Options say how a program is started.
type Options struct {
	// Runs of each kind, 0 for DefaultRuns.
	Runs int
	// Cold adds cold runs, each before a warm one.
	Cold bool
	// Until ends a run as soon as the output or the error output holds this
	// text, for programs that do not end by themselves. "" waits for the end.
	Until string
	// Timeout of one run, 0 for DefaultTimeout.
	Timeout time.Duration
	// Env is the environment, nil for that of this process.
	Env []string
	// Dir is the working directory, "" for that of this process.
	Dir string
	// Time is noted in the result.
	Time time.Time
	// Observe is told of each run after it. Nil: nobody is.
	Observe func(Progress)
}

// Progress is a run that has ended.
type Progress struct {
	// Done of Total runs, the first one that is not counted left out.
	Done, Total int
	Cold        bool
	Run         Run
}

// Result is what the starts of a program took.
type Result struct {
	Kind string `json:"kind"`
	// Time is that of the options in RFC 3339, "" for none.
	Time string `json:"time"`
	// Program is the command line, Executable the file it is.
	Program    []string `json:"program"`
	Executable string   `json:"executable"`
	Directory  string   `json:"directory,omitempty"`
	Until      string   `json:"until,omitempty"`
	// Cold and Warm are the runs of each kind, nil if there is none.
	Cold *Set `json:"cold"`
	Warm *Set `json:"warm"`
	// ColdMinusWarm is how much longer a cold run takes, nil without both.
	ColdMinusWarm *Difference `json:"cold_minus_warm"`
	// Caches says how memory was emptied before cold runs, nil without.
	Caches *Caches `json:"caches"`
	// Partial is true if there are fewer runs than asked for; Ended says why.
	Partial bool   `json:"partial"`
	Ended   string `json:"ended"`
}

// endedComplete is Result.Ended if nothing was left out.
const endedComplete = "complete"

// Run is one start of the program. Processor time, input and faults are those of
// the process and of the children that it waited for, to their end, also if the
// time was taken before that.
type Run struct {
	// WallMS is the time from the fork to the end, or to the text.
	WallMS   float64 `json:"wall_ms"`
	UserMS   float64 `json:"user_ms"`
	SystemMS float64 `json:"system_ms"`
	// ReadBytes came from block devices.
	ReadBytes int64 `json:"read_bytes"`
	// MajorFaults are page faults that waited for a device.
	MajorFaults int64 `json:"major_faults"`
}

// Set is several runs of one kind.
type Set struct {
	Runs []Run `json:"runs"`
	// The others are taken over the runs.
	WallMS      stats.Summary `json:"wall_ms"`
	UserMS      float64       `json:"median_user_ms"`
	SystemMS    float64       `json:"median_system_ms"`
	ReadBytes   int64         `json:"median_read_bytes"`
	MajorFaults int64         `json:"median_major_faults"`
}

// Difference is the estimate of Hodges and Lehmann (see [stats.Shift]).
type Difference struct {
	MS float64 `json:"ms"`
	// CI95 is its confidence interval in ms, nil below 4 runs of each kind.
	CI95 *stats.Interval `json:"ci95_ms"`
}

// Launch starts the program argv again and again.
//
// One run comes first that is not counted: it shows whether the program works
// and which files it uses. A program that fails is not measured further. If the
// context ends, or a later run fails, the result of the runs before comes with
// the error; without any, the result is nil.
func Launch(ctx context.Context, argv []string, o Options) (*Result, error) {
	return thisHost().launch(ctx, argv, o)
}

func (h host) launch(ctx context.Context, argv []string, o Options) (*Result, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	p, err := newProgram(argv, o)
	if err != nil {
		return nil, err
	}
	s := &session{host: h, program: p, options: o}
	err = s.all(ctx)
	if len(s.warm)+len(s.cold) == 0 {
		return nil, err
	}
	return s.result(err), err
}

// complete checks the options and fills in the defaults.
func (o Options) complete() (Options, error) {
	if o.Runs == 0 {
		o.Runs = DefaultRuns
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Runs < 1 || o.Runs > MaxRuns {
		return o, fmt.Errorf("%w: %d runs, from 1 to %d are possible", ErrOptions, o.Runs, MaxRuns)
	}
	if o.Timeout < 0 {
		return o, fmt.Errorf("%w: time-out of %v", ErrOptions, o.Timeout)
	}
	return o, nil
}

// executable returns the absolute path of the file that a command name means.
func executable(name, dir string) (string, error) {
	if dir != "" && !filepath.IsAbs(name) && filepath.Base(name) != name {
		name = filepath.Join(dir, name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// session is one call of Launch.
type session struct {
	host    host
	program program
	options Options
	caches  *caches
	cold    []Run
	warm    []Run
}

// all does every run.
func (s *session) all(ctx context.Context) error {
	seen := newSeen(s.host, s.program)
	if _, err := s.program.run(ctx, seen); err != nil {
		return err
	}
	if s.options.Cold {
		s.caches = newCaches(s.host, seen.list())
	}
	for range s.options.Runs {
		if s.options.Cold {
			s.caches.empty()
			if err := s.one(ctx, &s.cold); err != nil {
				return err
			}
		}
		if err := s.one(ctx, &s.warm); err != nil {
			return err
		}
	}
	return nil
}

// one does one run and adds it to the set.
func (s *session) one(ctx context.Context, to *[]Run) error {
	r, err := s.program.run(ctx, nil)
	if err != nil {
		return err
	}
	*to = append(*to, r)
	if s.options.Observe == nil {
		return nil
	}
	total := s.options.Runs
	if s.options.Cold {
		total *= 2
	}
	s.options.Observe(Progress{Done: len(s.cold) + len(s.warm), Total: total, Cold: to == &s.cold, Run: r})
	return nil
}

// result sums up the runs there are.
func (s *session) result(err error) *Result {
	r := &Result{
		Kind:       Kind,
		Program:    s.program.argv,
		Executable: s.program.path,
		Directory:  s.options.Dir,
		Until:      s.options.Until,
		Cold:       newSet(s.cold),
		Warm:       newSet(s.warm),
		Ended:      endedComplete,
	}
	if !s.options.Time.IsZero() {
		r.Time = s.options.Time.Format(time.RFC3339)
	}
	if s.caches != nil {
		r.Caches = s.caches.summary()
	}
	if r.Cold != nil && r.Warm != nil {
		r.ColdMinusWarm = newDifference(s.warm, s.cold)
	}
	if err != nil {
		r.Partial, r.Ended = true, err.Error()
	}
	return r
}

func newSet(runs []Run) *Set {
	if len(runs) == 0 {
		return nil
	}
	return &Set{
		Runs:        runs,
		WallMS:      stats.Summarize(wall(runs)).Rounded(3),
		UserMS:      median(runs, func(r Run) float64 { return r.UserMS }),
		SystemMS:    median(runs, func(r Run) float64 { return r.SystemMS }),
		ReadBytes:   int64(median(runs, func(r Run) float64 { return float64(r.ReadBytes) })),
		MajorFaults: int64(median(runs, func(r Run) float64 { return float64(r.MajorFaults) })),
	}
}

func newDifference(warm, cold []Run) *Difference {
	w, c := wall(warm), wall(cold)
	return &Difference{MS: round3(stats.Shift(w, c)), CI95: stats.ShiftInterval(w, c, 0.95).Rounded(3)}
}

func wall(runs []Run) []float64 {
	return column(runs, func(r Run) float64 { return r.WallMS })
}

func median(runs []Run, of func(Run) float64) float64 {
	return round3(stats.Median(column(runs, of)))
}

func column(runs []Run, of func(Run) float64) []float64 {
	x := make([]float64, len(runs))
	for i, r := range runs {
		x[i] = of(r)
	}
	return x
}

// millis gives a duration in ms to the µs.
func millis(d time.Duration) float64 { return round3(float64(d) / 1e6) }

func round3(v float64) float64 { return math.Round(v*1000) / 1000 }
