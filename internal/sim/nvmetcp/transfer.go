package nvmetcp

import (
	"encoding/binary"

	"qd1.example/qd1/nvme"
)

// Places in the header of a data PDU and of an R2T.
const (
	atCCCID      = 8
	atTag        = 10
	atDataOffset = 12
	atDataLength = 16
)

func le16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// hostData takes data that the host was asked for. One R2T asks for all data
// of a command; the host sends them in order, in as many PDUs as it likes.
//
// Source: NVM Express TCP Transport Specification, Revision 1.0, Host to
// Controller Data Transfer PDU (H2CData) and Ready to Transfer PDU (R2T).
func (q *queue) hostData(p pdu) error {
	r, err := q.dataRequest(p)
	if err != nil {
		return err
	}
	part := r.cmd.Data[r.received : r.received+p.data]
	last := p.flags&flagLast != 0
	if err := q.reader.data(part); err != nil {
		return err
	}
	if p.data > 0 {
		intact, err := q.reader.digest(q.reader.sum(part))
		if err != nil {
			return err
		}
		r.corrupt = r.corrupt || !intact
	}
	r.received += p.data
	if !last {
		return nil
	}
	q.complete(r)
	if r.corrupt {
		q.finish(r, nvme.Completion{Status: nvme.StatusTransientTransportError})
		return nil
	}
	q.start(r)
	return nil
}

// dataRequest returns the request to which a PDU brings data.
func (q *queue) dataRequest(p pdu) (*request, error) {
	r := q.expected(le16(p.head[atTag:]))
	if r == nil {
		return nil, invalidField(p.head, atTag)
	}
	offset, length := uint64(le32(p.head[atDataOffset:])), uint64(le32(p.head[atDataLength:]))
	end := offset + length
	switch {
	case le16(p.head[atCCCID:]) != r.cid:
		return nil, invalidField(p.head, atCCCID)
	case length > uint64(q.hostBytes()):
		return nil, newFault(fesLimitExceeded, 0, p.head)
	case length != uint64(p.data):
		return nil, invalidField(p.head, atDataLength)
	case end > uint64(r.want):
		return nil, newFault(fesOutOfRange, 0, p.head)
	case offset != uint64(r.received):
		return nil, newFault(fesSequence, 0, p.head)
	case (end == uint64(r.want)) != (p.flags&flagLast != 0):
		return nil, invalidField(p.head, atFlags)
	}
	return r, nil
}
