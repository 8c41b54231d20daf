package render

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/internal/lang"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sata"
	"qd1.example/qd1/smart"
)

func disk(t *testing.T) *report.SATA {
	t.Helper()
	b, err := os.ReadFile("../sata/testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	s := new(report.SATA)
	if err := json.Unmarshal(b, s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSATA(t *testing.T) {
	s := disk(t)
	r := &report.Report{SATA: s, Drive: report.Identity{Model: s.Identity.Model, Serial: s.Identity.Serial, Firmware: s.Identity.Firmware},
		Verdict: smart.Assessment{Level: smart.Keep, Summary: "Nothing speaks against it."}, Time: testTime()}
	r.Bench.Data = &report.Bench{QD1Read: result()}
	got := reportText(t, r, Style{})
	golden(t, "report-sata.txt", got)
	golden(t, "ja-report-sata.txt", reportText(t, r, Style{Lang: lang.Japanese}))
	for _, bad := range []string{"Identify Controller", "PCI Express", "null"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q in the text of a SATA disk", bad)
		}
	}
	above, _, _ := strings.Cut(got, "\n\n")
	if n := strings.Count(above, "\n") + 1; n > foldLines {
		t.Errorf("%d lines above the fold", n)
	}
}

func TestSATABridge(t *testing.T) {
	r := &report.Report{SATA: &report.SATA{
		Host:   &sata.Host{Disk: "sdb", Transport: sata.TransportUSB, SizeBytes: 1e12, USB: &sata.USB{Bridge: "RTL9210"}},
		Advice: &sata.Advice{Text: "An NVMe drive in a USB box.", Hint: "take it out"},
	}}
	got := strings.ReplaceAll(reportText(t, r, Style{}), nbsp, " ")
	for _, want := range []string{"  what     An NVMe drive in a USB box. · take it out\n", "capacity 1 TB by the host", "usb bridge", "RTL9210"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestSATALines(t *testing.T) {
	n := func(v uint64) *uint64 { return &v }
	s := &report.SATA{Health: &sata.Health{}}
	checkText(t, lifeSATA(lang.English, s.Health), "")
	checkText(t, wearSATA(lang.English, s), "")
	checkText(t, errorsSATA(lang.English, s), "")
	checkText(t, heatSATA(lang.English, s), "temperature not reported by this drive")
	checkText(t, linkSATA(lang.English, nil), "")
	checkText(t, capacitySATA(lang.English, s), "")
	passed := sata.StatusPassed
	s = &report.SATA{
		Status:     &passed,
		Health:     &sata.Health{PowerOnHours: n(1), PowerCycles: n(2), BytesWritten: n(4e12), PercentageUsed: new(7), ReallocatedSectors: n(1), PendingSectors: n(0), UncorrectableErrors: n(3), CRCErrors: n(1), TemperatureCelsius: new(31)},
		Endurance:  &sata.Endurance{FullDriveWrites: new(8.3), YearsLeftAtObservedRate: new(12.5)},
		Statistics: &sata.Statistics{HighestCelsius: new(55)},
	}
	checkText(t, lifeSATA(lang.English, s.Health), "1 h powered on · 2 power cycles")
	checkText(t, wearSATA(lang.English, s), "4 TB written = 8.3 times the drive · the drive says 7 % used · 12.5 years left at the rate so far")
	checkText(t, errorsSATA(lang.English, s), "SMART status passed · 1 block replaced · 0 blocks wait · 3 uncorrectable errors · 1 damaged transfer")
	checkText(t, heatSATA(lang.English, s), "31 °C now · highest ever 55 °C")
	checkText(t, linkSATA(lang.English, &sata.Identity{Interface: "SATA 3.3", SpeedMaxGbps: new(6.0), SpeedCurrentGbps: new(3.0)}), "SATA 3.3 at 3 Gbit/s of at most 6 Gbit/s")
}

func TestFlat(t *testing.T) {
	got := flat("x", map[string]any{"a_b": nil, "c": true, "d": []any{1, map[string]any{"e": "f"}}, "g": map[string]any{"h": uint64(1 << 63)}})
	want := []pair{{"x c", "yes"}, {"x d 1", "1"}, {"x d 2 e", "f"}, {"x g h", "9223372036854775808"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(pair{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := flat("x", func() {}); got != nil {
		t.Errorf("what has no JSON gives %v", got)
	}
}
