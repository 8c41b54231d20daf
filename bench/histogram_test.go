package bench

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sampleAt returns the exact quantile of sorted samples, by the definition in
// Histogram.Quantile.
func sampleAt(sorted []time.Duration, q float64) time.Duration {
	rank := int(math.Ceil(q*float64(len(sorted)) - 1e-9))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

func TestHistogramErrorBound(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		v := int64(math.Exp(random.Float64() * math.Log(math.MaxInt64)))
		low, width := bounds(bucketOf(v))
		if v < low || v-low >= width {
			t.Fatalf("%d is not in its bucket [%d, %d+%d)", v, low, low, width)
		}
		if off := math.Abs(float64(midpoint(bucketOf(v)) - v)); off > float64(v)/128 {
			t.Fatalf("%d is told as %d, more than 1/128 away", v, midpoint(bucketOf(v)))
		}
	}
}

func TestHistogramBucketsAreContiguous(t *testing.T) {
	next := int64(0)
	for i := range bucketCount {
		low, width := bounds(i)
		if low != next || bucketOf(low) != i || bucketOf(low+width-1) != i {
			t.Fatalf("bucket %d is [%d, +%d), want from %d", i, low, width, next)
		}
		next = low + width
	}
	if got := bucketOf(math.MaxInt64); got != bucketCount-1 {
		t.Errorf("largest value is in bucket %d, want %d", got, bucketCount-1)
	}
}

func TestHistogramQuantiles(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	streams := map[string]func() time.Duration{
		"uniform":     func() time.Duration { return time.Duration(random.Int64N(100_000)) },
		"exponential": func() time.Duration { return time.Duration(10_000 + random.ExpFloat64()*5000) },
		"bimodal": func() time.Duration {
			if random.IntN(1000) == 0 {
				return time.Duration(5_000_000 + random.Int64N(1000))
			}
			return time.Duration(9000 + random.Int64N(100))
		},
		"tiny": func() time.Duration { return time.Duration(random.Int64N(128)) },
	}
	for name, next := range streams {
		t.Run(name, func(t *testing.T) {
			var h Histogram
			samples := make([]time.Duration, 20_000)
			var sum float64
			for i := range samples {
				samples[i] = next()
				sum += float64(samples[i])
				h.Add(samples[i])
			}
			slices.Sort(samples)
			if h.Count() != 20_000 || h.Min() != samples[0] || h.Max() != samples[len(samples)-1] || math.Abs(h.Mean()-sum/20_000) > 1e-6*sum {
				t.Errorf("count %d, min %d, max %d, mean %g are not exact", h.Count(), h.Min(), h.Max(), h.Mean())
			}
			for _, q := range []float64{0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1} {
				got, want := h.Quantile(q), sampleAt(samples, q)
				if math.Abs(float64(got-want)) > float64(want)/128 {
					t.Errorf("quantile %g: got %d, want %d within 1/128", q, got, want)
				}
			}
		})
	}
}

func TestHistogramRankIsExact(t *testing.T) {
	var h Histogram
	for i := range 100 {
		h.Add(time.Duration(i + 1))
	}
	for _, tt := range []struct {
		q    float64
		want time.Duration
	}{{-1, 1}, {0, 1}, {0.01, 1}, {0.011, 2}, {0.5, 50}, {0.9, 90}, {0.99, 99}, {0.991, 100}, {1, 100}, {2, 100}} {
		if got := h.Quantile(tt.q); got != tt.want {
			t.Errorf("quantile %g: got %d, want %d", tt.q, got, tt.want)
		}
	}
}

func TestHistogramEdges(t *testing.T) {
	var empty, h Histogram
	if empty.Quantile(0.5) != 0 || empty.Mean() != 0 || empty.Min() != 0 || empty.Max() != 0 {
		t.Errorf("an empty histogram is not 0 throughout")
	}
	h.Add(-5)
	h.Add(math.MaxInt64)
	if h.Min() != 0 || h.Max() != math.MaxInt64 || h.Count() != 2 {
		t.Errorf("got min %d, max %d, count %d", h.Min(), h.Max(), h.Count())
	}
	h.Reset()
	if h != empty {
		t.Errorf("reset leaves something behind")
	}
}

func TestHistogramMerge(t *testing.T) {
	var a, b, both Histogram
	for i := range 5000 {
		d := time.Duration(i * i)
		both.Add(d)
		if i%3 == 0 {
			a.Add(d)
		} else {
			b.Add(d)
		}
	}
	var got Histogram
	got.Merge(&a)
	got.Merge(&Histogram{})
	got.Merge(&b)
	if got != both {
		t.Errorf("merged histogram differs from the one that saw all: %d, %d…%d", got.count, got.min, got.max)
	}
}

func TestHistogramJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	full := &Histogram{}
	for range 10_000 {
		full.Add(time.Duration(math.Exp(random.Float64() * math.Log(math.MaxInt64/20_000))))
	}
	edges := &Histogram{}
	edges.Add(0)
	edges.Add(math.MaxInt64)
	for name, h := range map[string]*Histogram{"empty": {}, "full": full, "edges": edges} {
		t.Run(name, func(t *testing.T) {
			b, err := json.Marshal(h)
			if err != nil {
				t.Fatal(err)
			}
			var got Histogram
			if err := json.Unmarshal(b, &got); err != nil {
				t.Fatal(err)
			}
			if got != *h {
				t.Errorf("came back different: %s", b)
			}
		})
	}
}

func TestHistogramJSONIsCompact(t *testing.T) {
	h := &Histogram{}
	for range 1_000_000 {
		h.Add(9000)
	}
	got, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"count":1000000,"sum_ns":9000000000,"min_ns":9000,"max_ns":9000,"buckets":[518,1000000]}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("encoding (-want +got):\n%s", diff)
	}
}

func TestHistogramJSONRefuses(t *testing.T) {
	for name, in := range map[string]string{
		"no object":        `[]`,
		"odd pairs":        `{"count":1,"min_ns":1,"max_ns":1,"buckets":[1]}`,
		"zero count":       `{"count":0,"buckets":[1,0]}`,
		"too few":          `{"count":2,"min_ns":1,"max_ns":1,"buckets":[1,1]}`,
		"too many":         `{"count":1,"min_ns":1,"max_ns":1,"buckets":[1,2]}`,
		"count overflows":  `{"count":1,"min_ns":1,"max_ns":2,"buckets":[1,1,0,18446744073709551615]}`,
		"bucket too high":  `{"count":1,"min_ns":1,"max_ns":1,"buckets":[3712,1]}`,
		"gap overflows":    `{"count":2,"min_ns":1,"max_ns":2,"buckets":[1,1,18446744073709551614,1]}`,
		"minimum outside":  `{"count":1,"min_ns":2,"max_ns":1,"buckets":[1,1]}`,
		"maximum outside":  `{"count":1,"min_ns":1,"max_ns":9,"buckets":[1,1]}`,
		"negative minimum": `{"count":1,"min_ns":-1,"max_ns":1,"buckets":[1,1]}`,
		"totals alone":     `{"count":0,"max_ns":9,"buckets":[]}`,
		"endless":          `{"count":9,"buckets":[` + strings.Repeat("0,1,", 2*bucketCount) + `0,1]}`,
	} {
		t.Run(name, func(t *testing.T) {
			var h Histogram
			if err := json.Unmarshal([]byte(in), &h); err == nil {
				t.Errorf("accepted %.100s", in)
			}
			if h.Count() != 0 {
				t.Errorf("a refused histogram has changed its receiver")
			}
		})
	}
}

func TestHistogramDoesNotAllocate(t *testing.T) {
	var h, o Histogram
	o.Add(17_000)
	n := testing.AllocsPerRun(1000, func() {
		h.Add(9000)
		h.Merge(&o)
		_ = h.Quantile(0.99)
	})
	if n != 0 {
		t.Errorf("%g allocations, want 0", n)
	}
}

func FuzzHistogramJSON(f *testing.F) {
	f.Add([]byte(`{"count":1,"sum_ns":9000,"min_ns":9000,"max_ns":9000,"buckets":[518,1]}`))
	f.Add([]byte(`{"count":0,"buckets":[]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var h Histogram
		if json.Unmarshal(in, &h) != nil {
			return
		}
		for _, q := range []float64{0, 0.5, 1} {
			if v := h.Quantile(q); v < h.Min() || v > h.Max() {
				t.Fatalf("quantile %g is %d, outside %d…%d", q, v, h.Min(), h.Max())
			}
		}
		b, err := json.Marshal(&h)
		if err != nil {
			t.Fatal(err)
		}
		var again Histogram
		if err := json.Unmarshal(b, &again); err != nil || again != h {
			t.Fatalf("does not survive a round trip: %v", err)
		}
	})
}
