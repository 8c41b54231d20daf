package nvme

import "fmt"

// NamespaceDescriptors are the identifiers of a namespace in its Namespace
// Identification Descriptor list (CNS 03h). An identifier of all zero is none,
// whether the drive left it out or filled it with zero.
//
// Source: NVM Express Base Specification, Revision 2.0, Namespace
// Identification Descriptor list (CNS 03h).
type NamespaceDescriptors struct {
	// EUI64 is the IEEE Extended Unique Identifier (NIDT 1h).
	EUI64 Hex64 `json:"eui64"`
	// NGUID is the Namespace Globally Unique Identifier (NIDT 2h).
	NGUID Hex128 `json:"nguid"`
	// UUID is the Namespace UUID (NIDT 3h).
	UUID Hex128 `json:"uuid"`
	// CSI is the Command Set Identifier (NIDT 4h). 0 is the NVM command set, or
	// not reported.
	CSI uint8 `json:"csi"`
}

// The Namespace Identifier Types (NIDT).
const (
	nidtEUI64 = 1
	nidtNGUID = 2
	nidtUUID  = 3
	nidtCSI   = 4
)

const descriptorHeaderBytes = 4

// UnmarshalBinary decodes a descriptor list. The list ends with a descriptor of
// type or length 0, or with b. Types that are not known are left out. A
// descriptor with a wrong length is an error and ends the list; what came
// before it is kept.
func (d *NamespaceDescriptors) UnmarshalBinary(b []byte) error {
	*d = NamespaceDescriptors{}
	for len(b) >= descriptorHeaderBytes && b[0] != 0 && b[1] != 0 {
		nidt, length := b[0], int(b[1])
		b = b[descriptorHeaderBytes:]
		if length > len(b) {
			return fmt.Errorf("namespace identification descriptor of type %d: %w: %d bytes, want %d", nidt, ErrShort, len(b), length)
		}
		if err := d.set(nidt, b[:length]); err != nil {
			return err
		}
		b = b[length:]
	}
	return nil
}

func (d *NamespaceDescriptors) set(nidt uint8, id []byte) error {
	var field []byte
	var csi [1]byte
	switch nidt {
	case nidtEUI64:
		field = d.EUI64[:]
	case nidtNGUID:
		field = d.NGUID[:]
	case nidtUUID:
		field = d.UUID[:]
	case nidtCSI:
		field = csi[:]
	default:
		return nil
	}
	if len(id) != len(field) {
		return fmt.Errorf("namespace identification descriptor of type %d: length of %d bytes, want %d", nidt, len(id), len(field))
	}
	copy(field, id)
	if nidt == nidtCSI {
		d.CSI = csi[0]
	}
	return nil
}
