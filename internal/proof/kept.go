package proof

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// Kept is what [Verify] needs of the time before an erase.
type Kept struct {
	Media []KeptMedium
}

// KeptMedium is what is kept of one medium.
type KeptMedium struct {
	Name string `json:"name"`
	// Before are the samples. Canaries is nil if none were planted, and Note
	// then says why.
	Before   *Before   `json:"-"`
	Canaries *Canaries `json:"canaries,omitempty"`
	Note     string    `json:"note,omitempty"`
}

// The stored form of [Kept]: the head of that of [Before] with another name, the
// length of a JSON array of storedMedium (4 bytes), the array, the samples of each
// medium in their own stored form, and the SHA-256 of all that.
const (
	keptMagic       = "QD1KEPT\x00"
	keptHeaderBytes = len(keptMagic) + 1 + 4
)

// storedMedium is an element of the array.
type storedMedium struct {
	KeptMedium
	SamplesBytes int `json:"samples_bytes"`
}

// MarshalBinary returns k in a form to be kept over a reboot, in less than 20
// bytes a sample. What [Before.MarshalBinary] says of secrecy holds for it.
func (k *Kept) MarshalBinary() ([]byte, error) {
	var all []storedMedium
	var samples []byte
	for _, m := range k.Media {
		before := len(samples)
		var err error
		if samples, err = m.Before.AppendBinary(samples); err != nil {
			return nil, err
		}
		all = append(all, storedMedium{m, len(samples) - before})
	}
	list, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encode canaries: %w", err)
	}
	out := make([]byte, 0, keptHeaderBytes+len(list)+len(samples)+sha256.Size)
	out = append(append(out, keptMagic...), version)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(list)))
	out = append(append(out, list...), samples...)
	clear(samples)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...), nil
}

// UnmarshalBinary reads what MarshalBinary returned. Errors wrap [ErrFormat].
func (k *Kept) UnmarshalBinary(data []byte) error {
	n, err := decodeKept(data)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	*k = *n
	return nil
}

func decodeKept(data []byte) (*Kept, error) {
	body, err := checked(data, keptMagic, keptHeaderBytes)
	if err != nil {
		return nil, err
	}
	list := int64(binary.LittleEndian.Uint32(body[len(keptMagic)+1:]))
	rest := body[keptHeaderBytes:]
	if list > int64(len(rest)) {
		return nil, errors.New("shorter than its header says")
	}
	var all []storedMedium
	if err := json.Unmarshal(rest[:list], &all); err != nil {
		return nil, err
	}
	rest = rest[list:]
	n := &Kept{}
	for _, s := range all {
		if s.SamplesBytes < 0 || s.SamplesBytes > len(rest) {
			return nil, fmt.Errorf("%d bytes of samples where %d are left", s.SamplesBytes, len(rest))
		}
		if s.Canaries != nil {
			if err := s.Canaries.Validate(); err != nil {
				return nil, err
			}
		}
		s.Before = &Before{}
		if err := s.Before.decode(rest[:s.SamplesBytes]); err != nil {
			return nil, err
		}
		n.Media, rest = append(n.Media, s.KeptMedium), rest[s.SamplesBytes:]
	}
	if len(rest) != 0 {
		return nil, fmt.Errorf("%d bytes too many", len(rest))
	}
	return n, nil
}

// Destroy overwrites keys and hashes.
func (k *Kept) Destroy() {
	for _, m := range k.Media {
		m.Before.Destroy()
	}
}

// of returns what is kept of a medium.
func (k *Kept) of(m Medium) (*KeptMedium, error) {
	if k != nil {
		for i := range k.Media {
			if k.Media[i].Name == m.Name {
				return &k.Media[i], nil
			}
		}
	}
	return nil, errors.New("nothing is known of it before the erase")
}
