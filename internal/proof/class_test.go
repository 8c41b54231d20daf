package proof

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestClassify(t *testing.T) {
	half := make([]byte, 4096)
	copy(half, randomBlock(1, 2048))
	one := make([]byte, 4096)
	one[4095] = 1
	table := make([]byte, 4096)
	for i := 0; i < len(table); i += 16 {
		binary.LittleEndian.PutUint64(table[i:], uint64(i)*7919)
	}
	for _, tt := range []struct {
		name string
		data []byte
		want Class
	}{
		{"zeroes", make([]byte, 4096), Zeroes},
		{"ones", bytes.Repeat([]byte{0xFF}, 512), Ones},
		{"AAh", bytes.Repeat([]byte{0xAA}, 4096), Constant},
		{"a word of 32 bits", bytes.Repeat([]byte{0xDE, 0xAD, 0xBE, 0xEF}, 1024), Constant},
		{"one byte differs", one, LowEntropy},
		{"eight bytes repeated", bytes.Repeat([]byte("secret! "), 512), LowEntropy},
		{"text", []byte(strings.Repeat("The quick brown fox jumps over the lazy dog. 0123456789\n", 80)[:4096]), LowEntropy},
		{"table", table, LowEntropy},
		{"half full", half, LowEntropy},
		{"random", randomBlock(2, 4096), HighEntropy},
		{"random, 512 bytes", randomBlock(3, 512), HighEntropy},
		{"random, 520 bytes", randomBlock(4, 520), HighEntropy},
	} {
		if got := classify(tt.data); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// randomBlock returns n bytes that depend on seed.
func randomBlock(seed uint64, n int) []byte {
	b := make([]byte, n)
	fill := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16), 1})
	fill.Read(b)
	return b
}

func TestRandomIsHighEntropy(t *testing.T) {
	for i := range uint64(2000) {
		if got := classify(randomBlock(i, 4096)); got != HighEntropy {
			t.Fatalf("random block %d is %v", i, got)
		}
	}
}

func TestClasses(t *testing.T) {
	var s Classes
	for i, c := range []Class{Unread, Zeroes, Ones, Constant, LowEntropy, HighEntropy} {
		s.add(c, int64(1)<<i)
		if want := c == LowEntropy || c == HighEntropy; c.Informative() != want {
			t.Errorf("%v is informative: %t, want %t", c, c.Informative(), want)
		}
		if c.String() == "" {
			t.Errorf("class %d has no name", c)
		}
	}
	want := Classes{Unread: 1, Zeroes: 2, Ones: 4, Constant: 8, LowEntropy: 16, HighEntropy: 32}
	if s != want || s.Total() != 63 {
		t.Errorf("got %+v, total %d", s, s.Total())
	}
}
