package nvme

import (
	"encoding/binary"
	"fmt"
)

// Level0Discovery is what a drive says about its TCG security features. It has
// the fields of the feature descriptors that matter for access to the data.
//
// Source: TCG Storage Architecture Core Specification, Version 2.01, Level 0
// Discovery.
type Level0Discovery struct {
	// Revision is Revision Number of Data Structure: major in bits 31:16, minor
	// in bits 15:0.
	Revision uint32 `json:"revision"`
	// Locking is nil if the drive has no Locking feature.
	Locking *LockingFeature `json:"locking"`
	// BlockSID is nil if the drive has no Block SID Authentication feature.
	BlockSID *BlockSIDFeature `json:"block_sid"`
	// OpalV1, OpalV2, Opalite, Pyrite (1.00 or 2.00), Ruby, Enterprise and
	// KeyPerIO are the Security Subsystem Classes that the drive has.
	OpalV1     bool `json:"opal_v1"`
	OpalV2     bool `json:"opal_v2"`
	Opalite    bool `json:"opalite"`
	Pyrite     bool `json:"pyrite"`
	Ruby       bool `json:"ruby"`
	Enterprise bool `json:"enterprise"`
	KeyPerIO   bool `json:"key_per_io"`
	// SingleUser is the Single User Mode feature.
	SingleUser bool `json:"single_user"`
	// NamespaceLocking is the Configurable Namespace Locking feature: ranges
	// can belong to a namespace.
	NamespaceLocking bool `json:"namespace_locking"`
	// Codes are the feature codes of all descriptors in the order of the drive.
	Codes []uint16 `json:"feature_codes"`
}

// LockingFeature is the Locking feature descriptor (0002h).
//
// Source: TCG Storage Security Subsystem Class: Opal, Version 2.01, Locking
// Feature.
type LockingFeature struct {
	// Supported says that the drive can lock.
	Supported bool `json:"supported"`
	// Enabled says that locking was taken into use: the Locking SP is not in
	// its state of manufacture.
	Enabled bool `json:"enabled"`
	// Locked says that at least one range cannot be read or written now.
	Locked bool `json:"locked"`
	// MediaEncryption says that user data are encrypted on the medium.
	MediaEncryption bool `json:"media_encryption"`
	// MBREnabled and MBRDone are of the MBR shadow: while it is enabled and not
	// done, the first blocks read as something else.
	MBREnabled bool `json:"mbr_enabled"`
	MBRDone    bool `json:"mbr_done"`
}

// BlockSIDFeature is the Block SID Authentication feature descriptor (0402h).
//
// Source: TCG Storage Feature Set: Block SID Authentication, Version 1.01, Block
// SID Authentication Feature.
type BlockSIDFeature struct {
	// SIDChanged says that the owner's password is not the one of manufacture
	// (MSID): the drive has an owner.
	SIDChanged bool `json:"sid_changed"`
	// SIDBlocked says that the host's firmware blocked the owner until the
	// drive is power cycled.
	SIDBlocked bool `json:"sid_blocked"`
	// FreezeSupported and Frozen are of the Locking SP Freeze Lock; before
	// version 1.01 there is none and both are false.
	FreezeSupported bool `json:"freeze_supported"`
	Frozen          bool `json:"frozen"`
	// HardwareReset says that a reset of the controller ends the block too.
	HardwareReset bool `json:"hardware_reset"`
}

// The feature codes of descriptors with their own meaning here.
const (
	tcgLocking          = 0x0002
	tcgEnterprise       = 0x0100
	tcgOpalV1           = 0x0200
	tcgSingleUser       = 0x0201
	tcgOpalV2           = 0x0203
	tcgOpalite          = 0x0301
	tcgPyriteV1         = 0x0302
	tcgPyriteV2         = 0x0303
	tcgRuby             = 0x0304
	tcgKeyPerIO         = 0x0305
	tcgBlockSID         = 0x0402
	tcgNamespaceLocking = 0x0403
)

const (
	// level0HeaderBytes is the header: length, revision, reserved and vendor
	// specific bytes. The length does not count itself.
	level0HeaderBytes = 48
	// featureHeaderBytes is what a descriptor begins with: code, version and
	// the length of the rest.
	featureHeaderBytes = 4
)

// UnmarshalBinary decodes the answer of the drive, padding after it included. On
// an error, what came before it stays decoded: a descriptor that is not there
// then does not mean that the drive does not have it.
func (d *Level0Discovery) UnmarshalBinary(b []byte) error {
	*d = Level0Discovery{}
	if len(b) < level0HeaderBytes {
		return fmt.Errorf("level 0 discovery: %w: %d bytes, want %d", ErrShort, len(b), level0HeaderBytes)
	}
	total := uint64(binary.BigEndian.Uint32(b)) + 4
	if total < level0HeaderBytes {
		return fmt.Errorf("level 0 discovery: %w: the drive says %d bytes", ErrShort, total)
	}
	d.Revision = binary.BigEndian.Uint32(b[4:])
	held := min(total, uint64(len(b)))
	if err := d.features(b[level0HeaderBytes:held]); err != nil {
		return err
	}
	if held < total {
		return fmt.Errorf("level 0 discovery: %w: %d of %d bytes", ErrShort, held, total)
	}
	return nil
}

// features decodes one descriptor after the other. A rest of zeroes is none: no
// feature has code 0.
func (d *Level0Discovery) features(b []byte) error {
	for len(b) > 0 {
		if zero, _ := IsBlankPage(b); zero {
			break
		}
		if len(b) < featureHeaderBytes {
			return fmt.Errorf("level 0 discovery: %w: a descriptor of %d bytes", ErrShort, len(b))
		}
		code, n := binary.BigEndian.Uint16(b), int(b[3])
		b = b[featureHeaderBytes:]
		if n > len(b) {
			return fmt.Errorf("level 0 discovery: feature %04Xh: %w: %d of %d bytes", code, ErrShort, len(b), n)
		}
		if err := d.feature(code, b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// feature decodes what follows the header of one descriptor.
func (d *Level0Discovery) feature(code uint16, b []byte) error {
	d.Codes = append(d.Codes, code)
	switch code {
	case tcgLocking:
		return d.locking(b)
	case tcgBlockSID:
		return d.blockSID(b)
	}
	if flag := d.flag(code); flag != nil {
		*flag = true
	}
	return nil
}

// flag returns the field that says that the drive has a feature, nil for one
// that has none.
func (d *Level0Discovery) flag(code uint16) *bool {
	switch code {
	case tcgEnterprise:
		return &d.Enterprise
	case tcgOpalV1:
		return &d.OpalV1
	case tcgOpalV2:
		return &d.OpalV2
	case tcgOpalite:
		return &d.Opalite
	case tcgPyriteV1, tcgPyriteV2:
		return &d.Pyrite
	case tcgRuby:
		return &d.Ruby
	case tcgKeyPerIO:
		return &d.KeyPerIO
	case tcgSingleUser:
		return &d.SingleUser
	case tcgNamespaceLocking:
		return &d.NamespaceLocking
	}
	return nil
}

func (d *Level0Discovery) locking(b []byte) error {
	if len(b) < 1 {
		return fmt.Errorf("level 0 discovery: locking feature: %w", ErrShort)
	}
	d.Locking = &LockingFeature{
		Supported:       b[0]&0x01 != 0,
		Enabled:         b[0]&0x02 != 0,
		Locked:          b[0]&0x04 != 0,
		MediaEncryption: b[0]&0x08 != 0,
		MBREnabled:      b[0]&0x10 != 0,
		MBRDone:         b[0]&0x20 != 0,
	}
	return nil
}

func (d *Level0Discovery) blockSID(b []byte) error {
	if len(b) < 2 {
		return fmt.Errorf("level 0 discovery: block SID feature: %w", ErrShort)
	}
	d.BlockSID = &BlockSIDFeature{
		SIDChanged:      b[0]&0x01 != 0,
		SIDBlocked:      b[0]&0x02 != 0,
		FreezeSupported: b[0]&0x04 != 0,
		Frozen:          b[0]&0x08 != 0,
		HardwareReset:   b[1]&0x01 != 0,
	}
	return nil
}
