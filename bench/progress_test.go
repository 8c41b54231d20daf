package bench

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// randomHistogram counts n durations of any length.
func randomHistogram(random *rand.Rand, n int) *Histogram {
	h := &Histogram{}
	for range n {
		h.Add(time.Duration(math.Exp(random.Float64() * math.Log(1e12))))
	}
	return h
}

func randomProgress(random *rand.Rand) Progress {
	number := func() float64 { return round3(math.Exp(random.NormFloat64() * 8)) }
	p := Progress{
		WarmingUp: random.IntN(2) == 0, Seconds: number(), PlannedSeconds: number(), Operations: random.Int64(),
		PlannedOperations: random.Int64N(10), IOPS: number(), MBPerS: number(), Errors: random.Int64N(3),
		IntervalSeconds: number(), SilentSeconds: number(),
	}
	if n := random.IntN(3000); n > 0 {
		p.Latency = LatencyOf(randomHistogram(random, n))
		p.Interval = randomHistogram(random, n)
	}
	if random.IntN(2) == 0 {
		p.Telemetry = &Telemetry{Celsius: random.IntN(200) - 60, Throttles: random.Uint64()}
	}
	return p
}

func TestAppendProgressIsJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for i := range 60 {
		p := randomProgress(random)
		if i == 0 {
			p = Progress{}
		}
		want, err := json.Marshal(message{Progress: &p})
		if err != nil {
			t.Fatal(err)
		}
		got := appendProgress(nil, &p)
		if diff := cmp.Diff(string(want)+"\n", string(got)); diff != "" {
			t.Fatalf("line (-want +got):\n%s", diff)
		}
		m, err := decodeMessage(got)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&p, m.Progress, cmp.AllowUnexported(Histogram{})); diff != "" {
			t.Fatalf("progress has changed on its way (-want +got):\n%s", diff)
		}
	}
}

func TestAppendProgressHasRoom(t *testing.T) {
	h := &Histogram{}
	for i := range bucketCount {
		low, _ := bounds(i)
		h.buckets[i] = 9_999_999_999
		h.count += h.buckets[i]
		h.max = low
	}
	p := Progress{Interval: h, Latency: LatencyOf(h), Operations: math.MaxInt64}
	if n := len(appendProgress(nil, &p)); n > maxProgress || n > maxLine {
		t.Errorf("%d bytes, room for %d", n, maxProgress)
	}
}

func TestHistogramDifference(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 100 {
		before, new := randomHistogram(random, random.IntN(50)), randomHistogram(random, random.IntN(50))
		var after, got Histogram
		after.set(before)
		after.Merge(new)
		got.difference(&after, before)
		if got.count != new.count || got.sum != new.sum || got.buckets != new.buckets {
			t.Fatalf("the difference counts %d, want %d", got.count, new.count)
		}
		for _, d := range []struct{ got, want time.Duration }{{got.Min(), new.Min()}, {got.Max(), new.Max()}} {
			if math.Abs(float64(d.got-d.want)) > float64(d.want)/128 {
				t.Errorf("minimum or maximum is %v, want %v within 1/128", d.got, d.want)
			}
		}
		b, err := json.Marshal(&got)
		if err != nil {
			t.Fatal(err)
		}
		var again Histogram
		if err := json.Unmarshal(b, &again); err != nil {
			t.Fatalf("a difference is not a histogram: %v", err)
		}
	}
}

func TestHistogramSet(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	var got Histogram
	for range 100 {
		want := randomHistogram(random, random.IntN(20))
		if got.set(want); got != *want {
			t.Fatalf("a copy of %d counts differs", want.count)
		}
	}
}

func TestIntervalsAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := plain(5500 * time.Millisecond)
		j.Warmup = 2500 * time.Millisecond
		var sum [2]Histogram
		var seconds [2]float64
		var last Progress
		_, err := Run(t.Context(), NewReaderAt("sim", steady(time.Millisecond)), smallTarget, j, func(p Progress) {
			part := 1
			if p.WarmingUp {
				part = 0
			}
			sum[part].Merge(p.Interval)
			seconds[part] += p.IntervalSeconds
			if int64(sum[part].count) != p.Operations || round3(seconds[part]) != p.Seconds {
				t.Errorf("intervals of %g s hold %d operations, progress tells %g s and %d", seconds[part], sum[part].count, p.Seconds, p.Operations)
			}
			if *p.Latency.P50 != 1000 || p.Interval.Max() != time.Millisecond || p.Interval.Min() != time.Millisecond {
				t.Errorf("got %+v", p)
			}
			last = p
		})
		if err != nil {
			t.Fatal(err)
		}
		if sum[0].count == 0 || sum[1].count < 4000 || last.WarmingUp {
			t.Errorf("intervals hold %d and %d operations", sum[0].count, sum[1].count)
		}
	})
}

func TestIntervalsOfSilentDrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		source := drive(func(p []byte, off int64) (int, error) {
			if n++; n == 1500 {
				return steady(3*time.Second)(p, off)
			}
			return steady(time.Millisecond)(p, off)
		})
		var seconds []float64
		var empty []bool
		_, err := Run(t.Context(), NewReaderAt("sim", source), smallTarget, plain(7*time.Second), func(p Progress) {
			seconds = append(seconds, math.Round(p.IntervalSeconds*10)/10)
			empty = append(empty, p.Interval == nil)
		})
		if err != nil {
			t.Fatal(err)
		}
		// The silence is from 1.499 s to 4.499 s. What is told is up to 0.1 s old.
		if diff := cmp.Diff([]float64{0.9, 0.5, 1.6, 1, 1, 1}, seconds[:6]); diff != "" {
			t.Errorf("lengths of intervals (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]bool{false, false, true, true, false, false}, empty[:6]); diff != "" {
			t.Errorf("empty intervals (-want +got):\n%s", diff)
		}
	})
}
