package proof

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// compared erases m and compares.
func compared(t *testing.T, m *model, b *Before) *Comparison {
	t.Helper()
	c, err := b.Compare(t.Context(), m.medium(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.After.Total() != c.Before.Total() || c.Before.Total() != c.Samples+c.Structured {
		t.Errorf("%d places before, %d after, want %d", c.Before.Total(), c.After.Total(), c.Samples+c.Structured)
	}
	return c
}

func TestCompare(t *testing.T) {
	all := func(int64) bool { return true }
	for _, tt := range []struct {
		name    string
		before  func(int64, []byte)
		samples int
		after   func(int64, []byte)
		left    func(int64) bool
		bad     func(int64) bool
		want    Verdict
		power   Power
		text    string
	}{
		{"all data, zeroes", noise(1), 5000, zeroes, nil, nil, Pass, PowerNormal, "none of 5 000 informative samples is as before: at most 0.0599 % of the blocks that held data remain (95 %)"},
		{"all data, other noise", noise(1), 5000, noise(2), nil, nil, Pass, PowerNormal, "at most 0.0599 %"},
		{"all data, other text", text, 5000, func(i int64, p []byte) { text(i+7, p) }, nil, nil, Pass, PowerNormal, ""},
		{"nothing done", noise(1), 5000, zeroes, all, nil, Fail, PowerNormal, "5 512 of 5 512 informative blocks hold what they held before, the first at byte 0"},
		{"nothing done, little data", mixed(100), 5000, zeroes, all, nil, Fail, PowerNone, "hold what they held before"},
		{"half done", text, 5000, zeroes, func(i int64) bool { return i >= 10000 }, nil, Fail, PowerNormal, "data have survived"},
		{"one of 200 left", text, 5000, zeroes, func(i int64) bool { return i%200 == 7 }, nil, Fail, PowerNormal, "data have survived"},
		{"partition table left", text, 5000, zeroes, func(i int64) bool { return i == 0 }, nil, Fail, PowerNormal, "1 of 5 512 informative blocks hold what they held before, the first at byte 0"},
		{"last block left", text, 5000, zeroes, func(i int64) bool { return i == 19999 }, nil, Fail, PowerNormal, "the first at byte 81915904"},
		{"unreadable", noise(1), 5000, zeroes, nil, func(i int64) bool { return i%100 == 3 }, Inconclusive, PowerNormal, "could not be read afterwards"},
		{"unreadable and equal", noise(1), 5000, zeroes, func(i int64) bool { return i%100 == 4 }, func(i int64) bool { return i%100 == 3 }, Fail, PowerNormal, "data have survived"},
		{"all unreadable", noise(1), 5000, zeroes, nil, all, Inconclusive, PowerNone, "could not be read"},
		{"a quarter data", mixed(4), 5000, zeroes, nil, nil, Pass, PowerWeak, "weak, because few samples held data: none of 1 1"},
		{"blank", zeroes, 5000, zeroes, nil, nil, Inconclusive, PowerNone, "only 0 of 5 000 samples held data before: too few to show that others would have been erased (300 are needed); rely on the canaries"},
		{"hardly any data", mixed(100), 5000, zeroes, nil, nil, Inconclusive, PowerNone, "rely on the canaries"},
		{"whole", noise(1), 10000, zeroes, nil, nil, Pass, PowerWhole, "every block was compared: none of the 20 000 that held data is as before"},
		{"whole, one block left", noise(1), 10000, noise(2), func(i int64) bool { return i == 12345 }, nil, Fail, PowerWhole, "1 of 20 000 informative blocks hold what they held before, the first at byte 50565120"},
		{"whole, one block bad", noise(1), 10000, noise(2), nil, func(i int64) bool { return i == 12345 }, Inconclusive, PowerWhole, "1 of 20 000 places"},
		{"whole, blank", zeroes, 10000, zeroes, nil, nil, Inconclusive, PowerNone, "only 0 of 20 000 samples"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newModel(20000, tt.before)
			b := sampleOf(t, m, Options{Samples: tt.samples, Seed: 8})
			m.erase(tt.after, tt.left)
			if tt.bad != nil {
				m.bad = tt.bad
			}
			c := compared(t, m, b)
			if c.Verdict != tt.want || c.Power != tt.power || !strings.Contains(c.Text, tt.text) {
				t.Errorf("got %s, power %s: %s\nwant %s, power %s: %s", c.Verdict, c.Power, c.Text, tt.want, tt.power, tt.text)
			}
			if found := c.Equal > 0; found != (tt.want == Fail) || len(c.EqualOffsets) != int(min(c.Equal, listed)) || (found || c.Informative == 0) != (c.Bound95 == nil) {
				t.Errorf("%d equal, listed %d, bound %v", c.Equal, len(c.EqualOffsets), c.Bound95)
			}
		})
	}
}

func TestCompareCounts(t *testing.T) {
	m := newModel(20000, mixed(2))
	m.bad = func(i int64) bool { return i == 1 }
	b := sampleOf(t, m, Options{Samples: 5000, Seed: 8})
	m.erase(noise(9), nil)
	m.bad = func(i int64) bool { return i == 2 }
	c := compared(t, m, b)
	if c.UnreadableBefore < 1 || c.UnreadableAfter < 1 || !slices.Contains(c.UnreadableOffsets, 2*4096) {
		t.Errorf("unreadable before %d, after %d at %v", c.UnreadableBefore, c.UnreadableAfter, c.UnreadableOffsets)
	}
	if c.Scrambled != c.Informative+c.InformativeStructured || c.InformativeStructured != 255 || c.After.HighEntropy != 5512-c.UnreadableAfter {
		t.Errorf("scrambled %d of %d and %d; after %+v", c.Scrambled, c.Informative, c.InformativeStructured, c.After)
	}
	if *c.Bound95 >= *c.Bound99 || c.Seed != 8 || c.Medium != "namespace 1" || c.BlockBytes != 4096 || c.Bytes != 20000*4096 {
		t.Errorf("got %+v", c)
	}
}

// TestCompareKnowsThePattern erases a medium that reads as a pattern where it is
// blank, before and after.
func TestCompareKnowsThePattern(t *testing.T) {
	half := func(i int64, p []byte) {
		if i%2 == 0 {
			pattern(i, p)
			return
		}
		text(i, p)
	}
	m := newModel(20000, half)
	b := sampleOf(t, m, Options{Samples: 9000, Seed: 8})
	m.erase(pattern, nil)
	c := compared(t, m, b)
	if c.Verdict != Pass || c.Filled < 4000 || c.Informative < 4000 || c.Informative > 5000 || c.Equal != 0 {
		t.Errorf("%s, %d filled, %d informative: %s", c.Verdict, c.Filled, c.Informative, c.Text)
	}
	// The same pattern everywhere and nothing done is no erase.
	m = newModel(20000, pattern)
	b = sampleOf(t, m, Options{Samples: 9000, Seed: 8})
	if c := compared(t, m, b); c.Verdict != Fail || c.Filled != 0 {
		t.Errorf("%s, %d filled: %s", c.Verdict, c.Filled, c.Text)
	}
}

func TestCompareLeavesCanariesOut(t *testing.T) {
	m := newModel(2000, noise(1))
	b := sampleOf(t, m, Options{})
	c, err := Plan(m.medium(), Options{Canaries: 100})
	if err != nil {
		t.Fatal(err)
	}
	b.Planted(c)
	if got := b.Informative(); got != 1900 {
		t.Errorf("%d informative blocks, want 2000 less 100 canaries", got)
	}
	if err := c.Plant(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if r := compared(t, m, b); r.Equal != 1900 || r.Before.HighEntropy != 2000 {
		t.Errorf("%d equal, before %+v", r.Equal, r.Before)
	}
}

func TestCompareShrunkenMedium(t *testing.T) {
	for _, samples := range []int{0, 5000} {
		m := newModel(20000, noise(1))
		b := sampleOf(t, m, Options{Samples: samples, Seed: 8})
		m.erase(zeroes, nil)
		m.bytes = 10000 * 4096
		c := compared(t, m, b)
		if c.Verdict != Inconclusive || c.UnreadableAfter < (c.Samples+c.Structured)/3 || c.Informative < c.Samples/3 {
			t.Errorf("%s, %d of %d unreadable, %d informative", c.Verdict, c.UnreadableAfter, c.Samples+c.Structured, c.Informative)
		}
	}
}

func TestCompareEnds(t *testing.T) {
	_, b := sampled(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Compare(ctx, newModel(20000, noise(1)).medium(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
}

func TestProgress(t *testing.T) {
	for _, samples := range []int{0, 5000} {
		var calls, last, total int64
		o := Options{Samples: samples, Progress: func(done, all int64) {
			if calls++; done < last || done > all || calls > 1 && all != total {
				t.Errorf("%d of %d after %d of %d", done, all, last, total)
			}
			last, total = done, all
		}}
		b := sampleOf(t, newModel(20000, zeroes), o)
		if last != total || total != b.places.count() || calls < 5 {
			t.Errorf("%d calls, the last with %d of %d", calls, last, total)
		}
	}
}

func TestManyFailures(t *testing.T) {
	for _, samples := range []int{0, 5000} {
		m := newModel(1<<18, noise(1))
		m.bad = func(i int64) bool { return i > 5000 }
		b := sampleOf(t, m, Options{Samples: samples, Seed: 1})
		if c := b.Classes(); c.Unread < 4000 || c.HighEntropy == 0 {
			t.Errorf("%d samples: classes %+v", samples, c)
		}
	}
}
