package proof

import (
	"slices"
	"strings"
	"testing"
)

func TestRandomPlacesAreStratified(t *testing.T) {
	for _, tt := range []struct{ samples, blocks int64 }{{1000, 1_000_000}, {7, 7}, {7, 10}, {460515, 234423126}} {
		p := places{bytes: tt.blocks * 4096, block: 4096, samples: tt.samples, seed: 5}
		var sum float64
		for i := range tt.samples {
			block := p.offset(i) / 4096
			from, to := i*tt.blocks/tt.samples, (i+1)*tt.blocks/tt.samples
			if block < from || block >= to || p.offset(i)%4096 != 0 {
				t.Fatalf("sample %d of %d is block %d, want one of %d to %d", i, tt.samples, block, from, to-1)
			}
			sum += float64(block-from) / float64(max(to-from-1, 1))
		}
		if mean := sum / float64(tt.samples); tt.samples >= 1000 && (mean < 0.45 || mean > 0.55) {
			t.Errorf("%d of %d: mean place within a stratum %.3f, want 0.5", tt.samples, tt.blocks, mean)
		}
	}
}

func TestPlacesDependOnSeed(t *testing.T) {
	of := func(seed uint64) []int64 {
		p := places{bytes: 1 << 40, block: 4096, samples: 100, seed: seed}
		var all []int64
		for i := range p.count() {
			all = append(all, p.offset(i))
		}
		return all
	}
	if !slices.Equal(of(1), of(1)) || slices.Equal(of(1), of(2)) {
		t.Error("the same seed gives other places, or another seed the same")
	}
}

func TestStructuredPlaces(t *testing.T) {
	const size = 1<<36 + 512 // An odd number of logical blocks.
	p, err := newPlaces(Medium{Bytes: size, Places: []int64{5 << 30, 5<<30 + 4095, 0, size - 1, size, -1}}, Options{Samples: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if p.whole || p.samples != 1000 {
		t.Fatalf("whole %t, %d samples", p.whole, p.samples)
	}
	if want := 2*256 + 1; len(p.structured) != want {
		t.Errorf("%d structured places, want %d", len(p.structured), want)
	}
	for _, off := range []int64{0, 4096, 255 * 4096, 5 << 30, size - 4096, size - 256*4096} {
		if !slices.Contains(p.structured, off) {
			t.Errorf("%d is not among the structured places", off)
		}
	}
	if got := p.offset(p.count() - 1); got != size-4096 {
		t.Errorf("the last place is %d, want the end", got)
	}
	if !slices.IsSorted(p.structured) {
		t.Error("the structured places are not in order")
	}
}

func TestSmallMediaAreReadWhole(t *testing.T) {
	for _, tt := range []struct {
		blocks  int64
		bytes   int64
		samples int
		whole   bool
		count   int64
	}{
		{2000, 2000 * 4096, 1000, true, 2000},
		{2000, 2000*4096 + 512, 1000, true, 2001},
		{2001, 2001 * 4096, 1000, false, 1000 + 512},
		{1, 4096, 0, true, 1},
		{1 << 18, 1 << 30, 0, true, 1 << 18},
	} {
		p, err := newPlaces(Medium{Bytes: tt.bytes}, Options{Samples: tt.samples})
		if err != nil {
			t.Fatal(err)
		}
		if p.whole != tt.whole || p.count() != tt.count {
			t.Errorf("%d bytes, %d samples: whole %t, %d places, want %t, %d", tt.bytes, tt.samples, p.whole, p.count(), tt.whole, tt.count)
		}
		if got := p.offset(p.count() - 1); got != tt.bytes-4096 {
			t.Errorf("%d bytes: the last place is %d, want the end", tt.bytes, got)
		}
	}
}

func TestImpossiblePlaces(t *testing.T) {
	for _, tt := range []struct {
		m    Medium
		o    Options
		want string
	}{
		{Medium{Bytes: 1 << 20}, Options{BlockBytes: 1000}, "a multiple of 512"},
		{Medium{Bytes: 1 << 20, BlockBytes: 4096}, Options{BlockBytes: 512}, "of 4096"},
		{Medium{Bytes: 1 << 30}, Options{BlockBytes: 1 << 20}, "up to 65536"},
		{Medium{Bytes: 512, Name: "x"}, Options{}, "x has 512 bytes"},
		{Medium{Bytes: 10000}, Options{}, "not a multiple"},
		{Medium{Bytes: 1 << 20, Places: make([]int64, maxPlaces+1)}, Options{}, "places are named"},
	} {
		if _, err := newPlaces(tt.m, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want an error that says %q", tt.o, err, tt.want)
		}
	}
}
