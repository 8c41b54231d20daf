package scratch

import (
	"bytes"
	"compress/flate"
	"testing"
)

func TestContentIsUnique(t *testing.T) {
	const size = 4 * mib
	b := make([]byte, size)
	content(b, 1, 0)
	seen := map[[8]byte]bool{}
	for i := 0; i < size; i += 8 {
		word := [8]byte(b[i:])
		if seen[word] {
			t.Fatalf("8 bytes at %d were there before", i)
		}
		seen[word] = true
	}
}

func TestContentIsThatOfItsPlace(t *testing.T) {
	whole, part := make([]byte, 8192), make([]byte, 4096)
	content(whole, 7, 1<<40)
	content(part, 7, 1<<40+4096)
	if !bytes.Equal(whole[4096:], part) {
		t.Error("the second half is different when it is made alone")
	}
	content(part, 8, 1<<40+4096)
	if bytes.Equal(whole[4096:], part) {
		t.Error("another seed gives the same")
	}
}

func TestContentIsIncompressible(t *testing.T) {
	b := make([]byte, mib)
	content(b, 3, 0)
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(b)
	w.Close()
	if packed.Len() < len(b) {
		t.Errorf("%d bytes are packed into %d", len(b), packed.Len())
	}
	counts := [256]int{}
	for _, v := range b {
		counts[v]++
	}
	for v, n := range counts {
		if n < 3700 || n > 4500 {
			t.Errorf("byte %02xh is there %d times, want about 4096", v, n)
		}
	}
}

func BenchmarkContent(b *testing.B) {
	buffer := make([]byte, fillBlock)
	b.SetBytes(fillBlock)
	for i := range b.N {
		content(buffer, 1, int64(i)*fillBlock)
	}
}
