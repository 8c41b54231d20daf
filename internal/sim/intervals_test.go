package sim

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIntervals(t *testing.T) {
	base := intervals{{10, 20}, {30, 40}, {50, 60}}
	clone := func() intervals { return append(intervals(nil), base...) }
	for _, tc := range []struct {
		name string
		got  intervals
		want intervals
	}{
		{"before", clone().add(0, 5), intervals{{0, 5}, {10, 20}, {30, 40}, {50, 60}}},
		{"touches the first", clone().add(5, 10), intervals{{5, 20}, {30, 40}, {50, 60}}},
		{"touches from behind", clone().add(20, 25), intervals{{10, 25}, {30, 40}, {50, 60}}},
		{"fills a gap", clone().add(20, 30), intervals{{10, 40}, {50, 60}}},
		{"covers all", clone().add(0, 100), intervals{{0, 100}}},
		{"inside", clone().add(12, 13), base},
		{"nothing", clone().add(5, 5), base},
		{"behind", clone().add(70, 80), intervals{{10, 20}, {30, 40}, {50, 60}, {70, 80}}},
		{"cut the middle", clone().remove(33, 35), intervals{{10, 20}, {30, 33}, {35, 40}, {50, 60}}},
		{"cut over two", clone().remove(15, 35), intervals{{10, 15}, {35, 40}, {50, 60}}},
		{"remove one", clone().remove(30, 40), intervals{{10, 20}, {50, 60}}},
		{"remove from a gap", clone().remove(20, 30), base},
		{"remove nothing", clone().remove(15, 15), base},
	} {
		if diff := cmp.Diff(tc.want, tc.got, cmp.AllowUnexported(interval{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
	if base.size() != 30 || base.contains(20) || !base.contains(10) || !base.contains(59) || base.contains(60) {
		t.Error("size or contains is wrong")
	}
	if at, ok := base.first(15, 16); at != 15 || !ok {
		t.Errorf("first of 15 to 16: %d, %v", at, ok)
	}
	if at, ok := base.first(20, 31); at != 30 || !ok {
		t.Errorf("first of 20 to 31: %d, %v", at, ok)
	}
	for _, r := range []interval{{20, 30}, {15, 15}, {60, 99}} {
		if at, ok := base.first(r.from, r.to); ok {
			t.Errorf("first of %v: %d, want none", r, at)
		}
	}
}

// FuzzIntervals compares a set of ranges with a plain list of positions.
func FuzzIntervals(f *testing.F) {
	f.Add([]byte{0, 3, 9, 1, 5, 6, 0, 9, 12})
	f.Fuzz(func(t *testing.T, ops []byte) {
		var s intervals
		var want [256]bool
		for ; len(ops) >= 3; ops = ops[3:] {
			from, to := int64(ops[1]), int64(ops[2])
			if ops[0]&1 == 0 {
				s = s.add(from, to)
			} else {
				s = s.remove(from, to)
			}
			for i := from; i < to; i++ {
				want[i] = ops[0]&1 == 0
			}
		}
		n := int64(0)
		for i, w := range want {
			if w {
				n++
			}
			if got := s.contains(int64(i)); got != w {
				t.Fatalf("%v contains %d: %v, want %v", s, i, got, w)
			}
		}
		if s.size() != n {
			t.Errorf("size of %v is %d, want %d", s, s.size(), n)
		}
		for i := 1; i < len(s); i++ {
			if s[i].from <= s[i-1].to {
				t.Errorf("%v: ranges touch or do not rise", s)
			}
		}
	})
}
