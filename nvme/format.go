package nvme

// SecureErase is Secure Erase Settings (SES) of Format NVM: what a format does
// to the data that were there. Other values are reserved.
type SecureErase uint8

// The secure erase settings. None promises nothing about the data: they may
// still be there.
const (
	SecureEraseNone          SecureErase = 0
	SecureEraseUserData      SecureErase = 1
	SecureEraseCryptographic SecureErase = 2
)

// FormatNVM is the Format NVM command (admin 80h). The controller must have
// OACSFormat.
//
// Every field is sent: a format changes the LBA format, the place of the
// metadata and the protection information to what stands here, and the zero
// value is LBA format 0 without either. A caller that means to keep them takes
// them from Identify Namespace.
//
// The NSID does not bound what is formatted: FNA of Identify Controller can make
// it all namespaces.
//
// Source: NVM Express Base Specification, Revision 2.0, Format NVM command; NVM
// Command Set Specification, Revision 1.0, Format NVM command.
type FormatNVM struct {
	// NSID is the namespace, or [BroadcastNSID] for all that are attached to
	// the controller. 0 is not valid.
	NSID NSID
	// LBAF is the index of the LBA format, 0 to 63. Above 15 only drives with
	// more than 16 formats have it.
	LBAF uint8
	// MetadataInLBA is Metadata Settings (MSET): metadata go to the end of each
	// logical block, and not into a buffer of their own.
	MetadataInLBA bool
	// PI is the type of protection information, 1 to 3. 0 means none.
	PI uint8
	// PIFirst is Protection Information Location (PIL): it stands in the first
	// bytes of the metadata, and not in the last.
	PIFirst bool
	// SES is what happens to the data.
	SES SecureErase
}

const (
	formatMSET = 1 << 4
	formatPIL  = 1 << 8
)

// Command returns the command. Values that do not fit into their fields lose
// their upper bits.
func (f FormatNVM) Command() *Command {
	cmd := &Command{
		Queue:  AdminQueue,
		Opcode: AdminFormatNVM,
		NSID:   f.NSID,
		CDW10:  uint32(f.LBAF&0xF) | uint32(f.PI&7)<<5 | uint32(f.SES&7)<<9 | uint32(f.LBAF>>4&3)<<12,
	}
	if f.MetadataInLBA {
		cmd.CDW10 |= formatMSET
	}
	if f.PIFirst {
		cmd.CDW10 |= formatPIL
	}
	return cmd
}

// ParseFormatNVM returns what a Format NVM command asks for. The opcode is not
// looked at.
func ParseFormatNVM(c *Command) FormatNVM {
	return FormatNVM{
		NSID:          c.NSID,
		LBAF:          uint8(c.CDW10&0xF | c.CDW10>>12&3<<4),
		MetadataInLBA: c.CDW10&formatMSET != 0,
		PI:            uint8(c.CDW10 >> 5 & 7),
		PIFirst:       c.CDW10&formatPIL != 0,
		SES:           SecureErase(c.CDW10 >> 9 & 7),
	}
}

// FormatProgress returns how many percent of the namespace are still to be
// formatted, 0 when no format is in progress, and whether the drive reports it
// at all: the Format Progress Indicator (FPI). Values above 100 are given as
// they came.
//
// Source: NVM Express NVM Command Set Specification, Revision 1.0, Identify
// Namespace Data Structure, NVM Command Set.
func (n *IdentifyNamespace) FormatProgress() (remainingPercent int, reported bool) {
	if n.FPI&0x80 == 0 {
		return 0, false
	}
	return int(n.FPI & 0x7F), true
}
