package proof

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"qd1.example/qd1/bench"
)

// TestRate measures the sampling beside fio: the same number of random reads of
// 4 KiB at the same depth of the same block device or file, in interleaved
// rounds. It has no limit and only reads. It runs where QD1_RATE_TARGET names
// what to read, of more than 1 GiB or with a smaller QD1_RATE_SAMPLES.
func TestRate(t *testing.T) {
	path := os.Getenv("QD1_RATE_TARGET")
	if path == "" {
		t.Skip("QD1_RATE_TARGET is not set: this measurement needs a quiet computer")
	}
	m := targetOf(t, path)
	samples := 120_000
	if text := os.Getenv("QD1_RATE_SAMPLES"); text != "" {
		samples, _ = strconv.Atoi(text)
	}
	ways := map[string]func(*testing.T, bench.Target, int) time.Duration{"fio": fioTime, "psync": psyncTime, "uring": uringTime}
	took := map[string][]time.Duration{}
	for range 5 {
		for name, way := range ways {
			took[name] = append(took[name], way(t, m, samples))
		}
	}
	median := map[string]time.Duration{}
	for name, all := range took {
		slices.Sort(all)
		median[name] = all[len(all)/2]
	}
	for name := range ways {
		t.Logf("%-5s %v, median %v, %.2f of fio", name, took[name], median[name], median[name].Seconds()/median["fio"].Seconds())
	}
}

func targetOf(t *testing.T, path string) bench.Target {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().IsRegular() {
		target, err := bench.OpenFileTarget(path)
		if err != nil {
			t.Fatal(err)
		}
		return target
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size, err := f.Seek(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	return bench.Target{Kind: bench.BlockTarget, Path: path, Bytes: size, BlockBytes: 512}
}

// fioTime returns what fio says that its reads took.
func fioTime(t *testing.T, target bench.Target, samples int) time.Duration {
	t.Helper()
	out := filepath.Join(t.TempDir(), "fio.json")
	cmd := exec.CommandContext(t.Context(), "fio", "--name=r", "--filename="+target.Path, "--readonly", "--direct=1", "--ioengine=io_uring", "--iodepth=32",
		"--rw=randread", "--bs=4k", "--norandommap", "--number_ios="+strconv.Itoa(samples), "--output-format=json", "--output="+out)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("fio: %v\n%s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Jobs []struct {
			Read struct {
				Runtime int `json:"runtime"`
			} `json:"read"`
		} `json:"jobs"`
	}
	if err := json.Unmarshal(data, &r); err != nil || len(r.Jobs) != 1 {
		t.Fatalf("fio says %s: %v", data, err)
	}
	return time.Duration(r.Jobs[0].Read.Runtime) * time.Millisecond
}

func psyncTime(t *testing.T, target bench.Target, samples int) time.Duration {
	e, err := bench.OpenPsync(target)
	return sampleTime(t, e, err, target, samples)
}

func uringTime(t *testing.T, target bench.Target, samples int) time.Duration {
	e, err := bench.OpenUring(target)
	return sampleTime(t, e, err, target, samples)
}

// sampleTime measures a whole Sample, with all that belongs to it.
func sampleTime(t *testing.T, e bench.Engine, err error, target bench.Target, samples int) time.Duration {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	begin := time.Now()
	b, err := Sample(t.Context(), Medium{Name: target.Path, Engine: e, Bytes: target.Bytes, BlockBytes: 512}, Options{Samples: samples})
	took := time.Since(begin)
	if err != nil || b.places.whole {
		t.Fatalf("%v, or the target is too small for samples", err)
	}
	return took
}
