package spec

// smartLog is the SMART / Health Information log page (LID 02h).
func smartLog() *Structure {
	counter := func(name, title string, at int, unit string) Field {
		return Field{Name: name, Title: title, At: at, Len: 16, Unit: unit}
	}
	fields := []Field{
		{Name: "CW", Title: "Critical Warning", At: 0, Len: 1, Kind: Flags, Bits: criticalWarning()},
		{Name: "CTEMP", Title: "Composite Temperature", At: 1, Len: 2, Unit: "kelvin", Zero: NotReported},
		{Name: "AVSP", Title: "Available Spare", At: 3, Len: 1, Unit: "percent"},
		{Name: "AVSPT", Title: "Available Spare Threshold", At: 4, Len: 1, Unit: "percent"},
		{Name: "PUSED", Title: "Percentage Used", At: 5, Len: 1, Unit: "percent"},
		{Name: "EGCWS", Title: "Endurance Group Critical Warning Summary", At: 6, Len: 1, Kind: Flags, Since: "1.4", Bits: []Bits{
			{Low: 0, Name: "EGASCBT", Title: "Available Spare Capacity Below Threshold"},
			{Low: 2, Name: "EGDR", Title: "Degraded Reliability"},
			{Low: 3, Name: "EGRO", Title: "Read Only"},
		}},
		counter("DUR", "Data Units Read", 32, "data_units"),
		counter("DUW", "Data Units Written", 48, "data_units"),
		counter("HRC", "Host Read Commands", 64, ""),
		counter("HWC", "Host Write Commands", 80, ""),
		counter("CBT", "Controller Busy Time", 96, "minutes"),
		counter("PWRC", "Power Cycles", 112, ""),
		counter("POH", "Power On Hours", 128, "hours"),
		counter("UPL", "Unexpected Power Losses", 144, ""),
		counter("MDIE", "Media and Data Integrity Errors", 160, ""),
		counter("NEILE", "Number of Error Information Log Entries", 176, ""),
		{Name: "WCTT", Title: "Warning Composite Temperature Time", At: 192, Len: 4, Unit: "minutes"},
		{Name: "CCTT", Title: "Critical Composite Temperature Time", At: 196, Len: 4, Unit: "minutes"},
	}
	fields = append(fields, temperatureSensors()...)
	return &Structure{
		Name: "SMART / Health Information", Bytes: 512,
		Source: base21 + "SMART / Health Information (Log Page Identifier 02h)",
		Fields: append(fields,
			Field{Name: "TMT1TC", Title: "Thermal Management Temperature 1 Transition Count", At: 216, Len: 4},
			Field{Name: "TMT2TC", Title: "Thermal Management Temperature 2 Transition Count", At: 220, Len: 4},
			Field{Name: "TTTMT1", Title: "Total Time For Thermal Management Temperature 1", At: 224, Len: 4, Unit: "s"},
			Field{Name: "TTTMT2", Title: "Total Time For Thermal Management Temperature 2", At: 228, Len: 4, Unit: "s"},
		),
	}
}

func criticalWarning() []Bits {
	return []Bits{
		{Low: 0, Name: "ASCBT", Title: "Available Spare Capacity Below Threshold"},
		{Low: 1, Name: "TTC", Title: "Temperature Threshold Condition"},
		{Low: 2, Name: "NDR", Title: "NVM Subsystem Degraded Reliability"},
		{Low: 3, Name: "AMRO", Title: "All Media Read-Only"},
		{Low: 4, Name: "VMBF", Title: "Volatile Memory Backup Failed"},
		{Low: 5, Name: "PMRRO", Title: "Persistent Memory Region Read-Only"},
	}
}

func temperatureSensors() []Field {
	var fields []Field
	for i := range 8 {
		n := string(rune('1' + i))
		fields = append(fields, Field{Name: "TSEN" + n, Title: "Temperature Sensor " + n, At: 200 + 2*i, Len: 2, Unit: "kelvin", Zero: "no sensor"})
	}
	return fields
}
