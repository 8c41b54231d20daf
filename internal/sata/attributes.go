package sata

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/dswarbrick/smart/ata"
	"github.com/dswarbrick/smart/drivedb"
)

// Attribute is one SMART attribute (SFF-8035i, "Attribute data structure").
type Attribute struct {
	ID uint8 `json:"id"`
	// Name is a common name; the meaning is the maker's own.
	Name  string `json:"name"`
	Flags uint16 `json:"flags"`
	// Prefailure says that reaching the threshold means failure within a day,
	// else that the drive has reached an age.
	Prefailure bool `json:"prefailure"`
	// Value and Worst are normalised: they fall towards Threshold.
	Value uint8 `json:"value"`
	Worst uint8 `json:"worst"`
	// Threshold is null if it was not read; 0 never fails.
	Threshold *uint8 `json:"threshold"`
	// WhenFailed is "now", "past" or "".
	WhenFailed string `json:"when_failed"`
	// Raw is the raw value as a number of 48 bits, RawText its parts in words.
	Raw     uint64 `json:"raw"`
	RawText string `json:"raw_s"`

	// Count is the part of the raw value that is the counter, or the temperature.
	Count int64 `json:"count"`

	bytes  [6]byte
	spare  uint8
	format string
}

// Words of Attribute.WhenFailed.
const (
	FailedNow  = "now"
	FailedPast = "past"
)

// Attributes are the attributes of a drive in the order of the drive.
type Attributes struct {
	// Version is the revision of the page, which is the maker's.
	Version uint16 `json:"version"`
	// Family is the entry of the table of attribute names, "" for the general
	// names.
	Family string `json:"family"`
	// ChecksumOK says that the bytes of the pages add up.
	ChecksumOK bool        `json:"checksum_ok"`
	Table      []Attribute `json:"table"`
}

// Find returns the attribute with an identifier, nil if the drive has none.
func (a *Attributes) Find(id uint8) *Attribute {
	for i := range a.Table {
		if a.Table[i].ID == id {
			return &a.Table[i]
		}
	}
	return nil
}

const (
	entryBytes   = 12
	attributes   = 30
	bytesOfTable = 2 + attributes*entryBytes
)

// ParseAttributes decodes the page of SMART READ DATA and the one of SMART READ
// ATTRIBUTE THRESHOLDS, which may be nil. Errors match [ErrShort] and
// [ErrEmptyPage]. Entries without an identifier are skipped wherever they
// stand: drives leave gaps.
func ParseAttributes(data, thresholds []byte, model string, solidState bool) (*Attributes, error) {
	if len(data) < sectorBytes {
		return nil, short("SMART data", len(data), sectorBytes)
	}
	data = data[:sectorBytes]
	if uniform(data) {
		return nil, fmt.Errorf("SMART data: %w", ErrEmptyPage)
	}
	limits, sound, err := parseThresholds(thresholds)
	if err != nil {
		return nil, err
	}
	var p ata.SmartPage
	if _, err := binary.Decode(data[:bytesOfTable], binary.LittleEndian, &p); err != nil {
		return nil, fmt.Errorf("SMART data: %w", err)
	}
	names := namesOf(model, solidState)
	list := &Attributes{Version: p.Version, Family: names.Family, ChecksumOK: checksumOK(data) && sound, Table: []Attribute{}}
	for _, e := range p.Attrs {
		if e.Id == 0 {
			continue
		}
		a := Attribute{ID: e.Id, Flags: e.Flags, Prefailure: e.Flags&1 != 0, Value: e.Value, Worst: e.Worst, bytes: e.VendorBytes, spare: e.Reserved}
		if limit, ok := limits[e.Id]; ok {
			a.Threshold = &limit
			a.WhenFailed = whenFailed(e.Value, e.Worst, limit)
		}
		a.describe(names.Presets[strconv.Itoa(int(e.Id))])
		list.Table = append(list.Table, a)
	}
	return list, nil
}

// parseThresholds returns the threshold of each attribute, and whether the page
// adds up. Every entry has the identifier, the threshold and ten bytes that
// mean nothing.
func parseThresholds(b []byte) (limits map[uint8]uint8, sound bool, err error) {
	if b == nil {
		return nil, true, nil
	}
	if len(b) < sectorBytes {
		return nil, false, short("SMART thresholds", len(b), sectorBytes)
	}
	b = b[:sectorBytes]
	if uniform(b) {
		return nil, true, nil
	}
	limits = map[uint8]uint8{}
	for at := 2; at < bytesOfTable; at += entryBytes {
		if id := b[at]; id != 0 {
			limits[id] = b[at+1]
		}
	}
	return limits, checksumOK(b), nil
}

// whenFailed compares as SFF-8035i says: the threshold itself has failed, 0
// never fails, FEh is invalid and FFh is for tests. Values of 0, FEh and FFh
// are none.
func whenFailed(value, worst, limit uint8) string {
	if limit == 0 || limit >= 0xFE {
		return ""
	}
	reached := func(v uint8) bool { return v != 0 && v < 0xFE && v <= limit }
	switch {
	case reached(value):
		return FailedNow
	case reached(worst):
		return FailedPast
	}
	return ""
}

// describe sets the name and the raw value.
func (a *Attribute) describe(p drivedb.AttrConv) {
	a.Name, a.format = p.Name, p.Conv
	if a.Name == "" {
		a.Name = "Unknown_Attribute"
	}
	a.Raw = a.number("543210")
	a.Count, a.RawText = a.decode()
}
