package proof

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"

	"qd1.example/qd1/bench"
)

// model is a medium in memory that is not kept: content gives what a block of
// 4096 bytes holds, unless it was written.
type model struct {
	bytes   int64
	mu      sync.Mutex
	content func(block int64, p []byte)
	written map[int64][]byte
	bad     func(block int64) bool
}

func newModel(blocks int64, content func(block int64, p []byte)) *model {
	return &model{bytes: blocks * 4096, content: content, written: map[int64][]byte{}, bad: func(int64) bool { return false }}
}

// ReadAt reads whole blocks, or a part of one.
func (m *model) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > m.bytes {
		return 0, io.EOF
	}
	block := make([]byte, 4096)
	for n := 0; n < len(p); {
		at := off + int64(n)
		if m.bad(at / 4096) {
			return n, syscall.EIO
		}
		m.read(at/4096, block)
		n += copy(p[n:], block[at%4096:])
	}
	return len(p), nil
}

func (m *model) read(i int64, p []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b, ok := m.written[i]; ok {
		copy(p, b)
		return
	}
	m.content(i, p)
}

// WriteAt writes one block.
func (m *model) WriteAt(p []byte, off int64) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.written[off/4096] = append([]byte(nil), p...)
	return len(p), nil
}

// erase makes every block but those that are left read as content.
func (m *model) erase(content func(block int64, p []byte), left func(block int64) bool) {
	before, written := m.content, m.written
	m.written = map[int64][]byte{}
	m.content = func(i int64, p []byte) {
		switch b, ok := written[i]; {
		case left != nil && left(i) && ok:
			copy(p, b)
		case left != nil && left(i):
			before(i, p)
		default:
			content(i, p)
		}
	}
}

func (m *model) medium() Medium {
	return Medium{Name: "namespace 1", Engine: bench.NewReaderAt("model", m), Bytes: m.bytes, Writer: m}
}

// zeroes, noise, text and pattern are contents.
func zeroes(_ int64, p []byte) { clear(p) }

func noise(seed uint64) func(int64, []byte) {
	return func(i int64, p []byte) {
		var key [32]byte
		binary.LittleEndian.PutUint64(key[:], seed)
		binary.LittleEndian.PutUint64(key[8:], uint64(i))
		rand.NewChaCha8(key).Read(p)
	}
}

func text(i int64, p []byte) {
	copy(p, "line 00000000 of a file\n")
	binary.BigEndian.PutUint64(p[5:], uint64(i))
	for n := 24; n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
}

// pattern is not constant and the same in all blocks.
func pattern(_ int64, p []byte) {
	for n := copy(p, "an empty block. "); n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
}

// mixed has data in one of n blocks, text and noise in turn, and zeroes in the
// others.
func mixed(n int64) func(int64, []byte) {
	random := noise(1)
	return func(i int64, p []byte) {
		switch {
		case i%n != 0:
			clear(p)
		case i/n%2 == 0:
			text(i, p)
		default:
			random(i, p)
		}
	}
}

func TestModel(t *testing.T) {
	m := newModel(64, mixed(2))
	p := make([]byte, 8192)
	if _, err := m.ReadAt(p, 4096); err != nil || classify(p[:4096]) != Zeroes || classify(p[4096:]) != HighEntropy {
		t.Errorf("blocks 1 and 2: %v, %v and %v", err, classify(p[:4096]), classify(p[4096:]))
	}
	m.erase(zeroes, func(i int64) bool { return i == 2 })
	if _, err := m.ReadAt(p, 0); err != nil || classify(p) != Zeroes {
		t.Errorf("block 0 after the erase: %v, %v", err, classify(p))
	}
	if _, err := m.ReadAt(p[:4096], 8192); err != nil || classify(p[:4096]) != HighEntropy {
		t.Errorf("block 2, which was left: %v", err)
	}
}
