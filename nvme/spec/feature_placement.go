package spec

import "qd1.example/qd1/nvme"

// placementFeatures are those of Flexible Data Placement.
func placementFeatures() []Feature { return []Feature{dataPlacement(), dataPlacementEvents()} }

func dataPlacement() Feature {
	const title = "Flexible Data Placement"
	bits := []Bits{
		onOff(0, "FDPE", "Flexible Data Placement Enable"),
		{High: 15, Low: 8, Name: "FDPCIDX", Title: "Flexible Data Placement Configuration Index"},
	}
	return Feature{
		FID: uint8(nvme.FIDDataPlacement), Name: "fdp", Title: title,
		When:   ctratt(ctrattFlexiblePlacement, "Flexible Data Placement (CTRATT bit 19)"),
		Result: dword0(baseSpec, title, bits...),
		Set:    dwords(baseSpec, title, []Bits{{High: 15, Low: 0, Name: "ENDGID", Title: "Endurance Group Identifier"}}, bits),
	}
}

// The events that Get Features can tell of, at two bytes each.
const (
	placementEvents     = 255
	placementEventBytes = 2
)

func dataPlacementEvents() Feature {
	const title = "Flexible Data Placement Events"
	return Feature{
		FID: uint8(nvme.FIDDataPlacementEvents), Name: "fdp-events", Title: title, NamespaceSpecific: true,
		When:   ctratt(ctrattFlexiblePlacement, "Flexible Data Placement (CTRATT bit 19)"),
		Result: dword0(baseSpec, title, Bits{High: 7, Low: 0, Name: "NOET", Title: "Number of FDP Event Types", Unit: "events"}),
		Set: dwords(baseSpec, title,
			[]Bits{{High: 15, Low: 0, Name: "PHNDL", Title: "Placement Handle"}, {High: 23, Low: 16, Name: "NOET", Title: "Number of FDP Event Types", Unit: "events"}},
			[]Bits{onOff(0, "FDPEE", "FDP Event Enable")}),
		DataBytes: placementEvents*placementEventBytes + placementEventBytes,
		Data: &Structure{
			Name: "events", Title: title, Source: baseSpec + "FDP Events - Get Feature Data Structure",
			Lists: []List{{Name: "events", Title: "Supported FDP Event Type List", Skip: ZeroEntry, Entry: &Structure{
				Name: "event", Title: "Supported FDP Event Descriptor", Source: baseSpec + "Supported FDP Event Descriptor", Bytes: placementEventBytes,
				Fields: []Field{
					{Name: "FDPET", Title: "FDP Event Type", At: 0, Len: 1, Since: "2.1", Values: map[uint64]string{
						0: "Reclaim Unit Not Fully Written To Capacity", 1: "Reclaim Unit Time Limit Exceeded",
						2: "Controller Level Reset Modified Reclaim Unit Handles", 3: "Invalid Placement Identifier",
						0x80: "Media Reallocated", 0x81: "Implicitly Modified Reclaim Unit Handle",
					}},
					{Name: "FDPETA", Title: "FDP Event Type Attributes", At: 1, Len: 1, Kind: Flags, Since: "2.1", Bits: []Bits{onOff(0, "FDPEE", "FDP Event Enable")}},
				},
			}}},
		},
	}
}
