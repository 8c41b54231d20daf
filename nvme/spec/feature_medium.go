package spec

import "qd1.example/qd1/nvme"

// mediumFeatures are the features of sanitize, endurance and performance.
func mediumFeatures() []Feature {
	return []Feature{sanitizeConfig(), enduranceGroupEvents(), performance()}
}

func sanitizeConfig() Feature {
	const title = "Sanitize Config"
	const noDeallocateInhibited = 1 << 29
	bits := []Bits{{Name: "NODRM", Title: "No-Deallocate Response Mode", Values: map[uint64]string{
		0: "error: a sanitize that is not to deallocate is refused", 1: "warning: a sanitize that is not to deallocate goes, and deallocates",
	}}}
	return Feature{
		FID: uint8(nvme.FIDSanitizeConfig), Name: "sanitize", Title: title,
		When: where("it obeys No-Deallocate After Sanitize (SANICAP bit 29), so that there is nothing to choose", func(id *nvme.IdentifyController) bool {
			return id.SANICAP&noDeallocateInhibited != 0
		}),
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, bits),
	}
}

func enduranceGroupEvents() Feature {
	const title = "Endurance Group Event Configuration"
	bits := []Bits{
		{High: 15, Low: 0, Name: "ENDGID", Title: "Endurance Group Identifier"},
		onOff(16, "EGCW0", "Endurance Group Critical Warning: available spare"),
		onOff(18, "EGCW2", "Endurance Group Critical Warning: reliability"),
		onOff(19, "EGCW3", "Endurance Group Critical Warning: read only"),
	}
	return Feature{
		FID: uint8(nvme.FIDEnduranceGroupEvents), Name: "endurance-evt-cfg", Title: title,
		When: where("Endurance Group Event Aggregate Log Change Notices (OAES bit 14)", func(id *nvme.IdentifyController) bool {
			return id.OAES&(1<<14) != 0 && id.CTRATT&ctrattEnduranceGroups != 0
		}),
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, bits),
	}
}

// The attributes of Performance Characteristics: their length, and the indexes
// with a meaning. Those above the list are the vendor's.
const (
	performanceBytes  = 4096
	standardAttribute = 0x00
	attributeList     = 0xC0
)

func performance() Feature {
	const title = "Performance Characteristics"
	return Feature{
		FID: uint8(nvme.FIDPerformance), Name: "perf-characteristics", Title: title, When: unlisted,
		Result: dword0(nvmSpec, title),
		Set: dwords(nvmSpec, title, []Bits{
			{High: 7, Low: 0, Name: "ATTRI", Title: "Attribute Index", Values: map[uint64]string{standardAttribute: "Standard Performance Attribute", attributeList: "Performance Attribute Identifier List"}},
			{Low: 8, Name: "RVSPA", Title: "Revert Vendor Specific Performance Attribute", Values: map[uint64]string{0: "no", 1: "the saved attribute is deleted"}},
		}),
		DataBytes: performanceBytes,
		Data: &Structure{
			Name: "attribute", Title: "Standard Performance Attribute", Source: nvmSpec + "Performance Characteristics - Standard Performance Attribute", Bytes: performanceBytes,
			Fields: []Field{{Name: "R4KARL", Title: "Random 4 KiB Average Read Latency", At: 4, Len: 1, Values: readLatencies(), Since: "2.0"}},
		},
	}
}

// performanceAttribute is the data structure of an Attribute Index, nil for one
// that is reserved.
func performanceAttribute(index uint8) *Structure {
	switch {
	case index == standardAttribute:
		return performance().Data
	case index == attributeList:
		return performanceList()
	case index > attributeList:
		return vendorPerformance()
	}
	return nil
}

// performanceList says which attributes of the vendor there are.
func performanceList() *Structure {
	const source = nvmSpec + "Performance Characteristics - Performance Attribute Identifier List"
	return &Structure{
		Name: "list", Title: "Performance Attribute Identifier List", Source: source, Bytes: performanceBytes,
		Fields: []Field{
			{Name: "ATTRTYP", Title: "Attribute Type", At: 0, Len: 1, Kind: Flags, Since: "2.0", Bits: []Bits{
				{High: 2, Low: 0, Name: "ATYPE", Title: "Attribute Type"},
			}},
			{Name: "MSVSPA", Title: "Maximum Saveable Vendor Specific Performance Attributes", At: 1, Len: 1, Since: "2.0"},
			{Name: "USVSPA", Title: "Unused Saveable Vendor Specific Performance Attributes", At: 2, Len: 1, Since: "2.0"},
		},
		Lists: []List{{Name: "PAID", Title: "Performance Attribute Identifiers", At: 16, Count: fixed(63), Skip: ZeroEntry, Index: "attribute", Entry: &Structure{
			Name: "Performance Attribute Identifier", Source: source, Bytes: 16,
			Fields: []Field{{Name: "PAID", Title: "Performance Attribute Identifier", At: 0, Len: 16, Kind: Hex}},
		}}},
	}
}

// vendorPerformance is an attribute of the vendor.
func vendorPerformance() *Structure {
	return &Structure{
		Name: "attribute", Title: "Vendor Specific Performance Attribute", Bytes: performanceBytes,
		Source: nvmSpec + "Performance Characteristics - Vendor Specific Performance Attribute",
		Fields: []Field{
			{Name: "PAID", Title: "Performance Attribute Identifier", At: 0, Len: 16, Kind: Hex, Zero: "none", Since: "2.0"},
			{Name: "ATTRL", Title: "Attribute Length", At: 30, Len: 2, Unit: "bytes", Since: "2.0"},
			{Name: "VS", Title: "Vendor Specific", At: 32, Len: 4064, Kind: Hex, Since: "2.0"},
		},
	}
}

// readLatencies are the classes of latency, from the longest to the shortest.
func readLatencies() map[uint64]string {
	return map[uint64]string{
		0x00: "not reported", 0x01: "100 s or more", 0x02: "50 s to 100 s", 0x03: "10 s to 50 s", 0x04: "5 s to 10 s", 0x05: "1 s to 5 s",
		0x06: "500 ms to 1 s", 0x07: "100 ms to 500 ms", 0x08: "50 ms to 100 ms", 0x09: "10 ms to 50 ms", 0x0A: "5 ms to 10 ms", 0x0B: "1 ms to 5 ms",
		0x0C: "500 µs to 1 ms", 0x0D: "100 µs to 500 µs", 0x0E: "50 µs to 100 µs", 0x0F: "10 µs to 50 µs", 0x10: "5 µs to 10 µs", 0x11: "1 µs to 5 µs",
		0x12: "500 ns to 1 µs", 0x13: "100 ns to 500 ns", 0x14: "50 ns to 100 ns", 0x15: "10 ns to 50 ns", 0x16: "5 ns to 10 ns", 0x17: "1 ns to 5 ns",
	}
}
