package bench

import "time"

// tally is what one worker has counted so far, or all workers together. It has
// a fixed size.
type tally struct {
	latency   Histogram  // of all operations, in a mix of the reads
	writes    *Histogram // of the writes in a mix; nil: no mix
	corrected *Histogram // counted from when an operation was due; nil: no rate
	slowest   slowest
	errors    errorTally
	blank     int64
	// moreRead and moreWritten are bytes besides those of the operations of this
	// part: of failed ones, of those left over at the end, and of the warm-up.
	moreRead    int64
	moreWritten int64
	block       int64
	onlyWrites  bool
	// began is when this part did, on the clock of the run.
	began time.Duration
	// elapsed is the time from the start of the part to the last completion, or
	// to the end of the last pause that the job asked for.
	elapsed time.Duration
	// usage is the processor time of the thread in the measured part; it is
	// known at the end only.
	usage usage
	// measuring is false during the warm-up.
	measuring bool
}

// newTally returns a tally with what the job needs.
func newTally(j Job) *tally {
	t := &tally{block: int64(j.BlockBytes), onlyWrites: j.Op == OpWrite}
	if j.Op == OpMix {
		t.writes = &Histogram{}
	}
	if j.Rate > 0 {
		t.corrected = &Histogram{}
	}
	t.slowest.reset()
	return t
}

// operations returns the number of operations that succeeded in this part.
func (t *tally) operations() int64 {
	n := t.latency.Count()
	if t.writes != nil {
		n += t.writes.Count()
	}
	return n
}

// moved returns the bytes read and written, those of the warm-up included.
func (t *tally) moved() (read, written int64) {
	read, written = t.latency.Count()*t.block, 0
	if t.onlyWrites {
		read, written = 0, read
	}
	if t.writes != nil {
		written = t.writes.Count() * t.block
	}
	return read + t.moreRead, written + t.moreWritten
}

// all returns the latencies of all operations. It may use scratch for them.
func (t *tally) all(scratch *Histogram) *Histogram {
	if t.writes == nil {
		return &t.latency
	}
	scratch.set(&t.latency)
	scratch.Merge(t.writes)
	return scratch
}

// set makes t a copy of o, which is of the same job.
func (t *tally) set(o *tally) {
	t.latency.set(&o.latency)
	if t.writes != nil {
		t.writes.set(o.writes)
	}
	if t.corrected != nil {
		t.corrected.set(o.corrected)
	}
	t.slowest.set(&o.slowest)
	t.errors = o.errors
	t.blank, t.moreRead, t.moreWritten, t.elapsed = o.blank, o.moreRead, o.moreWritten, o.elapsed
	t.began, t.usage, t.measuring = o.began, o.usage, o.measuring
}

// merge adds what another worker counted in the same part of the run.
func (t *tally) merge(o *tally) {
	t.latency.Merge(&o.latency)
	if t.writes != nil {
		t.writes.Merge(o.writes)
	}
	if t.corrected != nil {
		t.corrected.Merge(o.corrected)
	}
	t.slowest.merge(&o.slowest)
	t.errors.mergeAll(&o.errors)
	t.blank += o.blank
	t.moreRead += o.moreRead
	t.moreWritten += o.moreWritten
	if t.began == 0 || o.began < t.began {
		t.began = o.began
	}
	t.elapsed = max(t.elapsed, o.elapsed)
	t.usage = t.usage.plus(o.usage)
}

// empty forgets everything.
func (t *tally) empty() {
	t.restart()
	t.errors = errorTally{}
	t.moreRead, t.moreWritten, t.measuring = 0, 0, false
}

// restart begins the measured part: everything but the errors and the bytes
// moved is forgotten.
func (t *tally) restart() {
	t.moreRead, t.moreWritten = t.moved()
	t.latency.Reset()
	if t.writes != nil {
		t.writes.Reset()
	}
	if t.corrected != nil {
		t.corrected.Reset()
	}
	t.slowest.reset()
	t.blank, t.began, t.elapsed, t.usage = 0, 0, 0, usage{}
	t.measuring = true
}
