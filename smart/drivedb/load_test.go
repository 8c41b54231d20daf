package drivedb

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

const usersDrives = `[
  {
    "marketing_name": "Example X1 1 TB",
    "pattern": "^EXAMPLE X1$",
    "example": "EXAMPLE X1",
    "rated_bytes_written": 600000000000000
  },
  {"marketing_name": "Mine", "pattern": "^INTEL SSDPE21D960GA$"}
]`

func TestLoad(t *testing.T) {
	db, err := Load(strings.NewReader(usersDrives))
	if err != nil {
		t.Fatal(err)
	}
	both := Builtin().Merge(db)
	for model, want := range map[string]string{
		"EXAMPLE X1": "Example X1 1 TB", "INTEL SSDPE21D960GA": "Mine", "INTEL SSDPE21D480GA": "Intel Optane SSD 905P 480 GB",
	} {
		if e := both.Lookup(model); e == nil || e.MarketingName != want {
			t.Errorf("%s resolves to %+v, want %s", model, e, want)
		}
	}
	if Lookup("EXAMPLE X1") != nil || len(both.Entries()) != len(Builtin().Entries())+2 {
		t.Error("Merge changed the built-in database, or lost an entry")
	}
}

func TestLoadErrors(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"not a list", "\n\n{}", "line 1: not a list"},
		{"empty", "", "line 1: not a list of entries: EOF"},
		{"syntax", "[\n{\"vendor\": \"A\"},\n  oops]", "line 2: \"\": pattern"},
		{"syntax on line 3", "[\n{\"pattern\": \"^A$\", \"marketing_name\": \"A\"},\n  oops]", "line 3: invalid character 'o'"},
		{"wrong kind", "[\n\n{\n\"vendor\": 1}]", "line 4: json: cannot unmarshal"},
		{"unknown key", "[\n{\"pattern\": \"^A$\", \"marketing_name\": \"A\"},\n{\"speed\": 1}]", "line 3: json: unknown field \"speed\""},
		{"open pattern", "[\n\n{\"marketing_name\": \"A\", \"pattern\": \"A\"}]", "line 3: \"A\": pattern \"A\" is not anchored"},
		{"bad pattern", "[{\"marketing_name\": \"A\", \"pattern\": \"^(A$\"}]", "line 1: \"A\": error parsing regexp"},
		{"no name", "[\n{\"pattern\": \"^A$\"}]", "line 2: an entry without marketing_name"},
		{"negative", "[\n{\"marketing_name\": \"A\", \"pattern\": \"^A$\", \"pcie_lanes\": -1}]", "line 2: \"A\": pcie_lanes is negative"},
		{"example does not match", "[\n{\"marketing_name\": \"A\", \"pattern\": \"^A$\", \"example\": \"B\"}]", "line 2: \"A\": the example \"B\": matches the pattern of \"A\": false"},
		{"two match", "[{\"marketing_name\": \"B\", \"pattern\": \"^.$\"},\n{\"marketing_name\": \"A\", \"pattern\": \"^A$\", \"example\": \"A\"}]", "line 2: \"A\": the example \"A\": matches the pattern of \"B\": true"},
	}
	for _, tt := range tests {
		_, err := Load(strings.NewReader(tt.in))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

func TestLoadReadErrors(t *testing.T) {
	if _, err := Load(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v, want %v", err, io.ErrClosedPipe)
	}
	if _, err := Load(io.LimitReader(spaces{}, maxFile+1)); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("error %v, want one of the size", err)
	}
}

// spaces is an endless file.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestChecked(t *testing.T) {
	e := &Entry{RatedIndicative: true, Indicative: []string{"pcie_lanes"}}
	if e.Checked("rated_bytes_written") || e.Checked("pcie_lanes") || !e.Checked("pcie_generation") {
		t.Errorf("Checked misjudges %+v", e)
	}
}

// FuzzLoad holds that no file of a user brings the program down, and that
// every error names a line.
func FuzzLoad(f *testing.F) {
	f.Add(usersDrives, "EXAMPLE X1")
	f.Fuzz(func(t *testing.T, file, model string) {
		if len(file) > 1<<12 {
			t.Skip("larger input only costs time")
		}
		db, err := Load(strings.NewReader(file))
		if err != nil {
			if !strings.Contains(err.Error(), "line ") {
				t.Errorf("error without a line: %v", err)
			}
			return
		}
		Builtin().Merge(db).Lookup(model)
	})
}
