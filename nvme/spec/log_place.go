package spec

// lockdownLog is the Command and Feature Lockdown log page (LID 14h).
func lockdownLog() *Structure {
	return &Structure{
		Name: "Command and Feature Lockdown", Bytes: 4,
		Source: base21 + "Command and Feature Lockdown (Log Page Identifier 14h)",
		Fields: []Field{
			{Name: "CFILA", Title: "Command and Feature Identifier List Attributes", At: 0, Len: 1, Kind: Flags, Bits: []Bits{
				{High: 3, Low: 0, Name: "SS", Title: "Scope Selected", Values: map[uint64]string{
					0: "admin commands", 2: "features", 3: "management interface commands", 4: "PCIe commands of the management interface"}},
				{High: 5, Low: 4, Name: "CS", Title: "Contents Selected", Values: map[uint64]string{
					0: "can be prohibited", 1: "prohibited on the admin queue", 2: "prohibited out of band"}},
			}},
			{Name: "LNGTH", Title: "Length", At: 3, Len: 1, Unit: "bytes"},
		},
		Lists: []List{{
			Name: "CFI", Title: "Command and Feature Identifiers", At: 4, Count: CountAt(3, 1),
			Entry: &Structure{Name: "Command and Feature Identifier", Source: base21 + "Command and Feature Lockdown", Bytes: 1,
				Fields: []Field{{Name: "CFI", Title: "Command and Feature Identifier", At: 0, Len: 1, Kind: Flags}}},
		}},
	}
}

// bootPartitionLog is the header of the Boot Partition log page (LID 15h).
func bootPartitionLog() *Structure {
	return &Structure{
		Name: "Boot Partition", Bytes: 16,
		Source: base21 + "Boot Partition (Log Page Identifier 15h)",
		Fields: []Field{
			{Name: "LID", Title: "Log Page Identifier", At: 0, Len: 1, Kind: Flags},
			{Name: "BPINFO", Title: "Boot Partition Information", At: 4, Len: 4, Kind: Flags, Bits: []Bits{
				{High: 14, Low: 0, Name: "BPSZ", Title: "Boot Partition Size", Unit: "128_kib"},
				{Low: 31, Name: "ABPID", Title: "Active Boot Partition ID"},
			}},
		},
	}
}

// rotationalLog is the Rotational Media Information log page (LID 16h).
func rotationalLog() *Structure {
	return &Structure{
		Name: "Rotational Media Information", Bytes: 512,
		Source: base21 + "Rotational Media Information (Log Page Identifier 16h)",
		Fields: []Field{
			{Name: "ENDGID", Title: "Endurance Group Identifier", At: 0, Len: 2},
			{Name: "NUMA", Title: "Number of Actuators", At: 2, Len: 2},
			{Name: "NRS", Title: "Nominal Rotational Speed", At: 4, Len: 2, Unit: "rpm", Zero: NotReported, Note: doesNotRotate},
			{Name: "SPINC", Title: "Spinup Count", At: 8, Len: 4},
			{Name: "FSPINC", Title: "Failed Spinup Count", At: 12, Len: 4},
			{Name: "LDC", Title: "Load Count", At: 16, Len: 4},
			{Name: "FLDC", Title: "Failed Load Count", At: 20, Len: 4},
		},
	}
}

// doesNotRotate says what a speed of 1 means.
func doesNotRotate(page []byte) string {
	if u(page, 4, 2) == 1 {
		return "does not rotate"
	}
	return ""
}

// managementAddressLog is the Management Address List log page (LID 18h).
func managementAddressLog() *Structure {
	return &Structure{
		Name: "Management Address List", Bytes: 4096,
		Source: base21 + "Management Address List (Log Page Identifier 18h)",
		Lists: []List{{
			Name: "ADDRESS", Title: "Management Address Descriptors", At: 0, Count: fixed(8), Skip: ZeroEntry,
			Entry: &Structure{
				Name: "Management Address Descriptor", Bytes: 512, Source: base21 + "Management Address Descriptor",
				Fields: []Field{
					{Name: "MAT", Title: "Management Address Type", At: 0, Len: 1, Zero: "none", Values: map[uint64]string{
						1: "NVM subsystem management agent", 2: "fabric interface manager"}},
					{Name: "MADRS", Title: "Management Address", At: 4, Len: 508, Kind: Text},
				},
			},
		}},
	}
}

// eyeLog is the Physical Interface Receiver Eye Opening Measurement log page
// (LID 19h).
func eyeLog() *Structure {
	return &Structure{
		Name: "Physical Interface Receiver Eye Opening Measurement", Bytes: 64,
		Source: pcie11 + "Physical Interface Receiver Eye Opening Measurement (Log Page Identifier 19h)",
		Fields: []Field{
			{Name: "LID", Title: "Log Page Identifier", At: 0, Len: 1, Kind: Flags},
			{Name: "EOMIP", Title: "EOM In Progress", At: 1, Len: 1, Values: map[uint64]string{0: "not started", 1: "in progress", 2: "completed"}},
			{Name: "HSIZE", Title: "Header Size", At: 2, Len: 2, Unit: "bytes"},
			{Name: "RSZ", Title: "Result Size", At: 4, Len: 4, Unit: "bytes"},
			{Name: "EOMDGN", Title: "EOM Data Generation Number", At: 8, Len: 1},
			{Name: "LR", Title: "Log Revision", At: 9, Len: 1},
			{Name: "ODP", Title: "Optional Data Present", At: 10, Len: 1, Kind: Flags, Bits: []Bits{
				{Low: 0, Name: "PEFP", Title: "Printable Eye Field Present"},
				{Low: 1, Name: "EDFP", Title: "Eye Data Field Present"},
			}},
			{Name: "LNS", Title: "Lanes", At: 11, Len: 1},
			{Name: "EPL", Title: "Eyes Per Lane", At: 12, Len: 1},
			{Name: "LSPFC", Title: "Log Specific Parameter Field Copy", At: 13, Len: 1, Kind: Flags},
			{Name: "LINFO", Title: "Link Information", At: 14, Len: 1, Kind: Flags, Bits: []Bits{
				{High: 3, Low: 0, Name: "LS", Title: "Measurement Link Speed"},
			}},
			{Name: "LSIC", Title: "Log Specific Identifier Copy", At: 18, Len: 2},
			{Name: "DS", Title: "Descriptor Size", At: 20, Len: 4, Unit: "bytes"},
			{Name: "NDESC", Title: "Number of Descriptors", At: 24, Len: 2},
			{Name: "MAXTB", Title: "Maximum Top Bottom", At: 26, Len: 2},
			{Name: "MAXLR", Title: "Maximum Left Right", At: 28, Len: 2},
			{Name: "ETGOOD", Title: "Estimated Time for Good Quality", At: 30, Len: 2, Unit: "s"},
			{Name: "ETBETTER", Title: "Estimated Time for Better Quality", At: 32, Len: 2, Unit: "s"},
			{Name: "ETBEST", Title: "Estimated Time for Best Quality", At: 34, Len: 2, Unit: "s"},
		},
		Variant: eyeLanes,
	}
}

const (
	eyeLaneBytes      = 32
	atDescriptorBytes = 20
	atDescriptors     = 24
)

// eyeLanes are the descriptors of an eye opening measurement: their length is in
// the header.
func eyeLanes(b []byte) *Structure {
	each := int(min(u(b, atDescriptorBytes, 4), mostEntries))
	return &Structure{Name: "EOM Lane Descriptors", Source: pcie11 + "EOM Lane Descriptor", Lists: []List{{
		Name: "LANE", Title: "EOM Lane Descriptors", Entry: eyeLane(), Stride: each, Count: fixed(int(u(b, atDescriptors, 2))),
	}}}
}

func eyeLane() *Structure {
	return &Structure{
		Name: "EOM Lane Descriptor", Bytes: eyeLaneBytes,
		Source: pcie11 + "EOM Lane Descriptor",
		Fields: []Field{
			{Name: "MSTATUS", Title: "Measurement Status", At: 1, Len: 1, Kind: Flags, Bits: []Bits{
				{Low: 0, Name: "MS", Title: "Measurement Succeeded"},
			}},
			{Name: "LN", Title: "Lane", At: 2, Len: 1},
			{Name: "EYE", Title: "Eye", At: 3, Len: 1},
			{Name: "TOP", Title: "Top", At: 4, Len: 2},
			{Name: "BTM", Title: "Bottom", At: 6, Len: 2},
			{Name: "LFT", Title: "Left", At: 8, Len: 2},
			{Name: "RGT", Title: "Right", At: 10, Len: 2},
			{Name: "NROWS", Title: "Number of Rows", At: 12, Len: 2},
			{Name: "NCOLS", Title: "Number of Columns", At: 14, Len: 2},
			{Name: "EDLEN", Title: "Eye Data Length", At: 16, Len: 2, Unit: "bytes"},
		},
	}
}
