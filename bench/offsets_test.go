package bench

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func takeAll(o offsets, n int) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = o.take()
	}
	return all
}

func TestSequentialOffsets(t *testing.T) {
	j := Job{Pattern: Sequential, BlockBytes: 512, Workers: 2}
	for worker, want := range [][]int64{{0, 512, 1024, 1536, 2048, 0}, {1024, 1536, 2048, 0, 512, 1024}} {
		got := takeAll(newOffsets(j, 5*512, worker), 6)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("worker %d (-want +got):\n%s", worker, diff)
		}
	}
}

func TestOffsetsBegin(t *testing.T) {
	j := Job{Pattern: Sequential, BlockBytes: 512, Workers: 2, Start: 4096}
	for worker, want := range [][]int64{{4096, 4608, 5120, 5632, 4096}, {5120, 5632, 4096, 4608, 5120}} {
		got := takeAll(newOffsets(j, 4*512, worker), 5)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("worker %d (-want +got):\n%s", worker, diff)
		}
	}
	j.Pattern = Random
	for _, off := range takeAll(newOffsets(j, 4*512, 0), 1000) {
		if off < 4096 || off >= 4096+4*512 {
			t.Fatalf("offset %d is outside the span", off)
		}
	}
}

func TestSequentialOffsetsOfHugeSpan(t *testing.T) {
	j := Job{Pattern: Sequential, BlockBytes: 512, Workers: 1024}
	const span = 1 << 62
	if got, want := takeAll(newOffsets(j, span, 1023), 1)[0], int64(span/1024*1023); got != want {
		t.Errorf("last worker starts at %d, want %d", got, want)
	}
}

func TestRandomOffsetsAreUniform(t *testing.T) {
	const blocks, draws = 10, 100_000
	j := Job{Pattern: Random, BlockBytes: 4096, Workers: 1, Seed: 1}
	counts := make([]int, blocks)
	for _, off := range takeAll(newOffsets(j, blocks*4096, 0), draws) {
		if off%4096 != 0 || off < 0 || off >= blocks*4096 {
			t.Fatalf("offset %d is not a block of the span", off)
		}
		counts[off/4096]++
	}
	for i, n := range counts {
		// Five standard deviations of a binomial with n = 100000, p = 0.1.
		if n < draws/blocks-475 || n > draws/blocks+475 {
			t.Errorf("block %d was drawn %d times, want about %d", i, n, draws/blocks)
		}
	}
}

func TestRandomOffsetsFollowSeedAndWorker(t *testing.T) {
	j := Job{Pattern: Random, BlockBytes: 512, Workers: 2, Seed: 7}
	first := takeAll(newOffsets(j, 1<<40, 0), 100)
	if diff := cmp.Diff(first, takeAll(newOffsets(j, 1<<40, 0), 100)); diff != "" {
		t.Errorf("the same seed gives other offsets:\n%s", diff)
	}
	if cmp.Equal(first, takeAll(newOffsets(j, 1<<40, 1), 100)) {
		t.Errorf("two workers read the same offsets")
	}
	j.Seed = 8
	if cmp.Equal(first, takeAll(newOffsets(j, 1<<40, 0), 100)) {
		t.Errorf("two seeds give the same offsets")
	}
}
