package nsjob

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"qd1.example/qd1/nvme"
)

// mostRanges is how many ranges one Dataset Management command has at most.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Dataset
// Management command: Number of Ranges is 8 bits, 0's based.
const mostRanges = 256

// Limits are what one Dataset Management command of a drive carries at most.
type Limits struct {
	// Ranges is how many ranges, 1 to 256.
	Ranges int `json:"ranges"`
	// RangeBlocks is how many logical blocks a range has, CommandBlocks all ranges
	// of a command together.
	RangeBlocks   uint64 `json:"range_blocks"`
	CommandBlocks uint64 `json:"command_blocks"`
	// Reported says that the drive reports limits.
	Reported bool `json:"reported"`
}

// unlimited are the limits of the command itself: the length of a range is 32
// bits.
func unlimited() Limits {
	return Limits{Ranges: mostRanges, RangeBlocks: math.MaxUint32, CommandBlocks: mostRanges * math.MaxUint32}
}

// Offsets of the Dataset Management limits: ranges, blocks of a range, blocks
// of a command. 0 is no limit.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, I/O Command
// Set specific Identify Controller data structure (CNS 06h, CSI 00h): DMRL,
// DMRSL, DMSL.
const (
	atDMRL  = 3
	atDMRSL = 4
	atDMSL  = 8
)

// ReadLimits asks for the limits of a drive. Drives older than NVMe 2.0 do not
// have them and are not asked; neither is a drive that refuses an error.
func ReadLimits(ctx context.Context, dev *nvme.Controller, id *nvme.IdentifyController) (Limits, error) {
	if !id.Version.AtLeast(2, 0) {
		return unlimited(), nil
	}
	page, err := dev.IdentifyPage(ctx, nvme.CNSCommandSetController, 0)
	var refused *nvme.CommandError
	switch {
	case errors.As(err, &refused):
		return unlimited(), nil
	case err != nil:
		return Limits{}, err
	}
	return parseLimits(page), nil
}

// parseLimits reads the limits from the structure of a drive, 16 bytes at
// least.
func parseLimits(page []byte) Limits {
	l, le := unlimited(), binary.LittleEndian
	if n := page[atDMRL]; n != 0 {
		l.Ranges, l.Reported = int(n), true
	}
	if n := le.Uint32(page[atDMRSL:]); n != 0 {
		l.RangeBlocks, l.Reported = uint64(n), true
	}
	if n := le.Uint64(page[atDMSL:]); n != 0 {
		l.CommandBlocks, l.Reported = min(n, l.CommandBlocks), true
	}
	l.RangeBlocks = min(l.RangeBlocks, l.CommandBlocks)
	return l
}
