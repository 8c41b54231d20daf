package proof

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

const (
	// listed is the number of offsets and ranges that a result names.
	listed = 64
	// fillPlaces is the number of places that must have changed to one and the
	// same content of low entropy for it to count as what erased blocks read as.
	fillPlaces = 16
	// maxFills limits the contents that are counted.
	maxFills = 1 << 16
)

// Compare reads the places again after an erase and compares them with before.
// m is the same medium, through an engine that does not read from a cache. An
// error means that the drive as a whole does not answer, or that ctx has ended.
func (b *Before) Compare(ctx context.Context, m Medium, o Options) (*Comparison, error) {
	c := &comparer{before: b, hasher: newHasher(&b.key, b.places.block), after: make([]Class, len(b.classes)), fills: map[tag]int{}}
	defer c.hasher.destroy()
	r := reading{medium: m, opts: o, block: b.places.block, visit: c.visit}
	if err := r.places(ctx, &b.places); err != nil {
		return nil, fmt.Errorf("compare %s: %w", m.Name, err)
	}
	res := c.result()
	res.judge()
	return res, nil
}

// comparer is one call of Compare.
type comparer struct {
	before *Before
	hasher *hasher
	after  []Class
	equal  []equalPlace
	fills  map[tag]int // places that changed to a content of low entropy
}

// equalPlace is a place whose informative block is as it was.
type equalPlace struct {
	place int64
	tag   tag
}

// visit looks at one place again.
func (c *comparer) visit(i int64, data []byte, err error) {
	if err != nil {
		return
	}
	now, was := classify(data), c.before.classes[i]
	c.after[i] = now
	if !now.Informative() || now != was && now != LowEntropy {
		return
	}
	t := c.hasher.sum(data)
	switch {
	case now == was && t == c.before.tags[i]:
		c.equal = append(c.equal, equalPlace{i, t})
	case now == LowEntropy && (len(c.fills) < maxFills || c.fills[t] > 0):
		c.fills[t]++
	}
}

// result counts.
func (c *comparer) result() *Comparison {
	p := &c.before.places
	r := &Comparison{
		Medium: c.before.name, Bytes: p.bytes, BlockBytes: p.block, Seed: p.seed, Samples: p.samples, Whole: p.whole,
		Structured: int64(len(p.structured)), Before: c.before.Classes(), EqualOffsets: []int64{}, UnreadableOffsets: []int64{},
	}
	var both int64 // random places that were read both times
	for i, now := range c.after {
		was := c.before.classes[i]
		r.place(int64(i), p, was, now)
		if int64(i) < p.samples && was != Unread && now != Unread {
			both++
		}
	}
	slices.SortFunc(c.equal, func(a, b equalPlace) int { return cmp.Compare(p.offset(a.place), p.offset(b.place)) })
	for _, e := range c.equal {
		c.count(r, e)
	}
	r.MiBFound = percent(Found(p.bytes, 1<<20, both))
	if p.whole {
		r.MiBFound = percent(float64(both) / float64(max(p.samples, 1)))
	}
	r.Power = power(r.Informative, r.Whole)
	r.bound()
	return r
}

// place counts one place.
func (r *Comparison) place(i int64, p *places, was, now Class) {
	r.After.add(now, 1)
	switch {
	case was == Unread:
		r.UnreadableBefore++
	case now == Unread && was&planted == 0:
		r.UnreadableAfter++
		if len(r.UnreadableOffsets) < listed {
			r.UnreadableOffsets = append(r.UnreadableOffsets, p.offset(i))
		}
	case was.Informative():
		*r.informative(i, p)++
		if now == HighEntropy {
			r.Scrambled++
		}
	}
}

// informative returns the counter that a place belongs to.
func (r *Comparison) informative(i int64, p *places) *int64 {
	if i < p.samples {
		return &r.Informative
	}
	return &r.InformativeStructured
}

// count counts a place that is as before.
func (c *comparer) count(r *Comparison, e equalPlace) {
	p := &c.before.places
	if c.after[e.place] == HighEntropy {
		r.Scrambled--
	}
	if c.fills[e.tag] >= fillPlaces {
		r.Filled++
		*r.informative(e.place, p)--
		return
	}
	r.Equal++
	if len(r.EqualOffsets) < listed {
		r.EqualOffsets = append(r.EqualOffsets, p.offset(e.place))
	}
}

// bound fills in the bounds if there is something to base them on.
func (r *Comparison) bound() {
	switch {
	case r.Equal > 0 || r.Informative == 0:
	case r.Whole && r.UnreadableAfter+r.UnreadableBefore == 0:
		r.Bound95, r.Bound99 = new(0.0), new(0.0)
	default:
		r.Bound95 = new(percent(Bound(r.Informative, 0.95)))
		r.Bound99 = new(percent(Bound(r.Informative, 0.99)))
	}
}

// judge gives the verdict and its reason.
func (r *Comparison) judge() {
	switch {
	case r.Equal > 0:
		r.Verdict, r.Text = Fail, r.survived()
	case r.UnreadableAfter > 0:
		r.Verdict, r.Text = Inconclusive, r.unreadable()
	case r.Power == PowerNone:
		r.Verdict, r.Text = Inconclusive, r.powerless()
	default:
		r.Verdict, r.Text = Pass, r.passed()
	}
}

func (r *Comparison) survived() string {
	return fmt.Sprintf("%s of %s informative blocks hold what they held before, the first at byte %d: data have survived",
		grouped(r.Equal), grouped(r.Informative+r.InformativeStructured), r.EqualOffsets[0])
}

func (r *Comparison) unreadable() string {
	return fmt.Sprintf("%s of %s places could not be read afterwards, so what they hold is not known; of the others, none is as before",
		grouped(r.UnreadableAfter), grouped(r.Samples+r.Structured))
}

func (r *Comparison) powerless() string {
	return fmt.Sprintf("only %s of %s samples held data before: too few to show that others would have been erased (%d are needed); rely on the canaries",
		grouped(r.Informative), grouped(r.Samples), noneBelow)
}

func (r *Comparison) passed() string {
	n := grouped(r.Informative)
	if r.Whole && *r.Bound95 == 0 {
		return fmt.Sprintf("every block was compared: none of the %s that held data is as before", n)
	}
	weak := ""
	if r.Power == PowerWeak {
		weak = "weak, because few samples held data: "
	}
	return fmt.Sprintf("%snone of %s informative samples is as before: at most %s %% of the blocks that held data remain (95 %%)", weak, n, short(*r.Bound95))
}
