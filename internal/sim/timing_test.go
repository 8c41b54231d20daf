package sim

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"qd1.example/qd1/nvme"
)

// TestQuantiles checks the distribution of the latencies that the model plans,
// in no time at all.
func TestQuantiles(t *testing.T) {
	for _, median := range []time.Duration{10 * time.Microsecond, 12 * time.Microsecond, 50 * time.Microsecond} {
		m := timing{read: median, bytesPerSecond: 2_600_000_000, seed: 3}
		const n = 200_000
		all := make([]time.Duration, n)
		var sum time.Duration
		for i := range all {
			all[i] = m.access(median, uint64(i), medianBytes)
			sum += all[i]
		}
		slices.Sort(all)
		for _, tc := range []struct {
			name      string
			got       time.Duration
			low, high float64
		}{
			{"min", all[0], 0.93, 0.95},
			{"median", all[n/2], 0.995, 1.005},
			{"mean", sum / n, 1, 1.03},
			{"p90", all[n*90/100], 1.04, 1.06},
			{"p99", all[n*99/100], 1.17, 1.33},
			{"p99.9", all[n*999/1000], 1.4, 2},
			{"max", all[n-1], 2.5, 5},
		} {
			if got := float64(tc.got) / float64(median); got < tc.low || got > tc.high {
				t.Errorf("median %v: %s is %.3f of it, want %v to %v", median, tc.name, got, tc.low, tc.high)
			}
		}
	}
}

func TestAccessSizes(t *testing.T) {
	m := timing{bytesPerSecond: 2_600_000_000}
	const median = 12 * time.Microsecond
	base := m.access(median, 1, 4096)
	for _, tc := range []struct {
		bytes int
		want  time.Duration // Over that of 4 KiB.
	}{
		{512, -1378}, {4096, 0}, {128 << 10, 48837}, {1 << 20, 401722},
	} {
		if got := m.access(median, 1, tc.bytes) - base; got < tc.want-2 || got > tc.want+2 {
			t.Errorf("%d bytes take %v more than 4 KiB, want %v", tc.bytes, got, tc.want)
		}
	}
	if got, least := m.access(1, 1, 4096), m.transfer(4096); got != least {
		t.Errorf("an access without latency takes %v, want the transfer time %v", got, least)
	}
	other := timing{bytesPerSecond: 2_600_000_000, seed: 1}
	if m.access(median, 1, 4096) != base || other.access(median, 1, 4096) == base {
		t.Error("latencies do not depend on the seed alone")
	}
}

// TestSchedule checks that accesses share the transfer: 32 at once of 128 KiB
// get no more than its rate, and one after the other do not wait for it.
func TestSchedule(t *testing.T) {
	m := timing{bytesPerSecond: 2_600_000_000}
	const size = 128 << 10
	one := int64(m.transfer(size))
	var busy, end int64
	for range 32 {
		end, busy = m.schedule(0, busy, 60_000, size)
	}
	if want := 32 * one; end != want {
		t.Errorf("32 transfers at once end after %d ns, want %d", end, want)
	}
	end, busy = m.schedule(1_000_000_000, busy, 60_000, size)
	if end != 1_000_060_000 || busy != 1_000_000_000+one {
		t.Errorf("one transfer ends at %d, busy until %d", end, busy)
	}
}

func TestMultiple(t *testing.T) {
	points := quantiles()
	if !slices.IsSortedFunc(points[:], func(a, b quantile) int {
		return cmp.Or(cmp.Compare(a.share, b.share), cmp.Compare(a.multiple, b.multiple))
	}) {
		t.Fatalf("quantiles do not rise: %v", points)
	}
	for _, p := range points {
		if got := multiple(p.share); got < p.multiple-1e-9 || got > p.multiple+1e-9 {
			t.Errorf("multiple(%v) = %v, want %v", p.share, got, p.multiple)
		}
	}
	if got := multiple(0.3); got < 0.98 || got > 0.99 {
		t.Errorf("multiple(0.3) = %v, want between its neighbours", got)
	}
	if got := multiple(2); got != 5 {
		t.Errorf("multiple(2) = %v, want the greatest", got)
	}
}

// TestLatencyIsReal is a loose check that accesses take the planned time: not
// less, and on a machine that is not overloaded not many times more.
func TestLatencyIsReal(t *testing.T) {
	d := open(t, "optane-905p?read_latency=5ms")
	buf := make([]byte, 4096)
	begin := time.Now()
	for i := range 4 {
		if _, err := d.ReadAt(buf, int64(i)*4096); err != nil {
			t.Fatal(err)
		}
	}
	if got := time.Since(begin); got < 4*4700*time.Microsecond || got > 2*time.Second {
		t.Errorf("4 reads of 5 ms took %v", got)
	}
}

func BenchmarkRead(b *testing.B) {
	for _, latency := range []string{"10us", "12us", "50us"} {
		b.Run(latency, func(b *testing.B) {
			d := open(b, "optane-905p?read_latency="+latency)
			buf := make([]byte, 4096)
			for i := 0; b.Loop(); i++ {
				if _, err := d.ReadAt(buf, int64(i%1000)*4096); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkGenerate(b *testing.B) {
	s := newStore(1<<40, 0)
	buf := make([]byte, 4096)
	for b.Loop() {
		s.generate(buf, 4096)
	}
}

// BenchmarkBegin is what a server does for each read, without the waiting.
func BenchmarkBegin(b *testing.B) {
	for _, profile := range []string{"optane-905p", "nand-modern"} {
		b.Run(profile, func(b *testing.B) {
			d := open(b, profile)
			b.RunParallel(func(pb *testing.PB) {
				cmd := ioCmd(nvme.IORead, 1, 0, 8, 4096)
				for i := uint32(0); pb.Next(); i += 8 {
					cmd.CDW10 = i
					if c, _ := d.Begin(cmd); c.Status != 0 {
						b.Error(c.Status)
					}
				}
			})
		})
	}
}
