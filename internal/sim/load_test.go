package sim

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// second is what a drive did in one second under load.
type second struct {
	accesses  int
	celsius   int
	throttles uint64
}

// loadFor puts full load on a drive in the virtual time of a test.
func loadFor(t *testing.T, d *Drive, write bool, n int) []second {
	t.Helper()
	all := make([]second, n)
	p := []byte(strings.Repeat("x", pageBytes))
	start := time.Now()
	for i := range all {
		for time.Since(start) < time.Duration(i+1)*time.Second {
			_, end, err := d.BeginAt(write, p, int64(all[i].accesses%64)*pageBytes)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Until(end))
			all[i].accesses++
		}
		all[i].celsius, all[i].throttles, _ = d.Telemetry()
	}
	return all
}

// TestCacheUnderLoad writes the cache of a drive full, goes on, and lets the drive
// rest, all without heat.
func TestCacheUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// 200 writes a second, 1000 in the cache.
		d := open(t, "nand-modern?write_latency=5ms&cache=4000KiB")
		all := loadFor(t, d, true, 20)
		for i, s := range all {
			if full := s.accesses > 185; full != (i < 5) || i > 5 && (s.accesses < 14 || s.accesses > 18) {
				t.Errorf("second %d: %d writes", i, s.accesses)
			}
			if s.throttles != 0 || s.celsius > 70 {
				t.Errorf("second %d: %d °C, throttled %d times", i, s.celsius, s.throttles)
			}
		}
		if reads := loadFor(t, d, false, 1); reads[0].accesses < 1000 {
			t.Errorf("%d reads a second while the cache is full", reads[0].accesses)
		}
		time.Sleep(5 * time.Second)
		if again := loadFor(t, d, true, 7); again[3].accesses < 185 || again[6].accesses > 18 {
			t.Errorf("after a rest %+v", again)
		}
	})
}

// TestHeatUnderLoad holds the seconds that the documentation names, and that the
// drive tells its throttling.
func TestHeatUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, "throttling?read_latency=5ms")
		celsius, before, ok := d.Telemetry()
		if celsius != 60 || before != 1840 || !ok {
			t.Fatalf("at rest %d °C, throttled %d times, %t", celsius, before, ok)
		}
		all := loadFor(t, d, false, 60)
		var rose []int
		for i, s := range all {
			if s.throttles != before {
				rose = append(rose, i)
				before = s.throttles
			}
		}
		if len(rose) < 2 || rose[0] < 8 || rose[0] > 9 || rose[1] < 17 || rose[1] > 20 {
			t.Errorf("throttled more in the seconds %v, want about 9 and 19", rose)
		}
		got := []int{all[5].accesses / 20, all[14].accesses / 20, all[30].accesses / 20}
		if diff := cmp.Diff([]int{9, 4, 2}, got); diff != "" {
			t.Errorf("twenties of reads at full speed, in light and in heavy throttling (-want +got):\n%s", diff)
		}
		if hot := all[19].celsius; hot < 81 || hot > 86 {
			t.Errorf("%d °C after 20 s", hot)
		}
		time.Sleep(5 * time.Minute)
		if celsius, after, _ := d.Telemetry(); celsius != 60 || after != before {
			t.Errorf("after a rest %d °C, throttled %d times, before it %d", celsius, after, before)
		}
	})
}

func TestNoTelemetry(t *testing.T) {
	if _, _, ok := open(t, "dead").Telemetry(); ok {
		t.Error("a dead drive tells its temperature")
	}
	cold, _ := instant(t, func(p *personality) { p.smart.CompositeTemperature = 0 })
	if _, _, ok := cold.Telemetry(); ok {
		t.Error("a drive without a temperature tells it")
	}
}
