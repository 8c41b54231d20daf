package proof

import (
	"encoding/binary"
	"math/big"
	"testing"
)

// slowNH is the definition of NH in whole numbers.
func slowNH(key []uint64, b []byte) (high, low uint64) {
	word := new(big.Int).Lsh(big.NewInt(1), 64)
	sum := new(big.Int)
	for i := 0; i < len(b)/8; i += 2 {
		x := new(big.Int).SetUint64(binary.LittleEndian.Uint64(b[8*i:]))
		y := new(big.Int).SetUint64(binary.LittleEndian.Uint64(b[8*i+8:]))
		x.Mod(x.Add(x, new(big.Int).SetUint64(key[i])), word)
		y.Mod(y.Add(y, new(big.Int).SetUint64(key[i+1])), word)
		sum.Add(sum, x.Mul(x, y))
	}
	sum.Mod(sum, new(big.Int).Mul(word, word))
	h, l := new(big.Int).DivMod(sum, word, new(big.Int))
	return h.Uint64(), l.Uint64()
}

func TestNH(t *testing.T) {
	key := make([]uint64, 512)
	for i := range key {
		key[i] = mix(9, uint64(i))
	}
	for _, b := range [][]byte{make([]byte, 512), randomBlock(1, 512), randomBlock(2, 4096), randomBlock(3, 32)} {
		gotHigh, gotLow := nh(key, b)
		if wantHigh, wantLow := slowNH(key, b); gotHigh != wantHigh || gotLow != wantLow {
			t.Errorf("%d bytes: got %x %x, want %x %x", len(b), gotHigh, gotLow, wantHigh, wantLow)
		}
	}
}

func TestTags(t *testing.T) {
	var one, two [keyBytes]byte
	two[31] = 1
	b := randomBlock(1, 4096)
	h := newHasher(&one, 4096)
	want := h.sum(b)
	if again := newHasher(&one, 4096).sum(b); again != want {
		t.Errorf("the same key and block give %x and %x", want, again)
	}
	if other := newHasher(&two, 4096).sum(b); other == want {
		t.Error("another key gives the same tag")
	}
	seen := map[tag]int{want: -1}
	for i := range b {
		b[i] ^= 1 << (i % 8)
		got := h.sum(b)
		if k, ok := seen[got]; ok {
			t.Errorf("a change of byte %d gives the tag of %d", i, k)
		}
		seen[got] = i
		b[i] ^= 1 << (i % 8)
	}
}

// TestTagsLookRandom counts the ones in each bit of the tags of blocks that
// differ in a counter only.
func TestTagsLookRandom(t *testing.T) {
	h := newHasher(&[keyBytes]byte{1, 2, 3}, 512)
	const n = 4000
	var ones [128]int
	b := make([]byte, 512)
	for i := range n {
		binary.LittleEndian.PutUint64(b[40:], uint64(i))
		for k, v := range h.sum(b) {
			for bit := range 8 {
				ones[8*k+bit] += int(v >> bit & 1)
			}
		}
	}
	for bit, got := range ones {
		if got < n/2-190 || got > n/2+190 { // Six standard deviations.
			t.Errorf("bit %d is one in %d of %d tags", bit, got, n)
		}
	}
}

func TestHasherIsDestroyed(t *testing.T) {
	h := newHasher(&[keyBytes]byte{1}, 512)
	h.destroy()
	for i, w := range h.words {
		if w != 0 {
			t.Fatalf("word %d of the key is still there", i)
		}
	}
}

func BenchmarkTag(b *testing.B) {
	h := newHasher(&[keyBytes]byte{1}, 4096)
	block := randomBlock(1, 4096)
	b.SetBytes(4096)
	for b.Loop() {
		h.sum(block)
	}
}

func BenchmarkClassify(b *testing.B) {
	block := randomBlock(1, 4096)
	b.SetBytes(4096)
	for b.Loop() {
		classify(block)
	}
}
