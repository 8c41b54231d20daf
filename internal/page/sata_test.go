package page

import (
	"testing"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sata"
	"qd1.example/qd1/smart"
)

func TestReportOfSATA(t *testing.T) {
	r := &report.Report{
		Drive:   report.Identity{Model: "ST4000", Serial: "S1"},
		Verdict: smart.Assessment{Level: smart.Return, Summary: "sectors were replaced", Findings: []smart.Finding{{Rule: "reallocated", Severity: smart.SeverityReturn, Text: "8 sectors were replaced.", Evidence: "5 8"}}},
		SATA: &report.SATA{Health: &sata.Health{PowerOnHours: new(uint64(12345)), PowerCycles: new(uint64(77)), BytesWritten: new(uint64(5e12)), TemperatureCelsius: new(31), PercentageUsed: new(4),
			ReallocatedSectors: new(uint64(8)), CRCErrors: new(uint64(0))}},
	}
	text := reportPage(t, r)
	has(t, text, "RETURN", "8 sectors were replaced.", "reallocated: 5 8", "<dt>powered on</dt><dd>12\u00a0345\u00a0h</dd>", "<dt>power cycles</dt><dd>77</dd>", "5\u00a0TB", "31\u00a0°C", "<dt>used</dt><dd>4\u00a0%</dd>",
		"<dt>reallocated sectors</dt><dd>8</dd>", "<dt>damaged transfers</dt><dd>0</dd>")
	lacks(t, text, "pending sectors", "read by the host")
}

// TestReportOfDump holds that the page says whose words it has.
func TestReportOfDump(t *testing.T) {
	r := reportOf(t, "optane-905p")
	r.Source = &report.Source{}
	has(t, reportPage(t, r), "<dt>source</dt><dd>what another tool printed")
}
