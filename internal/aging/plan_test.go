package aging

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/conditions"
)

func TestPlan(t *testing.T) {
	r := newRig(t)
	p := r.plan(Options{Mode: Mixed, Duration: 3 * time.Hour})
	// 100 MB/s, of which 30 % are written, with 5 % of slack.
	want := 100e6 * 0.3 * 1.05 * 3 * 3600
	if math.Abs(float64(p.WrittenBytes)-want) > want/1000 {
		t.Errorf("%d bytes are written, want about %.0f", p.WrittenBytes, want)
	}
	if got := *p.WearPercent; math.Abs(got-want/testRated*100) > 1e-4 {
		t.Errorf("wear %g %%, want %g", got, want/testRated*100)
	}
	if got := *p.Limits.BudgetBytes; got != testRated/1000 {
		t.Errorf("budget %d bytes, want 0.1 %% of %d", got, int64(testRated))
	}
	wantSteps := []Step{
		{"warm-up", 2, 5, 0}, {"before", 6, 30.5, 0}, {"treatment", 1, 10800, p.WrittenBytes},
		{"probe", 3, 30.5, 0}, {"settling", 1, 1800, 0}, {"after", 6, 30.5, 0},
	}
	if diff := cmp.Diff(wantSteps, p.Steps); diff != "" {
		t.Error(diff)
	}
	if p.TotalSeconds != 10+15*30.5+10800+1800 || p.Refused {
		t.Errorf("%g s in all, refused %q", p.TotalSeconds, p.Refusals)
	}
	if p.Limits.TempMax != 75 || p.Limits.TempResume != 70 {
		t.Errorf("limits %+v, want 5 K below the warning threshold of 80 °C", p.Limits)
	}
}

func TestPlanShort(t *testing.T) {
	r := newRig(t)
	p := r.plan(Options{Mode: Idle, Duration: 72 * time.Second})
	if p.Probes != 3 || p.ProbeSeconds != 24 || p.SliceSeconds != 6 || p.QD1.Duration != time.Second {
		t.Errorf("%d probes each %g s, slices of %g s, runs of %v; want 3, 24, 6, 1s", p.Probes, p.ProbeSeconds, p.SliceSeconds, p.QD1.Duration)
	}
	if p.WrittenBytes != 0 || p.WearPercent != nil || p.Limits.BudgetBytes != nil || len(p.Loads) != 0 {
		t.Errorf("an idle plan with loads %v or wear", p.Loads)
	}
	p = r.plan(Options{Mode: Idle, Duration: 72 * time.Second, Interval: 20 * time.Second})
	if p.Probes != 3 || p.ProbeSeconds != 20 {
		t.Errorf("%d probes each %g s, want 3 each 20", p.Probes, p.ProbeSeconds)
	}
	p = r.plan(Options{Mode: Mixed, Duration: 1000 * time.Hour, MBPerS: 1})
	if n := p.TreatmentSeconds / p.SliceSeconds; n > mostSlices {
		t.Errorf("%g slices are too many for a journal", n)
	}
}

func TestPlanEngine(t *testing.T) {
	r := newRig(t)
	p := r.plan(Options{Mode: Mixed, Engine: bench.EnginePsync, QD1Engine: bench.EngineNull, Span: 1 << 30, BlockBytes: 4096, Pattern: bench.Sequential})
	j := p.Loads[0]
	if j.Engine != bench.EnginePsync || j.QueueDepth != 1 || j.Workers != 4 || j.BlockBytes != 4096 || j.Span != 1<<30 || j.Pattern != bench.Sequential {
		t.Errorf("load %+v", j)
	}
	if p.QD1.Engine != bench.EngineNull || p.QD1.Span != 1<<30 {
		t.Errorf("run %+v", p.QD1)
	}
}

func TestPlanRefused(t *testing.T) {
	tests := []struct {
		name   string
		o      Options
		rated  int64
		change func(*conditions.DriveState)
		want   string // "": it is not refused
	}{
		{"within the budget", Options{Mode: Mixed}, testRated, nil, ""},
		{"beyond the budget", Options{Mode: Mixed}, 1e13, nil, "more than the wear budget of 0.1 %"},
		{"another budget", Options{Mode: Mixed, WearPercent: 5}, 1e13, nil, ""},
		{"bytes", Options{Mode: Mixed, WearBytes: 1e9}, testRated, nil, "more than the wear budget of 1000000000"},
		{"endurance not known", Options{Mode: Mixed}, 0, nil, "not known"},
		{"endurance not known, bytes given", Options{Mode: Mixed, WearBytes: 1e12}, 0, nil, ""},
		{"endurance not known, read", Options{Mode: Read}, 0, nil, ""},
		{"read-only", Options{Mode: Mixed}, testRated, func(s *conditions.DriveState) { s.Health.CriticalWarning = 8 }, "read-only"},
		{"read-only, read", Options{Mode: Read}, testRated, func(s *conditions.DriveState) { s.Health.CriticalWarning = 8 }, ""},
		{"too hot already", Options{Mode: Idle}, testRated, func(s *conditions.DriveState) { *s.Health.Celsius = 76 }, "76 °C now"},
		{"limit above the critical threshold", Options{Mode: Read, TempMax: 85}, testRated, nil, "critical threshold"},
		{"limit above the warning threshold", Options{Mode: Read, TempMax: 82}, testRated, nil, ""},
		{"no thresholds", Options{Mode: Read}, testRated, func(s *conditions.DriveState) { s.Limits, *s.Health.Celsius = nil, 71 }, "limit of 70 °C"},
		{"no temperature", Options{Mode: Read}, testRated, func(s *conditions.DriveState) { s.Health.Celsius = nil }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			if tt.change != nil {
				tt.change(&r.state)
			}
			tt.o.Duration = 3 * time.Hour
			p, err := NewPlan(tt.o, tt.rated, r.target(), r.state)
			if err != nil {
				t.Fatal(err)
			}
			if p.Refused != (tt.want != "") {
				t.Fatalf("refused %t: %q, want %q", p.Refused, p.Refusals, tt.want)
			}
			if !p.Refused {
				return
			}
			if !slices.ContainsFunc(p.Refusals, func(s string) bool { return strings.Contains(s, tt.want) }) {
				t.Errorf("refusals %q, want %q", p.Refusals, tt.want)
			}
			if _, err := Run(t.Context(), r.deps(), p); !errors.Is(err, ErrRefused) || len(r.all) > 0 {
				t.Errorf("Run = %v after %d jobs, want a refusal", err, len(r.all))
			}
		})
	}
}

func TestPlanOptions(t *testing.T) {
	good := Options{Mode: Read, Duration: time.Hour}
	tests := []struct {
		name   string
		change func(*Options)
	}{
		{"no mode", func(o *Options) { o.Mode = "" }},
		{"mode", func(o *Options) { o.Mode = "write" }},
		{"no time", func(o *Options) { o.Duration = 0 }},
		{"too long", func(o *Options) { o.Duration = 1001 * time.Hour }},
		{"too few runs", func(o *Options) { o.Runs = 4 }},
		{"too many runs", func(o *Options) { o.Runs = 101 }},
		{"negative run", func(o *Options) { o.RunDuration = -1 }},
		{"too many probes", func(o *Options) { o.Interval = time.Microsecond }},
		{"rate", func(o *Options) { o.MBPerS = -1 }},
		{"rate that is no number", func(o *Options) { o.MBPerS = math.NaN() }},
		{"pattern", func(o *Options) { o.Pattern = "zigzag" }},
		{"wear", func(o *Options) { o.WearPercent = 101 }},
		{"wear in bytes", func(o *Options) { o.WearBytes = -1 }},
		{"temperature", func(o *Options) { o.TempMax = 126 }},
		{"block size", func(o *Options) { o.BlockBytes = 1000 }},
		{"span", func(o *Options) { o.Span = 100 }},
	}
	if _, err := NewPlan(good, 0, Target{}, conditions.DriveState{}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		o := good
		tt.change(&o)
		if _, err := NewPlan(o, 0, Target{}, conditions.DriveState{}); !errors.Is(err, ErrOptions) {
			t.Errorf("%s: NewPlan = %v, want ErrOptions", tt.name, err)
		}
	}
}
