package sata

import (
	"encoding/binary"
	"fmt"

	"github.com/dswarbrick/smart/ata"
)

// Addresses of logs (ACS-4, "Log Definitions").
const (
	logDirectory  = 0x00
	logErrors     = 0x01
	logStatistics = 0x04
	logSelfTest   = 0x06
)

// Directory says how many sectors each log has; 0 is a log that the drive does
// not have.
type Directory [256]int

// ParseDirectory decodes the SMART log directory, log 00h.
func ParseDirectory(b []byte) (*Directory, error) {
	if len(b) < sectorBytes {
		return nil, short("log directory", len(b), sectorBytes)
	}
	var raw ata.SmartLogDirectory
	if _, err := binary.Decode(b[:sectorBytes], binary.LittleEndian, &raw); err != nil {
		return nil, fmt.Errorf("log directory: %w", err)
	}
	d := &Directory{1}
	for i, log := range raw.Address {
		d[i+1] = int(log.NumPages)
	}
	return d, nil
}

// ErrorLog is the Summary SMART error log, log 01h: the last commands that the
// drive ended with an error.
type ErrorLog struct {
	// Count is the number of errors since the drive was made.
	Count uint16 `json:"count"`
	// ChecksumOK says that the bytes of the page add up.
	ChecksumOK bool `json:"checksum_ok"`
	// Entries has up to five, the newest first.
	Entries []ErrorEntry `json:"entries"`
}

// ErrorEntry is one entry of the error log, by its registers.
type ErrorEntry struct {
	// Hours is the power-on time of the error in hours, which wraps at 65536.
	Hours  uint16 `json:"power_on_hours"`
	Status uint8  `json:"status"`
	Error  uint8  `json:"error"`
	// LBA is 28 bits wide, so that it is cut on larger drives.
	LBA uint32 `json:"lba"`
	// Text names the bits of the error register.
	Text string `json:"text"`
}

// ParseErrorLog decodes log 01h.
func ParseErrorLog(b []byte) (*ErrorLog, error) {
	if len(b) < sectorBytes {
		return nil, short("error log", len(b), sectorBytes)
	}
	b = b[:sectorBytes]
	var raw ata.SmartSummaryErrorLog
	if _, err := binary.Decode(b, binary.LittleEndian, &raw); err != nil {
		return nil, fmt.Errorf("error log: %w", err)
	}
	log := &ErrorLog{Count: raw.ErrorCount, ChecksumOK: checksumOK(b), Entries: []ErrorEntry{}}
	size := len(raw.LogData)
	if raw.LogIndex == 0 || int(raw.LogIndex) > size {
		return log, nil
	}
	for i := range size {
		// The index is that of the newest, from 1.
		e := raw.LogData[(int(raw.LogIndex)-1-i+size)%size]
		if !uniform(e[:]) {
			log.Entries = append(log.Entries, errorEntry(e[errorStructure:]))
		}
	}
	return log, nil
}

// errorStructure is where the registers of the failed command follow the five
// commands before it.
const errorStructure = 60

func errorEntry(e []byte) ErrorEntry {
	return ErrorEntry{
		Hours:  binary.LittleEndian.Uint16(e[28:]),
		Status: e[7],
		Error:  e[1],
		LBA:    uint32(e[6]&0xF)<<24 | uint32(e[5])<<16 | uint32(e[4])<<8 | uint32(e[3]),
		Text:   errorText(e[1]),
	}
}

// errorText names the highest of the bits of the error register that mean the
// same for all commands of today (ACS-4, "ERROR field").
func errorText(e uint8) string {
	for _, b := range []struct {
		bit  uint8
		text string
	}{
		{7, "interface CRC error"}, {6, "uncorrectable data"}, {4, "sector not found"}, {2, "command aborted"},
	} {
		if e>>b.bit&1 != 0 {
			return b.text
		}
	}
	return ""
}

// SelfTestLog is the SMART self-test log, log 06h.
type SelfTestLog struct {
	ChecksumOK bool `json:"checksum_ok"`
	// Entries has up to 21, the newest first.
	Entries []SelfTest `json:"entries"`
}

// SelfTest is one run of the drive's self-test.
type SelfTest struct {
	// Kind is "short", "extended", "conveyance", "selective", "offline" or
	// "vendor".
	Kind string `json:"kind"`
	// Status is the result, 4 bits, and Text its words.
	Status uint8  `json:"status"`
	Text   string `json:"text"`
	// RemainingPercent is what was left when it ended.
	RemainingPercent int `json:"remaining_percent"`
	// Hours is the power-on time in hours, which wraps at 65536.
	Hours uint16 `json:"power_on_hours"`
	// FirstErrorLBA is null unless the test failed on reading.
	FirstErrorLBA *uint32 `json:"first_error_lba"`
}

// Failed reports whether the drive failed its test.
func (t *SelfTest) Failed() bool { return t.Status >= selfTestFatal && t.Status <= selfTestHandling }

// Results of a self-test (ACS-4, "Self-test execution status byte").
const (
	selfTestFatal    = 3
	selfTestRead     = 7
	selfTestHandling = 8
)

// ParseSelfTestLog decodes log 06h.
func ParseSelfTestLog(b []byte) (*SelfTestLog, error) {
	if len(b) < sectorBytes {
		return nil, short("self-test log", len(b), sectorBytes)
	}
	b = b[:sectorBytes]
	var raw ata.SmartSelfTestLog
	if _, err := binary.Decode(b, binary.LittleEndian, &raw); err != nil {
		return nil, fmt.Errorf("self-test log: %w", err)
	}
	log := &SelfTestLog{ChecksumOK: checksumOK(b), Entries: []SelfTest{}}
	size := len(raw.Entry)
	if raw.Index == 0 || int(raw.Index) > size {
		return log, nil
	}
	for i := range size {
		e := raw.Entry[(int(raw.Index)-1-i+size)%size]
		if e.LBA_7 == 0 && e.Status == 0 && e.LifeTimestamp == 0 {
			continue
		}
		t := SelfTest{
			Kind: selfTestKind(e.LBA_7), Status: e.Status >> 4, Text: selfTestText(e.Status >> 4),
			RemainingPercent: int(e.Status&0xF) * 10, Hours: e.LifeTimestamp,
		}
		if t.Status == selfTestRead && e.LBA != 0xFFFFFFFF {
			t.FirstErrorLBA = &e.LBA
		}
		log.Entries = append(log.Entries, t)
	}
	return log, nil
}

// selfTestKind names the subcommand, whose highest bit is captive mode.
func selfTestKind(subcommand uint8) string {
	switch subcommand &^ 0x80 {
	case 0:
		return "offline"
	case 1:
		return "short"
	case 2:
		return "extended"
	case 3:
		return "conveyance"
	case 4:
		return "selective"
	}
	return "vendor"
}

func selfTestText(status uint8) string {
	texts := []string{
		"completed without error", "aborted by the host", "interrupted by a reset", "fatal or unknown error", "unknown element failed",
		"electrical element failed", "servo or seek element failed", "read element failed", "handling damage suspected",
	}
	switch {
	case int(status) < len(texts):
		return texts[status]
	case status == 0xF:
		return "in progress"
	}
	return "reserved"
}
