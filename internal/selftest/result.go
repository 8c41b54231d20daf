package selftest

import (
	"fmt"

	"qd1.example/qd1/nvme"
)

// Outcome is what a test showed.
type Outcome string

// The outcomes. An aborted test showed nothing.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Aborted Outcome = "aborted"
	Unknown Outcome = "unknown"
)

// Entry is one result of the log in words.
type Entry struct {
	// Test is which test it was: short, extended.
	Test string `json:"test"`
	// Code is the result as the log has it, bits 3:0 of the status.
	Code    uint8   `json:"code"`
	Outcome Outcome `json:"outcome"`
	Text    string  `json:"text"`
	// PowerOnHours is when it ended, hours.
	PowerOnHours uint64 `json:"power_on_hours"`
	// Segment is the part of the test that failed first, nil where that says
	// nothing. What it means is the vendor's to tell.
	Segment *uint8 `json:"segment"`
	// NSID and LBA are of the first block that failed, nil where the drive does
	// not say.
	NSID *nvme.NSID `json:"nsid"`
	LBA  *uint64    `json:"lba"`
	// Status is what reading that block failed with, "" where the drive does not
	// say.
	Status string `json:"status,omitempty"`
	// VendorSpecific are bytes 27:26, 0 mostly.
	VendorSpecific uint16 `json:"vendor_specific,omitempty"`
}

// Bits of Valid Diagnostic Information.
const (
	validNSID = 1 << iota
	validLBA
	validSCT
	validSC
)

// meaning is what a result code says.
type meaning struct {
	outcome Outcome
	text    string
}

// meanings has every code of the specification.
//
// Source: NVM Express Base Specification, Revision 2.0, Self-test Result Data
// Structure, Device Self-test Status.
func meanings() map[uint8]meaning {
	return map[uint8]meaning{
		nvme.SelfTestPassed:            {Passed, "completed without error"},
		nvme.SelfTestAbortedByCommand:  {Aborted, "aborted by a Device Self-test command"},
		nvme.SelfTestAbortedByReset:    {Aborted, "aborted by a reset of the controller or a loss of power"},
		nvme.SelfTestAbortedByRemoval:  {Aborted, "aborted because a namespace was removed"},
		nvme.SelfTestAbortedByFormat:   {Aborted, "aborted by a Format NVM command"},
		nvme.SelfTestFatalError:        {Failed, "a fatal error or an unknown error while the drive tested itself: the test did not complete"},
		nvme.SelfTestFailedUnknown:     {Failed, "completed, and a segment of the test failed; which one is not known"},
		nvme.SelfTestFailedSegment:     {Failed, "completed, and one or more segments of the test failed"},
		nvme.SelfTestAbortedUnknown:    {Aborted, "aborted for a reason that is not known"},
		nvme.SelfTestAbortedBySanitize: {Aborted, "aborted by a sanitize operation"},
	}
}

// Decode says what a result means. It returns nil for an entry that is not used.
func Decode(r *nvme.SelfTestResult) *Entry {
	code := r.Result()
	if code == nvme.SelfTestUnused {
		return nil
	}
	m, ok := meanings()[code]
	if !ok {
		m = meaning{Unknown, fmt.Sprintf("result %Xh, which the specification reserves", code)}
	}
	e := &Entry{
		Test: Kind(r.Code()).String(), Code: code, Outcome: m.outcome, Text: m.text,
		PowerOnHours: r.PowerOnHours, VendorSpecific: r.VendorSpecific,
	}
	if code == nvme.SelfTestFailedSegment {
		e.Segment = &r.Segment
	}
	if r.Valid&validNSID != 0 {
		e.NSID = &r.NSID
	}
	if r.Valid&validLBA != 0 {
		e.LBA = &r.LBA
	}
	if r.Valid&validSCT != 0 && r.Valid&validSC != 0 {
		e.Status = nvme.Status(uint16(r.SCT&7)<<8 | uint16(r.SC)).String()
	}
	return e
}

// Log is the log of a drive in words.
type Log struct {
	// Running is the test that is under way, nil for none.
	Running *Running `json:"running"`
	// Results are the newest first.
	Results []Entry `json:"results"`
}

// Running is a test that is under way.
type Running struct {
	// Test is which test it is, Code its Self-test Code.
	Test string `json:"test"`
	Code Kind   `json:"code"`
	// Percent of it that is done.
	Percent uint8 `json:"percent"`
}

// DecodeLog says what a log means.
func DecodeLog(l *nvme.SelfTestLog) *Log {
	log := &Log{Running: runningOf(l), Results: []Entry{}}
	for i := range l.Results {
		if e := Decode(&l.Results[i]); e != nil {
			log.Results = append(log.Results, *e)
		}
	}
	return log
}

// runningOf returns the test that is under way, nil for none.
func runningOf(l *nvme.SelfTestLog) *Running {
	k := Kind(l.CurrentOperation & 0xF)
	if k == 0 {
		return nil
	}
	return &Running{Test: k.String(), Code: k, Percent: l.CurrentCompletion & 0x7F}
}
