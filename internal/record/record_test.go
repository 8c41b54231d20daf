package record

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// line is a good record as it is kept.
const line = `{"schema":"qd1.record/1","id":"20260102T030405Z-abc234","time":"2026-01-02T03:04:05Z","kind":"bench","subject":{"serial":"QD1TEST0001"},"label":"<fresh>","tool":{"name":"qd1","version":"1.0"},"body":{"schema":"qd1.bench/1"}}`

func TestEncode(t *testing.T) {
	r, err := decode([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	want := &Record{
		Schema: Schema, ID: "20260102T030405Z-abc234", Time: start, Kind: "bench", Subject: Subject{Serial: "QD1TEST0001"},
		Label: "<fresh>", Tool: Tool{"qd1", "1.0"}, Body: []byte(`{"schema":"qd1.bench/1"}`),
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
	got, err := encode(r)
	if err != nil || string(got) != line+"\n" {
		t.Errorf("encode: %s, %v", got, err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	change := func(old, new string) string { return strings.Replace(line, old, new, 1) }
	tests := []struct {
		name, text string
		want       error
		says       string
	}{
		{"empty", "", ErrDamaged, "empty"},
		{"zeros", "\x00\x00\x00", ErrDamaged, "byte 1"},
		{"cut off", line[:100], ErrDamaged, "unexpected end"},
		{"two", line + line, ErrDamaged, "after top-level value"},
		{"array", "[]", ErrNotRecord, ""},
		{"no schema", "{}", ErrNotRecord, ""},
		{"schema of no text", `{"schema":1}`, ErrNotRecord, ""},
		{"another schema", `{"schema":"qd1.bench/1","id":5}`, ErrNotRecord, `"qd1.bench/1"`},
		{"newer", change("record/1", "record/2"), ErrVersion, `"qd1.record/2"`},
		{"newer and different", `{"schema":"qd1.record/2","time":5,"subject":[]}`, ErrVersion, `"qd1.record/2"`},
		{"id of a path", change("20260102T030405Z-abc234", "../../etc/passwd"), ErrDamaged, "identifier"},
		{"id of no time", change("20260102T", "20261302T"), ErrDamaged, "identifier"},
		{"time", change(`"2026-01-02T03:04:05Z"`, `"yesterday"`), ErrDamaged, "yesterday"},
		{"no time", change(`"time":"2026-01-02T03:04:05Z",`, ""), ErrDamaged, "no time"},
		{"no kind", change(`"bench"`, `""`), ErrDamaged, "kind"},
		{"kind of two words", change(`"bench"`, `"a b"`), ErrDamaged, "kind"},
		{"long kind", change(`"bench"`, `"`+strings.Repeat("a", 33)+`"`), ErrDamaged, "kind"},
		{"no subject", change(`"serial"`, `"other"`), ErrNoSubject, ""},
		{"subject of spaces", change(`"QD1TEST0001"`, `"  "`), ErrNoSubject, ""},
		{"wrong type", change(`"<fresh>"`, "5"), ErrDamaged, "label"},
		{"no body", change(`,"body":{"schema":"qd1.bench/1"}`, ""), ErrDamaged, "body"},
		{"body is null", change(`{"schema":"qd1.bench/1"}`, "null"), ErrDamaged, "body"},
		{"body is an array", change(`{"schema":"qd1.bench/1"}`, "[1]"), ErrDamaged, "body"},
	}
	for _, tt := range tests {
		r, err := decode([]byte(tt.text))
		if r != nil || !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, error %v; want %v with %q", tt.name, r, err, tt.want, tt.says)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Record)
	}{
		{"schema", func(r *Record) { r.Schema = "qd1.record/2" }},
		{"identifier", func(r *Record) { r.ID = "x" }},
		{"body cut off", func(r *Record) { r.Body = []byte(`{"a":`) }},
		{"body of two objects", func(r *Record) { r.Body = []byte(`{} {}`) }},
		{"year", func(r *Record) { r.Time = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }},
	}
	for _, tt := range tests {
		r, err := decode([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		tt.change(r)
		if data, err := encode(r); err == nil {
			t.Errorf("%s: encoded as %s", tt.name, data)
		}
	}
}

func TestNewID(t *testing.T) {
	at := start.In(time.FixedZone("", 9*3600))
	a, b := NewID(at), NewID(at)
	if a == b || !validID(a) || !strings.HasPrefix(a, "20260102T030405Z-") {
		t.Errorf("identifiers %s and %s", a, b)
	}
	if later := NewID(at.Add(time.Second)); later < a {
		t.Errorf("%s sorts before %s", later, a)
	}
}

func TestValidID(t *testing.T) {
	tests := []struct {
		id   string
		want bool
	}{
		{"20260102T030405Z-abc234", true},
		{"20240229T235959Z-zzzzzz", true},
		{"20260102T030405Z-ABC234", false},
		{"20260102T030405Z-abc019", false},
		{"20260102T030405Z-abc23", false},
		{"20260102T030405Z_abc234", false},
		{"20260230T030405Z-abc234", false},
		{"20260102T030405Z-abc23/", false},
		{"", false},
	}
	for _, tt := range tests {
		if got := validID(tt.id); got != tt.want {
			t.Errorf("validID(%q) = %t", tt.id, got)
		}
	}
}

func TestIDsIn(t *testing.T) {
	text := `T{"before":["20260102T030405Z-abc234","20260102T030406Z-abc234x"],"TTTTTTTTT":"20260102T030405Z-ab"}20260102T030405Z-`
	got := map[string]bool{}
	idsIn([]byte(text), got)
	want := map[string]bool{"20260102T030405Z-abc234": true, "20260102T030406Z-abc234": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzDecode reads anything. What it accepts is kept and read again as it is.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(line))
	f.Add([]byte(line[:90]))
	f.Add([]byte(`{"schema":"qd1.record/2"}`))
	f.Add([]byte(`{"time":{}}`)) // The time breaks off the decoding.
	f.Add([]byte("{\"schema\":\"qd1.record/1\",\"label\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decode(data)
		if err != nil {
			known := errors.Is(err, ErrDamaged) || errors.Is(err, ErrNotRecord) || errors.Is(err, ErrVersion)
			if r != nil || !known {
				t.Errorf("%v, %v", r, err)
			}
			return
		}
		first, err := encode(r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decode(first)
		if err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if second, err := encode(again); err != nil || string(second) != string(first) {
			t.Errorf("%s became %s, %v", first, second, err)
		}
		if h := header(first); h != nil && !inOrder(again, first) {
			t.Errorf("header %+v of %s", h, first)
		}
		checkKey(t, r.Subject)
	})
}
