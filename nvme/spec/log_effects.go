package spec

// effectsLog is the Commands Supported and Effects log page (LID 05h).
func effectsLog() *Structure {
	const commands = 256
	return &Structure{
		Name: "Commands Supported and Effects", Bytes: 4096,
		Source: base21 + "Commands Supported and Effects (Log Page Identifier 05h)",
		Lists: []List{
			{Name: "ADMIN", Title: "Admin Commands Supported", Entry: commandEffects(), Count: fixed(commands), Skip: ZeroEntry, Index: "opcode", Label: byAdminOpcode},
			{Name: "IO", Title: "I/O Commands Supported", At: 1024, Entry: commandEffects(), Count: fixed(commands), Skip: ZeroEntry, Index: "opcode", Label: byIOOpcode},
		},
	}
}

func commandEffects() *Structure {
	return effects("Commands Supported and Effects", "Commands Supported and Effects Data Structure", []Bits{
		{Low: 0, Name: "CSUPP", Title: "Command Supported"},
		{Low: 1, Name: "LBCC", Title: "Logical Block Content Change"},
		{Low: 2, Name: "NCC", Title: "Namespace Capability Change"},
		{Low: 3, Name: "NIC", Title: "Namespace Inventory Change"},
		{Low: 4, Name: "CCC", Title: "Controller Capability Change"},
		{High: 15, Low: 14, Name: "CSER", Title: "Command Submission and Execution Relaxations"},
		{High: 18, Low: 16, Name: "CSE", Title: "Command Submission and Execution", Values: map[uint64]string{
			0: "no restriction", 1: "no other command for the same namespace", 2: "no other command for any namespace"}},
		{Low: 19, Name: "USS", Title: "UUID Selection Supported"},
		{High: 31, Low: 20, Name: "CSP", Title: "Command Scope"},
	})
}

// featuresEffectsLog is the Feature Identifiers Supported and Effects log page
// (LID 12h).
func featuresEffectsLog() *Structure {
	return &Structure{
		Name: "Feature Identifiers Supported and Effects", Bytes: 1024,
		Source: base21 + "Feature Identifiers Supported and Effects (Log Page Identifier 12h)",
		Lists: []List{{
			Name: "FID", Title: "FID Supported and Effects", Count: fixed(256), Skip: ZeroEntry, Index: "fid", Label: byFID,
			Entry: effects("FID Supported and Effects", "FID Supported and Effects Data Structure", append(
				dataEffects("FSUPP", "FID Supported"),
				Bits{Low: 19, Name: "USS", Title: "UUID Selection Supported"},
				Bits{Low: 20, Name: "NSCPE", Title: "Namespace Scope"},
				Bits{Low: 21, Name: "CSCPE", Title: "Controller Scope"},
				Bits{Low: 22, Name: "NSETSCPE", Title: "NVM Set Scope"},
				Bits{Low: 23, Name: "EGSCPE", Title: "Endurance Group Scope"},
				Bits{Low: 24, Name: "DSCPE", Title: "Domain Scope"},
				Bits{Low: 25, Name: "NSSSCPE", Title: "NVM Subsystem Scope"},
				Bits{Low: 26, Name: "CDQSCP", Title: "Controller Data Queue Scope"},
			)),
		}},
	}
}

// managementEffectsLog is the NVMe-MI Commands Supported and Effects log page
// (LID 13h).
func managementEffectsLog() *Structure {
	return &Structure{
		Name: "NVMe-MI Commands Supported and Effects", Bytes: 4096,
		Source: base21 + "NVMe-MI Commands Supported and Effects (Log Page Identifier 13h)",
		Lists: []List{{
			Name: "COMMAND", Title: "Management Interface Commands Supported", Count: fixed(256), Skip: ZeroEntry, Index: "opcode", Label: byNumber,
			Entry: effects("NVMe-MI Commands Supported and Effects", "NVMe-MI Commands Supported and Effects Data Structure", append(
				dataEffects("CSUPP", "Command Supported"),
				Bits{High: 31, Low: 20, Name: "CSP", Title: "Command Scope"},
			)),
		}},
	}
}

// dataEffects are what a feature or a management command changes.
func dataEffects(supported, title string) []Bits {
	return []Bits{
		{Low: 0, Name: supported, Title: title},
		{Low: 1, Name: "UDCC", Title: "User Data Content Change"},
		{Low: 2, Name: "NCC", Title: "Namespace Capability Change"},
		{Low: 3, Name: "NIC", Title: "Namespace Inventory Change"},
		{Low: 4, Name: "CCC", Title: "Controller Capability Change"},
	}
}

// effects is an entry of one dword.
func effects(title, section string, bits []Bits) *Structure {
	return &Structure{
		Name: title, Source: base21 + section, Bytes: 4,
		Fields: []Field{{Name: "EFFECTS", Title: title, At: 0, Len: 4, Kind: Flags, Bits: bits}},
	}
}
