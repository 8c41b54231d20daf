package record

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestExportImport(t *testing.T) {
	from := filled(t)
	var b bytes.Buffer
	if n, faults := from.Export(&b, Query{}); n != 6 || len(faults) > 0 || strings.Count(b.String(), "\n") != 6 {
		t.Fatalf("%d exported, %v:\n%s", n, faults, &b)
	}
	to := store(t)
	for _, want := range []int{6, 0} {
		if n, faults := to.Import(bytes.NewReader(b.Bytes())); n != want || len(faults) > 0 {
			t.Errorf("%d imported, %v, want %d", n, faults, want)
		}
	}
	noFile := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".File" }, cmp.Ignore())
	if diff := cmp.Diff(all(t, from), all(t, to), noFile); diff != "" {
		t.Error(diff)
	}
	var again bytes.Buffer
	if to.Export(&again, Query{}); again.String() != b.String() {
		t.Errorf("exported again:\n%s\nwant\n%s", &again, &b)
	}
	if n, faults := from.Import(bytes.NewReader(b.Bytes())); n != 0 || len(faults) > 0 {
		t.Errorf("into itself: %d, %v", n, faults)
	}
}

func TestExportSome(t *testing.T) {
	s := filled(t)
	list := all(t, s)
	if err := os.WriteFile(list[0].File, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	n, faults := s.Export(&b, Query{Drive: drive.Serial})
	if n != 2 || len(faults) != 1 || !errors.Is(faults[0], ErrDamaged) || strings.Contains(b.String(), "OTHER") {
		t.Errorf("%d exported, %v:\n%s", n, faults, &b)
	}
}

type fullWriter struct{ left int }

func (w *fullWriter) Write(b []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, syscall.ENOSPC
	}
	return len(b), nil
}

func TestExportFails(t *testing.T) {
	n, faults := filled(t).Export(&fullWriter{2}, Query{})
	if n != 2 || len(faults) != 1 || !errors.Is(faults[0], syscall.ENOSPC) {
		t.Errorf("%d exported, %v, want 2 and ENOSPC", n, faults)
	}
}

// TestExportPretty writes a line for a file that someone put line breaks into,
// and imports it over that.
func TestExportPretty(t *testing.T) {
	s := store(t)
	r := save(t, s, sample(0, "bench", "x"))
	data, err := os.ReadFile(r.File)
	if err != nil {
		t.Fatal(err)
	}
	pretty := strings.ReplaceAll(string(data), `,"`, ",\n \"")
	if err := os.WriteFile(r.File, []byte(pretty), 0o600); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if s.Export(&b, Query{}); b.String() != string(data) {
		t.Errorf("exported %s, want %s", &b, data)
	}
	if n, faults := s.Import(&b); n != 0 || len(faults) > 0 {
		t.Errorf("imported %d, %v", n, faults)
	}
}

// TestImportKeepsKeys keeps what another version added to the format.
func TestImportKeepsKeys(t *testing.T) {
	s := store(t)
	more := strings.Replace(line, `"tool"`, `"added":[1],"tool"`, 1)
	if n, faults := s.Import(strings.NewReader(more)); n != 1 || len(faults) > 0 {
		t.Fatalf("%d, %v", n, faults)
	}
	var b bytes.Buffer
	if s.Export(&b, Query{}); b.String() != more+"\n" {
		t.Errorf("exported %s, want %s", &b, more)
	}
}

// TestImportOrders puts the keys of a line in order, so that none stands behind
// the body.
func TestImportOrders(t *testing.T) {
	s := store(t)
	label := `"label":"<fresh>",`
	other := strings.Replace(strings.Replace(line, label, "", 1), `"qd1.bench/1"}}`, `"qd1.bench/1"},`+label+`"more":{}}`, 1)
	if n, faults := s.Import(strings.NewReader(other)); n != 1 || len(faults) > 0 {
		t.Fatalf("%d, %v", n, faults)
	}
	headers, faults := s.Headers(Query{})
	if labels(headers) != "<fresh>" || len(faults) > 0 {
		t.Errorf("%q, %v", labels(headers), faults)
	}
	if n, faults := s.Import(strings.NewReader(other + "\n" + line)); n != 0 || len(faults) > 0 {
		t.Errorf("again: %d, %v", n, faults)
	}
}

func TestImportLines(t *testing.T) {
	s := store(t)
	second := strings.Replace(line, "abc234", "second", 1)
	text := strings.Join([]string{
		"",
		line,
		"not JSON",
		`{"schema":"qd1.record/2"}`,
		"  " + strings.ReplaceAll(line, ",", " , ") + "\r",
		line[:60],
		`{"schema":"qd1.bench/1"}`,
		strings.Replace(line, "fresh", "other", 1),
		second,
	}, "\n")
	n, faults := s.Import(strings.NewReader(text))
	want := []struct {
		line int
		err  error
	}{{3, ErrDamaged}, {4, ErrVersion}, {6, ErrDamaged}, {7, ErrNotRecord}, {8, ErrExists}}
	if n != 2 || len(faults) != len(want) {
		t.Fatalf("%d imported, %v, want 2 and %d faults", n, errors.Join(faults...), len(want))
	}
	for i, w := range want {
		var e *LineError
		if !errors.As(faults[i], &e) || e.Line != w.line || !errors.Is(e, w.err) {
			t.Errorf("fault %v, want line %d: %v", faults[i], w.line, w.err)
		}
	}
	if got := len(all(t, s)); got != 2 {
		t.Errorf("%d kept, want 2", got)
	}
}

// TestImportEnds stops where each line would meet the same.
func TestImportEnds(t *testing.T) {
	lines := strings.Repeat(line+"\n", 3)
	for err, want := range map[error]int{syscall.ENOSPC: 1, syscall.EROFS: 1, ErrBusy: 1, fs.ErrPermission: 3} {
		s := store(t)
		s.ops.write = func(string, []byte, fs.FileMode) error { return err }
		n, faults := s.Import(strings.NewReader(lines))
		if n != 0 || len(faults) != want || !errors.Is(faults[0], err) {
			t.Errorf("%v: %d, %v, want %d faults", err, n, faults, want)
		}
	}
	broken := errors.New("broken")
	n, faults := store(t).Import(iotest.TimeoutReader(strings.NewReader(line)))
	if n != 0 || len(faults) != 1 || !errors.Is(faults[0], iotest.ErrTimeout) {
		t.Errorf("reader: %d, %v", n, faults)
	}
	n, faults = store(t).Import(iotest.ErrReader(broken))
	if n != 0 || len(faults) != 1 || !errors.Is(faults[0], broken) {
		t.Errorf("reader: %d, %v", n, faults)
	}
}

func TestReadLine(t *testing.T) {
	text := "a\n" + strings.Repeat("b", 100) + "\n\n" + strings.Repeat("c", 50) + "\nd"
	r := bufio.NewReaderSize(strings.NewReader(text), 16)
	var got []string
	for range 5 {
		line, err := readLine(r, 60)
		switch {
		case errors.Is(err, ErrTooLarge):
			got = append(got, "too large")
		case err != nil:
			got = append(got, string(line)+" "+err.Error())
		default:
			got = append(got, string(line))
		}
	}
	want := []string{"a\n", "too large", "\n", strings.Repeat("c", 50) + "\n", "d EOF"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if line, err := readLine(bufio.NewReaderSize(strings.NewReader(strings.Repeat("e", 61)), 16), 60); line != nil || !errors.Is(err, ErrTooLarge) {
		t.Errorf("last line: %q, %v", line, err)
	}
}

// FuzzImport imports anything. All that was taken is there and whole.
func FuzzImport(f *testing.F) {
	f.Add([]byte(line + "\n" + line[:50] + "\n\n" + strings.Replace(line, "abc234", "second", 1)))
	f.Add([]byte("\n{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := store(t)
		s.ops.write, s.ops.syncDir = os.WriteFile, func(string) error { return nil } // fast
		s.ops.makeDir = func(dir string) error { return os.MkdirAll(dir, 0o700) }
		n, faults := s.Import(bytes.NewReader(data))
		if lines := bytes.Count(data, []byte("\n")) + 1; n+len(faults) > lines {
			t.Errorf("%d imported and %d faults of %d lines", n, len(faults), lines)
		}
		if list := all(t, s); len(list) != n {
			t.Errorf("%d kept, want %d", len(list), n)
		}
		if again, _ := s.Import(bytes.NewReader(data)); again != 0 {
			t.Errorf("%d were new the second time", again)
		}
	})
}
