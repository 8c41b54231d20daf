package profile

import (
	"slices"
	"strings"
	"time"

	"qd1.example/qd1/bench"
)

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30

	// cdmTime is the length of a run, of the pass that is discarded and of the
	// pause between rows.
	cdmTime = 5 * time.Second
	cdmRuns = 5
	// cdm3Limit is ours: the original has no limit by time, as far as known.
	cdm3Limit = 60 * time.Second
)

// cdm3 is CrystalDiskMark 3.0.
func cdm3(string) *Profile {
	rows := rowsOf([]shape{
		{"Seq", bench.Sequential, 1 * mib, 1, 1},
		{"512K", bench.Random, 512 * kib, 1, 1},
		{"4K", bench.Random, 4 * kib, 1, 1},
		{"4KQD32", bench.Random, 4 * kib, 32, 1},
	}, cdm3Limit, PickBest, bench.OpRead, bench.OpWrite)
	for i := range rows {
		rows[i].WholeSize = true
	}
	return &Profile{
		Title:       "CrystalDiskMark 3.0",
		Description: "Four rows on 1000 MiB, each run as long as the size takes.",
		Rows:        rows,
		Runs:        cdmRuns,
		Interval:    cdmTime,
		SizeBytes:   1000 * mib,
	}
}

// cdm returns what versions 5 to 8 have in common.
func cdm(title, description string, shapes []shape, ops ...bench.Op) *Profile {
	return &Profile{
		Title:       title,
		Description: description,
		Rows:        rowsOf(shapes, cdmTime, PickBest, ops...),
		Runs:        cdmRuns,
		Prepare:     cdmTime,
		Interval:    cdmTime,
		SizeBytes:   1 * gib,
	}
}

// cdm5 is CrystalDiskMark 5.1.2.
func cdm5(string) *Profile {
	return cdm("CrystalDiskMark 5.1", "The four rows of version 5.", []shape{
		{"Seq Q32T1", bench.Sequential, 128 * kib, 32, 1},
		{"4K Q32T1", bench.Random, 4 * kib, 32, 1},
		{"Seq", bench.Sequential, 1 * mib, 1, 1},
		{"4K", bench.Random, 4 * kib, 1, 1},
	}, bench.OpRead, bench.OpWrite)
}

// cdm6 is CrystalDiskMark 6.0.0.
func cdm6(string) *Profile {
	return cdm("CrystalDiskMark 6.0", "The four rows of version 6.", []shape{
		{"Seq Q32T1", bench.Sequential, 128 * kib, 32, 1},
		{"4KiB Q8T8", bench.Random, 4 * kib, 8, 8},
		{"4KiB Q32T1", bench.Random, 4 * kib, 32, 1},
		{"4KiB Q1T1", bench.Random, 4 * kib, 1, 1},
	}, bench.OpRead, bench.OpWrite)
}

// cdm8 is CrystalDiskMark 8.0 with the setting and the profile of the variant.
func cdm8(variant string) *Profile {
	words := strings.Split(variant, "+")
	ops := []bench.Op{bench.OpRead, bench.OpWrite}
	if slices.Contains(words, "mix") {
		ops = append(ops, bench.OpMix)
	}
	what := "The four default rows"
	switch {
	case slices.Contains(words, "peak"):
		what = "The two rows of peak performance"
	case slices.Contains(words, "real"):
		what = "The two rows of real world performance"
	case slices.Contains(words, "demo"):
		what = "The one row of the demo"
	}
	if slices.Contains(words, "nvme") {
		what += " with the setting for NVMe"
	}
	if len(ops) == 3 {
		what += ", also mixed"
	}
	return cdm("CrystalDiskMark 8.0", what+".", cdm8Shapes(words), ops...)
}

// cdm8Shapes returns the rows of version 8.
func cdm8Shapes(words []string) []shape {
	seq8 := shape{"SEQ1M Q8T1", bench.Sequential, 1 * mib, 8, 1}
	seq1 := shape{"SEQ1M Q1T1", bench.Sequential, 1 * mib, 1, 1}
	rnd32 := shape{"RND4K Q32T1", bench.Random, 4 * kib, 32, 1}
	rnd1 := shape{"RND4K Q1T1", bench.Random, 4 * kib, 1, 1}
	second := seq1
	if slices.Contains(words, "nvme") {
		second = shape{"SEQ128K Q32T1", bench.Sequential, 128 * kib, 32, 1}
		rnd32 = shape{"RND4K Q32T16", bench.Random, 4 * kib, 32, 16}
	}
	switch {
	case slices.Contains(words, "peak"):
		return []shape{seq8, rnd32}
	case slices.Contains(words, "real"):
		return []shape{seq1, rnd1}
	case slices.Contains(words, "demo"):
		return []shape{seq8}
	}
	return []shape{seq8, second, rnd32, rnd1}
}
