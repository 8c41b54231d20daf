package firmware

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

// pageBytes is the unit of FWUG and, on every drive of today, of MDTS.
const pageBytes = 4096

// Chunk is a part of an image that one command transfers.
type Chunk struct {
	// Offset and Bytes are in bytes; both are multiples of 4.
	Offset, Bytes int
}

// granularity returns the Firmware Update Granularity in bytes, 4096 where the
// drive reports none or has no restriction.
//
// Source: NVM Express Base Specification, Revision 2.1, Identify Controller
// data structure, FWUG: 0 is not reported, FFh no restriction.
func granularity(id *nvme.IdentifyController) int {
	if id.FWUG == 0 || id.FWUG == 0xFF {
		return pageBytes
	}
	return int(id.FWUG) * pageBytes
}

// ChunkBytes returns how much of an image one command transfers: the granularity,
// or MDTS if that is less.
//
// Source: NVM Express Base Specification, Revision 2.1, Identify Controller
// data structure, FWUG and MDTS.
func ChunkBytes(id *nvme.IdentifyController) int {
	n := granularity(id)
	if id.MDTS != 0 && id.MDTS < 16 {
		n = min(n, pageBytes<<id.MDTS)
	}
	return n
}

// Chunks divides an image, in order and without gaps. The last one may be
// shorter. The error is an [*ImageError].
func Chunks(size, chunk int) ([]Chunk, error) {
	if err := checkSize(size); err != nil {
		return nil, err
	}
	if chunk <= 0 || chunk%4 != 0 {
		return nil, fmt.Errorf("chunks of %d bytes", chunk)
	}
	list := make([]Chunk, 0, size/chunk+1)
	for at := 0; at < size; at += chunk {
		list = append(list, Chunk{at, min(chunk, size-at)})
	}
	return list, nil
}

// download returns the command that transfers a chunk, without its data. The
// length is 0's based; both are in dwords.
//
// Source: NVM Express Base Specification, Revision 2.1, Firmware Image Download
// command, Command Dwords 10 and 11.
func (c Chunk) download() nvme.Command {
	return nvme.Command{
		Queue: nvme.AdminQueue, Opcode: nvme.AdminFirmwareImageDownload,
		CDW10: uint32(c.Bytes/4 - 1), CDW11: uint32(c.Offset / 4),
	}
}

// Commit actions.
//
// Source: NVM Express Base Specification, Revision 2.1, Firmware Commit
// command, Commit Action.
const (
	// ReplaceAndReset stores the image, and the next reset activates it.
	ReplaceAndReset = 1
	// ActivateAtReset lets the next reset activate what a slot has.
	ActivateAtReset = 2
	// ActivateNow stores the image, if one was transferred, and activates it.
	ActivateNow = 3
)

// commit returns the command that commits to a slot.
func commit(action, slot int) nvme.Command {
	return nvme.Command{Queue: nvme.AdminQueue, Opcode: nvme.AdminFirmwareCommit, CDW10: uint32(action<<3 | slot)}
}
