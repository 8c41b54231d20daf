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
	// controller is the controller-initiated log, nil before it was first read.
	// captures counts the times that the controller captured its state.
	controller []byte
	captures   uint8
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
		c.createTelemetry()
	}
	return reply{}
}

// createTelemetry makes new host-initiated data.
func (c *controller) createTelemetry() {
	c.telemetry.generation++
	c.telemetry.host = c.telemetryData(nvme.LIDTelemetryHost)
	c.remember(nvme.EventTelemetryCreated, c.telemetry.host[:telemetryBlock])
}

// replaceTelemetry makes new data of the log page in place of those that there
// are, as another host or the controller itself does.
func (c *controller) replaceTelemetry(lid nvme.LID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if lid == nvme.LIDTelemetryHost {
		c.createTelemetry()
		return
	}
	c.telemetry.captures++
	c.telemetry.controller = nil
}

// telemetryHostPage returns the host-initiated log: a header without data
// areas before it was created.
func (c *controller) telemetryHostPage() []byte {
	if c.telemetry.host == nil {
		return c.telemetryHeader(nvme.LIDTelemetryHost, [4]int{})
	}
	return c.telemetry.host
}

// telemetryControllerPage returns the controller-initiated log. Unless the
// profile says so, nothing ever happened that the drive made one for.
func (c *controller) telemetryControllerPage() []byte {
	if !c.personality.telemetryCaptured {
		return c.telemetryHeader(nvme.LIDTelemetryController, [4]int{})
	}
	if c.telemetry.controller == nil {
		c.telemetry.controller = c.telemetryData(nvme.LIDTelemetryController)
	}
	return c.telemetry.controller
}

// telemetryHeader returns the first block of a log.
//
// Source: NVM Express Base Specification, Revision 2.0, Telemetry
// Host-Initiated Log: bytes 7:5 IEEE OUI, 13:8 and 19:16 last blocks of the data
// areas, 381 generation number, 382 and 383 data available and generation number
// of the controller-initiated log, 511:384 reason identifier.
func (c *controller) telemetryHeader(lid nvme.LID, last [4]int) []byte {
	b := make([]byte, telemetryBlock)
	b[0] = uint8(lid)
	copy(b[5:8], c.id.IEEE[:])
	putAreas(b, last)
	if lid == nvme.LIDTelemetryHost {
		b[381] = c.telemetry.generation
	}
	if c.personality.telemetryCaptured {
		b[382], b[383] = 1, c.telemetry.captures+1
	}
	copy(b[384:], "QD1 SIMULATED")
	return b
}

// telemetryData returns a whole log: the data are those of a medium, which
// stand for what only the maker can read.
func (c *controller) telemetryData(lid nvme.LID) []byte {
	last := c.personality.telemetryBlocks
	b := make([]byte, (1+max(last[2], last[3]))*telemetryBlock)
	copy(b, c.telemetryHeader(lid, last))
	generation := uint64(c.telemetry.generation)
	if lid == nvme.LIDTelemetryController {
		generation = uint64(c.telemetry.captures) << 8
	}
	newGenerator(c.personality.medium.seed+generation).fill(b[telemetryBlock:], 0)
	return b
}

// putAreas writes the last blocks of the data areas into a header.
func putAreas(header []byte, last [4]int) {
	for i, block := range last[:3] {
		binary.LittleEndian.PutUint16(header[8+2*i:], uint16(block))
	}
	binary.LittleEndian.PutUint32(header[16:], uint32(last[3]))
}

// divideTelemetry returns the last blocks of the data areas of so many bytes
// together. The first three reach no further than 65535 blocks, which is 33.5
// MB: what is more is area 4.
func divideTelemetry(bytes int64) [4]int {
	const most = 0xFFFF
	blocks := int(bytes / telemetryBlock)
	if blocks <= most {
		return [4]int{(blocks + 15) / 16, (blocks + 3) / 4, blocks}
	}
	return [4]int{most / 16, most / 4, most, blocks}
}
