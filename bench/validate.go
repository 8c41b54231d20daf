package bench

import "fmt"

// Validate reports the first field that makes the job impossible. What depends
// on the target is checked by [Run].
func (j Job) Validate() error {
	switch {
	case j.Engine == "":
		return badJob("no engine")
	case j.Op != OpRead && j.Op != OpWrite && j.Op != OpMix:
		return badJob("operation %q: %q, %q and %q are known", j.Op, OpRead, OpWrite, OpMix)
	case j.Pattern != Random && j.Pattern != Sequential:
		return badJob("pattern %q: %q and %q are known", j.Pattern, Random, Sequential)
	case j.BlockBytes < 512 || j.BlockBytes > maxBlockBytes || j.BlockBytes%512 != 0:
		return badJob("block size of %d bytes: a multiple of 512 up to %d is possible", j.BlockBytes, maxBlockBytes)
	case j.QueueDepth < 1 || j.QueueDepth > maxQueueDepth:
		return badJob("queue depth %d: 1 to %d is possible", j.QueueDepth, maxQueueDepth)
	case j.Workers < 1 || j.Workers > maxWorkers:
		return badJob("%d workers: 1 to %d are possible", j.Workers, maxWorkers)
	}
	if err := j.validateWorkload(); err != nil {
		return err
	}
	return j.validateExtent()
}

// validateWorkload checks the fields that say what is written, and when.
func (j Job) validateWorkload() error {
	if _, err := contentShare(j.Content); err != nil {
		return err
	}
	polled := j.Engine == EngineUring || j.Engine == EnginePassthru
	switch {
	case j.ReadPercent != 0 && j.Op != OpMix:
		return badJob("a share of reads of %d %% is for a mix only", j.ReadPercent)
	case j.ReadPercent < 0 || j.ReadPercent > 99:
		return badJob("a share of reads of %d %%: 1 to 99 are possible", j.ReadPercent)
	case j.Rate != 0 && !(j.Rate >= minRate && j.Rate <= maxRate):
		return badJob("rate of %g operations a second: %g to %g are possible", j.Rate, minRate, maxRate)
	case j.ThinkTime < 0 || j.ThinkTime > maxThinkTime:
		return badJob("think time of %v: up to %v is possible", j.ThinkTime, maxThinkTime)
	case j.Rate > 0 && j.ThinkTime > 0:
		return badJob("a rate and a think time exclude each other")
	case (j.IOPoll || j.SQPoll) && !polled:
		return badJob("engine %q does not poll: %q and %q can", j.Engine, EngineUring, EnginePassthru)
	}
	return nil
}

// validateExtent checks the fields that say how long and how far a job goes.
func (j Job) validateExtent() error {
	block := int64(j.BlockBytes)
	switch {
	case j.Duration < 0 || j.Warmup < 0 || j.StallLimit < 0:
		return badJob("a duration is negative")
	case j.Operations < 0 || j.TotalBytes < 0 || j.Span < 0 || j.Start < 0 || j.MaxErrors < -1:
		return badJob("a limit is negative")
	case j.Duration == 0 && j.Operations == 0 && j.TotalBytes == 0:
		return badJob("no end: give a duration, a number of operations or of bytes")
	case j.TotalBytes > 0 && j.TotalBytes < block:
		return badJob("%d bytes in all are less than one block of %d", j.TotalBytes, block)
	case j.Span > 0 && j.Span < block:
		return badJob("span of %d bytes is less than one block of %d", j.Span, block)
	case j.Start%block != 0:
		return badJob("start at byte %d is not a multiple of the block size of %d", j.Start, block)
	case j.Duration > maxDuration || j.Warmup > maxWarmup:
		return badJob("a duration is too long: up to %v are possible, and %v of warm-up", maxDuration, maxWarmup)
	case j.memory() > 1<<32:
		return badJob("%d bytes of buffers: up to %d are possible", j.memory(), int64(1)<<32)
	}
	return nil
}

func badJob(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrBadJob}, args...)...)
}
