package spec

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

// toy is a structure with all that a table can have.
func toy() *Structure {
	return &Structure{
		Name: "Toy", Title: "Toy data structure", Source: "none", Bytes: 32,
		Fields: []Field{
			{Name: "KIND", Title: "Kind", At: 0, Len: 1, Values: map[uint64]string{1: "short", 2: "long"}},
			{Name: "N", Title: "Number of Parts", At: 1, Len: 1},
			{Name: "CAP", Title: "Capabilities", At: 2, Len: 2, Kind: Flags, Bits: []Bits{
				{High: 2, Low: 1, Name: "MODE", Title: "Mode", Values: map[uint64]string{0: "off", 1: "slow", 2: "fast"}},
				{Low: 0, Name: "X", Title: "X Command"},
				{Low: 3, Name: "Y", Title: "Y Command", Values: Supported},
				{High: 7, Low: 4, Name: "SLOTS", Title: "Slots", Kind: ZeroBased},
			}},
			{Name: "SIZE", Title: "Size", At: 4, Len: 1, Kind: PowerOfTwo, Scale: 4096, Unit: "bytes", Zero: "no limit"},
			{Name: "LEFT", Title: "Left", At: 5, Len: 1, Kind: ZeroBased},
			{Name: "DEG", Title: "Degrees", At: 6, Len: 1, Kind: Signed},
			{Name: "TIME", Title: "Time", At: 7, Len: 1, Scale: 100, Unit: "ms", Zero: NotReported, Ones: "for ever"},
			{Name: "SN", Title: "Serial Number", At: 8, Len: 4, Kind: Text},
			{Name: "ID", Title: "Identifier", At: 12, Len: 4, Kind: Hex},
		},
		Lists: []List{{Name: "PART", Title: "Parts", At: 24, Count: CountAt(1, 1), Entry: &Structure{
			Name: "Part", Source: "none", Bytes: 2,
			Fields: []Field{{Name: "P", Title: "Part", Len: 2, Unit: "bytes"}},
		}}},
	}
}

// toyPage is a page of it.
func toyPage() []byte {
	b := make([]byte, 32)
	copy(b, []byte{2, 2, 0x2D, 0x80, 3, 9, 0xFE, 7, 'A', 'B', ' ', ' ', 0xDE, 0xAD, 0, 1, 0, 0, 0x5A, 0, 0x5B, 0, 0, 0, 1, 2, 3, 4, 5})
	return b
}

func TestDecode(t *testing.T) {
	v := decoded(t, toy(), toyPage())
	got := map[string]any{}
	for _, r := range v.Rows {
		if r.Reserved {
			continue
		}
		got[r.Field.Name] = r.value(LineOptions{})
	}
	want := map[string]any{
		"KIND": "2", "N": "2", "CAP": "0x802d", "SIZE": "32 768 bytes (32 KiB)", "LEFT": "10", "DEG": "-2", "TIME": "700 ms", "SN": "AB", "ID": "dead0001",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if l := v.Lists[0]; len(l.Entries) != 2 || l.Entries[1].Rows[0].Stored.Lo != 0x0403 || l.Entries[1].At != 26 {
		t.Errorf("list: %+v", l)
	}
	if cap := v.Rows[2]; cap.Unknown != 0x8000 || cap.Bits[3].Stored != 2 || cap.Bits[1].Stored != 1 {
		t.Errorf("CAP: unknown %#x, bits %+v", cap.Unknown, cap.Bits)
	}
}

func TestDecodeShort(t *testing.T) {
	_, err := toy().Decode(make([]byte, 31))
	if !errors.Is(err, nvme.ErrShort) || !strings.Contains(err.Error(), "31 bytes, want 32") {
		t.Errorf("error %v", err)
	}
}

// TestDecodeKeepsItsBytes holds that a value does not change with the buffer.
func TestDecodeKeepsItsBytes(t *testing.T) {
	b := toyPage()
	v := decoded(t, toy(), b)
	clear(b)
	if v.Rows[0].Raw[0] != 2 {
		t.Error("the value changed with the buffer")
	}
}

func TestReserved(t *testing.T) {
	var got []int
	for _, r := range decoded(t, toy(), toyPage()).Rows {
		if r.Reserved {
			got = append(got, r.Field.At, r.Field.Len)
		}
	}
	if diff := cmp.Diff([]int{18, 3, 28, 1}, got); diff != "" {
		t.Errorf("reserved bytes: first and length (-want +got):\n%s", diff)
	}
}

// entries is a list of structures of different lengths: type, length, value.
func entries(count func([]byte) int) *Structure {
	entry := &Structure{
		Name: "Entry", Source: "none", Bytes: 2,
		Fields:  []Field{{Name: "TYPE", Title: "Type", Len: 1}, {Name: "LEN", Title: "Length", At: 1, Len: 1}},
		Variant: func(b []byte) *Structure { return map[byte]*Structure{1: number16()}[b[0]] },
	}
	return &Structure{Name: "Entries", Source: "none", Lists: []List{{
		Name: "ENTRY", Title: "Entries", Entry: entry, Count: count,
		Size:  func(rest []byte) int { return 2 + int(rest[1]) },
		Until: func(e []byte) bool { return e[0] == 0 },
	}}}
}

func number16() *Structure {
	return &Structure{Name: "Number", Source: "none", Bytes: 2, Fields: []Field{{Name: "V", Title: "Value", Len: 2}}}
}

func TestVariableEntries(t *testing.T) {
	b := []byte{1, 2, 0x34, 0x12, 9, 3, 7, 0, 8, 1, 1, 5, 0, 0, 0}
	v := decoded(t, entries(nil), b)
	l := v.Lists[0]
	if len(l.Entries) != 3 {
		t.Fatalf("%d entries, want 3", len(l.Entries))
	}
	if rest := l.Entries[0].Rest; rest == nil || rest.Rows[0].Stored.Lo != 0x1234 || rest.At != 2 {
		t.Errorf("first entry: %+v", rest)
	}
	if e := l.Entries[1]; e.Rest != nil || !e.Rows[2].Reserved || len(e.Rows[2].Raw) != 3 {
		t.Errorf("an entry of an unknown type: %+v", e.Rows)
	}
	if e := l.Entries[2]; e.Rest != nil || !e.Rows[2].Reserved {
		t.Errorf("an entry too short for its type: %+v", e.Rows)
	}
	checkLossless(t, entries(nil), b)
}

// TestEntriesBeyondThePage gives lists pages that are too short for them.
func TestEntriesBeyondThePage(t *testing.T) {
	tests := []struct {
		name  string
		b     []byte
		count func([]byte) int
		want  int
	}{
		{"cut entry", []byte{1, 2, 3, 4, 9, 9, 1}, nil, 1},
		{"cut header", []byte{1, 2, 3, 4, 9}, nil, 1},
		{"more than there are", []byte{1, 0, 2, 0}, func([]byte) int { return 1 << 30 }, 2},
		{"negative", []byte{1, 0}, func([]byte) int { return -5 }, 0},
		{"empty", nil, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := len(decoded(t, entries(tt.count), tt.b).Lists[0].Entries); got != tt.want {
				t.Errorf("%d entries, want %d", got, tt.want)
			}
			checkLossless(t, entries(tt.count), tt.b)
		})
	}
}

func TestSkip(t *testing.T) {
	s := toy()
	s.Lists[0].Count, s.Lists[0].Skip = nil, ZeroEntry
	l := decoded(t, s, append(toyPage()[:24], 1, 0, 0, 0, 2, 0, 0, 0)).Lists[0]
	if len(l.Entries) != 2 || l.Entries[1].Index != 2 || l.Read != 4 || l.Entries[1].Label != "PART 2" {
		t.Errorf("entries %+v of %d", l.Entries, l.Read)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(toyPage())
	f.Add([]byte{1, 2, 0x34, 0x12, 9, 3, 7, 0, 8})
	f.Add(make([]byte, 64))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, s := range []*Structure{toy(), entries(nil), entries(CountAt(0, 1))} {
			checkAnything(t, s, b)
		}
	})
}

// checkAnything holds what is true of any bytes: an error for a short page, and
// otherwise a value that has lost nothing, with JSON and text.
func checkAnything(t *testing.T, s *Structure, b []byte) {
	t.Helper()
	v, err := s.Decode(b)
	if err != nil {
		if len(b) >= s.Bytes {
			t.Errorf("%s: %v for %d bytes", s.Name, err, len(b))
		}
		return
	}
	jsonObject(t, v)
	for _, full := range []bool{false, true} {
		if v.Lines(LineOptions{Full: full, Vendor: full}) == nil && len(v.Rows) > 0 {
			t.Errorf("%s: no lines", s.Name)
		}
	}
	checkLossless(t, s, b)
}
