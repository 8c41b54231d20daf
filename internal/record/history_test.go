package record

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// healthBody is the body of a report with counters.
func healthBody(hours, units uint64) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"schema":"qd1.report/1","smart":{"power_on_hours":%d,"data_units_written":%d},"endurance":{"rated_bytes":1000000000000}}`, hours, units))
}

// monthly saves reports, one a month.
func monthly(t testing.TB, s *Store, n int) []*Record {
	t.Helper()
	var list []*Record
	for i := range n {
		r := sample(30*i, "report", "")
		r.Body = healthBody(uint64(100+600*i), uint64(1000*i))
		list = append(list, save(t, s, r))
	}
	return list
}

func TestHistory(t *testing.T) {
	s := store(t)
	monthly(t, s, 4)
	save(t, s, sample(10, "erase", "wiped"))
	h := s.History(drive, Query{Drive: "other"}, 0)
	if h.Total != 5 || h.Omitted != 0 || len(h.Points) != 5 || h.Key != drive.Key() || h.Directory != s.Dir() || h.Schema != HistorySchema {
		t.Errorf("got %+v", h)
	}
	if h.Trend == nil || h.Trend.Days != 90 || h.Forecast == nil || len(h.Backwards) != 0 || len(h.Unreadable) != 0 {
		t.Errorf("trend %+v, forecast %+v, %v, %v", h.Trend, h.Forecast, h.Backwards, h.Unreadable)
	}
	if h := s.History(drive, Query{Kind: "erase"}, 0); h.Total != 1 || h.Points[0].Label != "wiped" || h.Trend != nil {
		t.Errorf("of a kind: %+v", h)
	}
}

// TestHistoryEmpty holds that a list without anything is a list in JSON too.
func TestHistoryEmpty(t *testing.T) {
	b, err := json.Marshal(store(t).History(drive, Query{}, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"records":[]`, `"backwards":[]`, `"unreadable":[]`, `"trend":null`, `"records_total":0`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("no %s in %s", want, b)
		}
	}
}

// TestHistoryLimit reads the ends of a long history, so that the trend is that
// of the whole time.
func TestHistoryLimit(t *testing.T) {
	s := store(t)
	list := monthly(t, s, oldestRead+10)
	for newest, want := range map[int]int{0: 0, 10: 0, 11: 0, 9: 1, 1: 9} {
		h := s.History(drive, Query{}, newest)
		if h.Omitted != want || h.Total != len(list) || len(h.Points) != len(list)-want {
			t.Errorf("the newest %d: %d of %d left out, %d read; want %d left out", newest, h.Omitted, h.Total, len(h.Points), want)
		}
		if h.Points[0].ID != list[0].ID || h.Points[len(h.Points)-1].ID != list[len(list)-1].ID || h.Trend.Days != float64(30*(len(list)-1)) {
			t.Errorf("the newest %d: from %s to %s, %v days", newest, h.Points[0].ID, h.Points[len(h.Points)-1].ID, h.Trend.Days)
		}
	}
}

// TestHistoryUnreadable names what is left out, with a word for each cause.
func TestHistoryUnreadable(t *testing.T) {
	s := store(t)
	list := monthly(t, s, 6)
	damage := []struct{ text, reason string }{
		{"", "damaged"},
		{strings.Replace(string(readAll(t, list[1].File)), Schema, "qd1.record/9", 1), "version"},
		{`{"schema":"other/1"}`, "not-a-record"},
		{strings.Replace(string(readAll(t, list[3].File)), `"report/1"`, `"report`, 1)[:300], "damaged"},
	}
	for i, d := range damage {
		put(t, list[i].File, d.text)
	}
	// The head is whole, and the body only looks so from its end.
	put(t, list[4].File, strings.Replace(string(readAll(t, list[4].File)), `"smart":{`, `"smart":[`, 1))
	put(t, s.folder(drive.Key())+"/notes.txt", "x")
	h := s.History(drive, Query{}, 0)
	if len(h.Points) != 1 || h.Points[0].ID != list[5].ID {
		t.Errorf("points %+v", h.Points)
	}
	got := map[string]int{}
	for _, u := range h.Unreadable {
		got[u.Reason]++
		if !strings.Contains(u.Text, s.Dir()) {
			t.Errorf("%q names no file", u.Text)
		}
	}
	if diff := cmp.Diff(map[string]int{"damaged": 3, "version": 1, "not-a-record": 2}, got); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

// TestReason has the words that need more than a file of a test.
func TestReason(t *testing.T) {
	for want, err := range map[string]error{"too-large": fmt.Errorf("x: %w", ErrTooLarge), "host": os.ErrPermission} {
		if got := reason(err); got != want {
			t.Errorf("%v is %q, want %q", err, got, want)
		}
	}
}

// TestHistoryPart keeps a record of which a part is of the wrong type.
func TestHistoryPart(t *testing.T) {
	s := store(t)
	r := sample(0, "report", "")
	r.Body = json.RawMessage(`{"schema":"qd1.report/1","smart":{"power_on_hours":7},"bench":[]}`)
	save(t, s, r)
	h := s.History(drive, Query{}, 0)
	if len(h.Points) != 1 || *h.Points[0].Hours != 7 || len(h.Unreadable) != 1 || h.Unreadable[0].Reason != "damaged" {
		t.Errorf("got %+v", h)
	}
}

func readAll(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCutAnywhere cuts the newest record at every byte: it is named, and the
// older ones stay readable.
func TestCutAnywhere(t *testing.T) {
	s := store(t)
	old := monthly(t, s, 2)[0]
	last := save(t, s, sample(100, "bench", "last"))
	whole := readAll(t, last.File)
	for n := range len(whole) - 1 {
		if err := os.WriteFile(last.File, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		h := s.History(drive, Query{}, 0)
		if len(h.Points) != 2 || h.Points[0].ID != old.ID || len(h.Unreadable) != 1 || !strings.Contains(h.Unreadable[0].Text, last.ID) {
			t.Fatalf("cut at byte %d: %d points, %v", n, len(h.Points), h.Unreadable)
		}
	}
}

func TestOverview(t *testing.T) {
	s := store(t)
	if o := s.Overview(Query{}); len(o.Subjects) != 0 || o.Subjects == nil || o.Unreadable == nil || o.Schema != OverviewSchema || o.Directory != s.Dir() {
		t.Errorf("of nothing: %+v", o)
	}
	monthly(t, s, 3)
	other := sample(5, "launch", "")
	other.Subject = Subject{Path: "/usr/bin/editor --version"}
	save(t, s, other)
	newer := sample(7, "bench", "x")
	newer.Subject.Model = "MODEL B"
	save(t, s, newer)
	put(t, s.folder(drive.Key())+"/notes.txt", "x")
	want := []Kept{
		{Key: other.Subject.Key(), Subject: other.Subject, Records: 1, Kinds: map[string]int{"launch": 1}, First: other.Time, Last: other.Time},
		{Key: drive.Key(), Subject: drive, Records: 4, Kinds: map[string]int{"report": 3, "bench": 1}, First: start, Last: start.AddDate(0, 0, 60)},
	}
	o := s.Overview(Query{})
	if diff := cmp.Diff(want, o.Subjects); diff != "" {
		t.Errorf("subjects (-want +got):\n%s", diff)
	}
	if len(o.Unreadable) != 1 || o.Unreadable[0].Reason != "not-a-record" {
		t.Errorf("unreadable %v", o.Unreadable)
	}
	if o := s.Overview(Query{Since: start.AddDate(0, 0, 6)}); len(o.Subjects) != 1 || o.Subjects[0].Records != 3 {
		t.Errorf("since: %+v", o.Subjects)
	}
}

func TestLookup(t *testing.T) {
	s := store(t)
	save(t, s, sample(0, "bench", ""))
	for _, subject := range []Subject{
		{Serial: "QD1TEST0002"}, {Serial: drive.Serial, Simulated: true}, {Path: "/usr/bin/editor --version"}, {Path: "/mnt/data/file.bin", Bytes: 5},
	} {
		r := sample(1, "bench", "")
		r.Subject = subject
		save(t, s, r)
	}
	for word, want := range map[string]string{
		"QD1TEST0001": "QD1TEST0001 (MODEL A)", "0001": "QD1TEST0001 (MODEL A)", "QD1TEST0002": "QD1TEST0002", "sim-QD1TEST0001": "simulated QD1TEST0001 (MODEL A)",
		"editor --version": "/usr/bin/editor --version", "file.bin": "/mnt/data/file.bin (5 bytes)", "/mnt/data/file.bin": "/mnt/data/file.bin (5 bytes)",
	} {
		got, err := s.Lookup(word)
		if word == "sim-QD1TEST0001" {
			want = "simulated QD1TEST0001"
		}
		if err != nil || got.String() != want {
			t.Errorf("%q: %v, %v; want %s", word, got, err, want)
		}
	}
	for word, want := range map[string]string{
		"": "no such record", "001": "there are no records of 001", "QD1TEST0003": "there are no records of QD1TEST0003; did you mean QD1TEST000", "bin": "there are no records of bin",
		"TEST": "there are no records of TEST", "x\x1b[2J": "there are no records of x?[2J",
	} {
		if got, err := s.Lookup(word); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(fmt.Sprint(unwrapped(err)), ErrNotFound.Error()) {
			t.Errorf("%q: %v, %v; want %s", word, got, err, want)
		}
	}
}

// unwrapped is the innermost error.
func unwrapped(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		err = u.Unwrap()
	}
}

func TestLookupAmbiguous(t *testing.T) {
	s := store(t)
	for _, serial := range []string{"AA12345", "BB12345"} {
		r := sample(0, "bench", "")
		r.Subject = Subject{Serial: serial}
		save(t, s, r)
	}
	if _, err := s.Lookup("2345"); unwrapped(err) != ErrAmbiguous {
		t.Errorf("got %v, want ErrAmbiguous", err)
	}
}

// TestLookupDamaged finds a drive of which no record can be read any more.
func TestLookupDamaged(t *testing.T) {
	s := store(t)
	r := save(t, s, sample(0, "bench", ""))
	put(t, r.File, "{")
	subject, err := s.Lookup(drive.Serial)
	if err != nil || subject.Serial != drive.Serial {
		t.Fatalf("%v, %v", subject, err)
	}
	if h := s.History(subject, Query{}, 0); h.Total != 0 || len(h.Unreadable) != 1 {
		t.Errorf("history %+v", h)
	}
	if err := os.Remove(r.File); err != nil {
		t.Fatal(err)
	}
	if subject, err := s.Lookup(drive.Serial); unwrapped(err) != ErrNotFound {
		t.Errorf("of an empty folder: %v, %v", subject, err)
	}
}

// TestHistoryMany holds that a thousand records cost no more than their heads
// and the few that are read: no file between is opened twice.
func TestHistoryMany(t *testing.T) {
	s := store(t)
	dir := s.folder(drive.Key())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		r := sample(0, "report", "")
		r.Time = start.Add(time.Duration(i) * time.Hour)
		r.Body = healthBody(uint64(i), uint64(i))
		s.complete(r)
		data, err := encode(r)
		if err != nil {
			t.Fatal(err)
		}
		if i >= oldestRead && i < 800 { // These must not be read as a whole.
			data = []byte(strings.Replace(string(data), `"power_on_hours"`, `"power_on_hours`, 1))
		}
		if err := os.WriteFile(s.path(drive.Key(), r.ID), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h := s.History(drive, Query{}, 200)
	if h.Total != 1000 || h.Omitted != 780 || len(h.Points) != 220 || len(h.Unreadable) != 0 {
		t.Errorf("%d records, %d left out, %d read, %d unreadable", h.Total, h.Omitted, len(h.Points), len(h.Unreadable))
	}
}
