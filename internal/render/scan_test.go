package render

import (
	"bytes"
	"strings"
	"testing"

	"qd1.example/qd1/internal/surface"
)

func scanText(t *testing.T, r *surface.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Scan(&b, r, Style{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestScan(t *testing.T) {
	us := func(v float64) *float64 { return &v }
	region := func(g surface.Region) surface.Region { g.Bytes = 1e6; return g }
	r := &surface.Report{Target: surface.Target{Name: "MODEL", Detail: "serial S1"}, Scan: &surface.Result{
		Text: "what was found", Part: surface.Extent{Offset: 512, Bytes: 9e6}, DoneBytes: 9e6, Complete: true, Seconds: 2, MBPerS: 4.5, ChunkBytes: 64 << 10, Sittings: 2,
		Median: us(100), Max: us(9000), SlowLimit: us(5100), SlowOnce: 1, Recovered: 2, UnreadableBlocks: 3,
		Regions: []surface.Region{
			region(surface.Region{Median: us(100)}), region(surface.Region{Median: us(150)}), region(surface.Region{Median: us(300)}),
			region(surface.Region{Slow: 1}), region(surface.Region{Unreadable: 1}), region(surface.Region{NoAnswer: 1}), region(surface.Region{Left: 1}),
		},
		Unreadable: []surface.Range{{LBA: 7, Blocks: 3, Error: "input/output error", Whole: true}}, NoAnswer: []surface.Range{{LBA: 99, Blocks: 1}},
		Slow: []surface.SlowRange{{Range: surface.Range{LBA: 2048, Blocks: 128}, Median: 8000, Max: 9000, Again: 8100}, {Range: surface.Range{LBA: 5000, Blocks: 1}}},
	}}
	got := scanText(t, r)
	for _, want := range []string{
		"UNREADABLE  MODEL  serial S1", "what was found", "9.0 MB of 9.0 MB in 2", "from       byte 512 on", "of 64 KiB: median 100 µs, longest 9 ms; above 5.1 ms is slow",
		".:+SX?-", "7       3  input/output error; not every block was tried", "2048     128    8 ms     9 ms      8.1 ms", "not tried", "sittings   2", "slow once", "recovered",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestScanWord(t *testing.T) {
	readable := true
	for want, r := range map[string]surface.Report{
		"NO ANSWER":       {Scan: &surface.Result{NoAnswer: make([]surface.Range, 1)}},
		"NOT COMPLETE":    {Scan: &surface.Result{}},
		"SLOW":            {Scan: &surface.Result{Complete: true, Slow: make([]surface.SlowRange, 1)}},
		"READABLE":        {Scan: &surface.Result{Complete: true}},
		"NOTHING TO READ": {Relook: surface.Look(nil)},
	} {
		if got := scanPiece(&r).text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	bad := false
	got := scanText(t, &surface.Report{Relook: surface.Look([]surface.Spot{
		{LBA: 77, NSID: 1, Entries: 3, Status: "Unrecovered Read Error", Readable: &bad, Error: "input/output error"}, {LBA: 78, NSID: 2, Readable: &readable},
	})})
	for _, want := range []string{"UNREADABLE", "LBA 77", "still bad: input/output error (3 entries of the log: Unrecovered Read", "LBA 78 of namespace 2  readable now"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestScanManyRanges bounds the lists.
func TestScanManyRanges(t *testing.T) {
	got := scanText(t, &surface.Report{Scan: &surface.Result{Unreadable: make([]surface.Range, 25), UnreadableBlocks: 25}})
	if !strings.Contains(got, "… and 5 more") {
		t.Errorf("a list without an end:\n%s", got)
	}
}
