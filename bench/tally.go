package bench

import "time"

// tally is what one worker has counted so far.
type tally struct {
	latency Histogram
	errors  errorTally
	blank   int64
	// elapsed is the time from the start of the part to the last completion.
	elapsed time.Duration
	// usage is the processor time of the thread in the measured part; it is
	// known at the end only.
	usage usage
	// measuring is false during the warm-up.
	measuring bool
}

// merge adds what another worker counted in the same part of the run.
func (t *tally) merge(o *tally) {
	t.latency.Merge(&o.latency)
	t.errors.total += o.errors.total
	for _, k := range o.errors.kinds {
		if k.Count > 0 {
			t.errors.merge(k)
		}
	}
	t.blank += o.blank
	t.elapsed = max(t.elapsed, o.elapsed)
	t.usage = t.usage.plus(o.usage)
}

// restart begins the measured part: everything but the errors is forgotten.
func (t *tally) restart() {
	t.latency.Reset()
	t.blank, t.elapsed, t.usage = 0, 0, usage{}
	t.measuring = true
}
