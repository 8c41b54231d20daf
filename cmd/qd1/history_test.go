package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/state"
)

// recordsDir gives a test a place of its own for records.
func recordsDir(t *testing.T) *record.Store {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	return record.Open(filepath.Join(dir, "qd1", "records"))
}

// saveBody keeps a record with some body.
func saveBody(t *testing.T, s *record.Store, kind string, body any) *record.Record {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Record{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Kind: kind, Subject: record.Subject{Serial: "QD1HISTORY0001"}, Tool: record.Tool(tool()), Body: raw}
	if _, err := s.Save(r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParseAge(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"90d": 90 * day, "1.5d": 36 * time.Hour, "2w": 14 * day, "1y": 365 * day, "36h": 36 * time.Hour, "90m": 90 * time.Minute, "0d": 0,
		"": -1, "90": -1, "d": -1, "-1d": -1, "-1h": -1, "NaNd": -1, "101y": -1, "1e9w": -1, "soon": -1, "1 d": -1,
	} {
		got, err := parseAge(text)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
}

// TestShowsEveryKind shows what each command keeps as text, and what nobody
// knows as JSON.
func TestShowsEveryKind(t *testing.T) {
	s := recordsDir(t)
	for _, test := range []struct {
		kind string
		body any
		want string
	}{
		{"bench", &report.BenchReport{Schema: report.BenchSchema, Target: report.BenchTarget{Name: "the target"}}, "the target"},
		{"report", json.RawMessage(`{"schema":"qd1.report/1","verdict":{"level":"keep"},"drive":{"serial":"THE-SERIAL","model":"M"}}`), "THE-SERIAL"},
		{"launch", json.RawMessage(`{"schema":"qd1.launch/1","launch":{"program":["editor"],"executable":"/usr/bin/editor"}}`), "/usr/bin/editor"},
		{"erase", &erase.Record{Schema: erase.Schema, Error: "the cause"}, "the cause"},
		{"age", json.RawMessage(`{"schema":"qd1.age/1"}`), `qd1`},
		{"other", json.RawMessage(`{"schema":"other/1","key":"value"}`), "\n  \"key\": \"value\"\n"},
		{"broken", json.RawMessage(`{"schema":"qd1.bench/1","results":7}`), "\"results\": 7"},
		{"lacking", json.RawMessage(`{"schema":"qd1.report/1","smart":{"power_on_hours":1}}`), "power"},
	} {
		r := saveBody(t, s, test.kind, test.body)
		status, out, stderr := run(t.Context(), "history", "show", r.ID)
		if status != exitDone || stderr != "" || !strings.HasPrefix(out, "record "+r.ID+"  "+test.kind) || !strings.Contains(out, test.want) {
			t.Errorf("%s: status %d, %s\n%s\nwant %q", test.kind, status, stderr, out, test.want)
		}
	}
}

// TestShowsPages makes pages of what can be one, and says so of what cannot.
func TestShowsPages(t *testing.T) {
	s := recordsDir(t)
	b := saveBody(t, s, "bench", &report.BenchReport{Schema: report.BenchSchema, Target: report.BenchTarget{Name: "the target"}})
	if status, out, stderr := run(t.Context(), "history", "show", b.ID, "--format", "html"); status != exitDone || !strings.Contains(out, "<title>") {
		t.Errorf("status %d, %s\n%s", status, stderr, out)
	}
	unknown := saveBody(t, s, "other", map[string]int{"x": 1})
	if status, out, stderr := run(t.Context(), "history", "show", unknown.ID, "--format", "html"); status != exitUsage || out != "" || !strings.Contains(stderr, "no such page") {
		t.Errorf("status %d, %s, %s", status, out, stderr)
	}
}

// TestShowSurvives holds that a result which lacks what its page relies on is
// an error or JSON, never a fall.
func TestShowSurvives(t *testing.T) {
	body, want := json.RawMessage(`{"a":1}`), "{\n  \"a\": 1\n}\n"
	for name, r := range map[string]result{
		"without a text": {},
		"panics":         {text: func(io.Writer, render.Style) error { panic("nil") }},
		"fails":          {text: func(w io.Writer, _ render.Style) error { w.Write([]byte("half")); return syscall.EIO }},
	} {
		if got := string(r.asText(body, render.Style{})); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := string(indented(json.RawMessage("{"))); got != "{" {
		t.Errorf("what is no JSON: %q", got)
	}
}

func TestHintNotKept(t *testing.T) {
	for want, errs := range map[string][]error{
		"make room":      {syscall.ENOSPC, fmt.Errorf("x: %w", syscall.EDQUOT)},
		"XDG_STATE_HOME": {fs.ErrPermission, syscall.EROFS, state.ErrUnsafe, state.ErrNoDir, &fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}},
		"":               {errors.New("x"), record.ErrBusy},
	} {
		for _, err := range errs {
			if got := hintNotKept(err); (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("%v: %q, want %q", err, got, want)
			}
		}
	}
}

func TestRecordError(t *testing.T) {
	for want, err := range map[string]error{"more letters": record.ErrAmbiguous, "qd1 history lists": record.ErrNotFound, "sudo": fs.ErrPermission} {
		if got := exitOf(t.Context(), recordError(fmt.Errorf("x: %w", err))); got.status != exitFailed || !strings.Contains(got.hint, want) {
			t.Errorf("%v: %d, %q", err, got.status, got.hint)
		}
	}
	if recordError(nil) != nil {
		t.Error("no error became one")
	}
}

func TestTimeOf(t *testing.T) {
	now := time.Unix(1e9, 0)
	for body, want := range map[string]time.Time{
		`{"time":"2026-01-02T03:04:05.5Z"}`: time.Date(2026, 1, 2, 3, 4, 5, 5e8, time.UTC), `{}`: now, `{"time":""}`: now, `{"time":7}`: now, `[]`: now,
		`{"time":"0001-01-01T00:00:00Z"}`: now,
	} {
		if got := timeOf([]byte(body), now); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
}

// keeping is an invocation of a command that keeps its result.
func keeping(t *testing.T) *invocation {
	t.Helper()
	set := flag.NewFlagSet("test", flag.ContinueOnError)
	for _, f := range keepFlags(true) {
		if err := f.Apply(set); err != nil {
			t.Fatal(err)
		}
	}
	return &invocation{Context: cli.NewContext(nil, set, nil), env: &env{stderr: io.Discard, now: time.Now}}
}

// TestKeepPaths names what has no serial number by its whole path, wherever
// the command was run.
func TestKeepPaths(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	in := keeping(t)
	for path, want := range map[string]string{
		"file": filepath.Join(here, "file"), "/dev/null": "/dev/null", "missing": "missing", "boot of a computer": "boot of a computer", "-": "", "/dev/stdin": "",
	} {
		r, err := in.newRecord("bench", record.Subject{Path: path}, map[string]int{})
		if err != nil || r.Subject.Path != want {
			t.Errorf("%s: %q, %v; want %q", path, r.Subject.Path, err, want)
		}
	}
	if r, err := in.newRecord("bench", record.Subject{Serial: "S", Path: "file"}, map[string]int{}); err != nil || r.Subject.Path != "file" {
		t.Errorf("with a serial number: %+v, %v", r.Subject, err)
	}
	if _, err := in.newRecord("bench", record.Subject{}, func() {}); err == nil {
		t.Error("what is no JSON is no error")
	}
}

// TestHere finds the name that a drive has in records by what it is called
// here.
func TestHere(t *testing.T) {
	dir := t.TempDir()
	for word, want := range map[string]string{"sim:optane-905p": "sim-QD1SIM905PFRESH00001", "sim:nonsense": "", dir: dir, "no such drive": "", "/dev/null": ""} {
		if got, _ := here(word); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

// An export that fails leaves what was there, and nothing beside it.
func TestExportFails(t *testing.T) {
	s := recordsDir(t)
	saveBody(t, s, "bench", map[string]string{"x": strings.Repeat("x", 3<<20)})
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replaceWith(file, func(w io.Writer) error { w.Write([]byte("half")); return syscall.EIO }); !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v", err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "old" {
		t.Errorf("%q, %v", b, err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
	if status, _, stderr := run(t.Context(), "history", "export", "/dev/full"); status != exitFailed || !strings.Contains(stderr, "cannot write /dev/full: ") || strings.Contains(stderr, "warning") {
		t.Errorf("a full device: status %d, %s", status, stderr)
	}
}
