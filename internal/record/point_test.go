package record

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ptr[T any](v T) *T { return &v }

func TestPointOfFiles(t *testing.T) {
	bench := Point{Firmware: ptr("E2010480"), QD1P50US: ptr(12.096)}
	report := Point{
		Firmware: ptr("E2010650"), Hours: ptr(uint64(4125)), PowerCycles: ptr(uint64(132)),
		BytesRead: ptr(uint64(4924957184000)), BytesWritten: ptr(uint64(8782512128000)),
		UnsafeShutdowns: ptr(uint64(54)), MediaErrors: ptr(uint64(0)), ErrorLogEntries: ptr(uint64(0)),
		PercentageUsed: ptr(uint64(0)), AvailableSpare: ptr(uint64(100)), Temperature: ptr(35.0), QD1P50US: ptr(12.224),
		Rated: &Rated{17520000000000000, "10 drive writes a day for 5 years, computed; not checked against a page of the maker", true},
	}
	for name, want := range map[string]Point{"bench.json": bench, "report.json": report} {
		list, err := ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := PointOf(list[0])
		if err != nil {
			t.Error(err)
		}
		want.Time, want.Kind, want.Label = list[0].Time, list[0].Kind, list[0].Label
		want.QD1P99US = got.QD1P99US // below
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got.QD1P99US == nil || *got.QD1P99US <= *got.QD1P50US {
			t.Errorf("%s: p99 %v", name, got.QD1P99US)
		}
	}
}

func TestPointOf(t *testing.T) {
	run := func(p50 string, change ...string) string {
		text := `{"op":"read","pattern":"random","block_bytes":4096,"queue_depth":1,"workers":1,"latency_us":{"p50":` + p50 + `,"p99":null}}`
		return strings.NewReplacer(change...).Replace(text)
	}
	bench := func(results ...string) string {
		return `{"schema":"qd1.bench/1","results":[` + strings.Join(results, ",") + "]}"
	}
	states := func(before, after string) string {
		return `{"schema":"qd1.bench/1","conditions":{"drive_before":` + before + `,"drive_after":` + after + `}}`
	}
	hours := func(n string) string { return `{"health":{"power_on_hours":` + n + `}}` }
	tests := []struct {
		name, body string
		want       Point
	}{
		{"nothing", `{"schema":"qd1.bench/1"}`, Point{}},
		{"no schema", hours("5"), Point{}},
		{"another schema", `{"schema":"qd1.age/1","smart":{"power_on_hours":5},"drive":"x"}`, Point{}},
		{"median of two", bench(run("10"), run("13")), Point{QD1P50US: ptr(11.5)}},
		{"median of three", bench(run("13"), run("10"), run("11")), Point{QD1P50US: ptr(11.0)}},
		{"without percentile", bench(run("null"), run("11")), Point{QD1P50US: ptr(11.0)}},
		{
			"others do not count",
			bench(run("1", "read", "write"), run("2", "random", "sequential"), run("3", "4096", "512"), run("4", `depth":1`, `depth":2`), run("5", `workers":1`, `workers":2`), run("6", `"op"`, `"rate_per_s":100,"op"`)),
			Point{},
		},
		{"after", states(hours("5"), hours("6")), Point{Hours: ptr(uint64(6))}},
		{"only before", states(hours("5"), "null"), Point{Hours: ptr(uint64(5))}},
		{"no health after", states(hours("5"), `{"health":null}`), Point{Hours: ptr(uint64(5))}},
		{"no health at all", states(`{"health":null}`, "null"), Point{}},
		{"section failed", `{"schema":"qd1.report/1","smart":{"error":{"kind":"timeout"}},"endurance":null,"bench":{"error":{}}}`, Point{}},
		{"no rating", `{"schema":"qd1.report/1","endurance":{"rated_bytes":null,"rated_source":null}}`, Point{}},
		{"rating", `{"schema":"qd1.report/1","endurance":{"rated_bytes":7,"rated_source":null}}`, Point{Rated: &Rated{Bytes: 7}}},
		{"too large a counter", `{"schema":"qd1.report/1","smart":{"data_units_written":340282366920938463463374607431768211455}}`, Point{BytesWritten: ptr(uint64(math.MaxUint64))}},
		{"no whole number", `{"schema":"qd1.report/1","smart":{"power_on_hours":1.5,"power_cycles":-1,"media_errors":1e3,"unsafe_shutdowns":` + strings.Repeat("1", 61) + `}}`, Point{}},
	}
	for _, tt := range tests {
		got, err := PointOf(&Record{Body: json.RawMessage(tt.body)})
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", tt.name, err, diff)
		}
	}
}

func TestPointOfDamaged(t *testing.T) {
	r := &Record{ID: "x", Body: json.RawMessage(`{"schema":"qd1.report/1","smart":{"power_on_hours":"many","composite_temperature_celsius":"hot","power_cycles":7}}`)}
	p, err := PointOf(r)
	if !errors.Is(err, ErrDamaged) || p.ID != "x" || p.Hours != nil || p.PowerCycles == nil {
		t.Errorf("%+v, %v, want what is good and ErrDamaged", p, err)
	}
}

func TestPoints(t *testing.T) {
	s := filled(t)
	bad := sample(7, "report", "bad")
	bad.Body = json.RawMessage(`{"schema":"qd1.report/1","smart":[]}`)
	save(t, s, bad)
	lost := save(t, s, sample(8, "report", "lost"))
	if err := os.WriteFile(lost.File, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	points, faults := s.Points(Query{Drive: drive.Serial})
	var got []string
	for _, p := range points {
		got = append(got, p.Kind+" "+p.Label)
	}
	if diff := cmp.Diff([]string{"bench before", "report ", "bench after", "report bad"}, got); diff != "" {
		t.Error(diff)
	}
	if len(faults) != 2 || !strings.Contains(faults[0].Error(), bad.File) || !strings.Contains(faults[1].Error(), lost.File) {
		t.Errorf("faults %v, want two with their files", faults)
	}
}

// FuzzPoint looks for numbers in anything.
func FuzzPoint(f *testing.F) {
	for _, name := range []string{"bench.json", "report.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"schema":"qd1.bench/1","conditions":{"drive_after":{"health":{"power_on_hours":"5"}}},"results":[{},5]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := PointOf(&Record{ID: "x", Time: start, Body: data})
		if err != nil && !errors.Is(err, ErrDamaged) || p.ID != "x" {
			t.Errorf("%+v, %v", p, err)
		}
		later := p
		later.Time = start.AddDate(0, 0, 2)
		points := []Point{p, later}
		if steps := Backwards(points); len(steps) > 0 {
			t.Errorf("the same point goes backwards: %v", steps)
		}
		if trend := TrendOf(points); (trend != nil) != (p.Hours != nil) {
			t.Errorf("trend %+v of %+v", trend, p)
		}
		if _, err := json.Marshal(ForecastOf(points, &Rated{Bytes: 1})); err != nil {
			t.Error(err)
		}
	})
}
