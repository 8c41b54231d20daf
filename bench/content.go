package bench

import (
	"encoding/binary"
	"math/rand/v2"
	"strconv"
	"strings"
)

const (
	contentRandom = "random"
	contentZero   = "zero"
	// contentSector is the unit that no two written ones share, in bytes.
	contentSector = 512
	// stampBytes of each sector tell it from all others.
	stampBytes = 16
	// stampStep is odd, so that adding it gives every number before one comes again.
	stampStep = 0x9e3779b97f4a7c15
)

// content makes what one worker writes. The buffers are filled once. Before a
// write only 8 bytes of each sector change: they and the 8 bytes behind them,
// which are those of the worker and the seed, make the sector unlike any other.
// Within a block nothing repeats; two blocks that leave the same buffer differ in
// the stamps alone.
type content struct {
	random int // bytes of each sector that are random, 0: none
	next   uint64
}

// contentShare returns the random bytes of each sector for a value of
// Job.Content.
func contentShare(s string) (int, error) {
	switch s {
	case "", contentRandom:
		return contentSector, nil
	case contentZero:
		return 0, nil
	}
	percent, ok := strings.CutSuffix(s, "%")
	n, err := strconv.Atoi(percent)
	if !ok || err != nil || n < 1 || n > 100 || strconv.Itoa(n) != percent {
		return 0, badJob("content %q: %q, %q and a share from \"1%%\" to \"100%%\" are known", s, contentRandom, contentZero)
	}
	return max(n*contentSector/100, stampBytes), nil
}

// newContent makes the content of one worker and fills its buffers. The job is
// valid.
func newContent(j Job, worker int, buffers []Request) content {
	share, _ := contentShare(j.Content)
	c := content{random: share}
	if share == 0 {
		return c
	}
	random := rand.NewPCG(j.Seed, ^uint64(worker))
	key := random.Uint64()
	c.next = random.Uint64()
	for i := range buffers {
		if buffers[i].Write {
			fillContent(buffers[i].Data, share, key, random)
		}
	}
	return c
}

// fillContent makes the first bytes of each sector random, and the rest zeros.
func fillContent(data []byte, share int, key uint64, random *rand.PCG) {
	for ; len(data) >= contentSector; data = data[contentSector:] {
		for at := 0; at < share; at += 8 {
			binary.LittleEndian.PutUint64(data[at:], random.Uint64())
		}
		clear(data[share:contentSector])
		binary.LittleEndian.PutUint64(data[8:], key)
	}
}

// stamp makes data new before they are written.
//
//go:nosplit
func (c *content) stamp(data []byte) {
	if c.random == 0 {
		return
	}
	v := c.next
	for ; len(data) >= contentSector; data = data[contentSector:] {
		v += stampStep
		binary.LittleEndian.PutUint64(data, v)
	}
	c.next = v
}
