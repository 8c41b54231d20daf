package bench

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// slowLatencies returns those that s keeps, in µs.
func slowLatencies(s *slowest) []float64 {
	var list []float64
	for _, x := range s.operations() {
		list = append(list, x.LatencyUS)
	}
	return list
}

func TestSlowestKeepsTheSlowest(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	for name, latency := range map[string]func(i int) int64{
		"random":  func(int) int64 { return random.Int64N(1_000_000) },
		"rising":  func(i int) int64 { return int64(i) },
		"falling": func(i int) int64 { return int64(100_000 - i) },
		"equal":   func(int) int64 { return 5000 },
	} {
		for _, n := range []int{0, 1, 99, 100, 101, 5000} {
			var workers [3]slowest
			var all []float64
			for i := range workers {
				workers[i].reset()
			}
			for i := range n {
				d := time.Duration(latency(i)) * time.Microsecond
				all = append(all, float64(d.Microseconds()))
				if s := &workers[i%3]; d > s.floor {
					s.add(slowOperation{latency: d})
				}
			}
			var s, copied slowest
			s.reset()
			for i := range workers {
				s.merge(&workers[i])
			}
			copied.set(&s)
			slices.Sort(all)
			slices.Reverse(all)
			if got, want := slowLatencies(&copied), all[:min(n, maxSlowest)]; !slices.Equal(got, want) {
				t.Errorf("%s, %d operations: got %v, want %v", name, n, got, want)
			}
		}
	}
}

func TestSlowestTellsWhatItWas(t *testing.T) {
	var s slowest
	s.reset()
	s.add(slowOperation{at: 2 * time.Second, latency: time.Millisecond, offset: 8192})
	s.add(slowOperation{at: -time.Second, latency: time.Millisecond, offset: 4096, write: true})
	want := []SlowOperation{{AtSeconds: 0, LatencyUS: 1000, Offset: 4096, Write: true}, {AtSeconds: 2, LatencyUS: 1000, Offset: 8192}}
	if got := s.operations(); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if s.reset(); len(s.operations()) != 0 {
		t.Errorf("reset leaves %+v", s.operations())
	}
}
