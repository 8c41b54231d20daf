package nvme

// PersistentEventHeader is the header of the Persistent Event log page (LID
// 0Dh), 512 bytes.
//
// Source: NVM Express Base Specification, Revision 2.0, Persistent Event Log
// Page.
type PersistentEventHeader struct {
	// 0:0 Log Identifier: 0Dh.
	LID LID `json:"lid"`
	_   [3]byte
	// 7:4 Total Number of Events (TNEV).
	Events uint32 `json:"events"`
	// 15:8 Total Log Length (TLL), bytes, the header included.
	Bytes uint64 `json:"bytes"`
	// 16:16 Log Revision.
	Revision uint8 `json:"revision"`
	_        byte
	// 19:18 Log Header Length (LHL): the bytes of the header behind this field.
	HeaderBytes uint16 `json:"header_bytes"`
	// 27:20 Timestamp when the reporting context was made, milliseconds as in
	// the Timestamp feature.
	Timestamp uint64 `json:"timestamp"`
	// 43:28 Power on Hours (POH).
	PowerOnHours Uint128 `json:"power_on_hours"`
	// 51:44 Power Cycle Count.
	PowerCycles uint64 `json:"power_cycles"`
	// 53:52 PCI Vendor ID (VID).
	VID uint16 `json:"vid"`
	// 55:54 PCI Subsystem Vendor ID (SSVID).
	SSVID uint16 `json:"ssvid"`
	// 75:56 Serial Number (SN).
	SerialNumber ASCII20 `json:"sn"`
	// 115:76 Model Number (MN).
	ModelNumber ASCII40 `json:"mn"`
	// 371:116 NVM Subsystem NVMe Qualified Name (SUBNQN).
	SUBNQN ASCII256 `json:"subnqn"`
	// 373:372 Generation Number: counts the reporting contexts.
	Generation uint16 `json:"generation"`
	// 377:374 Reporting Context Information (RCI): bit 18 a context exists.
	Context uint32 `json:"context"`
	_       [102]byte
	// 511:480 Supported Events Bitmap: bit n is event type n.
	Supported [32]byte `json:"-"`
}

// PersistentEvent is the header of an event in the Persistent Event log page,
// 24 bytes. VendorBytes and EventBytes of data follow it: VendorBytes of
// vendor specific information are part of EventBytes.
//
// Source: NVM Express Base Specification, Revision 2.0, Persistent Event
// Format.
type PersistentEvent struct {
	// 0:0 Event Type.
	Type uint8 `json:"type"`
	// 1:1 Event Type Revision.
	Revision uint8 `json:"revision"`
	// 2:2 Event Header Length (EHL): the bytes of the header behind this field.
	HeaderBytes uint8 `json:"header_bytes"`
	// 3:3 Event Header Additional Information: bits 1:0 whether a port is named.
	Additional uint8 `json:"additional"`
	// 5:4 Controller Identifier.
	CNTLID uint16 `json:"cntlid"`
	// 13:6 Event Timestamp, milliseconds as in the Timestamp feature.
	Timestamp uint64 `json:"timestamp"`
	// 15:14 Port Identifier. 0 means none.
	PortID uint16 `json:"port_id"`
	_      [4]byte
	// 21:20 Vendor Specific Information Length (VSIL), bytes.
	VendorBytes uint16 `json:"vendor_bytes"`
	// 23:22 Event Length (EL), bytes behind the header.
	EventBytes uint16 `json:"event_bytes"`
}

// The types of a persistent event.
const (
	EventSMARTSnapshot    uint8 = 0x01
	EventFirmwareCommit   uint8 = 0x02
	EventTimestampChange  uint8 = 0x03
	EventPowerOnOrReset   uint8 = 0x04
	EventSubsystemError   uint8 = 0x05
	EventChangeNamespace  uint8 = 0x06
	EventFormatStart      uint8 = 0x07
	EventFormatCompletion uint8 = 0x08
	EventSanitizeStart    uint8 = 0x09
	EventSanitizeComplete uint8 = 0x0A
	EventSetFeature       uint8 = 0x0B
	EventTelemetryCreated uint8 = 0x0C
	EventThermalExcursion uint8 = 0x0D
	EventVendorSpecific   uint8 = 0xDE
	EventTCG              uint8 = 0xDF
)

// UnmarshalBinary decodes b, which must hold at least 512 bytes.
func (h *PersistentEventHeader) UnmarshalBinary(b []byte) error {
	return decode("Persistent Event log", h, b)
}

// UnmarshalBinary decodes b, which must hold at least 24 bytes.
func (e *PersistentEvent) UnmarshalBinary(b []byte) error {
	return decode("Persistent Event", e, b)
}
