package record

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	s := filled(t)
	again := save(t, s, sample(6, "bench", "before, 2nd/3"))
	list := all(t, s)
	dir := t.TempDir()
	t.Chdir(dir)
	both := put(t, filepath.Join(dir, "both.jsonl"), line+"\n"+strings.Replace(line, "<fresh>", "second", 1))
	put(t, filepath.Join(dir, "plain"), line)
	put(t, filepath.Join(dir, "path"), line)
	put(t, filepath.Join(dir, "a,b.json"), line)
	id := list[0].ID
	tests := []struct {
		name, words string // words with "|" between
		query       Query
		want        string
	}{
		{"file", both, Query{}, "<fresh>"},
		{"file in the current directory", "plain", Query{}, "<fresh>"},
		{"file with a comma", "a,b.json", Query{}, "<fresh>"},
		{"label before a file", "path", Query{}, "path"},
		{"file before a label", "./path", Query{}, "<fresh>"},
		{"identifier", id, Query{}, "before"},
		{"beginning", id[:8], Query{}, "before"},
		{"label", "after", Query{}, "after"},
		{"label with comma and slash", "before, 2nd/3", Query{}, again.Label},
		{"label of a drive", "before", Query{Drive: "OTHER-0001"}, "before"},
		{"label of a kind", "before", Query{Kind: "age"}, "before"},
		{"list", "after,simulated", Query{}, "after simulated"},
		{"list with spaces", " path , after,", Query{}, "path after"},
		{"list of files", "both.jsonl,after,plain", Query{}, "<fresh> after"},
		{"words", "simulated|after", Query{}, "simulated after"},
		{"the same twice", "after|after|" + list[2].ID, Query{}, "after"},
	}
	for _, tt := range tests {
		got, err := s.Find(tt.query, strings.Split(tt.words, "|")...)
		if err != nil || labels(got) != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, labels(got), err, tt.want)
		}
		for _, r := range got {
			if len(r.Body) == 0 || r.File == "" {
				t.Errorf("%s: %+v has no body or no file", tt.name, r)
			}
		}
	}
}

func TestFindOrder(t *testing.T) {
	s := store(t)
	for _, days := range []int{3, 1, 2} {
		save(t, s, sample(days, "bench", "x"))
	}
	got, err := s.Find(Query{}, "x")
	if err != nil || len(got) != 3 || !got[0].Time.Before(got[1].Time) || !got[1].Time.Before(got[2].Time) {
		t.Errorf("%v, %v, want three by time", got, err)
	}
}

func TestFindFails(t *testing.T) {
	s := filled(t)
	t.Chdir(t.TempDir())
	bad := put(t, filepath.Join(t.TempDir(), "bad.json"), line[:90])
	newest := ids(all(t, s))
	tests := []struct {
		name, word string
		query      Query
		want       error
		says       []string
	}{
		{"label of two drives", "before", Query{}, ErrAmbiguous, []string{"QD1TEST0001 (MODEL A)", "OTHER-0001"}},
		{"identifier of several", "2026", Query{}, ErrAmbiguous, newest},
		{"too short", "202", Query{}, ErrNotFound, nil},
		{"misspelt", "befroe", Query{}, ErrNotFound, []string{`mean "before"`, "after, before, path, simulated", newest[5] + ", " + newest[4]}},
		{"begun", "SIM", Query{}, ErrNotFound, []string{`mean "simulated"`}},
		{"of another drive", "after", Query{Drive: "OTHER-0001"}, ErrNotFound, []string{"labels: before"}},
		{"of an unknown drive", "after", Query{Drive: "NONE"}, ErrNotFound, []string{"no records yet"}},
		{"of several drives", "after", Query{Drive: "0001"}, ErrAmbiguous, []string{"OTHER-0001"}},
		{"in a list", "after,none", Query{}, ErrNotFound, []string{`"none"`}},
		{"empty list", ",,", Query{}, ErrNotFound, []string{`",,"`}},
		{"nothing", "", Query{}, ErrNotFound, []string{`""`}},
		{"file", "none.json", Query{}, fs.ErrNotExist, []string{"none.json"}},
		{"path", "/none/none", Query{}, fs.ErrNotExist, nil},
		{"damaged file", bad, Query{}, ErrDamaged, []string{bad, "object 1"}},
		{"directory", "./", Query{}, ErrNotRecord, nil},
	}
	for _, tt := range tests {
		got, err := s.Find(tt.query, tt.word)
		if got != nil || !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, %v, want %v", tt.name, got, err, tt.want)
			continue
		}
		for _, says := range tt.says {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v, want it to say %s", tt.name, err, says)
			}
		}
	}
}

// TestFindBesideDamaged finds what is whole, and tells that more may be there.
func TestFindBesideDamaged(t *testing.T) {
	s := filled(t)
	put(t, filepath.Join(s.folder("OTHER-0001"), "20260102T030405Z-cutoff.json"), line[:50])
	put(t, filepath.Join(s.folder("OTHER-0001"), "notes.txt"), "x")
	if got, err := s.Find(Query{}, "after"); err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	_, err := s.Find(Query{}, "none")
	var e *NotFoundError
	if !errors.As(err, &e) || e.Unreadable != 1 || !strings.Contains(e.Error(), "could not be read: 1") {
		t.Errorf("error %v, want one file that could not be read", err)
	}
}

// TestFindFileWithoutStore reads files where the store cannot be read.
func TestFindFileWithoutStore(t *testing.T) {
	s := store(t)
	put(t, s.Dir(), "no directory")
	path := put(t, filepath.Join(t.TempDir(), "a.json"), line)
	if got, err := s.Find(Query{}, path); err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestReadFile(t *testing.T) {
	for _, name := range []string{"bench.json", "report.json", "launch.json", "boot.json", "directory.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadFile(filepath.Join("testdata", name))
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %v, %v", name, got, err)
			continue
		}
		if diff := cmp.Diff(bare(name), got[0], cmp.FilterPath(isBody, cmp.Ignore())); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if strings.TrimSpace(string(data)) != string(got[0].Body) {
			t.Errorf("%s: the body is not the file", name)
		}
		s := store(t)
		if got[0].Kind != "launch" && got[0].Kind != "boot" {
			save(t, s, got[0])
		}
	}
}

func isBody(p cmp.Path) bool { return p.Last().String() == ".Body" }

// bare returns what a file of testdata is, without its body.
func bare(name string) *Record {
	r := &Record{Schema: Schema, Time: start, Kind: strings.TrimSuffix(name, ".json"), Tool: Tool{"qd1", "0.1.0-dev"}, File: "testdata/" + name}
	switch name {
	case "bench.json":
		r.Label = "fresh"
		r.Subject = Subject{Serial: "QD1SIM905PFRESH00001", Model: "INTEL SSDPE21D960GA", Path: "optane-905p", Bytes: 960197124096, Simulated: true}
	case "report.json":
		r.Subject = Subject{Serial: "QD1SIM905PUSED000001", Model: "INTEL SSDPE21D960GA", Path: "sim:optane-905p-used", Simulated: true}
	case "directory.json":
		r.Kind = "bench"
		r.Subject = Subject{Path: "/srv/data"}
	}
	return r
}

func TestObjects(t *testing.T) {
	bench := `{"schema":"qd1.bench/1","time":"2026-01-02T03:04:05.5+09:00","target":{"path":"/dev/sda","bytes":512}}`
	tests := []struct {
		name, text string
		n          int
		want       error
		says       string
	}{
		{"lines", line + "\n" + bench + "\n\n" + line, 3, nil, ""},
		{"array", "[" + line + ",\n" + bench + "] " + bench, 3, nil, ""},
		{"empty", " \n", 0, ErrNotRecord, "no result"},
		{"empty array", "[]", 0, ErrNotRecord, "no result"},
		{"text", "Latency 11 µs", 0, ErrNotRecord, "no JSON"},
		{"cut off", line + line[:50], 0, ErrDamaged, "object 2"},
		{"second is foreign", line + `{"schema":"qd1.list/1"}`, 0, ErrNotRecord, `object 2: not a record of qd1: its format is "qd1.list/1"`},
		{"in an array", "[" + line + `,{"a":1}]`, 0, ErrNotRecord, "object 2"},
		{"newer", `{"schema":"qd1.record/3"}`, 0, ErrVersion, "qd1.record/3"},
		{"number", "5", 0, ErrNotRecord, "schema"},
		{"array in an array", "[[]]", 0, ErrNotRecord, "schema"},
		{"no time", `{"schema":"qd1.bench/1"}`, 0, ErrDamaged, "time"},
		{"wrong type", strings.Replace(bench, "512", `"x"`, 1), 0, ErrDamaged, "target"},
	}
	for _, tt := range tests {
		list, err := objects([]byte(tt.text))
		if len(list) != tt.n || !errors.Is(err, tt.want) || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %d, %v, want %d, %v with %q", tt.name, len(list), err, tt.n, tt.want, tt.says)
		}
	}
}

func TestSubjectOf(t *testing.T) {
	tests := []struct {
		body string
		want Subject
	}{
		{`{"drive":{"serial":"S","model":"M","selector":"/dev/nvme0"},"target":{"path":"/dev/nvme0n1","bytes":5}}`, Subject{"S", "M", "/dev/nvme0n1", 5, false}},
		{`{"simulated":true,"drive":{"serial":"S","model":"M","selector":"sim:x"}}`, Subject{"S", "M", "sim:x", 0, true}},
		{`{"drive":null,"target":{"path":"/a/qd1-bench-0123456789abcdef.tmp","bytes":5}}`, Subject{Path: "/a"}},
		{`{"drive":null,"target":{"path":"/a/b","bytes":5}}`, Subject{Path: "/a/b", Bytes: 5}},
		{`{"launch":{"program":["editor","--version"],"executable":"/usr/bin/editor"}}`, Subject{Path: "/usr/bin/editor --version"}},
		{`{"launch":{"executable":"/usr/bin/editor"}}`, Subject{Path: "/usr/bin/editor"}},
		{`{"launch":null,"boot":{}}`, Subject{}},
		{`{}`, Subject{}},
		{`5`, Subject{}},
		{`{`, Subject{}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, SubjectOf(json.RawMessage(tt.body))); diff != "" {
			t.Errorf("%s: %s", tt.body, diff)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"before", "after", "x", "before-update"}
	tests := []struct{ word, want string }{
		{"befor", "before"}, {"BEFORE", "before"}, {"beofre", "before"}, {"aftr", "after"}, {"after1", "after"},
		{"b", ""}, {"fresh", ""}, {"", ""}, {"before-u", "before-update"}, {"yz", ""}, {strings.Repeat("a", 200), ""},
	}
	for _, tt := range tests {
		if got := nearest(tt.word, names); got != tt.want {
			t.Errorf("nearest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
}

// FuzzObjects reads any file. What it accepts has a body and a time.
func FuzzObjects(f *testing.F) {
	f.Add([]byte(line))
	f.Add([]byte("[" + line + "]" + line))
	f.Add([]byte(`{"schema":"qd1.launch/1","time":"2026-01-02T03:04:05Z","launch":{"kind":"command"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := objects(data)
		if (err == nil) != (len(list) > 0) {
			t.Errorf("%d, %v", len(list), err)
		}
		for _, r := range list {
			if !object(r.Body) || r.Time.IsZero() && r.ID != "" || r.Kind == "" {
				t.Errorf("%+v", r)
			}
		}
	})
}

// FuzzFind looks any word up. It is one record at least or an error, and the
// message is one line.
func FuzzFind(f *testing.F) {
	s := filled(f)
	f.Chdir(f.TempDir())
	for _, word := range []string{"before", "2026", "after,simulated", ",", "a/b", "..", "\x00", "befroe", "x.json"} {
		f.Add(word, "")
		f.Add(word, "0001")
	}
	f.Fuzz(func(t *testing.T, word, drive string) {
		if strings.HasPrefix(word, "/") || strings.Contains(word, "..") {
			return // may be a file of this computer
		}
		list, err := s.Find(Query{Drive: drive}, word)
		if (err == nil) != (len(list) > 0) {
			t.Errorf("%d records, %v", len(list), err)
		}
		if err != nil && (errors.Is(err, ErrNotFound) || errors.Is(err, ErrAmbiguous)) && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("message %q", err)
		}
	})
}
