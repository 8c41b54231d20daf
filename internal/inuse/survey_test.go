package inuse

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRoots(t *testing.T) {
	f := newFixture(t)
	f.controllers()
	s := newSurvey(t.Context(), f.host())
	if err := s.readBlocks(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range s.roots([]string{"nvme0n1", "nvme0n1p2", "nvme0", "sda", "nvme0n1", "nvme9n1", "../block/sda", "."}) {
		got = append(got, r.name)
	}
	if diff := cmp.Diff([]string{"nvme0n1", "nvme0n1p1", "nvme0n1p2", "nvme0", "sda"}, got); diff != "" {
		t.Errorf("roots (-want +got):\n%s", diff)
	}
	want := []string{
		"nvme9n1 is not there: nothing is known about its use",
		"../block/sda is not there: nothing is known about its use",
		". is not there: nothing is known about its use",
	}
	if diff := cmp.Diff(want, s.out.Unchecked); diff != "" {
		t.Errorf("unchecked (-want +got):\n%s", diff)
	}
}

// TestEmptyJSON holds that nothing found is an empty array, not null.
func TestEmptyJSON(t *testing.T) {
	got, err := json.Marshal(newFixture(t).survey())
	if want := `{"uses":[],"pollers":[],"unchecked":[]}`; string(got) != want || err != nil {
		t.Errorf("JSON %s, %v, want %s", got, err, want)
	}
}

func TestOrder(t *testing.T) {
	f := newFixture(t)
	f.partition("nvme0n1", "nvme0n1p10", "259:10")
	f.mounts(100, "30 259:2 / /z10 ext4 x rw", "31 259:2 / /z9 ext4 x rw", "33 259:10 / /a ext4 x rw")
	f.text(f.proc, "swaps", swapsHeading+"/dev/nvme0n1p2 partition 1 0 -2\n")
	f.process(70, "b", "mnt:[1]", "/")
	f.open("70", 3, f.nodes["/dev/nvme0n1p2"])
	f.open("1", 3, f.nodes["/dev/nvme0n1p2"])
	f.check(
		"mount /z9: nvme0n1p2 is mounted on /z9",
		"mount /z10: nvme0n1p2 is mounted on /z10",
		"swap: nvme0n1p2 is used as swap",
		"open: nvme0n1p2 is open in init (process 1)",
		"open: nvme0n1p2 is open in b (process 70)",
		"mount /a: nvme0n1p10 is mounted on /a",
	)
}

// TestRank holds that every kind has its place in the order.
func TestRank(t *testing.T) {
	text, err := os.ReadFile("inuse.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	for line := range strings.Lines(string(text)) {
		if _, value, ok := strings.Cut(line, " Kind = "); ok {
			kinds++
			if k := Kind(strings.Trim(value, "\"\n")); rank(k) < 0 {
				t.Errorf("kind %q has no rank", k)
			}
		}
	}
	if kinds < 18 {
		t.Errorf("found %d kinds, want all", kinds)
	}
}

func TestNatural(t *testing.T) {
	want := []string{"", "a", "a1", "a01", "a2", "a10", "a10b", "a18446744073709551616", "b", "nvme0n1", "nvme0n1p2", "nvme0n1p10", "nvme1n1", "nvme10n1"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, natural)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func FuzzNatural(f *testing.F) {
	f.Add("nvme0n1", "nvme0n01", "nvme10n1")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if ab, ba := natural(a, b), natural(b, a); ab != -ba || (ab == 0) != (a == b) {
			t.Errorf("natural(%q, %q) = %d, and %d the other way", a, b, ab, ba)
		}
		if natural(a, b) <= 0 && natural(b, c) <= 0 && natural(a, c) > 0 {
			t.Errorf("%q <= %q <= %q, but not the first and the last", a, b, c)
		}
	})
}

func TestParseDevno(t *testing.T) {
	tests := []struct {
		in   string
		want devno
		ok   bool
	}{
		{"259:1\n", devno{major: 259, minor: 1}, true}, {"0:40", devno{minor: 40}, true}, {"0:0", devno{}, false},
		{"4096:0", devno{}, false}, {"1:1048576", devno{}, false}, {"1", devno{}, false}, {":", devno{}, false}, {"-1:2", devno{}, false}, {"", devno{}, false},
	}
	for _, tt := range tests {
		if got, ok := parseDevno(tt.in); ok != tt.ok || ok && got != tt.want {
			t.Errorf("parseDevno(%q) = %+v, %t, want %+v, %t", tt.in, got, ok, tt.want, tt.ok)
		}
	}
}

func FuzzParseDevno(f *testing.F) {
	f.Add("259:1\n")
	f.Add("0:0")
	f.Fuzz(func(t *testing.T, s string) {
		n, ok := parseDevno(s)
		if again, same := parseDevno(fmt.Sprintf("%d:%d", n.major, n.minor)); ok && (again != n || !same || n.char) {
			t.Errorf("%q gives %+v, and that %+v", s, n, again)
		}
	})
}

func TestBoundToVFIO(t *testing.T) {
	tests := []struct {
		driver string
		want   bool
	}{
		{"../../../../bus/pci/drivers/vfio-pci", true}, {"../../../../bus/pci/drivers/xe_vfio_pci", true},
		{"../../../../bus/pci/drivers/nvme", false},
	}
	for _, tt := range tests {
		f := newFixture(t)
		f.link(f.sys, "bus/pci/devices/0000:01:00.0/driver", tt.driver)
		if got := f.host().BoundToVFIO("0000:01:00.0"); got != tt.want {
			t.Errorf("bound to %s: %t, want %t", tt.driver, got, tt.want)
		}
		if f.host().BoundToVFIO("0000:02:00.0") || f.host().BoundToVFIO("../x") {
			t.Error("a function without a driver is bound to VFIO")
		}
	}
}

// TestManyProcesses looks at as many processes as a large host has.
func TestManyProcesses(t *testing.T) {
	f := newFixture(t)
	for pid := 1000; pid < 1400; pid++ {
		f.process(pid, "worker", "mnt:[1]", "/")
		f.open(fmt.Sprint(pid), 0, file{device: devno{true, 1, 3}})
	}
	f.open("1399", 1, f.nodes["/dev/nvme0n1"])
	f.check("open: nvme0n1 is open in worker (process 1399)")
}
