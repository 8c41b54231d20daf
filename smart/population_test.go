package smart

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart/drivedb"
)

// TestPopulationTable holds that population.json is what the drives in
// testdata/population.csv give.
func TestPopulationTable(t *testing.T) {
	want := populationOf(t, "testdata/population.csv")
	if *update {
		if err := os.WriteFile("population.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(populationTable, want) {
		t.Errorf("population.json is not what testdata gives (run go generate):\n%s", gocmp.Diff(string(populationTable), string(want)))
	}
}

func populationOf(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	families := map[string]*Reference{}
	for _, row := range rows[1:] {
		e := drivedb.Lookup(row[0])
		if e == nil {
			continue
		}
		r := families[e.Family]
		if r == nil {
			r = &Reference{Family: e.Family}
			families[e.Family] = r
		}
		r.add(t, row)
	}
	all := []*Reference{}
	for _, r := range families {
		for _, list := range [][]float64{r.Hours, r.Cycles, r.Unsafe, r.TerabytesWritten, r.Celsius} {
			slices.Sort(list)
		}
		if r.Drives >= fewestDrives {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *Reference) int { return cmp.Compare(a.Family, b.Family) })
	lines := [][]byte{}
	for _, r := range all {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, b)
	}
	return slices.Concat([]byte("[\n"), bytes.Join(lines, []byte(",\n")), []byte("\n]\n"))
}

func (r *Reference) add(t *testing.T, row []string) {
	number := func(column int) float64 {
		f, err := strconv.ParseFloat(row[column], 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	r.Drives++
	r.Hours, r.Cycles, r.Unsafe = append(r.Hours, number(1)), append(r.Cycles, number(2)), append(r.Unsafe, number(4))
	tb, err := strconv.ParseFloat(strconv.FormatFloat(number(3)*nvme.DataUnit/1e12, 'f', 2, 64), 64)
	if err != nil {
		t.Fatal(err)
	}
	r.TerabytesWritten = append(r.TerabytesWritten, tb)
	if row[5] != "" {
		r.Celsius = append(r.Celsius, number(5))
	}
}

func TestPopulation(t *testing.T) {
	r := Population("INTEL SSDPE21D960GA")
	if r == nil || r.Family != "Optane 905P" || r.Drives < 24 {
		t.Fatalf("the population of the 905P is %+v, want at least 24 drives", r)
	}
	for _, model := range []string{"EXAMPLE", "", "SHPP41-2000GM"} {
		if Population(model) != nil {
			t.Errorf("there is a population of %q", model)
		}
	}
	for _, r := range references() {
		if r.Drives < fewestDrives || len(r.Hours) != r.Drives || !slices.IsSorted(r.Hours) || !slices.IsSorted(r.Celsius) {
			t.Errorf("%s: %d drives, %d hours", r.Family, r.Drives, len(r.Hours))
		}
	}
}

func TestCompare(t *testing.T) {
	r := &Reference{
		Family: "X1", Drives: 5, Hours: []float64{10, 20, 20, 30, 40}, Cycles: []float64{1, 2, 3, 4, 5},
		Unsafe: []float64{0, 0, 0, 0, 0}, TerabytesWritten: []float64{1, 2, 3, 4, 5}, Celsius: []float64{30, 40},
	}
	f := &Facts{SMART: healthy()}
	cut(0, 6)(f)
	f.SMART.PowerOnHours, f.SMART.DataUnitsWritten = nvme.U128(20), nvme.U128(1)
	got := r.Compare(f)
	want := []Percentile{
		{"power_on_hours", 20, 20, 40, 5, "fewer hours than 40 % of 5 X1 seen"},
		{"power_cycles", 6, 100, 0, 5, "more power cycles than 100 % of 5 X1 seen"},
		{"unsafe_shutdowns", 0, 0, 0, 5, "more unsafe shutdowns than 0 % of 5 X1 seen"},
		{"terabytes_written", 0.000000512, 0, 100, 5, "less written than 100 % of 5 X1 seen"},
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	named("INTEL SSDPEDMD400G4", "8DV10131")(f)
	if got := r.Compare(f); len(got) != 3 {
		t.Errorf("%d comparisons where data units are miscounted, want 3", len(got))
	}
	if r.Compare(&Facts{SMART: new(nvme.SMARTLog)}) != nil {
		t.Error("an empty page has a place")
	}
}

// TestFreshDriveInPopulation is the drive with 1 hour and 5 cycles.
func TestFreshDriveInPopulation(t *testing.T) {
	for _, p := range corpus(t) {
		if p.Name != "smartctl-text/optane-905P-SSDPE21D960GA-fresh-1h" {
			continue
		}
		f := p.facts(t)
		f.As = AsNew
		if a := Assess(f); a.Level != Keep || !fires(a, "looks-new") || fires(a, "sold-as-new") {
			t.Errorf("level %s: %s", a.Level, a.Summary)
		}
		if c := Plausibility(f, AsNew); c.Condition != ConditionNew || c.Belief != Plausible {
			t.Errorf("condition %q, belief %q", c.Condition, c.Belief)
		}
		places := Population(p.Model).Compare(f)
		if len(places) != 5 || places[0].AbovePercent < 90 {
			t.Errorf("places: %+v", places)
		}
		return
	}
	t.Error("the page is missing")
}
