package proof

import (
	"context"
	"fmt"
	"slices"
)

// mapParts is the number of parts of the map of a medium.
const mapParts = 64

// ReadAll reads all blocks of a medium. By itself it can only show that nothing
// but constant blocks is left. Blocks of high entropy are what a cryptographic
// erase leaves, and what encrypted data look like; they are inconclusive unless
// more is known of the drive (see [Verify]).
func ReadAll(ctx context.Context, m Medium, o Options) (*FullRead, error) {
	f, err := readAll(ctx, m, o)
	if err != nil {
		return nil, err
	}
	f.judge(erased{})
	return f, nil
}

// readAll is ReadAll without the verdict.
func readAll(ctx context.Context, m Medium, o Options) (*FullRead, error) {
	p, err := newPlaces(m, Options{Samples: int(min(m.Bytes/int64(o.blockBytes(m))+1, 1<<40)), BlockBytes: o.BlockBytes})
	if err != nil {
		return nil, err
	}
	s := survey{places: p, parts: make([]Classes, min(mapParts, p.count()))}
	r := reading{medium: m, opts: o, block: p.block, visit: s.visit}
	if err := r.places(ctx, &p); err != nil {
		return nil, fmt.Errorf("read all of %s: %w", m.Name, err)
	}
	return s.result(m), nil
}

// survey is one reading of everything.
type survey struct {
	places      places
	parts       []Classes
	notConstant []int64
	failed      []int64
}

// visit counts one block.
func (s *survey) visit(i int64, data []byte, err error) {
	if err != nil {
		s.failed = append(s.failed, s.places.offset(i))
		return
	}
	c := classify(data)
	s.parts[i*int64(len(s.parts))/s.places.count()].add(c, 1)
	if c.Informative() && len(s.notConstant) < listed {
		s.notConstant = append(s.notConstant, s.places.offset(i))
	}
}

// result counts what was not visited as unread.
func (s *survey) result(m Medium) *FullRead {
	p := &s.places
	f := &FullRead{Medium: m.Name, Bytes: p.bytes, BlockBytes: p.block, Map: s.parts, NotConstant: []int64{}, Unreadable: s.ranges()}
	n := int64(len(s.parts))
	for k := range s.parts {
		part := &s.parts[k]
		blocks := ceiling(int64(k+1)*p.count(), n) - ceiling(int64(k)*p.count(), n)
		part.Unread = blocks - part.Total()
		f.Classes.merge(part)
	}
	slices.Sort(s.notConstant)
	f.NotConstant = append(f.NotConstant, s.notConstant...)
	return f
}

// ceiling returns a/b, rounded up.
func ceiling(a, b int64) int64 { return (a + b - 1) / b }

// merge adds the counts of o.
func (s *Classes) merge(o *Classes) {
	s.Zeroes += o.Zeroes
	s.Ones += o.Ones
	s.Constant += o.Constant
	s.LowEntropy += o.LowEntropy
	s.HighEntropy += o.HighEntropy
	s.Unread += o.Unread
}

// ranges joins the blocks that failed.
func (s *survey) ranges() []Range {
	slices.Sort(s.failed)
	all := []Range{}
	for _, off := range s.failed {
		if k := len(all) - 1; k >= 0 && all[k].Offset+all[k].Bytes >= off {
			all[k].Bytes = off + int64(s.places.block) - all[k].Offset
			continue
		}
		if len(all) == listed {
			break
		}
		all = append(all, Range{off, int64(s.places.block)})
	}
	return all
}

// erased is what is known of the blocks that the drive has erased: how they read.
type erased struct {
	known     bool // some informative blocks have changed
	scrambled bool // to high entropy, some of them
}

// judge gives the verdict and its reason. Where half of the medium or more reads
// as constant and erased blocks are not known to read as anything else, another
// block is one that the erase left out.
func (f *FullRead) judge(e erased) {
	c := &f.Classes
	mostly := 2*c.uniform() >= c.Total()
	switch {
	case mostly && c.LowEntropy > 0, mostly && c.HighEntropy > 0 && e.known && !e.scrambled:
		f.Verdict = Fail
		f.Text = fmt.Sprintf("%s of %s blocks are constant and the other %s hold data, one of them at byte %d: the erase left them out",
			grouped(c.uniform()), grouped(c.Total()), grouped(c.LowEntropy+c.HighEntropy), f.NotConstant[0])
	case c.Unread > 0:
		f.Verdict = Inconclusive
		f.Text = fmt.Sprintf("%s of %s blocks could not be read, so what they hold is not known", grouped(c.Unread), grouped(c.Total()))
	case c.uniform() == c.Total():
		f.Verdict = Pass
		f.Text = fmt.Sprintf("all %s blocks are constant: zeroes %s, ones %s, other %s",
			grouped(c.Total()), grouped(c.Zeroes), grouped(c.Ones), grouped(c.Constant))
	default:
		f.Verdict = Inconclusive
		f.Text = fmt.Sprintf("%s of %s blocks are not constant (%s of high entropy): what a cryptographic erase leaves looks like encrypted data, so this tier cannot tell; the comparison can",
			grouped(c.LowEntropy+c.HighEntropy), grouped(c.Total()), grouped(c.HighEntropy))
	}
}
