package journal

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNewID(t *testing.T) {
	tests := []struct{ serial, want string }{
		{serial, "20260304T050607-089-" + serial},
		{" S1 2/3.4-ü\x00 ", "20260304T050607-089-S1_2_3_4___"},
		{"../../etc", "20260304T050607-089-______etc"},
		{strings.Repeat("9", 99), "20260304T050607-089-" + strings.Repeat("9", 40)},
	}
	for _, tt := range tests {
		got := newID(start.In(time.FixedZone("", 3600)), tt.serial)
		if got != tt.want || checkName(got, "") != nil || idOf(got+suffix) != got || !ofSerial(got, tt.serial) {
			t.Errorf("newID(%q) = %q, want %q", tt.serial, got, tt.want)
		}
	}
}

func TestIDsSortByTime(t *testing.T) {
	var ids []string
	for _, d := range []time.Duration{0, time.Millisecond, time.Second, 10 * time.Second, time.Hour, 300 * 24 * time.Hour, 9999 * time.Hour} {
		ids = append(ids, newID(start.Add(d), serial))
	}
	if !slices.IsSorted(ids) {
		t.Errorf("identifiers are not in order: %q", ids)
	}
}

func TestCheckName(t *testing.T) {
	tests := []struct {
		name, more string
		bad        bool
	}{
		{"a", "", false},
		{"A1_b-c", "", false},
		{"a.b", ".", false},
		{strings.Repeat("a", maxNameBytes), "", false},
		{strings.Repeat("a", maxNameBytes+1), "", true},
		{"", "", true},
		{"a.b", "", true},
		{".a", ".", true},
		{"-a", "", true},
		{"..", ".", true},
		{"a/b", ".", true},
		{"a\x00", ".", true},
		{"a\xff", ".", true},
		{"ä", ".", true},
	}
	for _, tt := range tests {
		if err := checkName(tt.name, tt.more); (err != nil) != tt.bad {
			t.Errorf("checkName(%q, %q) = %v, want an error: %t", tt.name, tt.more, err, tt.bad)
		}
	}
}
