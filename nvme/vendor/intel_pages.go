package vendor

import (
	"bytes"
	"fmt"
	"strings"

	"qd1.example/qd1/nvme"
)

// LogDirectory is the Log Page Directory (LID C0h) of Intel drives, 512 bytes:
// which log pages the drive has.
//
// Source: SPDK, spdk/nvme_intel.h, which names the lengths of C1h, C2h, C5h, CAh
// and DDh; that each page has its two bytes follows from their places. A drive
// may have the latency pages although they are not listed.
type LogDirectory struct {
	// 1:0 Version. 0 is no directory.
	Version uint16 `json:"version"`
	// 511:2 Lengths of log pages 1 to 255. 0 means that there is none.
	Lengths [255]uint16 `json:"-"`
}

const logDirectoryBytes = 512

// UnmarshalBinary decodes b, which must hold at least 512 bytes. A page without
// a version, or that lists no vendor specific page, is an error.
func (d *LogDirectory) UnmarshalBinary(b []byte) error {
	if err := decode("Log Page Directory", d, b); err != nil {
		return err
	}
	if d.Version == 0 || d.vendorPages() == "" {
		return fmt.Errorf("%w: Log Page Directory: version %d, vendor specific pages %q", ErrLayout, d.Version, d.vendorPages())
	}
	return nil
}

// Lists reports whether the drive says that it has a page.
func (d *LogDirectory) Lists(lid nvme.LID) bool { return lid > 0 && d.Lengths[lid-1] != 0 }

// vendorPages returns the vendor specific pages of the directory but itself.
func (d *LogDirectory) vendorPages() string {
	var pages []string
	for lid := 0xC1; lid <= 0xFF; lid++ {
		if d.Lists(nvme.LID(lid)) {
			pages = append(pages, fmt.Sprintf("%02Xh", lid))
		}
	}
	return strings.Join(pages, " ")
}

// Rows implements [Value].
func (d *LogDirectory) Rows() []Row {
	return []Row{{"Vendor Specific Log Pages", d.vendorPages(), ""}}
}

// TemperatureStatistics is the Temperature Statistics page (LID C5h, D5h on
// newer Solidigm drives), 112 bytes. Temperatures are of the drive's life.
//
// Source: nvme-cli, plugins intel and solidigm, and SPDK, spdk/nvme_intel.h, which
// disagree on the bytes after 88: the first has the lowest operating temperature
// and the estimated offset at 88 and 96, the second at 96 and 104. See
// [TemperatureStatistics.Limits].
type TemperatureStatistics struct {
	// 7:0 Current temperature, degrees Celsius.
	Current int64 `json:"current_celsius"`
	// 15:8 Critical overtemperature flag of the last power cycle. 0 means that it
	// did not happen.
	LastOvertemperature uint64 `json:"last_overtemperature"`
	// 23:16 Critical overtemperature flag of the life of the drive.
	LifeOvertemperature uint64 `json:"life_overtemperature"`
	// 31:24 Highest temperature, degrees Celsius.
	Highest int64 `json:"highest_celsius"`
	// 39:32 Lowest temperature, degrees Celsius.
	Lowest int64 `json:"lowest_celsius"`
	_      [40]byte
	// 87:80 Specified maximum operating temperature, degrees Celsius.
	MaxOperating int64 `json:"max_operating_celsius"`
	// 111:88 The bytes that the sources disagree on.
	Tail [3]int64 `json:"-"`
}

const (
	temperatureBytes = 112
	// temperatureLeast is up to the fields that the sources agree on.
	temperatureLeast = 88
)

// coldest and hottest are the range of values taken for temperatures, degrees
// Celsius.
const coldest, hottest = -60, 150

// UnmarshalBinary decodes b, which must hold at least 88 bytes; what is missing
// after that is 0. Values that are no temperatures are an error.
func (s *TemperatureStatistics) UnmarshalBinary(b []byte) error {
	if len(b) < temperatureLeast {
		return fmt.Errorf("temperature statistics: %w: %d bytes, want %d", nvme.ErrShort, len(b), temperatureLeast)
	}
	var page [temperatureBytes]byte
	copy(page[:], b)
	if err := decode("Temperature Statistics", s, page[:]); err != nil {
		return err
	}
	for _, t := range []int64{s.Current, s.Highest, s.Lowest, s.MaxOperating} {
		if t < coldest || t > hottest {
			return fmt.Errorf("%w: Temperature Statistics: %d degrees Celsius", ErrLayout, t)
		}
	}
	if s.Highest < s.Lowest || s.Highest == 0 && s.Current == 0 {
		return fmt.Errorf("%w: Temperature Statistics: %d now, %d to %d degrees Celsius", ErrLayout, s.Current, s.Lowest, s.Highest)
	}
	return nil
}

// Limits returns the specified minimum operating temperature and the estimated
// offset, degrees Celsius, if the page shows which of the two layouts it has: a
// value at 104 that of SPDK, one at 88 that of nvme-cli. Both are false if the
// page has only a value at 96, which is the minimum in the one and the offset in
// the other.
func (s *TemperatureStatistics) Limits() (minimum, offset int64, ok bool) {
	switch t := s.Tail; {
	case t[0] == 0 && t[1] == 0 && t[2] == 0:
		return 0, 0, true
	case t[0] == 0 && t[2] != 0:
		return t[1], t[2], true
	case t[0] != 0 && t[2] == 0:
		return t[0], t[1], true
	}
	return 0, 0, false
}

// Rows implements [Value].
func (s *TemperatureStatistics) Rows() []Row {
	rows := []Row{
		{"Current Temperature", s.Current, "celsius"},
		{"Highest Temperature", s.Highest, "celsius"},
		{"Lowest Temperature", s.Lowest, "celsius"},
		{"Critical Overtemperature, Last Power Cycle", s.LastOvertemperature != 0, ""},
		{"Critical Overtemperature, Life", s.LifeOvertemperature != 0, ""},
		{"Specified Maximum Operating Temperature", s.MaxOperating, "celsius"},
	}
	if minimum, offset, ok := s.Limits(); ok {
		rows = append(rows, Row{"Specified Minimum Operating Temperature", minimum, "celsius"},
			Row{"Estimated Offset", offset, "celsius"})
	}
	return rows
}

// MarketingName is the Marketing Name page (LID DDh) of Intel and Solidigm
// drives, 512 bytes: the name that the drive is sold under.
//
// Source: nvme-cli, plugin intel. Some firmware writes 516 bytes where 512 were
// asked for (SPDK, spdk/nvme_intel.h): the buffer must have room.
type MarketingName struct {
	// Name is the text of the page, cleaned.
	Name string `json:"marketing_name"`
}

const marketingNameBytes = 512

// UnmarshalBinary decodes b: a text up to the first zero byte. An empty text and
// one that is not printable ASCII are errors.
func (m *MarketingName) UnmarshalBinary(b []byte) error {
	text, _, _ := bytes.Cut(b[:min(len(b), marketingNameBytes)], []byte{0})
	m.Name = nvme.CleanASCII(text)
	if m.Name == "" || nvme.RawHex(text) != "" {
		return fmt.Errorf("%w: Marketing Name: no text", ErrLayout)
	}
	return nil
}

// Rows implements [Value].
func (m *MarketingName) Rows() []Row { return []Row{{"Marketing Name", m.Name, ""}} }
