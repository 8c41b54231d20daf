package sata

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/dswarbrick/smart/ata"
)

// Identity is what IDENTIFY DEVICE says (ACS-4, "IDENTIFY DEVICE data"). null
// and "" mean that the drive does not report it.
type Identity struct {
	Model    string `json:"model"`
	Serial   string `json:"serial"`
	Firmware string `json:"firmware"`
	// WWN is the World Wide Name, 16 hexadecimal digits.
	WWN string `json:"wwn"`
	// Version is the newest edition of the command set, as in "ACS-4".
	Version string `json:"ata_version"`
	// Interface is the transport, as in "SATA 3.3".
	Interface string `json:"interface"`
	// SpeedMaxGbps and SpeedCurrentGbps are signalling speeds of the SATA link:
	// 1.5, 3 or 6.
	SpeedMaxGbps     *float64 `json:"sata_speed_max_gbps"`
	SpeedCurrentGbps *float64 `json:"sata_speed_current_gbps"`
	// SolidState is true for drives without rotating media, RotationRPM the
	// nominal speed of the others.
	SolidState  *bool  `json:"solid_state"`
	RotationRPM *int   `json:"rotation_rpm"`
	FormFactor  string `json:"form_factor"`
	// Sectors counts logical sectors.
	Sectors             uint64 `json:"sectors"`
	CapacityBytes       uint64 `json:"capacity_bytes"`
	LogicalSectorBytes  int    `json:"logical_sector_bytes"`
	PhysicalSectorBytes int    `json:"physical_sector_bytes"`
	// QueueDepth is the number of commands that the drive takes at a time; 0 if
	// it does not queue.
	QueueDepth int      `json:"queue_depth"`
	TRIM       TRIM     `json:"trim"`
	SMART      Support  `json:"smart"`
	Security   Security `json:"security"`
	// ErrorLogging, SelfTest and GeneralLogging say which optional commands the
	// drive has.
	ErrorLogging   bool `json:"error_logging"`
	SelfTest       bool `json:"self_test"`
	GeneralLogging bool `json:"general_purpose_logging"`
	// ChecksumOK is null where the page has no checksum.
	ChecksumOK *bool `json:"checksum_ok"`
}

// TRIM is the Trim function of DATA SET MANAGEMENT.
type TRIM struct {
	Supported bool `json:"supported"`
	// Deterministic says that a trimmed sector always reads the same, Zeroed
	// that it reads as zeros.
	Deterministic bool `json:"deterministic"`
	Zeroed        bool `json:"zeroed"`
}

// Support is an optional feature set.
type Support struct {
	Supported bool `json:"supported"`
	Enabled   bool `json:"enabled"`
}

// Security is the state of the Security feature set.
type Security struct {
	Support
	Locked bool `json:"locked"`
	Frozen bool `json:"frozen"`
}

// page is IDENTIFY DEVICE data by words.
type page [sectorBytes]byte

// word returns word n.
func (p *page) word(n int) uint16 { return binary.LittleEndian.Uint16(p[2*n:]) }

// wide returns a number of n words that begins at a word, the lowest first.
func (p *page) wide(at, n int) uint64 {
	var v uint64
	for i := n - 1; i >= 0; i-- {
		v = v<<16 | uint64(p.word(at+i))
	}
	return v
}

// bit reports a bit of a word that is valid.
func (p *page) bit(word, bit int) bool {
	w := p.word(word)
	return w != 0xFFFF && w>>bit&1 != 0
}

// marked is bit, for the words whose upper bits 01b show that they are valid.
func (p *page) marked(word, bit int) bool {
	return p.word(word)>>14 == 1 && p.bit(word, bit)
}

// ParseIdentity decodes IDENTIFY DEVICE data. Errors match [ErrShort],
// [ErrEmptyPage] and, for a packet device, [ErrNotATA].
func ParseIdentity(b []byte) (*Identity, error) {
	if len(b) < sectorBytes {
		return nil, short("IDENTIFY DEVICE data", len(b), sectorBytes)
	}
	p := page(b[:sectorBytes])
	if uniform(p[:]) {
		return nil, fmt.Errorf("IDENTIFY DEVICE data: %w", ErrEmptyPage)
	}
	var d ata.IdentifyDeviceData
	if _, err := binary.Decode(p[:], binary.LittleEndian, &d); err != nil {
		return nil, fmt.Errorf("IDENTIFY DEVICE data: %w", err)
	}
	const packet, compactFlash = 0x8000, 0x848A
	if d.GeneralConfig&packet != 0 && d.GeneralConfig != compactFlash {
		return nil, fmt.Errorf("%w: a packet device, such as an optical drive", ErrNotATA)
	}
	id := &Identity{
		Model:    clean(d.ModelNumber()),
		Serial:   clean(d.SerialNumber()),
		Firmware: clean(d.FirmwareRevision()),
		Version:  version(d.MajorVersion),
	}
	if p.marked(87, 8) {
		id.WWN = fmt.Sprintf("%04x%04x%04x%04x", d.WWNRaw[0], d.WWNRaw[1], d.WWNRaw[2], d.WWNRaw[3])
	}
	id.link(&p)
	id.media(&d, &p)
	id.size(&p)
	id.features(&p)
	return id, nil
}

// uniform reports whether all bytes are 0, or all are FFh.
func uniform(b []byte) bool {
	for _, x := range b {
		if x != b[0] {
			return false
		}
	}
	return b[0] == 0 || b[0] == 0xFF
}

// version names the highest bit of word 80.
func version(major uint16) string {
	names := []string{4: "ATA/ATAPI-4", 5: "ATA/ATAPI-5", 6: "ATA/ATAPI-6", 7: "ATA/ATAPI-7", 8: "ATA8-ACS", 9: "ACS-2", 10: "ACS-3", 11: "ACS-4", 12: "ACS-5"}
	top := bits.Len16(major) - 1
	switch {
	case major == 0 || major == 0xFFFF:
		return ""
	case top < len(names) && names[top] != "":
		return names[top]
	case top < 4:
		return fmt.Sprintf("ATA-%d", top)
	}
	return fmt.Sprintf("newer than ACS-5 (bit %d)", top)
}

// link decodes words 75 to 77 and 222. The library's fields for words 76 and
// 77 are one word off.
func (id *Identity) link(p *page) {
	id.Interface = transport(p.word(222))
	can, now := p.word(76), p.word(77)
	if can == 0 || can == 0xFFFF || can&1 != 0 {
		return
	}
	speeds := []float64{1: 1.5, 2: 3, 3: 6}
	if top := bits.Len16(can&0xE) - 1; top > 0 {
		id.SpeedMaxGbps = new(speeds[top])
	}
	if n := int(now >> 1 & 7); n > 0 && n < len(speeds) && now != 0xFFFF {
		id.SpeedCurrentGbps = new(speeds[n])
	}
	if p.bit(76, 8) {
		id.QueueDepth = int(p.word(75)&0x1F) + 1
	}
}

// transport names the highest bit of word 222.
func transport(w uint16) string {
	if w == 0 || w == 0xFFFF {
		return ""
	}
	revisions := []string{"ATA8-AST", "SATA 1.0a", "SATA II", "SATA 2.5", "SATA 2.6", "SATA 3.0", "SATA 3.1", "SATA 3.2", "SATA 3.3", "SATA 3.4", "SATA 3.5"}
	top := bits.Len16(w&0xFFF) - 1
	switch {
	case w>>12 == 0:
		return "parallel ATA"
	case w>>12 == 1 && top >= 0 && top < len(revisions):
		return revisions[top]
	case w>>12 == 1:
		return "SATA"
	case w>>12 == 0xE:
		return "PCIe"
	}
	return ""
}

// media decodes words 168 and 217.
func (id *Identity) media(d *ata.IdentifyDeviceData, p *page) {
	switch r := d.RotationRate; {
	case r == 1:
		id.SolidState = new(true)
	case r >= 0x0401 && r <= 0xFFFE:
		id.SolidState, id.RotationRPM = new(false), new(int(r))
	}
	forms := []string{"", `5.25"`, `3.5"`, `2.5"`, `1.8"`, `under 1.8"`, "mSATA", "M.2", "MicroSSD", "CFast"}
	if f := int(p.word(168) & 0xF); f < len(forms) && p.word(168) != 0xFFFF {
		id.FormFactor = forms[f]
	}
}

// size decodes words 60 and following, 100, 106, 117 and 230.
func (id *Identity) size(p *page) {
	id.Sectors = p.wide(60, 2)
	if p.marked(83, 10) {
		id.Sectors = p.wide(100, 4)
		if p.bit(69, 3) {
			id.Sectors = p.wide(230, 4)
		}
	}
	id.LogicalSectorBytes = sectorBytes
	if words := p.wide(117, 2); p.marked(106, 12) && words >= sectorBytes/2 && words < 1<<24 {
		id.LogicalSectorBytes = int(words * 2)
	}
	id.PhysicalSectorBytes = id.LogicalSectorBytes
	if p.marked(106, 13) {
		id.PhysicalSectorBytes <<= p.word(106) & 0xF
	}
	if high, low := bits.Mul64(id.Sectors, uint64(id.LogicalSectorBytes)); high == 0 {
		id.CapacityBytes = low
	}
}

// features decodes the words of optional features and the checksum.
func (id *Identity) features(p *page) {
	id.TRIM = TRIM{Supported: p.bit(169, 0), Deterministic: p.bit(69, 14), Zeroed: p.bit(69, 5)}
	// Words 82 to 84 are valid as 83 says, words 85 to 87 as 87 says.
	id.SMART = Support{Supported: p.word(83)>>14 == 1 && p.bit(82, 0), Enabled: p.word(87)>>14 == 1 && p.bit(85, 0)}
	id.ErrorLogging = p.marked(84, 0) || p.marked(87, 0)
	id.SelfTest = p.marked(84, 1) || p.marked(87, 1)
	id.GeneralLogging = p.marked(84, 5) || p.marked(87, 5)
	id.Security = Security{Support: Support{Supported: p.bit(128, 0), Enabled: p.bit(128, 1)}, Locked: p.bit(128, 2), Frozen: p.bit(128, 3)}
	if p[510] == 0xA5 {
		id.ChecksumOK = new(checksumOK(p[:]))
	}
}

// checksumOK reports whether the bytes of a page add up to 0.
func checksumOK(b []byte) bool {
	var sum uint8
	for _, x := range b {
		sum += x
	}
	return sum == 0
}
