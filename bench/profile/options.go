package profile

import (
	"fmt"
	"slices"
	"time"

	"qd1.example/qd1/bench"
)

// Options change a profile. The zero value changes nothing.
type Options struct {
	// Sizes of the test file or the span in bytes. The whole profile is run for
	// each, in order. Empty: that of the profile.
	Sizes []int64
	// Runs of each row. 0: those of the profile.
	Runs int
	// Duration of each run that has an end by time, and of the run that does
	// not count. 0: that of the profile.
	Duration time.Duration
	// Interval is the pause between rows. 0: that of the profile. Negative:
	// none.
	Interval time.Duration
	// ReadPercent is the share of reads in mixed rows. 0: that of the profile.
	ReadPercent int
	// Engine for all rows. "": that of the profile.
	Engine string
	// ReadOnly leaves out the rows that write.
	ReadOnly bool
	// CPUs is the number of CPUs; rows of a matrix with more workers are left
	// out. 0: no limit.
	CPUs int
	// MaxBlockBytes is the largest block that the target or the engine can do;
	// rows with a larger one are left out. 0: no limit.
	MaxBlockBytes int
	// Seed of the first step; each further step has the next one. 0: every run
	// chooses its own.
	Seed uint64
}

// check reports options that make no sense.
func (o Options) check() error {
	var fault string
	switch {
	case o.Runs < 0 || o.Runs > 1000:
		fault = fmt.Sprintf("%d runs: 1 to 1000 are possible", o.Runs)
	case o.Duration < 0:
		fault = "a duration is negative"
	case o.ReadPercent < 0 || o.ReadPercent > 99:
		fault = fmt.Sprintf("%d %% of reads in a mix: 1 to 99 are possible", o.ReadPercent)
	case slices.ContainsFunc(o.Sizes, func(n int64) bool { return n <= 0 }):
		fault = "a size is not positive"
	default:
		return nil
	}
	return fmt.Errorf("%w: %s", bench.ErrBadJob, fault)
}

// leaveOut returns why the row of a profile is not run, "" if it is. Only the
// matrix of iometer gives way to the number of CPUs: the other programs start
// their threads on any machine.
func leaveOut(r Row, profile string, t bench.Target, o Options) string {
	block := r.Job.BlockBytes
	switch {
	case o.ReadOnly && r.Writes():
		return "it writes"
	case o.CPUs > 0 && r.Job.Workers > o.CPUs && profile == "iometer":
		return fmt.Sprintf("it has %d workers, the host has %d CPUs", r.Job.Workers, o.CPUs)
	case t.BlockBytes > 0 && block%t.BlockBytes != 0:
		return fmt.Sprintf("blocks of %s are no multiple of the %d bytes that the target is addressed in", sizeName(int64(block)), t.BlockBytes)
	case o.MaxBlockBytes > 0 && block > o.MaxBlockBytes:
		return fmt.Sprintf("blocks of %s are larger than the %s that are possible", sizeName(int64(block)), sizeName(int64(o.MaxBlockBytes)))
	case t.Bytes > 0 && int64(block) > t.Bytes:
		return fmt.Sprintf("blocks of %s are larger than the target", sizeName(int64(block)))
	}
	return ""
}
