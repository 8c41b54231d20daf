package dump

import (
	"bytes"
	"fmt"
	"math/bits"

	"qd1.example/qd1/nvme"
)

const (
	rawSMARTBytes      = 512
	rawControllerBytes = 4096
)

// readRaw takes a page as the drive sent it. Nothing in it says what it is, so
// its length and contents must fit.
func readRaw(b []byte) (*Dump, error) {
	d := &Drive{}
	var what string
	switch {
	case len(b) == rawSMARTBytes && plausibleSMART(b):
		what = "SMART log"
		d.smart = newPage(new(nvme.SMARTLog), 0)
		if err := d.smart.setPrefix(b); err != nil {
			return nil, err
		}
	case len(b) == rawControllerBytes && plausibleController(b):
		what = "Identify Controller"
		id := new(nvme.IdentifyController)
		d.controller = newPage(id, 0)
		if err := d.controller.setPrefix(b); err != nil {
			return nil, err
		}
		d.fromController(id)
	default:
		return nil, &ParseError{Err: fmt.Errorf("%w: not text, and no page that can be recognised (%d bytes)", ErrNotDump, len(b))}
	}
	d.note("taken for a page of " + what + " from its length and contents: nothing in the file says so")
	return &Dump{Tool: rawTool, Drives: []*Drive{d}, Guessed: true}, nil
}

// plausibleSMART reports whether b looks like a SMART log: a temperature that
// a drive can have, percentages, and nothing in what is reserved.
func plausibleSMART(b []byte) bool {
	var l nvme.SMARTLog
	if l.UnmarshalBinary(b) != nil {
		return false
	}
	const coldest, hottest, firstReserved, lastReserved = 223, 423, 7, 32
	t := l.CompositeTemperature
	return t >= coldest && t <= hottest && l.AvailableSpare <= 100 && l.AvailableSpareThreshold <= 100 &&
		len(bytes.Trim(b[firstReserved:lastReserved], "\x00")) == 0 &&
		l.DataUnitsWritten.Hi == 0 && l.PowerOnHours.Hi == 0 && l.PowerCycles.Hi == 0
}

// plausibleController reports whether b looks like Identify Controller: text
// where text must be, and queue entries of the only sizes there are.
func plausibleController(b []byte) bool {
	var id nvme.IdentifyController
	if id.UnmarshalBinary(b) != nil {
		return false
	}
	text := nvme.RawHex(id.ModelNumber[:]) == "" && nvme.RawHex(id.SerialNumber[:]) == "" && nvme.RawHex(id.FirmwareRevision[:]) == ""
	return text && id.ModelNumber.String() != "" && id.SQES&0xF == 6 && id.CQES&0xF == 4
}

// bitsOf returns the power of two that v is, -1 if none.
func bitsOf(v uint64) int {
	if bits.OnesCount64(v) != 1 {
		return -1
	}
	return bits.Len64(v) - 1
}
