package page

import (
	"bytes"
	"strings"
	"testing"

	"qd1.example/qd1/internal/surface"
)

// scanned is a result with everything that a scan can find.
func scanned() *surface.Report {
	us := func(v float64) *float64 { return &v }
	r := &surface.Report{Schema: "qd1.scan/1", Simulated: true, Target: surface.Target{Name: "MODEL", Detail: "serial S1", Firmware: "F1"}}
	r.Scan = &surface.Result{
		Complete: true, Text: "2 blocks in 1 ranges cannot be read", Part: surface.Extent{Bytes: 5 << 20}, DoneBytes: 5 << 20, BlockBytes: 512, ChunkBytes: 64 << 10,
		Seconds: 2, MBPerS: 2.6, Sittings: 1, Median: us(100), Max: us(9000), SlowLimit: us(5100), SlowOnce: 1, Recovered: 1,
		Unreadable: []surface.Range{{LBA: 7, Blocks: 2, Error: "input/output error", Whole: true}}, UnreadableBlocks: 2,
		NoAnswer: []surface.Range{{LBA: 4096, Blocks: 128, Error: "no answer"}},
		Slow:     []surface.SlowRange{{Range: surface.Range{LBA: 2048, Blocks: 128}, Median: 8000, Max: 9000, Again: 8100}, {Range: surface.Range{LBA: 9000, Blocks: 1}}},
	}
	for i, g := range []surface.Region{{Median: us(100), Max: us(120)}, {Unreadable: 1}, {NoAnswer: 1}, {Median: us(100), Max: us(9000), Slow: 1}, {Left: 16}} {
		g.Extent = surface.Extent{Offset: int64(i) << 20, Bytes: 1 << 20}
		r.Scan.Regions = append(r.Scan.Regions, g)
	}
	return r
}

func scanPage(t *testing.T, r *surface.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Scan(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestScan(t *testing.T) {
	got := scanPage(t, scanned())
	for _, want := range []string{
		"UNREADABLE", "MODEL · serial S1 · firmware F1", "2 blocks in 1 ranges cannot be read.", "5 parts from", "1 unreadable", "1 without an answer", "1 not read",
		"input/output error", "Not every block of it was tried.", "4096", "not tried", "Slow once", "Recovered", "SIMULATED",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in the page", want)
		}
	}
}

// TestScanWords holds the heading of what was found.
func TestScanWords(t *testing.T) {
	readable, bad := true, false
	for want, change := range map[string]func(*surface.Report){
		"NO ANSWER":       func(r *surface.Report) { r.Scan.UnreadableBlocks = 0 },
		"NOT COMPLETE":    func(r *surface.Report) { r.Scan.UnreadableBlocks, r.Scan.NoAnswer, r.Scan.Complete = 0, nil, false },
		"SLOW":            func(r *surface.Report) { r.Scan.UnreadableBlocks, r.Scan.NoAnswer = 0, nil },
		"READABLE":        func(r *surface.Report) { r.Scan.UnreadableBlocks, r.Scan.NoAnswer, r.Scan.Slow = 0, nil, nil },
		"NOTHING TO READ": func(r *surface.Report) { r.Scan, r.Relook = nil, surface.Look(nil) },
		"UNREADABLE": func(r *surface.Report) {
			r.Scan, r.Relook = nil, surface.Look([]surface.Spot{{LBA: 77, NSID: 1, Readable: &bad, Error: "bad"}, {LBA: 78, NSID: 1, Readable: &readable}})
		},
	} {
		r := scanned()
		change(r)
		if got, _ := scanWord(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if page := scanPage(t, r); !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
		if want == "UNREADABLE" && !strings.Contains(scanPage(t, r), "readable now") {
			t.Error("the page does not say what became of the blocks")
		}
	}
}

func TestScanPageOfNothing(t *testing.T) {
	r := &surface.Report{Scan: &surface.Result{Part: surface.Extent{Bytes: 512}}}
	if got := scanPage(t, r); !strings.Contains(got, "Nothing was read.") {
		t.Error("the page of nothing draws something")
	}
}
