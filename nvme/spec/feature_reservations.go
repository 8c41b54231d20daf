package spec

import "qd1.example/qd1/nvme"

// reservationFeatures are the features of reservations and of write protection.
func reservationFeatures() []Feature {
	return []Feature{reservationMask(), reservationPersistence(), writeProtection(), bootPartitionProtection()}
}

func reservationMask() Feature {
	const title = "Reservation Notification Mask"
	mask := func(bit uint8, name, text string) Bits {
		return Bits{Low: bit, Name: name, Title: text, Values: map[uint64]string{0: "notified", 1: "masked"}}
	}
	bits := []Bits{
		mask(1, "REGPRE", "Registration Preempted Notification"),
		mask(2, "RESREL", "Reservation Released Notification"),
		mask(3, "RESPRE", "Reservation Preempted Notification"),
	}
	return Feature{
		FID: uint8(nvme.FIDReservationMask), Name: "resv-mask", Title: title, NamespaceSpecific: true,
		When:   oncs(nvme.ONCSReservations, "reservations (ONCS bit 5)"),
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, bits),
	}
}

func reservationPersistence() Feature {
	const title = "Reservation Persistence"
	bits := []Bits{{Name: "PTPL", Title: "Persist Through Power Loss", Values: map[uint64]string{
		0: "released when the power is lost", 1: "kept over a loss of power",
	}}}
	return Feature{
		FID: uint8(nvme.FIDReservationPersistence), Name: "resv-persist", Title: title, NamespaceSpecific: true,
		When:   oncs(nvme.ONCSReservations, "reservations (ONCS bit 5)"),
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, bits),
	}
}

func writeProtection() Feature {
	const title = "Namespace Write Protection Config"
	bits := []Bits{{High: 2, Low: 0, Name: "WPS", Title: "Write Protection State", Values: map[uint64]string{
		0: "no write protect", 1: "write protect", 2: "write protect until power cycle", 3: "permanent write protect",
	}}}
	return Feature{
		FID: uint8(nvme.FIDNamespaceWriteProtected), Name: "write-protect", Title: title, NamespaceSpecific: true,
		When:   where("Namespace Write Protection (NWPC bit 0)", func(id *nvme.IdentifyController) bool { return id.NWPC&1 != 0 }),
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, bits),
	}
}

func bootPartitionProtection() Feature {
	const title = "Boot Partition Write Protection Config"
	state := func(high, low uint8, name, text string) Bits {
		return Bits{High: high, Low: low, Name: name, Title: text, Values: map[uint64]string{
			0: "no change requested", 1: "write unlocked", 2: "write locked", 3: "write locked until power cycle", 4: "write protection by RPMB",
		}}
	}
	bits := []Bits{
		state(2, 0, "BP0WPS", "Boot Partition 0 Write Protection State"),
		state(5, 3, "BP1WPS", "Boot Partition 1 Write Protection State"),
	}
	return Feature{
		FID: uint8(nvme.FIDBootPartitionProtection), Name: "bp-write-protect", Title: title, When: unlisted,
		Result: dword0(baseSpec, title, bits...), Set: dwords(baseSpec, title, bits),
	}
}
