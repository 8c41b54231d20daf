package spec

// sanitizeLog is the Sanitize Status log page (LID 81h).
func sanitizeLog() *Structure {
	estimate := func(name, title string, at int, since string) Field {
		return Field{Name: name, Title: title, At: at, Len: 4, Unit: "s", Ones: NotReported, Since: since}
	}
	return &Structure{
		Name: "Sanitize Status", Bytes: 512,
		Source: base21 + "Sanitize Status (Log Page Identifier 81h)",
		Fields: []Field{
			{Name: "SPROG", Title: "Sanitize Progress", At: 0, Len: 2, Unit: "65536ths", Ones: "none in progress"},
			{Name: "SSTAT", Title: "Sanitize Status", At: 2, Len: 2, Kind: Flags, Bits: []Bits{
				{High: 2, Low: 0, Name: "SOS", Title: "Sanitize Operation Status", Values: map[uint64]string{
					0: "never sanitized", 1: "completed", 2: "in progress", 3: "failed", 4: "completed, deallocated all the same"}},
				{High: 7, Low: 3, Name: "OPC", Title: "Overwrite Passes Completed"},
				{Low: 8, Name: "GDE", Title: "Global Data Erased"},
				{Low: 9, Name: "MVCNCLD", Title: "Media Verification Canceled"},
			}},
			{Name: "SCDW10", Title: "Sanitize Command Dword 10 Information", At: 4, Len: 4, Kind: Flags},
			estimate("ETO", "Estimated Time For Overwrite", 8, ""),
			estimate("ETBE", "Estimated Time For Block Erase", 12, ""),
			estimate("ETCE", "Estimated Time For Crypto Erase", 16, ""),
			estimate("ETODMM", "Estimated Time For Overwrite With No-Deallocate Media Modification", 20, "1.4"),
			estimate("ETBENMM", "Estimated Time For Block Erase With No-Deallocate Media Modification", 24, "1.4"),
			estimate("ETCENMM", "Estimated Time For Crypto Erase With No-Deallocate Media Modification", 28, "1.4"),
			estimate("ETPVDS", "Estimated Time For Post-Verification Deallocation State", 32, "2.1"),
			{Name: "SSI", Title: "Sanitize State Information", At: 36, Len: 1, Kind: Flags, Since: "2.1", Bits: []Bits{
				{High: 3, Low: 0, Name: "SANS", Title: "Sanitize State", Values: sanitizeStates()},
				{High: 7, Low: 4, Name: "FAILS", Title: "Failure State", Values: sanitizeStates()},
			}},
		},
	}
}

func sanitizeStates() map[uint64]string {
	return map[uint64]string{
		0: "idle", 1: "restricted processing", 2: "restricted failure", 3: "unrestricted processing",
		4: "unrestricted failure", 5: "media verification", 6: "post-verification deallocation",
	}
}
