package nvme

import (
	"encoding/binary"
	"fmt"
)

// decode reads the little-endian structure v from the start of b. Longer input
// is accepted, because structures grow; shorter input is an error.
func decode(name string, v any, b []byte) error {
	if n := binary.Size(v); len(b) < n {
		return fmt.Errorf("%s: %w: %d bytes, want %d", name, ErrShort, len(b), n)
	}
	_, err := binary.Decode(b, binary.LittleEndian, v)
	return err
}
