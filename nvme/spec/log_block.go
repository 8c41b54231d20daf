package spec

// blockStatusLog is the LBA Status Information log page (LID 0Eh).
func blockStatusLog() *Structure {
	return &Structure{
		Name: "LBA Status Information", Bytes: 16,
		Source: nvmSet11 + "LBA Status Information (Log Page Identifier 0Eh)",
		Fields: []Field{
			{Name: "LSLPLEN", Title: "LBA Status Log Page Length", At: 0, Len: 4, Unit: "bytes"},
			{Name: "NLSLNE", Title: "Number of LBA Status Log Namespace Elements", At: 4, Len: 4, Ones: "more than the log can hold"},
			{Name: "ESTULB", Title: "Estimate of Unrecoverable Logical Blocks", At: 8, Len: 4, Zero: "none", Ones: "4294967295 or more"},
			{Name: "LSGC", Title: "LBA Status Generation Counter", At: 14, Len: 2},
		},
		Lists: []List{{
			Name: "ELEMENT", Title: "LBA Status Log Namespace Elements", At: 16,
			Count: CountAt(4, 4), Size: listSize(16, 4, 4, 16),
			Entry: &Structure{
				Name: "LBA Status Log Namespace Element", Bytes: 16,
				Source: nvmSet11 + "LBA Status Log Namespace Element",
				Fields: []Field{
					{Name: "NEID", Title: "Namespace Element Identifier", At: 0, Len: 4},
					{Name: "NLRD", Title: "Number of LBA Range Descriptors", At: 4, Len: 4, Ones: "scan the whole namespace"},
					{Name: "RATYPE", Title: "Recommended Action Type", At: 8, Len: 1, Kind: Flags, Values: map[uint64]string{
						0x02: "allocated blocks", 0x10: "scan for blocks that may be unrecoverable", 0x11: "list the tracked blocks"}},
				},
				Lists: []List{{
					Name: "RANGE", Title: "LBA Range Descriptors", At: 16, Count: CountAt(4, 4),
					Entry: &Structure{
						Name: "LBA Range Descriptor", Bytes: 16, Source: nvmSet11 + "LBA Range Descriptor",
						Fields: []Field{
							{Name: "RSLBA", Title: "Range Starting LBA", At: 0, Len: 8},
							{Name: "RNLB", Title: "Range Number of Logical Blocks", At: 8, Len: 4},
						},
					},
				}},
			},
		}},
	}
}

// reservationLog is the Reservation Notification log page (LID 80h).
func reservationLog() *Structure {
	return &Structure{
		Name: "Reservation Notification", Bytes: 64,
		Source: base21 + "Reservation Notification (Log Page Identifier 80h)",
		Fields: []Field{
			{Name: "LPC", Title: "Log Page Count", At: 0, Len: 8, Zero: "empty page"},
			{Name: "RNLPT", Title: "Reservation Notification Log Page Type", At: 8, Len: 1, Values: map[uint64]string{
				0: "empty page", 1: "registration preempted", 2: "reservation released", 3: "reservation preempted"}},
			{Name: "NALP", Title: "Number of Available Log Pages", At: 9, Len: 1},
			{Name: "NSID", Title: "Namespace Identifier", At: 12, Len: 4},
		},
	}
}

// changedZonesLog is the Changed Zone List log page (LID BFh).
func changedZonesLog() *Structure {
	return &Structure{
		Name: "Changed Zone List", Bytes: 4096,
		Source: zoned12 + "Changed Zone List (Log Page Identifier BFh)",
		Fields: []Field{{Name: "NRZID", Title: "Number of Zone Identifiers", At: 0, Len: 2, Ones: "more than 511 changed"}},
		Lists: []List{{
			Name: "ZONE", Title: "Zone Identifiers", At: 8, Entry: oneNumber("ZID", "Zone Identifier", zoned12+"Changed Zone List", 8, ""), Count: changedZones,
		}},
	}
}

// changedZones counts none where there are too many to list.
func changedZones(b []byte) int {
	const most = 511
	if n := CountAt(0, 2)(b); n <= most {
		return n
	}
	return 0
}
