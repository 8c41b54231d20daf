package sata

import (
	"fmt"
)

// Sense is decoded sense data (SPC-5, "Sense data").
type Sense struct {
	// Key is the sense key, 4 bits.
	Key uint8
	// ASC and ASCQ are the additional sense code and its qualifier.
	ASC, ASCQ uint8
	// Deferred says that an earlier command is meant.
	Deferred bool
	// Registers are the drive's, nil where the sense data has none.
	Registers *Registers
}

// Registers are what an ATA command leaves behind (SAT-4, "ATA Status Return
// sense data descriptor").
type Registers struct {
	Error, Status, Device   uint8
	Count                   uint8
	LBALow, LBAMid, LBAHigh uint8
}

// Bits of the status and error registers (ACS-4, "Normal and Error Outputs").
const (
	statusError = 1 << 0
	statusFault = 1 << 5
	errorAbort  = 1 << 2
)

// Failed reports whether the drive did not carry the command out.
func (r *Registers) Failed() bool { return r.Status&(statusError|statusFault) != 0 }

// Sense keys that have a meaning here.
const (
	keyNoSense        = 0x0
	keyRecovered      = 0x1
	keyNotReady       = 0x2
	keyIllegalRequest = 0x5
	keyUnitAttention  = 0x6
	keyAborted        = 0xB
)

// senseKey returns the name of SPC-5, table "Sense key descriptions".
func senseKey(k uint8) string {
	names := [16]string{
		"no sense", "recovered error", "not ready", "medium error", "hardware error", "illegal request", "unit attention", "data protect",
		"blank check", "vendor specific", "copy aborted", "aborted command", "reserved", "volume overflow", "miscompare", "completed",
	}
	return names[k&0xF]
}

// String returns the sense key, the codes and the registers in words.
func (s *Sense) String() string {
	text := fmt.Sprintf("%s, additional sense %02xh/%02xh", senseKey(s.Key), s.ASC, s.ASCQ)
	if name := additional(s.ASC, s.ASCQ); name != "" {
		text += " (" + name + ")"
	}
	if r := s.Registers; r != nil {
		text += fmt.Sprintf(", status %02xh, error %02xh", r.Status, r.Error)
	}
	return text
}

// additional names the additional sense codes that ATA translation gives.
func additional(asc, ascq uint8) string {
	switch uint16(asc)<<8 | uint16(ascq) {
	case 0x001D:
		return "ATA pass-through information available"
	case 0x2000:
		return "invalid command operation code"
	case 0x2400:
		return "invalid field in the command"
	case 0x2500:
		return "logical unit not supported"
	case 0x2900:
		return "power on or reset"
	case 0x3A00:
		return "medium not present"
	case 0x0402:
		return "not ready, needs to be started"
	}
	return ""
}

// Response codes of the two formats; an odd one is about an earlier command.
const (
	responseFixed      = 0x70
	responseDescriptor = 0x72
)

// ParseSense decodes sense data of either format. Bytes that are missing count
// as zero beyond the first 4 (descriptor format) and 14 (fixed format).
func ParseSense(b []byte) (*Sense, error) {
	if len(b) == 0 {
		return nil, short("sense data", 0, 8)
	}
	code := b[0] & 0x7F
	switch code &^ 1 {
	case responseFixed:
		return parseFixed(b)
	case responseDescriptor:
		return parseDescriptors(b)
	}
	return nil, fmt.Errorf("sense data: unknown response code %02xh", code)
}

func parseFixed(b []byte) (*Sense, error) {
	if len(b) < 14 {
		return nil, short("sense data", len(b), 14)
	}
	s := &Sense{Key: b[2] & 0xF, Deferred: b[0]&1 != 0, ASC: b[12], ASCQ: b[13]}
	if s.passThrough() {
		s.Registers = &Registers{
			Error: b[3], Status: b[4], Device: b[5], Count: b[6],
			LBALow: b[9], LBAMid: b[10], LBAHigh: b[11],
		}
	}
	return s, nil
}

// passThrough reports whether the sense data exists to carry registers (SAT-4,
// "ATA PASS-THROUGH status return").
func (s *Sense) passThrough() bool { return s.ASC == 0x00 && s.ASCQ == 0x1D }

// The ATA Status Return descriptor.
const (
	descriptorATA      = 0x09
	descriptorATABytes = 14
)

func parseDescriptors(b []byte) (*Sense, error) {
	if len(b) < 4 {
		return nil, short("sense data", len(b), 4)
	}
	s := &Sense{Key: b[1] & 0xF, Deferred: b[0]&1 != 0, ASC: b[2], ASCQ: b[3]}
	if len(b) < 8 {
		return s, nil
	}
	rest := b[8:]
	rest = rest[:min(len(rest), int(b[7]))]
	for len(rest) >= 2 {
		size := min(int(rest[1])+2, len(rest))
		if d := rest[:size]; d[0] == descriptorATA && len(d) >= descriptorATABytes {
			s.Registers = &Registers{
				Error: d[3], Count: d[5], LBALow: d[7], LBAMid: d[9], LBAHigh: d[11], Device: d[12], Status: d[13],
			}
		}
		rest = rest[size:]
	}
	return s, nil
}

// hostStatus names the codes of the kernel's host adapters
// (include/scsi/scsi_status.h).
func hostStatus(code uint16) string {
	names := []string{
		"ok", "no connection", "bus busy", "time-out", "bad target", "aborted", "parity error", "adapter error", "reset", "bad interrupt",
		"passed through", "soft error", "retry at once", "requeue", "transport disrupted", "transport failed fast", "target failure",
		"nexus failure", "allocation failure", "medium error",
	}
	if int(code) < len(names) {
		return names[code]
	}
	return fmt.Sprintf("code %d", code)
}

// scsiStatus names the status byte (SAM-5, "Status codes").
func scsiStatus(code uint8) string {
	switch code {
	case 0x00:
		return "good"
	case 0x02:
		return "check condition"
	case 0x08:
		return "busy"
	case 0x18:
		return "reservation conflict"
	case 0x28:
		return "task set full"
	case 0x40:
		return "task aborted"
	}
	return fmt.Sprintf("status %02xh", code)
}
