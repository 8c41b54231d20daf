package spec

// mediaUnitLog is the Media Unit Status log page (LID 10h).
func mediaUnitLog() *Structure {
	return &Structure{
		Name: "Media Unit Status", Bytes: 16,
		Source: base21 + "Media Unit Status (Log Page Identifier 10h)",
		Fields: []Field{
			{Name: "NMU", Title: "Number of Media Unit Status Descriptors", At: 0, Len: 2},
			{Name: "CCHANS", Title: "Number of Channels", At: 2, Len: 2},
			{Name: "SELCFG", Title: "Selected Configuration", At: 4, Len: 2},
		},
		Lists: []List{{
			Name: "UNIT", Title: "Media Unit Status Descriptors", At: 16, Entry: mediaUnit(), Count: CountAt(0, 2), Size: mediaUnitSize,
		}},
	}
}

const (
	mediaUnitBytes = 14
	atChannels     = 12
	atChannelsAt   = 13
)

// mediaUnitSize counts the list of channels that a descriptor ends with.
func mediaUnitSize(b []byte) int {
	if len(b) < mediaUnitBytes || b[atChannels] == 0 {
		return mediaUnitBytes
	}
	return max(int(b[atChannelsAt])+2*int(b[atChannels]), mediaUnitBytes)
}

func mediaUnit() *Structure {
	return &Structure{
		Name: "Media Unit Status Descriptor", Bytes: mediaUnitBytes,
		Source: base21 + "Media Unit Status Descriptor",
		Fields: []Field{
			{Name: "MUID", Title: "Media Unit Identifier", At: 0, Len: 2},
			{Name: "DID", Title: "Domain Identifier", At: 2, Len: 2, Zero: "no domains"},
			{Name: "ENDGID", Title: "Endurance Group Identifier", At: 4, Len: 2, Zero: "none"},
			{Name: "NVMSETID", Title: "NVM Set Identifier", At: 6, Len: 2, Zero: "none"},
			{Name: "CAF", Title: "Capacity Adjustment Factor", At: 8, Len: 2},
			{Name: "AVSP", Title: "Available Spare", At: 10, Len: 1, Unit: "percent"},
			{Name: "PUSED", Title: "Percentage Used", At: 11, Len: 1, Unit: "percent"},
			{Name: "MUCS", Title: "Number of Channels", At: atChannels, Len: 1},
			{Name: "CIO", Title: "Channel Identifiers Offset", At: atChannelsAt, Len: 1, Unit: "bytes"},
		},
	}
}

// capacityLog is the Supported Capacity Configuration List log page (LID 11h).
func capacityLog() *Structure {
	return &Structure{
		Name: "Supported Capacity Configuration List", Bytes: 16,
		Source: base21 + "Supported Capacity Configuration List (Log Page Identifier 11h)",
		Fields: []Field{{Name: "SCCN", Title: "Supported Capacity Configurations Number", At: 0, Len: 1}},
		Lists: []List{{
			Name: "CONFIGURATION", Title: "Capacity Configuration Descriptors", At: 16, Count: CountAt(0, 1), Size: capacitySize,
			Entry: &Structure{
				Name: "Capacity Configuration Descriptor", Bytes: 32,
				Source: base21 + "Capacity Configuration Descriptor",
				Fields: []Field{
					{Name: "CCID", Title: "Capacity Configuration Identifier", At: 0, Len: 2},
					{Name: "DID", Title: "Domain Identifier", At: 2, Len: 2, Zero: "no domains"},
					{Name: "EGCN", Title: "Endurance Group Configuration Number", At: 4, Len: 2},
				},
				Lists: []List{{
					Name: "GROUP", Title: "Endurance Group Configuration Descriptors", At: 32,
					Entry: groupConfiguration(), Count: CountAt(4, 2), Size: groupConfigurationSize,
				}},
			},
		}},
	}
}

// capacitySize is the length of a configuration with its groups.
func capacitySize(b []byte) int {
	n := 32
	for groups := u(b, 4, 2); groups > 0 && n < len(b); groups-- {
		n += groupConfigurationSize(b[n:])
	}
	return n
}

const (
	groupConfigurationBytes = 82
	atSets                  = 80
)

func groupConfiguration() *Structure {
	return &Structure{
		Name: "Endurance Group Configuration Descriptor", Bytes: groupConfigurationBytes,
		Source: base21 + "Endurance Group Configuration Descriptor",
		Fields: []Field{
			{Name: "ENDGID", Title: "Endurance Group Identifier", At: 0, Len: 2},
			{Name: "CAF", Title: "Capacity Adjustment Factor", At: 2, Len: 2},
			{Name: "TEGCAP", Title: "Total Endurance Group Capacity", At: 16, Len: 16, Unit: "bytes"},
			{Name: "SEGCAP", Title: "Spare Endurance Group Capacity", At: 32, Len: 16, Unit: "bytes"},
			{Name: "EE", Title: "Endurance Estimate", At: 48, Len: 16, Unit: "gb", Zero: NotReported},
			{Name: "EGSETS", Title: "Number of NVM Sets", At: atSets, Len: 2},
		},
		Variant: groupMembers,
	}
}

// groupMembers are the NVM sets and the channels of a group, which follow it: as
// many as it counts.
func groupMembers(b []byte) *Structure {
	sets := int(u(b, atSets, 2))
	at := 2 * sets
	return &Structure{
		Name: "Endurance Group Members", Bytes: at + 2, Source: base21 + "Endurance Group Configuration Descriptor",
		Fields: []Field{{Name: "EGCHANS", Title: "Number of Channels", At: at, Len: 2}},
		Lists: []List{
			{Name: "SET", Title: "NVM Set Identifiers", Count: fixed(sets),
				Entry: oneNumber("NVMSETID", "NVM Set Identifier", base21+"Endurance Group Configuration Descriptor", 2, "")},
			{Name: "CHANNEL", Title: "Channel Configuration Descriptors", At: at + 2, Count: CountAt(at, 2), Size: channelSize, Entry: channel()},
		},
	}
}

// channelSize is the length of a channel with its media units.
func channelSize(b []byte) int { return listSize(4, 2, 2, 8)(b) }

func channel() *Structure {
	return &Structure{
		Name: "Channel Configuration Descriptor", Bytes: 4, Source: base21 + "Channel Configuration Descriptor",
		Fields: []Field{
			{Name: "CHANID", Title: "Channel Identifier", At: 0, Len: 2},
			{Name: "CHMUS", Title: "Channel Media Units", At: 2, Len: 2},
		},
		Lists: []List{{
			Name: "UNIT", Title: "Media Unit Configuration Descriptors", At: 4, Count: CountAt(2, 2),
			Entry: &Structure{
				Name: "Media Unit Configuration Descriptor", Bytes: 8, Source: base21 + "Media Unit Configuration Descriptor",
				Fields: []Field{
					{Name: "MUID", Title: "Media Unit Identifier", At: 0, Len: 2},
					{Name: "MUDL", Title: "Media Unit Descriptor Length", At: 6, Len: 2, Unit: "bytes"},
				},
			},
		}},
	}
}

// groupConfigurationSize is the length of a group with all of its members.
func groupConfigurationSize(b []byte) int {
	n := groupConfigurationBytes + 2*int(u(b, atSets, 2))
	channels := int(u(b, n, 2))
	n += 2
	for ; channels > 0 && n < len(b); channels-- {
		n += channelSize(b[n:])
	}
	return n
}
