package nvmetcp

import (
	"encoding/binary"
	"hash/crc32"

	"qd1.example/qd1/nvme"
)

// maxAlign is the greatest alignment that a host may ask for data (HPDA).
const maxAlign = 128

// build encodes a batch into pieces and reports whether the connection ends
// after it. Requests that ask for data are taken out of the batch.
func (s *sender) build(batch []*request) (hangUp bool) {
	start := 0
	for i, r := range batch {
		if r.ask {
			s.appendR2T(r)
			batch[i] = nil
			continue
		}
		head := s.queue.retire(r)
		data := r.answerData()
		success := head == noHead && r.answer == nvme.Completion{}
		if len(data) > 0 {
			start = s.appendData(r, data, start, success)
		}
		if len(data) == 0 || !success {
			s.appendResponse(r, head)
		}
		hangUp = hangUp || r.hangUp
	}
	s.cut(start)
	return hangUp
}

// cut makes a piece of the text from start on and returns where the next
// begins.
func (s *sender) cut(start int) int {
	if len(s.text) > start {
		s.pieces = append(s.pieces, s.text[start:len(s.text):len(s.text)])
	}
	return len(s.text)
}

// header begins a PDU of 24 bytes and its digest, with padding and data bytes
// behind it. It returns the header; seal must follow.
func (s *sender) header(kind, flags uint8, padding, data int) []byte {
	at := len(s.text)
	s.text = append(s.text, make([]byte, shortBytes)...)
	b := s.text[at:]
	length := shortBytes
	if s.queue.reader.headerDigest && kind != pduC2HTermReq {
		flags |= flagHeaderDigest
		length += digestBytes
	}
	length += padding
	if data > 0 {
		b[3] = uint8(length)
		length += data
		if s.queue.reader.dataDigest {
			flags |= flagDataDigest
			length += digestBytes
		}
	}
	b[0], b[1], b[2] = kind, flags, shortBytes
	binary.LittleEndian.PutUint32(b[4:], uint32(length))
	return b
}

// seal adds the digest of a header.
func (s *sender) seal(header []byte) {
	if s.queue.reader.headerDigest {
		s.text = binary.LittleEndian.AppendUint32(s.text, crc32.Checksum(header, s.queue.reader.table))
	}
}

// noHead stands for the Submission Queue Head Pointer where the host does
// without it. Only then a data PDU may carry the success of a command.
const noHead = 0xFFFF

// appendR2T asks for all data of a request.
func (s *sender) appendR2T(r *request) {
	r.ask = false
	b := s.header(pduR2T, 0, 0, 0)
	binary.LittleEndian.PutUint16(b[atCCCID:], r.cid)
	binary.LittleEndian.PutUint16(b[atTag:], r.tag)
	binary.LittleEndian.PutUint32(b[atDataOffset:], 0)
	binary.LittleEndian.PutUint32(b[atDataLength:], uint32(r.want))
	s.seal(b)
}

// appendData appends the data of a request in one PDU, as a piece of its own.
// It returns where the text after it begins.
func (s *sender) appendData(r *request, data []byte, start int, success bool) int {
	flags := uint8(flagLast)
	if success {
		flags |= flagSuccess
	}
	padding := s.padding()
	b := s.header(pduC2HData, flags, padding, len(data))
	binary.LittleEndian.PutUint16(b[atCCCID:], r.cid)
	binary.LittleEndian.PutUint32(b[atDataLength:], uint32(len(data)))
	s.seal(b)
	s.text = append(s.text, make([]byte, padding)...)
	start = s.cut(start)
	s.pieces = append(s.pieces, data)
	if s.queue.reader.dataDigest {
		s.text = binary.LittleEndian.AppendUint32(s.text, s.queue.reader.sum(data))
	}
	return start
}

// padding returns how many bytes bring the data to the host's alignment.
func (s *sender) padding() int {
	fixed := shortBytes
	if s.queue.reader.headerDigest {
		fixed += digestBytes
	}
	return (s.align - fixed%s.align) % s.align
}

// appendResponse appends the completion queue entry of a request.
func (s *sender) appendResponse(r *request, head uint16) {
	b := s.header(pduCapsuleResp, 0, 0, 0)
	binary.LittleEndian.PutUint64(b[8:], r.answer.Result)
	binary.LittleEndian.PutUint16(b[16:], head)
	binary.LittleEndian.PutUint16(b[18:], s.queue.id)
	binary.LittleEndian.PutUint16(b[20:], r.cid)
	binary.LittleEndian.PutUint16(b[22:], uint16(r.answer.Status)<<1)
	s.seal(b)
}

// dueHeap is a heap of requests by the time at which their answer is due.
type dueHeap []*request

func (h *dueHeap) push(r *request) {
	*h = append(*h, r)
	for i := len(*h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !(*h)[i].due.Before((*h)[parent].due) {
			return
		}
		(*h)[i], (*h)[parent] = (*h)[parent], (*h)[i]
		i = parent
	}
}

// pop takes the request that is due first.
func (h *dueHeap) pop() *request {
	old := *h
	first, n := old[0], len(old)-1
	old[0], old[n] = old[n], nil
	*h = old[:n]
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < n && old[child+1].due.Before(old[child].due) {
			child++
		}
		if child >= n || !old[child].due.Before(old[i].due) {
			return first
		}
		old[i], old[child] = old[child], old[i]
		i = child
	}
}
