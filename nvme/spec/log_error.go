package spec

import "qd1.example/qd1/nvme"

// supportedPagesLog is the Supported Log Pages log page (LID 00h).
func supportedPagesLog() *Structure {
	return &Structure{
		Name: "Supported Log Pages", Bytes: 1024,
		Source: base21 + "Supported Log Pages (Log Page Identifier 00h)",
		Lists: []List{{
			Name: "LID", Title: "LID Supported and Effects", Index: "lid", Label: byLID,
			Entry: supportedPage(), Count: fixed(256), Skip: ZeroEntry,
		}},
	}
}

func supportedPage() *Structure {
	return &Structure{
		Name: "LID Supported and Effects", Bytes: 4,
		Source: base21 + "LID Supported and Effects Data Structure",
		Fields: []Field{{Name: "LIDSE", Title: "LID Supported and Effects", At: 0, Len: 4, Kind: Flags, Bits: []Bits{
			{Low: 0, Name: "LSUPP", Title: "LID Supported"},
			{Low: 1, Name: "IOS", Title: "Index Offset Supported"},
			{High: 31, Low: 16, Name: "LIDSP", Title: "LID Specific Parameter"},
		}}},
	}
}

// errorLog is the Error Information log page (LID 01h).
func errorLog() *Structure {
	return &Structure{
		Name:   "Error Information",
		Source: base21 + "Error Information (Log Page Identifier 01h)",
		Lists: []List{{
			Name: "ENTRY", Title: "Error Information Log Entries",
			Entry: errorLogEntry(), Skip: ZeroEntry,
		}},
	}
}

func errorLogEntry() *Structure {
	return &Structure{
		Name: "Error Information Log Entry", Bytes: 64,
		Source: base21 + "Error Information Log Entry Data Structure",
		Fields: []Field{
			{Name: "ECNT", Title: "Error Count", At: 0, Len: 8, Zero: "empty entry"},
			{Name: "SQID", Title: "Submission Queue ID", At: 8, Len: 2, Ones: "no queue", Note: adminQueue},
			{Name: "CID", Title: "Command ID", At: 10, Len: 2, Ones: "no command"},
			{Name: "STSINFO", Title: "Status Info", At: 12, Len: 2, Kind: Flags, Note: loggedStatus, Bits: []Bits{
				{Low: 0, Name: "P", Title: "Phase Tag"},
				{High: 8, Low: 1, Name: "SC", Title: "Status Code", Kind: Flags},
				{High: 11, Low: 9, Name: "SCT", Title: "Status Code Type", Values: statusTypes()},
				{High: 13, Low: 12, Name: "CRD", Title: "Command Retry Delay"},
				{Low: 14, Name: "M", Title: "More"},
				{Low: 15, Name: "DNR", Title: "Do Not Retry"},
			}},
			{Name: "PELOC", Title: "Parameter Error Location", At: 14, Len: 2, Kind: Flags, Ones: "no parameter", Bits: []Bits{
				{High: 7, Low: 0, Name: "BYTE", Title: "Byte in Command"},
				{High: 10, Low: 8, Name: "BIT", Title: "Bit in Byte"},
			}},
			{Name: "LBA", Title: "Logical Block Address", At: 16, Len: 8},
			{Name: "NSID", Title: "Namespace Identifier", At: 24, Len: 4, Zero: "none", Ones: "all"},
			{Name: "VSIA", Title: "Vendor Specific Information Available", At: 28, Len: 1, Zero: "none"},
			{Name: "TRTYPE", Title: "Transport Type", At: 29, Len: 1, Since: "1.3", Values: transports()},
			{Name: "CSI", Title: "Command Set Indicator", At: 30, Len: 1, Since: "2.1", Values: commandSets()},
			{Name: "OPC", Title: "Opcode", At: 31, Len: 1, Kind: Flags, Since: "2.1"},
			{Name: "CSINFO", Title: "Command Specific Information", At: 32, Len: 8},
			{Name: "TTSI", Title: "Transport Type Specific Information", At: 40, Len: 2, Since: "1.4"},
			{Name: "LPVER", Title: "Log Page Version", At: 63, Len: 1, Since: "2.1"},
		},
	}
}

// adminQueue names the submission queue of the admin commands.
func adminQueue(entry []byte) string {
	if u(entry, 8, 2) == 0 {
		return "admin queue"
	}
	return ""
}

// loggedStatus is the name of the status of an entry.
func loggedStatus(entry []byte) string {
	return nvme.StatusInfo(u(entry, 12, 2)).Status().Code().String()
}

func transports() map[uint64]string {
	return map[uint64]string{0: "none", 1: "RDMA", 2: "Fibre Channel", 3: "TCP", 254: "intra-host"}
}

func commandSets() map[uint64]string {
	return map[uint64]string{0: "NVM", 1: "Key Value", 2: "Zoned Namespace", 3: "Subsystem Local Memory", 4: "Computational Programs"}
}

func statusTypes() map[uint64]string {
	return map[uint64]string{
		0: "generic", 1: "command specific", 2: "media and data integrity", 3: "path related", 7: "vendor specific",
	}
}
