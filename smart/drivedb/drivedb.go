// Package drivedb knows facts about drive models that the drives do not
// report themselves: the name on the box, the rated endurance, the rated
// speed. Each figure has a source, and figures that could not be checked are
// marked as indicative.
//
// The data is a JSON file in this package, one object a model line. To add a
// drive, add an object and run the tests with -update, which sorts the file.
package drivedb

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed intel_optane.json
var builtin []byte

// Entry is what is known about one model line. Figures are of the maker and
// for the whole line; 0 and "" mean unknown.
type Entry struct {
	// Vendor is the maker's name.
	Vendor string `json:"vendor"`
	// Family is the product line without the size, such as "Optane 905P".
	Family string `json:"family"`
	// MarketingName is the name on the box, such as "Intel Optane SSD 905P
	// 960 GB".
	MarketingName string `json:"marketing_name"`
	// Pattern is a regular expression, anchored at both ends, for the Model
	// Number of Identify Controller without its padding.
	Pattern string `json:"pattern"`
	// Example is a model number that Pattern matches.
	Example string `json:"example"`
	// CapacityBytes is the size that drives of this line report.
	CapacityBytes int64 `json:"capacity_bytes,omitempty"`
	// Media is the kind of memory: "3D XPoint" or "QLC NAND".
	Media string `json:"media"`
	// RatedBytesWritten is the rated endurance: bytes written by the host.
	RatedBytesWritten int64 `json:"rated_bytes_written,omitempty"`
	// RatedIndicative says that RatedBytesWritten could not be checked. No
	// drive is judged by it.
	RatedIndicative bool `json:"rated_indicative,omitempty"`
	// Source is the source of RatedBytesWritten.
	Source string `json:"source,omitempty"`
	// RatedReadLatencyUS is the rated latency of a 4 KiB random read at queue
	// depth 1, in microseconds, as the drive has it without the host's part.
	RatedReadLatencyUS float64 `json:"rated_read_latency_us,omitempty"`
	// RatedWriteLatencyUS is the same for a 4 KiB random write.
	RatedWriteLatencyUS float64 `json:"rated_write_latency_us,omitempty"`
	// RatedSeqReadMBs is the rated sequential read speed in 10^6 bytes a second.
	RatedSeqReadMBs float64 `json:"rated_seq_read_mb_per_s,omitempty"`
	// RatedSeqWriteMBs is the rated sequential write speed in 10^6 bytes a second.
	RatedSeqWriteMBs float64 `json:"rated_seq_write_mb_per_s,omitempty"`
	// RatedReadIOPS is the rated number of 4 KiB random reads a second, at the
	// queue depth that the maker chose.
	RatedReadIOPS float64 `json:"rated_read_iops,omitempty"`
	// RatedWriteIOPS is the same for 4 KiB random writes.
	RatedWriteIOPS float64 `json:"rated_write_iops,omitempty"`
	// LatestFirmwareSeen is the newest firmware revision seen on a drive of
	// this line. There may be a newer one.
	LatestFirmwareSeen string `json:"latest_firmware_seen,omitempty"`
	// ReadOnlyAtPercent is the Percentage Used at which drives of this line
	// were seen to stop accepting writes.
	ReadOnlyAtPercent int `json:"read_only_at_percent,omitempty"`
	// Indicative lists the JSON names of the other figures that could not be
	// checked.
	Indicative []string `json:"indicative,omitempty"`
	// Sources gives the source of each figure by its JSON name.
	Sources map[string]string `json:"sources,omitempty"`
	// Note is for readers of the database.
	Note string `json:"note,omitempty"`
}

// DB is a set of entries. Its methods may be called from any goroutine.
type DB struct {
	entries  []Entry
	patterns []*regexp.Regexp
}

// Parse reads a database: a JSON array of entries. It returns an error for an
// unknown key, and for a pattern that does not compile or that is not
// anchored at both ends.
func Parse(b []byte) (*DB, error) {
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.DisallowUnknownFields()
	db := new(DB)
	if err := dec.Decode(&db.entries); err != nil {
		return nil, fmt.Errorf("drive database: %w", err)
	}
	for _, e := range db.entries {
		p, err := compile(e.Pattern)
		if err != nil {
			return nil, fmt.Errorf("drive database: %q: %w", e.MarketingName, err)
		}
		db.patterns = append(db.patterns, p)
	}
	return db, nil
}

func compile(pattern string) (*regexp.Regexp, error) {
	if !strings.HasPrefix(pattern, "^") || !strings.HasSuffix(pattern, "$") {
		return nil, fmt.Errorf("pattern %q is not anchored at both ends", pattern)
	}
	return regexp.Compile(`\A(?:` + pattern + `)\z`)
}

// Lookup returns the entry whose pattern matches the model number, with or
// without its padding, and nil if there is none.
func (db *DB) Lookup(model string) *Entry {
	model = strings.Trim(model, " \x00")
	for i, p := range db.patterns {
		if p.MatchString(model) {
			e := db.entries[i]
			return &e
		}
	}
	return nil
}

// Entries returns a copy of all entries in the order of the file.
func (db *DB) Entries() []Entry { return slices.Clone(db.entries) }

// Builtin returns the database that is part of this package.
func Builtin() *DB { return parsed() }

var parsed = sync.OnceValue(func() *DB {
	db, err := Parse(builtin)
	if err != nil {
		panic(err)
	}
	return db
})

// Lookup returns the entry of the built-in database for a model number, and
// nil if there is none.
func Lookup(model string) *Entry { return Builtin().Lookup(model) }
