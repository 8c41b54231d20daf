package profile

import (
	"time"

	"qd1.example/qd1/bench"
)

// Rated is what the maker states of a drive. 0: not known.
type Rated struct {
	// ReadMBs and WriteMBs are sequential, in 10^6 bytes a second.
	ReadMBs  float64
	WriteMBs float64
	// ReadIOPS and WriteIOPS are 4 KiB random at a deep queue.
	ReadIOPS  float64
	WriteIOPS float64
	// ReadLatencyUS and WriteLatencyUS are 4 KiB random, one at a time, in µs.
	ReadLatencyUS  float64
	WriteLatencyUS float64
}

// RatedFigure names one figure of a rating.
type RatedFigure string

// The figures of a rating. NoRatedFigure is for workloads that no maker rates.
const (
	NoRatedFigure     RatedFigure = ""
	RatedReadMBs      RatedFigure = "sequential read"
	RatedWriteMBs     RatedFigure = "sequential write"
	RatedReadIOPS     RatedFigure = "random read"
	RatedWriteIOPS    RatedFigure = "random write"
	RatedReadLatency  RatedFigure = "read latency"
	RatedWriteLatency RatedFigure = "write latency"
)

// Plausibility says whether a figure can be one of the drive.
type Plausibility string

// The verdicts.
const (
	// Plausible is the usual case.
	Plausible Plausibility = ""
	// HostLimited is so little of the rated figure that the host, the link or
	// the set-up is measured and not the drive.
	HostLimited Plausibility = "host-limited"
	// AboveRated is so much more than the rated figure that something else than
	// the medium has answered: a cache, blocks that were never written, or the
	// rating is of another drive.
	AboveRated Plausibility = "above rated"
)

const (
	// ratedSequentialBlock and ratedSequentialDepth are the least block size and
	// number in flight at which a drive can be expected to reach its rated
	// sequential speed; ratedRandomDepth is that for random blocks of 4 KiB.
	// Makers rate with 128 KiB and 32 or more in flight.
	ratedSequentialBlock = 128 << 10
	ratedSequentialDepth = 8
	ratedRandomDepth     = 32
	ratedRandomBlock     = 4 << 10

	// hostLimitedPercent and aboveRatedPercent of the rated performance bound
	// what is plausible. A 900P that wrote 4 KiB at 2 % of its rating is the
	// case that shows the need for the first.
	hostLimitedPercent = 5
	aboveRatedPercent  = 130
)

// Comparison is a figure beside the rated one.
type Comparison struct {
	Figure RatedFigure `json:"figure"`
	// Rated and Measured in the unit of the rated figure: MB/s, IOPS or µs.
	Rated    float64 `json:"rated"`
	Measured float64 `json:"measured"`
	// Percent is the measured performance as a share of the rated one: of a
	// latency, rated by measured. More is better.
	Percent      float64      `json:"percent"`
	Plausibility Plausibility `json:"plausibility,omitempty"`
}

// RatedFigureOf returns the rated figure that a workload can be compared with:
// sequential speed from blocks of 128 KiB with 8 in flight on, random
// operations a second of 4 KiB with 32 in flight or more, and the latency of
// 4 KiB random one at a time without pauses.
func RatedFigureOf(j bench.Job) RatedFigure {
	read := j.Op == bench.OpRead
	if j.Op == bench.OpMix || j.Rate > 0 || j.ThinkTime > 0 {
		return NoRatedFigure
	}
	inFlight := j.QueueDepth * j.Workers
	switch {
	case j.Pattern == bench.Sequential && j.BlockBytes >= ratedSequentialBlock && inFlight >= ratedSequentialDepth:
		return either(read, RatedReadMBs, RatedWriteMBs)
	case j.Pattern != bench.Random || j.BlockBytes != ratedRandomBlock:
		return NoRatedFigure
	case inFlight >= ratedRandomDepth:
		return either(read, RatedReadIOPS, RatedWriteIOPS)
	case inFlight == 1:
		return either(read, RatedReadLatency, RatedWriteLatency)
	}
	return NoRatedFigure
}

func either(read bool, a, b RatedFigure) RatedFigure {
	if read {
		return a
	}
	return b
}

// value returns the stated value of a figure, 0 if it is not known.
func (r Rated) value(f RatedFigure) float64 {
	return map[RatedFigure]float64{
		RatedReadMBs: r.ReadMBs, RatedWriteMBs: r.WriteMBs,
		RatedReadIOPS: r.ReadIOPS, RatedWriteIOPS: r.WriteIOPS,
		RatedReadLatency: r.ReadLatencyUS, RatedWriteLatency: r.WriteLatencyUS,
	}[f]
}

// Compare sets the figure of a row beside the rated one. It returns nil if no
// figure of the rating fits the workload or if it is not known.
func (r Rated) Compare(j bench.Job, f *Figure) *Comparison {
	which := RatedFigureOf(j)
	rated := r.value(which)
	if f == nil || rated <= 0 {
		return nil
	}
	c := &Comparison{Figure: which, Rated: rated}
	switch which {
	case RatedReadMBs, RatedWriteMBs:
		c.Measured = f.MBPerS
	case RatedReadIOPS, RatedWriteIOPS:
		c.Measured = f.IOPS
	default:
		if f.LatencyUS == nil {
			return nil
		}
		c.Measured = *f.LatencyUS
	}
	if c.Measured <= 0 {
		return nil
	}
	c.judge()
	return c
}

// judge fills in the percentage and what it means.
func (c *Comparison) judge() {
	c.Percent = round(100 * c.Measured / c.Rated)
	if c.Figure == RatedReadLatency || c.Figure == RatedWriteLatency {
		c.Percent = round(100 * c.Rated / c.Measured)
	}
	switch {
	case c.Percent < hostLimitedPercent:
		c.Plausibility = HostLimited
	case c.Percent > aboveRatedPercent:
		c.Plausibility = AboveRated
	}
}

// The figures of a fast drive, for estimates where nothing is known.
const (
	fastMBs          = 7000
	fastIOPS         = 1e6
	fastReadLatency  = 50 * time.Microsecond
	fastWriteLatency = 10 * time.Microsecond
)

// expected returns the operations a second of j on a drive of that rating.
func (r Rated) expected(j bench.Job) float64 {
	mbs, iops, latency := or(r.ReadMBs, fastMBs), or(r.ReadIOPS, fastIOPS), or(r.ReadLatencyUS/1e6, fastReadLatency.Seconds())
	if j.Op != bench.OpRead {
		mbs, iops, latency = or(r.WriteMBs, fastMBs), or(r.WriteIOPS, fastIOPS), or(r.WriteLatencyUS/1e6, fastWriteLatency.Seconds())
	}
	transfer := float64(j.BlockBytes) / (mbs * 1e6)
	each := latency + transfer + j.ThinkTime.Seconds()
	rate := min(float64(j.QueueDepth*j.Workers)/each, iops, 1/transfer)
	if j.Rate > 0 {
		rate = min(rate, j.Rate)
	}
	return rate
}

// or returns v, or instead if v is not known.
func or(v, instead float64) float64 {
	if v > 0 {
		return v
	}
	return instead
}
