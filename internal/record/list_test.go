package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// filled returns a store with records of three drives, one of them simulated.
func filled(t testing.TB) *Store {
	t.Helper()
	s := store(t)
	save(t, s, sample(2, "bench", "after"))
	save(t, s, sample(0, "bench", "before"))
	save(t, s, sample(1, "report", ""))
	simulated := sample(3, "bench", "simulated")
	simulated.Subject.Simulated = true
	save(t, s, simulated)
	path := sample(4, "bench", "path")
	path.Subject = Subject{Path: "/dev/sda", Bytes: 512}
	save(t, s, path)
	other := sample(5, "age", "before")
	other.Subject = Subject{Serial: "OTHER-0001"}
	save(t, s, other)
	return s
}

func TestList(t *testing.T) {
	s := filled(t)
	tests := []struct {
		name  string
		query Query
		want  string
	}{
		{"all", Query{}, "before report after simulated path before"},
		{"serial", Query{Drive: drive.Serial}, "before report after"},
		{"key of a simulated drive", Query{Drive: "sim-" + drive.Serial}, "simulated"},
		{"end of a serial", Query{Drive: "TEST0001"}, "before report after"},
		{"another end", Query{Drive: "R-0001"}, "before"},
		{"too short an end", Query{Drive: "001"}, ""},
		{"path", Query{Drive: "/dev/sda"}, "path"},
		{"key of a path", Query{Drive: Subject{Path: "/dev/sda", Bytes: 512}.Key()}, "path"},
		{"unknown drive", Query{Drive: "NONE"}, ""},
		{"way out", Query{Drive: "../records/OTHER-0001"}, ""},
		{"kind", Query{Kind: "bench"}, "before after simulated path"},
		{"label", Query{Label: "before"}, "before before"},
		{"time", Query{Since: start.AddDate(0, 0, 3)}, "simulated path before"},
		{"several", Query{Drive: drive.Serial, Kind: "bench", Since: start.AddDate(0, 0, 1)}, "after"},
	}
	for _, tt := range tests {
		list, faults := s.List(tt.query)
		if got := labels(list); got != tt.want || len(faults) > 0 {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, faults, tt.want)
		}
		headers, _ := s.Headers(tt.query)
		for i, h := range headers {
			if h.Body != nil || h.ID != list[i].ID || h.File == "" {
				t.Errorf("%s: header %+v of %s", tt.name, h, list[i].ID)
			}
		}
	}
}

func TestListAmbiguous(t *testing.T) {
	s := filled(t)
	list, faults := s.List(Query{Drive: "0001"})
	var e *AmbiguousError
	if list != nil || len(faults) != 1 || !errors.As(faults[0], &e) || !errors.Is(e, ErrAmbiguous) {
		t.Fatalf("%v, %v, want an AmbiguousError", list, faults)
	}
	want := &AmbiguousError{Word: "0001", What: "drive", Candidates: []string{"OTHER-0001", "QD1TEST0001 (MODEL A)"}}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
}

func TestListNothing(t *testing.T) {
	s := store(t)
	list, faults := s.List(Query{Drive: "A"})
	if len(list) > 0 || len(faults) > 0 {
		t.Errorf("%v, %v, want nothing", list, faults)
	}
	put(t, s.Dir(), "a file")
	if _, faults := s.List(Query{}); len(faults) != 1 || !errors.Is(faults[0], syscall.ENOTDIR) {
		t.Errorf("%v, want ENOTDIR", faults)
	}
}

// TestListFaults puts all that may go wrong beside good records.
func TestListFaults(t *testing.T) {
	s := filled(t)
	dir := s.folder(drive.Key())
	good := strings.Replace(line, "abc234", "good22", 1)
	id := func(random string) string { return filepath.Join(dir, "20260102T030405Z-"+random+".json") }
	put(t, id("cutoff"), good[:80])
	put(t, id("empty2"), "")
	put(t, id("newer2"), strings.Replace(good, "record/1", "record/9", 1))
	put(t, id("other2"), `{"schema":"qd1.bench/1"}`)
	put(t, id("rename"), good)
	put(t, filepath.Join(s.folder("OTHER-0001"), "20260102T030405Z-good22.json"), good)
	put(t, filepath.Join(dir, "notes.txt"), "x")
	put(t, filepath.Join(s.dir, "README"), "x")
	put(t, filepath.Join(s.dir, ".hidden"), "x")
	err := errors.Join(syscall.Mkfifo(id("pipe22"), 0o600), os.Mkdir(id("dir222"), 0o700), os.Symlink("/nowhere", id("link22")))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		file string
		want error
	}{
		{"cutoff", ErrDamaged},
		{"empty2", ErrDamaged},
		{"newer2", ErrVersion},
		{"other2", ErrNotRecord},
		{"rename", ErrDamaged},
		{"OTHER-0001/20260102T030405Z-good22.json", ErrDamaged},
		{"notes.txt", ErrNotRecord},
		{"README", ErrNotRecord},
		{"pipe22", ErrNotRecord},
		{"dir222", ErrNotRecord},
	}
	list, faults := s.List(Query{})
	if got := labels(list); got != "before report after simulated path before" {
		t.Errorf("records %q", got)
	}
	if len(faults) != len(tests) {
		t.Errorf("%d faults, want %d: %v", len(faults), len(tests), errors.Join(faults...))
	}
	for _, tt := range tests {
		found := false
		for _, err := range faults {
			found = found || strings.Contains(err.Error(), tt.file) && errors.Is(err, tt.want)
		}
		if !found {
			t.Errorf("%s: no fault that is %v: %v", tt.file, tt.want, errors.Join(faults...))
		}
	}
}

func TestLoad(t *testing.T) {
	s := filled(t)
	list := all(t, s)
	for _, id := range []string{list[1].ID, list[1].ID[:9]} {
		if got, err := s.Load(id); err != nil || got.ID != list[1].ID || len(got.Body) == 0 {
			t.Errorf("Load(%s): %v, %v", id, got, err)
		}
	}
	for id, want := range map[string]error{"": ErrNotFound, "2025": ErrNotFound, "2026": ErrAmbiguous, list[0].ID + "x": ErrNotFound} {
		if got, err := s.Load(id); got != nil || !errors.Is(err, want) {
			t.Errorf("Load(%q): %v, %v, want %v", id, got, err, want)
		}
	}
	if err := os.WriteFile(list[1].File, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(list[1].ID); !errors.Is(err, ErrDamaged) {
		t.Errorf("a damaged one: %v", err)
	}
}

func TestSubjects(t *testing.T) {
	s := filled(t)
	newest := sample(9, "report", "")
	newest.Subject.Model = "MODEL B"
	save(t, s, newest)
	put(t, filepath.Join(s.folder("OTHER-0001"), "20270102T030405Z-aaaaaa.json"), "")
	put(t, filepath.Join(s.folder("BROKEN"), "20270102T030405Z-aaaaaa.json"), "")
	if err := os.Mkdir(s.folder("EMPTY"), 0o700); err != nil {
		t.Fatal(err)
	}
	list, faults := s.Subjects()
	var got []string
	for _, subject := range list {
		got = append(got, subject.String())
	}
	want := []string{"OTHER-0001", "QD1TEST0001 (MODEL B)", "/dev/sda (512 bytes)", "simulated QD1TEST0001 (MODEL A)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(faults) != 1 || !strings.Contains(faults[0].Error(), "BROKEN") {
		t.Errorf("faults %v, want one of BROKEN", faults)
	}
}

// TestHeaders reads what it can without the bodies, and all that does not look
// as usual as a whole.
func TestHeaders(t *testing.T) {
	long := strings.Repeat("x", 2*headBytes)
	tests := []struct {
		name, text string
		quick      bool
		want       error
	}{
		{"as usual", line + "\n", true, nil},
		{"large body", strings.Replace(line, `"}}`, `","fill":"`+long+`"}}`, 1) + "\n", true, nil},
		{"damaged in the body", strings.Replace(line, `"qd1.bench/1"}}`, "\x00}}", 1) + "\n", true, nil},
		{"long label", strings.Replace(line, "<fresh>", "<fresh>"+long, 1) + "\n", false, nil},
		{"label like a body", strings.Replace(line, "<fresh>", `<fresh>,\"body\":{`, 1) + "\n", true, nil},
		{"without a line break", line, false, nil},
		{"with spaces", strings.ReplaceAll(line, ":{", ": {") + "\n", false, nil},
		{"cut off", line[:len(line)-1] + "\n", false, ErrDamaged},
		{"newer", strings.Replace(line, "record/1", "record/2", 1) + "\n", false, ErrVersion},
		{"of another name", strings.Replace(line, "abc234", "abc235", 1) + "\n", true, ErrDamaged},
		{"short", "}", false, ErrDamaged},
	}
	for _, tt := range tests {
		s := store(t)
		path := put(t, filepath.Join(s.folder("QD1TEST0001"), "20260102T030405Z-abc234.json"), tt.text)
		if r, err := quick(path); (r != nil) != tt.quick || err != nil {
			t.Errorf("%s: quick: %v, %v, want something: %t", tt.name, r, err, tt.quick)
		}
		list, faults := s.Headers(Query{})
		if tt.want != nil {
			if len(list) != 0 || len(faults) != 1 || !errors.Is(faults[0], tt.want) {
				t.Errorf("%s: %v, %v, want %v", tt.name, list, faults, tt.want)
			}
			continue
		}
		if len(faults) > 0 || len(list) != 1 || !strings.HasPrefix(list[0].Label, "<fresh>") || list[0].Body != nil || list[0].File != path {
			t.Errorf("%s: %+v, %v", tt.name, list, faults)
		}
	}
}

func TestReadFileTooLarge(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "f"), "12345")
	if data, err := readFile(path, 5); err != nil || string(data) != "12345" {
		t.Errorf("%s, %v", data, err)
	}
	if _, err := readFile(path, 4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v, want ErrTooLarge", err)
	}
	if _, err := readFile(path+"x", 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want ErrNotExist", err)
	}
}
