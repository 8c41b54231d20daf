package page

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/report"
)

func markdownOfDeltas(t *testing.T, x *compare.Deltas, o MarkdownOptions) string {
	t.Helper()
	return strings.ReplaceAll(written(t, func(w io.Writer) error { return MarkdownDeltas(w, x, o) }), nbsp, " ")
}

func TestMarkdownDeltas(t *testing.T) {
	want := `**INTEL** · 2026-01-02 03:04:05 UTC → 2026-01-04 03:04:05 UTC · 48 h apart

| what | before | after |
| --- | --- | --- |
| firmware | E2010480 | E2010650 |

| counter | before | after | change | a day |
| --- | ---: | ---: | ---: | ---: |
| bytes written | 1 TB | 3 TB | 2 TB | 1 TB |
| power cycles | 7 | 9 | 2 | – |
| temperature | 40 °C | 38 °C | −2 °C | – |

written: 1 TB a day

power cycles: 1 a day

powered on: 50 % of the time

wear: 0 % to 3 % a year

wear by bytes: 2.1 % of the rated endurance a year

assumes: That all goes on.

qd1 1.2.3
`
	if diff := cmp.Diff(want, markdownOfDeltas(t, deltasOf(), MarkdownOptions{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	has(t, markdownOfDeltas(t, deltasOf(), MarkdownOptions{Serial: true}), "**INTEL** · serial SERIAL0001 · 2026")
	x := deltasOf()
	x.Simulated, x.WentBackwards, x.NewWarnings = true, []string{"power cycles"}, []string{"read-only"}
	has(t, markdownOfDeltas(t, x, MarkdownOptions{}), "**SIMULATED", "⚠ Counters went backwards, which they never should: power cycles.", "⚠ New critical warnings: read-only.")
}

// TestMarkdownDeltasRefused holds that the reason names no serial number unless
// that is wanted.
func TestMarkdownDeltasRefused(t *testing.T) {
	x := deltasOf()
	x.Refused = new(`the reports are of two drives: the serial numbers are "SERIAL0001" and "SERIAL0002"`)
	text := markdownOfDeltas(t, x, MarkdownOptions{})
	has(t, text, "**NOT COMPARED**: The reports are of two drives.")
	lacks(t, text, "SERIAL", "| counter |")
	has(t, markdownOfDeltas(t, x, MarkdownOptions{Serial: true}), `the serial numbers are "SERIAL0001"`)
}

func TestMarkdownAge(t *testing.T) {
	r := agedDrive()
	age := func(o MarkdownOptions) string {
		return strings.ReplaceAll(written(t, func(w io.Writer) error { return MarkdownAge(w, r, o) }), nbsp, " ")
	}
	text := age(MarkdownOptions{})
	has(t, text, "**WORSE**: Worse: RND4K Q1T1 read", "| figure | before | after |", "Treatment: treatment mixed, lasted 3 h of 3 h, read by the treatment 740 GB", "⚠ PAUSED: The drive is at 71 °C.", "⚠ INTERRUPTED: The computer was started again.",
		"| after | p50 µs | p99 µs |", "| 1 h | 12.1 | 19 | – | 80 000 | 50 | 2 | 0 |", "qd1 1.2.3")
	lacks(t, text, "SERIAL", "20260102-030405", "SIMULATED")
	has(t, age(MarkdownOptions{Serial: true}), "serial SERIAL0001")
	r.Comparison, r.State, r.Simulated, r.Summary = nil, aging.Treating, true, "1h0m0s of 3h0m0s in the mode mixed"
	text = age(MarkdownOptions{})
	has(t, text, "**SIMULATED", "**UNDER WAY**: 1h0m0s of 3h0m0s in the mode mixed.", "**Intel Optane SSD 905P 960 GB** · INTEL SSDPE21D960GA · firmware E2010480 · winter", "Treatment:")
	lacks(t, text, "SERIAL", "| figure |")
}

// TestMarkdownTables holds that every line of every table has as many cells, that
// it is parted from what stands around it, and that no line ends in blanks.
func TestMarkdownTables(t *testing.T) {
	b, a := hostileBench(12), hostileBench(13)
	c := compare.Bench([]*report.BenchReport{b}, []*report.BenchReport{a}, compare.Options{})
	x := deltasOf()
	x.Changes = []compare.Change{{What: hostile, Before: "a\nb", After: "c | d"}}
	o := MarkdownOptions{Serial: true}
	for name, f := range map[string]func(io.Writer) error{
		"bench":   func(w io.Writer) error { return MarkdownBench(w, b, o) },
		"compare": func(w io.Writer) error { return MarkdownCompare(w, c, o) },
		"deltas":  func(w io.Writer) error { return MarkdownDeltas(w, x, o) },
		"age":     func(w io.Writer) error { return MarkdownAge(w, agedDrive(), o) },
	} {
		text := written(t, f)
		if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") || strings.Contains(text, "\n\n\n") {
			t.Errorf("%s: paragraphs are not parted by one empty line: %q", name, text)
		}
		for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
			tableBlock(t, name, block)
		}
	}
}

// tableBlock holds that a paragraph is a line, or a table.
func tableBlock(t *testing.T, name, block string) {
	t.Helper()
	lines := strings.Split(block, "\n")
	if !strings.HasPrefix(lines[0], "|") {
		if len(lines) != 1 {
			t.Errorf("%s: a paragraph of %d lines: %q", name, len(lines), block)
		}
		return
	}
	if len(lines) < 3 {
		t.Errorf("%s: a table without a row: %q", name, block)
	}
	bars := func(s string) int { return strings.Count(strings.ReplaceAll(s, `\|`, ""), "|") }
	for _, line := range lines {
		if bars(line) != bars(lines[0]) || !strings.HasPrefix(line, "| ") || !strings.HasSuffix(line, "|") {
			t.Errorf("%s: the line does not go with its head: %q", name, line)
		}
	}
}
