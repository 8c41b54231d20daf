package nvmetcp

import (
	"math/bits"
	"sync"
)

// smallest is the log of the smallest buffer, in bytes.
const smallest = 12

// pool keeps buffers of powers of two for all connections of a server.
type pool struct{ classes [16]sync.Pool }

// class returns which class holds buffers of n bytes.
func class(n int) int { return max(0, bits.Len(uint(max(n, 1)-1))-smallest) }

// bytesOf returns how large a buffer for n bytes is.
func bytesOf(n int) int { return 1 << (class(n) + smallest) }

// get returns a buffer for n bytes that all are zero: a drive may fill less,
// and what another host read must not show.
func (p *pool) get(n int) *[]byte {
	if b, ok := p.classes[class(n)].Get().(*[]byte); ok {
		clear((*b)[:n])
		return b
	}
	b := make([]byte, bytesOf(n))
	return &b
}

func (p *pool) put(b *[]byte) { p.classes[class(len(*b))].Put(b) }
