package profile

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
)

// definition is a profile as its program defines it, written down from the
// definitions and not from the code. A row is: name: operation, pattern, block
// size, requests in flight of a worker, workers; how long, warm-up in the run.
type definition struct {
	id                string
	size              int64 // 0: all of the target
	runs              int
	prepare, interval time.Duration
	pick              Pick
	rows              []string
}

const (
	sec = time.Second
	// target has a size that no profile has.
	targetBytes = 3 << 30
)

// definitions of everything but the matrix and the sweep.
func definitions() []definition {
	return []definition{
		{"cdm3", 1048576000, 5, 0, 5 * sec, PickBest, []string{
			"Seq: read sequential 1048576 x1 x1; 1048576000 bytes",
			"512K: read random 524288 x1 x1; 1048576000 bytes",
			"4K: read random 4096 x1 x1; 1048576000 bytes",
			"4KQD32: read random 4096 x32 x1; 1048576000 bytes",
			"Seq: write sequential 1048576 x1 x1; 1048576000 bytes",
			"512K: write random 524288 x1 x1; 1048576000 bytes",
			"4K: write random 4096 x1 x1; 1048576000 bytes",
			"4KQD32: write random 4096 x32 x1; 1048576000 bytes",
		}},
		{"cdm5", 1073741824, 5, 5 * sec, 5 * sec, PickBest, []string{
			"Seq Q32T1: read sequential 131072 x32 x1; 5s",
			"4K Q32T1: read random 4096 x32 x1; 5s",
			"Seq: read sequential 1048576 x1 x1; 5s",
			"4K: read random 4096 x1 x1; 5s",
			"Seq Q32T1: write sequential 131072 x32 x1; 5s",
			"4K Q32T1: write random 4096 x32 x1; 5s",
			"Seq: write sequential 1048576 x1 x1; 5s",
			"4K: write random 4096 x1 x1; 5s",
		}},
		{"cdm6", 1073741824, 5, 5 * sec, 5 * sec, PickBest, []string{
			"Seq Q32T1: read sequential 131072 x32 x1; 5s",
			"4KiB Q8T8: read random 4096 x8 x8; 5s",
			"4KiB Q32T1: read random 4096 x32 x1; 5s",
			"4KiB Q1T1: read random 4096 x1 x1; 5s",
			"Seq Q32T1: write sequential 131072 x32 x1; 5s",
			"4KiB Q8T8: write random 4096 x8 x8; 5s",
			"4KiB Q32T1: write random 4096 x32 x1; 5s",
			"4KiB Q1T1: write random 4096 x1 x1; 5s",
		}},
		{"cdm8", 1073741824, 5, 5 * sec, 5 * sec, PickBest, []string{
			"SEQ1M Q8T1: read sequential 1048576 x8 x1; 5s",
			"SEQ1M Q1T1: read sequential 1048576 x1 x1; 5s",
			"RND4K Q32T1: read random 4096 x32 x1; 5s",
			"RND4K Q1T1: read random 4096 x1 x1; 5s",
			"SEQ1M Q8T1: write sequential 1048576 x8 x1; 5s",
			"SEQ1M Q1T1: write sequential 1048576 x1 x1; 5s",
			"RND4K Q32T1: write random 4096 x32 x1; 5s",
			"RND4K Q1T1: write random 4096 x1 x1; 5s",
		}},
		{"cdm8:mix", 1073741824, 5, 5 * sec, 5 * sec, PickBest, []string{
			"SEQ1M Q8T1: read sequential 1048576 x8 x1; 5s",
			"SEQ1M Q1T1: read sequential 1048576 x1 x1; 5s",
			"RND4K Q32T1: read random 4096 x32 x1; 5s",
			"RND4K Q1T1: read random 4096 x1 x1; 5s",
			"SEQ1M Q8T1: write sequential 1048576 x8 x1; 5s",
			"SEQ1M Q1T1: write sequential 1048576 x1 x1; 5s",
			"RND4K Q32T1: write random 4096 x32 x1; 5s",
			"RND4K Q1T1: write random 4096 x1 x1; 5s",
			"SEQ1M Q8T1: mix R70 sequential 1048576 x8 x1; 5s",
			"SEQ1M Q1T1: mix R70 sequential 1048576 x1 x1; 5s",
			"RND4K Q32T1: mix R70 random 4096 x32 x1; 5s",
			"RND4K Q1T1: mix R70 random 4096 x1 x1; 5s",
		}},
		{"cdm8:peak", 1073741824, 5, 5 * sec, 5 * sec, PickBest, []string{
			"SEQ1M Q8T1: read sequential 1048576 x8 x1; 5s",
			"RND4K Q32T1: read random 4096 x32 x1; 5s",
			"SEQ1M Q8T1: write sequential 1048576 x8 x1; 5s",
			"RND4K Q32T1: write random 4096 x32 x1; 5s",
		}},
		{"cdm8:peak+mix", 1073741824, 5, 5 * sec, 5 * sec, PickBest, []string{
			"SEQ1M Q8T1: read sequential 1048576 x8 x1; 5s",
			"RND4K Q32T1: read random 4096 x32 x1; 5s",
			"SEQ1M Q8T1: write sequential 1048576 x8 x1; 5s",
			"RND4K Q32T1: write random 4096 x32 x1; 5s",
			"SEQ1M Q8T1: mix R70 sequential 1048576 x8 x1; 5s",
			"RND4K Q32T1: mix R70 random 4096 x32 x1; 5s",
		}},
		{"cdm8:real", 1073741824, 5, 5 * sec, 5 * sec, PickBest, []string{
			"SEQ1M Q1T1: read sequential 1048576 x1 x1; 5s",
			"RND4K Q1T1: read random 4096 x1 x1; 5s",
			"SEQ1M Q1T1: write sequential 1048576 x1 x1; 5s",
			"RND4K Q1T1: write random 4096 x1 x1; 5s",
		}},
		{"cdm8:real+mix", 1073741824, 5, 5 * sec, 5 * sec, PickBest, []string{
			"SEQ1M Q1T1: read sequential 1048576 x1 x1; 5s",
			"RND4K Q1T1: read random 4096 x1 x1; 5s",
			"SEQ1M Q1T1: write sequential 1048576 x1 x1; 5s",
			"RND4K Q1T1: write random 4096 x1 x1; 5s",
			"SEQ1M Q1T1: mix R70 sequential 1048576 x1 x1; 5s",
			"RND4K Q1T1: mix R70 random 4096 x1 x1; 5s",
		}},
		{"cdm8:demo", 1073741824, 5, 5 * sec, 5 * sec, PickBest, []string{
			"SEQ1M Q8T1: read sequential 1048576 x8 x1; 5s",
			"SEQ1M Q8T1: write sequential 1048576 x8 x1; 5s",
		}},
		{"cdm8:nvme", 1073741824, 5, 5 * sec, 5 * sec, PickBest, []string{
			"SEQ1M Q8T1: read sequential 1048576 x8 x1; 5s",
			"SEQ128K Q32T1: read sequential 131072 x32 x1; 5s",
			"RND4K Q32T16: read random 4096 x32 x16; 5s",
			"RND4K Q1T1: read random 4096 x1 x1; 5s",
			"SEQ1M Q8T1: write sequential 1048576 x8 x1; 5s",
			"SEQ128K Q32T1: write sequential 131072 x32 x1; 5s",
			"RND4K Q32T16: write random 4096 x32 x16; 5s",
			"RND4K Q1T1: write random 4096 x1 x1; 5s",
		}},
		{"cdm8:nvme+mix", 1073741824, 5, 5 * sec, 5 * sec, PickBest, []string{
			"SEQ1M Q8T1: read sequential 1048576 x8 x1; 5s",
			"SEQ128K Q32T1: read sequential 131072 x32 x1; 5s",
			"RND4K Q32T16: read random 4096 x32 x16; 5s",
			"RND4K Q1T1: read random 4096 x1 x1; 5s",
			"SEQ1M Q8T1: write sequential 1048576 x8 x1; 5s",
			"SEQ128K Q32T1: write sequential 131072 x32 x1; 5s",
			"RND4K Q32T16: write random 4096 x32 x16; 5s",
			"RND4K Q1T1: write random 4096 x1 x1; 5s",
			"SEQ1M Q8T1: mix R70 sequential 1048576 x8 x1; 5s",
			"SEQ128K Q32T1: mix R70 sequential 131072 x32 x1; 5s",
			"RND4K Q32T16: mix R70 random 4096 x32 x16; 5s",
			"RND4K Q1T1: mix R70 random 4096 x1 x1; 5s",
		}},
		{"cdm8:nvme+peak", 1073741824, 5, 5 * sec, 5 * sec, PickBest, []string{
			"SEQ1M Q8T1: read sequential 1048576 x8 x1; 5s",
			"RND4K Q32T16: read random 4096 x32 x16; 5s",
			"SEQ1M Q8T1: write sequential 1048576 x8 x1; 5s",
			"RND4K Q32T16: write random 4096 x32 x16; 5s",
		}},
		{"cdm8:nvme+peak+mix", 1073741824, 5, 5 * sec, 5 * sec, PickBest, []string{
			"SEQ1M Q8T1: read sequential 1048576 x8 x1; 5s",
			"RND4K Q32T16: read random 4096 x32 x16; 5s",
			"SEQ1M Q8T1: write sequential 1048576 x8 x1; 5s",
			"RND4K Q32T16: write random 4096 x32 x16; 5s",
			"SEQ1M Q8T1: mix R70 sequential 1048576 x8 x1; 5s",
			"RND4K Q32T16: mix R70 random 4096 x32 x16; 5s",
		}},
		{"qd1", 0, 6, 0, 5 * sec, PickMedian, []string{
			"RND4K Q1T1: read random 4096 x1 x1; 30s, warm-up 2s",
		}},
		{"qd1:write", 0, 6, 0, 5 * sec, PickMedian, []string{
			"RND4K Q1T1: read random 4096 x1 x1; 30s, warm-up 2s",
			"RND4K Q1T1: write random 4096 x1 x1; 30s, warm-up 2s",
		}},
		{"txbench", 0, 1, 0, 0, PickMean, []string{
			"Seq 128KB QD4: read sequential 131072 x4 x1; 3m20s",
		}},
		{"txbench:write", 0, 1, 0, 0, PickMean, []string{
			"Seq 128KB QD4: write sequential 131072 x4 x1; 3m20s",
		}},
		{"txbench:basic", 1073741824, 1, 0, 0, PickMean, []string{
			"Seq 128KB QD32: read sequential 131072 x32 x1; 10s",
			"Rnd 4KB QD32: read random 4096 x32 x1; 10s",
			"Seq 128KB QD1: read sequential 131072 x1 x1; 10s",
			"Rnd 4KB QD1: read random 4096 x1 x1; 10s",
			"Seq 128KB QD32: write sequential 131072 x32 x1; 10s",
			"Rnd 4KB QD32: write random 4096 x32 x1; 10s",
			"Seq 128KB QD1: write sequential 131072 x1 x1; 10s",
			"Rnd 4KB QD1: write random 4096 x1 x1; 10s",
		}},
		{"sustain", 0, 1, 0, 0, PickMean, []string{
			"SEQ128K Q4T1: read sequential 131072 x4 x1; 10m0s",
		}},
		{"sustain:write", 0, 1, 0, 0, PickMean, []string{
			"SEQ128K Q4T1: write sequential 131072 x4 x1; 10m0s",
		}},
		{"apps", 4294967296, 3, 0, 2 * sec, PickMedian, []string{
			"Program start 4K Q1: read random 4096 x1 x1; 10s, warm-up 1s",
			"Assets 64K Q2: read random 65536 x2 x1; 10s, warm-up 1s",
			"Open a large file 64K Q4: read sequential 65536 x4 x1; 10s, warm-up 1s",
			"Database 16K Q1: mix R80 random 16384 x1 x1; 10s, warm-up 1s",
			"Several programs 4K Q4: mix R80 random 4096 x4 x1; 10s, warm-up 1s",
			"Save 16K Q1: write random 16384 x1 x1; 10s, warm-up 1s",
		}},
		{"wake", 0, 1, 0, 0, PickMedian, []string{
			"RND4K Q1T1, no pause: read random 4096 x1 x1; 20000 operations",
			"RND4K Q1T1, pause 100 µs: read random 4096 x1 x1; 10000 operations",
			"RND4K Q1T1, pause 1 ms: read random 4096 x1 x1; 2000 operations",
			"RND4K Q1T1, pause 10 ms: read random 4096 x1 x1; 200 operations",
			"RND4K Q1T1, pause 100 ms: read random 4096 x1 x1; 30 operations",
			"RND4K Q1T1, pause 1 s: read random 4096 x1 x1; 20 operations",
		}},
		matrixDefinition(),
		sweepDefinition(),
	}
}

// matrixDefinition is every queue depth with every number of workers, then the
// access specifications.
func matrixDefinition() definition {
	d := definition{"iometer", 0, 1, 0, 0, PickMean, nil}
	const lasts = "; 10s, warm-up 2s"
	for _, w := range []int{1, 2, 4} {
		for _, q := range []int{1, 2, 4, 8, 16, 32, 64, 128} {
			d.rows = append(d.rows, fmt.Sprintf("4 KiB; 100%% Read; 100%% random; Q%d W%d: read random 4096 x%d x%d"+lasts, q, w, q, w))
		}
	}
	d.rows = append(d.rows,
		"64 KiB; 100% Read; 0% random; Q32 W1: read sequential 65536 x32 x1"+lasts,
		"4 KiB; 67% Read; 100% random; Q32 W1: mix R67 random 4096 x32 x1"+lasts,
		"4 KiB; 0% Read; 100% random; Q32 W1: write random 4096 x32 x1"+lasts,
		"64 KiB; 0% Read; 0% random; Q32 W1: write sequential 65536 x32 x1"+lasts,
	)
	return d
}

// sweepDefinition is each size, written and then read.
func sweepDefinition() definition {
	d := definition{"sweep", 268435456, 1, 0, 0, PickBest, nil}
	for _, s := range []struct {
		name  string
		bytes int
	}{
		{"512 B", 512}, {"1 KB", 1024}, {"2 KB", 2048}, {"4 KB", 4096}, {"8 KB", 8192}, {"16 KB", 16384}, {"32 KB", 32768},
		{"64 KB", 65536}, {"128 KB", 131072}, {"256 KB", 262144}, {"512 KB", 524288}, {"1 MB", 1048576}, {"2 MB", 2097152},
		{"4 MB", 4194304}, {"8 MB", 8388608}, {"12 MB", 12582912}, {"16 MB", 16777216}, {"24 MB", 25165824},
		{"32 MB", 33554432}, {"48 MB", 50331648}, {"64 MB", 67108864},
	} {
		d.rows = append(d.rows,
			fmt.Sprintf("%s: write sequential %d x4 x1; 2s", s.name, s.bytes),
			fmt.Sprintf("%s: read sequential %d x4 x1; 2s", s.name, s.bytes))
	}
	return d
}

// TestDefinitions runs every row of every profile on an engine that notes what
// is asked of it.
func TestDefinitions(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range definitions() {
		seen[d.id] = true
		t.Run(d.id, func(t *testing.T) { d.check(t) })
	}
	for _, name := range Names() {
		if !seen[name] {
			t.Errorf("profile %s has no definition in this test", name)
		}
	}
}

func (d definition) check(t *testing.T) {
	p, err := Lookup(d.id)
	if err != nil {
		t.Fatal(err)
	}
	target := bench.Target{Kind: bench.FileTarget, Path: "recorded", Bytes: targetBytes, BlockBytes: 512, Writable: true}
	if d.size > target.Bytes {
		target.Bytes = d.size
	}
	plan, err := p.Plan(target, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := definition{d.id, d.size, p.Runs, p.Prepare, p.Interval, d.pick, nil}
	for _, r := range plan.Rows {
		if r.SizeBytes != d.size || r.Job.Span != d.size || r.Runs != 0 || r.Pick != d.pick {
			t.Errorf("%s: size %d, span %d, %d runs, %s: want %d, %d, 0, %s", r.Name, r.SizeBytes, r.Job.Span, r.Runs, r.Pick, d.size, d.size, d.pick)
		}
		got.rows = append(got.rows, r.Name+": "+observe(t, r.Job, target)+lasting(r.Job))
	}
	if diff := cmp.Diff(d, got, cmp.AllowUnexported(definition{})); diff != "" {
		t.Errorf("(-definition +issued):\n%s", diff)
	}
}

// lasting says what ends a job.
func lasting(j bench.Job) string {
	s := fmt.Sprintf("; %v", j.Duration)
	switch {
	case j.TotalBytes > 0:
		s = fmt.Sprintf("; %d bytes", j.TotalBytes)
	case j.Operations > 0:
		s = fmt.Sprintf("; %d operations", j.Operations)
	}
	if j.Warmup > 0 {
		s += fmt.Sprintf(", warm-up %v", j.Warmup)
	}
	return s
}
