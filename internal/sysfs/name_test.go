package sysfs

import (
	"regexp"
	"testing"
)

// TestNodeNames compares the names with expressions for them.
func TestNodeNames(t *testing.T) {
	names := []string{
		"", "nvme", "nvme0", "nvme12", "nvme0n1", "nvme0n12p3", "nvme0n1p", "nvme0c1n2", "nvme0c1n2p1", "nvme10c11n12", "ng0n1", "ng0", "nvme0n", "nvmen1",
		"nvme0n1x", "xnvme0", "nvme-subsys0", "nvme0\n", "nvme-0", "nvme٣", "sda1", "nvme0c1",
		"0000:01:00.0", "10000:e1:00.7", "01:00.0", "00000000:01:00.0", "000000000:01:00.0", "000:01:00.0", "0000:01:00.8", "0000:01:00.", "0000:01:00",
		"0000:1:00.0", "0000:01:0.0", "0000:0G:00.0", "0000:AB:00.0", "0000:01:00.00", "0000:01:00:0", "::.", "0000:01:00.0:", ":01:00.0", "0000:01:00.f",
	}
	for expression, is := range map[string]func(string) bool{
		`^nvme[0-9]+$`:                                   isController,
		`^nvme[0-9]+n[0-9]+$`:                            isBlock,
		`^ng[0-9]+n[0-9]+$`:                              isGeneric,
		`^nvme[0-9]+n[0-9]+p[0-9]+$`:                     isPartition,
		`^nvme[0-9]+c[0-9]+n[0-9]+$`:                     isPath,
		`^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`: isFunction,
		`^[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`:               isShortFunction,
	} {
		matches := 0
		for _, name := range names {
			want := regexp.MustCompile(expression).MatchString(name)
			if is(name) != want {
				t.Errorf("%s: %q: got %t", expression, name, !want)
			}
			if want {
				matches++
			}
		}
		if matches == 0 {
			t.Errorf("%s: no example", expression)
		}
	}
	for path, want := range map[string]string{"nvme0c1n2": "nvme0n2", "nvme10c0n12": "nvme10n12"} {
		if got := headOf(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
