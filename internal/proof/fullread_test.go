package proof

import (
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
)

func TestFullRead(t *testing.T) {
	some := func(n int64, data func(int64, []byte)) func(int64, []byte) {
		return func(i int64, p []byte) {
			if clear(p); i < n {
				data(i, p)
			}
		}
	}
	ones := func(_ int64, p []byte) {
		for i := range p {
			p[i] = 0xFF
		}
	}
	unknown, constant, scrambled := erased{}, erased{known: true}, erased{known: true, scrambled: true}
	for _, tt := range []struct {
		name    string
		content func(int64, []byte)
		bad     func(int64) bool
		known   erased
		want    Verdict
		text    string
	}{
		{"zeroes", zeroes, nil, unknown, Pass, "all 10 000 blocks are constant: zeroes 10 000, ones 0, other 0"},
		{"ones", ones, nil, constant, Pass, "ones 10 000"},
		{"noise", noise(1), nil, unknown, Inconclusive, "10 000 of 10 000 blocks are not constant (10 000 of high entropy)"},
		{"noise of a changed key", noise(1), nil, scrambled, Inconclusive, "the comparison can"},
		{"text", text, nil, constant, Inconclusive, "not constant (0 of high entropy)"},
		{"one region of text", some(256, text), nil, unknown, Fail, "9 744 of 10 000 blocks are constant and the other 256 hold data, one of them at byte "},
		{"one region of noise", some(256, noise(1)), nil, constant, Fail, "the other 256 hold data"},
		{"one region of noise, how erased blocks read is not known", some(256, noise(1)), nil, unknown, Inconclusive, "256 of 10 000 blocks are not constant"},
		{"one region of noise, a changed key", some(256, noise(1)), nil, scrambled, Inconclusive, "256 of 10 000 blocks are not constant"},
		{"bad blocks", zeroes, func(i int64) bool { return i/5 == 3 || i == 9999 }, constant, Inconclusive, "6 of 10 000 blocks could not be read"},
		{"bad blocks and text", some(10, text), func(i int64) bool { return i == 9999 }, constant, Fail, "the other 10 hold data"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := newModel(10000, tt.content)
			if tt.bad != nil {
				m.bad = tt.bad
			}
			f, err := readAll(t.Context(), m.medium(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			f.judge(tt.known)
			if f.Verdict != tt.want || !strings.Contains(f.Text, tt.text) {
				t.Errorf("got %s: %s\nwant %s: %s", f.Verdict, f.Text, tt.want, tt.text)
			}
			var sum Classes
			for i := range f.Map {
				sum.merge(&f.Map[i])
			}
			if sum != f.Classes || sum.Total() != 10000 || len(f.Map) != mapParts {
				t.Errorf("the map has %+v, want %+v", sum, f.Classes)
			}
		})
	}
}

func TestFullReadTellsWhere(t *testing.T) {
	m := newModel(640, func(i int64, p []byte) {
		if clear(p); i == 321 {
			text(i, p)
		}
	})
	m.bytes += 512 // A rest behind the last whole block.
	m.bad = func(i int64) bool { return i >= 10 && i < 13 || i == 20 }
	f, err := ReadAll(t.Context(), m.medium(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Range{{10 * 4096, 3 * 4096}, {20 * 4096, 4096}}
	if diff := cmp.Diff(want, f.Unreadable); diff != "" {
		t.Errorf("unreadable (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{321 * 4096}, f.NotConstant); diff != "" {
		t.Errorf("not constant (-want +got):\n%s", diff)
	}
	if f.Map[32].LowEntropy != 1 || f.Map[1].Unread != 3 || f.Classes.Total() != 641 || f.Verdict != Fail {
		t.Errorf("map %+v, classes %+v, %s", f.Map, f.Classes, f.Verdict)
	}
}

func TestFullReadOfDeadMedium(t *testing.T) {
	m := newModel(1<<18, zeroes)
	m.bad = func(i int64) bool { return i >= 1000 }
	f, err := ReadAll(t.Context(), m.medium(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Verdict != Inconclusive || f.Classes.Unread < 1<<18-1000 || len(f.Unreadable) == 0 || f.Classes.Total() != 1<<18 {
		t.Errorf("%s, %+v, %v", f.Verdict, f.Classes, f.Unreadable)
	}
	gone := Medium{Name: "x", Bytes: 1 << 20, Engine: bench.NewReaderAt("x", readerFunc(func() error { return syscall.ENODEV }))}
	if _, err := ReadAll(t.Context(), gone, Options{}); err == nil {
		t.Error("a drive that is gone: no error")
	}
	if _, err := ReadAll(t.Context(), Medium{Bytes: 100}, Options{}); err == nil {
		t.Error("a medium of 100 bytes: no error")
	}
}
