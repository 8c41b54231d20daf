package nvmetcp

import (
	"encoding/binary"
	"time"
)

// Places in the initialization PDUs.
const (
	atPFV       = 8
	atAlign     = 10
	atDigest    = 11
	atMaxH2C    = 12
	wantsHeader = 1 << 0
	wantsData   = 1 << 1
)

// handshake takes the host's Initialize Connection Request and answers it.
//
// Source: NVM Express TCP Transport Specification, Revision 1.0, Initialize
// Connection Request PDU (ICReq) and Response PDU (ICResp).
func (q *queue) handshake() error {
	if err := q.conn.SetDeadline(time.Now().Add(handshakeTime)); err != nil {
		return err
	}
	p, err := q.reader.next()
	switch {
	case err != nil:
		return err
	case p.kind != pduICReq:
		return newFault(fesSequence, 0, p.head)
	case le16(p.head[atPFV:]) != 0:
		return newFault(fesUnsupportedParameter, atPFV, p.head)
	case p.head[atAlign] >= maxAlign/4:
		return invalidField(p.head, atAlign)
	}
	digests := p.head[atDigest] & (wantsHeader | wantsData)
	q.sender.align = (int(p.head[atAlign]) + 1) * 4
	if _, err := q.conn.Write(encodeICResp(digests, q.hostBytes())); err != nil {
		return err
	}
	q.reader.headerDigest = digests&wantsHeader != 0
	q.reader.dataDigest = digests&wantsData != 0
	return nil
}

func encodeICResp(digests uint8, hostBytes int) []byte {
	b := make([]byte, icBytes)
	b[0], b[2] = pduICResp, icBytes
	binary.LittleEndian.PutUint32(b[4:], icBytes)
	b[atDigest] = digests
	binary.LittleEndian.PutUint32(b[atMaxH2C:], uint32(hostBytes))
	return b
}
