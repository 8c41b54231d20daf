package spec

// selfTestLog is the Device Self-test log page (LID 06h).
func selfTestLog() *Structure {
	return &Structure{
		Name: "Device Self-test", Bytes: 564,
		Source: base21 + "Device Self-test (Log Page Identifier 06h)",
		Fields: []Field{
			{Name: "CDSTO", Title: "Current Device Self-test Operation", At: 0, Len: 1, Kind: Flags, Bits: []Bits{
				{High: 3, Low: 0, Name: "CDSTS", Title: "Current Device Self-test Status", Values: map[uint64]string{
					0: "none in progress", 1: "short in progress", 2: "extended in progress", 3: "host-initiated refresh in progress", 14: "vendor specific"}},
			}},
			{Name: "CDSTC", Title: "Current Device Self-test Completion", At: 1, Len: 1, Kind: Flags, Bits: []Bits{
				{High: 6, Low: 0, Name: "CPCT", Title: "Completion", Unit: "percent"},
			}},
		},
		Lists: []List{{
			Name: "RESULT", Title: "Self-test Results", At: 4, Entry: selfTestResult(), Count: fixed(20), Skip: unusedResult,
		}},
	}
}

// unusedResult reports whether a result is one of no test.
func unusedResult(b []byte) bool {
	const unused = 0xF
	return b[0]&0xF == unused || ZeroEntry(b)
}

func selfTestResult() *Structure {
	return &Structure{
		Name: "Self-test Result", Bytes: 28,
		Source: base21 + "Self-test Result Data Structure",
		Fields: []Field{
			{Name: "DSTS", Title: "Device Self-test Status", At: 0, Len: 1, Kind: Flags, Bits: []Bits{
				{High: 3, Low: 0, Name: "DSTR", Title: "Device Self-test Result", Values: selfTestOutcomes()},
				{High: 7, Low: 4, Name: "STC", Title: "Self-test Code", Values: map[uint64]string{
					1: "short", 2: "extended", 3: "host-initiated refresh", 14: "vendor specific"}},
			}},
			{Name: "SEGN", Title: "Segment Number", At: 1, Len: 1},
			{Name: "VDINFO", Title: "Valid Diagnostic Information", At: 2, Len: 1, Kind: Flags, Bits: []Bits{
				{Low: 0, Name: "NSIDV", Title: "NSID Valid"},
				{Low: 1, Name: "FLBAV", Title: "Failing LBA Valid"},
				{Low: 2, Name: "SCTV", Title: "SCT Valid"},
				{Low: 3, Name: "SCV", Title: "SC Valid"},
			}},
			{Name: "POH", Title: "Power On Hours", At: 4, Len: 8, Unit: "hours"},
			{Name: "NSID", Title: "Namespace Identifier", At: 12, Len: 4, Zero: "none", Ones: "all"},
			{Name: "FLBA", Title: "Failing LBA", At: 16, Len: 8},
			{Name: "SCTI", Title: "Status Code Type Information", At: 24, Len: 1, Kind: Flags, Bits: []Bits{
				{High: 2, Low: 0, Name: "SCT", Title: "Status Code Type"},
			}},
			{Name: "SCDE", Title: "Status Code", At: 25, Len: 1, Kind: Flags},
			{Name: "VS", Title: "Vendor Specific", At: 26, Len: 2, Kind: Hex},
		},
	}
}

func selfTestOutcomes() map[uint64]string {
	return map[uint64]string{
		0: "completed without error", 1: "aborted by a Device Self-test command", 2: "aborted by a controller reset",
		3: "aborted as a namespace was removed", 4: "aborted by a Format NVM command", 5: "fatal error, not completed",
		6: "completed, unknown segment failed", 7: "completed, a segment failed", 8: "aborted for an unknown reason",
		9: "aborted by a sanitize", 15: "not used",
	}
}
