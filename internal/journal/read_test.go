package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

const (
	headerLine = `{"schema":"qd1.journal/1","id":"a","kind":"erase","serial":"S","time":"2026-03-04T05:06:07Z","pid":7,"boot_id":"b"}` + "\n"
	armedLine  = `{"time":"2026-03-04T05:06:08Z","state":"ARMED","pid":7,"boot_id":"b","data":{"a":1}}` + "\n"
	sentLine   = `{"time":"2026-03-04T05:06:09Z","state":"SENT","pid":8,"boot_id":"c"}` + "\n"
)

func TestRead(t *testing.T) {
	long := strings.Replace(armedLine, `"a":1`, `"a":"`+strings.Repeat("x", 100<<10)+`"`, 1)
	tests := []struct {
		name, text string
		want       []State
		torn       bool
		pid        int
	}{
		{"header alone", headerLine, nil, false, 7},
		{"entries", headerLine + armedLine + sentLine, []State{Armed, Sent}, false, 8},
		{"long line", headerLine + long + sentLine, []State{Armed, Sent}, false, 8},
		{"state of a newer version", headerLine + strings.Replace(sentLine, "SENT", "FROZEN", 1), []State{"FROZEN"}, false, 8},
		{"key of a newer version", headerLine + strings.Replace(sentLine, "{", `{"hash":[1,{}],`, 1), []State{Sent}, false, 8},
		{"white space around", headerLine + " " + strings.Replace(sentLine, "\n", " \r\n", 1), []State{Sent}, false, 8},
		{"cut", headerLine + armedLine + sentLine[:20], []State{Armed}, true, 7},
		{"cut before its end", headerLine + armedLine + sentLine[:len(sentLine)-1], []State{Armed}, true, 7},
		{"zeros at the end", headerLine + armedLine + "\x00\x00\x00\x00", []State{Armed}, true, 7},
		{"zeros in the last line", headerLine + armedLine + "\x00\x00" + sentLine[2:], []State{Armed}, true, 7},
		{"empty last line", headerLine + armedLine + "\n", []State{Armed}, true, 7},
	}
	for _, tt := range tests {
		rec, good, err := read(strings.NewReader(tt.text))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, states(rec.Entries)); diff != "" || rec.Torn != tt.torn || rec.PID != tt.pid {
			t.Errorf("%s: torn %t, process %d, states (-want +got):\n%s", tt.name, rec.Torn, rec.PID, diff)
		}
		if whole := int(good.at) == len(tt.text); whole == tt.torn || tt.text[good.at-1] != '\n' {
			t.Errorf("%s: good up to %d of %d", tt.name, good.at, len(tt.text))
		}
	}
}

func TestReadRefuses(t *testing.T) {
	tests := []struct {
		name, text string
		line       int
		want       error
		cause      string
	}{
		{"empty", "", 0, ErrNotJournal, "it is empty"},
		{"text", "hello\n", 1, ErrNotJournal, "not a JSON object"},
		{"null", "null\n", 1, ErrNotJournal, "not a JSON object"},
		{"another format", `{"schema":""}` + "\n", 1, ErrNotJournal, ""},
		{"another version", strings.Replace(headerLine, "journal/1", "journal/2", 1), 1, ErrVersion, `"qd1.journal/2"`},
		{"header without serial", strings.Replace(headerLine, `"S"`, `""`, 1), 1, ErrNotJournal, "no serial"},
		{"header of another type", strings.Replace(headerLine, `"S"`, `1`, 1), 1, ErrNotJournal, "number"},
		{"header cut", headerLine[:50], 1, ErrNotJournal, "unexpected end"},
		{"header without its end", headerLine[:len(headerLine)-1], 1, ErrNotJournal, "cut"},
		{"garbage in the middle", headerLine + armedLine + "\x00\x00\n" + sentLine, 3, nil, "not a JSON object"},
		{"half a line in the middle", headerLine + armedLine[:30] + "\n" + sentLine, 2, nil, "unexpected end"},
		{"two lines in one", headerLine + armedLine[:30] + sentLine + sentLine, 2, nil, "invalid character"},
		{"no state in the middle", headerLine + `{"time":"2026-03-04T05:06:08Z"}` + "\n" + sentLine, 2, nil, "without state"},
		{"no time in the middle", headerLine + `{"state":"SENT"}` + "\n" + sentLine, 2, nil, "without state or time"},
		{"empty line in the middle", headerLine + "\n" + sentLine, 2, nil, "not a JSON object"},
		{"line without end", headerLine + strings.Repeat(" ", MaxLineBytes+1), 2, ErrTooLarge, ""},
		{"long line", headerLine + strings.Repeat(" ", MaxLineBytes) + "\n", 2, ErrTooLarge, ""},
	}
	for _, tt := range tests {
		rec, _, err := read(strings.NewReader(tt.text))
		var parse *ParseError
		line := 0
		if errors.As(err, &parse) {
			line = parse.Line
		}
		if rec != nil || err == nil || line != tt.line || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.cause) {
			t.Errorf("%s: %v, want line %d, %v, %q", tt.name, err, tt.line, tt.want, tt.cause)
		}
		if line > 0 && !strings.HasPrefix(err.Error(), fmt.Sprintf("line %d: ", line)) {
			t.Errorf("%s: %v does not name its line", tt.name, err)
		}
	}
}

// TestReadCutAnywhere cuts a journal at every byte: the entries before stay,
// and only a cut between two lines is not seen.
func TestReadCutAnywhere(t *testing.T) {
	text := headerLine + armedLine + sentLine + armedLine
	for n := len(headerLine); n <= len(text); n++ {
		rec, good, err := read(strings.NewReader(text[:n]))
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if want := strings.Count(text[:n], "\n") - 1; len(rec.Entries) != want || rec.Torn == (text[n-1] == '\n') {
			t.Errorf("cut at %d: %d entries, torn %t, want %d entries", n, len(rec.Entries), rec.Torn, want)
		}
		if want := strings.LastIndexByte(text[:n], '\n') + 1; int(good.at) != want {
			t.Errorf("cut at %d: good up to %d, want %d", n, good.at, want)
		}
	}
}

func TestReadFailure(t *testing.T) {
	broken := errors.New("the disk is broken")
	for _, text := range []string{"", headerLine[:10], headerLine, headerLine + armedLine} {
		r := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
		if rec, _, err := read(r); rec != nil || !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v, %v, want %v", len(text), rec, err, broken)
		}
	}
}

// endless gives the same line for ever.
type endless struct{ line []byte }

func (e endless) Read(b []byte) (int, error) { return copy(b, e.line), nil }

func TestLinesAreBounded(t *testing.T) {
	l := newLines(endless{append(bytes.Repeat([]byte(" "), 4095), '\n')}, 0, 0)
	var err error
	for err == nil {
		_, _, err = l.next()
	}
	var parse *ParseError
	if !errors.As(err, &parse) || !errors.Is(err, ErrTooLarge) || parse.Line != MaxFileBytes/4096+1 {
		t.Errorf("error %v, want ErrTooLarge in line %d", err, MaxFileBytes/4096+1)
	}
	if cap(l.buf) > MaxLineBytes {
		t.Errorf("%d bytes are held for a line of 4096", cap(l.buf))
	}
}

// FuzzRead reads anything. What is good can be read again, and goes on with
// the next entry.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		headerLine, headerLine + armedLine + sentLine, headerLine + armedLine + sentLine[:9],
		headerLine + "\x00\n", headerLine + "\n" + sentLine, "{}\n", "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		rec, good, err := read(bytes.NewReader(b))
		if err != nil {
			if rec != nil {
				t.Errorf("a record with the error %v", err)
			}
			return
		}
		if (int(good.at) == len(b)) == rec.Torn {
			t.Errorf("good up to %d of %d, torn %t", good.at, len(b), rec.Torn)
		}
		again, _, err := read(bytes.NewReader(append(bytes.Clone(b[:good.at]), sentLine...)))
		if err != nil || again.Torn || len(again.Entries) != len(rec.Entries)+1 || again.State() != Sent {
			t.Fatalf("with one more entry: %+v, %v", again, err)
		}
		if diff := cmp.Diff(rec.Entries, again.Entries[:len(rec.Entries)]); diff != "" && len(rec.Entries) > 0 {
			t.Errorf("entries (-first +again):\n%s", diff)
		}
	})
}
