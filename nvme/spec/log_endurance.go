package spec

// enduranceGroupLog is the Endurance Group Information log page (LID 09h).
func enduranceGroupLog() *Structure {
	counter := func(name, title string, at int, unit, zero string) Field {
		return Field{Name: name, Title: title, At: at, Len: 16, Unit: unit, Zero: zero}
	}
	const unknown = NotReported
	return &Structure{
		Name: "Endurance Group Information", Bytes: 512,
		Source: base21 + "Endurance Group Information (Log Page Identifier 09h)",
		Fields: []Field{
			{Name: "CW", Title: "Critical Warning", At: 0, Len: 1, Kind: Flags, Bits: []Bits{
				{Low: 0, Name: "EGASCBT", Title: "Available Spare Capacity Below Threshold"},
				{Low: 2, Name: "EGDR", Title: "Degraded Reliability"},
				{Low: 3, Name: "EGRO", Title: "Read Only"},
			}},
			{Name: "EGFEAT", Title: "Endurance Group Features", At: 1, Len: 1, Kind: Flags, Since: "2.0", Bits: []Bits{
				{Low: 0, Name: "EGRMEDIA", Title: "Endurance Group Rotational Media"},
			}},
			{Name: "AVSP", Title: "Available Spare", At: 3, Len: 1, Unit: "percent"},
			{Name: "AVSPT", Title: "Available Spare Threshold", At: 4, Len: 1, Unit: "percent"},
			{Name: "PUSED", Title: "Percentage Used", At: 5, Len: 1, Unit: "percent"},
			{Name: "DID", Title: "Domain Identifier", At: 6, Len: 2, Since: "2.0", Zero: "no domains"},
			counter("EE", "Endurance Estimate", 32, "gb", unknown),
			counter("DUR", "Data Units Read", 48, "gb", unknown),
			counter("DUW", "Data Units Written", 64, "gb", unknown),
			counter("MUW", "Media Units Written", 80, "gb", unknown),
			counter("HRC", "Host Read Commands", 96, "", ""),
			counter("HWC", "Host Write Commands", 112, "", ""),
			counter("MDIE", "Media and Data Integrity Errors", 128, "", ""),
			counter("NEILE", "Number of Error Information Log Entries", 144, "", ""),
			counter("TEGCAP", "Total Endurance Group Capacity", 160, "bytes", unknown),
			counter("UEGCAP", "Unallocated Endurance Group Capacity", 176, "bytes", ""),
		},
	}
}

// enduranceEventsLog is the Endurance Group Event Aggregate log page (LID 0Fh).
func enduranceEventsLog() *Structure {
	return identifierList("Endurance Group Event Aggregate",
		"Endurance Group Event Aggregate (Log Page Identifier 0Fh)", "ENDGID", "Endurance Group Identifier")
}

// latencyEventsLog is the Predictable Latency Event Aggregate log page (LID
// 0Bh).
func latencyEventsLog() *Structure {
	return identifierList("Predictable Latency Event Aggregate",
		"Predictable Latency Event Aggregate (Log Page Identifier 0Bh)", "NVMSETID", "NVM Set Identifier")
}

// identifierList is a number of entries and as many identifiers of two bytes.
func identifierList(title, section, id, of string) *Structure {
	return &Structure{
		Name: title, Source: base21 + section, Bytes: 8,
		Fields: []Field{{Name: "NENT", Title: "Number of Entries Available", At: 0, Len: 8}},
		Lists: []List{{
			Name: "ENTRY", Title: of + "s", At: 8, Entry: oneNumber(id, of, base21+section, 2, ""), Count: CountAt(0, 8),
		}},
	}
}

// predictableLatencyLog is the Predictable Latency Per NVM Set log page (LID
// 0Ah).
func predictableLatencyLog() *Structure {
	return &Structure{
		Name: "Predictable Latency Per NVM Set", Bytes: 512,
		Source: base21 + "Predictable Latency Per NVM Set (Log Page Identifier 0Ah)",
		Fields: []Field{
			{Name: "STATUS", Title: "Status", At: 0, Len: 1, Kind: Flags, Bits: []Bits{
				{High: 2, Low: 0, Name: "WINS", Title: "Window Status", Values: map[uint64]string{
					0: "not used", 1: "deterministic window", 2: "non-deterministic window"}},
			}},
			{Name: "ETYPE", Title: "Event Type", At: 2, Len: 2, Kind: Flags, Bits: []Bits{
				{Low: 0, Name: "DTWINRW", Title: "Deterministic Window Reads Warning"},
				{Low: 1, Name: "DTWINWW", Title: "Deterministic Window Writes Warning"},
				{Low: 2, Name: "DTWINTW", Title: "Deterministic Window Time Warning"},
				{Low: 14, Name: "VALEX", Title: "Left the Window, a Value Exceeded"},
				{Low: 15, Name: "DEXC", Title: "Left the Window, Deterministic Excursion"},
			}},
			{Name: "DTWINRT", Title: "DTWIN Reads Typical", At: 32, Len: 8, Unit: "blocks_of_4_kib"},
			{Name: "DTWINWT", Title: "DTWIN Writes Typical", At: 40, Len: 8, Unit: "optimal_writes"},
			{Name: "DTWINTMAX", Title: "DTWIN Time Maximum", At: 48, Len: 8, Unit: "ms"},
			{Name: "NDWINTMINH", Title: "NDWIN Time Minimum High", At: 56, Len: 8, Unit: "ms"},
			{Name: "NDWINTMINL", Title: "NDWIN Time Minimum Low", At: 64, Len: 8, Unit: "ms"},
			{Name: "DTWINRE", Title: "DTWIN Reads Estimate", At: 128, Len: 8, Unit: "blocks_of_4_kib"},
			{Name: "DTWINWE", Title: "DTWIN Writes Estimate", At: 136, Len: 8, Unit: "optimal_writes"},
			{Name: "DTWINTE", Title: "DTWIN Time Estimate", At: 144, Len: 8, Unit: "ms"},
		},
	}
}
