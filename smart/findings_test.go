package smart

import (
	"slices"
	"testing"
)

// sentence is what a rule says of one of the rows of edges.
type sentence struct {
	rule, edge string
	text       string
	evidence   string
}

// sentences has one for each rule.
var sentences = slices.Concat(sentencesOfSMART, sentencesOfOthers)

var sentencesOfSMART = []sentence{
	{
		"smart-unreadable", "not read",
		"The SMART log could not be read, so that the health of the drive is not known.",
		"smart not read",
	},
	{
		"smart-page-empty", "no field",
		"The drive returned an empty SMART page, so that its health is not known.",
		"all fields 0",
	},
	{
		"smart-page-all-ones", "all",
		"The SMART page has every bit set, as from a drive that is gone or dead.",
		"all fields ones",
	},
	{
		"counters-implausible", "above",
		"The counter data_units_read is 1208925819614629174706177, which no drive can reach: the drive has lost its state or its log is not genuine.",
		"data_units_read 1208925819614629174706177",
	},
	{
		"state-lost", "255 and no counters",
		"Percentage used is 255 while every counter is 0: the drive has lost its firmware state.",
		"percentage_used_percent 255, all counters 0",
	},
	{
		"power-on-hours-implausible", "above",
		"200 001 power-on hours cannot be true, so that the age of the drive is not known.",
		"power_on_hours 200001",
	},
	{
		"identity-unreadable", "not read",
		"The drive does not say what it is: Identify Controller could not be read.",
		"identify_controller not read",
	},
	{
		"model-unknown", "no model number",
		"The source does not say which drive it is, so that its size, rating and firmware were not judged.",
		"no model number",
	},
	{
		"sections-unreadable", "one",
		"These sections could not be read and are not part of the verdict: firmware.",
		"firmware",
	},
	{
		"critical-warning-read-only", "set",
		"The drive has become read-only: it accepts no more writes.",
		"critical_warning 0x08",
	},
	{
		"critical-warning-reliability", "set",
		"The drive warns that it is no longer reliable, because of media errors or an internal error.",
		"critical_warning 0x04, percentage_used_percent 0, available_spare_percent 100, media_errors 0",
	},
	{
		"critical-warning-spare", "set",
		"The drive warns that its spare blocks are nearly used up.",
		"critical_warning 0x01",
	},
	{
		"critical-warning-volatile-backup", "set",
		"The drive warns that its power-loss protection has failed: data in its cache is lost when the power goes.",
		"critical_warning 0x10",
	},
	{
		"critical-warning-pmr", "set",
		"The drive warns that its Persistent Memory Region is read-only or unreliable.",
		"critical_warning 0x20",
	},
	{
		"critical-warning-temperature", "set",
		"The drive warns that its temperature is outside its limits now: look at the cooling and read again.",
		"critical_warning 0x02",
	},
	{
		"critical-warning-reliability-wear", "at 100 %",
		"The drive warns of lower reliability, most likely because its rated life is used up (100 %); spare blocks and media are in order.",
		"critical_warning 0x04, percentage_used_percent 100, available_spare_percent 100, media_errors 0",
	},
	{
		"critical-warning-reserved", "bit 6",
		"The drive raises warning bits that have no published meaning (0x40).",
		"critical_warning 0x40",
	},
	{
		"critical-warning-none", "none",
		"The drive raises no critical warning.",
		"critical_warning 0x00",
	},
	{
		"writable", "yes",
		"The drive is not read-only.",
		"critical_warning 0xf7",
	},
	{
		"media-errors-many", "at the limit",
		"The drive has counted 100 media errors: data that it could not read or found damaged.",
		"media_errors 100",
	},
	{
		"media-errors", "1",
		"The drive has counted media errors (1): data that it could not read or found damaged. Read again later: a growing number is a reason to return it.",
		"media_errors 1",
	},
	{
		"media-errors-none", "0",
		"The drive has counted no media errors.",
		"media_errors 0",
	},
	{
		"spare-below-threshold", "below",
		"Spare blocks are at 9 %, below the drive's own limit of 10 %.",
		"available_spare_percent 9, available_spare_threshold_percent 10",
	},
	{
		"spare-at-threshold", "at",
		"Spare blocks are at 10 %, which is the drive's own limit.",
		"available_spare_percent 10, available_spare_threshold_percent 10",
	},
	{
		"spare-near-threshold", "one above",
		"Spare blocks are at 11 %, close above the drive's own limit of 10 %: 1 % of the reserve above it is left.",
		"available_spare_percent 11, available_spare_threshold_percent 10",
	},
	{
		"spare-low-no-limit", "below half",
		"Spare blocks are at 49 %, and the drive gives no limit of its own: blocks had to be replaced. Read again later: a falling number is a reason to return it.",
		"available_spare_percent 49, available_spare_threshold_percent 0",
	},
	{
		"smart-not-in-dump", "not in the dump",
		"This dump has no SMART log, so that the health of the drive is not known: ask for that of smartctl -x or nvme smart-log.",
		"smart not in the dump",
	},
	{
		"smart-page-cut", "above",
		"The SMART page ends after 112 bytes (1.00 TB written, and nothing from the power cycles on), so that the health of the drive is not known.",
		"all fields from byte 112 on are 0",
	},
	{
		"temperature-limit-long", "above one percent",
		"The drive was above its warning temperature for 2 476 min, 1.0 % of the time it was on: it ran without enough cooling.",
		"warning_temperature_minutes 2476, power_on_hours 4125",
	},
	{
		"temperature-critical-minutes", "one",
		"The drive was at its critical temperature for 1 min, at which it may stop or lose its data.",
		"critical_temperature_minutes 1",
	},
	{
		"sensor-hot", "80 °C",
		"Temperature sensor 2 reads 80 °C: a part of the drive is hotter than the drive as a whole says.",
		"temperature_sensors_celsius[1] 80",
	},
	{
		"thermal-throttled-long", "above one percent",
		"The drive slowed down because of heat for 41 h, 1.0 % of the time it was on: look at the cooling.",
		"tmt1_seconds 100000, tmt2_seconds 48501, power_on_hours 4125",
	},
	{
		"thermal-throttled", "once",
		"The drive slowed down because of heat (1 transitions, 0 min in all).",
		"tmt transitions 1, seconds 0",
	},
	{
		"nothing-written", "101 h",
		"The drive was on for 101 h and has counted no byte written: it was not used, or it does not count.",
		"data_units_written 0, power_on_hours 101",
	},
	{
		"spare-ok", "above",
		"Spare blocks are at 21 %; the drive's own limit is 10 %.",
		"available_spare_percent 21, available_spare_threshold_percent 10",
	},
	{
		"read-only-soon", "Optane at",
		"100 % of the rated life is used: drives of this model turn read-only at about 105 %.",
		"percentage_used_percent 100",
	},
	{
		"percentage-used-spent", "at",
		"By its own account the drive is past its rated life: 100 % used (its own opinion: the rated endurance is not known).",
		"percentage_used_percent 100",
	},
	{
		"percentage-used-high", "at",
		"By its own account the drive comes near the end of its rated life: 80 % used (its own opinion: the rated endurance is not known).",
		"percentage_used_percent 80",
	},
	{
		"endurance-spent", "at",
		"512.26 TB were written, which is 100.000 % of the rated 512.26 TB; the drive itself says 0 %.",
		"data_units_written 1000500000, rated_bytes 512256000000000",
	},
	{
		"endurance-spent-indicative", "at",
		"512.26 TB were written, which is 100.000 % of 512.26 TB, a rating that could not be checked.",
		"data_units_written 1000500000, rated_bytes 512256000000000",
	},
	{
		"endurance-consumed", "below",
		"409.80 TB were written, which is 80.000 % of the rated 512.26 TB.",
		"data_units_written 800399999, rated_bytes 512256000000000",
	},
	{
		"endurance-near", "at",
		"409.80 TB were written, which is 80.000 % of the rated 512.26 TB: the rated endurance is nearly used up.",
		"data_units_written 800400000, rated_bytes 512256000000000",
	},
	{
		"percentage-used-ok", "below",
		"By its own account 79 % of the rated life is used.",
		"percentage_used_percent 79",
	},
	{
		"error-log-media", "two at the end",
		"2 of 2 entries of the error log are media errors, at 2 addresses, both in the last 90 KB of the drive (LBA 1 875 384 832 to 1 875 384 968).",
		"2 media entries, lba 1875384832 to 1875384968",
	},
	{
		"error-log-internal", "data transfer error",
		"1 of 1 entries of the error log are internal or vendor specific errors of the drive.",
		"1 other entries",
	},
	{
		"error-log-harmless", "invalid field",
		"The error log holds only commands that the drive refused (1), as operating systems cause them, and no media error.",
		"1 command entries, most often Invalid Field in Command",
	},
	{
		"error-log-cleared", "counted and empty",
		"The drive has counted errors since it was made (1); its error log shows none of them.",
		"error_log_entries 1",
	},
	{
		"temperature-not-reported", "0 K",
		"The drive does not report its temperature.",
		"composite_temperature_kelvin 0",
	},
	{
		"temperature-implausible", "-41 °C",
		"The drive reports a temperature that it cannot have (-41 °C); it is taken as not reported.",
		"composite_temperature_kelvin 232",
	},
	{
		"temperature-limit-minutes", "warning",
		"The drive has been above its temperature limits: 1 min above the warning limit, 0 min above the critical one.",
		"warning_temperature_minutes 1, critical_temperature_minutes 0",
	},
	{
		"unsafe-shutdowns", "one",
		"1 of 132 power cycles (1 %) ended without notice to the drive, which by itself says nothing about its health.",
		"unsafe_shutdowns 1, power_cycles 132",
	},
}

func TestFindings(t *testing.T) {
	for _, tt := range sentences {
		t.Run(tt.rule, func(t *testing.T) {
			got := findingOf(t, tt.rule, tt.edge)
			if got.Text != tt.text || got.Evidence != tt.evidence {
				t.Errorf("got  %s [%s]\nwant %s [%s]", got.Text, got.Evidence, tt.text, tt.evidence)
			}
		})
	}
}

// findingOf judges the facts of a row of edges.
func findingOf(t *testing.T, rule, edge string) Finding {
	t.Helper()
	for _, e := range edges {
		if e.rule != rule || e.name != edge {
			continue
		}
		f := &Facts{SMART: healthy()}
		e.set(f)
		for _, x := range Assess(f).Findings {
			if x.Rule == rule {
				return x
			}
		}
	}
	t.Fatalf("rule %s does not fire in the row %q", rule, edge)
	return Finding{}
}

func TestEveryRuleHasASentence(t *testing.T) {
	have := map[string]bool{}
	for _, s := range sentences {
		have[s.rule] = true
	}
	for _, r := range Rules() {
		if !have[r.ID] {
			t.Errorf("rule %s has no row in sentences", r.ID)
		}
	}
}
