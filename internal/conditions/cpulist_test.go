package conditions

import (
	"slices"
	"testing"
)

func TestParseCPUs(t *testing.T) {
	tests := []struct {
		text string
		want []int
		ok   bool
	}{
		{"", nil, true},
		{"0", []int{0}, true},
		{"0-3,8", []int{0, 1, 2, 3, 8}, true},
		{"8, 0-1", []int{0, 1, 8}, true},
		{"1,1-2", []int{1, 2}, true},
		{"3-1", nil, false},
		{"a", nil, false},
		{"1-", nil, false},
		{"-1", nil, false},
		{"0-65536", nil, false},
	}
	for _, tt := range tests {
		got, ok := parseCPUs(tt.text)
		if ok != tt.ok || !slices.Equal(got, tt.want) {
			t.Errorf("parseCPUs(%q) = %v, %t, want %v, %t", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}

func TestFormatCPUs(t *testing.T) {
	for want, cpus := range map[string][]int{"": nil, "5": {5}, "0-1": {0, 1}, "0-2,4,6-7": {0, 1, 2, 4, 6, 7}} {
		if got := formatCPUs(cpus); got != want {
			t.Errorf("formatCPUs(%v) = %q, want %q", cpus, got, want)
		}
	}
}

// FuzzCPUs checks that what is read can be written and read again.
func FuzzCPUs(f *testing.F) {
	for _, seed := range []string{"0-3,8", "0", "", "1-1", "65535", "0-65535,0-65535,0-65535", "9-1", ",", "0x1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cpus, ok := parseCPUs(s)
		if !ok {
			return
		}
		again, ok := parseCPUs(formatCPUs(cpus))
		if !ok || !slices.Equal(again, cpus) || !slices.IsSorted(cpus) {
			t.Errorf("%q: %v becomes %v, %t", s, cpus, again, ok)
		}
	})
}
