package render

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"qd1.example/qd1/internal/compare"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// reportAfter is a report so many hours after the first, with a changed log.
func reportAfter(t *testing.T, hours int, change func(*nvme.SMARTLog)) *report.Report {
	t.Helper()
	r := collect(t, newDrive(t, used), host(), result(), nil)
	l := new(nvme.SMARTLog)
	if err := l.UnmarshalBinary(testPage(t, "smart", used+".bin")); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(l)
	}
	r.Time = r.Time.AddDate(0, 0, hours/24)
	r.SMART.Data = report.NewSMART(l)
	return r
}

func deltas(t *testing.T) map[string]*compare.Deltas {
	t.Helper()
	later := reportAfter(t, 48, func(l *nvme.SMARTLog) {
		l.PowerOnHours, l.DataUnitsWritten, l.MediaErrors, l.PercentageUsed = nvme.U128(4130), nvme.U128(20e6), nvme.U128(3), 1
		l.CriticalWarning = nvme.WarningReadOnly
	})
	later.Drive.Firmware = "E2010650B"
	later.Endurance = &smart.Endurance{RatedBytes: new(int64(17.52e15))}
	latency := *result()
	latency.Latency.P50 = new(13.1)
	later.Bench.Data = &report.Bench{QD1Read: &latency}
	reset := reportAfter(t, 24, func(l *nvme.SMARTLog) { l.PowerOnHours, l.DataUnitsWritten = nvme.U128(1), nvme.U128(2) })
	foreign := reportAfter(t, 24, nil)
	foreign.Drive.Serial = "OTHER"
	was := reportAfter(t, 0, nil)
	return map[string]*compare.Deltas{
		"later":   compare.Reports(was, later),
		"reset":   compare.Reports(was, reset),
		"same":    compare.Reports(was, reportAfter(t, 0, nil)),
		"refused": compare.Reports(was, foreign),
		"none":    compare.Reports(nil, nil),
	}
}

func deltasText(t *testing.T, d *compare.Deltas, width int) string {
	t.Helper()
	return text(t, func(b *bytes.Buffer) error { return Deltas(b, d, Style{Width: width}) })
}

func TestDeltasText(t *testing.T) {
	for name, d := range deltas(t) {
		golden(t, fmt.Sprintf("deltas-%s.txt", name), deltasText(t, d, 80))
		for width := 40; width <= 160; width += 10 {
			fits(t, fmt.Sprintf("%s, %d columns", name, width), deltasText(t, d, width), width)
		}
	}
}

// TestBackwardsFirst: what went backwards stands before what else changed.
func TestBackwardsFirst(t *testing.T) {
	got := deltasText(t, deltas(t)["reset"], 100)
	back, counters := strings.Index(got, "  fell "), strings.Index(got, "Counters")
	if !strings.HasPrefix(got, "WENT BACKWARDS") || back < 0 || back > counters || strings.Count(got, "went backwards from") != 2 {
		t.Errorf("got\n%s", got)
	}
}
