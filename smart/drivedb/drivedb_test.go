package drivedb

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite intel_optane.json, drives.json and testdata/models.tsv")

// TestCanonical fails if the file is not sorted or not formatted as -update
// writes it.
func TestCanonical(t *testing.T) {
	kept, err := Parse(byHand)
	if err != nil {
		t.Fatal(err)
	}
	entries, observed := kept.Entries(), table(t, "testdata/models_observed.csv")
	slices.SortStableFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Family, b.Family), cmp.Compare(a.Pattern, b.Pattern))
	})
	for i := range entries {
		slices.Sort(entries[i].Indicative)
		entries[i].observe(observed)
	}
	want, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile("intel_optane.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(byHand, want) {
		t.Errorf("intel_optane.json is not canonical (run with -update):\n%s", gocmp.Diff(string(byHand), string(want)))
	}
}

func TestExampleMatchesItsEntryAlone(t *testing.T) {
	for _, e := range Builtin().Entries() {
		if got := matching(e.Example); len(got) != 1 || got[0] != e.MarketingName {
			t.Errorf("%q matches %q, want only %q", e.Example, got, e.MarketingName)
		}
	}
}

// matching returns the names of all entries that match, not only the first.
func matching(model string) []string {
	var names []string
	db := Builtin()
	for _, it := range db.items {
		if it.matches(model) {
			names = append(names, it.read().entry.MarketingName)
		}
	}
	return names
}

// TestModelsSeen holds the model numbers of drives in public reports, each
// with the one name that it must resolve to, "-" for those that are known to
// be absent. With -update it writes the list: read the difference.
func TestModelsSeen(t *testing.T) {
	const path = "testdata/models.tsv"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var models []string
	for line := range strings.Lines(string(b)) {
		model, _, _ := strings.Cut(line, "\t")
		models = append(models, model)
	}
	for _, o := range table(t, "testdata/models_observed.csv") {
		models = append(models, o["model_number"])
	}
	slices.Sort(models)
	var got strings.Builder
	for _, model := range slices.Compact(models) {
		names := matching(model)
		if len(names) > 1 {
			t.Errorf("%q resolves to %q, want one", model, names)
		}
		got.WriteString(model + "\t" + strings.Join(append(names, "-")[:max(1, len(names))], " AND ") + "\n")
	}
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := gocmp.Diff(string(b), got.String()); d != "" {
		t.Errorf("models resolve otherwise than in %s (-want +got):\n%s", path, d)
	}
}

func TestLookup(t *testing.T) {
	tests := []struct{ model, want string }{
		{"INTEL SSDPE21D960GA", "Intel Optane SSD 905P 960 GB"},
		{"INTEL SSDPE21D960GA                     ", "Intel Optane SSD 905P 960 GB"},
		{"INTEL SSDPE21D960GA\x00\x00", "Intel Optane SSD 905P 960 GB"},
		{"SSDPE21D960GAD NVME INTEL 960GB", "Intel Optane SSD 905P 960 GB"},
		{"H10 HBRPEKNX0202AO NVMe INTEL 32GB", "Intel Optane Memory H10, cache part 32 GB"},
		{"INTEL SSDPED1D480GA", "Intel Optane SSD 900P 480 GB"},
		{"INTEL SSDPE21D480GA", "Intel Optane SSD 905P 480 GB"},
		{"SSDPE21D960GA", ""},
		{"XINTEL SSDPE21D960GA", ""},
		{"INTEL SSDPE21D960GA extra", ""},
		{"QEMU NVMe Ctrl", ""},
		{"Samsung SSD 990 PRO 2TB", "Samsung 990 PRO 2 TB"},
		{"SM2270", ""},
		{"512GB SSD", ""},
		{"", ""},
	}
	for _, tt := range tests {
		got := ""
		if e := Lookup(tt.model); e != nil {
			got = e.MarketingName
		}
		if got != tt.want {
			t.Errorf("Lookup(%q) = %q, want %q", tt.model, got, tt.want)
		}
	}
}

func TestLookupReturnsACopy(t *testing.T) {
	Lookup("INTEL SSDPE21D960GA").RatedBytesWritten = 1
	if got := Lookup("INTEL SSDPE21D960GA").RatedBytesWritten; got != 17520e12 {
		t.Errorf("RatedBytesWritten = %d, want 17520e12", got)
	}
}

// TestEveryFigureHasASource holds that a figure is either unknown or sourced,
// and that no source and no indicative mark stands without its figure.
func TestEveryFigureHasASource(t *testing.T) {
	for _, e := range Builtin().Entries() {
		figures := figuresOf(e)
		for name, set := range figures {
			if _, ok := e.Sources[name]; ok != set {
				t.Errorf("%s: %s: figure %t, source %t", e.MarketingName, name, set, ok)
			}
		}
		for _, name := range e.Indicative {
			if !figures[name] {
				t.Errorf("%s: %s is indicative but unknown", e.MarketingName, name)
			}
		}
		if (e.RatedBytesWritten != 0) != (e.Source != "") {
			t.Errorf("%s: rated endurance %d with source %q", e.MarketingName, e.RatedBytesWritten, e.Source)
		}
		if strings.Contains(e.Source, "not checked") && !e.RatedIndicative {
			t.Errorf("%s: rated endurance is unchecked but not indicative", e.MarketingName)
		}
	}
}

// figuresOf tells by JSON name which of the sourced figures e has.
func figuresOf(e Entry) map[string]bool {
	figures := map[string]bool{}
	v := reflect.ValueOf(e)
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		switch name {
		case "pattern", "capacity_bytes", "rated_read_latency_us", "rated_write_latency_us",
			"rated_seq_read_mb_per_s", "rated_seq_write_mb_per_s", "rated_read_iops",
			"rated_write_iops", "latest_firmware_seen", "read_only_at_percent", "pcie_generation",
			"pcie_lanes", "warranty_years", "rated_drive_writes_per_day":
			figures[name] = !v.Field(i).IsZero()
		}
	}
	return figures
}

func TestUncheckedFiguresAreIndicative(t *testing.T) {
	for _, e := range Builtin().Entries() {
		for name, source := range e.Sources {
			if strings.Contains(source, "not checked") && !slices.Contains(e.Indicative, name) {
				t.Errorf("%s: %s is unchecked but not indicative", e.MarketingName, name)
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"not JSON", `{`, "line 1: not a list"},
		{"cut", `[{`, "unexpected EOF"},
		{"open", `[`, "EOF"},
		{"more behind", "[]\n[]", "line 2: text after the list"},
		{"unknown key", `[{"speed":1}]`, "line 1: json: unknown field"},
		{"open at the start", `[{"pattern":"A$"}]`, "not anchored"},
		{"open at the end", `[{"pattern":"^A"}]`, "not anchored"},
		{"bad pattern", `[{"pattern":"^(A$"}]`, "missing closing"},
	}
	for _, tt := range tests {
		_, err := Parse([]byte(tt.in))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Parse error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`[{"pattern":"^A$"}]`), "A")
	f.Fuzz(func(t *testing.T, b []byte, model string) {
		if len(b) > 1<<12 {
			t.Skip("larger input only costs time")
		}
		db, err := Parse(b)
		if err != nil {
			return
		}
		if e := db.Lookup(model); e != nil && e.Pattern == "" {
			t.Error("an entry without a pattern matched")
		}
	})
}
