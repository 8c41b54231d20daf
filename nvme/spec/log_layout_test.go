package spec

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// place is where a field lies. That with no field is the whole structure.
type place struct {
	Structure, Field string
	First, Last      int
}

// readLayout reads a list of places.
func readLayout(t *testing.T, name string) []place {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var places []place
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		first, err1 := strconv.Atoi(parts[2])
		last, err2 := strconv.Atoi(parts[3])
		if err1 != nil || err2 != nil {
			t.Fatalf("%s: %q", name, line)
		}
		places = append(places, place{parts[0], parts[1], first, last})
	}
	return places
}

// logStructures returns the structures of all log pages with their entries, and
// those that follow a field.
func logStructures() []*Structure {
	var all []*Structure
	for _, p := range LogPages() {
		all = append(all, p.Structure)
	}
	for kind := range 256 {
		if s := eventOfType(uint8(kind), 4); s != nil {
			all = append(all, s)
		}
	}
	all = append(all, groupMembers(make([]byte, 100)), eyeLanes(make([]byte, 64)))
	for i := 0; i < len(all); i++ {
		for _, l := range all[i].Lists {
			all = append(all, l.Entry)
		}
	}
	return all
}

// TestLogLayout compares the tables with a list that was typed from the
// specification: no field may be missing, be elsewhere or be longer.
func TestLogLayout(t *testing.T) {
	want := readLayout(t, "log_layout.tsv")
	listed := map[string]bool{}
	for _, p := range want {
		listed[p.Structure] = true
	}
	seen := map[place]bool{}
	var got []place
	for _, s := range logStructures() {
		name := s.Name
		if len(s.Fields) == 1 && s.Fields[0].Name == "EFFECTS" {
			name += " (entry)"
		}
		if !listed[name] {
			if !notPlaced(s) {
				t.Errorf("%s is not in the list", name)
			}
			continue
		}
		places := []place{{name, "", 0, s.Bytes - 1}}
		for _, f := range s.Fields {
			places = append(places, place{name, f.Name, f.At, f.At + f.Len - 1})
		}
		for _, p := range places {
			if !seen[p] {
				seen[p] = true
				got = append(got, p)
			}
		}
	}
	sortPlaces(want)
	sortPlaces(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-specification +table):\n%s", diff)
	}
}

// notPlaced reports whether a structure has nothing at a fixed place but lists or
// one number.
func notPlaced(s *Structure) bool {
	return len(s.Fields) == 0 || len(s.Fields) == 1 && s.Fields[0].At == 0 && (s.Fields[0].Len == s.Bytes || s.Name == "Changed Zone List") || s.Name == "Endurance Group Members"
}

func sortPlaces(list []place) {
	slices.SortFunc(list, func(a, b place) int {
		return strings.Compare(a.Structure+"\t"+a.Field, b.Structure+"\t"+b.Field)
	})
}
