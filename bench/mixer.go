package bench

import "math/bits"

// mixRound is the number of operations in which the share of reads is exact.
const mixRound = 100

// mixer decides between reading and writing, in random order: each round of 100
// operations has exactly the share of reads that was asked for.
type mixer struct {
	mixes   bool
	random  splitMix
	percent uint64
	reads   uint64 // left in this round
	left    uint64 // operations left in this round
}

// newMixer makes the mixer of one worker.
func newMixer(j Job, worker int) mixer {
	if j.Op != OpMix {
		return mixer{}
	}
	return mixer{mixes: true, random: newSplitMix(^j.Seed, worker), percent: uint64(j.readPercent())}
}

// write decides the next operation.
//
//go:nosplit
func (m *mixer) write() bool {
	if m.left == 0 {
		m.left, m.reads = mixRound, m.percent
	}
	pick, _ := bits.Mul64(m.random.next(), m.left)
	m.left--
	if pick < m.reads {
		m.reads--
		return false
	}
	return true
}
