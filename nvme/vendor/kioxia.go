package vendor

import "fmt"

// KioxiaDirectory is the Vendor Log Page Directory (LID C0h) of Toshiba and
// Kioxia data center drives, of which 7 bytes are known. 0 means that the drive
// does not have a page.
//
// Source: nvme-cli, plugin toshiba.
type KioxiaDirectory struct {
	// 0:0 Error Information.
	Errors uint8 `json:"error_log" row:"Error Log"`
	// 1:1 SMART / Health Information.
	SMART uint8 `json:"smart_log" row:"SMART Health Log"`
	// 2:2 Firmware Slot Information.
	FirmwareSlot uint8 `json:"firmware_slot_log" row:"Firmware Slot Info"`
	// 3:3 Commands Supported and Effects.
	Effects uint8 `json:"command_effects_log" row:"Command Effects"`
	// 4:4 Device Self-test.
	SelfTest uint8 `json:"self_test_log" row:"Device Self Test"`
	// 5:5 Log Page Directory.
	Directory uint8 `json:"log_page_directory" row:"Log Page Directory"`
	// 6:6 SMART Attributes.
	Attributes uint8 `json:"smart_attributes" row:"SMART Attributes"`
}

// UnmarshalBinary decodes b, which must hold at least 7 bytes. The page has no
// GUID: one that does not list the SMART log and itself is an error.
func (p *KioxiaDirectory) UnmarshalBinary(b []byte) error {
	if err := decode("Kioxia Vendor Log Page Directory", p, b); err != nil {
		return err
	}
	if p.SMART == 0 || p.Directory == 0 {
		return fmt.Errorf("%w: Kioxia Vendor Log Page Directory without itself", ErrLayout)
	}
	return nil
}

// Rows implements [Value].
func (p *KioxiaDirectory) Rows() []Row { return fieldRows(p) }
