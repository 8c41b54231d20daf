package sata

import "encoding/binary"

// Statistics are values of the Device Statistics log, log 04h (ACS-4, "Device
// Statistics log"), the one place where their meaning is the standard's and not
// the maker's. null is a value that the drive does not give or calls invalid.
type Statistics struct {
	PowerOnResets       *uint64 `json:"power_on_resets"`
	PowerOnHours        *uint64 `json:"power_on_hours"`
	SectorsWritten      *uint64 `json:"sectors_written"`
	SectorsRead         *uint64 `json:"sectors_read"`
	ReallocatedSectors  *uint64 `json:"reallocated_sectors"`
	CandidateSectors    *uint64 `json:"reallocation_candidate_sectors"`
	UncorrectableErrors *uint64 `json:"uncorrectable_errors"`
	InterfaceCRCErrors  *uint64 `json:"interface_crc_errors"`
	// PercentageUsed is the drive's own account of its rated life; it may pass
	// 100.
	PercentageUsed     *int `json:"percentage_used_percent"`
	TemperatureCelsius *int `json:"temperature_celsius"`
	HighestCelsius     *int `json:"temperature_highest_celsius"`
	LowestCelsius      *int `json:"temperature_lowest_celsius"`
	MaximumCelsius     *int `json:"temperature_specified_maximum_celsius"`
	OverMinutes        *int `json:"temperature_over_maximum_minutes"`
}

// statisticsPages is how many pages have anything that is decoded here.
const statisticsPages = 8

// Flags of a statistic: the highest byte of its eight.
const (
	statisticSupported = 1 << 63
	statisticValid     = 1 << 62
)

// statistic returns the low bits of the value at an offset of a page; ok is
// false for one that the drive does not support or calls invalid.
func statistic(page []byte, offset, bits int) (value uint64, ok bool) {
	q := binary.LittleEndian.Uint64(page[offset:])
	if q&statisticSupported == 0 || q&statisticValid == 0 {
		return 0, false
	}
	return q & (1<<bits - 1), true
}

// ParseStatistics decodes the first pages of log 04h, in any order. Pages that
// do not say which they are do not count: drives fill up with zeros.
func ParseStatistics(b []byte) (*Statistics, error) {
	if len(b) < sectorBytes {
		return nil, short("device statistics", len(b), sectorBytes)
	}
	s := &Statistics{}
	for ; len(b) >= sectorBytes; b = b[sectorBytes:] {
		if p := b[:sectorBytes]; binary.LittleEndian.Uint16(p) != 0 {
			s.fill(p[2], p)
		}
	}
	return s, nil
}

// fill takes the values of one page.
func (s *Statistics) fill(number uint8, p []byte) {
	for _, v := range []struct {
		page         uint8
		offset, bits int
		to           **uint64
	}{
		{1, 8, 32, &s.PowerOnResets},
		{1, 16, 32, &s.PowerOnHours},
		{1, 24, 48, &s.SectorsWritten},
		{1, 40, 48, &s.SectorsRead},
		{3, 32, 32, &s.ReallocatedSectors},
		{3, 56, 32, &s.CandidateSectors},
		{4, 8, 32, &s.UncorrectableErrors},
		{6, 24, 32, &s.InterfaceCRCErrors},
	} {
		if n, ok := statistic(p, v.offset, v.bits); ok && v.page == number {
			*v.to = &n
		}
	}
	switch number {
	case 5:
		s.fillTemperature(p)
	case 7:
		if n, ok := statistic(p, 8, 8); ok {
			s.PercentageUsed = new(int(n))
		}
	}
}

// fillTemperature takes the values of page 05h, which are signed bytes. 80h is
// no temperature.
func (s *Statistics) fillTemperature(p []byte) {
	for _, v := range []struct {
		offset int
		to     **int
	}{
		{8, &s.TemperatureCelsius}, {32, &s.HighestCelsius}, {40, &s.LowestCelsius}, {88, &s.MaximumCelsius},
	} {
		if n, ok := statistic(p, v.offset, 8); ok && n != 0x80 {
			*v.to = new(int(int8(n)))
		}
	}
	if n, ok := statistic(p, 80, 32); ok {
		s.OverMinutes = new(int(n))
	}
}
