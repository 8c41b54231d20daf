package sim

import (
	"encoding/binary"
	"sync/atomic"
	"time"

	"qd1.example/qd1/nvme"
)

// What a latency page is of, which is also how Get Features selects it.
const (
	ofReads  = 0
	ofWrites = 1
)

const (
	latencyBuckets   = 8
	latencyRevision  = 1000
	latencyPageBytes = 4868
	thresholdsBytes  = latencyBuckets * 4
)

// latencies is how long commands took, as the drive sees it: without the
// waiting for a format.
type latencies struct {
	// tracks is set while the drive counts.
	tracks atomic.Bool
	starts [latencyBuckets]uint32
	counts [2]latencyCounts
}

// latencyCounts is one latency page.
type latencyCounts struct {
	buckets [latencyBuckets]atomic.Uint64
	// sum is of all that was counted, nanoseconds.
	sum atomic.Int64
}

// note counts a command.
func (l *latencies) note(of int, took time.Duration) {
	if !l.tracks.Load() {
		return
	}
	bucket := 0
	for i, start := range l.starts {
		if took >= time.Duration(start)*time.Microsecond {
			bucket = i
		}
	}
	l.counts[of].buckets[bucket].Add(1)
	l.counts[of].sum.Add(int64(took))
}

// take returns a latency page, and sets what it counts to zero.
//
// Source: nvme-cli, plugin intel, for revision 1000.0: 8 counters and the average
// in microseconds, 8 bytes each; that a read clears it is known of these drives.
func (l *latencies) take(of int) []byte {
	counts := &l.counts[of]
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, latencyPageBytes), latencyRevision)
	var commands uint64
	for i := range counts.buckets {
		n := counts.buckets[i].Swap(0)
		b, commands = binary.LittleEndian.AppendUint64(b, n), commands+n
	}
	average := uint64(time.Duration(counts.sum.Swap(0)).Microseconds()) / max(commands, 1)
	return longer(binary.LittleEndian.AppendUint64(b, average), latencyPageBytes)
}

// clear sets what both pages count to zero.
func (l *latencies) clear() {
	l.take(ofReads)
	l.take(ofWrites)
}

// intelFeatures returns the rules of the vendor's features; none for drives of
// other vendors.
func (c *controller) intelFeatures() map[nvme.FID]featureRule {
	if c.personality.intel == nil {
		return nil
	}
	return map[nvme.FID]featureRule{
		fidLatencyTracking:   {set: c.setLatencyTracking},
		fidLatencyThresholds: {fixed: true, bytes: thresholdsBytes, where: whichLatency, get: c.latencyThresholds},
	}
}

// setLatencyTracking turns the counting on or off, which leaves the counters.
func (c *controller) setLatencyTracking(_ featureKey, v featureValue) featureValue {
	c.latency.tracks.Store(v.dword&1 != 0)
	return featureValue{dword: v.dword & 1, data: v.data}
}

// whichLatency returns which page's thresholds a command means: 0 reads, 1
// writes.
func whichLatency(cmd *nvme.Command) (uint16, reply) {
	if cmd.CDW11 > ofWrites {
		return 0, refuse(nvme.StatusInvalidField, inCDW11)
	}
	return uint16(cmd.CDW11), reply{}
}

// latencyThresholds returns where the buckets start. They are the same for reads
// and writes.
func (c *controller) latencyThresholds(v featureValue) featureValue {
	return featureValue{dword: v.dword, data: appendDwords(nil, c.latency.starts[:]...)}
}
