package spec

// placementConfigurationsLog is the FDP Configurations log page (LID 20h).
func placementConfigurationsLog() *Structure {
	return &Structure{
		Name: "FDP Configurations", Bytes: 16,
		Source: base21 + "FDP Configurations (Log Page Identifier 20h)",
		Fields: []Field{
			{Name: "NUMFDPC", Title: "Number of FDP Configurations", At: 0, Len: 2, Kind: ZeroBased},
			{Name: "VER", Title: "Version", At: 2, Len: 1},
			{Name: "SZE", Title: "Size", At: 4, Len: 4, Unit: "bytes"},
		},
		Lists: []List{{
			Name: "CONFIGURATION", Title: "FDP Configuration Descriptors", At: 16,
			Entry: placementConfiguration(), Count: func(b []byte) int { return int(u(b, 0, 2)) + 1 }, Size: CountAt(0, 2),
		}},
	}
}

func placementConfiguration() *Structure {
	return &Structure{
		Name: "FDP Configuration Descriptor", Bytes: 64,
		Source: base21 + "FDP Configuration Descriptor",
		Fields: []Field{
			{Name: "DSZE", Title: "Descriptor Size", At: 0, Len: 2, Unit: "bytes"},
			{Name: "FDPA", Title: "FDP Attributes", At: 2, Len: 1, Kind: Flags, Bits: []Bits{
				{High: 3, Low: 0, Name: "RGIF", Title: "Reclaim Group Identifier Format", Unit: "bits"},
				{Low: 4, Name: "FDPVWC", Title: "FDP Volatile Write Cache"},
				{Low: 7, Name: "FDPCV", Title: "FDP Configuration Valid"},
			}},
			{Name: "VSS", Title: "Vendor Specific Size", At: 3, Len: 1, Unit: "bytes"},
			{Name: "NRG", Title: "Number of Reclaim Groups", At: 4, Len: 4},
			{Name: "NRUH", Title: "Number of Reclaim Unit Handles", At: 8, Len: 2},
			{Name: "MAXPIDS", Title: "Max Placement Identifiers", At: 10, Len: 2, Kind: ZeroBased},
			{Name: "NNS", Title: "Number of Namespaces Supported", At: 12, Len: 4},
			{Name: "RUNS", Title: "Reclaim Unit Nominal Size", At: 16, Len: 8, Unit: "bytes"},
			{Name: "ERUTL", Title: "Estimated Reclaim Unit Time Limit", At: 24, Len: 4, Unit: "s", Zero: "none"},
		},
		Lists: []List{{
			Name: "HANDLE", Title: "Reclaim Unit Handle Descriptors", At: 64, Count: CountAt(8, 2),
			Entry: &Structure{
				Name: "Reclaim Unit Handle Descriptor", Bytes: 4, Source: base21 + "Reclaim Unit Handle Descriptor",
				Fields: []Field{{Name: "RUHT", Title: "Reclaim Unit Handle Type", At: 0, Len: 1, Values: map[uint64]string{
					1: "initially isolated", 2: "persistently isolated"}}},
			},
		}},
	}
}

// handleUsageLog is the Reclaim Unit Handle Usage log page (LID 21h).
func handleUsageLog() *Structure {
	return &Structure{
		Name: "Reclaim Unit Handle Usage", Bytes: 8,
		Source: base21 + "Reclaim Unit Handle Usage (Log Page Identifier 21h)",
		Fields: []Field{{Name: "NRUH", Title: "Number of Reclaim Unit Handles", At: 0, Len: 2}},
		Lists: []List{{
			Name: "HANDLE", Title: "Reclaim Unit Handle Usage Descriptors", At: 8, Count: CountAt(0, 2),
			Entry: &Structure{
				Name: "Reclaim Unit Handle Usage Descriptor", Bytes: 8, Source: base21 + "Reclaim Unit Handle Usage Descriptor",
				Fields: []Field{{Name: "RUHA", Title: "Reclaim Unit Handle Attributes", At: 0, Len: 1, Values: map[uint64]string{
					0: "unused", 1: "specified by the host", 2: "specified by the controller"}}},
			},
		}},
	}
}

// placementStatisticsLog is the FDP Statistics log page (LID 22h).
func placementStatisticsLog() *Structure {
	return &Structure{
		Name: "FDP Statistics", Bytes: 64,
		Source: base21 + "FDP Statistics (Log Page Identifier 22h)",
		Fields: []Field{
			{Name: "HBMW", Title: "Host Bytes with Metadata Written", At: 0, Len: 16, Unit: "bytes"},
			{Name: "MBMW", Title: "Media Bytes with Metadata Written", At: 16, Len: 16, Unit: "bytes"},
			{Name: "MBE", Title: "Media Bytes Erased", At: 32, Len: 16, Unit: "bytes"},
		},
	}
}

// placementEventsLog is the FDP Events log page (LID 23h).
func placementEventsLog() *Structure {
	return &Structure{
		Name: "FDP Events", Bytes: 64,
		Source: base21 + "FDP Events (Log Page Identifier 23h)",
		Fields: []Field{{Name: "NEVT", Title: "Number of FDP Events", At: 0, Len: 4}},
		Lists: []List{{
			Name: "EVENT", Title: "FDP Events", At: 64, Count: CountAt(0, 4), Entry: placementEvent(),
		}},
	}
}

func placementEvent() *Structure {
	return &Structure{
		Name: "FDP Event", Bytes: 64, Source: base21 + "FDP Event",
		Fields: []Field{
			{Name: "ETYPE", Title: "Event Type", At: 0, Len: 1, Kind: Flags, Values: map[uint64]string{
				0x00: "reclaim unit not fully written", 0x01: "reclaim unit time limit exceeded",
				0x02: "controller reset modified reclaim unit handles", 0x03: "invalid placement identifier",
				0x80: "media reallocated", 0x81: "implicitly modified reclaim unit handle"}},
			{Name: "FDPEF", Title: "FDP Event Flags", At: 1, Len: 1, Kind: Flags, Bits: []Bits{
				{Low: 0, Name: "PIV", Title: "Placement Identifier Valid"},
				{Low: 1, Name: "NSIDV", Title: "NSID Valid"},
				{Low: 2, Name: "LV", Title: "Location Valid"},
			}},
			{Name: "PID", Title: "Placement Identifier", At: 2, Len: 2},
			{Name: "ETS", Title: "Event Timestamp", At: 4, Len: 8, Kind: Flags, Bits: timestampBits()},
			{Name: "NSID", Title: "Namespace Identifier", At: 12, Len: 4},
			{Name: "ETYPESP", Title: "Event Type Specific", At: 16, Len: 16, Kind: Hex},
			{Name: "RGID", Title: "Reclaim Group Identifier", At: 32, Len: 2},
			{Name: "RUHID", Title: "Reclaim Unit Handle Identifier", At: 34, Len: 1},
			{Name: "VS", Title: "Vendor Specific", At: 40, Len: 24, Kind: Hex},
		},
	}
}
