package record

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestKey(t *testing.T) {
	long := strings.Repeat("A", 50)
	tests := []struct {
		subject Subject
		want    string
	}{
		{Subject{Serial: "S5GXNX0T1"}, "S5GXNX0T1"},
		{Subject{Serial: " S5GXNX0T1  ", Path: "/dev/nvme0n1"}, "S5GXNX0T1"},
		{Subject{Serial: "S5GXNX0T1", Simulated: true}, "sim-S5GXNX0T1"},
		{Subject{Serial: "A B"}, "A_B." + hash("A B", 8)},
		{Subject{Serial: "A/B"}, "A_B." + hash("A/B", 8)},
		{Subject{Serial: "A_B"}, "A_B"},
		{Subject{Serial: "."}, "_." + hash(".", 8)},
		{Subject{Serial: "é"}, "_." + hash("é", 8)},
		{Subject{Serial: "sim-A"}, "sim-A." + hash("sim-A", 8)},
		{Subject{Serial: "path-A"}, "path-A." + hash("path-A", 8)},
		{Subject{Serial: long}, long[:40] + "." + hash(long, 8)},
		{Subject{Path: "/dev/sda", Bytes: 5}, "path-sda." + hash("/dev/sda\x005", 12)},
		{Subject{Path: "/", Simulated: true}, "sim-path-_." + hash("/\x000", 12)},
	}
	for _, tt := range tests {
		if got := tt.subject.Key(); got != tt.want {
			t.Errorf("key of %+v is %s, want %s", tt.subject, got, tt.want)
		}
		checkKey(t, tt.subject)
	}
}

// TestKeyApart looks at subjects that a careless key would put together.
func TestKeyApart(t *testing.T) {
	subjects := []Subject{
		{Serial: "A"}, {Serial: "A", Simulated: true}, {Serial: "sim-A"}, {Serial: "sim-A", Simulated: true},
		{Serial: "A/"}, {Serial: "A_"}, {Serial: "A " + "B"}, {Serial: "A_B"}, {Serial: "A\x00B"},
		{Serial: strings.Repeat("A", 40)}, {Serial: strings.Repeat("A", 41)}, {Serial: strings.Repeat("A", 42)},
		{Path: "/dev/sda"}, {Path: "/dev/sda", Bytes: 1}, {Path: "/dev//sda"}, {Path: "/mnt/sda"}, {Path: "/dev/sda", Simulated: true},
		{Serial: Subject{Path: "/dev/sda"}.Key()}, {Serial: Subject{Serial: "A/"}.Key()}, {Serial: "path-sda"},
	}
	seen := map[string]Subject{}
	for _, s := range subjects {
		if other, ok := seen[s.Key()]; ok {
			t.Errorf("%+v and %+v have the key %s", s, other, s.Key())
		}
		seen[s.Key()] = s
	}
}

// checkKey looks whether a key is one part of a path and does not hide.
func checkKey(t *testing.T, s Subject) {
	t.Helper()
	key := s.Key()
	if key == "" || len(key) > 64 || key[0] == '.' || filepath.Base(key) != key || strings.Trim(key, "-_.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		t.Errorf("key of %+v is %q", s, key)
	}
}

func TestSubjectString(t *testing.T) {
	tests := []struct {
		subject Subject
		want    string
	}{
		{Subject{Serial: "A ", Model: "M"}, "A (M)"},
		{Subject{Serial: "A"}, "A"},
		{Subject{Serial: "A\x1b[2J", Model: "M\n"}, "A?[2J (M?)"},
		{Subject{Serial: "A", Model: "M", Simulated: true}, "simulated A (M)"},
		{Subject{Path: "/dev/sda", Bytes: 512}, "/dev/sda (512 bytes)"},
		{Subject{Path: "/mnt"}, "/mnt"},
	}
	for _, tt := range tests {
		if got := tt.subject.String(); got != tt.want {
			t.Errorf("%+v is %q, want %q", tt.subject, got, tt.want)
		}
	}
}
