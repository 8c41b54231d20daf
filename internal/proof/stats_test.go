package proof

import (
	"math"
	"testing"
)

func TestSamplesFor(t *testing.T) {
	for _, tt := range []struct {
		share, confidence float64
		want              int64
	}{
		{0.01, 0.95, 299}, {0.01, 0.99, 459}, {0.01, 0.999, 688},
		{0.001, 0.95, 2995}, {0.001, 0.99, 4603}, {0.001, 0.999, 6905},
		{1e-4, 0.95, 29956}, {1e-4, 0.99, QuickSamples}, {1e-4, 0.999, 69075},
		{1e-5, 0.95, 299572}, {1e-5, 0.99, DefaultSamples}, {1e-5, 0.999, 690773},
		{0.5, 0.5, 1},
		{0, 0.95, 0}, {1, 0.95, 0}, {0.1, 0, 0}, {0.1, 1, 0}, {-1, 0.5, 0}, {math.NaN(), 0.5, 0}, {1e-300, 0.99, 0},
	} {
		if got := SamplesFor(tt.share, tt.confidence); got != tt.want {
			t.Errorf("share %g, confidence %g: got %d, want %d", tt.share, tt.confidence, got, tt.want)
		}
	}
}

func TestBound(t *testing.T) {
	for _, tt := range []struct {
		n          int64
		confidence float64
		want       float64
	}{
		{0, 0.95, 1}, {-1, 0.95, 1}, {1, 0.95, 0.95}, {2, 0.75, 0.5},
		{DefaultSamples, 0.95, 6.5050e-6}, {DefaultSamples, 0.99, 1.0000e-5}, {300, 0.95, 9.9361e-3},
	} {
		if got := Bound(tt.n, tt.confidence); math.Abs(got-tt.want) > 1e-4*tt.want {
			t.Errorf("n %d, confidence %g: got %g, want %g", tt.n, tt.confidence, got, tt.want)
		}
	}
	// The bound and the number of samples are each other's inverse.
	for _, share := range []float64{0.3, 0.01, 1e-5} {
		n := SamplesFor(share, 0.99)
		if Bound(n, 0.99) > share || Bound(n-1, 0.99) < share {
			t.Errorf("share %g: %d samples bound it to %g, one less to %g", share, n, Bound(n, 0.99), Bound(n-1, 0.99))
		}
	}
}

func TestFound(t *testing.T) {
	const drive = 960197124096
	for _, tt := range []struct {
		medium, region, n int64
		want              float64
	}{
		{drive, 1 << 20, DefaultSamples, 0.3952},
		{drive, 1 << 30, DefaultSamples, 1},
		{drive, 1 << 20, QuickSamples, 0.0490},
		{1000, 500, 1, 0.5}, {1000, 500, 2, 0.75}, {1000, 1000, 1, 1}, {1000, 2000, 1, 1},
		{0, 1, 1, 0}, {1000, 0, 1, 0}, {1000, 1, 0, 0},
	} {
		if got := Found(tt.medium, tt.region, tt.n); math.Abs(got-tt.want) > 5e-4 {
			t.Errorf("%d of %d by %d samples: got %.4f, want %.4f", tt.region, tt.medium, tt.n, got, tt.want)
		}
	}
}

func TestPower(t *testing.T) {
	for _, tt := range []struct {
		informative int64
		whole       bool
		want        Power
	}{
		{0, false, PowerNone}, {299, false, PowerNone}, {299, true, PowerNone}, {300, false, PowerWeak}, {300, true, PowerWhole},
		{2999, false, PowerWeak}, {3000, false, PowerNormal}, {3000, true, PowerWhole},
	} {
		if got := power(tt.informative, tt.whole); got != tt.want {
			t.Errorf("%d, whole %t: got %s, want %s", tt.informative, tt.whole, got, tt.want)
		}
	}
}

// runs is the number of simulated verifications of a medium of 960 GB.
const runs = 1000

const simulatedBlocks = 960197124096 / 4096

// finds returns in how many runs one of n samples is a block of the residue.
func finds(n int64, residue func(run, block int64) bool) int {
	found := 0
	for run := range int64(runs) {
		p := places{bytes: simulatedBlocks * 4096, block: 4096, samples: n, seed: mix(2026, uint64(run))}
		for i := range n {
			if residue(run, p.offset(i)/4096) {
				found++
				break
			}
		}
	}
	return found
}

// TestScatteredResidueIsFound simulates media of which a share was not erased,
// scattered at random, and counts the runs that find it. The number is binomial;
// 4.5 standard deviations are allowed, which chance exceeds once in 100 000.
//
// It is arithmetic in one goroutine, so the race detector has nothing to find.
func TestScatteredResidueIsFound(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes it very slow; make host runs it without")
	}
	for _, tt := range []struct{ share, confidence float64 }{
		{0.01, 0.95}, {0.01, 0.99}, {0.001, 0.95}, {0.001, 0.99}, {1e-5, 0.95}, {1e-5, 0.99},
	} {
		limit := uint64(tt.share * math.MaxUint64)
		n := SamplesFor(tt.share, tt.confidence)
		found := finds(n, func(run, block int64) bool { return mix(uint64(run)<<32^0xE5A5E, uint64(block)) < limit })
		want := tt.confidence * runs
		slack := 4.5 * math.Sqrt(want*(1-tt.confidence))
		if math.Abs(float64(found)-want) > slack {
			t.Errorf("share %g, confidence %g, %d samples: found in %d of %d runs, want %.0f ± %.0f", tt.share, tt.confidence, n, found, runs, want, slack)
		}
	}
}

// TestIntactRegionIsFound checks what is said of one region that is left: with
// samples in strata it is found a little more often than the formula says.
func TestIntactRegionIsFound(t *testing.T) {
	const region = 1 << 20 / 4096
	found := finds(DefaultSamples/100, func(run, block int64) bool {
		first := int64(mix(77, uint64(run)) % (simulatedBlocks - 100*region))
		return block >= first && block < first+100*region // 1 % of the samples, a region 100 times as large.
	})
	least := Found(simulatedBlocks, 100*region, DefaultSamples/100)
	if got := float64(found) / runs; got < least-0.03 || got > least+0.15 {
		t.Errorf("found in %.3f of the runs, want at least %.3f", got, least)
	}
}

// TestUnevenResidueIsFound checks that the bound holds for a residue that lies
// in a quarter of the medium only.
func TestUnevenResidueIsFound(t *testing.T) {
	const share = 0.001
	n := SamplesFor(share, 0.95)
	limit := uint64(math.MaxUint64 / 1000 * 4)
	found := finds(n, func(run, block int64) bool {
		return block < simulatedBlocks/4 && mix(uint64(run)<<32, uint64(block)) < limit
	})
	if found < 920 {
		t.Errorf("found in %d of %d runs, want at least 95 %%, less 4.5 standard deviations", found, runs)
	}
}
