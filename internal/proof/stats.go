package proof

import "math"

const (
	// DefaultSamples find a share of 10 ppm with a confidence of 99 %.
	DefaultSamples = 460515
	// QuickSamples find a share of 100 ppm with a confidence of 99 %.
	QuickSamples = 46050
	// weakBelow and noneBelow are the numbers of informative samples that make
	// a comparison weak, or worth nothing.
	weakBelow = 3000
	noneBelow = 300
)

// SamplesFor returns how many random blocks find at least one of a share of all
// with a confidence, both between 0 and 1: ln(1-confidence)/ln(1-share), rounded
// up. It returns 0 for what no number of samples can do.
func SamplesFor(share, confidence float64) int64 {
	if !(share > 0 && share < 1 && confidence > 0 && confidence < 1) {
		return 0
	}
	n := math.Log1p(-confidence) / math.Log1p(-share)
	if n > math.MaxInt64/2 {
		return 0
	}
	return int64(math.Ceil(n))
}

// Bound returns the largest share, from 0 to 1, of blocks of a kind that is
// compatible with no find in n random samples at a confidence:
// 1-(1-confidence)^(1/n). Without samples it is 1.
//
// The samples here are stratified, one in each of n equal parts. For a share
// that is spread unevenly these find more than independent ones, for an even
// one as much (the inequality of the means), so the bound holds.
func Bound(n int64, confidence float64) float64 {
	if n <= 0 {
		return 1
	}
	return -math.Expm1(math.Log1p(-confidence) / float64(n))
}

// Found returns the probability, from 0 to 1, that n random samples of a medium
// find an intact region, both sizes in bytes: at least 1-(1-region/medium)^n.
func Found(medium, region, n int64) float64 {
	switch {
	case medium <= 0 || region <= 0 || n <= 0:
		return 0
	case region >= medium:
		return 1
	}
	return -math.Expm1(float64(n) * math.Log1p(-float64(region)/float64(medium)))
}

// power returns how much a comparison with informative places can show.
func power(informative int64, whole bool) Power {
	switch {
	case informative < noneBelow:
		return PowerNone
	case whole:
		return PowerWhole
	case informative < weakBelow:
		return PowerWeak
	}
	return PowerNormal
}
