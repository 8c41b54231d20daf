package bench

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBuckets(t *testing.T) {
	tests := []struct {
		name string
		add  []time.Duration
		want []Bucket
	}{
		{"empty", nil, nil},
		{"exact below 128 ns", []time.Duration{5, 127, 5}, []Bucket{{5, 6, 2}, {127, 128, 1}}},
		{"cut at the minimum and at the maximum", []time.Duration{1001, 1002, 5003}, []Bucket{{1001, 1008, 2}, {4992, 5004, 1}}},
	}
	for _, tt := range tests {
		var h Histogram
		for _, d := range tt.add {
			h.Add(d)
		}
		var got []Bucket
		for b := range h.Buckets() {
			got = append(got, b)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}

// TestBucketsHoldAll holds that the counts add up and that a caller may stop.
func TestBucketsHoldAll(t *testing.T) {
	var h Histogram
	for i := range 10000 {
		h.Add(time.Duration(i*i) * 37)
	}
	total, last := int64(0), time.Duration(-1)
	for b := range h.Buckets() {
		if b.Low < last || b.High <= b.Low {
			t.Fatalf("bucket %v after %v", b, last)
		}
		total, last = total+b.Count, b.High
	}
	if total != h.Count() || last != h.Max()+1 {
		t.Errorf("buckets hold %d up to %d, want %d up to %d", total, last, h.Count(), h.Max()+1)
	}
	seen := 0
	for range h.Buckets() {
		if seen++; seen == 3 {
			break
		}
	}
	if seen != 3 {
		t.Errorf("went on to bucket %d after 3", seen)
	}
}
