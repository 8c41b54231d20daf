package proof

import (
	"context"
	"crypto/rand"
	"fmt"
)

// Before is what a medium held before an erase: for each place the class of its
// block and, where that is informative, a keyed hash. It holds no user data, and
// without the key nothing can be learnt of them. It lives as long as the erase:
// whoever keeps it (see [Before.MarshalBinary]) must destroy it afterwards.
type Before struct {
	places  places
	name    string
	unit    int
	key     [keyBytes]byte
	classes []Class // by place; the bit planted may be set
	tags    []tag   // by place; of informative blocks
}

// planted marks a place whose block was overwritten by a canary afterwards.
const planted Class = 0x80

// Sample looks at the places of a medium before an erase. Blocks that cannot be
// read are noted; an error means that the drive as a whole does not answer, that
// ctx has ended or that the options are impossible.
func Sample(ctx context.Context, m Medium, o Options) (*Before, error) {
	o = o.seeded()
	p, err := newPlaces(m, o)
	if err != nil {
		return nil, err
	}
	b := &Before{places: p, name: m.Name, unit: m.unit(), classes: make([]Class, p.count()), tags: make([]tag, p.count())}
	if _, err := rand.Read(b.key[:]); err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	h := newHasher(&b.key, p.block)
	defer h.destroy()
	r := reading{medium: m, opts: o, block: p.block, visit: func(i int64, data []byte, err error) {
		if err != nil {
			return
		}
		if b.classes[i] = classify(data); b.classes[i].Informative() {
			b.tags[i] = h.sum(data)
		}
	}}
	if err := r.places(ctx, &p); err != nil {
		b.Destroy()
		return nil, fmt.Errorf("sample %s: %w", m.Name, err)
	}
	return b, nil
}

// Planted notes that the blocks of canaries have been overwritten: what becomes
// of them is the canaries' to tell.
func (b *Before) Planted(c *Canaries) {
	taken := make(map[int64]bool, c.Count)
	for i := range c.Count {
		taken[c.offset(i)/int64(c.BlockBytes)] = true
	}
	size := int64(c.BlockBytes)
	for i := range b.places.count() {
		first := b.places.offset(i)
		for k := first / size; k*size < first+int64(b.places.block); k++ {
			if taken[k] {
				b.classes[i] |= planted
			}
		}
	}
}

// Informative returns the number of random places whose blocks can tell later
// whether they were erased.
func (b *Before) Informative() int64 {
	var n int64
	for _, c := range b.classes[:b.places.samples] {
		if c.Informative() {
			n++
		}
	}
	return n
}

// Classes counts the places of each class.
func (b *Before) Classes() Classes {
	var s Classes
	for _, c := range b.classes {
		s.add(c&^planted, 1)
	}
	return s
}

// Destroy overwrites key and hashes.
func (b *Before) Destroy() {
	clear(b.key[:])
	clear(b.tags)
	clear(b.classes)
}
