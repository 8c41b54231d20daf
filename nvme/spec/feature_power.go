package spec

import "qd1.example/qd1/nvme"

// powerFeatures are the features of power and heat.
func powerFeatures() []Feature {
	return []Feature{
		powerManagement(), temperatureThreshold(), autonomousTransition(), thermalManagement(),
		nonOperationalPower(), spinupControl(), powerLossSignaling(),
	}
}

func powerManagement() Feature {
	const title = "Power Management"
	bits := []Bits{
		{High: 4, Low: 0, Name: "PS", Title: "Power State"},
		{High: 7, Low: 5, Name: "WH", Title: "Workload Hint", Values: map[uint64]string{
			0: "no workload", 1: "extended idle period with a burst of random writes", 2: "heavy sequential writes",
		}},
	}
	return Feature{
		FID: uint8(nvme.FIDPowerManagement), Name: "power-mgmt", Title: title,
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, bits),
	}
}

// temperatureThreshold: Get Features gives the threshold, and the selection only
// as far as a drive returns it.
func temperatureThreshold() Feature {
	const title = "Temperature Threshold"
	fields := []Field{
		{Name: "TMPTH", Title: "Temperature Threshold", At: 0, Len: 2, Unit: "kelvin"},
		{Name: "TMPS", Title: "Threshold selection", At: 2, Len: 2, Kind: Flags, Bits: []Bits{
			{High: 3, Low: 0, Name: "TMPSEL", Title: "Threshold Temperature Select", Values: map[uint64]string{
				0: "Composite Temperature", 1: "Temperature Sensor 1", 2: "Temperature Sensor 2", 3: "Temperature Sensor 3",
				4: "Temperature Sensor 4", 5: "Temperature Sensor 5", 6: "Temperature Sensor 6", 7: "Temperature Sensor 7",
				8: "Temperature Sensor 8", 15: "all temperatures",
			}},
			{High: 5, Low: 4, Name: "THSEL", Title: "Threshold Type Select", Values: map[uint64]string{
				0: "over temperature threshold", 1: "under temperature threshold",
			}},
			{High: 8, Low: 6, Name: "TMPTHH", Title: "Temperature Threshold Hysteresis", Unit: "kelvins"},
		}},
	}
	return Feature{
		FID: uint8(nvme.FIDTemperatureThreshold), Name: "temp-thresh", Title: title,
		Result: dwordOf("result", baseSpec, title, fields), Set: dwordOf("set", baseSpec, title, fields),
	}
}

const (
	apstBytes      = 256
	apstEntryBytes = 8
)

func autonomousTransition() Feature {
	const title = "Autonomous Power State Transition"
	bits := []Bits{onOff(0, "APSTE", "Autonomous Power State Transition Enable")}
	return Feature{
		FID: uint8(nvme.FIDAutonomousTransition), Name: "auto-pst", Title: title,
		When:   where("APSTA bit 0", func(id *nvme.IdentifyController) bool { return id.APSTA&1 != 0 }),
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, bits),
		DataBytes: apstBytes,
		Data: &Structure{
			Name: "transitions", Title: title, Source: baseSpec + title + " - Data Structure", Bytes: apstBytes,
			Lists: []List{{Name: "PS", Title: "power states with an entry", Index: "power_state", Skip: ZeroEntry, Entry: &Structure{
				Name: "transition", Title: "Data Structure Entry", Source: baseSpec + title + " - Data Structure Entry", Bytes: apstEntryBytes,
				Fields: []Field{{Name: "ENTRY", Title: "Data Structure Entry", At: 0, Len: apstEntryBytes, Kind: Flags, Bits: []Bits{
					{High: 7, Low: 3, Name: "ITPS", Title: "Idle Transition Power State"},
					{High: 31, Low: 8, Name: "ITPT", Title: "Idle Time Prior to Transition", Unit: "ms", Values: map[uint64]string{0: "no transition"}},
				}}},
			}}},
		},
	}
}

func thermalManagement() Feature {
	const title = "Host Controlled Thermal Management"
	fields := []Field{
		{Name: "TMT2", Title: "Thermal Management Temperature 2", At: 0, Len: 2, Unit: "kelvin", Zero: "off"},
		{Name: "TMT1", Title: "Thermal Management Temperature 1", At: 2, Len: 2, Unit: "kelvin", Zero: "off"},
	}
	return Feature{
		FID: uint8(nvme.FIDThermalManagement), Name: "hctm", Title: title,
		When:   where("HCTMA bit 0", func(id *nvme.IdentifyController) bool { return id.HCTMA&1 != 0 }),
		Result: dwordOf("result", baseSpec, title, fields), Set: dwordOf("set", baseSpec, title, fields),
	}
}

func nonOperationalPower() Feature {
	const title = "Non-Operational Power State Config"
	bits := []Bits{onOff(0, "NOPPME", "Non-Operational Power State Permissive Mode Enable")}
	return Feature{
		FID: uint8(nvme.FIDNonOperationalPower), Name: "nopsc", Title: title,
		When:   ctratt(ctrattNonOperational, "Non-Operational Power State Permissive Mode (CTRATT bit 1)"),
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, bits),
	}
}

func spinupControl() Feature {
	const title = "Spinup Control"
	return Feature{
		FID: uint8(nvme.FIDSpinupControl), Name: "spinup-control", Title: title, When: unlisted,
		Result: dword0(baseSpec, title, onOff(0, "SCS", "Spinup Control State")),
		Set:    dwords(baseSpec, title, []Bits{onOff(0, "SCE", "Spinup Control Enable")}),
	}
}

func powerLossSignaling() Feature {
	const title = "Power Loss Signaling Config"
	bits := []Bits{{High: 1, Low: 0, Name: "PLSM", Title: "Power Loss Signaling Mode", Values: map[uint64]string{
		0: "not enabled", 1: "enabled with Emergency Power Fail", 2: "enabled with Forced Quiescence",
	}}}
	return Feature{
		FID: uint8(nvme.FIDPowerLossSignaling), Name: "power-loss-signal", Title: title, When: unlisted,
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, bits),
	}
}
