package page

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
)

// blockOf is a namespace on a link of half the width.
func blockOf(*report.BenchReport) *conditions.Block {
	b := &conditions.Block{Device: "nvme0n1", Kind: "nvme", NVMe: &conditions.NVMe{Link: &sysfs.Link{SpeedGTs: new(8.0), MaxSpeedGTs: new(8.0), Width: new(2), MaxWidth: new(4)}}}
	b.Scheduler, b.WriteCache = new("none"), new("write through")
	return b
}

func TestMarkdownBench(t *testing.T) {
	b := profileOf()
	b.Label = nil
	b.Conditions.Block = blockOf(b)
	b.Rows = b.Rows[2:]
	b.Rows[0].Figure.MBPerS, b.Rows[0].Figure.IOPS, b.Rows[0].Figure.LatencyUS, b.Rows[0].Figure.P99US = 325.4, 79443, new(12.34), nil
	b.Results = b.Results[:1]
	want := `**Intel Optane SSD 905P 960 GB** · INTEL SSDPE21D960GA · firmware E2010480 · PCIe 8 GT/s x2, the drive can 8 GT/s x4 · cdm8, CrystalDiskMark 8.0

| row | MB/s | IOPS | median latency µs | p99 µs | % of rated |
| --- | ---: | ---: | ---: | ---: | ---: |
| RND4K Q1T1 read | 325 | 79 443 | 12.3 | – | 83.3 % |

960 GB · 6.12.1, amd64 · engine psync · as found: idle states add to the latency · qd1 1.2.3 · 2026-01-02 03:04:05 UTC
`
	got := written(t, func(w io.Writer) error { return MarkdownBench(w, b, MarkdownOptions{}) })
	if diff := cmp.Diff(want, strings.ReplaceAll(got, nbsp, " ")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	got = written(t, func(w io.Writer) error { return MarkdownBench(w, b, MarkdownOptions{Serial: true}) })
	has(t, got, "serial SERIAL0001")
}

// TestMarkdownNamesNobody holds that without being asked for neither a serial
// number nor a path is shown.
func TestMarkdownNamesNobody(t *testing.T) {
	a, z := benchOf("before", 5, 12), benchOf("after", 5, 12)
	z.Conditions.Subject.Serial, z.Drive.Serial = "SERIAL0002", "SERIAL0002"
	file := benchOf("", 1, 12)
	file.Drive, file.Target = nil, report.BenchTarget{Name: "/home/SERIAL/x", Detail: "a file", Target: bench.Target{Kind: bench.FileTarget, Path: "/home/SERIAL/x"}}
	file.Conditions.Filesystem = &conditions.FileSystem{Type: "xfs", MountPoint: "/home/SERIAL", Source: "/dev/SERIAL"}
	c := compare.Bench([]*report.BenchReport{a}, []*report.BenchReport{z}, compare.Options{})
	for name, f := range map[string]func(io.Writer) error{
		"bench":   func(w io.Writer) error { return MarkdownBench(w, a, MarkdownOptions{}) },
		"file":    func(w io.Writer) error { return MarkdownBench(w, file, MarkdownOptions{}) },
		"compare": func(w io.Writer) error { return MarkdownCompare(w, c, MarkdownOptions{}) },
	} {
		if got := written(t, f); strings.Contains(got, "SERIAL") {
			t.Errorf("%s names the drive:\n%s", name, got)
		}
	}
	has(t, written(t, func(w io.Writer) error { return MarkdownBench(w, file, MarkdownOptions{}) }), "**a file on xfs**")
	has(t, written(t, func(w io.Writer) error { return MarkdownBench(w, file, MarkdownOptions{Serial: true}) }), "**/home/SERIAL/x**")
	has(t, written(t, func(w io.Writer) error { return MarkdownCompare(w, c, MarkdownOptions{Serial: true}) }), "serial SERIAL0001", "serial number (SERIAL0001 → SERIAL0002)")
	has(t, written(t, func(w io.Writer) error { return MarkdownCompare(w, c, MarkdownOptions{}) }), "another drive")
}

func TestUnnamedTarget(t *testing.T) {
	for _, tt := range []struct {
		kind bench.TargetKind
		want string
	}{{bench.FileTarget, "a file"}, {bench.BlockTarget, "a block device"}} {
		b := &report.BenchReport{Target: report.BenchTarget{Target: bench.Target{Kind: tt.kind}}}
		if got := unnamedTarget(b); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.kind, got, tt.want)
		}
	}
}

func TestMarkdownCompare(t *testing.T) {
	c := compare.Bench([]*report.BenchReport{benchOf("before", 7, 12)}, []*report.BenchReport{benchOf("after", 7, 13.2)}, compare.Options{})
	c.Tool = report.Tool{Name: "qd1", Version: "1.2.3"}
	c.Warnings = []string{"one side is warm"}
	got := written(t, func(w io.Writer) error { return MarkdownCompare(w, c, MarkdownOptions{}) })
	has(t, got, "**WORSE**: Worse: RND4K Q1T1 read", "before", " → after", "⚠ One side is warm.", "| figure | before | after | change | 95 % interval | p (Holm) | verdict |", "| --- | ---: |",
		"| RND4K Q1T1 read IOPS |", "IOPS\u00a0(7)", "| worse |", "| RND4K Q1T1 read median |", "Medians, in brackets the number of runs.", "qd1 1.2.3")
}

func TestMarkdownOfNothing(t *testing.T) {
	has(t, written(t, func(w io.Writer) error {
		return MarkdownBench(w, &report.BenchReport{Simulated: true}, MarkdownOptions{})
	}), "**SIMULATED", "Nothing was measured.")
	has(t, written(t, func(w io.Writer) error { return MarkdownCompare(w, &compare.Comparison{}, MarkdownOptions{}) }), "There is no row that both sides have.")
}

func TestEscaped(t *testing.T) {
	tests := []struct{ s, want string }{
		{"plain text", "plain text"},
		{"a | b\n\n# c", `a \| b # c`},
		{"<b>*x*_y_`z`[l](u)\\", "&lt;b&gt;\\*x\\*\\_y\\_\\`z\\`\\[l\\](u)\\\\"},
		{"5" + nbsp + "µs & more", "5" + nbsp + "µs &amp; more"},
		{"\x1b[31m\xff", "\uFFFD\\[31m\uFFFD"},
	}
	for _, tt := range tests {
		if got := escaped(tt.s); got != tt.want {
			t.Errorf("escaped(%q) = %q, want %q", tt.s, got, tt.want)
		}
	}
}
