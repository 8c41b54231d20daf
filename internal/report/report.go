package report

import (
	"fmt"
	"slices"
	"time"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/smart"
)

// Schema is the name and version of the JSON object of a Report. Keys are only
// ever added.
const Schema = "qd1.report/1"

// Report is everything that qd1 says about one drive.
type Report struct {
	Schema    string    `json:"schema"`
	Tool      Tool      `json:"tool"`
	Time      time.Time `json:"time"`
	Host      HostFacts `json:"host"`
	Simulated bool      `json:"simulated"`
	// Record is the identifier under which the report is kept, "" if it is not.
	Record string `json:"record,omitempty"`

	Source *Source `json:"source"`

	Drive   Identity         `json:"drive"`
	Verdict smart.Assessment `json:"verdict"`

	IdentifyController Section[IdentifyController] `json:"identify_controller"`
	Namespaces         Section[[]Namespace]        `json:"namespaces"`
	SMART              Section[SMART]              `json:"smart"`
	Endurance          *smart.Endurance            `json:"endurance"`
	Plausibility       *smart.Credibility          `json:"plausibility"`
	Population         *Population                 `json:"population"`
	VendorLogs         Section[VendorLogs]         `json:"vendor_logs"`
	Errors             Section[Errors]             `json:"errors"`
	Firmware           Section[Firmware]           `json:"firmware"`
	Link               Section[Link]               `json:"link"`
	Bench              Section[Bench]              `json:"bench"`
	SATA               *SATA                       `json:"sata"`
	Footprint          Footprint                   `json:"footprint"`
}

// Bench is the benchmark section of a report.
type Bench struct {
	QD1Read *bench.Result `json:"qd1_read"`
	// Placement is its median among published figures, nil where it has no place.
	Placement *Placement `json:"placement"`
}

// Errors is the Error Information log: the entries, newest first, and what
// they have in common.
type Errors struct {
	Partial
	Entries []ErrorEntry       `json:"entries"`
	Groups  []smart.ErrorGroup `json:"groups"`
	// Triage is what the log comes to.
	Triage *smart.Triage `json:"triage"`
	// EntriesAdded is how much the drive's error counter grew while qd1 read from
	// it; null if it was not read twice.
	EntriesAdded *int64 `json:"entries_added"`
}

// ErrorEntry is an entry of the error log with its status in words.
type ErrorEntry struct {
	nvme.ErrorLogEntry
	Status     uint16 `json:"status"`
	StatusText string `json:"status_text"`
}

// Footprint is what making the report did to the drive's own records.
type Footprint struct {
	// Commands is the number of commands sent, and Refused how many of them the
	// drive did not complete with success.
	Commands int `json:"commands"`
	Refused  int `json:"refused"`
	// ErrorLogEntriesAdded is how much the drive's error counter grew between
	// the first and the last read; null if it was not read twice.
	ErrorLogEntriesAdded *int64 `json:"error_log_entries_added"`
}

// Readable reports whether the drive itself answered anything.
func (r *Report) Readable() bool {
	return r.SATA.readable() || r.IdentifyController.Data != nil || r.SMART.Data != nil || r.Namespaces.Data != nil ||
		r.Firmware.Data != nil || r.Errors.Data != nil
}

// Problems returns the sections and namespaces that could not be read, in the
// order of the report.
func (r *Report) Problems() []NamedProblem {
	all := []NamedProblem{
		{smart.IdentityUnreadable, r.IdentifyController.Problem},
		{"namespaces", r.Namespaces.Problem},
	}
	if r.Namespaces.Data != nil {
		for _, n := range *r.Namespaces.Data {
			all = append(all, NamedProblem{fmt.Sprintf("namespace %d", n.NSID), n.Problem})
		}
	}
	all = append(all, r.SATA.problems()...)
	all = append(all,
		NamedProblem{"SMART", r.SMART.Problem},
		NamedProblem{"error log", r.Errors.Problem},
		NamedProblem{"firmware slots", r.Firmware.Problem},
		NamedProblem{"link", r.Link.Problem},
		NamedProblem{"vendor logs", r.VendorLogs.Problem},
		NamedProblem{"benchmark", r.Bench.Problem})
	return slices.DeleteFunc(all, func(p NamedProblem) bool { return p.Problem == nil })
}

// CutShort reports whether the benchmark ended before its time, so that its
// figures are those of a part.
func (r *Report) CutShort() bool {
	b := r.Bench.Data
	return b != nil && b.QD1Read != nil && b.QD1Read.Partial
}

// NamedProblem is a Problem with the name of its section.
type NamedProblem struct {
	Section string
	*Problem
}
