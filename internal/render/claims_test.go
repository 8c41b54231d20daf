package render

import (
	"bytes"
	"strings"
	"testing"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/vendor"
	"qd1.example/qd1/smart"
)

func TestClaims(t *testing.T) {
	rare := smart.Sign{ID: "busy-time", Weight: 2, Text: "it was busy for longer than it was on", FleetPercent: new(0.47), FleetDrives: 14264}
	common := smart.Sign{ID: "often-unsafe", Text: "more than half", FleetPercent: new(46.9), FleetDrives: 14264}
	for _, test := range []struct {
		c    *smart.Credibility
		want string
	}{
		{nil, ""},
		{&smart.Credibility{Belief: smart.Plausible, Condition: smart.ConditionUsed}, ""},
		{&smart.Credibility{Belief: smart.Plausible, Condition: smart.ConditionUsed, Signs: []smart.Sign{common}}, ""},
		{&smart.Credibility{Belief: smart.Unjudged}, ""},
		{&smart.Credibility{Belief: smart.Plausible, Condition: smart.ConditionNew}, "the counters of a new drive"},
		{&smart.Credibility{Belief: smart.Plausible, Condition: smart.ConditionOpened, Score: 2, Signs: []smart.Sign{rare, common}},
			"hardly used: tested, opened or returned · plausible, score 2: it was busy for longer than it was on, as 0.47 % of 14 264 drives seen"},
		{&smart.Credibility{Belief: smart.Doubtful, Score: 5, Signs: []smart.Sign{{ID: "odd-thing", Weight: 3, Text: "odd"}, rare}},
			"doubtful, score 5: odd-thing 3; busy-time 2 as 0.47 % of 14 264 drives seen"},
	} {
		checkText(t, claims(lang.English, test.c), test.want)
	}
}

func TestOthers(t *testing.T) {
	cycles := smart.Percentile{Metric: "power_cycles", Text: "more power cycles than 10 % of 31 Optane 905P seen"}
	hours := smart.Percentile{Metric: "power_on_hours", Text: "more hours than 92 % of 31 Optane 905P seen"}
	written := smart.Percentile{Metric: "terabytes_written", Text: "less written than 50 % of 31 Optane 905P seen"}
	for _, test := range []struct {
		x    *report.Population
		want string
	}{
		{nil, ""}, {&report.Population{}, ""},
		{&report.Population{Percentiles: []smart.Percentile{hours, cycles, written}}, "more hours than 92 %, less written than 50 % of 31 Optane 905P seen"},
		{&report.Population{Percentiles: []smart.Percentile{cycles}}, cycles.Text},
		{&report.Population{Percentiles: []smart.Percentile{hours, {Metric: written.Metric, Text: "less written than 50 % of 30 Optane 905P seen"}}},
			hours.Text + ", less written than 50 % of 30 Optane 905P seen"},
	} {
		checkText(t, others(lang.English, test.x), test.want)
	}
}

func TestRowText(t *testing.T) {
	for want, row := range map[string]vendor.Row{
		"12 °C":                      {Value: int64(12), Unit: "celsius"},
		"-3 °C":                      {Value: int64(-3), Unit: "celsius"},
		"1 234":                      {Value: uint64(1234), Unit: "count"},
		"1 234 bytes (1.23 kB)":      {Value: uint64(1234), Unit: "bytes"},
		"5 %":                        {Value: uint64(5), Unit: "percent"},
		"1.5 %":                      {Value: 1.5, Unit: "percent"},
		"18 446 744 073 709 551 616": {Value: nvme.Uint128{Hi: 1}},
		"yes":                        {Value: true}, "no": {Value: false},
		"Intel(R) Optane(TM)": {Value: "Intel(R) Optane(TM)"},
		"7 cycles":            {Value: uint64(7), Unit: "cycles"},
	} {
		checkText(t, rowText(lang.English, row), want)
	}
}

func TestVendorLogs(t *testing.T) {
	status := nvme.StatusInvalidLogPage
	r := &report.Report{}
	r.VendorLogs.Data = &report.VendorLogs{
		WriteAmplification: &vendor.Amplification{Factor: 1.305, MediaBytes: nvme.U128(13_050e9), HostBytes: nvme.U128(10_000e9), LID: 0xCA},
		Pages: []vendor.Reading{
			{Log: vendor.Log{LID: 0xCA, Name: "Additional SMART Attributes", Why: "of the family"}, Outcome: vendor.Decoded, Rows: []vendor.Row{{Name: "CRC errors", Value: uint64(4), Unit: "count"}}},
			{Log: vendor.Log{LID: 0xC5, Name: "Temperature Statistics"}, Outcome: vendor.Refused, Status: &status, Refusals: 1, Problem: "invalid log page"},
			{Log: vendor.Log{LID: 0xC1, Name: "Read Latency Statistics", Changes: "reading clears it"}, Outcome: vendor.Skipped, Problem: "reading clears it; only on request"},
			{Log: vendor.Log{LID: 0xC2, Name: "Write Latency Statistics", Changes: "reading clears it"}, Outcome: vendor.Unrecognized, Raw: vendor.Raw{1, 0xAB, 0, 0}},
		},
	}
	got := strings.ReplaceAll(text(t, func(b *bytes.Buffer) error { return Report(b, r, Style{Width: 160}) }), nbsp, " ")
	for _, want := range []string{
		" 13 050 000 000 000 bytes (13.1 TB) to the medium for 10 000 000 000 000 bytes (10 TB) of the host, by log CAh\n", "write amplification  1.305\n",
		"Additional SMART Attributes, log CAh: decoded\n", "CRC errors  4\n",
		"invalid log page · status 0x0109, 1 refusal, each an entry in its error log\n",
		"note  reading clears it; only on request\n", "note   reading clears it\n", "bytes  01ab\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	checkText(t, amplification(lang.English, r.VendorLogs.Data), "13.1 TB written to the medium for 10 TB of the host: write amplification 1.3 (log CAh)")
	checkText(t, amplification(lang.English, nil), "")
}
