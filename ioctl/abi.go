package ioctl

import (
	"unsafe"

	"qd1.example/qd1/nvme"
)

// passthru32 is struct nvme_passthru_cmd: the result has 32 bits.
type passthru32 struct {
	passthru
	TimeoutMS uint32
	Result    uint32
}

// passthru64 is struct nvme_passthru_cmd64: the result has 64 bits.
type passthru64 struct {
	passthru
	TimeoutMS uint32
	_         uint32
	Result    uint64
}

// passthru is what both layouts begin with. Addr and Metadata hold addresses
// of memory outside the Go heap, which nothing moves, so that an integer is
// enough and has 8 bytes on every architecture.
type passthru struct {
	Opcode      uint8
	Flags       uint8
	_           uint16
	NSID        uint32
	CDW2        uint32
	CDW3        uint32
	Metadata    uint64
	Addr        uint64
	MetadataLen uint32
	DataLen     uint32
	CDW10       uint32
	CDW11       uint32
	CDW12       uint32
	CDW13       uint32
	CDW14       uint32
	CDW15       uint32
}

// The compiler refuses an index other than 0: sizes and offsets are checked
// against the numbers of the header.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(passthru32{})-72]
	_ = [1]struct{}{}[unsafe.Sizeof(passthru64{})-80]
	_ = [1]struct{}{}[unsafe.Offsetof(passthru{}.NSID)-4]
	_ = [1]struct{}{}[unsafe.Offsetof(passthru{}.CDW2)-8]
	_ = [1]struct{}{}[unsafe.Offsetof(passthru{}.Metadata)-16]
	_ = [1]struct{}{}[unsafe.Offsetof(passthru{}.Addr)-24]
	_ = [1]struct{}{}[unsafe.Offsetof(passthru{}.MetadataLen)-32]
	_ = [1]struct{}{}[unsafe.Offsetof(passthru{}.DataLen)-36]
	_ = [1]struct{}{}[unsafe.Offsetof(passthru{}.CDW10)-40]
	_ = [1]struct{}{}[unsafe.Offsetof(passthru{}.CDW15)-60]
	_ = [1]struct{}{}[unsafe.Sizeof(passthru{})-64]
	_ = [1]struct{}{}[unsafe.Offsetof(passthru32{}.TimeoutMS)-64]
	_ = [1]struct{}{}[unsafe.Offsetof(passthru32{}.Result)-68]
	_ = [1]struct{}{}[unsafe.Offsetof(passthru64{}.TimeoutMS)-64]
	_ = [1]struct{}{}[unsafe.Offsetof(passthru64{}.Result)-72]
)

// encode fills in all but the buffers.
func encode(cmd *nvme.Command) passthru {
	return passthru{
		Opcode: cmd.Opcode, NSID: uint32(cmd.NSID),
		CDW2: cmd.CDW2, CDW3: cmd.CDW3,
		CDW10: cmd.CDW10, CDW11: cmd.CDW11, CDW12: cmd.CDW12,
		CDW13: cmd.CDW13, CDW14: cmd.CDW14, CDW15: cmd.CDW15,
	}
}
