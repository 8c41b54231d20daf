package spec

import "slices"

// eventData is what follows the header of a Persistent Event: the vendor
// specific information, if any, and the data of its type. Data of an unknown type,
// or shorter than their table, stay reserved bytes.
func eventData(b []byte) *Structure {
	before := headerSize(b) - eventHeaderBytes + int(u(b, atVendorLength, 2))
	bytes := eventSize(b) - eventHeaderBytes - before
	data := eventOfType(b[0], max(bytes, 0))
	if data == nil || data.Bytes > bytes {
		return nil
	}
	return shifted(data, before)
}

// shifted moves a structure back by some bytes, which it then begins with.
func shifted(s *Structure, by int) *Structure {
	if by == 0 {
		return s
	}
	moved := *s
	moved.Bytes += by
	moved.Fields = slices.Clone(s.Fields)
	for i := range moved.Fields {
		moved.Fields[i].At += by
	}
	moved.Fields = append([]Field{{Name: "VSI", Title: "Vendor Specific Information", At: 0, Len: by, Kind: Hex}}, moved.Fields...)
	moved.Lists = slices.Clone(s.Lists)
	for i := range moved.Lists {
		moved.Lists[i].At += by
	}
	return &moved
}

// eventOfType is the data of a type of event, nil for one that is unknown.
// bytes is how many data the event has.
func eventOfType(kind uint8, bytes int) *Structure {
	switch kind {
	case 0x01:
		return smartLog()
	case 0x0B:
		return setFeatureEvent(bytes)
	case 0x0C:
		return telemetryHostLog()
	case 0xDE:
		return vendorEvent()
	}
	for _, e := range plainEvents() {
		if e.kind == kind {
			return &Structure{Name: e.title, Source: base21 + e.title + " Event", Bytes: e.bytes, Fields: e.fields, Lists: e.lists}
		}
	}
	return nil
}

// plainEvent is a type of event with fields at fixed places.
type plainEvent struct {
	kind   uint8
	title  string
	bytes  int
	fields []Field
	lists  []List
}

func plainEvents() []plainEvent {
	return []plainEvent{
		{kind: 0x02, title: "Firmware Commit", bytes: 22, fields: []Field{
			{Name: "OFR", Title: "Old Firmware Revision", At: 0, Len: 8, Kind: Text},
			{Name: "NFR", Title: "New Firmware Revision", At: 8, Len: 8, Kind: Text},
			{Name: "FCA", Title: "Firmware Commit Action", At: 16, Len: 1},
			{Name: "FS", Title: "Firmware Slot", At: 17, Len: 1},
			{Name: "SCT", Title: "Status Code Type for Firmware Commit Command", At: 18, Len: 1},
			{Name: "SC", Title: "Status Returned for Firmware Commit Command", At: 19, Len: 1, Kind: Flags},
			{Name: "VAFCRC", Title: "Vendor Assigned Firmware Commit Result Code", At: 20, Len: 2, Kind: Flags},
		}},
		{kind: 0x03, title: "Timestamp Change", bytes: 16, fields: []Field{
			{Name: "PTSTMP", Title: "Previous Timestamp", At: 0, Len: 8, Kind: Flags, Bits: timestampBits()},
			{Name: "MSR", Title: "Milliseconds Since Reset", At: 8, Len: 8, Unit: "ms"},
		}},
		{kind: 0x04, title: "Power-on or Reset", bytes: 8, fields: []Field{
			{Name: "FR", Title: "Firmware Revision", At: 0, Len: 8, Kind: Text},
		}, lists: []List{{Name: "CONTROLLER", Title: "Controller Reset Information Descriptors", At: 8, Entry: resetInformation()}}},
		{kind: 0x05, title: "NVM Subsystem Hardware Error", bytes: 4, fields: []Field{
			{Name: "NSHEEC", Title: "NVM Subsystem Hardware Error Event Code", At: 0, Len: 2, Kind: Flags, Values: hardwareErrors()},
		}},
		{kind: 0x06, title: "Change Namespace", bytes: 48, fields: changeNamespaceFields()},
		{kind: 0x07, title: "Format NVM Start", bytes: 12, fields: []Field{
			{Name: "NSID", Title: "Namespace Identifier", At: 0, Len: 4, Ones: "all"},
			{Name: "FNA", Title: "Format NVM Attributes", At: 4, Len: 1, Kind: Flags},
			{Name: "FNVMCDW10", Title: "Format NVM CDW10", At: 8, Len: 4, Kind: Flags, Bits: []Bits{
				{High: 3, Low: 0, Name: "LBAFL", Title: "LBA Format Lower"},
				{Low: 4, Name: "MSET", Title: "Metadata Settings"},
				{High: 7, Low: 5, Name: "PI", Title: "Protection Information"},
				{Low: 8, Name: "PIL", Title: "Protection Information Location"},
				{High: 11, Low: 9, Name: "SES", Title: "Secure Erase Settings", Values: map[uint64]string{0: "none", 1: "user data erase", 2: "cryptographic erase"}},
				{High: 13, Low: 12, Name: "LBAFU", Title: "LBA Format Upper"},
			}},
		}},
		{kind: 0x08, title: "Format NVM Completion", bytes: 12, fields: []Field{
			{Name: "NSID", Title: "Namespace Identifier", At: 0, Len: 4, Ones: "all"},
			{Name: "SFPI", Title: "Smallest Format Progress Indicator", At: 4, Len: 1},
			{Name: "FNVMS", Title: "Format NVM Status", At: 5, Len: 1, Kind: Flags},
			{Name: "CINFO", Title: "Completion Information", At: 6, Len: 2, Kind: Flags},
			{Name: "STATUS", Title: "Status Field", At: 8, Len: 4, Kind: Flags},
		}},
		{kind: 0x09, title: "Sanitize Start", bytes: 12, fields: []Field{
			{Name: "SANICAP", Title: "Sanitize Capabilities", At: 0, Len: 4, Kind: Flags},
			{Name: "SCDW10", Title: "Sanitize CDW10", At: 4, Len: 4, Kind: Flags, Bits: []Bits{
				{High: 2, Low: 0, Name: "SANACT", Title: "Sanitize Action", Values: map[uint64]string{
					1: "exit failure mode", 2: "block erase", 3: "overwrite", 4: "crypto erase", 5: "exit media verification"}},
			}},
			{Name: "SCDW11", Title: "Sanitize CDW11", At: 8, Len: 4, Kind: Flags},
		}},
		{kind: 0x0A, title: "Sanitize Completion", bytes: 8, fields: []Field{
			{Name: "SPROG", Title: "Sanitize Progress", At: 0, Len: 2, Unit: "65536ths", Ones: "none in progress"},
			{Name: "SSTAT", Title: "Sanitize Status", At: 2, Len: 2, Kind: Flags},
			{Name: "CINFO", Title: "Completion Information", At: 4, Len: 2, Kind: Flags},
		}},
		{kind: 0x0D, title: "Thermal Excursion", bytes: 2, fields: []Field{
			{Name: "OTEMP", Title: "Over Temperature", At: 0, Len: 1, Unit: "celsius"},
			{Name: "THRESH", Title: "Threshold", At: 1, Len: 1, Values: map[uint64]string{
				0: "none", 1: "warning temperature", 2: "critical temperature", 0x88: "warning temperature, fell below", 0x89: "critical temperature, fell below"}},
		}},
		{kind: 0x0E, title: "Sanitize Media Verification"},
		{kind: 0xDF, title: "TCG Defined"},
	}
}

func changeNamespaceFields() []Field {
	return []Field{
		{Name: "NSMCDW10", Title: "Namespace Management CDW10", At: 0, Len: 4, Kind: Flags, Bits: []Bits{
			{High: 3, Low: 0, Name: "SEL", Title: "Select", Values: map[uint64]string{0: "create", 1: "delete"}},
		}},
		{Name: "NSZE", Title: "Namespace Size", At: 8, Len: 8, Unit: "blocks"},
		{Name: "NCAP", Title: "Namespace Capacity", At: 24, Len: 8, Unit: "blocks"},
		{Name: "FLBAS", Title: "Formatted LBA Size", At: 32, Len: 1, Kind: Flags},
		{Name: "DPS", Title: "End-to-end Data Protection Type Settings", At: 33, Len: 1, Kind: Flags},
		{Name: "NMIC", Title: "Namespace Multi-path I/O and Namespace Sharing Capabilities", At: 34, Len: 1, Kind: Flags},
		{Name: "ANAGRPID", Title: "ANA Group Identifier", At: 36, Len: 4, Zero: "none"},
		{Name: "NVMSETID", Title: "NVM Set Identifier", At: 40, Len: 2, Zero: "none"},
		{Name: "NSID", Title: "Namespace ID", At: 44, Len: 4, Ones: "all"},
	}
}

func resetInformation() *Structure {
	return &Structure{
		Name: "Controller Reset Information Descriptor", Bytes: 36,
		Source: base21 + "Controller Reset Information Descriptor",
		Fields: []Field{
			{Name: "CNTLID", Title: "Controller ID", At: 0, Len: 2},
			{Name: "FA", Title: "Firmware Activation", At: 2, Len: 1, Values: map[uint64]string{0: "none", 1: "activated"}},
			{Name: "OIP", Title: "Operation in Progress", At: 3, Len: 1, Kind: Flags, Bits: []Bits{
				{Low: 0, Name: "FIP", Title: "Format NVM in Progress"},
				{Low: 1, Name: "SIP", Title: "Sanitize in Progress"},
			}},
			{Name: "CPWRC", Title: "Controller Power Cycle", At: 16, Len: 4},
			{Name: "POMS", Title: "Power on Milliseconds", At: 20, Len: 8, Unit: "ms"},
			{Name: "CTSTMP", Title: "Controller Timestamp", At: 28, Len: 8, Kind: Flags, Bits: timestampBits()},
		},
	}
}

func hardwareErrors() map[uint64]string {
	return map[uint64]string{
		0x01: "PCIe correctable error", 0x02: "PCIe uncorrectable non-fatal error", 0x03: "PCIe uncorrectable fatal error",
		0x04: "PCIe link status change", 0x05: "PCIe link not active", 0x06: "critical warning condition",
		0x07: "endurance group critical warning condition", 0x08: "unsafe shutdown", 0x09: "controller fatal status",
		0x0A: "media and data integrity status", 0x0B: "controller ready timeout exceeded",
	}
}

// setFeatureEvent is the data of a Set Feature event: what follows the layout
// has the lengths that the layout tells, and is shown as it is stored.
func setFeatureEvent(bytes int) *Structure {
	const layout = 4
	fields := []Field{{Name: "SFEL", Title: "Set Feature Event Layout", At: 0, Len: layout, Kind: Flags, Bits: []Bits{
		{High: 2, Low: 0, Name: "CDWC", Title: "Command Dword Count"},
		{Low: 3, Name: "LCCDW0", Title: "Logged Command Completion Dword 0"},
		{High: 31, Low: 16, Name: "MBC", Title: "Memory Buffer Count", Unit: "bytes"},
	}}}
	if bytes > layout {
		fields = append(fields, Field{Name: "CDWS", Title: "Command Dwords, Memory Buffer, Completion Dword 0", At: layout, Len: bytes - layout, Kind: Hex})
	}
	return &Structure{Name: "Set Feature", Source: base21 + "Set Feature Event", Bytes: max(bytes, layout), Fields: fields}
}

// vendorEvent is the data of a Vendor Specific event: descriptors, one behind
// the other.
func vendorEvent() *Structure {
	const atLength, header = 4, 6
	return &Structure{
		Name: "Vendor Specific Event", Source: base21 + "Vendor Specific Event",
		Lists: []List{{
			Name: "DESCRIPTOR", Title: "Vendor Specific Event Descriptors", At: 0, Size: listSize(header, atLength, 2, 1),
			Entry: &Structure{
				Name: "Vendor Specific Event Descriptor", Bytes: header, Source: base21 + "Vendor Specific Event Descriptor",
				Fields: []Field{
					{Name: "VSEC", Title: "Vendor Specific Event Code", At: 0, Len: 2, Kind: Flags},
					{Name: "VSEDT", Title: "Vendor Specific Event Data Type", At: 2, Len: 1, Values: map[uint64]string{
						1: "event name", 2: "ASCII string", 3: "binary", 4: "signed integer"}},
					{Name: "UIDX", Title: "UUID Index", At: 3, Len: 1, Zero: "none"},
					{Name: "VSEDL", Title: "Vendor Specific Event Data Length", At: 4, Len: 2, Unit: "bytes"},
				},
				Lists: []List{{
					Name: "BYTES", Title: "Vendor Specific Event Data", At: header, Count: CountAt(atLength, 2),
					Entry: &Structure{Name: "Byte", Source: base21 + "Vendor Specific Event Descriptor", Bytes: 1, Fields: []Field{{Name: "BYTE", Title: "Byte", At: 0, Len: 1, Kind: Hex}}},
				}},
			},
		}},
	}
}
