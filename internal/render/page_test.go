package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
)

// written is what a page has after write, as lines.
func written(t *testing.T, width int, write func(*page)) string {
	t.Helper()
	p := &page{style: Style{Width: width}}
	write(p)
	return p.b.String()
}

func TestHeading(t *testing.T) {
	long := strings.Repeat("x", 45)
	for _, test := range []struct {
		pieces []piece
		want   string
	}{
		{[]piece{{Bad, "RETURN"}, {Strong, "drive"}}, "RETURN  drive\n"},
		{[]piece{{Bad, "RETURN"}, {Plain, ""}, {Strong, "drive"}}, "RETURN  drive\n"},
		{[]piece{{Bad, "RETURN"}, {Strong, "a drive of thirty-one letters xx"}}, "RETURN  a drive of thirty-one letters xx\n"},
		{[]piece{{Bad, "RETURN"}, {Strong, "a drive of thirty-two letters xxx"}, {Plain, "y"}}, "RETURN\n  a drive of thirty-two letters xxx  y\n"},
		{[]piece{{Strong, long}}, long[:38] + "\n  " + long[38:] + "\n"},
	} {
		if got := written(t, 40, func(p *page) { p.heading(test.pieces...) }); got != test.want {
			t.Errorf("%v: got %q, want %q", test.pieces, got, test.want)
		}
	}
}

func TestLabelled(t *testing.T) {
	for _, test := range []struct{ label, text, want string }{
		{"why", "", ""},
		{"why", "because", "  why      because\n"},
		{"why", "it has been read many many times", "  why      it has been read many many\n           times\n"},
	} {
		if got := written(t, 40, func(p *page) { p.labelled(Plain, test.label, test.text) }); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}

func TestTable(t *testing.T) {
	got := written(t, 40, func(p *page) {
		p.table([]pair{{"a", "1"}, {"a label without a value", ""}, {"long", "words that do not fit into one line of it"}})
	})
	want := "  a     1\n  long  words that do not fit into one\n        line of it\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := written(t, 40, func(p *page) { p.table(nil) }); got != "" {
		t.Errorf("an empty table is %q", got)
	}
}

func TestColumns(t *testing.T) {
	got := written(t, 40, func(p *page) {
		p.columns([]pair{{"a", "1"}, {"bb", "22"}, {"ccc", "333333"}, {"d", "4"}})
	})
	want := "  a 1         bb 22       ccc 333333\n  d 4\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := written(t, 40, func(p *page) { p.columns(nil) }); got != "" {
		t.Errorf("no columns are %q", got)
	}
}

func TestSection(t *testing.T) {
	value := 1
	for _, test := range []struct {
		s    report.Section[int]
		want string
		data bool
	}{
		{report.Section[int]{Data: &value}, "\nTitle\n", true},
		{report.Section[int]{}, "\nTitle\n  nothing\n", false},
		{report.Section[int]{Problem: &report.Problem{Text: "gone"}}, "\nTitle\n  not read gone\n", false},
		{report.Section[int]{Problem: &report.Problem{Text: "gone", Hint: "look"}}, "\nTitle\n  not read gone\n  hint     look\n", false},
	} {
		var data bool
		got := written(t, 40, func(p *page) { data = section(p, "Title", &test.s, "nothing") })
		if got != test.want || data != test.data {
			t.Errorf("got %q, data %v; want %q", got, data, test.want)
		}
	}
}

// Where room is short the lines that the reader can best do without go first,
// and what always stays does stay.
func TestFoldDropsTheSpare(t *testing.T) {
	entries := func(n, spare int) []entry {
		var list []entry
		for range n {
			list = append(list, entry{Plain, "l", strings.Repeat("x", spare+1), spare})
		}
		return list
	}
	for _, test := range []struct {
		all  []entry
		want int
		gone int
	}{
		{append(entries(20, 0), entries(5, 5)...), 25, -1},
		{append(entries(20, 0), entries(6, 5)...), 20, 5},
		{append(append(entries(20, 0), entries(5, 1)...), entries(1, 2)...), 25, 2},
		{append(append(entries(20, 0), entries(6, 1)...), entries(1, 2)...), 20, 1},
		{entries(30, 0), 30, -1},
	} {
		got := written(t, 100, func(p *page) { p.fold(test.all) })
		if n := strings.Count(got, "\n"); n != test.want {
			t.Errorf("%d lines, want %d", n, test.want)
		}
		if test.gone >= 0 && strings.Contains(got, " "+strings.Repeat("x", test.gone+1)+"\n") {
			t.Errorf("lines of spare %d are still there:\n%s", test.gone, got)
		}
	}
}

// TestFields holds that fields has the keys of the JSON of a structure, in its
// order, and its values.
func TestFields(t *testing.T) {
	for _, v := range []any{&nvme.IdentifyController{VID: 0x8086, MDTS: 5, IEEE: nvme.OUI{0xE4, 0xD2, 0x5C}}, &nvme.IdentifyNamespace{NSZE: 1 << 63}} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var values map[string]json.RawMessage
		if err := json.Unmarshal(b, &values); err != nil {
			t.Fatal(err)
		}
		at := -1
		for _, p := range fields(v) {
			i := bytes.Index(b, []byte(`"`+p.label+`":`))
			if want := fieldText(p.label, string(values[p.label])); i < at || p.value != want {
				t.Errorf("%T: %s at %d: got %q, want %q", v, p.label, i, p.value, want)
			}
			at = i
			delete(values, p.label)
		}
		if len(values) > 0 {
			t.Errorf("%T: no fields %v", v, values)
		}
	}
	if got := fields((*nvme.IdentifyNamespace)(nil)); got != nil {
		t.Errorf("nil: got %v", got)
	}
	if got := fields(&nvme.IdentifyNamespace{}, "nsze"); len(got) == 0 || got[0].label != "ncap" {
		t.Errorf("without nsze: got %v", got)
	}
}
