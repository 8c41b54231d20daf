package proof

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// The stored form of [Before], little-endian:
//
//	8  "QD1PROOF"
//	1  version, 1
//	1  1 if the whole medium was read, else 0
//	2  bytes of the name
//	4  bytes of a logical block
//	4  bytes of a sample
//	4  number of structured places
//	8  bytes of the medium
//	8  random places
//	8  seed
//	32 key
//	…  name; offsets of the structured places, 8 bytes each; one byte a place:
//	   its class; 16 bytes an informative place: its tag
//	32 SHA-256 of all that
const (
	magic       = "QD1PROOF"
	version     = 1
	headerBytes = 48 + keyBytes
)

// ErrFormat is wrapped by the errors of data that are not what was stored.
var ErrFormat = errors.New("not the stored samples of qd1, or damaged")

// MarshalBinary returns b in a form to be kept over a reboot, with the key, in
// at most 17 bytes a place. Whoever keeps it must let nobody else read it and
// must destroy it after the erase.
func (b *Before) MarshalBinary() ([]byte, error) {
	out := make([]byte, 0, headerBytes+len(b.name)+8*len(b.places.structured)+17*len(b.classes)+sha256.Size)
	return b.AppendBinary(out)
}

// AppendBinary appends what MarshalBinary returns.
func (b *Before) AppendBinary(out []byte) ([]byte, error) {
	p, begin := &b.places, len(out)
	if len(b.name) > 1<<16-1 {
		return out, fmt.Errorf("a name of %d bytes is too long", len(b.name))
	}
	whole := byte(0)
	if p.whole {
		whole = 1
	}
	out = append(append(out, magic...), version, whole)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(b.name)))
	out = binary.LittleEndian.AppendUint32(out, uint32(b.unit))
	out = binary.LittleEndian.AppendUint32(out, uint32(p.block))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(p.structured)))
	for _, v := range []uint64{uint64(p.bytes), uint64(p.samples), p.seed} {
		out = binary.LittleEndian.AppendUint64(out, v)
	}
	out = append(append(out, b.key[:]...), b.name...)
	for _, off := range p.structured {
		out = binary.LittleEndian.AppendUint64(out, uint64(off))
	}
	for _, c := range b.classes {
		out = append(out, byte(c))
	}
	for i, c := range b.classes {
		if c.Informative() {
			out = append(out, b.tags[i][:]...)
		}
	}
	sum := sha256.Sum256(out[begin:])
	return append(out, sum[:]...), nil
}

// UnmarshalBinary reads what MarshalBinary returned. Errors wrap [ErrFormat].
func (b *Before) UnmarshalBinary(data []byte) error {
	if err := b.decode(data); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return nil
}

func (b *Before) decode(data []byte) error {
	body, err := checked(data, magic, headerBytes)
	if err != nil {
		return err
	}
	var n Before
	p := &n.places
	p.whole = body[9] == 1
	nameBytes := int(binary.LittleEndian.Uint16(body[10:]))
	n.unit = int(binary.LittleEndian.Uint32(body[12:]))
	p.block = int(binary.LittleEndian.Uint32(body[16:]))
	structured := int(binary.LittleEndian.Uint32(body[20:]))
	p.bytes = int64(binary.LittleEndian.Uint64(body[24:]))
	p.samples = int64(binary.LittleEndian.Uint64(body[32:]))
	p.seed = binary.LittleEndian.Uint64(body[40:])
	n.key = [keyBytes]byte(body[48:])
	rest := body[headerBytes:]
	if err := n.possible(body[9], structured); err != nil {
		return err
	}
	if int64(nameBytes)+8*int64(structured)+p.samples+int64(structured) > int64(len(rest)) {
		return errors.New("shorter than its header says")
	}
	n.name, rest = string(rest[:nameBytes]), rest[nameBytes:]
	for range structured {
		p.structured = append(p.structured, int64(binary.LittleEndian.Uint64(rest)))
		rest = rest[8:]
	}
	if err := n.decodePlaces(rest); err != nil {
		return err
	}
	*b = n
	return nil
}

// checked returns data without the checksum behind them, after a look at both
// ends. It holds at least as many bytes as the header, and a magic of 8 bytes.
func checked(data []byte, magic string, header int) ([]byte, error) {
	switch {
	case len(data) < header+sha256.Size:
		return nil, fmt.Errorf("%d bytes are too few", len(data))
	case string(data[:len(magic)]) != magic:
		return nil, errors.New("other data")
	case data[len(magic)] != version:
		return nil, fmt.Errorf("version %d is not known", data[len(magic)])
	}
	body, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if want := sha256.Sum256(body); !bytes.Equal(sum, want[:]) {
		return nil, errors.New("the checksum is wrong")
	}
	return body, nil
}

// possible reports a header that no medium gives.
func (b *Before) possible(whole byte, structured int) error {
	p := &b.places
	switch {
	case p.block < 512 || p.block > maxBlockBytes || p.block%512 != 0:
		return fmt.Errorf("samples of %d bytes", p.block)
	case whole > 1:
		return fmt.Errorf("flags %02Xh", whole)
	case b.unit <= 0 || p.bytes < int64(p.block):
		return fmt.Errorf("a medium of %d bytes in blocks of %d", p.bytes, b.unit)
	case p.samples < 0 || p.samples > p.blocks() || p.whole && p.samples != p.blocks():
		return fmt.Errorf("%d samples of %d blocks", p.samples, p.blocks())
	case structured > 2*maxPlaces:
		return fmt.Errorf("%d structured places", structured)
	}
	return nil
}

// decodePlaces reads classes and tags.
func (b *Before) decodePlaces(rest []byte) error {
	p := &b.places
	for i, off := range p.structured {
		if off < 0 || off > p.bytes-int64(p.block) || i > 0 && off <= p.structured[i-1] {
			return fmt.Errorf("a structured place at %d", off)
		}
	}
	b.classes, b.tags = make([]Class, p.count()), make([]tag, p.count())
	classes, tags := rest[:p.count()], rest[p.count():]
	for i, c := range classes {
		b.classes[i] = Class(c)
		if b.classes[i]&^planted > HighEntropy {
			return fmt.Errorf("class %d", c)
		}
		if b.classes[i].Informative() {
			if len(tags) < tagBytes {
				return errors.New("shorter than its classes say")
			}
			b.tags[i], tags = tag(tags), tags[tagBytes:]
		}
	}
	if len(tags) != 0 {
		return fmt.Errorf("%d bytes too many", len(tags))
	}
	return nil
}
