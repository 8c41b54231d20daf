package page

import (
	"io"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// reportOf reads a simulated drive.
func reportOf(t *testing.T, profile string) *report.Report {
	t.Helper()
	d, err := sim.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	drive := &report.Drive{Selector: "sim:" + profile, Simulated: true, Passthru: nvme.ReadOnly(d), Close: d.Close}
	return report.Collect(t.Context(), drive, report.Options{Tool: report.Tool{Name: "qd1", Version: "1.2.3"}, Host: report.HostFacts{Kernel: "6.12.1"}, Timeout: 10 * time.Second,
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }})
}

func reportPage(t *testing.T, r *report.Report) string {
	t.Helper()
	text := written(t, func(w io.Writer) error { return Report(w, r) })
	wellMade(t, text)
	return text
}

func TestReport(t *testing.T) {
	r := reportOf(t, "optane-905p-media-errors")
	q := resultOf(0, 1, latencies(20000, 12, 1)).Result
	r.Bench = report.Section[report.Bench]{Data: &report.Bench{QD1Read: &q}}
	has(t, reportPage(t, r), "SIMULATED", "<header class=\"bad\">", "Report on ", "<h1>RETURN</h1>", "media errors", "serial ", "Findings", "<b>RETURN</b>", "media-errors-many", "<b>OK</b>",
		"Life and wear", "Share of its life that is used up", "written, of the rating", "<dt>powered on</dt><dd>12\u00a0601\u00a0h</dd>", "<dt>media errors</dt><dd>2\u00a0481\u00a0614</dd>", "rated endurance", "until read-only",
		"The drive", "namespace 1", "960\u00a0GB", "Latency of one read at a time", "how often which latency", "percentiles", "run 1", "Among others of its family", "Share of the drives seen that have less",
		"Error log", "Unrecovered Read Error", "qd1 1.2.3 · 2026-01-02 03:04:05 UTC · kernel 6.12.1")
}

// TestReportTones holds that each verdict has its word and its colour.
func TestReportTones(t *testing.T) {
	tests := []struct {
		level smart.Level
		word  string
		tone  tone
	}{{smart.Keep, "KEEP", good}, {smart.Note, "KEEP, WITH A NOTE", warn}, {smart.Return, "RETURN", bad}, {smart.Unknown, "UNKNOWN", warn}, {"new", "NEW", warn}}
	for _, tt := range tests {
		text := reportPage(t, &report.Report{Verdict: smart.Assessment{Level: tt.level, Summary: "the reason"}})
		has(t, text, `<header class="`+string(tt.tone)+`">`, "<h1>"+tt.word+"</h1>", "The reason.")
	}
}

// TestReports holds that the page of every simulated drive is sound.
func TestReports(t *testing.T) {
	for _, profile := range []string{"optane-905p", "optane-905p-used", "nand-worn", "nand-modern", "fake"} {
		text := reportPage(t, reportOf(t, profile))
		has(t, text, "Findings", "Life and wear", "The drive")
		lacks(t, text, "Latency of one read at a time", "<dd></dd>")
	}
}

func TestReportOfUnreadable(t *testing.T) {
	r := &report.Report{Drive: report.Identity{Controller: "nvme0"}}
	r.SMART.Problem = &report.Problem{Kind: report.KindPermission, Text: "permission denied", Hint: "run it with sudo"}
	text := reportPage(t, r)
	has(t, text, "Report on nvme0", "Not read", "<b>SMART</b>", "Permission denied.", "run it with sudo")
	lacks(t, text, "<svg", "Life and wear")
}

func TestReportCutShort(t *testing.T) {
	r := reportOf(t, "optane-905p")
	q := resultOf(0, 1, latencies(100, 12, 1)).Result
	q.Partial, q.Histogram = true, nil
	r.Bench.Data = &report.Bench{QD1Read: &q}
	text := reportPage(t, r)
	has(t, text, "PARTIAL: the benchmark ended early", "CPU free to sleep")
	lacks(t, text, "how often which latency")
}

func TestReportName(t *testing.T) {
	for _, tt := range []struct {
		id   report.Identity
		want string
	}{
		{report.Identity{MarketingName: new("N"), Model: "M"}, "N"}, {report.Identity{Model: "M", Controller: "nvme0"}, "M"}, {report.Identity{Controller: "nvme0", Selector: "x"}, "nvme0"},
		{report.Identity{Selector: "x"}, "x"}, {report.Identity{}, "a drive of unknown model"},
	} {
		if got := reportName(&tt.id); got != tt.want {
			t.Errorf("reportName = %q, want %q", got, tt.want)
		}
	}
}

func TestWarningText(t *testing.T) {
	for _, tt := range []struct {
		w    report.CriticalWarning
		want string
	}{
		{report.CriticalWarning{}, "none"}, {report.CriticalWarning{Value: 0x80}, "0x80, reserved bits"}, {report.CriticalWarning{Value: 9, AvailableSpareLow: true, ReadOnly: true}, "spare low, read-only"},
	} {
		if got := warningText(&tt.w); got != tt.want {
			t.Errorf("warningText(%+v) = %q, want %q", tt.w, got, tt.want)
		}
	}
}

func TestHeatText(t *testing.T) {
	s := &report.SMART{}
	if got := heatText(s); got != "not reported by this drive" {
		t.Errorf("without a temperature: %q", got)
	}
	s.CompositeTemperatureCelsius, s.TemperatureAfterBenchCelsius, s.WarningThresholdCelsius, s.CriticalThresholdCelsius = new(40), new(47), new(70), new(80)
	s.WarningTemperatureMinutes, s.CriticalTemperatureMinutes = 1, 1200
	want := "40 °C, after the benchmark 47 °C, warning from 70 °C, critical from 80 °C, 1 minute above the warning, 1 200 minutes above the critical limit"
	if got := strings.ReplaceAll(heatText(s), nbsp, " "); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEnduranceFacts(t *testing.T) {
	if got := enduranceFacts(nil); got != nil {
		t.Errorf("of nothing: %v", got)
	}
	got := enduranceFacts(&smart.Endurance{RatedBytes: new(int64(17.5e15)), RatedSource: new("the maker"), RatedIndicative: true, BytesToRated: new(int64(1e15)), YearsLeftAtObservedRate: new(250.0), ReadOnlyAtPercent: new(105), BytesToReadOnly: new(int64(2e15)), YearsToReadOnlyAtObservedRate: new(3.5), NotJudged: "the counter is known to be wrong"})
	want := []fact{
		{"rated endurance", "17.5 PB (indicative), source: the maker"}, {"left", "1 PB to the rating, more than 100 years at the rate so far"},
		{"until read-only", "about 2 PB to go, seen on such drives at 105 % used, 3.5 years at the rate so far"}, {"not judged", "The counter is known to be wrong."},
	}
	for i, f := range got {
		if f.Value = strings.ReplaceAll(f.Value, nbsp, " "); i >= len(want) || f != want[i] {
			t.Errorf("fact %d = %q", i, f)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d facts, want %d", len(got), len(want))
	}
}

func TestLinks(t *testing.T) {
	link := &report.Link{SpeedGTs: new(8.0), Width: new(4), MaxSpeedGTs: new(16.0), MaxWidth: new(4), Attached: "chipset"}
	if got, want := strings.ReplaceAll(reportLink(link), nbsp, " "), "PCIe 8 GT/s x4, the drive can 16 GT/s x4, at the chipset"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := reportLink(nil) + reportLink(&report.Link{Attached: "unknown"}); got != "" {
		t.Errorf("of what is not known: %q", got)
	}
	if got := pciText(&report.PCI{Address: "0000:01:00.0", VendorID: 0x8086, DeviceID: 0x2700}); got != "0000:01:00.0, vendor 8086, device 2700" {
		t.Errorf("pciText = %q", got)
	}
}

func TestNamespaces(t *testing.T) {
	r := &report.Report{}
	var all []report.Namespace
	for i := range 20 {
		all = append(all, report.Namespace{NSID: nvme.NSID(i + 1), SizeBytes: 1e12, LBAFormat: report.LBAFormat{DataBytes: 4096}, Block: new("nvme0n1")})
	}
	all[1].Problem = &report.Problem{Text: "it does not answer"}
	r.Namespaces.Data = &all
	text := reportPage(t, r)
	has(t, text, "1\u00a0TB, blocks of 4\u00a0KiB, nvme0n1", "not read: it does not answer", "namespace 16", "20\u00a0in all")
	lacks(t, text, "namespace 17")
}

func TestErrorCells(t *testing.T) {
	for _, tt := range []struct {
		low, high *uint64
		want      string
	}{{nil, nil, absent}, {new(uint64(7)), new(uint64(7)), "7"}, {new(uint64(7)), new(uint64(9)), "7 to 9"}} {
		if got := errorCells(&smart.ErrorGroup{LBAMin: tt.low, LBAMax: tt.high})[1]; got != tt.want {
			t.Errorf("blocks %q, want %q", got, tt.want)
		}
	}
}
