package render

import (
	"strings"
	"testing"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

func TestSourceLine(t *testing.T) {
	checkText(t, sourceLine(lang.English, nil), "")
	checkText(t, sourceLine(lang.English, &report.Source{Tool: "nvme-cli"}), "a dump of nvme-cli")
	checkText(t, sourceLine(lang.English, &report.Source{Tool: "smartctl", Version: "7.4", Time: "Monday", Opinion: "PASSED"}), "a dump of smartctl 7.4 · Monday · its own opinion: PASSED")
	checkText(t, sourceLine(lang.English, &report.Source{Tool: "raw page", Guessed: true}), "a dump of raw page · a guess by its contents")
	checkText(t, sourceSize(lang.English, nil), "")
	checkText(t, sourceSize(lang.English, &report.Source{}), "")
	checkText(t, sourceSize(lang.English, &report.Source{SizeBytes: new(int64(960197124096)), SizeRounded: true}), "about 960 197 124 096 bytes (960 GB)")
}

func TestByPage(t *testing.T) {
	for want, keys := range map[string]string{
		"": "", "errors": "errors", "errors; smart: a, b.c": "errors smart.a smart.b.c", "a: x; b: y, z; c": "a.x b.y b.z c",
	} {
		checkText(t, byPage(strings.Fields(keys)), want)
	}
}

// gaps has nothing of the keys that start with "-", and those with "~" rounded.
type gaps string

func (g gaps) Has(key string) bool     { return !strings.Contains(string(g), "-"+key) }
func (g gaps) Rounded(key string) bool { return strings.Contains(string(g), "~"+key) }

func TestTold(t *testing.T) {
	g := gaps("-hours ~size")
	checkText(t, told(lang.English, g, "hours", "4 h"), "")
	checkText(t, told(lang.English, g, "size", "4 TB"), "about 4 TB")
	checkText(t, told(lang.English, g, "cycles", "4"), "4")
}

// A report that has a part of everything says only that part.
func TestReportOfADump(t *testing.T) {
	f := newDrive(t, used)
	r := collectFrom(t, f, &report.Source{Tool: "smartctl", Version: "7.4", Missing: []string{
		"smart.power_on_hours", "smart.media_errors", "smart.available_spare_threshold_percent", "smart.error_log_entries", "smart.tmt1_transitions",
		"smart.warning_temperature_minutes", "identify_controller.oacs", "identify_controller.frmw", "identify_controller.wctemp",
		"namespaces.lbafs", "namespaces.flbas", "namespaces.nuse",
	}, Rounded: []string{"namespaces.nsze"}})
	got := strings.ReplaceAll(reportText(t, r, Style{}), nbsp, " ")
	golden(t, "report-dump.txt", got)
	golden(t, "ja-report-dump.txt", reportText(t, r, Style{Lang: lang.Japanese}))
	for _, bad := range []string{"powered on", "media error ", "limit set", "over its life", "throttling", "Format NVM", "the only one", "limits", "in use", "nuse 1", "nsze 1", "0 h", "more than 100 years"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q in the text:\n%s", bad, got)
		}
	}
	for _, want := range []string{"about 960 GB in namespace 1", "  source   a dump of smartctl 7.4", "nothing was sent to a drive", "block format  512 bytes of data"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if r.Verdict.Level != smart.Unknown {
		t.Errorf("verdict %s", r.Verdict.Level)
	}
}

func collectFrom(t *testing.T, f *fakeDrive, s *report.Source) *report.Report {
	t.Helper()
	return report.Collect(t.Context(), &report.Drive{Selector: "posted.txt", Passthru: nvme.ReadOnly(f), Source: s}, report.Options{
		Tool: report.Tool{Name: "qd1", Version: "1.2.3"}, Timeout: testTimeout, Now: testTime})
}
