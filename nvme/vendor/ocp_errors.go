package vendor

// OCPErrorRecovery is the Error Recovery page (LID C1h) of drives that follow
// the OCP Datacenter NVMe SSD Specification, 512 bytes. A drive that has
// panicked keeps count here.
//
// Source: Datacenter NVMe SSD Specification, Version 2.5, Error Recovery (Log
// Identifier C1h), as nvme-cli reads it.
type OCPErrorRecovery struct {
	_ [4]byte
	// 11:4 Panic ID of the panic the drive is in. 0 means none.
	PanicID uint64 `json:"panic_id" row:"Panic ID"`
	_       [19]byte
	// 31:31 Panic Count over the life of the drive.
	PanicCount uint8 `json:"panic_count" row:"Panic Count" unit:"count"`
	// 63:32 Previous Panic IDs, newest first. 0 means none.
	PreviousPanics [4]uint64 `json:"previous_panic_ids"`
	_              [430]byte
	// 495:494 Log Page Version.
	Version uint16 `json:"log_page_version" row:"Log Page Version"`
	// 511:496 Log Page GUID.
	GUID GUID `json:"-"`
}

// UnmarshalBinary decodes b, which must hold at least 512 bytes and the GUID of
// the page.
func (p *OCPErrorRecovery) UnmarshalBinary(b []byte) error {
	if err := decode("OCP Error Recovery", p, b); err != nil {
		return err
	}
	return p.GUID.expect("OCP Error Recovery", guidOCPErrors)
}

// Rows implements [Value].
func (p *OCPErrorRecovery) Rows() []Row { return fieldRows(p) }
