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

// The attributes of Performance Characteristics.
const performanceBytes = 4096

func performance() Feature {
	const title = "Performance Characteristics"
	return Feature{
		FID: uint8(nvme.FIDPerformance), Name: "perf-characteristics", Title: title, When: unlisted,
		Result: dword0(nvmSpec, title),
		Set: dwords(nvmSpec, title, []Bits{
			{High: 7, Low: 0, Name: "ATTRI", Title: "Attribute Index", Values: map[uint64]string{0: "Standard Performance Attribute", 0xC0: "Performance Attribute Identifier List"}},
			{Low: 8, Name: "RVSPA", Title: "Revert Vendor Specific Performance Attribute", Values: map[uint64]string{0: "no", 1: "the saved attribute is deleted"}},
		}),
		DataBytes: performanceBytes,
		Data: &Structure{
			Name: "attribute", Title: "Standard Performance Attribute", Source: nvmSpec + "Performance Characteristics - Standard Performance Attribute", Bytes: performanceBytes,
			Fields: []Field{{Name: "R4KARL", Title: "Random 4 KiB Average Read Latency", At: 4, Len: 1, Values: readLatencies(), Since: "2.0"}},
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
