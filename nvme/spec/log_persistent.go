package spec

// persistentEventLog is the Persistent Event log page (LID 0Dh) with all its
// events.
func persistentEventLog() *Structure {
	return &Structure{
		Name: "Persistent Event Log", Bytes: 512,
		Source: base21 + "Persistent Event Log (Log Page Identifier 0Dh)",
		Fields: []Field{
			{Name: "LID", Title: "Log Page Identifier", At: 0, Len: 1, Kind: Flags},
			{Name: "TNEV", Title: "Total Number of Events", At: 4, Len: 4},
			{Name: "TLL", Title: "Total Log Length", At: 8, Len: 8, Unit: "bytes"},
			{Name: "LREV", Title: "Log Revision", At: 16, Len: 1},
			{Name: "LHL", Title: "Log Header Length", At: 18, Len: 2, Unit: "bytes"},
			{Name: "TSTMP", Title: "Timestamp", At: 20, Len: 8, Kind: Flags, Bits: timestampBits()},
			{Name: "POH", Title: "Power On Hours", At: 28, Len: 16, Unit: "hours"},
			{Name: "PWRCC", Title: "Power Cycle Count", At: 44, Len: 8},
			{Name: "VID", Title: "PCI Vendor ID", At: 52, Len: 2, Kind: Flags},
			{Name: "SSVID", Title: "PCI Subsystem Vendor ID", At: 54, Len: 2, Kind: Flags},
			{Name: "SN", Title: "Serial Number", At: 56, Len: 20, Kind: Text},
			{Name: "MN", Title: "Model Number", At: 76, Len: 40, Kind: Text},
			{Name: "SUBNQN", Title: "NVM Subsystem NVMe Qualified Name", At: 116, Len: 256, Kind: Text},
			{Name: "GNUM", Title: "Generation Number", At: 372, Len: 2, Since: "2.0"},
			{Name: "RCI", Title: "Reporting Context Information", At: 374, Len: 4, Kind: Flags, Since: "2.0", Bits: []Bits{
				{High: 15, Low: 0, Name: "RCPID", Title: "Reporting Context Port Identifier"},
				{High: 17, Low: 16, Name: "RCPIT", Title: "Reporting Context Port Identifier Type", Values: map[uint64]string{
					0: "no context was there", 1: "NVM subsystem port", 2: "management endpoint"}},
				{Low: 18, Name: "RCE", Title: "Reporting Context Exists"},
			}},
			{Name: "SEB", Title: "Supported Events Bitmap", At: 480, Len: 32, Kind: Hex},
		},
		Lists: []List{{
			Name: "EVENT", Title: "Persistent Events", At: 512, Entry: persistentEvent(),
			Count: CountAt(4, 4), Size: eventSize,
		}},
	}
}

const (
	eventHeaderBytes = 24
	// atEventHeaderLength and the others are where a Persistent Event tells its
	// lengths.
	atEventHeaderLength = 2
	atVendorLength      = 20
	atEventLength       = 22
)

// eventSize is the length of the event that begins here: the Event Header
// Length counts what follows its own field.
func eventSize(b []byte) int {
	if len(b) < eventHeaderBytes {
		return eventHeaderBytes
	}
	return headerSize(b) + int(u(b, atEventLength, 2))
}

func headerSize(b []byte) int { return max(int(b[atEventHeaderLength])+3, eventHeaderBytes) }

func persistentEvent() *Structure {
	return &Structure{
		Name: "Persistent Event", Bytes: eventHeaderBytes,
		Source: base21 + "Persistent Event Format",
		Fields: []Field{
			{Name: "ETYPE", Title: "Event Type", At: 0, Len: 1, Kind: Flags, Values: eventTypes()},
			{Name: "ETYPER", Title: "Event Type Revision", At: 1, Len: 1},
			{Name: "EHL", Title: "Event Header Length", At: 2, Len: 1, Unit: "bytes"},
			{Name: "EHAI", Title: "Event Header Additional Information", At: 3, Len: 1, Kind: Flags, Bits: []Bits{
				{High: 1, Low: 0, Name: "PIT", Title: "Port Identifier Type", Values: map[uint64]string{
					0: NotReported, 1: "NVM subsystem port", 2: "management endpoint port", 3: "no port"}},
			}},
			{Name: "CNTLID", Title: "Controller Identifier", At: 4, Len: 2},
			{Name: "ETIME", Title: "Event Timestamp", At: 6, Len: 8, Kind: Flags, Bits: timestampBits()},
			{Name: "PELPID", Title: "Port Identifier", At: 14, Len: 2, Since: "2.0"},
			{Name: "VSIL", Title: "Vendor Specific Information Length", At: 20, Len: 2, Unit: "bytes"},
			{Name: "EL", Title: "Event Length", At: 22, Len: 2, Unit: "bytes"},
		},
		Variant: eventData,
	}
}

// timestampBits are those of the Timestamp data structure.
func timestampBits() []Bits {
	return []Bits{
		{High: 47, Low: 0, Name: "TSTMP", Title: "Timestamp", Unit: "ms"},
		{Low: 48, Name: "SYNC", Title: "Synch", Values: map[uint64]string{0: "counted without a stop", 1: "may have stopped"}},
		{High: 51, Low: 49, Name: "TORIG", Title: "Timestamp Origin", Values: map[uint64]string{0: "since the last reset", 1: "since 1970, set by the host"}},
	}
}

func eventTypes() map[uint64]string {
	return map[uint64]string{
		0x01: "SMART / Health Log Snapshot", 0x02: "Firmware Commit", 0x03: "Timestamp Change", 0x04: "Power-on or Reset",
		0x05: "NVM Subsystem Hardware Error", 0x06: "Change Namespace", 0x07: "Format NVM Start", 0x08: "Format NVM Completion",
		0x09: "Sanitize Start", 0x0A: "Sanitize Completion", 0x0B: "Set Feature", 0x0C: "Telemetry Log Created",
		0x0D: "Thermal Excursion", 0x0E: "Sanitize Media Verification", 0xDE: "Vendor Specific Event", 0xDF: "TCG Defined",
	}
}
