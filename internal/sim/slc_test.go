package sim

import (
	"strings"
	"testing"
	"time"
)

// TestSLCCache checks the cache alone: what goes into it, what is slower, and
// how it is emptied.
func TestSLCCache(t *testing.T) {
	s := slcState{slcCache: slcCache{bytes: 1000, slower: 5, rest: time.Second, bytesPerSecond: 100}}
	for i, tc := range []struct {
		at    float64 // Seconds.
		bytes int
		want  int64
		used  int64
	}{
		{0, 400, 1, 400},
		{0.1, 600, 1, 1000},
		{0.2, 1, 5, 1000},
		{1.1, 1, 5, 1000}, // Not idle for a second.
		{3.11, 100, 1, 1000},
		{3.2, 100, 5, 1000},
		{9.21, 100, 1, 600}, // 5 s of emptying.
		{99, 1000, 1, 1000},
		{1e6, 2000, 5, 0}, // More than the cache has.
	} {
		var got int64
		now := time.Duration(tc.at * float64(time.Second))
		s.write(now, tc.bytes, func(slower int64) (time.Duration, time.Duration) {
			got = slower
			return now + 10*time.Millisecond, 10 * time.Millisecond
		})
		if got != tc.want || s.used != tc.used {
			t.Errorf("write %d at %g s: %d times as long, %d bytes used; want %d, %d", i, tc.at, got, s.used, tc.want, tc.used)
		}
	}
}

// TestNoSLCCache checks that a drive without a cache is never slower.
func TestNoSLCCache(t *testing.T) {
	var s slcState
	for range 10 {
		s.write(0, 1<<30, func(slower int64) (time.Duration, time.Duration) {
			if slower != 1 {
				t.Errorf("%d times as long", slower)
			}
			return 0, 0
		})
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "4096": 4096, "512KiB": 512 << 10, "8GiB": 8 << 30, "1024TiB": 1 << 50,
	} {
		if got, err := parseBytes(text); got != want || err != nil {
			t.Errorf("%s: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "GiB", "1GB", "-1", "1.5GiB", "1025TiB", "9999999999TiB", "8 GiB"} {
		if got, err := parseBytes(text); err == nil {
			t.Errorf("%q: %d, want an error", text, got)
		}
	}
}

func TestHeatParameters(t *testing.T) {
	d := open(t, "nand-modern?heating=7s&cache=2MiB")
	if c := d.controller; c.thermal.constant != 7*time.Second || c.medium.slc.bytes != 2<<20 || c.medium.slc.slower < 2 {
		t.Errorf("time constant %v, cache %+v", c.thermal.constant, c.medium.slc.slcCache)
	}
	for _, bad := range []string{"heating=0", "heating=25h", "heating=warm", "cache=much", "cache=-1"} {
		if _, err := Open("nand-modern?" + bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestWritesAllocateNothing holds that a drive whose pages are all written once
// takes no more memory: a benchmark runs without garbage collection.
func TestWritesAllocateNothing(t *testing.T) {
	d := open(t, "nand-modern")
	p := []byte(strings.Repeat("x", 32*pageBytes))
	write := func() {
		for i := range int64(512) {
			if _, _, err := d.BeginAt(true, p, i*int64(len(p))); err != nil {
				t.Fatal(err)
			}
		}
	}
	write()
	write()
	if n := testing.AllocsPerRun(3, write); n > 10 {
		t.Errorf("%g allocations in 512 writes of pages that were written before", n)
	}
}
