package profile

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scene is a run to ask the cause of, put together by hand.
type scene struct {
	rates []float64
	// writes says that the rates are of writing.
	writes bool
	// celsius and throttles are read every so many seconds, and at the end;
	// nil: never.
	every     int
	celsius   func(second int) int
	throttles func(second int) uint64
	limits    Limits
}

// samples makes the seconds of a scene.
func (s scene) samples() []Sample {
	var all []Sample
	written := 0.0
	for i, rate := range s.rates {
		if s.writes {
			written += rate * 1e6
		}
		sample := Sample{Seconds: float64(i + 1), MBPerS: rate, BytesWritten: int64(written), P99US: new(1e6 / rate)}
		if i%s.every == 0 || i == len(s.rates)-1 {
			if s.celsius != nil {
				sample.Celsius = new(s.celsius(i))
			}
			if s.throttles != nil {
				sample.Throttles = new(s.throttles(i))
			}
		}
		all = append(all, sample)
	}
	return all
}

// warming is a temperature that rises to a highest one until a second, and stays
// there.
func warming(from, to, until int) func(int) int {
	return func(second int) int { return from + (to-from)*min(second, until)/until }
}

// constantly is the same at all times.
func constantly[T any](v T) func(int) T { return func(int) T { return v } }

// counting is a counter that rises by one in some seconds.
func counting(seconds ...int) func(int) uint64 {
	return func(second int) uint64 {
		n := uint64(7)
		for _, s := range seconds {
			if second >= s {
				n++
			}
		}
		return n
	}
}

func TestFindCause(t *testing.T) {
	usual := Limits{TMT1: new(78), TMT2: new(83), Warning: new(86), CapacityBytes: 1e12}
	fall := slices.Concat(level(60, 2000), level(90, 800))
	hot, cold := warming(40, 78, 60), constantly(55)
	for _, tt := range []struct {
		name    string
		s       scene
		want    CauseKind
		missing string
	}{
		{"counted", scene{fall, false, 1, hot, counting(60), usual}, CauseHeat, ""},
		{"counted, every 10 s", scene{fall, false, 10, hot, counting(60), usual}, CauseHeat, ""},
		{"counted, without temperature", scene{fall, true, 10, nil, counting(61), usual}, CauseHeat, ""},
		{"counted, without limits", scene{fall, true, 10, hot, counting(61), Limits{}}, CauseHeat, ""},
		{"counted much later", scene{fall, false, 1, cold, counting(120), usual}, CauseUnknown, ""},
		{"counted somewhere in 60 s", scene{fall, false, 60, cold, counting(60), usual}, CauseUnknown, "counters of throttling more often than every 120 s"},
		{"began anew", scene{fall, false, 10, cold, func(s int) uint64 { return uint64(200 - s) }, usual}, CauseUnknown, "began anew"},

		{"limit reached", scene{fall, false, 10, hot, nil, usual}, CauseHeat, "counters"},
		{"limit reached, writing", scene{fall, true, 10, hot, nil, usual}, CauseHeat, "counters"},
		{"limit reached, read every minute", scene{fall, false, 60, hot, nil, usual}, CauseUnknown, "temperature more often than every 120 s"},
		{"limit reached long before", scene{fall, true, 5, warming(40, 78, 20), nil, usual}, CauseUnknown, "had no effect"},
		{"TMT1 reached, and not counted", scene{fall, false, 1, hot, counting(), usual}, CauseUnknown, "near the limit of 78 °C"},
		{"warning reached, and not counted", scene{fall, false, 1, warming(40, 86, 60), counting(), usual}, CauseHeat, ""},
		{"only TMT1 known, and not counted", scene{fall, false, 1, hot, counting(), Limits{TMT1: new(78)}}, CauseUnknown, "were not counted"},
		{"slow when it has cooled", scene{fall, true, 10, func(s int) int { return min(s*78/60, 78-(s-60)/3) }, nil, usual}, CauseUnknown, "why it stayed slow"},
		{"near the limit", scene{fall, true, 10, warming(40, 75, 60), nil, usual}, CauseUnknown, "the limit of 78 °C is near"},

		{"full cache", scene{fall, true, 10, cold, counting(), usual}, CauseCache, ""},
		{"full cache, not counted", scene{fall, true, 10, cold, nil, usual}, CauseCache, "counters"},
		{"full cache with noise", scene{noisy(fall, 0.1, 1), true, 10, cold, counting(), usual}, CauseCache, ""},
		{"full cache, capacity unknown", scene{fall, true, 1, cold, counting(), Limits{TMT1: new(78)}}, CauseCache, ""},
		{"cold, reading", scene{fall, false, 10, cold, counting(), usual}, CauseUnknown, ""},
		{"full cache without temperature", scene{fall, true, 10, nil, counting(), usual}, CauseUnknown, "the temperature around it"},
		{"full cache without limits", scene{fall, true, 10, cold, counting(), Limits{}}, CauseUnknown, "holds itself back"},
		{"full cache, read every minute", scene{fall, true, 60, cold, counting(), usual}, CauseUnknown, "temperature more often"},
		{"nothing but rates", scene{fall, true, 10, nil, nil, usual}, CauseUnknown, "the temperature around it"},
		{"a fifth slower", scene{slices.Concat(level(60, 2000), level(90, 1600)), true, 10, cold, counting(), usual}, CauseUnknown, ""},
		{"to and fro", scene{slices.Concat(level(60, 2000), toggling(90, 6, 400, 1200)), true, 10, cold, counting(), usual}, CauseUnknown, ""},
		{"0.6 GB written", scene{slices.Concat(level(60, 10), level(90, 4)), true, 10, cold, counting(), usual}, CauseUnknown, ""},
		{"more than half of the drive", scene{fall, true, 10, cold, counting(), Limits{TMT1: new(78), CapacityBytes: 2e11}}, CauseUnknown, ""},

		{"full cache, then heat", scene{slices.Concat(level(60, 2000), level(60, 1000), level(90, 500)), true, 1, warming(40, 78, 120), counting(120), usual}, CauseBoth, ""},
		{"heat, then full cache", scene{slices.Concat(level(60, 2000), level(60, 1500), level(90, 500)), true, 1, func(s int) int {
			if s < 60 {
				return 40 + 38*s/60
			}
			return max(78-(s-60)/2, 60)
		}, counting(60), usual}, CauseBoth, ""},
		{"unknown, then heat", scene{slices.Concat(level(60, 2000), level(60, 1500), level(90, 700)), false, 1, warming(40, 78, 120), counting(120), usual}, CauseUnknown, ""},
	} {
		c := FindCause(tt.s.samples(), tt.s.limits)
		if c == nil {
			t.Errorf("%s: no drop", tt.name)
			continue
		}
		if missing := strings.Join(c.Drops[0].Missing, "; "); c.Kind != tt.want || !strings.Contains(missing, tt.missing) || tt.missing == "" && missing != "" && tt.want != CauseUnknown && tt.want != CauseBoth {
			t.Errorf("%s: %s, missing %q; want %s, missing %q\n%+v", tt.name, c.Kind, missing, tt.want, tt.missing, c)
		}
	}
}

func TestNoCause(t *testing.T) {
	for name, rates := range map[string][]float64{"nothing": nil, "short": level(5, 1), "steady": level(100, 2000), "rising": slices.Concat(level(50, 1000), level(50, 2000))} {
		s := scene{rates: rates, every: 1}
		if c := FindCause(s.samples(), Limits{}); c != nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestCauseTells holds what a drop says in numbers and words.
func TestCauseTells(t *testing.T) {
	limits := Limits{TMT1: new(78), Warning: new(75), CapacityBytes: 1e12}
	heat := scene{slices.Concat(level(40, 2000), level(60, 900)), false, 10, warming(45, 74, 40), counting(41), limits}
	full := scene{slices.Concat(level(40, 2000), level(60, 900)), true, 1, constantly(50), counting(), limits}
	got := []Cause{*FindCause(heat.samples(), limits), *FindCause(full.samples(), limits)}
	want := []Cause{
		{
			Kind: CauseHeat, Text: "The drive held itself back for heat from second 40 on.",
			Drops: []Drop{{
				Second: 40, Kind: CauseHeat, DropPercent: 55, Celsius: new(74), LimitCelsius: new(75), Throttles: new(uint64(1)),
				Evidence: []string{"the count of throttling rose by 1 between second 31 and 51", "up to 74 °C"},
				Missing:  []string{},
			}},
		},
		{
			Kind: CauseCache, Text: "The fast cache was full in second 40, after 80.0 GB were written.",
			Drops: []Drop{{
				Second: 40, Kind: CauseCache, DropPercent: 55, BytesWritten: 80e9, Celsius: new(50), LimitCelsius: new(75), Throttles: new(uint64(0)),
				Evidence: []string{
					"no throttling was counted between second 37 and 43", "at most 50 °C, the first limit is 75 °C",
					"80.0 GB written before it, 55 % slower and steady after it",
				},
				Missing: []string{},
			}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSustainSamples(t *testing.T) {
	s := scene{slices.Concat(level(40, 2000), level(20, 1000), level(60, 500)), true, 1, constantly(50), counting(), Limits{TMT1: new(78)}}
	got := SustainSamples(s.samples(), s.limits)
	if got.Onset.Second != 40 || got.Plateau.Second != 60 || *got.P99BeforeUS != 500 || *got.P99AfterUS != 2000 || got.Cause.Kind != CauseCache || len(got.Cause.Drops) != 2 {
		t.Errorf("%+v, cause %+v", got, got.Cause)
	}
	steady := scene{rates: level(100, 2000), every: 1}
	if got := SustainSamples(steady.samples(), Limits{}); got.Onset != nil || got.Cause != nil || got.P99BeforeUS != nil || got.Plateau != nil {
		t.Errorf("of a steady run: %+v", got)
	}
	if got := SustainSamples(nil, Limits{}); got != (Sustained{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// FuzzFindCause takes the bytes as rates, temperatures and counters.
func FuzzFindCause(f *testing.F) {
	f.Add([]byte{}, []byte{}, true)
	f.Add(slices.Concat(slices.Repeat([]byte{250}, 20), slices.Repeat([]byte{100}, 20)), []byte{50, 0, 80, 1}, true)
	f.Fuzz(func(t *testing.T, rates, read []byte, writes bool) {
		var all []Sample
		for i, r := range rates {
			s := Sample{Seconds: float64(i + 1), MBPerS: float64(r)}
			if writes {
				s.BytesWritten = int64(i) * 1e9
			}
			if len(read) > 0 && read[i%len(read)] > 0 {
				s.Celsius, s.Throttles = new(int(read[i%len(read)])), new(uint64(read[(i+1)%len(read)]))
			}
			all = append(all, s)
		}
		c := FindCause(all, Limits{TMT1: new(70), Warning: new(80)})
		if (c == nil) != (FindOnset(ratesOf(all)) == nil) {
			t.Fatalf("a cause without a drop, or a drop without a cause: %+v", c)
		}
		if c == nil {
			return
		}
		for _, d := range c.Drops {
			if d.Kind != CauseUnknown && len(d.Evidence) == 0 || d.Kind == CauseCache && (!writes || d.Celsius == nil) {
				t.Errorf("%s without evidence: %+v", d.Kind, d)
			}
		}
	})
}
