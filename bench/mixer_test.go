package bench

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func decide(j Job, worker, n int) []bool {
	m := newMixer(j, worker)
	list := make([]bool, n)
	for i := range list {
		list[i] = m.write()
	}
	return list
}

func TestMixerShareIsExact(t *testing.T) {
	for _, percent := range []int{1, 30, 50, 70, 99} {
		j := Job{Op: OpMix, ReadPercent: percent, Seed: 3}
		writes := 0
		for i, write := range decide(j, 0, 10_000) {
			if write {
				writes++
			}
			if (i+1)%mixRound == 0 && writes != (i+1)/mixRound*(100-percent) {
				t.Fatalf("%d %% reads: %d writes in %d operations", percent, writes, i+1)
			}
		}
	}
}

func TestMixerDefaultShare(t *testing.T) {
	reads := 0
	for _, write := range decide(Job{Op: OpMix, Seed: 1}, 0, 100) {
		if !write {
			reads++
		}
	}
	if reads != 70 {
		t.Errorf("%d of 100 are reads, want 70", reads)
	}
}

func TestMixerOrderIsRandom(t *testing.T) {
	const rounds = 10_000
	var counts [mixRound]int
	for i, write := range decide(Job{Op: OpMix, ReadPercent: 50, Seed: 5}, 0, rounds*mixRound) {
		if write {
			counts[i%mixRound]++
		}
	}
	// Five standard deviations of a binomial with n = 10000, p = 0.5.
	for place, n := range counts {
		if math.Abs(float64(n-rounds/2)) > 250 {
			t.Errorf("place %d of a round was a write %d times, want about %d", place, n, rounds/2)
		}
	}
}

func TestMixerFollowsSeedAndWorker(t *testing.T) {
	j := Job{Op: OpMix, ReadPercent: 50, Seed: 5}
	first := decide(j, 0, 1000)
	if !cmp.Equal(first, decide(j, 0, 1000)) {
		t.Errorf("the same seed gives another order")
	}
	if cmp.Equal(first, decide(j, 1, 1000)) {
		t.Errorf("two workers mix in the same order")
	}
	j.Seed++
	if cmp.Equal(first, decide(j, 0, 1000)) {
		t.Errorf("two seeds give the same order")
	}
}
