package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// histogramJSON is the form of a histogram in JSON. Buckets holds pairs: the
// distance to the bucket before, counted from -1, less 1; and the count.
type histogramJSON struct {
	Count   uint64   `json:"count"`
	SumNS   uint64   `json:"sum_ns"`
	MinNS   int64    `json:"min_ns"`
	MaxNS   int64    `json:"max_ns"`
	Buckets []uint64 `json:"buckets"`
}

var errHistogram = errors.New("malformed histogram")

// MarshalJSON gives the counts that are not 0. The size depends on the spread
// of the durations, not on their number.
func (h *Histogram) MarshalJSON() ([]byte, error) { return h.appendJSON(nil), nil }

// appendJSON appends what MarshalJSON gives.
func (h *Histogram) appendJSON(b []byte) []byte {
	b = strconv.AppendUint(append(b, `{"count":`...), h.count, 10)
	b = strconv.AppendUint(append(b, `,"sum_ns":`...), h.sum, 10)
	b = strconv.AppendInt(append(b, `,"min_ns":`...), h.min, 10)
	b = strconv.AppendInt(append(b, `,"max_ns":`...), h.max, 10)
	b = append(b, `,"buckets":[`...)
	next, separator := 0, ""
	for i := bucketOf(h.min); h.count > 0 && i <= bucketOf(h.max); i++ {
		if h.buckets[i] == 0 {
			continue
		}
		b = strconv.AppendInt(append(b, separator...), int64(i-next), 10)
		b = strconv.AppendUint(append(b, ','), h.buckets[i], 10)
		next, separator = i+1, ","
	}
	return append(b, "]}"...)
}

// UnmarshalJSON accepts only what MarshalJSON can have written: counts that
// add up and a minimum, maximum and sum that fit the buckets.
func (h *Histogram) UnmarshalJSON(b []byte) error {
	var j histogramJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return fmt.Errorf("%w: %w", errHistogram, err)
	}
	n := Histogram{count: j.Count, sum: j.SumNS, min: j.MinNS, max: j.MaxNS}
	if err := n.fill(j.Buckets); err != nil {
		return err
	}
	*h = n
	return nil
}

// fill takes the pairs of histogramJSON and checks them against the totals.
func (h *Histogram) fill(pairs []uint64) error {
	if len(pairs)%2 != 0 || len(pairs) > 2*bucketCount {
		return fmt.Errorf("%w: %d numbers in buckets", errHistogram, len(pairs))
	}
	next, total := uint64(0), uint64(0)
	first, last := -1, -1
	for i := 0; i < len(pairs); i += 2 {
		gap, n := pairs[i], pairs[i+1]
		if gap >= bucketCount-next || n == 0 || n > h.count-total {
			return fmt.Errorf("%w: pair %d", errHistogram, i/2)
		}
		last = int(next + gap)
		if first < 0 {
			first = last
		}
		h.buckets[last] = n
		total += n
		next += gap + 1
		if next == bucketCount {
			next--
		}
	}
	return h.check(total, first, last)
}

// check compares the totals with the buckets, of which first and last are the
// outermost in use, -1 if none is.
func (h *Histogram) check(total uint64, first, last int) error {
	switch {
	case total != h.count:
		return fmt.Errorf("%w: buckets hold %d of %d", errHistogram, total, h.count)
	case total == 0 && (h.min != 0 || h.max != 0 || h.sum != 0):
		return fmt.Errorf("%w: totals without counts", errHistogram)
	case total == 0:
		return nil
	case h.min < 0 || h.max < h.min || bucketOf(h.min) != first || bucketOf(h.max) != last:
		return fmt.Errorf("%w: minimum or maximum outside the buckets", errHistogram)
	}
	return nil
}
