package proof

import "bytes"

// Class says what a block looks like.
type Class uint8

// The classes. Unread is a block that could not be read or was not.
const (
	Unread      Class = iota
	Zeroes            // 00h throughout
	Ones              // FFh throughout
	Constant          // another byte, or one word of 32 bits, throughout
	LowEntropy        // text, programs, tables, sparse data, patterns
	HighEntropy       // compressed, encrypted or random data
)

// String returns the name of the class in words.
func (c Class) String() string {
	return [...]string{"unread", "zeroes", "ones", "constant", "low entropy", "high entropy"}[min(c, HighEntropy)]
}

// Informative reports whether a block of class c that is the same later has
// survived: whether it was not constant.
func (c Class) Informative() bool { return c == LowEntropy || c == HighEntropy }

// Classes counts blocks of each class.
type Classes struct {
	Zeroes      int64 `json:"zeroes"`
	Ones        int64 `json:"ones"`
	Constant    int64 `json:"constant"`
	LowEntropy  int64 `json:"low_entropy"`
	HighEntropy int64 `json:"high_entropy"`
	Unread      int64 `json:"unread"`
}

// add counts n blocks of class c.
func (s *Classes) add(c Class, n int64) {
	switch c {
	case Zeroes:
		s.Zeroes += n
	case Ones:
		s.Ones += n
	case Constant:
		s.Constant += n
	case LowEntropy:
		s.LowEntropy += n
	case HighEntropy:
		s.HighEntropy += n
	default:
		s.Unread += n
	}
}

// Total returns the number of blocks.
func (s *Classes) Total() int64 {
	return s.uniform() + s.LowEntropy + s.HighEntropy + s.Unread
}

// uniform returns the number of blocks that are one byte or word throughout.
func (s *Classes) uniform() int64 { return s.Zeroes + s.Ones + s.Constant }

// wordBytes is the size of the pattern of an overwrite. NVM Express Base
// Specification 2.0, section "Sanitize command": Overwrite Pattern.
const wordBytes = 4

// lookedAt is the number of bytes of a block that the entropy is judged by.
const lookedAt = 256

// mostPairs is the largest number of equal pairs among 256 bytes that counts as
// high entropy. Random bytes have 256·255/2/256 = 127.5 on average; twice as
// many come up less than once in 10^20 blocks. Text has more than 1000.
const mostPairs = 255

// classify returns the class of a block of at least 256 bytes. It looks at 256
// bytes, one in each of as many equal parts of the block and at another place
// in each part, so that tables of records of a fixed size are seen as such.
func classify(b []byte) Class {
	if bytes.Equal(b[wordBytes:], b[:len(b)-wordBytes]) {
		return constantOf(b)
	}
	var seen [256]uint8
	pairs, part := 0, len(b)/lookedAt
	for i := range lookedAt {
		v := b[i*part+i*5%part]
		pairs += int(seen[v])
		seen[v] = min(seen[v]+1, 254)
	}
	if pairs <= mostPairs {
		return HighEntropy
	}
	return LowEntropy
}

// constantOf returns the class of a block that is one word throughout.
func constantOf(b []byte) Class {
	switch [wordBytes]byte(b) {
	case [wordBytes]byte{}:
		return Zeroes
	case [wordBytes]byte{0xFF, 0xFF, 0xFF, 0xFF}:
		return Ones
	}
	return Constant
}
