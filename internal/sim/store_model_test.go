package sim

import (
	"bytes"
	"testing"
)

// storeModel is what a store should be: plain bytes, and those that only a
// volatile cache has.
type storeModel struct {
	data, safe []byte
	bad        map[int]bool
}

func newStoreModel(s *store) *storeModel {
	m := &storeModel{data: make([]byte, s.size), bad: map[int]bool{}}
	s.generate(m.data, 0)
	m.safe = bytes.Clone(m.data)
	return m
}

func (m *storeModel) write(off, length int, value byte) {
	for i := off; i < off+length; i++ {
		m.data[i] = value
	}
	m.heal(off, length)
}

// heal makes the units of a write readable.
func (m *storeModel) heal(off, length int) {
	for u := off / unitBytes; length > 0 && u*unitBytes < off+length; u++ {
		delete(m.bad, u)
	}
}

func (m *storeModel) flush() { copy(m.safe, m.data) }

// firstBad returns the first unit of a range that cannot be read.
func (m *storeModel) firstBad(off, length int) (int, bool) {
	for u := off / unitBytes; u*unitBytes < off+length; u++ {
		if m.bad[u] {
			return u * unitBytes, true
		}
	}
	return 0, false
}

// FuzzStoreModel does any sequence of operations, in units, with a store and
// its model, and compares them.
func FuzzStoreModel(f *testing.F) {
	f.Add([]byte{0, 3, 9, 1, 2, 20, 3, 8, 8, 4, 0, 0, 0, 1, 1, 5, 0, 0}, true)
	f.Add([]byte{1, 0, 16, 0, 7, 2, 5, 0, 0, 2, 7, 1, 0, 8, 1}, true)
	f.Add([]byte{2, 0, 64, 1, 4, 12, 0, 0, 1}, false)
	f.Fuzz(func(t *testing.T, ops []byte, cached bool) {
		const size = 64 * unitBytes
		s := newStore(size, 3)
		s.setCached(cached)
		m := newStoreModel(s)
		through := func() {
			if !cached {
				m.flush()
			}
		}
		for n := byte(1); len(ops) >= 3; ops = ops[3:] {
			off := int(ops[1]) % 64 * unitBytes
			length := min(int(ops[2])%64*unitBytes, size-off)
			switch ops[0] % 6 {
			case 0:
				value := n % 4 // Zeroes too.
				if err := s.writeAt(bytes.Repeat([]byte{value}, length), int64(off)); err != nil {
					t.Fatal(err)
				}
				m.write(off, length, value)
				through()
				n++
			case 1:
				if err := s.clearAt(int64(off), int64(length)); err != nil {
					t.Fatal(err)
				}
				m.write(off, length, 0)
				m.clearWhole(off, length)
				through()
			case 2:
				s.spoil(int64(off), int64(length))
				for u := off / unitBytes; u < (off+length)/unitBytes; u++ {
					m.bad[u] = true
				}
			case 3:
				s.flush()
				m.flush()
			case 4:
				s.losePower()
				copy(m.data, m.safe)
			case 5:
				at, bad := s.unreadable(int64(off), int64(length))
				wantAt, want := m.firstBad(off, length)
				if bad != want || bad && int(at) != wantAt {
					t.Fatalf("unreadable in %d bytes at %d: %d, %v, want %d, %v", length, off, at, bad, wantAt, want)
				}
			}
		}
		got := make([]byte, size)
		s.readAt(got, 0)
		for i := range got {
			if got[i] != m.data[i] {
				t.Fatalf("byte %d is %d, want %d", i, got[i], m.data[i])
			}
		}
	})
}

// clearWhole is the part of a clear that goes past the cache: whole pages.
func (m *storeModel) clearWhole(off, length int) {
	first, last := (off+pageBytes-1)/pageBytes*pageBytes, (off+length)/pageBytes*pageBytes
	if first < last {
		clear(m.safe[first:last])
	}
}

// TestCacheOverflow checks that a cache that is full writes through, and that
// its memory is bounded.
func TestCacheOverflow(t *testing.T) {
	s := newStore(1<<30, 0)
	s.setCached(true)
	one := bytes.Repeat([]byte{1}, pageBytes)
	for i := range int64(maxVolatilePages + 1) {
		if err := s.writeAt(one, i*pageBytes); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.before) > maxVolatilePages {
		t.Errorf("%d pages in the cache, at most %d fit", len(s.before), maxVolatilePages)
	}
	s.losePower()
	got := make([]byte, pageBytes)
	if s.readAt(got, 0); !bytes.Equal(got, one) {
		t.Error("a page that was written through is lost")
	}
	if s.readAt(got, maxVolatilePages*pageBytes); bytes.Equal(got, one) {
		t.Error("the page in the cache outlived the loss of power")
	}
}

// TestReleasedStore checks that a write to the store of a namespace that is gone
// takes no room.
func TestReleasedStore(t *testing.T) {
	s := newStore(1<<20, 0)
	one := bytes.Repeat([]byte{1}, pageBytes)
	if err := s.writeAt(one, 0); err != nil {
		t.Fatal(err)
	}
	s.release()
	if err := s.writeAt(one, 0); err != nil {
		t.Fatal(err)
	}
	if got := s.room.left.Load() * pageBytes; got != MaxWrittenBytes {
		t.Errorf("room for %d bytes, want %d", got, MaxWrittenBytes)
	}
}

// TestBlank checks a medium after an erase.
func TestBlank(t *testing.T) {
	g := newGenerator(1)
	g.blank = true
	got := bytes.Repeat([]byte{1}, 100)
	if g.fill(got, 3); !allZero(got) {
		t.Error("an erased medium has data")
	}
	if allZero([]byte{0, 0, 1}) {
		t.Error("a byte that is not zero is")
	}
}
