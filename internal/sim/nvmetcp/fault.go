package nvmetcp

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// fes is a Fatal Error Status.
//
// Source: NVM Express TCP Transport Specification, Revision 1.0, Controller to
// Host Terminate Connection Request PDU (C2HTermReq).
type fes uint16

const (
	fesInvalidField         fes = 0x01
	fesSequence             fes = 0x02
	fesHeaderDigest         fes = 0x03
	fesOutOfRange           fes = 0x04
	fesLimitExceeded        fes = 0x05
	fesUnsupportedParameter fes = 0x06
)

// fault is what a host did wrong. It ends the connection.
type fault struct {
	status fes
	// info is the Fatal Error Information: the offset of the field in the
	// header, or the digest that came.
	info uint32
	// head is the header of the PDU, as far as it was read.
	head []byte
}

func newFault(status fes, info uint32, head []byte) *fault {
	return &fault{status: status, info: info, head: slices.Clone(head[:min(len(head), icBytes)])}
}

// invalidField is the fault of a header field at an offset.
func invalidField(head []byte, offset uint32) *fault {
	return newFault(fesInvalidField, offset, head)
}

func (f *fault) Error() string {
	return fmt.Sprintf("host broke the protocol: fatal error status %02Xh, information %Xh", uint16(f.status), f.info)
}

// encode returns the termination request that tells the host its fault.
func (f *fault) encode() []byte {
	b := make([]byte, shortBytes+len(f.head))
	b[0], b[2] = pduC2HTermReq, shortBytes
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)))
	binary.LittleEndian.PutUint16(b[8:], uint16(f.status))
	binary.LittleEndian.PutUint32(b[10:], f.info)
	copy(b[shortBytes:], f.head)
	return b
}
