package proof

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"qd1.example/qd1/bench"
)

// Prepare does what comes before an erase: it samples the media and then plants
// canaries where there is a writer, which destroys the blocks under them. The
// caller keeps the result until [Verify] and then destroys it.
//
// A medium on which canaries cannot be planted has a note instead of them. An
// error means that nothing is known.
func Prepare(ctx context.Context, media []Medium, o Options) (*Kept, error) {
	k := &Kept{}
	for _, m := range media {
		before, err := Sample(ctx, m, o)
		if err != nil {
			k.Destroy()
			return nil, err
		}
		k.Media = append(k.Media, KeptMedium{Name: m.Name, Before: before})
		kept := &k.Media[len(k.Media)-1]
		if kept.Note, err = kept.plant(ctx, m, o); err != nil {
			k.Destroy()
			return nil, err
		}
	}
	return k, nil
}

// plant plants canaries and reads them back. It returns why there are none; an
// error ends everything.
func (k *KeptMedium) plant(ctx context.Context, m Medium, o Options) (string, error) {
	switch {
	case o.Canaries < 0:
		return "no canaries were asked for", nil
	case m.Writer == nil:
		return "the medium cannot be written, so no canaries were planted", nil
	}
	c, err := Plan(m, o)
	if err != nil {
		return "", err
	}
	k.Before.Planted(c) // Some may be written even where planting fails.
	err = c.Plant(ctx, m.Writer)
	if err == nil && m.Flush != nil {
		err = m.Flush()
	}
	if err == nil {
		err = c.Present(ctx, m, o)
	}
	switch {
	case err == nil:
		k.Canaries = c
		return "", nil
	case fatal(ctx, err):
		return "", fmt.Errorf("canaries on %s: %w", m.Name, err)
	}
	return err.Error(), nil
}

// fatal reports an error after which it is useless or unwanted to go on.
func fatal(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, bench.ErrInterrupted) || errors.Is(err, bench.ErrStalled) || errors.Is(err, bench.ErrGone)
}

// Verify does what comes after an erase: it compares the samples, looks for the
// canaries, and reads everything if asked to. A nil kept means that nothing is
// known of before. command is the caller's verdict on the command itself.
//
// The result is never nil and says what is known. The error says why not all
// tiers were done: the drive does not answer or is gone, or ctx has ended.
func Verify(ctx context.Context, media []Medium, kept *Kept, command Tier, o Options) (*Verification, error) {
	v := &Verification{Command: command}
	var errs []error
	for _, m := range media {
		if err := v.medium(ctx, m, kept, o); err != nil {
			errs = append(errs, err)
			if ctx.Err() != nil {
				break
			}
		}
	}
	for _, t := range []*Tier{&v.Comparison, &v.Canaries, &v.FullRead} {
		t.conclude(media)
	}
	v.Limits = limits(v)
	return v, errors.Join(errs...)
}

// medium verifies one medium, all tiers.
func (v *Verification) medium(ctx context.Context, m Medium, kept *Kept, o Options) error {
	var known erased
	k, err := kept.of(m)
	if err != nil {
		v.Comparison.add(m, Inconclusive, err.Error())
		v.Canaries.add(m, Skipped, "none were planted")
	} else if err := v.compare(ctx, m, k, o, &known); err != nil {
		return err
	}
	if !o.FullRead {
		v.FullRead.add(m, Skipped, "not asked for")
		return nil
	}
	f, err := readAll(ctx, m, o)
	if err != nil {
		v.FullRead.add(m, Inconclusive, err.Error())
		return err
	}
	f.judge(known)
	v.FullRead.add(m, f.Verdict, f.Text)
	v.FullRead.Reads = append(v.FullRead.Reads, *f)
	return nil
}

// compare does the tiers that need what was kept, and notes how erased blocks
// read.
func (v *Verification) compare(ctx context.Context, m Medium, k *KeptMedium, o Options, known *erased) error {
	c, err := k.Before.Compare(ctx, m, o)
	if err != nil {
		v.Comparison.add(m, Inconclusive, err.Error())
		v.Canaries.add(m, Inconclusive, "not looked for")
		v.FullRead.add(m, Inconclusive, "not done")
		return err
	}
	v.Comparison.add(m, c.Verdict, c.Text)
	v.Comparison.Comparisons = append(v.Comparison.Comparisons, *c)
	known.known = c.Informative+c.InformativeStructured > c.Equal
	known.scrambled = c.Scrambled > 0
	if k.Canaries == nil {
		v.Canaries.add(m, Skipped, k.Note)
		return nil
	}
	r, err := k.Canaries.Check(ctx, m, o)
	if err != nil {
		v.Canaries.add(m, Inconclusive, err.Error())
		v.FullRead.add(m, Inconclusive, "not done")
		return err
	}
	v.Canaries.add(m, r.Verdict, r.Text)
	v.Canaries.Checks = append(v.Canaries.Checks, *r)
	known.known = known.known || r.Gone > 0
	known.scrambled = known.scrambled || r.Scrambled > 0
	return nil
}

// add adds the verdict on one medium. The tier has the worst of all, where a
// tier that was skipped on one medium is inconclusive if it was done on another.
func (t *Tier) add(m Medium, verdict Verdict, text string) {
	t.Verdict = worse(t.Verdict, verdict)
	if t.Text != "" {
		t.Text += "\n"
	}
	t.Text += m.Name + ": " + text
}

// conclude removes the name of the medium if there is but one.
func (t *Tier) conclude(media []Medium) {
	if t.Verdict == "" {
		t.Verdict = Skipped
	}
	if len(media) == 1 {
		t.Text = strings.TrimPrefix(t.Text, media[0].Name+": ")
	}
}

// worse returns the verdict on two media. An empty one is that of none.
func worse(a, b Verdict) Verdict {
	switch {
	case a == "" || a == b:
		return b
	case a == Fail || b == Fail:
		return Fail
	}
	return Inconclusive
}
