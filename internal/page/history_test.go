package page

import (
	"io"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/report"
)

// manyRecords is a history of a record every four days.
func manyRecords(n int) *Records {
	start := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	h := &Records{Tool: report.Tool{Name: "qd1", Version: "1.2.3"}, Time: start.AddDate(5, 0, 0), Subject: record.Subject{Serial: "SERIAL0001", Model: "INTEL SSDPE21D960GA"}}
	for i := range n {
		at := uint64(i)
		h.Points = append(h.Points, record.Point{
			ID: "x", Time: start.Add(time.Duration(i) * 96 * time.Hour), Kind: "report", Label: "label", Firmware: new("E2010480"), Hours: new(1000 + at*90), PowerCycles: new(10 + at), BytesWritten: new(uint64(1e15) + at*4e12),
			BytesRead: new(at * 1e12), MediaErrors: new(uint64(0)), UnsafeShutdowns: new(3 + at/10), PercentageUsed: new(20 + at/40), Temperature: new(38 + float64(i%7)), QD1P50US: new(12.1), QD1P99US: new(15.5),
		})
	}
	h.Trend = record.TrendOf(h.Points)
	h.Forecast = record.ForecastOf(h.Points, &record.Rated{Bytes: 3e15, Source: "the maker"})
	return h
}

func historyPage(t *testing.T, h *Records) string {
	t.Helper()
	text := written(t, func(w io.Writer) error { return History(w, h) })
	wellMade(t, text)
	return text
}

func TestHistory(t *testing.T) {
	text := historyPage(t, manyRecords(30))
	has(t, text, "<h1>INTEL SSDPE21D960GA</h1>", "serial SERIAL0001", "30\u00a0records from 2025-01-01 00:00:00 UTC to 2025-04-27 00:00:00 UTC.", "Wear", "Written by the host", "forecast", "rated 3\u00a0PB", "The forecast assumes that", "Percentage used",
		"Power-on hours", "Media errors and unsafe shutdowns", "rates over", "22.5\u00a0h a day", "1\u00a0TB a day", "rated endurance", "3\u00a0PB, source: the maker", "reached", "QD1 read latency", "Temperature when the record was made", "Records", "2025-04-27\u00a000:00",
		"label", "E2010480", "2025-01-01\u00a000:00", "qd1 1.2.3")
	lacks(t, text, "went backwards", "SIMULATED")
}

// TestHistoryForecast holds that a forecast far away is told and not drawn.
func TestHistoryForecast(t *testing.T) {
	h := manyRecords(30)
	far := h.Points[29].Time.AddDate(80, 0, 0)
	h.Forecast.Reached = &far
	text := historyPage(t, h)
	has(t, text, "The rating of 3\u00a0PB is reached in 2105. The forecast assumes")
	lacks(t, text, `class="line forecast`)
	h.Forecast.Reached, h.Forecast.Rated.Indicative = nil, true
	has(t, historyPage(t, h), "The rating of 3\u00a0PB is not reached within 200 years.", "3\u00a0PB (indicative)", "not within 200 years")
}

func TestHistoryBackwards(t *testing.T) {
	h := manyRecords(30)
	h.Points[20].PowerCycles = new(uint64(1))
	h.Backwards = record.Backwards(h.Points)
	has(t, historyPage(t, h), `<header class="warn">`, "power_cycles went backwards, from 29 to 1, before 2025-03-22 00:00:00 UTC")
	for range 20 {
		h.Backwards = append(h.Backwards, h.Backwards[0])
	}
	has(t, historyPage(t, h), "… and 13 more.")
}

func TestHistoryOfNothing(t *testing.T) {
	text := historyPage(t, &Records{Subject: record.Subject{Path: "/mnt/file", Bytes: 5e9, Simulated: true}})
	has(t, text, "SIMULATED", "/mnt/file", "There are no records of this drive.", "No record has this figure.")
	lacks(t, text, "<svg", "<table")
}

// TestHistoryIsBounded holds that of many records the newest are listed and all
// are drawn.
func TestHistoryIsBounded(t *testing.T) {
	h := manyRecords(1000)
	text := historyPage(t, h)
	has(t, text, "1\u00a0000\u00a0records from 2025-01-01", "The newest 200 of 1000 records")
	if n := strings.Count(text, `data-head="firmware"`); n != mostRecords {
		t.Errorf("%d records are listed, want %d", n, mostRecords)
	}
	if strings.Contains(text, `class="dot`) {
		t.Error("a thousand points are drawn one by one")
	}
}

// TestHistoryOfGaps holds that what a record does not say is left out.
func TestHistoryOfGaps(t *testing.T) {
	h := manyRecords(3)
	for i := range h.Points {
		h.Points[i].QD1P50US, h.Points[i].QD1P99US, h.Points[i].Temperature, h.Points[i].Label = nil, nil, nil, ""
	}
	h.Points[1].BytesWritten, h.Points[1].Firmware = nil, nil
	text := historyPage(t, h)
	has(t, text, "No record has this figure.", absent)
	if n := strings.Count(text, "No record has this figure."); n != 2 {
		t.Errorf("%d pictures say that there is nothing, want 2", n)
	}
}
