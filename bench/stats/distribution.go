package stats

import "math"

// NormalCDF returns the share of the standard normal distribution up to z.
func NormalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// NormalQuantile returns the z with NormalCDF(z) = p. It is -Inf for 0, +Inf
// for 1 and NaN outside.
func NormalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }

// StudentCDF returns the share of Student's t distribution with df > 0 degrees
// of freedom up to t, by the incomplete beta function (Abramowitz and Stegun
// 26.7.1).
func StudentCDF(t, df float64) float64 {
	if df <= 0 || math.IsNaN(t) || math.IsNaN(df) {
		return math.NaN()
	}
	tail := incompleteBeta(df/(df+t*t), df/2, 0.5) / 2
	if t > 0 {
		return 1 - tail
	}
	return tail
}

// StudentQuantile returns the t with StudentCDF(t, df) = p, to about 10
// digits. It is infinite for 0 and 1 and NaN outside.
func StudentQuantile(p, df float64) float64 {
	switch {
	case !(p >= 0 && p <= 1) || !(df > 0):
		return math.NaN()
	case p == 0 || p == 1:
		return math.Inf(int(2*p) - 1)
	case p < 0.5:
		return -StudentQuantile(1-p, df)
	}
	high := 1.0
	for StudentCDF(high, df) < p && high < math.MaxFloat64/4 {
		high *= 2
	}
	return bisect(0, high, func(t float64) bool { return StudentCDF(t, df) >= p })
}

// bisect returns where reached turns true between low and high, to the
// precision of a float64. It must be true at high.
func bisect(low, high float64, reached func(float64) bool) float64 {
	for range 200 {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			break
		}
		if reached(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// incompleteBeta returns the regularized incomplete beta function I_x(a, b) by
// its continued fraction (Abramowitz and Stegun 26.5.8), on the side of the
// symmetry relation 26.5.2 where it converges fast.
func incompleteBeta(x, a, b float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - incompleteBeta(1-x, b, a)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab - la - lb + a*math.Log(x) + b*math.Log1p(-x))
	return front / a / betaFraction(x, a, b)
}

// betaFraction evaluates the denominator of the continued fraction from the
// front by the method of Lentz.
func betaFraction(x, a, b float64) float64 {
	const tiny, enough = 1e-300, 1e-15
	f, c, d := 1.0, 1.0, 0.0
	for i := 1; i <= 10000; i++ {
		m := float64(i / 2)
		term := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		if i%2 == 0 {
			term = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		}
		d = 1 / nonZero(1+term*d, tiny)
		c = nonZero(1+term/c, tiny)
		f *= c * d
		if math.Abs(c*d-1) < enough {
			break
		}
	}
	return f
}

func nonZero(v, tiny float64) float64 {
	if v == 0 {
		return tiny
	}
	return v
}
