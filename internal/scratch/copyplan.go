package scratch

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"qd1.example/qd1/bench"
)

// Preset is how the bytes of the copy workload are spread over its files.
type Preset string

// The presets. Photos are few and large, the files of a source tree many and
// small. Their sizes are made up, of the kind that such directories have.
const (
	PresetEqual      Preset = "equal"
	PresetPhotos     Preset = "photos"
	PresetSourceTree Preset = "source-tree"
)

// Sync says when the copies have to be on the medium. It is part of the time. At
// the end the whole filesystem is synced, as the command sync does: what other
// programs write to it at the time is in the figure, too.
type Sync string

// When copies are synced.
const (
	SyncEnd  Sync = "end"  // the filesystem, once, after the last file
	SyncFile Sync = "file" // each file before it is closed
	SyncNone Sync = "none" // never: much of what is measured is memory
)

const (
	defaultCopyBlock = 1 << 20
	mostCopyBlock    = 64 << 20
	mostCopyFiles    = 1 << 20
	mostCopyWorkers  = 256
	mostCopyRuns     = 1000
	// fileOverhead is what the filesystem may need for a file besides its data.
	fileOverhead = 512
)

// CopyPlan is the workload of [Copy]. Bytes must be given, and Files for the
// preset "equal"; other zero fields have a default.
type CopyPlan struct {
	// Files is their number. 0: as many as the preset has for Bytes.
	Files int
	// Bytes of all files together.
	Bytes int64
	// Preset of the sizes. "": equal.
	Preset Preset
	// BlockBytes of one read and write, a multiple of 4096. 0: 1 MiB.
	BlockBytes int
	// Workers copy files at the same time. 0: 1.
	Workers int
	// Direct leaves out the page cache. false: as people copy, through the page
	// cache, from which the source has been dropped before.
	Direct bool
	// Sync of the copies. "": at the end.
	Sync Sync
	// Runs is how often all files are copied. 0: once.
	Runs int
	// Reserve and Seed as in [Options].
	Reserve int64
	Seed    uint64
	// Progress is told how far it is about five times a second, on the goroutine
	// that called [Copy]. Nil: nobody is.
	Progress func(CopyProgress)
}

// CopyProgress is how far the workload is.
type CopyProgress struct {
	// Run counts from 1; 0 while the files are being made.
	Run int
	// Files and Bytes that were made or copied in this run.
	Files int64
	Bytes int64
}

// complete fills in the defaults and checks the rest.
func (p CopyPlan) complete() (CopyPlan, error) {
	setDefault(&p.Preset, PresetEqual)
	setDefault(&p.BlockBytes, defaultCopyBlock)
	setDefault(&p.Workers, 1)
	setDefault(&p.Sync, SyncEnd)
	setDefault(&p.Runs, 1)
	if p.Seed == 0 {
		p.Seed = rand.Uint64()
	}
	if p.Progress == nil {
		p.Progress = func(CopyProgress) {}
	}
	if t := p.Preset.table(); p.Files == 0 && len(t) > 1 && p.Bytes > 0 {
		p.Files = int(min(max(p.Bytes*int64(len(t))/sum(t), 1), mostCopyFiles+1))
	}
	return p, p.check()
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// check reports the first field that makes the workload impossible.
func (p CopyPlan) check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("copy: %w: "+format, append([]any{bench.ErrBadJob}, args...)...)
	}
	switch {
	case p.Preset.table() == nil:
		return bad("preset %q: %q, %q and %q are known", p.Preset, PresetEqual, PresetPhotos, PresetSourceTree)
	case p.Files < 1 || p.Files > mostCopyFiles:
		return bad("%d files: 1 to %d are possible", p.Files, mostCopyFiles)
	case p.Bytes < int64(p.Files) || p.Bytes > 1<<60:
		return bad("%d bytes in %d files: at least one in each is needed", p.Bytes, p.Files)
	case p.BlockBytes < leastUnit || p.BlockBytes%leastUnit != 0 || p.BlockBytes > mostCopyBlock:
		return bad("block size of %d bytes: a multiple of %d up to %d is possible", p.BlockBytes, leastUnit, mostCopyBlock)
	case p.Workers < 1 || p.Workers > mostCopyWorkers:
		return bad("%d workers: 1 to %d are possible", p.Workers, mostCopyWorkers)
	case p.Sync != SyncEnd && p.Sync != SyncFile && p.Sync != SyncNone:
		return bad("sync %q: %q, %q and %q are known", p.Sync, SyncEnd, SyncFile, SyncNone)
	case p.Runs < 1 || p.Runs > mostCopyRuns:
		return bad("%d runs: 1 to %d are possible", p.Runs, mostCopyRuns)
	}
	return nil
}

// table returns the sizes in bytes that files have in turn, nil for a preset
// that is not known.
func (p Preset) table() []int64 {
	switch p {
	case PresetEqual:
		return []int64{1}
	case PresetPhotos:
		return []int64{3 << 20, 4 << 20, 5 << 20, 6 << 20, 8 << 20, 10 << 20, 14 << 20, 30 << 20}
	case PresetSourceTree:
		return []int64{300, 700, 1200, 1800, 2600, 3600, 5000, 7000, 11000, 18000, 40000, 150000}
	}
	return nil
}

func sum(values []int64) int64 {
	var s int64
	for _, v := range values {
		s += v
	}
	return s
}

// sizes returns the size of each file. They add up to Bytes.
func (p CopyPlan) sizes() []int64 {
	table := p.Preset.table()
	total := int64(p.Files/len(table))*sum(table) + sum(table[:p.Files%len(table)])
	sizes := make([]int64, p.Files)
	var weight, before int64
	for i := range sizes {
		weight += table[i%len(table)]
		high, low := bits.Mul64(uint64(p.Bytes), uint64(weight))
		end, _ := bits.Div64(high, low, uint64(total))
		sizes[i] = int64(end) - before
		before = int64(end)
	}
	return sizes
}

// space returns the room that the files and one copy of each need.
func (p CopyPlan) space(sizes []int64) int64 {
	var need int64
	for _, n := range sizes {
		need += roundUp(n, leastUnit) + fileOverhead
	}
	return 2 * need
}

// roundUp returns the smallest multiple of unit that is not below n.
func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }
