package scratch

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/bench"
)

func TestCopy(t *testing.T) {
	tests := []struct {
		name string
		plan CopyPlan
	}{
		{"cached", CopyPlan{Files: 7, Bytes: 3*mib + 1}},
		{"direct", CopyPlan{Files: 7, Bytes: 3*mib + 1, Direct: true}},
		{"small blocks, synced by file, two runs", CopyPlan{Files: 3, Bytes: mib, BlockBytes: 4096, Sync: SyncFile, Runs: 2}},
		{"workers", CopyPlan{Files: 20, Bytes: 4 * mib, Workers: 4, Direct: true}},
		{"source tree", CopyPlan{Bytes: mib, Preset: PresetSourceTree, Workers: 2}},
		{"photos", CopyPlan{Bytes: 20 * mib, Preset: PresetPhotos}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := diskDir(t)
			tt.plan.Reserve = -1
			r, err := Copy(t.Context(), dir, tt.plan)
			if err != nil {
				t.Fatal(err)
			}
			if r.Partial || r.Bytes != tt.plan.Bytes || r.Direct != tt.plan.Direct || r.FillSeconds <= 0 || len(r.Runs) != max(tt.plan.Runs, 1) {
				t.Errorf("result is %+v", r)
			}
			if want := tt.plan.Bytes * int64(len(r.Runs)+1); r.BytesWritten != want {
				t.Errorf("%d bytes were written, want %d", r.BytesWritten, want)
			}
			for _, run := range r.Runs {
				if run.Partial || run.Bytes != r.Bytes || run.Files != int64(r.Files) || run.Histogram.Count() != run.Files {
					t.Errorf("run is %+v, want %d files of %d bytes", run, r.Files, r.Bytes)
				}
				if run.Seconds <= 0 || run.SyncSeconds > run.Seconds || run.MBPerS <= 0 || run.FilesPerS <= 0 || run.Latency.Mean == nil {
					t.Errorf("figures are %+v", run)
				}
			}
			wantEmpty(t, dir)
		})
	}
}

// TestCopyCopies looks at the copies before they are removed.
func TestCopyCopies(t *testing.T) {
	for _, direct := range []bool{false, true} {
		dir, c := diskDir(t), kernel()
		looked := 0
		var guard sync.Mutex
		plan := CopyPlan{Files: 5, Bytes: 5*300000 + 3, Direct: direct, Workers: 2, BlockBytes: 64 << 10, Reserve: -1, Seed: 3}
		plan.Progress = func(p CopyProgress) {
			if p.Run != 1 || p.Files != 5 {
				return
			}
			guard.Lock()
			defer guard.Unlock()
			looked++
			var place int64
			for i, size := range []int64{300000, 300001, 300000, 300001, 300001} {
				want := make([]byte, roundUp(size, 32))
				content(want, 3, place)
				place += roundUp(size, leastUnit)
				for _, half := range []string{sourceDir, targetDir} {
					match, _ := filepath.Glob(filepath.Join(dir, "qd1-bench-*.tmp", half, fileName(i)))
					if len(match) != 1 {
						t.Fatalf("file %d is not in %s", i, half)
					}
					if got, err := os.ReadFile(match[0]); err != nil || !bytes.Equal(got, want[:size]) {
						t.Errorf("direct %t: %s of %d bytes is not what was to be written, %v", direct, match[0], len(got), err)
					}
				}
			}
		}
		if _, err := c.copyFiles(t.Context(), dir, plan); err != nil || looked != 1 {
			t.Errorf("%v, looked %d times", err, looked)
		}
	}
}

func TestCopyInterrupted(t *testing.T) {
	for _, at := range []int{0, 1, 2} { // While filling, in the first and in the second run.
		dir := diskDir(t)
		ctx, cancel := context.WithCancel(t.Context())
		c, n := kernel(), 0
		c.pwrite = func(fd int, p []byte, offset int64) (int, error) {
			if n++; n == 8*at+4 {
				cancel()
			}
			return unix.Pwrite(fd, p, offset)
		}
		r, err := c.copyFiles(ctx, dir, CopyPlan{Files: 8, Bytes: 8 * 8192, Runs: 2, Reserve: -1})
		if !errors.Is(err, context.Canceled) || !r.Partial || len(r.Runs) != at {
			t.Errorf("at %d: %d runs, partial %t, %v, want %d runs and canceled", at, len(r.Runs), r.Partial, err, at)
		}
		for i, run := range r.Runs {
			if whole := i < at-1; run.Partial == whole || (run.Files == 8) != whole {
				t.Errorf("at %d: run %d is %+v", at, i, run)
			}
		}
		wantEmpty(t, dir)
	}
}

func TestCopyFailures(t *testing.T) {
	tests := []struct {
		name   string
		change func(*calls)
		plan   CopyPlan
		want   error
		parts  []string
	}{
		{"full while filling", func(c *calls) { c.pwrite = failWrite(3, unix.ENOSPC) }, CopyPlan{}, ErrSpace, []string{"is full", "16 KiB of 64 KiB were written"}},
		{"full while copying", func(c *calls) { c.pwrite = failWrite(11, unix.ENOSPC) }, CopyPlan{}, ErrSpace, []string{"is full", "16 KiB of 64 KiB"}},
		{"quota while copying", func(c *calls) { c.pwrite = failWrite(11, unix.EDQUOT) }, CopyPlan{}, ErrSpace, []string{"quota"}},
		{"direct refused", func(c *calls) { c.pwrite = failWrite(9, unix.EINVAL) }, CopyPlan{Direct: true}, ErrNotDirect, nil},
		{"sync fails", func(c *calls) { c.fsync = func(int) error { return unix.EIO } }, CopyPlan{Sync: SyncFile}, unix.EIO, nil},
		{"workers fail", func(c *calls) { c.pwrite = func(int, []byte, int64) (int, error) { return 0, unix.EIO } }, CopyPlan{Workers: 3}, unix.EIO, nil},
	}
	for _, tt := range tests {
		dir, c := diskDir(t), kernel()
		tt.change(&c)
		tt.plan.Files, tt.plan.Bytes, tt.plan.Reserve = 8, 8*8192, -1
		r, err := c.copyFiles(t.Context(), dir, tt.plan)
		if !errors.Is(err, tt.want) || !r.Partial {
			t.Errorf("%s: %v, partial %t, want %v", tt.name, err, r.Partial, tt.want)
		}
		for _, p := range tt.parts {
			if err != nil && !strings.Contains(err.Error(), p) {
				t.Errorf("%s: error %q does not contain %q", tt.name, err, p)
			}
		}
		wantEmpty(t, dir)
	}
}

// failWrite fails write n, counted from 1.
func failWrite(n int, err error) func(int, []byte, int64) (int, error) {
	return func(fd int, p []byte, offset int64) (int, error) {
		if n--; n == 0 {
			return 0, err
		}
		return unix.Pwrite(fd, p, offset)
	}
}

func TestCopyShortFile(t *testing.T) {
	dir, c := diskDir(t), kernel()
	shorten := func(p CopyProgress) {
		if p.Run == 0 && p.Files == 2 {
			match, _ := filepath.Glob(filepath.Join(dir, "*", sourceDir, fileName(1)))
			os.Truncate(match[0], 100)
		}
	}
	_, err := c.copyFiles(t.Context(), dir, CopyPlan{Files: 2, Bytes: 16384, Reserve: -1, Progress: shorten})
	if err == nil || !strings.Contains(err.Error(), "unexpected EOF") {
		t.Errorf("a file became shorter: %v", err)
	}
}

func TestCopyFull(t *testing.T) {
	dir := small(t, "ext4")
	_, err := Copy(t.Context(), dir, CopyPlan{Files: 2, Bytes: 64 * mib, Reserve: -1})
	wantError(t, err, ErrSpace, "would be needed")
	c := kernel()
	c.statfs = roomy
	for _, plan := range []CopyPlan{{Files: 10, Bytes: 64 * mib}, {Files: 10, Bytes: 18 * mib}, {Files: 10, Bytes: 18 * mib, Direct: true}} {
		r, err := c.copyFiles(t.Context(), dir, plan)
		wantError(t, err, ErrSpace, "the ext4 filesystem of", "is full", "of "+size(plan.Bytes)+" were written")
		if !r.Partial {
			t.Error("the result is not partial")
		}
		wantEmpty(t, dir)
	}
}

func TestCopyReadOnly(t *testing.T) {
	dir := mounted(t, "ext4", 32, nil, "")
	command(t, "mount", "-o", "remount,ro", dir)
	_, err := Copy(t.Context(), dir, CopyPlan{Files: 1, Bytes: mib, Reserve: -1})
	wantError(t, err, ErrReadOnly, "mounted read-only")
}

// TestCopyOnReflinkFilesystem holds that the copies are real where the
// filesystem could share the blocks.
func TestCopyOnReflinkFilesystem(t *testing.T) {
	for _, kind := range []string{"xfs", "btrfs"} {
		dir := small(t, kind)
		looked := false
		plan := CopyPlan{Files: 2, Bytes: 4 * mib, Reserve: -1, Sync: SyncFile, Progress: func(p CopyProgress) {
			match, _ := filepath.Glob(filepath.Join(dir, "*", targetDir, fileName(0)))
			if p.Files != 2 || len(match) != 1 {
				return
			}
			looked = true
			if e, err := CheckReadable(match[0], 0, 0); err != nil || e.Shared != 0 || e.Written != 2*mib {
				t.Errorf("the copy is %+v, %v, want written and not shared", e, err)
			}
		}}
		if _, err := Copy(t.Context(), dir, plan); err != nil || !looked {
			t.Errorf("%v, looked: %t", err, looked)
		}
	}
}

func TestCopyReadsTheMedium(t *testing.T) {
	if _, ok := readBytes(); !ok {
		t.Skip("SKIPPED: /proc/self/io does not tell read_bytes")
	}
	dir := diskDir(t)
	r, err := Copy(t.Context(), dir, CopyPlan{Files: 4, Bytes: 8 * mib, Runs: 2, Reserve: -1})
	if err != nil {
		t.Fatal(err)
	}
	for i, run := range r.Runs {
		if run.MediumPercent == nil || *run.MediumPercent < leastMedium {
			t.Errorf("run %d: %v %% came from the medium, warnings %q", i+1, run.MediumPercent, r.Warnings)
		}
	}
}

func TestCopyWarnings(t *testing.T) {
	w := copyWork{kept: &kept{place: &place{filesystem: Filesystem{Type: "nfs"}}}, CopyPlan: CopyPlan{Sync: SyncNone}}
	w.warn()
	for range 2 {
		w.doubt(CopyRun{MediumPercent: new(10.0)})
	}
	w.doubt(CopyRun{MediumPercent: new(10.0), Partial: true})
	w.doubt(CopyRun{MediumPercent: new(120.0)})
	got := joined(w.result.Warnings)
	if len(w.result.Warnings) != 3 || !strings.Contains(got, "nfs") || !strings.Contains(got, "not synced") || !strings.Contains(got, "Only 10 %") {
		t.Errorf("warnings are %q", got)
	}
}

func TestFindReadBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"rchar: 5\nread_bytes: 4096\nwrite_bytes: 7\n": 4096, "read_bytes: 0": 0, "": -1, "read_bytes: x\n": -1, "read_bytes: -4\n": -1, "xread_bytes: 4\n": -1,
	} {
		n, ok := findReadBytes(text)
		if ok != (want >= 0) || ok && n != want {
			t.Errorf("%q: %d, %t, want %d", text, n, ok, want)
		}
	}
}

func FuzzFindReadBytes(f *testing.F) {
	f.Add("rchar: 5\nread_bytes: 4096\n")
	f.Fuzz(func(t *testing.T, text string) {
		if n, ok := findReadBytes(text); ok && n < 0 {
			t.Errorf("%d bytes", n)
		}
	})
}

func TestCopyPlanDefaults(t *testing.T) {
	p, err := CopyPlan{Files: 3, Bytes: 1000}.complete()
	if err != nil || p.Preset != PresetEqual || p.BlockBytes != mib || p.Workers != 1 || p.Sync != SyncEnd || p.Runs != 1 || p.Seed == 0 || p.Progress == nil {
		t.Errorf("defaults are %+v, %v", p, err)
	}
	if got, want := p.sizes(), []int64{333, 333, 334}; !slices.Equal(got, want) {
		t.Errorf("sizes are %v, want %v", got, want)
	}
	if got, want := p.space(p.sizes()), int64(2*3*(4096+512)); got != want {
		t.Errorf("room for %d bytes is asked for, want %d", got, want)
	}
}

func TestCopyPlanPresets(t *testing.T) {
	for _, tt := range []struct {
		plan         CopyPlan
		files        int
		small, large int64 // bounds of the sizes
	}{
		{CopyPlan{Preset: PresetPhotos, Bytes: 80 * mib}, 8, 3 * mib, 30 * mib},
		{CopyPlan{Preset: PresetPhotos, Bytes: 1 << 30}, 102, 2 * mib, 31 * mib},
		{CopyPlan{Preset: PresetPhotos, Bytes: 100}, 1, 100, 100},
		{CopyPlan{Preset: PresetPhotos, Bytes: 8 * mib, Files: 8}, 8, 300 << 10, 3 * mib},
		{CopyPlan{Preset: PresetSourceTree, Bytes: 1 << 30}, 53419, 290, 151000},
		{CopyPlan{Preset: PresetEqual, Bytes: 1 << 40, Files: 1 << 20}, 1 << 20, mib, mib},
	} {
		p, err := tt.plan.complete()
		if err != nil {
			t.Fatal(err)
		}
		sizes := p.sizes()
		if len(sizes) != tt.files || sum(sizes) != tt.plan.Bytes || slices.Min(sizes) < tt.small || slices.Max(sizes) > tt.large {
			t.Errorf("%+v: %d files of %d to %d bytes, %d in all", tt.plan, len(sizes), slices.Min(sizes), slices.Max(sizes), sum(sizes))
		}
	}
}

func TestCopyPlanRefuses(t *testing.T) {
	good := CopyPlan{Files: 2, Bytes: 8192}
	for name, change := range map[string]func(*CopyPlan){
		"preset":         func(p *CopyPlan) { p.Preset = "music" },
		"no files":       func(p *CopyPlan) { p.Files = 0 },
		"many files":     func(p *CopyPlan) { p.Files, p.Bytes = 1<<20+1, 1<<30 },
		"many small":     func(p *CopyPlan) { p.Preset, p.Files, p.Bytes = PresetSourceTree, 0, 1<<40 },
		"no bytes":       func(p *CopyPlan) { p.Bytes = 0 },
		"few bytes":      func(p *CopyPlan) { p.Bytes = 1 },
		"too many bytes": func(p *CopyPlan) { p.Bytes = 1<<60 + 1 },
		"block":          func(p *CopyPlan) { p.BlockBytes = 5000 },
		"large block":    func(p *CopyPlan) { p.BlockBytes = 128 * mib },
		"workers":        func(p *CopyPlan) { p.Workers = -1 },
		"sync":           func(p *CopyPlan) { p.Sync = "sometimes" },
		"runs":           func(p *CopyPlan) { p.Runs = -1 },
	} {
		p := good
		change(&p)
		if _, err := Copy(t.Context(), t.TempDir(), p); !errors.Is(err, bench.ErrBadJob) {
			t.Errorf("%s: %v, want %v", name, err, bench.ErrBadJob)
		}
	}
	if _, err := Copy(t.Context(), "/nonexistent", good); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}
