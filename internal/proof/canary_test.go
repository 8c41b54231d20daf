package proof

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func plantedOn(t *testing.T, m *model, o Options) *Canaries {
	t.Helper()
	c, err := Plan(m.medium(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Plant(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if err := c.Present(t.Context(), m.medium(), o); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCanaries(t *testing.T) {
	for _, tt := range []struct {
		name                            string
		after                           func(int64, []byte)
		left                            func(c *Canaries) func(int64) bool
		bad                             func(c *Canaries) func(int64) bool
		want                            Verdict
		survived, unreadable, scrambled int64
		text                            string
	}{
		{"zeroes", zeroes, nil, nil, Pass, 0, 0, 0, "none of 100 canaries has survived: the erase left out at most 2.96 % of the medium (95 %)"},
		{"noise", noise(5), nil, nil, Pass, 0, 0, 100, "none of 100"},
		{"nothing done", zeroes, func(*Canaries) func(int64) bool { return func(int64) bool { return true } }, nil, Fail, 100, 0, 0, "100 of 100 canaries have survived"},
		{"one left", zeroes, only(17), nil, Fail, 1, 0, 0, "1 of 100 canaries have survived"},
		{"one unreadable", zeroes, nil, only(18), Inconclusive, 0, 1, 0, "1 of 100 canaries could not be read"},
		{"one left, one unreadable", zeroes, only(17), only(18), Fail, 1, 1, 0, "1 of 100 canaries have survived"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newModel(10000, zeroes)
			c := plantedOn(t, m, Options{Canaries: 100})
			var left func(int64) bool
			if tt.left != nil {
				left = tt.left(c)
			}
			m.erase(tt.after, left)
			if tt.bad != nil {
				m.bad = tt.bad(c)
			}
			r, err := c.Check(t.Context(), m.medium(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != tt.want || r.Survived != tt.survived || r.Unreadable != tt.unreadable || r.Scrambled != tt.scrambled || !strings.Contains(r.Text, tt.text) {
				t.Errorf("got %+v, want %s: %s", r, tt.want, tt.text)
			}
			if r.Gone+r.Survived+r.Unreadable != r.Planted || len(r.SurvivedOffsets) != int(min(r.Survived, listed)) || (r.Bound95 != nil) != (tt.want == Pass) {
				t.Errorf("the numbers do not fit: %+v", r)
			}
		})
	}
}

// only returns what names canary k of some.
func only(k int64) func(*Canaries) func(int64) bool {
	return func(c *Canaries) func(int64) bool {
		return func(i int64) bool { return i == c.offset(k)/4096 }
	}
}

// TestPartsOfCanaries leaves 512 bytes of one canary.
func TestPartsOfCanaries(t *testing.T) {
	m := newModel(10000, zeroes)
	c := plantedOn(t, m, Options{Canaries: 64})
	at := c.offset(3)
	whole := slices.Clone(m.written[at/4096])
	for part := range 8 {
		m.erase(zeroes, nil)
		block := make([]byte, 4096)
		copy(block[512*part:], whole[512*part:][:512])
		m.written[at/4096] = block
		r, err := c.Check(t.Context(), m.medium(), Options{})
		if err != nil || r.Verdict != Fail || r.Survived != 1 || r.SurvivedOffsets[0] != at {
			t.Errorf("part %d: %+v, %v, want one survivor at %d", part, r, err, at)
		}
	}
}

func TestPlan(t *testing.T) {
	for _, tt := range []struct {
		blocks int64
		ask    int
		want   int64
	}{{10000, 0, 1024}, {10000, 1, 64}, {10000, 100, 100}, {10000, 5000, 1024}, {1000, 0, 125}, {10, 0, 1}, {1, 0, 1}} {
		c, err := Plan(newModel(tt.blocks, zeroes).medium(), Options{Canaries: tt.ask, Seed: 4})
		if err != nil || c.Count != tt.want {
			t.Errorf("%d blocks, %d asked for: %+v, %v, want %d", tt.blocks, tt.ask, c, err, tt.want)
			continue
		}
		var offsets []int64
		for i := range c.Count {
			offsets = append(offsets, c.offset(i))
		}
		if !slices.IsSorted(offsets) || len(slices.Compact(offsets)) != int(tt.want) || offsets[0] < 0 || slices.Max(offsets) > c.Bytes-4096 {
			t.Errorf("%d blocks: canaries at %v", tt.blocks, offsets)
		}
	}
	if _, err := Plan(Medium{Bytes: 100}, Options{}); err == nil {
		t.Error("a medium of 100 bytes: no error")
	}
	if _, err := Plan(Medium{Bytes: 1 << 20}, Options{BlockBytes: 100}); err == nil {
		t.Error("canaries of 100 bytes: no error")
	}
}

func TestCanaryData(t *testing.T) {
	c := &Canaries{Seed: 1, Count: 64, Bytes: 1 << 30, BlockBytes: 4096}
	other := &Canaries{Seed: 2, Count: 64, Bytes: 1 << 30, BlockBytes: 4096}
	parts := map[string]bool{}
	p := make([]byte, 4096)
	for i := range c.Count {
		for _, c := range []*Canaries{c, other} {
			c.fill(i, p)
			if classify(p) != HighEntropy {
				t.Errorf("canary %d is %v", i, classify(p))
			}
			for part := range slices.Chunk(p, canaryPart) {
				parts[string(part)] = true
			}
		}
	}
	if want := 2 * 64 * 8; len(parts) != want {
		t.Errorf("%d different parts, want %d", len(parts), want)
	}
	again := make([]byte, 4096)
	if other.fill(63, again); !bytes.Equal(p, again) {
		t.Error("the same canary has other data")
	}
}

// forgetful takes writes and keeps none.
type forgetful struct{ err error }

func (f forgetful) WriteAt(p []byte, _ int64) (int, error) { return len(p), f.err }

func TestCanariesThatAreNotThere(t *testing.T) {
	m := newModel(10000, zeroes)
	c, err := Plan(m.medium(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Plant(t.Context(), forgetful{}); err != nil {
		t.Fatal(err)
	}
	if err := c.Present(t.Context(), m.medium(), Options{}); !errors.Is(err, ErrNotPlanted) {
		t.Errorf("got %v, want %v", err, ErrNotPlanted)
	}
	if err := c.Plant(t.Context(), forgetful{syscall.EROFS}); !errors.Is(err, syscall.EROFS) {
		t.Errorf("got %v, want EROFS", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Plant(ctx, m); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
	if _, err := c.Check(ctx, m.medium(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
}
