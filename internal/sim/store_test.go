package sim

import (
	"bytes"
	"testing"
)

// TestGenerateAnywhere checks that a block's data do not depend on where a read
// of it begins or ends.
func TestGenerateAnywhere(t *testing.T) {
	s := newStore(1<<20, 5)
	whole := make([]byte, 256)
	s.generate(whole, 4096)
	for first := range 20 {
		for _, length := range []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 100} {
			got := make([]byte, length)
			s.generate(got, int64(4096+first))
			if !bytes.Equal(got, whole[first:first+length]) {
				t.Errorf("%d bytes from %d differ", length, first)
			}
		}
	}
}

// TestGenerateDiffers checks that no two words of a stretch are alike, so that a
// block in the wrong place is found.
func TestGenerateDiffers(t *testing.T) {
	s := newStore(1<<40, 0)
	seen := map[[8]byte]int64{}
	for _, start := range []int64{0, 960_197_124_096 - 1<<16} {
		data := make([]byte, 1<<16)
		s.generate(data, start)
		for i := 0; i < len(data); i += 8 {
			at := start + int64(i)
			word := [8]byte(data[i:])
			if other, ok := seen[word]; ok {
				t.Fatalf("the words at %d and %d are alike", other, at)
			}
			seen[word] = at
		}
	}
}

func TestStoreLimit(t *testing.T) {
	s := newStore(1<<30, 0)
	if got := s.room.left.Load() * pageBytes; got != MaxWrittenBytes {
		t.Errorf("limit of %d bytes, want %d", got, MaxWrittenBytes)
	}
	s.room.left.Store(3)
	before := make([]byte, 16384)
	s.readAt(before, 0)
	// Four pages do not fit, and then nothing of them is kept.
	if err := s.writeAt(make([]byte, 4096*3+1), 4000); err == nil {
		t.Error("a write over the limit succeeded")
	}
	after := make([]byte, 16384)
	s.readAt(after, 0)
	if !bytes.Equal(before, after) || len(s.pages) != 0 {
		t.Error("a refused write changed data")
	}
	if err := s.writeAt(nil, 0); err != nil || len(s.pages) != 0 {
		t.Errorf("an empty write: %v, %d pages", err, len(s.pages))
	}
}
