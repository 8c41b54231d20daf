package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/nvme"
)

func TestFlags(t *testing.T) {
	want := []Bits{{Low: 0, Name: "A", Title: "a thing"}, {Low: 2, Name: "C"}}
	if diff := cmp.Diff(want, flags("A a thing", "", "C")); diff != "" {
		t.Errorf("bits (-want +got):\n%s", diff)
	}
}

func TestCountAt(t *testing.T) {
	b := []byte{0, 7, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}
	tests := []struct{ at, n, want int }{{1, 1, 7}, {1, 2, 263}, {7, 2, 0}, {3, 5, 1<<31 - 1}}
	for _, tt := range tests {
		if got := CountAt(tt.at, tt.n)(b); got != tt.want {
			t.Errorf("%d bytes at %d: %d, want %d", tt.n, tt.at, got, tt.want)
		}
	}
	if got := u(b, 1, 2); got != 263 {
		t.Errorf("number %d, want 263", got)
	}
	if got := u(b, 7, 2); got != 0 {
		t.Errorf("number beyond the end %d, want 0", got)
	}
}

func TestNeed(t *testing.T) {
	n := NeedNSID | NeedCSI
	if !n.Has(NeedCSI) || n.Has(NeedCNTID) || n.Has(NeedCSI|NeedCNTID) {
		t.Errorf("parameters %b", n)
	}
}

func TestWhen(t *testing.T) {
	old := When(func(id *nvme.IdentifyController) (bool, string) { return id.Version.AtLeast(1, 3), "too old" })
	for _, tt := range []struct {
		when    When
		version nvme.Version
		want    bool
	}{{nil, 0, true}, {old, 0x10300, true}, {old, 0x10200, false}} {
		if ok, why := tt.when.Listed(&nvme.IdentifyController{Version: tt.version}); ok != tt.want || ok != (why == "" || why == "too old" && ok) {
			t.Errorf("version %#x: %t, %q", tt.version, ok, why)
		}
	}
}
