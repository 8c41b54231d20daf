package sata

import "fmt"

// Operation codes and SMART features of ACS-4 ("Command descriptions") and, for
// the attribute thresholds, of SFF-8035i. They are the whole list of what this
// package sends.
const (
	opIdentifyDevice = 0xEC
	opSMART          = 0xB0

	smartReadData       = 0xD0
	smartReadThresholds = 0xD1
	smartReadLog        = 0xD5
	smartReturnStatus   = 0xDA
)

// The LBA registers of every SMART command, and what SMART RETURN STATUS puts
// there when a threshold is exceeded (ACS-4, "SMART RETURN STATUS").
const (
	signatureMid  = 0x4F
	signatureHigh = 0xC2
	exceededMid   = 0xF4
	exceededHigh  = 0x2C
)

// sectorBytes is the unit of data transfers of all commands of this package.
const sectorBytes = 512

// command is an ATA command by its registers. All are 28-bit commands.
type command struct {
	name    string
	opcode  uint8
	feature uint8
	count   uint8
	lbaLow  uint8
	lbaMid  uint8
	lbaHigh uint8
	// sectors is what the drive sends, in units of 512 bytes; 0 is a command
	// without data, whose registers are wanted back.
	sectors int
}

func identifyDevice() command {
	return command{name: "IDENTIFY DEVICE", opcode: opIdentifyDevice, count: 1, sectors: 1}
}

// smart returns a SMART command that reads one sector.
func smart(name string, feature uint8) command {
	return command{name: name, opcode: opSMART, feature: feature, count: 1, lbaMid: signatureMid, lbaHigh: signatureHigh, sectors: 1}
}

func readData() command       { return smart("SMART READ DATA", smartReadData) }
func readThresholds() command { return smart("SMART READ ATTRIBUTE THRESHOLDS", smartReadThresholds) }

// readLog returns the command that reads the first sectors of a log.
func readLog(address uint8, sectors int) command {
	c := smart(fmt.Sprintf("SMART READ LOG %02xh", address), smartReadLog)
	c.lbaLow, c.count, c.sectors = address, uint8(sectors), sectors
	return c
}

// returnStatus returns the command whose answer stands in the registers.
func returnStatus() command {
	c := smart("SMART RETURN STATUS", smartReturnStatus)
	c.count, c.sectors = 0, 0
	return c
}

// allowed returns ErrNotAllowed for every command that is not on the list of
// those that only read.
func (c *command) allowed() error {
	switch {
	case c.opcode == opIdentifyDevice:
		return nil
	case c.opcode == opSMART && c.lbaMid == signatureMid && c.lbaHigh == signatureHigh:
		switch c.feature {
		case smartReadData, smartReadThresholds, smartReadLog, smartReturnStatus:
			return nil
		}
	}
	return fmt.Errorf("%w: operation code %02xh, feature %02xh", ErrNotAllowed, c.opcode, c.feature)
}

// Fields of the ATA PASS-THROUGH commands (SAT-4, "ATA PASS-THROUGH (12)
// command" and "(16) command").
const (
	opPassThrough16 = 0x85
	opPassThrough12 = 0xA1

	protocolNonData = 3 << 1
	protocolPIOIn   = 4 << 1

	checkCondition = 1 << 5 // CK_COND: registers come back in the sense data
	fromDevice     = 1 << 3 // T_DIR
	inBlocks       = 1 << 2 // BYT_BLOK
	lengthInCount  = 2      // T_LENGTH: the count register
)

// protocol returns bytes 1 and 2 of both forms.
func (c *command) protocol() (protocol, flags uint8) {
	if c.sectors == 0 {
		return protocolNonData, checkCondition | fromDevice
	}
	return protocolPIOIn, fromDevice | inBlocks | lengthInCount
}

// cdb16 returns the command as ATA PASS-THROUGH (16).
func (c *command) cdb16() []byte {
	protocol, flags := c.protocol()
	return []byte{opPassThrough16, protocol, flags, 0, c.feature, 0, c.count, 0, c.lbaLow, 0, c.lbaMid, 0, c.lbaHigh, 0, c.opcode, 0}
}

// cdb12 returns the command as ATA PASS-THROUGH (12), which some bridges know
// alone.
func (c *command) cdb12() []byte {
	protocol, flags := c.protocol()
	return []byte{opPassThrough12, protocol, flags, c.feature, c.count, c.lbaLow, c.lbaMid, c.lbaHigh, 0, c.opcode, 0, 0}
}
