package proof

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"qd1.example/qd1/bench"
)

// sampled returns a medium of 20 000 blocks with data in each fourth, and what
// 5000 samples see of it.
func sampled(t *testing.T) (*model, *Before) {
	t.Helper()
	m := newModel(20000, mixed(4))
	return m, sampleOf(t, m, Options{Samples: 5000, Seed: 3})
}

func sampleOf(t *testing.T, m *model, o Options) *Before {
	t.Helper()
	b, err := Sample(t.Context(), m.medium(), o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func stored(t *testing.T, b *Before) []byte {
	t.Helper()
	data, err := b.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSample(t *testing.T) {
	_, b := sampled(t)
	if b.places.whole || b.places.count() != 5000+512 {
		t.Fatalf("whole %t, %d places", b.places.whole, b.places.count())
	}
	if n := b.Informative(); n < 1100 || n > 1400 {
		t.Errorf("%d informative samples, want a quarter of 5000", n)
	}
	c := b.Classes()
	if c.Total() != 5512 || c.Unread != 0 || c.LowEntropy == 0 || c.HighEntropy == 0 || c.Zeroes < 3000 {
		t.Errorf("classes %+v", c)
	}
	for i, class := range b.classes {
		block := b.places.offset(int64(i)) / 4096
		if want := block%4 == 0; class.Informative() != want {
			t.Fatalf("block %d is %v", block, class)
		}
	}
}

func TestSampleSeesOnlyWhatIsThere(t *testing.T) {
	m := newModel(20000, mixed(1))
	m.bad = func(i int64) bool { return i >= 100 && i < 200 }
	b := sampleOf(t, m, Options{Samples: 5000, Seed: 3})
	if got := b.Classes().Unread; got < 100 || got > 150 {
		t.Errorf("%d places unread, want the 100 structured ones and some samples", got)
	}
}

func TestSampleEndsWithTheDrive(t *testing.T) {
	gone := Medium{Name: "x", Bytes: 1 << 20, Engine: bench.NewReaderAt("x", readerFunc(func() error { return syscall.ENODEV }))}
	if _, err := Sample(t.Context(), gone, Options{}); !errors.Is(err, bench.ErrGone) {
		t.Errorf("got %v, want a drive that is gone", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	slow := Medium{Name: "x", Bytes: 1 << 30, Engine: bench.NewReaderAt("x", newModel(1<<18, noise(1)))}
	if _, err := Sample(ctx, slow, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
	if _, err := Sample(t.Context(), Medium{Bytes: 1}, Options{}); err == nil {
		t.Error("a medium of one byte: no error")
	}
}

// readerFunc fails every read.
type readerFunc func() error

func (f readerFunc) ReadAt([]byte, int64) (int, error) { return 0, f() }

func TestBeforeIsKept(t *testing.T) {
	_, b := sampled(t)
	b.Planted(&Canaries{Seed: 1, Count: 64, Bytes: b.places.bytes, BlockBytes: 4096})
	data := stored(t, b)
	if limit := 20 * len(b.classes); len(data) > limit {
		t.Errorf("%d bytes for %d places, want less than 20 each", len(data), len(b.classes))
	}
	var got Before
	if err := got.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	for i, c := range b.classes { // Tags of blocks that tell nothing are not kept.
		if !c.Informative() {
			b.tags[i] = tag{}
		}
	}
	if diff := cmp.Diff(b, &got, cmp.AllowUnexported(Before{}, places{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBeforeHasNoUserData(t *testing.T) {
	m, b := sampled(t)
	data := stored(t, b)
	block := make([]byte, 4096)
	for i := int64(4); i < 256; i += 8 { // Structured places of high entropy.
		m.content(i, block)
		for k := 0; k < len(block); k += 8 {
			if bytes.Contains(data, block[k:k+8]) {
				t.Fatalf("8 bytes of block %d are in what is kept", i)
			}
		}
	}
}

func TestBeforeIsDestroyed(t *testing.T) {
	_, b := sampled(t)
	b.Destroy()
	if b.key != [keyBytes]byte{} || b.Informative() != 0 || slices.ContainsFunc(b.tags, func(t tag) bool { return t != tag{} }) {
		t.Error("key, classes or tags are still there")
	}
}

func TestDamagedBefore(t *testing.T) {
	b := sampleOf(t, newModel(100, mixed(2)), Options{})
	data := stored(t, b)
	for i := range data {
		damaged := slices.Clone(data)
		damaged[i] ^= 0x10
		if err := new(Before).UnmarshalBinary(damaged); !errors.Is(err, ErrFormat) {
			t.Fatalf("byte %d of %d is wrong: %v, want %v", i, len(data), err, ErrFormat)
		}
		if err := new(Before).UnmarshalBinary(data[:i]); !errors.Is(err, ErrFormat) {
			t.Fatalf("the first %d bytes of %d: %v, want %v", i, len(data), err, ErrFormat)
		}
	}
}

// sealed returns a body with the right checksum.
func sealed(body []byte) []byte {
	sum := sha256.Sum256(body)
	return append(slices.Clone(body), sum[:]...)
}

func TestImpossibleBefore(t *testing.T) {
	b := sampleOf(t, newModel(4096, mixed(2)), Options{Samples: 1000})
	data := stored(t, b)
	body := data[:len(data)-sha256.Size]
	at := func(off int, v uint64, n int) []byte {
		c := slices.Clone(body)
		for i := range n {
			c[off+i] = byte(v >> (8 * i))
		}
		return c
	}
	first := headerBytes + len("namespace 1")
	for name, c := range map[string][]byte{
		"version":               at(8, 2, 1),
		"flags":                 at(9, 2, 1),
		"whole with samples":    at(9, 1, 1),
		"long name":             at(10, 0xFFFF, 2),
		"no logical block":      at(12, 0, 4),
		"odd samples":           at(16, 1000, 4),
		"large samples":         at(16, 1<<20, 4),
		"many structured":       at(20, 0xFFFFFFFF, 4),
		"more structured":       at(20, 600, 4),
		"small medium":          at(24, 100, 8),
		"negative medium":       at(24, 1<<63, 8),
		"many samples":          at(32, 1<<40, 8),
		"negative samples":      at(32, 1<<63, 8),
		"place beyond the end":  at(first, 1<<40, 8),
		"places out of order":   at(first+8, 0, 8),
		"class":                 at(first+8*len(b.places.structured), 77, 1),
		"too long":              append(slices.Clone(body), 0),
		"too short":             body[:len(body)-1],
		"informative, no space": at(first+8*len(b.places.structured)+slices.Index(b.classes, Zeroes), uint64(LowEntropy), 1),
	} {
		if err := new(Before).UnmarshalBinary(sealed(c)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v, want %v", name, err, ErrFormat)
		}
	}
	if err := new(Before).UnmarshalBinary(sealed(body)); err != nil {
		t.Errorf("what was stored: %v", err)
	}
	b.name = string(make([]byte, 1<<16))
	if _, err := b.MarshalBinary(); err == nil {
		t.Error("a name of 64 KiB: no error")
	}
}

// FuzzBefore decodes data to which the right checksum is added. What is decoded
// must be stored as it was.
func FuzzBefore(f *testing.F) {
	for _, blocks := range []int64{1, 100} {
		b, err := Sample(f.Context(), newModel(blocks, mixed(2)).medium(), Options{Samples: 10, Seed: 1})
		if err != nil {
			f.Fatal(err)
		}
		data, err := b.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:len(data)-sha256.Size])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var b Before
		if err := b.UnmarshalBinary(sealed(body)); err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("error %v does not wrap %v", err, ErrFormat)
			}
			return
		}
		b.Informative()
		for i := range b.places.count() {
			if off := b.places.offset(i); off < 0 || off > b.places.bytes-int64(b.places.block) {
				t.Fatalf("place %d at %d of %d bytes", i, off, b.places.bytes)
			}
		}
		again, err := b.MarshalBinary()
		if err != nil || !bytes.Equal(again, sealed(body)) {
			t.Fatalf("stored in another form: %v", err)
		}
	})
}

func FuzzKept(f *testing.F) {
	m := newModel(100, mixed(2))
	k, err := Prepare(f.Context(), []Medium{m.medium()}, Options{Samples: 10, Seed: 1})
	if err != nil {
		f.Fatal(err)
	}
	data, err := k.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[:len(data)-sha256.Size])
	f.Fuzz(func(t *testing.T, body []byte) {
		var k Kept
		if err := k.UnmarshalBinary(sealed(body)); err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("error %v does not wrap %v", err, ErrFormat)
			}
			return
		}
		for _, m := range k.Media {
			if c := m.Canaries; c != nil {
				if off := c.offset(c.Count - 1); off < 0 || off > c.Bytes-int64(c.BlockBytes) {
					t.Fatalf("canary at %d of %d bytes", off, c.Bytes)
				}
			}
		}
	})
}

func TestKeptIsKept(t *testing.T) {
	k, err := Prepare(t.Context(), []Medium{newModel(100, mixed(2)).medium()}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := k.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		damaged := slices.Clone(data)
		damaged[i] ^= 1
		if err := new(Kept).UnmarshalBinary(damaged); !errors.Is(err, ErrFormat) {
			t.Fatalf("byte %d is wrong: %v", i, err)
		}
	}
	var got Kept
	if err := got.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(k.Media[0].Canaries, got.Media[0].Canaries); diff != "" || got.Media[0].Name != "namespace 1" || got.Media[0].Before.key != k.Media[0].Before.key {
		t.Errorf("got %+v\n%s", got.Media[0], diff)
	}
	k.Destroy()
	if k.Media[0].Before.key != [keyBytes]byte{} {
		t.Error("the key is still there")
	}
	body := data[:len(data)-sha256.Size]
	long := slices.Clone(body)
	binary.LittleEndian.PutUint32(long[9:], 1<<31)
	for name, c := range map[string][]byte{"long list": long, "too long": append(slices.Clone(body), 1), "too short": body[:len(body)-1]} {
		if err := new(Kept).UnmarshalBinary(sealed(c)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v, want %v", name, err, ErrFormat)
		}
	}
}
