package spec

// accessLog is the Asymmetric Namespace Access log page (LID 0Ch).
func accessLog() *Structure {
	return &Structure{
		Name: "Asymmetric Namespace Access", Bytes: 16,
		Source: base21 + "Asymmetric Namespace Access (Log Page Identifier 0Ch)",
		Fields: []Field{
			{Name: "CHNGC", Title: "Change Count", At: 0, Len: 8, Zero: NotReported},
			{Name: "NAGD", Title: "Number of ANA Group Descriptors", At: 8, Len: 2},
		},
		Lists: []List{{
			Name: "GROUP", Title: "ANA Group Descriptors", At: 16, Count: CountAt(8, 2), Size: listSize(32, 4, 4, 4),
			Entry: groupDescriptor("ANA Group Descriptor", "AGID", "ANA Group ID", "NNV", "Number of NSID Values", nsidEntry(),
				Field{Name: "ANASTATE", Title: "Asymmetric Namespace Access State", At: 16, Len: 1, Kind: Flags, Bits: []Bits{
					{High: 3, Low: 0, Name: "ANAS", Title: "State", Values: map[uint64]string{
						1: "optimized", 2: "non-optimized", 3: "inaccessible", 4: "persistent loss", 15: "change"}},
				}}),
		}},
	}
}

// groupDescriptor is a group with a change count and a list of identifiers of
// four bytes. The pages of ANA and of reachability have it.
func groupDescriptor(title, id, idTitle, count, countTitle string, entry *Structure, more ...Field) *Structure {
	return &Structure{
		Name: title, Source: base21 + title, Bytes: 32,
		Fields: append([]Field{
			{Name: id, Title: idTitle, At: 0, Len: 4},
			{Name: count, Title: countTitle, At: 4, Len: 4},
			{Name: "CHNGC", Title: "Change Count", At: 8, Len: 8, Zero: NotReported},
		}, more...),
		Lists: []List{{Name: "MEMBER", Title: entry.Name + "s", At: 32, Entry: entry, Count: CountAt(4, 4)}},
	}
}

// reachabilityGroupsLog is the Reachability Groups log page (LID 1Ah).
func reachabilityGroupsLog() *Structure {
	return &Structure{
		Name: "Reachability Groups", Bytes: 16,
		Source: base21 + "Reachability Groups (Log Page Identifier 1Ah)",
		Fields: []Field{
			{Name: "CHNGC", Title: "Change Count", At: 0, Len: 8, Zero: NotReported},
			{Name: "NRGD", Title: "Number of Reachability Group Descriptors", At: 8, Len: 2},
		},
		Lists: []List{{
			Name: "GROUP", Title: "Reachability Group Descriptors", At: 16, Count: CountAt(8, 2), Size: listSize(32, 4, 4, 4),
			Entry: groupDescriptor("Reachability Group Descriptor", "RGID", "Reachability Group ID",
				"NNID", "Number of NSID Values", nsidEntry()),
		}},
	}
}

// reachabilityAssociationsLog is the Reachability Associations log page (LID
// 1Bh).
func reachabilityAssociationsLog() *Structure {
	return &Structure{
		Name: "Reachability Associations", Bytes: 16,
		Source: base21 + "Reachability Associations (Log Page Identifier 1Bh)",
		Fields: []Field{
			{Name: "CHNGC", Title: "Change Count", At: 0, Len: 8, Zero: NotReported},
			{Name: "NRAD", Title: "Number of Reachability Association Descriptors", At: 8, Len: 2},
		},
		Lists: []List{{
			Name: "ASSOCIATION", Title: "Reachability Association Descriptors", At: 16, Count: CountAt(8, 2), Size: listSize(32, 4, 4, 4),
			Entry: groupDescriptor("Reachability Association Descriptor", "RASID", "Reachability Association ID",
				"NRID", "Number of RGID Values", oneNumber("RGID", "Reachability Group ID", base21+"Reachability Association Descriptor", 4, ""),
				Field{Name: "RAC", Title: "Reachability Association Characteristics", At: 16, Len: 1, Kind: Flags}),
		}},
	}
}

// dispersedLog is the Dispersed Namespace Participating NVM Subsystems log page
// (LID 17h).
func dispersedLog() *Structure {
	const bytes = 256
	name := &Structure{Name: "Participating NVM Subsystem", Bytes: bytes, Source: base21 + "Participating NVM Subsystem Entry",
		Fields: []Field{{Name: "SUBNQN", Title: "NVM Subsystem NVMe Qualified Name", At: 0, Len: bytes, Kind: Text}}}
	return &Structure{
		Name: "Dispersed Namespace Participating NVM Subsystems", Bytes: 256,
		Source: base21 + "Dispersed Namespace Participating NVM Subsystems (Log Page Identifier 17h)",
		Fields: []Field{
			{Name: "GENCTR", Title: "Generation Counter", At: 0, Len: 8},
			{Name: "NUMPSUB", Title: "Number of Participating NVM Subsystems", At: 8, Len: 8},
		},
		Lists: []List{{Name: "SUBSYSTEM", Title: "Participating NVM Subsystems", At: 256, Entry: name, Count: CountAt(8, 8)}},
	}
}
