package sim

import (
	"encoding/binary"

	"qd1.example/qd1/nvme"
)

// telemetry is the state of the Telemetry logs.
type telemetry struct {
	// host is the host-initiated log as it was created, nil before that.
	host []byte
	// generation counts the host-initiated logs that were created.
	generation uint8
}

const (
	telemetryBlock = 512
	// createTelemetry is the Log Specific Parameter that makes new data.
	createTelemetry = 1
)

// checkTelemetry refuses parts that are not whole blocks, and makes new data if
// the command asks for them.
//
// Source: NVM Express Base Specification, Revision 2.0, Telemetry
// Host-Initiated Log: the offset and the length are multiples of 512 bytes;
// Create Telemetry Host-Initiated Data.
func (c *controller) checkTelemetry(cmd *nvme.Command) reply {
	dwords := uint64(cmd.CDW10>>16) | uint64(cmd.CDW11&0xFFFF)<<16
	if cmd.CDW12%telemetryBlock != 0 {
		return refuse(nvme.StatusInvalidField, inCDW12)
	}
	if (dwords+1)*4%telemetryBlock != 0 {
		return refuse(nvme.StatusInvalidField, inCDW10+2)
	}
	if nvme.LID(cmd.CDW10) == nvme.LIDTelemetryHost && logSpecific(cmd)&createTelemetry != 0 {
		c.telemetry.generation++
		c.telemetry.host = c.telemetryData(nvme.LIDTelemetryHost)
		c.remember(nvme.EventTelemetryCreated, c.telemetry.host[:telemetryBlock])
	}
	return reply{}
}

// telemetryHostPage returns the host-initiated log: a header without data
// areas before it was created.
func (c *controller) telemetryHostPage() []byte {
	if c.telemetry.host == nil {
		return c.telemetryHeader(nvme.LIDTelemetryHost, [3]int{})
	}
	return c.telemetry.host
}

// telemetryControllerPage returns the controller-initiated log: nothing ever
// happened that the drive made one for.
func (c *controller) telemetryControllerPage() []byte {
	return c.telemetryHeader(nvme.LIDTelemetryController, [3]int{})
}

// telemetryHeader returns the first block of a log.
//
// Source: NVM Express Base Specification, Revision 2.0, Telemetry
// Host-Initiated Log: bytes 7:5 IEEE OUI, 13:8 last blocks of the data areas,
// 381 generation number, 511:384 reason identifier.
func (c *controller) telemetryHeader(lid nvme.LID, last [3]int) []byte {
	b := make([]byte, telemetryBlock)
	b[0] = uint8(lid)
	copy(b[5:8], c.id.IEEE[:])
	for i, block := range last {
		binary.LittleEndian.PutUint16(b[8+2*i:], uint16(block))
	}
	b[381] = c.telemetry.generation
	copy(b[384:], "QD1 SIMULATED")
	return b
}

// telemetryData returns a whole log: the data are those of a medium, which
// stand for what only the maker can read.
func (c *controller) telemetryData(lid nvme.LID) []byte {
	last := c.personality.telemetryBlocks
	b := c.telemetryHeader(lid, last)
	data := make([]byte, last[2]*telemetryBlock)
	newGenerator(c.personality.medium.seed+uint64(c.telemetry.generation)).fill(data, 0)
	return append(b, data...)
}
