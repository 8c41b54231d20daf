package scratch

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"qd1.example/qd1/bench"
)

// fakeDevice has blank blocks in the first parts of each thousand blocks.
type fakeDevice struct {
	zeros, ones int64 // of 1000
	block       int64
	blankTime   time.Duration
	dataTime    time.Duration
	fail        func(n int) error
	reads       []int64
}

func (d *fakeDevice) ReadAt(p []byte, offset int64) (int, error) {
	d.reads = append(d.reads, offset)
	if d.fail != nil {
		if err := d.fail(len(d.reads)); err != nil {
			return 0, err
		}
	}
	place := offset / d.block % 1000
	switch {
	case place < d.zeros:
		clear(p)
	case place < d.zeros+d.ones:
		for i := range p {
			p[i] = 0xFF
		}
	default:
		content(p, 1, offset)
		time.Sleep(d.dataTime)
		return len(p), nil
	}
	time.Sleep(d.blankTime)
	return len(p), nil
}

func TestSampleBlank(t *testing.T) {
	tests := []struct {
		name    string
		device  fakeDevice
		percent float64 // of the blocks, in truth
		warning []string
	}{
		{"none", fakeDevice{}, 0, nil},
		{"few", fakeDevice{zeros: 5}, 0.5, nil},
		{"zeros", fakeDevice{zeros: 300}, 30, []string{"of the blocks are blank"}},
		{"both", fakeDevice{zeros: 200, ones: 100}, 30, []string{"% of the blocks are blank"}},
		{"all", fakeDevice{zeros: 1000}, 100, []string{"100.0 % of the blocks are blank"}},
		{"fast", fakeDevice{zeros: 300, blankTime: 5 * time.Microsecond, dataTime: 80 * time.Microsecond}, 30, []string{"answered in 5.0 µs, others in 80.", "blank"}},
		{"as fast", fakeDevice{zeros: 300, blankTime: 50 * time.Microsecond, dataTime: 80 * time.Microsecond}, 30, []string{"blank"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := tt.device
				d.block = 4096
				b, err := SampleBlank(t.Context(), &d, BlankPlan{Span: 4096 * 1000 * 1000, Seed: 9})
				if err != nil || b.Samples != 1000 || b.Failed != 0 {
					t.Fatalf("%d samples, %d failed, %v", b.Samples, b.Failed, err)
				}
				if b.CI95[0] > tt.percent || b.CI95[1] < tt.percent || *b.Percent < b.CI95[0] || *b.Percent > b.CI95[1] {
					t.Errorf("%.2f %% [%.2f, %.2f], in truth %.2f", *b.Percent, b.CI95[0], b.CI95[1], tt.percent)
				}
				if (b.Ones > 0) != (tt.device.ones > 0) || (b.Zeros > 0) != (tt.device.zeros > 0) {
					t.Errorf("%d zeros and %d ones", b.Zeros, b.Ones)
				}
				if b.Fast != (tt.name == "fast") {
					t.Errorf("fast is %t: %s", b.Fast, b.Warning())
				}
				if (b.Warning() == "") != (tt.warning == nil) {
					t.Errorf("warning is %q, want %q", b.Warning(), tt.warning)
				}
				for _, part := range tt.warning {
					if !strings.Contains(b.Warning(), part) {
						t.Errorf("warning %q does not contain %q", b.Warning(), part)
					}
				}
			})
		})
	}
}

func TestSampleBlankPlaces(t *testing.T) {
	places := func(seed uint64) []int64 {
		d := fakeDevice{block: 512}
		plan := BlankPlan{Start: 1 << 30, Span: 100*512 + 511, BlockBytes: 512, Samples: 300, Seed: seed}
		b, err := SampleBlank(t.Context(), &d, plan)
		if err != nil || b.Samples != 300 || b.Seed == 0 {
			t.Fatalf("%+v, %v", b, err)
		}
		return d.reads
	}
	a := places(1)
	if diff := cmp.Diff(a, places(1)); diff != "" {
		t.Error("the same seed gives other places")
	}
	if cmp.Equal(a, places(2)) || cmp.Equal(places(0), places(0)) {
		t.Error("other seeds give the same places")
	}
	seen := map[int64]bool{}
	for _, at := range a {
		seen[at] = true
		if at < 1<<30 || at >= 1<<30+100*512 || at%512 != 0 {
			t.Errorf("block at %d is outside the span", at-1<<30)
		}
	}
	if len(seen) < 80 || !seen[1<<30] || !seen[1<<30+99*512] {
		t.Errorf("300 samples reach %d of 100 blocks", len(seen))
	}
}

func TestSampleBlankFailures(t *testing.T) {
	plan := BlankPlan{Span: mib, Samples: 100, Seed: 1}
	third := fakeDevice{block: 4096, fail: func(n int) error {
		if n%3 == 0 {
			return unix.EIO
		}
		return nil
	}}
	if b, err := SampleBlank(t.Context(), &third, plan); err != nil || b.Failed != 33 || b.Samples != 67 {
		t.Errorf("every third read fails: %+v, %v", b, err)
	}
	all := fakeDevice{block: 4096, fail: func(int) error { return unix.EIO }}
	b, err := SampleBlank(t.Context(), &all, plan)
	if !errors.Is(err, unix.EIO) || !errors.Is(err, bench.ErrManyErrors) || b.Failed != 10 || b.Percent != nil || b.Warning() != "" {
		t.Errorf("all reads fail: %+v, %v", b, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	slow := fakeDevice{block: 4096, fail: func(n int) error {
		if n == 20 {
			cancel()
		}
		return nil
	}}
	if b, err := SampleBlank(ctx, &slow, plan); !errors.Is(err, context.Canceled) || b.Samples != 20 || b.Percent == nil {
		t.Errorf("interrupted: %+v, %v, want 20 samples", b, err)
	}
	for _, bad := range []BlankPlan{{}, {Span: 4095}, {Span: mib, Start: -1}, {Span: mib, BlockBytes: -1}, {Span: mib, Samples: -1}} {
		if _, err := SampleBlank(t.Context(), &all, bad); err == nil {
			t.Errorf("plan %+v is possible", bad)
		}
	}
}

// atEnd returns io.EOF with the last bytes, as files may.
type atEnd struct{}

func (atEnd) ReadAt(p []byte, _ int64) (int, error) { clear(p); return len(p), io.EOF }

func TestSampleBlankEnd(t *testing.T) {
	if b, err := SampleBlank(t.Context(), atEnd{}, BlankPlan{Span: 4096, Samples: 20}); err != nil || b.Zeros != 20 || b.Failed != 0 {
		t.Errorf("%+v, %v, want 20 blank blocks", b, err)
	}
}

func TestConstant(t *testing.T) {
	for _, tt := range []struct {
		b     []byte
		value byte
		same  bool
	}{
		{[]byte{0}, 0, true}, {[]byte{0, 0, 0}, 0, true}, {[]byte{255, 255}, 255, true},
		{[]byte{0, 0, 1}, 0, false}, {[]byte{1, 0, 0}, 1, false}, {[]byte{0, 1, 0, 1}, 0, false},
	} {
		if v, same := constant(tt.b); v != tt.value || same != tt.same {
			t.Errorf("%v: %d, %t, want %d, %t", tt.b, v, same, tt.value, tt.same)
		}
	}
}

// TestWilson compares with published values of the interval without continuity
// correction (R. G. Newcombe, "Two-sided confidence intervals for the single
// proportion", 1998, table I, method 3).
func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		k, n      int64
		low, high float64
	}{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}, {29, 29, 1 - 0.1170, 1},
	} {
		low, high := wilson(tt.k, tt.n)
		if math.Abs(low-tt.low) > 5e-5 || math.Abs(high-tt.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", tt.k, tt.n, low, high, tt.low, tt.high)
		}
	}
}

func TestBlankOf(t *testing.T) {
	b := BlankOf(1000, 20, 3, 7)
	if b.Samples != 1000 || b.Zeros != 20 || b.Failed != 3 || b.Seed != 7 || *b.Percent != 2 || b.CI95[0] < 1 || b.CI95[1] > 4 || b.Warning() == "" {
		t.Errorf("%+v, %v, %q", b, b.CI95, b.Warning())
	}
	if b := BlankOf(0, 0, 5, 1); b.Percent != nil || b.CI95 != nil || b.Warning() != "" {
		t.Errorf("of nothing: %+v", b)
	}
}
