package sata

import (
	"encoding/binary"
	"testing"
)

// Pages of the tests, built by the standards' tables. Serial numbers and names
// are made up.

// words is an IDENTIFY DEVICE page by words.
type words map[int]uint16

// identify returns the page of a SATA solid-state drive of 480103981056 bytes
// with the words given in place of its own.
func identify(change words) []byte {
	b := make([]byte, sectorBytes)
	w := words{
		0: 0x0040, 49: 0x2F00, 53: 0x0006, 60: 0xFFFF, 61: 0x0FFF,
		69: 0x4020, 75: 31, 76: 0x010E, 77: 0x0006, 80: 0x0FF0, 82: 0x706B, 83: 0x7409, 84: 0x4063, 85: 0x7069, 86: 0xB401, 87: 0x4163,
		100: 0x36B0, 101: 0x37E4, 106: 0x6003, 108: 0x5002, 109: 0x5388, 110: 0x5009, 111: 0x397F,
		128: 0x0021, 168: 3, 169: 1, 217: 1, 222: 0x11FF,
	}
	for n, v := range change {
		w[n] = v
	}
	for n, v := range w {
		binary.LittleEndian.PutUint16(b[2*n:], v)
	}
	swapped(b[20:40], "SERIAL-0001")
	swapped(b[46:54], "EXT0DB6Q")
	swapped(b[54:94], "Samsung SSD 860 EVO 500GB")
	return seal(b, 0xA5)
}

// swapped writes a text with the bytes of each word exchanged, as drives do.
func swapped(to []byte, text string) {
	for i := range to {
		to[i] = ' '
		if i^1 < len(text) {
			to[i] = text[i^1]
		}
	}
}

// seal sets the last byte so that all add up to 0; mark, if not 0, goes before
// it.
func seal(b []byte, mark byte) []byte {
	if mark != 0 {
		b[len(b)-2] = mark
	}
	b[len(b)-1] = 0
	var sum uint8
	for _, x := range b {
		sum += x
	}
	b[len(b)-1] = -sum
	return b
}

// row is an attribute of a page: identifier, flags, value, worst, threshold,
// and the raw value as a number of 48 bits.
type row struct {
	id           uint8
	flags        uint16
	value, worst uint8
	threshold    uint8
	raw          uint64
}

// table returns the pages of SMART READ DATA and of the thresholds.
func table(rows ...row) (data, thresholds []byte) {
	data, thresholds = make([]byte, sectorBytes), make([]byte, sectorBytes)
	data[0], thresholds[0] = 1, 1
	for i, r := range rows {
		at := 2 + i*entryBytes
		data[at] = r.id
		binary.LittleEndian.PutUint16(data[at+1:], r.flags)
		data[at+3], data[at+4] = r.value, r.worst
		for n := range 6 {
			data[at+5+n] = byte(r.raw >> (8 * n))
		}
		thresholds[at], thresholds[at+1] = r.id, r.threshold
	}
	return seal(data, 0), seal(thresholds, 0)
}

// samsung are the attributes of a healthy drive of the family.
func samsung() []row {
	return []row{
		{5, 0x33, 100, 100, 10, 0},
		{9, 0x32, 97, 97, 0, 12345},
		{12, 0x32, 99, 99, 0, 678},
		{177, 0x13, 93, 93, 0, 71},
		{187, 0x32, 100, 100, 0, 0},
		{190, 0x32, 71, 52, 0, 29},
		{199, 0x3E, 100, 100, 0, 0},
		{235, 0x12, 99, 99, 0, 44},
		{241, 0x32, 99, 99, 0, 23456789012},
	}
}

// statisticsPage returns one page of the Device Statistics log: its number and
// values by offset.
func statisticsPage(number uint8, values map[int]uint64) []byte {
	b := make([]byte, sectorBytes)
	b[0], b[2] = 1, number
	for offset, v := range values {
		binary.LittleEndian.PutUint64(b[offset:], v)
	}
	return b
}

// valid marks a statistic as supported and valid.
func valid(v uint64) uint64 { return v | statisticSupported | statisticValid }

// directory returns a log directory of the sectors given by log.
func directory(sectors map[int]byte) []byte {
	b := make([]byte, sectorBytes)
	b[0] = 1
	for log, n := range sectors {
		b[2*log] = n
	}
	return b
}

// parsed returns the attributes of rows of a model.
func parsed(t *testing.T, model string, solid bool, rows ...row) *Attributes {
	t.Helper()
	data, limits := table(rows...)
	a, err := ParseAttributes(data, limits, model, solid)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// goldenIdentity returns the decoded page of identify.
func goldenIdentity(t *testing.T) *Identity {
	t.Helper()
	id, err := ParseIdentity(identify(nil))
	if err != nil {
		t.Fatal(err)
	}
	return id
}
