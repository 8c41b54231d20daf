package sim

import (
	"encoding/binary"

	"qd1.example/qd1/nvme"
)

// The parts of a Commands Supported and Effects data structure.
//
// Source: NVM Express Base Specification, Revision 2.0, Commands Supported and
// Effects Log Page.
const (
	effectsBytes      = 4096
	ioEffects         = 1024
	effectsEntryBytes = 4

	commandSupported   = 1 << 0
	changesBlockData   = 1 << 1
	changesNamespace   = 1 << 2
	changesInventory   = 1 << 3
	changesController  = 1 << 4
	aloneInController  = 2 << 16
	effectsOfErase     = changesBlockData | changesNamespace | aloneInController
	effectsOfNamespace = changesInventory | changesNamespace
)

// adminEffects and ioCommandEffects return what a command changes.
func adminEffects(op uint8) uint32 {
	switch op {
	case nvme.AdminFormatNVM, nvme.AdminSanitize:
		return effectsOfErase
	case nvme.AdminNamespaceManagement, nvme.AdminNamespaceAttachment:
		return effectsOfNamespace
	case nvme.AdminFirmwareCommit:
		return changesController
	}
	return 0
}

func ioCommandEffects(op uint8) uint32 {
	switch op {
	case nvme.IOWrite, nvme.IOWriteZeroes, nvme.IOWriteUncorrectable, nvme.IODatasetManagement:
		return changesBlockData
	}
	return 0
}

// effectsPage returns the Commands Supported and Effects log: what this model
// answers.
func (c *controller) effectsPage() []byte {
	b := make([]byte, effectsBytes)
	put := func(at int, effects uint32) { binary.LittleEndian.PutUint32(b[at:], commandSupported|effects) }
	for op, h := range c.admin {
		if h != nil {
			put(op*effectsEntryBytes, adminEffects(uint8(op)))
		}
	}
	for op, h := range c.io {
		if h != nil {
			put(ioEffects+op*effectsEntryBytes, ioCommandEffects(uint8(op)))
		}
	}
	return b
}
