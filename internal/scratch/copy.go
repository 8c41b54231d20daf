package scratch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"qd1.example/qd1/bench"
)

// The directories in that of the workload.
const (
	sourceDir = "from"
	targetDir = "to"
)

// CopyResult is what copying took.
type CopyResult struct {
	Filesystem Filesystem `json:"filesystem"`
	Preset     Preset     `json:"preset"`
	Files      int        `json:"files"`
	Bytes      int64      `json:"bytes"`
	BlockBytes int        `json:"block_bytes"`
	Workers    int        `json:"workers"`
	// Direct: the page cache was left out.
	Direct bool `json:"direct"`
	Sync   Sync `json:"sync"`
	// FillSeconds is how long it took to make the files.
	FillSeconds float64   `json:"fill_seconds"`
	Runs        []CopyRun `json:"runs"`
	// BytesWritten to the filesystem, the making of the files included.
	BytesWritten int64    `json:"bytes_written"`
	Warnings     []string `json:"warnings,omitempty"`
	// Partial: not all runs were made to their end.
	Partial bool `json:"partial"`
}

// CopyRun is one time that all files were copied.
type CopyRun struct {
	// Files and Bytes that were copied to their end.
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
	// Seconds from the first file to the end of the last one and of its sync, and
	// SyncSeconds the part of them after the last file.
	Seconds     float64 `json:"seconds"`
	SyncSeconds float64 `json:"sync_seconds"`
	// MBPerS is in 10^6 bytes a second, read once and written once.
	MBPerS    float64 `json:"mb_per_s"`
	FilesPerS float64 `json:"files_per_s"`
	// MediumPercent is the share of the bytes that the kernel fetched from
	// storage for this process (read_bytes of /proc/PID/io); the rest came from
	// memory, or a program or a network is the storage. More than 100 is reading
	// ahead. Nil: not known.
	MediumPercent *float64 `json:"medium_percent"`
	// Latency and Histogram are of whole files, from opening to closing.
	Latency   bench.Latency    `json:"latency_us"`
	Histogram *bench.Histogram `json:"histogram,omitempty"`
	Partial   bool             `json:"partial"`
}

// Copy makes files in a new directory in dir, copies them to another one beside
// it and removes everything. Each byte is read and written: copy_file_range and
// reflinks are not used, because where filesystems share blocks they copy
// nothing, and would measure that. Files are filled with data that do not
// repeat.
//
// If ctx ends or a copy fails, what was measured until then is returned with the
// error.
func Copy(ctx context.Context, dir string, plan CopyPlan) (CopyResult, error) {
	return kernel().copyFiles(ctx, dir, plan)
}

func (c calls) copyFiles(ctx context.Context, dir string, plan CopyPlan) (CopyResult, error) {
	plan, err := plan.complete()
	if err != nil {
		return CopyResult{}, err
	}
	p, err := openPlace(c, dir)
	if err != nil {
		return CopyResult{}, err
	}
	sizes := plan.sizes()
	if err := p.room(plan.space(sizes), plan.Reserve); err != nil {
		return CopyResult{}, errors.Join(err, p.close())
	}
	k, err := p.keep(p.createDir)
	if err != nil {
		return CopyResult{}, errors.Join(err, p.close())
	}
	w := &copyWork{CopyPlan: plan, kept: k, sizes: sizes, unit: leastUnit}
	err = w.do(ctx)
	return w.result, errors.Join(err, k.close())
}

// createDir makes an empty directory that was not there.
func (p *place) createDir(name string) (*os.File, error) {
	if err := p.root.Mkdir(name, 0o700); err != nil {
		return nil, err
	}
	return p.root.Open(name)
}

// copyWork is a workload under way.
type copyWork struct {
	CopyPlan
	kept  *kept
	sizes []int64
	unit  int64 // of direct I/O
	from  int   // descriptor of the directory of the files
	told  time.Time

	doubted bool
	result  CopyResult
}

// do makes the files and copies them in each run.
func (w *copyWork) do(ctx context.Context) error {
	w.result = CopyResult{
		Filesystem: w.kept.place.filesystem, Preset: w.Preset, Files: w.Files, Bytes: w.Bytes,
		BlockBytes: w.BlockBytes, Workers: w.Workers, Direct: w.Direct, Sync: w.Sync, Partial: true,
	}
	w.warn()
	var err error
	if w.from, err = w.mkdir(sourceDir); err != nil {
		return err
	}
	defer unix.Close(w.from)
	begin := time.Now()
	if err := w.fill(ctx); err != nil {
		return err
	}
	w.result.FillSeconds = time.Since(begin).Seconds()
	for i := range w.Runs {
		if err := w.run(ctx, i+1); err != nil {
			return err
		}
	}
	w.result.Partial = false
	return nil
}

// warn says what makes the figures doubtful.
func (w *copyWork) warn() {
	if s := w.kept.place.filesystem.warning(); s != "" {
		w.result.Warnings = append(w.result.Warnings, s)
	}
	if w.Sync == SyncNone && !w.Direct {
		w.result.Warnings = append(w.result.Warnings, "The copies were not synced: part of them was only written to memory.")
	}
}

// mkdir makes a directory in that of the workload and opens it.
func (w *copyWork) mkdir(name string) (int, error) {
	p, in := w.kept.place, int(w.kept.handle.Fd())
	if err := unix.Mkdirat(in, name, 0o700); err != nil {
		return -1, accessError(filepath.Join(p.dir, w.kept.name), p.filesystem, err)
	}
	return unix.Openat(in, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}

// run copies all files once.
func (w *copyWork) run(ctx context.Context, number int) error {
	if err := w.dropSource(ctx); err != nil {
		return err
	}
	to, err := w.mkdir(targetDir)
	if err != nil {
		return err
	}
	defer unix.Close(to)
	done, err := w.copyAll(ctx, to, number)
	w.result.Runs = append(w.result.Runs, done)
	if err != nil || number == w.Runs {
		return err
	}
	return w.discard(to)
}

// discard removes the copies, so that the next run has the same room, and waits
// until that is done.
func (w *copyWork) discard(to int) error {
	return errors.Join(w.kept.place.root.RemoveAll(filepath.Join(w.kept.name, targetDir)), unix.Syncfs(to))
}

// copyAll copies with all workers and sums up.
func (w *copyWork) copyAll(ctx context.Context, to, number int) (CopyRun, error) {
	before, known := readBytes()
	begin := time.Now()
	t, err := w.work(ctx, to, number)
	copied := time.Since(begin)
	if err == nil && w.Sync == SyncEnd {
		err = unix.Syncfs(to)
	}
	took := time.Since(begin)
	run := CopyRun{
		Files: t.files.Load(), Bytes: t.whole.Load(), Seconds: took.Seconds(), SyncSeconds: (took - copied).Seconds(),
		Histogram: &t.latency, Latency: bench.LatencyOf(&t.latency), Partial: err != nil,
	}
	run.MBPerS = float64(run.Bytes) / 1e6 / run.Seconds
	run.FilesPerS = float64(run.Files) / run.Seconds
	if after, ok := readBytes(); ok && known && run.Bytes > 0 {
		run.MediumPercent = new(100 * float64(after-before) / float64(run.Bytes))
		w.doubt(run)
	}
	w.result.BytesWritten += t.bytes.Load()
	if err != nil && ctx.Err() == nil {
		return run, writeError(w.kept.place, t.bytes.Load(), w.Bytes, err)
	}
	if err != nil {
		err = fmt.Errorf("%d of %d files were copied: %w", run.Files, w.Files, ctx.Err())
	}
	return run, err
}
