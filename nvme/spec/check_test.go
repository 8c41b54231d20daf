package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheck(t *testing.T) {
	if faults := Check(toy()); faults != nil {
		t.Errorf("faults of a table that has none: %q", faults)
	}
	field := func(f Field) *Structure {
		f.Title = "T"
		return &Structure{Name: "S", Source: "none", Bytes: 4, Fields: []Field{{Name: "A", Title: "A", Len: 1}, f}}
	}
	bits := func(b ...Bits) *Structure { return field(Field{Name: "B", At: 1, Len: 1, Bits: b}) }
	tests := []struct {
		name string
		s    *Structure
		want []string
	}{
		{"overlap", field(Field{Name: "B", Len: 2}), []string{"S: B: byte 0 is also of A"}},
		{"outside", field(Field{Name: "B", At: 3, Len: 2}), []string{"S: B: bytes 4:3 lie outside 4 bytes"}},
		{"no name", field(Field{At: 1, Len: 1}), []string{"S: bytes 1: no name or no title"}},
		{"name twice", field(Field{Name: "a", At: 1, Len: 1}), []string{"S: the JSON key a stands twice", "S: the JSON key a_text stands twice", "S: the JSON key a_bits stands twice"}},
		{"long number", &Structure{Name: "S", Source: "none", Bytes: 17, Fields: []Field{{Name: "B", Title: "T", Len: 17}}}, []string{"S: B: 17 bytes are too many for a number"}},
		{"no source", &Structure{Name: "S"}, []string{"S: has no name or no source"}},
		{"bit outside", bits(Bits{Low: 8, Name: "X"}), []string{"S: B.X: bits 0:8 of 1 bytes"}},
		{"bits in the wrong order", bits(Bits{High: 1, Low: 2, Name: "X"}), []string{"S: B.X: bits 1:2 of 1 bytes"}},
		{"bits twice", bits(Bits{High: 2, Low: 0, Name: "X"}, Bits{Low: 1, Name: "Y"}), []string{"S: B.Y: bits 0:1 stand twice"}},
		{"bits without a name", bits(Bits{Low: 1}), []string{"S: B: bit 1 has no name"}},
		{"entry", &Structure{Name: "S", Source: "none", Lists: []List{{Name: "L", Title: "L", Entry: &Structure{Name: "E", Source: "none"}}}}, []string{"S: L: entries of no bytes"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Check(tt.s)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}
