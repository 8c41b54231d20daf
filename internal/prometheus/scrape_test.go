package prometheus_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/prometheus"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sim"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// collect makes a report of a simulated drive.
func collect(t *testing.T, profile string) *report.Report {
	t.Helper()
	s, err := sim.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	host, err := sysfs.Read(sysfs.Map(s.Sysfs()), "nvme0")
	if err != nil {
		t.Fatal(err)
	}
	d := &report.Drive{Simulated: true, Passthru: nvme.ReadOnly(s), Host: host, Close: s.Close}
	return report.Collect(context.Background(), d, report.Options{Now: time.Now, Timeout: time.Second})
}

func write(t *testing.T, s *prometheus.Scrape) (string, []parsed) {
	t.Helper()
	var b strings.Builder
	if err := prometheus.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	samples, complaints := check(b.String())
	for _, c := range complaints {
		t.Error(c)
	}
	return b.String(), samples
}

// value returns the only sample with a name and labels, NaN if there is none.
func value(samples []parsed, family string, labels ...string) float64 {
	for _, s := range samples {
		fits := s.family == family
		for i := 0; i+1 < len(labels); i += 2 {
			fits = fits && s.labels[labels[i]] == labels[i+1]
		}
		if fits {
			return s.value
		}
	}
	return math.NaN()
}

// Every simulated drive makes a page that the format allows, all together too.
func TestWriteIsWellFormed(t *testing.T) {
	s := &prometheus.Scrape{Tool: report.Tool{Version: "1"}, Time: time.Unix(1e9, 0)}
	for _, profile := range []string{"optane-905p", "optane-905p-used", "optane-905p-media-errors", "nand-modern", "nand-worn", "fake", "throttling", "dead"} {
		s.Drives = append(s.Drives, prometheus.Drive{Device: profile, Report: collect(t, profile), Took: 1500 * time.Millisecond})
	}
	_, samples := write(t, s)
	if len(samples) < 300 {
		t.Errorf("only %d samples", len(samples))
	}
	if got := value(samples, "qd1_scrape_duration_seconds", "device", "fake"); got != 1.5 {
		t.Errorf("duration %v", got)
	}
}

func TestValues(t *testing.T) {
	s := &prometheus.Scrape{Time: time.Unix(1e9, 0), Drives: []prometheus.Drive{
		{Device: "nvme0", Report: collect(t, "optane-905p-media-errors")},
		{Device: "nvme1", Report: collect(t, "nand-worn")}}}
	_, samples := write(t, s)
	for _, test := range []struct {
		family string
		labels []string
		want   float64
	}{
		{"nvme_media_errors_total", []string{"device", "nvme0"}, 2481614},
		{"nvme_power_cycles_total", []string{"device", "nvme0"}, 5029},
		{"nvme_available_spare_ratio", []string{"device", "nvme0"}, 1},
		{"nvme_percentage_used_ratio", []string{"device", "nvme1"}, 1.05},
		{"nvme_data_units_written_total", []string{"device", "nvme0"}, 68927748},
		{"qd1_written_bytes_total", []string{"device", "nvme0"}, 68927748 * 512000},
		{"nvme_controller_busy_time_seconds_total", []string{"device", "nvme0"}, 626 * 60},
		{"nvme_physical_size_bytes", []string{"device", "nvme0", "nsid", "1"}, 960197124096},
		{"nvme_sector_size_bytes", []string{"device", "nvme0"}, 512},
		{"qd1_verdict", []string{"device", "nvme0", "verdict", "return"}, 1},
		{"qd1_verdict", []string{"device", "nvme0", "verdict", "keep"}, 0},
		{"qd1_finding", []string{"device", "nvme0", "rule", "media-errors-many", "severity", "return"}, 1},
		{"qd1_critical_warning_active", []string{"device", "nvme1", "warning", "read_only"}, 1},
		{"qd1_critical_warning_active", []string{"device", "nvme0", "warning", "read_only"}, 0},
		{"qd1_error_log_entries", []string{"device", "nvme0", "category", "media"}, 64},
		{"qd1_error_log_group_entries", []string{"device", "nvme0", "status_code", "0x281", "nsid", "1"}, 64},
		{"qd1_link_current_width", []string{"device", "nvme0"}, 4},
		{"qd1_link_current_transfers_per_second", []string{"device", "nvme0"}, 8e9},
		{"qd1_link_errors_total", []string{"device", "nvme0", "severity", "fatal"}, 0},
		{"qd1_endurance_rated_bytes", []string{"device", "nvme0", "indicative", "1"}, 17520e12},
		{"qd1_scrape_success", []string{"device", "nvme0"}, 1},
		{"qd1_drive_simulated", []string{"device", "nvme0"}, 1},
		{"qd1_scrape_timestamp_seconds", nil, 1e9},
	} {
		if got := value(samples, test.family, test.labels...); got != test.want {
			t.Errorf("%s %v: got %v, want %v", test.family, test.labels, got, test.want)
		}
	}
	if got := value(samples, "qd1_temperature_threshold_celsius", "device", "nvme0"); !math.IsNaN(got) {
		t.Errorf("a drive without limits has one: %v", got)
	}
	if got := value(samples, "qd1_temperature_threshold_celsius", "device", "nvme1", "threshold", "warning"); math.IsNaN(got) {
		t.Error("a drive with limits has none")
	}
}

// The names of nvme_metrics.py in node-exporter-textfile-collector-scripts,
// each as the script writes it, but for nvme_nvmecli, which is about nvme-cli.
func TestEstablishedNames(t *testing.T) {
	text, _ := write(t, &prometheus.Scrape{Drives: []prometheus.Drive{{Device: "nvme0", Report: collect(t, "nand-modern")}}})
	for name, kind := range map[string]string{
		"nvme_available_spare_ratio": "gauge", "nvme_available_spare_threshold_ratio": "gauge", "nvme_controller_busy_time_seconds_total": "counter",
		"nvme_critical_warning": "gauge", "nvme_data_units_read_total": "counter", "nvme_data_units_written_total": "counter", "nvme_device_info": "gauge",
		"nvme_host_read_commands_total": "counter", "nvme_host_write_commands_total": "counter", "nvme_media_errors_total": "counter",
		"nvme_num_err_log_entries_total": "counter", "nvme_percentage_used_ratio": "gauge", "nvme_physical_size_bytes": "gauge", "nvme_power_cycles_total": "counter",
		"nvme_power_on_hours_total": "counter", "nvme_sector_size_bytes": "gauge", "nvme_temperature_celsius": "gauge", "nvme_unsafe_shutdowns_total": "counter",
		"nvme_used_bytes": "gauge",
	} {
		if !strings.Contains(text, "# TYPE "+name+" "+kind+"\n") || !strings.Contains(text, "\n"+name+`{device="nvme0"`) {
			t.Errorf("%s %s is missing", kind, name)
		}
	}
	if strings.Contains(text, "nvme_nvmecli") {
		t.Error("the version of nvme-cli is made up")
	}
}

// Health is keyed by the controller: four namespaces are four sizes and one
// SMART log.
func TestHealthIsOfTheController(t *testing.T) {
	r := collect(t, "optane-905p")
	first := (*r.Namespaces.Data)[0]
	for nsid := 2; nsid <= 4; nsid++ {
		first.NSID = nvme.NSID(nsid)
		*r.Namespaces.Data = append(*r.Namespaces.Data, first)
	}
	*r.Namespaces.Data = append(*r.Namespaces.Data, report.Namespace{NSID: 5, Problem: &report.Problem{Kind: report.KindStatus}})
	_, samples := write(t, &prometheus.Scrape{Drives: []prometheus.Drive{{Device: "nvme0", Report: r}}})
	count := map[string]int{}
	for _, s := range samples {
		count[s.family]++
		if _, perNamespace := s.labels["nsid"]; perNamespace != slices.Contains([]string{"nvme_physical_size_bytes", "nvme_used_bytes", "nvme_sector_size_bytes"}, s.family) {
			t.Errorf("%s %v", s.family, s.labels)
		}
	}
	if count["nvme_media_errors_total"] != 1 || count["nvme_power_on_hours_total"] != 1 || count["nvme_physical_size_bytes"] != 4 {
		t.Errorf("samples: %v", count)
	}
	if got := value(samples, "qd1_scrape_problem", "section", "namespace 5", "kind", "status"); got != 1 {
		t.Errorf("the namespace that could not be read: %v", got)
	}
}

// A drive that does not answer has its error and no values; one that is gone
// is absent.
func TestTroubleIsNoValue(t *testing.T) {
	_, samples := write(t, &prometheus.Scrape{
		Drives: []prometheus.Drive{
			{Device: "nvme0", Report: collect(t, "dead")},
			{Device: "nvme1", Known: prometheus.Known{Serial: "S1", Model: "M"}, Problem: &report.Problem{Kind: report.KindPermission}},
			{Device: "nvme2", Known: prometheus.Known{Serial: "S1", Model: "M"}, Problem: &report.Problem{Kind: report.KindHost}},
			{Device: "nvme3", Problem: &report.Problem{Kind: report.KindHost}}},
		Absent: []prometheus.Known{{Serial: "S2", Model: "M2"}, {Serial: "S1", Model: "M"}, {Serial: "S2", Model: "M2"}}})
	for _, s := range samples {
		if strings.HasPrefix(s.family, "nvme_") && s.family != "nvme_device_info" {
			t.Errorf("a value of a drive that did not answer: %+v", s)
		}
	}
	for _, test := range []struct {
		family string
		labels []string
		want   float64
	}{
		{"qd1_scrape_success", []string{"device", "nvme0"}, 0},
		{"qd1_scrape_success", []string{"device", "nvme1"}, 0},
		{"qd1_verdict", []string{"device", "nvme0", "verdict", "unknown"}, 1},
		{"qd1_scrape_problem", []string{"device", "nvme1", "section", "drive", "kind", "permission"}, 1},
		{"qd1_drive_present", []string{"serial", "S1", "model", "M"}, 1},
		{"qd1_drive_present", []string{"serial", "S2", "model", "M2"}, 0},
	} {
		if got := value(samples, test.family, test.labels...); got != test.want {
			t.Errorf("%s %v: got %v, want %v", test.family, test.labels, got, test.want)
		}
	}
}

// What the drive does not report is left out, and text of drives cannot break
// the format.
func TestHostileText(t *testing.T) {
	r := collect(t, "nand-modern")
	r.Drive.Serial, r.Drive.Model, r.Drive.Firmware = "A\"B\\C\nD", "M\x00\xff", `","x="`
	r.SMART.Data.CompositeTemperatureCelsius, r.Endurance, r.Link.Data, r.Namespaces.Data, r.Errors.Data = nil, nil, nil, nil, nil
	r.SMART.Data.DataUnitsRead = nvme.Uint128{Hi: math.MaxUint64, Lo: math.MaxUint64}
	r.Verdict.Findings = []smart.Finding{{Rule: "x", Severity: smart.SeverityNote}, {Rule: "x", Severity: smart.SeverityNote}, {Rule: "y", Severity: smart.SeverityInfo}}
	text, samples := write(t, &prometheus.Scrape{Drives: []prometheus.Drive{{Device: "nvme0", Report: r}}})
	for _, s := range samples {
		if s.family == "nvme_device_info" && (s.labels["firmware"] != `","x="` || s.labels["serial"] != "A\"B\\C\uFFFDD") {
			t.Errorf("labels %q", s.labels)
		}
	}
	if strings.Contains(text, "nvme_temperature_celsius") || strings.Contains(text, "nvme_physical_size_bytes") || strings.Contains(text, `rule="y"`) {
		t.Error("something that is not reported stands there")
	}
	if !strings.Contains(text, "nvme_data_units_read_total{device=\"nvme0\"} 340282366920938463463374607431768211455\n") {
		t.Error("a large counter is not exact")
	}
}

func TestReadKnown(t *testing.T) {
	s := &prometheus.Scrape{
		Drives: []prometheus.Drive{{Device: "nvme0", Known: prometheus.Known{Serial: `A"\,`, Model: "M 1"}, Problem: &report.Problem{}}},
		Absent: []prometheus.Known{{Serial: "S2"}}}
	text, _ := write(t, s)
	want := []prometheus.Known{{Serial: `A"\,`, Model: "M 1"}, {Serial: "S2"}}
	if diff := cmp.Diff(want, prometheus.ReadKnown(text)); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "qd1_drive_present{serial=\"A", `qd1_drive_present{serial="A",model="B`, `qd1_drive_present{serial="",model=""} 1`, `qd1_drive_present{serial="A"} 1`} {
		if got := prometheus.ReadKnown(bad); got != nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

func FuzzReadKnown(f *testing.F) {
	f.Add("qd1_drive_present{serial=\"A\\\\\",model=\"B\"} 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		known := prometheus.ReadKnown(text)
		var b strings.Builder
		if err := prometheus.Write(&b, &prometheus.Scrape{Absent: known}); err != nil {
			t.Fatal(err)
		}
		if _, complaints := check(b.String()); complaints != nil {
			t.Fatal(complaints)
		}
	})
}

// The checker finds what it is for.
func TestChecker(t *testing.T) {
	const head = "# HELP a_total x\n# TYPE a_total counter\n"
	for name, text := range map[string]string{
		"end":         head + "a_total 1",
		"no type":     "# HELP a_total x\na_total 1\n",
		"no help":     "# TYPE a_total counter\na_total 1\n",
		"twice":       head + "a_total{b=\"1\"} 1\na_total{b=\"1\"} 2\n",
		"bare twice":  head + "a_total 1\na_total 2\n",
		"two blocks":  head + "a_total 1\n# HELP b x\n# TYPE b gauge\nb 1\na_total{b=\"1\"} 1\n",
		"head twice":  head + "a_total 1\n" + head + "a_total{b=\"1\"} 1\n",
		"time":        head + "a_total 1 1000\n",
		"value":       head + "a_total one\n",
		"escape":      head + "a_total{b=\"\\t\"} 1\n",
		"label":       head + "a_total{1b=\"x\"} 1\n",
		"label twice": head + "a_total{b=\"x\",b=\"y\"} 1\n",
		"gauge total": "# HELP a_total x\n# TYPE a_total gauge\na_total 1\n",
		"no total":    "# HELP a x\n# TYPE a counter\na 1\n",
		"unit":        "# HELP a_hours x\n# TYPE a_hours gauge\na_hours 1\n",
		"name":        "# HELP a-b x\n# TYPE a-b gauge\na-b 1\n",
	} {
		if _, complaints := check(text); complaints == nil {
			t.Errorf("%s: nothing was found", name)
		}
	}
	if _, complaints := check(head + "a_total{b=\"x\\n\\\\\\\"\"} 1\na_total 2e+09\n"); complaints != nil {
		t.Error(complaints)
	}
}
