package render

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"qd1.example/qd1/internal/record"
)

// recordStart is the time of the first record of the tests.
var recordStart = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// recordedDrive is what they are about.
var recordedDrive = record.Subject{Serial: "SERIAL0001", Model: "INTEL SSDPE21D960GA"}

// historyOf is a history of a record every ten days, the last one of which is
// an erase.
func historyOf(n int) *record.History {
	h := &record.History{Schema: record.HistorySchema, Directory: "/var/lib/qd1/records", Key: "SERIAL0001", Subject: recordedDrive, Total: n}
	for i := range uint64(n) {
		h.Points = append(h.Points, record.Point{
			ID: "20260102T030405Z-abcdef", Time: recordStart.AddDate(0, 0, 10*int(i)), Kind: "report", Firmware: new("E2010480"), Hours: new(1000 + i*200), PowerCycles: new(10 + i),
			BytesRead: new(i * 2e12), BytesWritten: new(uint64(5e15) + i*1e13), MediaErrors: new(i / 3), UnsafeShutdowns: new(uint64(3)), ErrorLogEntries: new(i), PercentageUsed: new(20 + i/2),
			Temperature: new(40 - float64(i%5)), QD1P50US: new(12.1 + float64(i)/10), QD1P99US: new(19.25),
		})
	}
	last := &h.Points[n-1]
	*last = record.Point{ID: "20260102T030405Z-zyxwvu", Time: last.Time, Kind: "erase", Label: "before the sale"}
	h.Trend = record.TrendOf(h.Points)
	h.Forecast = record.ForecastOf(h.Points, &record.Rated{Bytes: 17520e12, Source: "the maker", Indicative: true})
	return h
}

func historyText(t *testing.T, h *record.History, style Style) string {
	t.Helper()
	return text(t, func(b *bytes.Buffer) error { return History(b, h, style) })
}

// worstHistory has everything that can be wrong.
func worstHistory() *record.History {
	h := historyOf(60)
	h.Total, h.Omitted = 10_060, 10_000
	h.Subject.Simulated = true
	for i := range 10 {
		h.Backwards = append(h.Backwards, record.Step{Counter: "power_cycles", From: 10_000, To: uint64(i), Before: "20260102T030405Z-abcdef", After: "20260102T030405Z-ghijkl", Time: recordStart})
	}
	h.Unreadable = []record.Unreadable{{Reason: "damaged", Text: "/var/lib/qd1/records/SERIAL0001/20260102T030405Z-aaaaaa.json: damaged record: at byte 17"}}
	h.Trend, h.Forecast = nil, nil
	return h
}

func TestHistory(t *testing.T) {
	golden(t, "history.txt", historyText(t, historyOf(12), Style{}))
	golden(t, "history-60.txt", historyText(t, historyOf(4), Style{Width: 60}))
	golden(t, "history-worst.txt", historyText(t, worstHistory(), Style{}))
}

// TestHistoryWidth holds that no line is longer than the terminal is wide.
func TestHistoryWidth(t *testing.T) {
	for _, width := range []int{40, 60, 80, 100, 160} {
		for _, h := range []*record.History{historyOf(12), worstHistory()} {
			for line := range strings.Lines(historyText(t, h, Style{Width: width})) {
				if n := displayWidth(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%d columns on %d: %q", n, width, line)
				}
			}
		}
	}
}

// TestHistoryForecast holds the sentences on when the rating is reached.
func TestHistoryForecast(t *testing.T) {
	h := historyOf(12)
	for want, change := range map[string]func(f *record.Forecast){
		"the rating of 17 520 TB (indicative) is reached on 20": func(*record.Forecast) {},
		"is not reached within 200 years at 1 TB a day":         func(f *record.Forecast) { f.Reached = nil },
		"is reached already": func(f *record.Forecast) { f.BytesWritten = f.Rated.Bytes },
		"5.1 PB written, the rating of 17 520 TB is reached on":          func(f *record.Forecast) { f.Rated.Indicative = false },
		"It assumes that the host goes on writing as much a day as betw": func(*record.Forecast) {},
		"source of the rating: the maker":                                func(*record.Forecast) {},
		"is reached on 2029-05-12; source of the rating: somebody, 2020": func(f *record.Forecast) {
			f.Reached, f.Rated.Source = new(time.Date(2029, 5, 12, 0, 0, 0, 0, time.UTC)), "somebody, 2020"
		},
		"that could be checked": func(f *record.Forecast) { f.Assumption = "that could be checked" },
		"forecast 5.1 PB written, the rating of 17 520 TB (indicative) is": func(*record.Forecast) {},
	} {
		f := *h.Forecast
		change(&f)
		changed := *h
		changed.Forecast = &f
		if got := historyText(t, &changed, Style{Width: 400}); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestHistoryOfLittle holds that what the records do not say is not said.
func TestHistoryOfLittle(t *testing.T) {
	h := &record.History{Subject: record.Subject{Path: "/mnt/file", Bytes: 5e9}, Total: 1, Points: []record.Point{{ID: "20260102T030405Z-abcdef", Time: recordStart, Kind: "bench", QD1P50US: new(80.5)}}}
	got := historyText(t, h, Style{})
	for _, want := range []string{"/mnt/file (5000000000 bytes)  1 record\n", "2026-01-02 03:04  bench", "none: it takes two records with power-on hours", "QD1 p50 80.5 µs\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, bad := range []string{"forecast", "BACKWARD", "wear", "heat", "errors", "firmware", "left out", "nil"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q in\n%s", bad, got)
		}
	}
	if got := historyText(t, &record.History{Subject: recordedDrive}, Style{}); got != "SERIAL0001 (INTEL SSDPE21D960GA)  0 records\n" {
		t.Errorf("of nothing: %q", got)
	}
}

func TestFirstToLast(t *testing.T) {
	value := func(p *record.Point) *uint64 { return p.Hours }
	for _, test := range []struct {
		values []*uint64
		want   string
	}{
		{nil, ""}, {[]*uint64{nil}, ""}, {[]*uint64{nil, new(uint64(5))}, "5" + nbsp + "h"}, {[]*uint64{new(uint64(5)), nil, new(uint64(5))}, "5" + nbsp + "h"},
		{[]*uint64{new(uint64(5)), new(uint64(9)), new(uint64(7)), nil}, "5 to 7" + nbsp + "h"},
	} {
		var points []record.Point
		for _, v := range test.values {
			points = append(points, record.Point{Hours: v})
		}
		if got := firstToLast("h", points, value); got != test.want {
			t.Errorf("%v: got %q, want %q", test.values, got, test.want)
		}
	}
}

func TestOverview(t *testing.T) {
	o := &record.Overview{Directory: "/var/lib/qd1/records", Subjects: []record.Kept{
		{Key: "path-a", Subject: record.Subject{Path: "/mnt/file", Bytes: 5e9}, Records: 2, Kinds: map[string]int{"bench": 2}, First: recordStart, Last: recordStart},
		{Key: "path-b", Subject: record.Subject{Path: "/usr/bin/editor --version"}, Records: 1, Kinds: map[string]int{"launch": 1}, First: recordStart, Last: recordStart},
		{Key: "sim-SERIAL0001", Subject: record.Subject{Serial: "SERIAL0001", Model: "MODEL A", Simulated: true}, Records: 1, Kinds: map[string]int{"report": 1}, First: recordStart, Last: recordStart},
		{Key: "SERIAL0001", Subject: recordedDrive, Records: 10_000, Kinds: map[string]int{"report": 9998, "bench": 1, "erase": 1}, First: recordStart, Last: recordStart.AddDate(1, 0, 0)},
	}, Unreadable: []record.Unreadable{{Reason: "not-a-record", Text: "/var/lib/qd1/records/notes.txt: not a record of qd1"}}}
	for name, style := range map[string]Style{"history-list.txt": {}, "history-list-60.txt": {Width: 60}} {
		golden(t, name, text(t, func(b *bytes.Buffer) error { return Overview(b, o, style) }))
	}
	if got := text(t, func(b *bytes.Buffer) error { return Overview(b, &record.Overview{Directory: "/x"}, Style{}) }); !strings.Contains(got, "There are no records yet.") || !strings.Contains(got, "/x") {
		t.Errorf("of nothing: %q", got)
	}
}

func TestRecordHeads(t *testing.T) {
	r := &record.Record{ID: "20260102T030405Z-abcdef", Time: recordStart, Kind: "bench", Label: "before", Subject: recordedDrive, Tool: record.Tool{Name: "qd1", Version: "1.2.3"}}
	want := "record 20260102T030405Z-abcdef  bench  before  2026-01-02T03:04:05Z\n  of       SERIAL0001 (INTEL SSDPE21D960GA)\n  made by  qd1 1.2.3\n\n"
	if got := text(t, func(b *bytes.Buffer) error { return RecordHead(b, r, Style{}) }); got != want {
		t.Errorf("head %q, want %q", got, want)
	}
	want = "  record                   kind   label   of\n  20260102T030405Z-abcdef  bench  before  SERIAL0001 (INTEL SSDPE21D960GA)\n"
	if got := text(t, func(b *bytes.Buffer) error { return Records(b, []*record.Record{r}, Style{}) }); got != want {
		t.Errorf("list %q, want %q", got, want)
	}
}
