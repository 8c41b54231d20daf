package vendor

import (
	"encoding/binary"
	"fmt"

	"qd1.example/qd1/nvme"
)

// LatencyStatistics is the read or write latency page (LID C1h or C2h) of Intel
// and Solidigm drives. On Optane drives reading it sets it to zero.
//
// The drive counts only while latency tracking (feature E2h) is on; it is off
// unless someone turned it on.
//
// Source: nvme-cli, plugins intel and solidigm; SPDK, spdk/nvme_intel.h, for
// revision 3.
type LatencyStatistics struct {
	// Major and Minor are the revision: 3 and 4 of NAND drives, 1000 of Optane.
	Major uint16 `json:"major"`
	Minor uint16 `json:"minor"`
	// Buckets are all buckets, fastest first.
	Buckets []LatencyBucket `json:"buckets"`
	// Beyond counts commands slower than the last bucket; revision 3 only.
	Beyond uint64 `json:"beyond_count"`
	// AverageMicroseconds is the mean since the last reset. Nil where the
	// revision does not have it.
	AverageMicroseconds *uint64 `json:"average_us"`
	// Tracking is whether latency tracking is on. Nil if it was not asked for or
	// the drive did not say.
	Tracking *bool `json:"tracking"`
}

// LatencyBucket counts the commands that took from Lower to below Upper,
// microseconds. A nil Upper is without bound. Both are nil for Optane drives
// that did not say where their buckets start.
type LatencyBucket struct {
	Lower *uint64 `json:"lower_us"`
	Upper *uint64 `json:"upper_us"`
	Count uint64  `json:"count"`
}

const (
	latencyHeaderBytes = 4
	// latencyBytes is the longest page: the header, 1216 buckets and an average.
	latencyBytes = latencyHeaderBytes + fineBuckets*4 + 8
	fineBuckets  = 1216
	fineBits     = 6
	// coarseBuckets and coarseBits are of revision 4.0 on Solidigm drives.
	coarseBuckets = 152
	coarseBits    = 3
	// optaneBuckets is how many counters of 8 bytes come before the average.
	optaneBuckets   = 8
	optaneBytes     = latencyHeaderBytes + (optaneBuckets+1)*8
	revisionOptane  = 1000
	linearBuckets   = 32 + 31 + 31
	averageRevision = 8
)

// UnmarshalBinary decodes b. Pages shorter than their revision says have fewer
// buckets; those without any, and unknown revisions, are errors.
func (p *LatencyStatistics) UnmarshalBinary(b []byte) error {
	*p = LatencyStatistics{}
	if len(b) < latencyHeaderBytes {
		return fmt.Errorf("latency statistics: %w: %d bytes", nvme.ErrShort, len(b))
	}
	p.Major, p.Minor = binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:])
	body := b[latencyHeaderBytes:]
	switch {
	case p.Major == 3:
		p.linear(body)
	case p.Major == 4:
		p.logarithmic(body)
	case p.Major == revisionOptane && p.Minor == 0:
		if len(b) < optaneBytes {
			return fmt.Errorf("latency statistics of an Optane drive: %w: %d bytes, want %d", nvme.ErrShort, len(b), optaneBytes)
		}
		p.optane(body)
	default:
		return fmt.Errorf("%w: latency statistics of revision %d.%d", ErrLayout, p.Major, p.Minor)
	}
	if len(p.Buckets) == 0 {
		return fmt.Errorf("latency statistics: %w: no bucket", nvme.ErrShort)
	}
	return nil
}

// counters returns at most n counters of 4 bytes.
func counters(b []byte, n int) []uint64 {
	list := make([]uint64, min(n, len(b)/4))
	for i := range list {
		list[i] = uint64(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return list
}

// linear reads revision 3: 32 buckets of 32 us, 31 of 1024 us, 31 of 32768 us,
// and three counters of what is slower.
func (p *LatencyStatistics) linear(b []byte) {
	lower, step := uint64(0), uint64(32)
	for i, count := range counters(b, linearBuckets) {
		if i == 32 || i == 32+31 {
			step *= 32
		}
		p.add(lower, lower+step, count)
		lower += step
	}
	for _, count := range counters(b[min(len(b), 4*linearBuckets):], 3) {
		p.Beyond += count
	}
}

// logarithmic reads revision 4: buckets whose width doubles every 2^bits of
// them. Revision 4.0 has fewer on Solidigm drives, where the rest of the page
// is zero, and the full number on Intel drives.
func (p *LatencyStatistics) logarithmic(b []byte) {
	all := counters(b, fineBuckets)
	width := fineBits
	if p.Minor == 0 && onlyZero(all[min(len(all), coarseBuckets):]) {
		all, width = all[:min(len(all), coarseBuckets)], coarseBits
	}
	for i, count := range all {
		p.add(bucketEdge(i, width), bucketEdge(i+1, width), count)
	}
	if n := len(p.Buckets); n == fineBuckets || n == coarseBuckets {
		p.Buckets[n-1].Upper = nil
	}
	if p.Minor >= averageRevision && len(b) >= 4*fineBuckets+8 {
		average := binary.LittleEndian.Uint64(b[4*fineBuckets:])
		p.AverageMicroseconds = &average
	}
}

// bucketEdge returns where bucket i starts, microseconds: one apart up to
// 2^(width+1), then twice as far apart after each 2^width buckets.
func bucketEdge(i, width int) uint64 {
	if i < 2<<width {
		return uint64(i)
	}
	exponent := i>>width - 1
	return uint64(1<<width+i%(1<<width)) << exponent
}

func onlyZero(list []uint64) bool {
	for _, v := range list {
		if v != 0 {
			return false
		}
	}
	return true
}

// optane reads revision 1000.0: 8 buckets, whose bounds are not in the page, and
// the average.
func (p *LatencyStatistics) optane(b []byte) {
	for i := range optaneBuckets {
		p.Buckets = append(p.Buckets, LatencyBucket{Count: binary.LittleEndian.Uint64(b[8*i:])})
	}
	average := binary.LittleEndian.Uint64(b[8*optaneBuckets:])
	p.AverageMicroseconds = &average
}

func (p *LatencyStatistics) add(lower, upper, count uint64) {
	p.Buckets = append(p.Buckets, LatencyBucket{Lower: &lower, Upper: &upper, Count: count})
}

// SetThresholds gives the buckets of an Optane drive their bounds: the data of
// feature F7h, where each bucket starts, 8 values of 4 bytes, microseconds. Data
// that do not fit, or do not rise, are an error and change nothing.
func (p *LatencyStatistics) SetThresholds(b []byte) error {
	starts := counters(b, optaneBuckets)
	if p.Major != revisionOptane || len(starts) < optaneBuckets {
		return fmt.Errorf("latency thresholds: %w: %d bytes for revision %d", ErrLayout, len(b), p.Major)
	}
	for i := range starts[1:] {
		if starts[i+1] <= starts[i] {
			return fmt.Errorf("latency thresholds: %w: %d us after %d us", ErrLayout, starts[i+1], starts[i])
		}
	}
	for i := range p.Buckets {
		p.Buckets[i].Lower = &starts[i]
		if i+1 < optaneBuckets {
			p.Buckets[i].Upper = &starts[i+1]
		}
	}
	return nil
}

// Commands returns how many commands are in the page.
func (p *LatencyStatistics) Commands() uint64 {
	n := p.Beyond
	for _, b := range p.Buckets {
		n += b.Count
	}
	return n
}

// Within returns the upper bound of the bucket that the q-th part of the
// commands (0 to 1) lies in, microseconds; false if there is none.
func (p *LatencyStatistics) Within(q float64) (uint64, bool) {
	total, seen := p.Commands(), uint64(0)
	for _, b := range p.Buckets {
		seen += b.Count
		if b.Count > 0 && float64(seen) >= q*float64(total) {
			if b.Upper == nil {
				return 0, false
			}
			return *b.Upper, true
		}
	}
	return 0, false
}

// listedBuckets is up to how many buckets become rows.
const listedBuckets = 16

// Rows implements [Value]: the summary, and the buckets that are not empty if
// they are few.
func (p *LatencyStatistics) Rows() []Row {
	rows := []Row{{"Revision", fmt.Sprintf("%d.%d", p.Major, p.Minor), ""}, {"Commands", p.Commands(), "count"}}
	if p.Tracking != nil {
		rows = append(rows, Row{"Latency Tracking", *p.Tracking, ""})
	}
	if p.AverageMicroseconds != nil {
		rows = append(rows, Row{"Average Latency", *p.AverageMicroseconds, "us"})
	}
	for _, q := range []float64{0.5, 0.99} {
		if upper, ok := p.Within(q); ok {
			rows = append(rows, Row{fmt.Sprintf("%g %% of commands below", q*100), upper, "us"})
		}
	}
	if full := p.bucketRows(); len(full) <= listedBuckets {
		rows = append(rows, full...)
	}
	return rows
}

func (p *LatencyStatistics) bucketRows() []Row {
	var rows []Row
	for i, b := range p.Buckets {
		if b.Count > 0 {
			rows = append(rows, Row{"Commands, " + b.bounds(i), b.Count, "count"})
		}
	}
	return rows
}

// bounds names bucket i.
func (b LatencyBucket) bounds(i int) string {
	switch {
	case b.Lower == nil:
		return fmt.Sprintf("bucket %d", i)
	case b.Upper == nil:
		return fmt.Sprintf("%d us and more", *b.Lower)
	}
	return fmt.Sprintf("%d us to below %d us", *b.Lower, *b.Upper)
}
