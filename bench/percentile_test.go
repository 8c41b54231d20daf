package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// streams are latencies of known distributions: the quantile function of each.
func streams() map[string]func(q float64) float64 {
	return map[string]func(q float64) float64{
		"constant": func(float64) float64 { return 9876 },
		"uniform":  func(q float64) float64 { return 10_000 + q*90_000 },
		"bimodal": func(q float64) float64 {
			if q < 0.985 {
				return 9000 + q*200
			}
			return 4_000_000 + q*50_000
		},
		"heavy tail": func(q float64) float64 { return 8000 * math.Pow(1-q, -0.7) }, // Pareto
	}
}

// TestPercentilesOfKnownStreams compares with the exact samples of a stream, and
// the samples with the distribution that they were drawn from.
func TestPercentilesOfKnownStreams(t *testing.T) {
	for name, quantile := range streams() {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(13, 14))
			var h Histogram
			samples := make([]time.Duration, 400_000)
			for i := range samples {
				samples[i] = time.Duration(quantile(random.Float64()))
				h.Add(samples[i])
			}
			slices.Sort(samples)
			l, ci := LatencyOf(&h), LatencyIntervalsOf(&h)
			for _, p := range []struct {
				q        float64
				got      *float64
				interval *[2]float64
			}{{0.5, l.P50, ci.P50}, {0.9, l.P90, ci.P90}, {0.99, l.P99, ci.P99}, {0.999, l.P999, ci.P999}, {0.9999, l.P9999, ci.P9999}} {
				exact := float64(sampleAt(samples, p.q)) / 1000
				if math.Abs(*p.got-exact) > exact/128+0.001 {
					t.Errorf("quantile %g is %g µs, exactly %g", p.q, *p.got, exact)
				}
				truth := quantile(p.q) / 1000
				if p.interval[0] > truth || p.interval[1] < truth || p.interval[0] > *p.got || p.interval[1] < *p.got {
					t.Errorf("quantile %g: the interval is %v, the truth %g, the figure %g µs", p.q, *p.interval, truth, *p.got)
				}
			}
			if *l.Min != round3(float64(samples[0])/1000) || *l.Max != round3(float64(samples[len(samples)-1])/1000) {
				t.Errorf("minimum %g and maximum %g are not exact", *l.Min, *l.Max)
			}
		})
	}
}

// TestRunMeasuresKnownStream sends a heavy tail through a whole run.
func TestRunMeasuresKnownStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random, quantile := rand.New(rand.NewPCG(15, 16)), streams()["heavy tail"]
		var samples []time.Duration
		source := drive(func(p []byte, _ int64) (int, error) {
			d := time.Duration(quantile(random.Float64()))
			samples = append(samples, d)
			time.Sleep(d)
			return len(p), nil
		})
		j := plain(0)
		j.Operations = 100_000
		r, err := Run(t.Context(), NewReaderAt("sim", source), smallTarget, j, nil)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(samples)
		for q, got := range map[float64]*float64{0.5: r.Latency.P50, 0.99: r.Latency.P99, 0.9999: r.Latency.P9999} {
			if want := float64(sampleAt(samples, q)) / 1000; math.Abs(*got-want) > want/128+0.001 {
				t.Errorf("quantile %g is %g µs, want %g", q, *got, want)
			}
		}
		for i, s := range r.Slowest {
			if want := float64(samples[len(samples)-1-i]) / 1000; math.Abs(s.LatencyUS-want) > 0.001 {
				t.Fatalf("the slowest but %d took %g µs, want %g", i, s.LatencyUS, want)
			}
		}
		if len(r.Slowest) != maxSlowest {
			t.Errorf("%d slow operations, want %d", len(r.Slowest), maxSlowest)
		}
	})
}

// TestIntervalsCover draws many streams: a 95 % interval misses the truth in
// about one of 20, and less often for being widened to buckets.
func TestIntervalsCover(t *testing.T) {
	const draws = 400
	random := rand.New(rand.NewPCG(17, 18))
	for _, tt := range []struct {
		p uint64
		n int
	}{{5000, 100}, {9000, 200}, {9900, 2000}} {
		missed, wide := 0, 0.0
		truth := -math.Log(1-float64(tt.p)/10000) * 1000 // µs, of an exponential distribution with a mean of 1 ms
		for range draws {
			var h Histogram
			for range tt.n {
				h.Add(time.Duration(random.ExpFloat64() * 1e6))
			}
			ci := percentileInterval(&h, tt.p)
			if ci[0] > truth || ci[1] < truth {
				missed++
			}
			wide += (ci[1] - ci[0]) / truth / draws
		}
		// Five standard deviations above 5 % of 400; the widths are those of the
		// asymptotic variance, with room for the buckets.
		if missed > 42 || missed == 0 || wide > 1.2 {
			t.Errorf("p%g of %d: %d of %d intervals miss the truth, they are %.2f of it wide", float64(tt.p)/100, tt.n, missed, draws, wide)
		}
	}
}

// fioPercentiles are those that fio is asked for.
var fioPercentiles = []float64{1, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9}

// TestPercentilesAgreeWithFio feeds fio's own log of each latency to a Histogram.
// Both count in bins of 1/64 of an octave and tell the middle of one, so each is
// at most 1/128 from the sample at its rank; where the ranks or bins differ, the
// two could be 1/64 apart. They are held to 1 %.
func TestPercentilesAgreeWithFio(t *testing.T) {
	fio, err := exec.LookPath("fio")
	if err != nil {
		t.Skip("SKIPPED: fio is not installed, so that percentiles are not compared with its own")
	}
	dir := t.TempDir()
	want, n := runFio(t, fio, dir)
	samples := fioLog(t, filepath.Join(dir, "log_lat.1.log"))
	var h Histogram
	for _, d := range samples {
		h.Add(d)
	}
	slices.Sort(samples)
	if len(samples) != n || n < 1000 {
		t.Fatalf("the log has %d entries of %d", len(samples), n)
	}
	for _, p := range fioPercentiles {
		got, fios := h.Quantile(p/100), want[p]
		if exact := sampleAt(samples, p/100); math.Abs(float64(got-exact)) > float64(exact)/128 {
			t.Errorf("p%g is %v, exactly %v", p, got, exact)
		}
		if math.Abs(float64(got)-fios) > 0.01*fios {
			t.Errorf("p%g is %d ns, fio says %g", p, got, fios)
		}
	}
}

// runFio reads a small file for a second at most, and returns fio's percentiles
// of the whole latency in ns and the number of reads.
func runFio(t *testing.T, fio, dir string) (percentiles map[float64]float64, n int) {
	t.Helper()
	var list []string
	for _, p := range fioPercentiles {
		list = append(list, strconv.FormatFloat(p, 'f', -1, 64))
	}
	args := []string{
		"--name=x", "--filename=" + filepath.Join(dir, "data"), "--size=4m", "--rw=randread", "--bs=4k", "--ioengine=psync",
		"--runtime=1", "--number_ios=20000", "--write_lat_log=" + filepath.Join(dir, "log"), "--log_avg_msec=0",
		"--lat_percentiles=1", "--clat_percentiles=0", "--percentile_list=" + strings.Join(list, ":"), "--output-format=json",
	}
	out, err := exec.Command(fio, append(args, "--direct=1")...).Output()
	if err != nil { // The directory is on a file system without direct I/O.
		if out, err = exec.Command(fio, args...).Output(); err != nil {
			t.Fatalf("fio: %v\n%s", err, out)
		}
	}
	var answer struct {
		Jobs []struct {
			Read struct {
				TotalIOs int `json:"total_ios"`
				Lat      struct {
					N          int                `json:"N"`
					Percentile map[string]float64 `json:"percentile"`
				} `json:"lat_ns"`
			} `json:"read"`
		} `json:"jobs"`
	}
	if err := json.Unmarshal(out, &answer); err != nil || len(answer.Jobs) != 1 {
		t.Fatalf("fio's answer: %v\n%s", err, out)
	}
	read := answer.Jobs[0].Read
	percentiles = map[float64]float64{}
	for key, v := range read.Lat.Percentile {
		p, err := strconv.ParseFloat(key, 64)
		if err != nil {
			t.Fatal(err)
		}
		percentiles[p] = v
	}
	return percentiles, read.Lat.N
}

// fioLog reads a log of latencies: time in ms, latency in ns, and more.
func fioLog(t *testing.T, path string) []time.Duration {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []time.Duration
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var ms, ns int64
		if _, err := fmt.Sscanf(lines.Text(), "%d, %d,", &ms, &ns); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		list = append(list, time.Duration(ns))
	}
	return list
}
