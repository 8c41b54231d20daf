package render

import (
	"qd1.example/qd1/bench/profile"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
)

// runPairs is everything of a run: its result, what the maker states, and what
// others did to the device.
func runPairs(t lang.Tag, b *report.BenchReport, r *report.BenchResult) []pair {
	pairs := benchPairs(t, &r.Result)
	for i := range pairs {
		switch x := &pairs[i]; {
		case x.label == "rated" && r.Row < len(b.Rows) && b.Rows[r.Row].Rated != nil:
			x.value = comparison(t, b.Rows[r.Row].Rated)
		case x.label == "page cache" && r.Cached:
			x.value = commas(t, x.value, cachedText(t, r.OtherIO))
		}
	}
	return append(pairs, pair{"other I/O", otherText(t, r.OtherIO)})
}

// comparison is a figure beside that of the maker.
func comparison(t lang.Tag, c *profile.Comparison) string {
	return commas(t, t.Textf("%s of what the maker states", rough(c.Percent)), ratedValue(t, c), t.Text(string(c.Plausibility)))
}

// cachedText says how much of a run never reached the device.
func cachedText(t lang.Tag, o *conditions.OtherIO) string {
	switch {
	case o == nil:
		return ""
	case o.Reason == "" && o.CachedPercent != nil:
		return t.Textf("at least %s", percent(round3(*o.CachedPercent)))
	}
	return t.Sentence(o.Reason)
}

// otherText is what others did to the device meanwhile.
func otherText(t lang.Tag, o *conditions.OtherIO) string {
	switch {
	case o == nil:
		return ""
	case !o.Known:
		return join(": ", t.Text("not known"), t.Sentence(o.Reason))
	case o.Disturbed:
		return t.Textf("DISTURBED by %s", otherCounts(t, o))
	}
	return t.Text("too little to matter")
}

// otherCounts is how much others did, at least.
func otherCounts(t lang.Tag, o *conditions.OtherIO) string {
	return commas(t,
		someOf(t, o.Reads, "read", "reads", o.ReadBytes), someOf(t, o.Writes, "write", "writes", o.WriteBytes),
		someOf(t, o.Discards, "discard", "discards", 0), someOf(t, o.Flushes, "flush", "flushes", 0))
}

// someOf is a number of operations with their bytes, "" for none.
func someOf(t lang.Tag, n int64, one, many string, bytes int64) string {
	if n == 0 && bytes == 0 {
		return ""
	}
	text := counted(t, n, one, many)
	if bytes > 0 {
		text += " (" + size(uint64(bytes)) + ")"
	}
	return text
}

// resultRemarks are what is unusual about a run, each with a prefix.
func resultRemarks(t lang.Tag, r *report.BenchResult, prefix string) []piece {
	var list []piece
	add := func(role Role, text string) {
		if text != "" {
			list = append(list, piece{role, prefix + text})
		}
	}
	add(Warn, partialText(t, &r.Result))
	add(Bad, failures(t, &r.Result))
	if o := r.OtherIO; o != nil && o.Known && o.Disturbed {
		add(Warn, otherText(t, o))
	}
	if r.Cached {
		add(Warn, join(": ", t.Text("page cache"), cachedText(t, r.OtherIO)))
	}
	return list
}
