package spec

// firmwareLog is the Firmware Slot Information log page (LID 03h).
func firmwareLog() *Structure {
	fields := []Field{{Name: "AFI", Title: "Active Firmware Info", At: 0, Len: 1, Kind: Flags, Bits: []Bits{
		{High: 2, Low: 0, Name: "CAFS", Title: "Currently Active Firmware Slot"},
		{High: 6, Low: 4, Name: "NAFS", Title: "Next Active Firmware Slot"},
	}}}
	for i := range 7 {
		n := string(rune('1' + i))
		fields = append(fields, Field{Name: "FRS" + n, Title: "Firmware Revision for Slot " + n, At: 8 + 8*i, Len: 8, Kind: Text, Zero: "empty slot"})
	}
	return &Structure{
		Name: "Firmware Slot Information", Bytes: 512, Fields: fields,
		Source: base21 + "Firmware Slot Information (Log Page Identifier 03h)",
	}
}

// changedNamespacesLog is the Changed Attached Namespace List log page (LID
// 04h), and the Changed Allocated Namespace List (LID 1Ch), which has the same
// form.
func changedNamespacesLog(title, section string) *Structure {
	return &Structure{
		Name: title, Source: base21 + section,
		Lists: []List{{
			Name: "NSID", Title: "Namespace Identifiers", At: 0, Entry: oneNumber("NSID", "Namespace Identifier", base21+"Namespace List", 4, "more than 1024 changed"), Until: ZeroEntry,
		}},
	}
}
