package conditions

import (
	"fmt"
	"math"
)

// Ours is what a run sent to a device, the warm-up included.
type Ours struct {
	// Reads and Writes are the operations that succeeded, with their bytes.
	Reads, Writes         int64
	ReadBytes, WriteBytes int64
	// Failed are the operations that did not. The kernel counts them, without
	// their bytes.
	Failed int64
	// Flushes are the cache flushes that were asked for.
	Flushes int64
	// BlockBytes is the size of the largest operation.
	BlockBytes int
	// File says that the target is a file, whose blocks may lie apart on the
	// device.
	File bool
	// Uncounted says that the engine passes commands to the drive without the
	// block layer, which therefore does not count them.
	Uncounted bool
}

// OtherIO is what the statistics of a device say of a run: how much came from
// elsewhere, and whether what was measured reached the device at all.
type OtherIO struct {
	// Known is false if the statistics do not tell what others did; Reason says
	// why. The numbers are then 0.
	Known bool `json:"known"`
	// Reads and what follows are at least what others did. A file system's own
	// log and metadata are among it.
	Reads      int64 `json:"reads"`
	ReadBytes  int64 `json:"read_bytes"`
	Writes     int64 `json:"writes"`
	WriteBytes int64 `json:"write_bytes"`
	Discards   int64 `json:"discards"`
	Flushes    int64 `json:"flushes"`
	// Disturbed says that it was enough to show in the result.
	Disturbed bool `json:"disturbed"`
	// Cached says that some of what was measured never reached the device, and
	// CachedPercent at least how much of it; nil if that is not known.
	Cached        *bool    `json:"cached"`
	CachedPercent *float64 `json:"cached_percent"`
	// Reason is a sentence for Cached, or for what is not known, "" if there is
	// nothing to say.
	Reason string `json:"reason"`
}

// The bounds of the judgement.
const (
	// disturbedShare is the share of operations or of bytes of others from which
	// a run counts as disturbed. At queue depth 1 an operation of others delays
	// at most one of ours; with 1 in 100 the 99th percentile is no longer the
	// drive's own.
	disturbedShare = 0.01
	// disturbedOperations and disturbedBytes are too few to disturb anything,
	// however short the run: one commit of a file system's log.
	disturbedOperations = 16
	disturbedBytes      = 1 << 20
	// cachedShare is the share of bytes that may be missing. A direct run has
	// none missing but for requests that the kernel was still counting.
	cachedShare = 0.01

	// pageBytes is the smallest piece of memory in a request, bioBytes what the
	// block layer takes at once if no pieces are neighbours: 256 pages.
	pageBytes = 4096
	bioBytes  = 256 * pageBytes
)

// Foreign judges the statistics of a run: delta is what the device of b counted
// in it, ours what the run did. b may be nil if nothing is known of the device.
//
// Bytes are exact: a request that is split or merged keeps its sectors.
// Operations are not: one of ours may become several requests, which is
// allowed for, and requests that were merged are counted as they came. On a
// partition the partition's own numbers say what was cached, and those of the
// disk what others did, since all partitions share the drive.
func Foreign(b *Block, delta Stats, ours Ours) OtherIO {
	switch {
	case !delta.Kept:
		return OtherIO{Reason: "the kernel keeps no statistics of this device"}
	case ours.Uncounted && b != nil && isTrue(b.IOStatsPassthrough):
		return OtherIO{Reason: "the kernel counts passed-through commands on this device, so they cannot be told from others"}
	case !ours.Uncounted && b != nil && isTrue(b.DAX):
		return OtherIO{Reason: "the device can be accessed as memory (DAX), which is not counted"}
	}
	o := OtherIO{Known: true}
	o.count(b, delta, ours)
	if !ours.Uncounted {
		o.missing(&delta.Counters, ours)
	}
	return o
}

// count sets what others did at least.
func (o *OtherIO) count(b *Block, delta Stats, ours Ours) {
	d, pieces := &delta.Counters, piecesOf(b, ours)
	if delta.Disk != nil {
		d = delta.Disk
	}
	expected := ours
	if ours.Uncounted {
		expected = Ours{}
	}
	o.ReadBytes = beyond(d.ReadSectors*sectorBytes, expected.ReadBytes)
	o.WriteBytes = beyond(d.WriteSectors*sectorBytes, expected.WriteBytes)
	o.Reads = beyond(d.Reads+d.ReadMerges, expected.Reads*pieces)
	o.Writes = beyond(d.Writes+d.WriteMerges, expected.Writes*pieces)
	o.forgive(expected.Failed * pieces)
	o.Discards = beyond(d.Discards, 0)
	o.Flushes = beyond(d.Flushes, expected.Flushes)

	operations := o.Reads + o.Writes + o.Discards + o.Flushes
	bytes := o.ReadBytes + o.WriteBytes
	o.Disturbed = operations >= disturbedOperations && float64(operations) > disturbedShare*float64(ours.Reads+ours.Writes) ||
		bytes > disturbedBytes && float64(bytes) > disturbedShare*float64(ours.ReadBytes+ours.WriteBytes)
}

// forgive takes failed operations of ours out of the reads and then the writes:
// which they were is not known.
func (o *OtherIO) forgive(failed int64) {
	reads := min(failed, o.Reads)
	o.Reads -= reads
	o.Writes -= min(failed-reads, o.Writes)
}

// missing sets whether bytes of ours did not reach the device. What others did
// may stand in for them, so that the share is a lower bound.
func (o *OtherIO) missing(d *Counters, ours Ours) {
	total := ours.ReadBytes + ours.WriteBytes
	if total <= 0 {
		return
	}
	short := shortOf(d.ReadSectors*sectorBytes, ours.ReadBytes) + shortOf(d.WriteSectors*sectorBytes, ours.WriteBytes)
	share := float64(short) / float64(total)
	o.Cached = new(share > cachedShare)
	o.CachedPercent = new(math.Round(share*1e5) / 1e3)
	if *o.Cached {
		o.Reason = fmt.Sprintf("%.0f %% of the bytes did not reach the device: memory answered, or a hole of the file", 100*share)
	}
}

// piecesOf returns into how many requests one operation is split at most.
//
// A request ends at max_sectors_kb, after max_segments pieces of memory, which
// may be single pages, after the 256 pages of one bio, and at a border of
// chunk_sectors. In a file it may end at any page, since the blocks of the file
// may lie apart.
func piecesOf(b *Block, ours Ours) int64 {
	block := int64(ours.BlockBytes)
	if b == nil || ours.File {
		return max(1, ceilDiv(block, pageBytes))
	}
	limit := int64(bioBytes)
	if b.MaxSectorsKB != nil && *b.MaxSectorsKB > 0 {
		limit = min(limit, int64(*b.MaxSectorsKB)<<10)
	}
	if b.MaxSegments != nil && *b.MaxSegments > 0 {
		limit = min(limit, int64(*b.MaxSegments)*pageBytes)
	}
	pieces := ceilDiv(block, limit)
	if b.ChunkSectors != nil && *b.ChunkSectors > 0 {
		pieces += ceilDiv(block, int64(*b.ChunkSectors)*sectorBytes)
	}
	return max(1, pieces)
}

func ceilDiv(n, by int64) int64 { return (n + by - 1) / by }

// beyond returns by how much a counter exceeds what was expected.
func beyond(counted uint64, expected int64) int64 {
	return max(0, int64(min(counted, math.MaxInt64))-expected)
}

// shortOf returns by how much a counter falls short of what was expected.
func shortOf(counted uint64, expected int64) int64 {
	return max(0, expected-int64(min(counted, math.MaxInt64)))
}

func isTrue(b *bool) bool { return b != nil && *b }
