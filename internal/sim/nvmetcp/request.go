package nvmetcp

import (
	"encoding/binary"
	"time"

	"qd1.example/qd1/nvme"
)

// request is one command from its capsule to its answer. It is reused.
type request struct {
	cmd nvme.Command
	cid uint16
	// fctype is the Fabrics Command Type of a Fabrics command.
	fctype uint8
	// want is the length of the transfer, from the SGL descriptor.
	want int
	// inCapsule is whether the data came with the command.
	inCapsule bool
	// buf is the memory behind cmd.Data, nil for none. charged is what it
	// counts for in the connection's limit.
	buf     *[]byte
	charged int
	// lost is whether somebody may still write to buf, so that it must not be
	// used again.
	lost bool

	// tag, received and corrupt are of data that the host sends on request.
	tag      uint16
	received int
	corrupt  bool

	// What goes to the host: a request for data, or an answer that is due at a
	// time.
	ask    bool
	answer nvme.Completion
	due    time.Time
	// hangUp is whether the connection ends after the answer.
	hangUp bool
}

// SGL descriptor types with their sub types, as they stand in byte 15.
//
// Source: NVM Express Base Specification, Revision 2.0, SGL Descriptor Type;
// NVM Express TCP Transport Specification, Revision 1.0, Data Transfers.
const (
	sglInCapsule = 0x01
	sglTransport = 0x5A
)

// Byte 1 of a command: PSDT 01b is data by an SGL, and FUSE makes one of two
// commands, which no drive here can.
const (
	psdtMask = 3 << 6
	psdtSGL  = 1 << 6
	fuseMask = 3 << 0
)

// Places in a command capsule.
const (
	atFlags     = 1
	atCID       = 2
	atFCType    = 4
	atSGLOffset = 24
	atSGLLength = 32
	atSGLType   = 39
)

// decode fills in the command of a capsule that carries data bytes. Memory for
// the data is the caller's affair. A status other than success is the answer
// to a command that cannot be carried out.
func (r *request) decode(sqe []byte, queue nvme.Queue, data int) nvme.Status {
	le := binary.LittleEndian
	r.cid = le.Uint16(sqe[atCID:])
	r.cmd = nvme.Command{
		Queue: queue, Opcode: sqe[0], NSID: nvme.NSID(le.Uint32(sqe[4:])),
		CDW2: le.Uint32(sqe[8:]), CDW3: le.Uint32(sqe[12:]),
		CDW10: le.Uint32(sqe[40:]), CDW11: le.Uint32(sqe[44:]), CDW12: le.Uint32(sqe[48:]),
		CDW13: le.Uint32(sqe[52:]), CDW14: le.Uint32(sqe[56:]), CDW15: le.Uint32(sqe[60:]),
	}
	if r.fabrics() {
		r.fctype = sqe[atFCType]
	}
	if sqe[atFlags]&fuseMask != 0 || sqe[atFlags]&psdtMask != psdtSGL && r.transfer() != nvme.NoTransfer {
		return nvme.StatusInvalidField
	}
	return r.decodeSGL(sqe, data)
}

// decodeSGL checks the SGL descriptor of a command.
func (r *request) decodeSGL(sqe []byte, data int) nvme.Status {
	direction := r.transfer()
	if direction == nvme.NoTransfer {
		return nvme.StatusSuccess
	}
	length := uint64(binary.LittleEndian.Uint32(sqe[atSGLLength:]))
	offset := binary.LittleEndian.Uint64(sqe[atSGLOffset:])
	switch kind := sqe[atSGLType]; {
	case direction == nvme.Bidirectional:
		return nvme.StatusInvalidOpcode
	case kind == sglInCapsule && direction == nvme.HostToController:
		if offset > uint64(data) {
			return nvme.StatusSGLOffsetInvalid
		}
		if length > uint64(data)-offset {
			return nvme.StatusDataSGLLengthInvalid
		}
		r.inCapsule = true
	case kind != sglTransport:
		return nvme.StatusSGLDescriptorTypeInvalid
	case length > TransferBytes:
		return nvme.StatusInvalidField
	}
	r.want = int(length)
	return nvme.StatusSuccess
}

// fabrics reports whether the command is of the Fabrics command set, which
// every queue takes.
func (r *request) fabrics() bool { return r.cmd.Opcode == nvme.AdminFabrics }

// transfer returns the direction of the data. Fabrics commands have one
// opcode, and their type gives the direction.
func (r *request) transfer() nvme.Transfer {
	if r.fabrics() {
		return nvme.Transfer(r.fctype & 3)
	}
	return r.cmd.Transfer()
}

// fromHost reports whether the host still has to be asked for data.
func (r *request) fromHost() bool {
	return r.transfer() == nvme.HostToController && !r.inCapsule && r.want > 0
}

// answerData returns the data that go to the host with the answer.
func (r *request) answerData() []byte {
	if r.transfer() != nvme.ControllerToHost || r.answer.Status != nvme.StatusSuccess {
		return nil
	}
	return r.cmd.Data
}
