package nvmetcp

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// The PDU types.
//
// Source: NVM Express TCP Transport Specification, Revision 1.0, PDU-Type.
const (
	pduICReq       = 0x00
	pduICResp      = 0x01
	pduH2CTermReq  = 0x02
	pduC2HTermReq  = 0x03
	pduCapsuleCmd  = 0x04
	pduCapsuleResp = 0x05
	pduH2CData     = 0x06
	pduC2HData     = 0x07
	pduR2T         = 0x09
)

// The flags of a PDU header.
const (
	flagHeaderDigest = 1 << 0
	flagDataDigest   = 1 << 1
	flagLast         = 1 << 2
	flagSuccess      = 1 << 3
)

// Sizes in bytes.
const (
	commonBytes   = 8
	icBytes       = 128
	shortBytes    = 24 // the header of every other PDU but a command capsule
	commandBytes  = 64
	capsuleHeader = commonBytes + commandBytes
	digestBytes   = 4
	// maxOffset is the greatest PDU Data Offset, which is one byte.
	maxOffset = 255
)

// pdu is a PDU that a host sent, without its data, which are still to be read.
type pdu struct {
	kind, flags uint8
	// head is the header with the common part, valid until the data are read.
	head []byte
	// data is the number of data bytes that follow.
	data int
}

// shape is what a PDU of one type must look like.
type shape struct {
	header  int
	maxData int
	// digests is whether the negotiated digests apply to the type.
	digests bool
}

// shapeOf returns the shape of a PDU that a host may send.
func shapeOf(kind uint8) (shape, bool) {
	switch kind {
	case pduICReq:
		return shape{header: icBytes}, true
	case pduH2CTermReq:
		return shape{header: shortBytes, maxData: icBytes}, true
	case pduCapsuleCmd:
		return shape{header: capsuleHeader, maxData: InCapsuleBytes, digests: true}, true
	case pduH2CData:
		return shape{header: shortBytes, maxData: maxH2CData, digests: true}, true
	}
	return shape{}, false
}

// pduReader reads PDUs of a host. The digests are those negotiated.
type pduReader struct {
	in                       *bufio.Reader
	headerDigest, dataDigest bool
	table                    *crc32.Table
}

// readerBytes is the size of the buffer of a connection. It holds any header.
const readerBytes = 32 << 10

func newPDUReader(r io.Reader) *pduReader {
	return &pduReader{in: bufio.NewReaderSize(r, readerBytes), table: crc32.MakeTable(crc32.Castagnoli)}
}

// next reads the header of the next PDU and checks it. The data must be read
// with data before the next call. An error is a *fault if the host broke the
// protocol.
func (r *pduReader) next() (pdu, error) {
	common, err := r.in.Peek(commonBytes)
	if err != nil {
		return pdu{}, eof(err, len(common))
	}
	s, ok := shapeOf(common[0])
	if !ok {
		return pdu{}, invalidField(common, 0)
	}
	fixed := s.header
	if s.digests && r.headerDigest {
		fixed += digestBytes
	}
	p := pdu{kind: common[0], flags: common[1]}
	if p.data, err = r.layout(common, s, fixed); err != nil {
		return pdu{}, err
	}
	all := fixed
	if p.data > 0 && s.digests {
		all = int(common[3])
	}
	head, err := r.in.Peek(all)
	if err != nil {
		return pdu{}, eof(err, len(head))
	}
	p.head = head[:s.header]
	if err := r.checkHeader(p, head, s); err != nil {
		return pdu{}, err
	}
	_, err = r.in.Discard(all)
	return p, err
}

// layout checks the lengths in a common header and returns the number of data
// bytes. fixed is the length of the header with its digest.
func (r *pduReader) layout(common []byte, s shape, fixed int) (int, error) {
	length := uint64(binary.LittleEndian.Uint32(common[4:]))
	if int(common[2]) != s.header {
		return 0, invalidField(common, 2)
	}
	if length < uint64(fixed) || length > uint64(maxOffset+s.maxData+digestBytes) {
		return 0, invalidField(common, 4)
	}
	data := int(length) - fixed
	if data == 0 {
		return 0, nil
	}
	if s.digests {
		offset := int(common[3])
		if offset < fixed || offset%4 != 0 {
			return 0, invalidField(common, 3)
		}
		data = int(length) - offset
		if r.dataDigest {
			data -= digestBytes
		}
	}
	if data <= 0 || data > s.maxData {
		return 0, invalidField(common, 4)
	}
	return data, nil
}

// checkHeader checks the digest of a header and whether the flags say what was
// negotiated.
func (r *pduReader) checkHeader(p pdu, head []byte, s shape) error {
	if !s.digests {
		return nil
	}
	if (p.flags&flagHeaderDigest != 0) != r.headerDigest ||
		p.data > 0 && (p.flags&flagDataDigest != 0) != r.dataDigest {
		return invalidField(p.head, 1)
	}
	if !r.headerDigest {
		return nil
	}
	got := binary.LittleEndian.Uint32(head[s.header:])
	if got != crc32.Checksum(p.head, r.table) {
		return newFault(fesHeaderDigest, got, p.head)
	}
	return nil
}

// data reads data of the PDU that next returned.
func (r *pduReader) data(p []byte) error {
	_, err := io.ReadFull(r.in, p)
	return eof(err, 1)
}

// digest reads the data digest, if there is one, and reports whether it is
// that of sum.
func (r *pduReader) digest(sum uint32) (bool, error) {
	if !r.dataDigest {
		return true, nil
	}
	var b [digestBytes]byte
	if err := r.data(b[:]); err != nil {
		return false, err
	}
	return binary.LittleEndian.Uint32(b[:]) == sum, nil
}

// sum returns the digest of data.
func (r *pduReader) sum(data []byte) uint32 {
	if !r.dataDigest {
		return 0
	}
	return crc32.Checksum(data, r.table)
}

// eof turns the end of the stream into an unexpected one where something has
// been read of a PDU.
func eof(err error, read int) error {
	if err == io.EOF && read > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}
