package main

import (
	"fmt"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/scratch"
)

const (
	// copyFiles and copyBytes are the workload of copying, unless the flags say
	// otherwise.
	copyFiles = 64
	copyBytes = 1 << 30
)

// prepareCopy checks that there is a directory to copy in.
func (m *measurement) prepareCopy() error {
	if m.place.directory == "" {
		return usagef("--profile copy needs a directory on the drive; it makes files there, copies them and removes all of them")
	}
	if note := leftoversNote(m.place.directory); note != "" {
		m.report.Warnings = append(m.report.Warnings, note)
	}
	m.report.Conditions = conditionsOf(m.place)
	m.report.Target = m.place.BenchTarget
	m.report.Profile = &report.BenchProfile{Name: copyProfile, Title: "files copied within a directory"}
	m.started = m.in.env.now()
	return nil
}

// runCopy copies files, through the page cache as people do it and by direct
// I/O.
func (m *measurement) runCopy() error {
	sizes := m.load.options.Sizes
	if len(sizes) == 0 {
		sizes = []int64{copyBytes}
	}
	for _, bytes := range sizes {
		for _, direct := range []bool{false, true} {
			if err := m.copyOnce(bytes, direct); err != nil {
				return benchError(err)
			}
		}
	}
	return nil
}

func (m *measurement) copyOnce(bytes int64, direct bool) error {
	plan := scratch.CopyPlan{
		Bytes: bytes, Files: copyFiles, Preset: scratch.Preset(m.in.String("preset")), Workers: m.in.Int("workers"),
		Direct: direct, Runs: m.load.options.Runs, Seed: m.load.options.Seed,
		Progress: func(p scratch.CopyProgress) {
			what := "making files"
			if p.Run > 0 {
				what = fmt.Sprintf("copying, run %d", p.Run)
			}
			m.progress.text(fmt.Sprintf("%s: %d files, %s of %s", what, p.Files, sizeText(p.Bytes), sizeText(bytes)))
		},
	}
	if n := m.in.Int("files"); n > 0 {
		plan.Files = n
	} else if plan.Preset != scratch.PresetEqual && plan.Preset != "" {
		plan.Files = 0
	}
	result, err := scratch.Copy(m.in.Context.Context, m.place.directory, plan)
	if result.Runs != nil {
		m.report.Copy = append(m.report.Copy, result)
	}
	return err
}
