package sim

import (
	"encoding/binary"

	"qd1.example/qd1/nvme"
)

// opalState is what the drive has of TCG Opal.
type opalState int

const (
	// opalNone is a drive without Level 0 Discovery.
	opalNone opalState = iota
	// opalOff is one that could lock its data, but was never told to.
	opalOff
	// opalUnlocked is one whose locking is enabled, and its data unlocked.
	opalUnlocked
	// opalLocked is one that lets nobody read, write or erase its data.
	opalLocked
)

// The security protocols of the model, and the ComID of Level 0 Discovery.
//
// Source: SPC-5, Security protocol information; TCG Storage Architecture Core
// Specification, Revision 2.01, Level 0 Discovery.
const (
	protocolInformation = 0
	protocolTCG         = 1
	comIDDiscovery      = 1
)

// securityReceive answers the Security Receive command: the list of protocols,
// and Level 0 Discovery of a drive that has TCG Opal.
//
// Source: NVM Express Base Specification, Revision 2.0, Security Receive
// command: SECP bits 31:24, SPSP bits 23:8, and the allocation length.
func (c *controller) securityReceive(cmd *nvme.Command) reply {
	protocol, specific := cmd.CDW10>>24, cmd.CDW10>>8&0xFFFF
	var page []byte
	switch {
	case protocol == protocolInformation && specific == 0:
		page = c.protocolList()
	case protocol == protocolTCG && specific == comIDDiscovery && c.opal != opalNone:
		page = c.level0Discovery()
	default:
		return refuse(nvme.StatusInvalidField, inCDW10)
	}
	if uint64(len(cmd.Data)) < uint64(cmd.CDW11) {
		return refuse(nvme.StatusDataSGLLengthInvalid, inPointer)
	}
	fill(cmd, page)
	return success(0)
}

// securitySend answers the Security Send command: there is no protocol to send
// to.
//
// Source: NVM Express Base Specification, Revision 2.0, Security Send command:
// Security Protocol 00h cannot be sent to.
func (c *controller) securitySend(*nvme.Command) reply {
	return refuse(nvme.StatusInvalidField, inCDW10+3)
}

// protocolList returns the list of security protocols.
//
// Source: SPC-5, Security protocol information: bytes 7:6 are the length of the
// list, big-endian.
func (c *controller) protocolList() []byte {
	protocols := []byte{protocolInformation}
	if c.opal != opalNone {
		protocols = append(protocols, protocolTCG)
	}
	return append([]byte{0, 0, 0, 0, 0, 0, 0, byte(len(protocols))}, protocols...)
}

// Bits of the Locking feature and of the Block SID Authentication feature.
const (
	lockingSupported = 1 << 0
	lockingEnabled   = 1 << 1
	lockingLocked    = 1 << 2
	mediaEncryption  = 1 << 3
	sidBlocked       = 1 << 1
)

// level0Discovery returns the response to Level 0 Discovery.
//
// Source: TCG Storage Architecture Core Specification, Revision 2.01, Level 0
// Discovery: a header of 48 bytes, of which 3:0 are the length behind them and
// 7:4 the revision of the data structure, and feature descriptors: code, version
// in the upper half of a byte, length. TCG Storage Security Subsystem Class:
// Opal, Version 2.01, Opal SSC V2.00 Feature; TCG Storage Feature Set: Block SID
// Authentication, Version 1.00.
func (c *controller) level0Discovery() []byte {
	locking := byte(lockingSupported | mediaEncryption)
	switch c.opal {
	case opalUnlocked:
		locking |= lockingEnabled
	case opalLocked:
		locking |= lockingEnabled | lockingLocked
	}
	var sid byte
	if c.blockSID {
		sid = sidBlocked
	}
	const synchronous, streaming = 1 << 0, 1 << 4
	page := make([]byte, 48)
	for _, f := range []struct {
		code uint16
		data [16]byte
		size byte
	}{
		{0x0001, [16]byte{synchronous | streaming}, 12}, // TPer
		{0x0002, [16]byte{locking}, 12},                 // Locking
		// Opal SSC V2.00: base ComID, their number, administrators and users.
		{0x0203, [16]byte{0x10, 0, 0, 1, 0, 0, 4, 0, 9}, 16},
		{0x0402, [16]byte{sid}, 12}, // Block SID Authentication
	} {
		page = binary.BigEndian.AppendUint16(page, f.code)
		page = append(append(page, 1<<4, f.size), f.data[:f.size]...)
	}
	binary.BigEndian.PutUint32(page, uint32(len(page)-4))
	binary.BigEndian.PutUint32(page[4:], 1)
	return page
}

// forbids returns the status with which the drive's security refuses an erase.
// Drives differ; these are the answers that people see most. One that the
// firmware of the computer froze by Block SID Authentication says that it does
// not know the command, although Identify declares it. One that Opal has locked
// says Access Denied to a format, and Command Sequence Error to a sanitize.
func (c *controller) forbids(opcode uint8) nvme.Status {
	switch {
	case c.blockSID:
		return nvme.StatusInvalidOpcode
	case c.opal != opalLocked:
		return nvme.StatusSuccess
	case opcode == nvme.AdminSanitize:
		return nvme.StatusCommandSequenceError
	}
	return nvme.StatusAccessDenied
}

// locksOut reports whether the drive refuses an I/O command because its data
// are locked.
//
// Source: TCG Storage Interface Interactions Specification, Version 1.11: data
// of a locked range are an Access Denied.
func (c *controller) locksOut(op uint8) bool {
	return c.opal == opalLocked && op != nvme.IOFlush
}
