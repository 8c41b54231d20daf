package render

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// checkText compares, with ordinary spaces for the ones that do not break.
func checkText(t *testing.T, got, want string) {
	t.Helper()
	if got := strings.ReplaceAll(got, nbsp, " "); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestLife(t *testing.T) {
	one := nvme.U128(1)
	checkText(t, life(lang.English, &report.SMART{PowerOnHours: one, PowerCycles: one, UnsafeShutdowns: one}), "1 h powered on · 1 power cycle · 1 unsafe shutdown")
	checkText(t, life(lang.English, &report.SMART{PowerOnHours: nvme.Uint128{Hi: 1}}), "18 446 744 073 709 551 616 h powered on · 0 power cycles · 0 unsafe shutdowns")
}

func TestWear(t *testing.T) {
	s := &report.SMART{BytesWritten: big.NewInt(8782512128000), PercentageUsedPercent: 3, AvailableSparePercent: 99, SpareThresholdPercent: 10}
	rated, percent := int64(17520e12), 0.0501
	const before, after = "8.78 TB written", " · the drive says 3 % used · spare 99 % (limit 10 %)"
	for _, test := range []struct {
		e    *smart.Endurance
		want string
	}{
		{nil, before + after}, {&smart.Endurance{}, before + after},
		{&smart.Endurance{RatedBytes: &rated, WrittenPercent: &percent}, before + " = 0.0501 % of the 17 520 TB rating" + after},
		{&smart.Endurance{RatedBytes: &rated, WrittenPercent: &percent, RatedIndicative: true}, before + " = 0.0501 % of the 17 520 TB rating (indicative)" + after},
	} {
		checkText(t, wear(lang.English, s, test.e), test.want)
	}
	for threshold, want := range map[int]string{0: "no limit set", 1: "limit 1 %", 100: "limit 100 %", 101: "no limit set", 255: "no limit set"} {
		checkText(t, spare(lang.English, &report.SMART{SpareThresholdPercent: threshold}), "spare 0 % ("+want+")")
	}
}

func TestWearLeft(t *testing.T) {
	bytes, years, at, readOnly := int64(17511e12), 12.3, 105, int64(18387e12)
	for _, test := range []struct {
		e    *smart.Endurance
		want string
	}{
		{nil, ""}, {&smart.Endurance{}, ""},
		{&smart.Endurance{BytesToRated: &bytes}, "17 511 TB to the rating"},
		{&smart.Endurance{BytesToRated: &bytes, YearsLeftAtObservedRate: &years}, "17 511 TB to the rating, 12.3 years at the rate so far"},
		{&smart.Endurance{BytesToRated: &bytes, ReadOnlyAtPercent: &at, BytesToReadOnly: &readOnly},
			"17 511 TB to the rating · about 18 387 TB to read-only, seen on such drives at 105 % used"},
	} {
		checkText(t, wearLeft(lang.English, test.e), test.want)
	}
}

func TestWarnings(t *testing.T) {
	for _, test := range []struct {
		w    report.CriticalWarning
		want string
	}{
		{report.CriticalWarning{}, "no critical warning"},
		{report.CriticalWarning{Value: 0x08, ReadOnly: true}, "critical warning 0x08 (read-only)"},
		{report.CriticalWarning{Value: 0x03, AvailableSpareLow: true, Temperature: true}, "critical warning 0x03 (spare low, temperature)"},
		{report.CriticalWarning{Value: 0xC0}, "critical warning 0xc0 (reserved bits 0xc0)"},
		{report.CriticalWarning{Value: 0xC1, AvailableSpareLow: true}, "critical warning 0xc1 (spare low, reserved bits 0xc0)"},
	} {
		checkText(t, warningText(lang.English, test.w), test.want)
	}
}

func TestHeat(t *testing.T) {
	for _, test := range []struct {
		s    report.SMART
		want string
	}{
		{report.SMART{}, "temperature not reported by this drive · limits not reported by this drive"},
		{report.SMART{CompositeTemperatureCelsius: new(0), TemperatureSensorsCelsius: []*int{nil, new(-5)}}, "0 °C now · sensor 2 -5 °C · limits not reported by this drive"},
		{report.SMART{CompositeTemperatureCelsius: new(35), TemperatureAfterBenchCelsius: new(41), WarningThresholdCelsius: new(80)},
			"35 °C now · 41 °C after the benchmark · warning at 80 °C, no critical limit reported"},
		{report.SMART{CompositeTemperatureCelsius: new(35), CriticalTemperatureMinutes: 2},
			"35 °C now · limits not reported by this drive · 0 min above warning, 2 min above critical"},
	} {
		checkText(t, heat(lang.English, &test.s), test.want)
	}
}

func TestCapacity(t *testing.T) {
	ns := func(nsid nvme.NSID, size uint64) report.Namespace {
		return report.Namespace{NSID: nsid, SizeBytes: size, LBAFormat: report.LBAFormat{DataBytes: 512}}
	}
	failed := report.Namespace{NSID: 3, Problem: &report.Problem{}}
	for _, test := range []struct {
		list []report.Namespace
		want string
	}{
		{nil, "no active namespace"},
		{[]report.Namespace{ns(1, 1e9)}, "1 GB in namespace 1, 512-byte blocks"},
		{[]report.Namespace{failed}, "namespace 3 of unknown size"},
		{[]report.Namespace{ns(1, 1e9), ns(2, 2e9)}, "3 GB in 2 namespaces: 1 GB in namespace 1, 512-byte blocks · 2 GB in namespace 2, 512-byte blocks"},
		{[]report.Namespace{ns(1, 1e9), failed}, "1 GB or more in 2 namespaces: 1 GB in namespace 1, 512-byte blocks · namespace 3 of unknown size"},
		{[]report.Namespace{ns(1, 1), ns(2, 1), ns(3, 1), ns(4, 1)},
			"4 B in 4 namespaces: 1 B in namespace 1, 512-byte blocks · 1 B in namespace 2, 512-byte blocks · 1 B in namespace 3, 512-byte blocks · 1 more below"},
	} {
		checkText(t, capacity(lang.English, test.list), test.want)
	}
}

func TestFirmware(t *testing.T) {
	for _, test := range []struct {
		f    *report.Firmware
		want string
	}{
		{nil, "REV"}, {&report.Firmware{}, "REV"},
		{&report.Firmware{ActiveSlot: 2}, "REV in slot 2"},
		{&report.Firmware{ActiveSlot: 2, Update: &report.FirmwareUpdate{Slots: 3}}, "REV in slot 2 of 3"},
		{&report.Firmware{ActiveSlot: 1, NextSlot: new(1), Update: &report.FirmwareUpdate{Slots: 1}}, "REV in slot 1, the only one"},
		{&report.Firmware{ActiveSlot: 1, NextSlot: new(2)}, "REV in slot 1 · the next reset starts slot 2"},
	} {
		r := &report.Report{Drive: report.Identity{Firmware: "REV"}, Firmware: report.Section[report.Firmware]{Data: test.f}}
		checkText(t, firmware(lang.English, r), test.want)
	}
	for want, u := range map[string]report.FirmwareUpdate{
		"this drive takes none": {},
		"2 slots, slot 1 is read-only, needs a reset to activate, pieces of any size":      {Supported: true, Slots: 2, Slot1ReadOnly: true, GranularityBytes: new(0)},
		"1 slot, can activate without a reset, pieces of 8 192 bytes":                      {Supported: true, Slots: 1, ActivationWithoutReset: true, GranularityBytes: new(8192)},
		"0 slots, needs a reset to activate, granularity not reported by this drive":       {Supported: true},
		"7 slots, can activate without a reset, granularity not reported by this drive":    {Supported: true, Slots: 7, ActivationWithoutReset: true},
		"1 slot, slot 1 is read-only, can activate without a reset, pieces of 4 096 bytes": {Supported: true, Slots: 1, Slot1ReadOnly: true, ActivationWithoutReset: true, GranularityBytes: new(4096)},
	} {
		checkText(t, updateText(lang.English, &u), want)
	}
}

func TestLinkErrors(t *testing.T) {
	zero, two := uint64(0), uint64(2)
	for _, test := range []struct {
		a           *sysfs.AER
		short, long string
	}{
		{nil, "", "not counted by this host"},
		{&sysfs.AER{}, "", "not counted by this host"},
		{&sysfs.AER{Correctable: &zero, NonFatal: &zero, Fatal: &zero}, "no link errors", "0 correctable, 0 non-fatal, 0 fatal since the host started"},
		{&sysfs.AER{Correctable: &two, Fatal: &zero}, "link errors: 2 correctable, 0 fatal", "2 correctable, 0 fatal since the host started"},
	} {
		checkText(t, linkErrors(lang.English, test.a), test.short)
		checkText(t, aerText(lang.English, test.a), test.long)
	}
}

func TestReasons(t *testing.T) {
	v := &smart.Assessment{Level: smart.Return, Summary: "Heavy (and 1 more)."}
	for i, s := range []smart.Severity{smart.SeverityReturn, smart.SeverityReturn, smart.SeverityNote, smart.SeverityNote, smart.SeverityNote, smart.SeverityNote, smart.SeverityInfo} {
		v.Findings = append(v.Findings, smart.Finding{Rule: fmt.Sprint("r", i), Axis: smart.Axis(fmt.Sprint(i)), Severity: s, Text: fmt.Sprintf("Text %d.", i)})
	}
	v.Findings[0].Text, v.Findings[3].Text, v.Findings[3].Evidence = "Heavy.", "Text without.", "field 7"
	check := func(want ...string) {
		t.Helper()
		var got []string
		for _, e := range reasons(lang.English, v) {
			got = append(got, fmt.Sprint(e.label, " ", e.text, " ", e.spare))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	check("why Heavy (and 1 more). [r0] 0", "return Text 1. [r1] 0", "note Text 2. [r2] 1", "note Text without. [r3: field 7] 1", "note Text 4. [r4] 1")
	*v = smart.Assessment{Level: smart.Keep, Summary: "All is well.", Findings: []smart.Finding{{Rule: "a", Severity: smart.SeverityInfo, Text: "Aside."}, {Rule: "b", Severity: smart.SeverityOK, Text: "For it."}}}
	check("why All is well. 0", "ok For it. [b] 6")
}

// Sections that are missing for the same reason share a line.
func TestNotRead(t *testing.T) {
	r := &report.Report{}
	same := &report.Problem{Text: "gone", Hint: "look"}
	r.IdentifyController.Problem, r.SMART.Problem, r.Errors.Problem, r.Firmware.Problem = same, same, &report.Problem{Text: "other"}, same
	var got []string
	for _, e := range notRead(lang.English, r) {
		got = append(got, e.text)
	}
	want := []string{"Identify Controller, SMART: gone · look", "error log: other", "firmware slots: gone · look"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBenchLines(t *testing.T) {
	r := result()
	checkText(t, latencyLine(lang.English, r), "QD1 read, 4 KiB random: p50 11.9 µs · p90 12.4 µs · p99 15.1 µs · p99.9 19.2 µs · p99.99 31.5 µs · max 1 303 µs")
	checkText(t, rateLine(lang.English, r), "82 271 IOPS · 337 MB/s · 2.72 µs CPU time each · CPU kept from deep sleep · no blank blocks")
	r.Latency = bench.Latency{}
	r.Partial, r.Ended = true, "interrupted"
	checkText(t, latencyLine(lang.English, r), "PARTIAL, ended early (interrupted): QD1 read, 4 KiB random: none measured")
	for percent, want := range map[float64]string{0: "no blank blocks", 0.5: "0.5 % blank blocks", 1: "1 % blank blocks", 1.001: "1.001 % blank blocks, which may not touch the medium"} {
		checkText(t, blank(lang.English, &bench.Result{BlankPercent: &percent}), want)
	}
	checkText(t, failures(lang.English, &bench.Result{Errors: 1}), "1 failed read")
	checkText(t, failures(lang.English, &bench.Result{Errors: 3, ErrorDetails: []bench.ErrorKind{{Error: "EIO", Count: 3, FirstOffset: 4096}}}), "3 failed reads, 3 × EIO first at byte 4 096")
}

func TestErrorEntries(t *testing.T) {
	e := report.ErrorEntry{StatusText: "Invalid Field in Command", Status: 0x4002}
	e.SQID, e.CID, e.ParameterErrorLocation, e.NSID = 0xFFFF, 0xFFFF, 0xFFFF, nvme.BroadcastNSID
	checkText(t, entryText(lang.English, &e), "Invalid Field in Command (status 0x4002, phase 0), no queue no command, namespace all, LBA 0, no parameter")
	e.SQID, e.CID, e.ParameterErrorLocation, e.NSID, e.Opcode, e.VSIA, e.CommandSpecific = 3, 17, 0x0328, 0, 0x02, 0xC1, 0xAB
	checkText(t, entryText(lang.English, &e), "Invalid Field in Command (status 0x4002, phase 0), queue 3 command 17, namespace none, LBA 0, "+
		"parameter at byte 40 bit 3, opcode 0x02, vendor log 0xc1, command specific 0xab")
	low, high := uint64(8), uint64(1000)
	for want, g := range map[string]smart.ErrorGroup{
		"Invalid Field (0x002), command error: harmless":                            {Status: "Invalid Field", StatusCode: 2, Category: smart.CategoryCommand, NSID: nvme.BroadcastNSID},
		"Unrecovered Read (0x281), media error, namespace 1, LBA 8 to 1 000":        {Status: "Unrecovered Read", StatusCode: 0x281, Category: smart.CategoryMedia, NSID: 1, LBAMin: &low, LBAMax: &high},
		"Internal Path Error (0x300), path error":                                   {Status: "Internal Path Error", StatusCode: 0x300, Category: smart.CategoryPath},
		"Internal Error (0x006), other error, namespace 4294967294, LBA 8 to 1 000": {Status: "Internal Error", StatusCode: 6, Category: smart.CategoryOther, NSID: 0xFFFFFFFE, LBAMin: &low, LBAMax: &high},
	} {
		checkText(t, groupText(lang.English, &g), want)
	}
}
