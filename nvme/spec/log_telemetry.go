package spec

// telemetryHostLog is the header of the Telemetry Host-Initiated log page (LID
// 07h).
func telemetryHostLog() *Structure {
	return telemetryHeader("Telemetry Host-Initiated", "HI",
		"Telemetry Host-Initiated (Log Page Identifier 07h)",
		Field{Name: "THS", Title: "Telemetry Host-Initiated Scope", At: 380, Len: 1, Since: "2.1", Values: telemetryScopes()},
		Field{Name: "THDGN", Title: "Telemetry Host-Initiated Data Generation Number", At: 381, Len: 1, Since: "2.0"})
}

// telemetryControllerLog is the header of the Telemetry Controller-Initiated
// log page (LID 08h).
func telemetryControllerLog() *Structure {
	return telemetryHeader("Telemetry Controller-Initiated", "CI",
		"Telemetry Controller-Initiated (Log Page Identifier 08h)",
		Field{Name: "TCS", Title: "Telemetry Controller-Initiated Scope", At: 381, Len: 1, Since: "2.1", Values: telemetryScopes()})
}

func telemetryHeader(title, who, section string, scope ...Field) *Structure {
	fields := []Field{
		{Name: "LID", Title: "Log Page Identifier", At: 0, Len: 1, Kind: Flags},
		{Name: "IEEE", Title: "IEEE OUI Identifier", At: 5, Len: 3, Kind: Flags},
		{Name: "T" + who + "DA1LB", Title: "Data Area 1 Last Block", At: 8, Len: 2, Zero: "no data"},
		{Name: "T" + who + "DA2LB", Title: "Data Area 2 Last Block", At: 10, Len: 2, Zero: "no data"},
		{Name: "T" + who + "DA3LB", Title: "Data Area 3 Last Block", At: 12, Len: 2, Zero: "no data"},
		{Name: "T" + who + "DA4LB", Title: "Data Area 4 Last Block", At: 16, Len: 4, Since: "2.0", Zero: "no data"},
	}
	fields = append(append(fields, scope...),
		Field{Name: "TCDA", Title: "Telemetry Controller-Initiated Data Available", At: 382, Len: 1},
		Field{Name: "TCDGN", Title: "Telemetry Controller-Initiated Data Generation Number", At: 383, Len: 1},
		Field{Name: "RID", Title: "Reason Identifier", At: 384, Len: 128, Kind: Hex, Zero: "none"})
	return &Structure{Name: title, Source: base21 + section, Bytes: 512, Fields: fields}
}

func telemetryScopes() map[uint64]string {
	return map[uint64]string{0: NotReported, 1: "controller", 2: "NVM subsystem"}
}
