package chart

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// scale turns values into places. The zero value of log is a linear one.
type scale struct {
	low, high float64 // values at the ends
	from, to  float64 // places of the ends
	log       bool
}

// at returns the place of v, which may lie outside.
func (s scale) at(v float64) float64 {
	low, high := s.low, s.high
	if s.log {
		low, high, v = math.Log(low), math.Log(high), math.Log(v)
	}
	if high == low {
		return (s.from + s.to) / 2
	}
	return s.from + (v-low)/(high-low)*(s.to-s.from)
}

// limits returns the smallest and the largest of the values that are finite; ok
// is false if there is none.
func limits(values ...float64) (low, high float64, ok bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) {
			low, high, ok = min(low, v), max(high, v), true
		}
	}
	return low, high, ok
}

// spread widens a range of a single value, that of 0 to 1, and moves its ends
// outwards to a multiple of the step between its ticks.
func spread(low, high float64, most int) (float64, float64, float64) {
	switch {
	case low == 0 && high == 0:
		high = 1
	case low == high:
		room := max(math.Abs(low)*0.05, 1e-6)
		low, high = low-room, high+room
	}
	step := niceStep((high - low) / float64(most))
	return math.Floor(low/step+1e-9) * step, math.Ceil(high/step-1e-9) * step, step
}

// niceStep returns the smallest of 1, 2 and 5 times a power of ten that is not
// less than v.
func niceStep(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= v*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// mostTicks is more than any axis has room for.
const mostTicks = 30

// linearTicks returns the multiples of step from low to high.
func linearTicks(low, high, step float64) []float64 {
	var list []float64
	first := math.Ceil(low/step - 1e-9)
	for i := range int(min(math.Floor(high/step+1e-9)-first+1, mostTicks)) {
		list = append(list, (first+float64(i))*step+0)
	}
	return list
}

// logTicks returns up to most values between low and high that are 1, 2 or 5
// times a power of ten; more between them where that is too few, fewer where it
// is too many. In a short stretch they are as on a linear axis.
func logTicks(low, high float64, most int) []float64 {
	if high < 2*low {
		step := niceStep((high - low) / float64(most))
		return linearTicks(low, high, step)
	}
	for _, mantissas := range [][]float64{{1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}, {1, 1.5, 2, 3, 4, 5, 7}, {1, 2, 5}, {1, 3}, {1}} {
		if list := mantissaTicks(low, high, mantissas, 1); len(list) <= most {
			return list
		}
	}
	for every := 2; ; every++ {
		if list := mantissaTicks(low, high, []float64{1}, every); len(list) <= most {
			return list
		}
	}
}

func mantissaTicks(low, high float64, mantissas []float64, every int) []float64 {
	var list []float64
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		if e%every != 0 {
			continue
		}
		for _, m := range mantissas {
			if v := m * math.Pow(10, float64(e)); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				list = append(list, v)
			}
		}
	}
	return list
}

// tick is a place on an axis with what stands there.
type tick struct {
	value float64
	text  string
}

// numberTicks writes the values with as many digits as tell neighbours apart.
func numberTicks(values []float64) []tick {
	decimals := 0
	for i := 1; i < len(values); i++ {
		step := math.Abs(values[i] - values[i-1])
		decimals = max(decimals, int(math.Ceil(-math.Log10(step)-1e-9)))
	}
	var list []tick
	for _, v := range values {
		text := Number(v)
		if own := min(decimals, 12); own > 0 && math.Abs(v) < 1e6 {
			text = decimal(strconv.FormatFloat(v, 'f', own, 64))
		}
		list = append(list, tick{v, text})
	}
	return list
}

// decimal drops the zeros at the end of a fraction.
func decimal(text string) string {
	whole, rest, _ := strings.Cut(text, ".")
	if rest = strings.TrimRight(rest, "0"); rest != "" {
		rest = "." + rest
	}
	return grouped(whole) + rest
}

// dateTicks divides a time between two Unix times evenly into three.
func dateTicks(low, high float64) []tick {
	layout := "2006-01-02"
	if high-low < 3*24*3600 {
		layout = "01-02 15:04"
	}
	var list []tick
	for i := range 4 {
		v := low + (high-low)*float64(i)/3
		text := time.Unix(int64(math.Round(v)), 0).UTC().Format(layout)
		if len(list) == 0 || text != list[len(list)-1].text {
			list = append(list, tick{v, text})
		}
	}
	return list
}

// timeUnit returns the unit in which so many seconds are told, and its length.
func timeUnit(seconds float64) (string, float64) {
	switch {
	case seconds >= 3*3600:
		return "h", 3600
	case seconds >= 300:
		return "min", 60
	}
	return "s", 1
}
