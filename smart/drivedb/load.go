package drivedb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxFile is the size of a database above which Load does not read on.
const maxFile = 16 << 20

// Load reads a database of a user: a JSON array of entries as in Parse. It is
// stricter than Parse: each entry has a marketing name, its figures are not
// negative, its example matches its own pattern and that of no other entry.
// The error names the line.
func Load(r io.Reader) (*DB, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("drive database: %w", err)
	case len(b) > maxFile:
		return nil, fmt.Errorf("drive database: larger than %d bytes", maxFile)
	}
	db, offsets, err := parse(b)
	if err != nil {
		return nil, err
	}
	for i := range db.items {
		if err := db.check(i); err != nil {
			return nil, atOffset(b, offsets[i], err)
		}
	}
	return db, nil
}

// Parse reads a database: a JSON array of entries. It returns an error that
// names the line for an unknown key, and for a pattern that does not compile
// or that is not anchored at both ends.
func Parse(b []byte) (*DB, error) {
	db, _, err := parse(b)
	return db, err
}

// parse also returns where each entry begins.
func parse(b []byte) (*DB, []int64, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return nil, nil, atOffset(b, 0, fmt.Errorf("not a list of entries: %w", orElse(err, "want [")))
	}
	db, offsets := new(DB), []int64(nil)
	for dec.More() {
		start := entryStart(b, dec.InputOffset())
		if err := db.decode(dec); err != nil {
			return nil, nil, atOffset(b, errorOffset(err, start), err)
		}
		offsets = append(offsets, start)
	}
	if _, err := dec.Token(); err != nil {
		return nil, nil, atOffset(b, int64(len(b)), err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, atOffset(b, dec.InputOffset(), errors.New("text after the list"))
	}
	return db, offsets, nil
}

func (db *DB) decode(dec *json.Decoder) error {
	var e Entry
	if err := dec.Decode(&e); err != nil {
		return err
	}
	p, err := compile(e.Pattern)
	if err != nil {
		return fmt.Errorf("%q: %w", e.MarketingName, err)
	}
	db.items = append(db.items, newItem(e, p))
	return nil
}

// check holds entry i against the rules of Load.
func (db *DB) check(i int) error {
	e := &db.items[i].read().entry
	if e.MarketingName == "" {
		return errors.New("an entry without marketing_name")
	}
	for name, v := range e.figures() {
		if v < 0 {
			return fmt.Errorf("%q: %s is negative", e.MarketingName, name)
		}
	}
	if e.Example == "" {
		return nil
	}
	for j, other := range db.items {
		if got := other.matches(e.Example); got != (i == j) {
			return fmt.Errorf("%q: the example %q: matches the pattern of %q: %t", e.MarketingName, e.Example, other.read().entry.MarketingName, got)
		}
	}
	return nil
}

func (e *Entry) figures() map[string]float64 {
	return map[string]float64{
		"capacity_bytes": float64(e.CapacityBytes), "rated_bytes_written": float64(e.RatedBytesWritten),
		"pcie_generation": float64(e.PCIeGeneration), "pcie_lanes": float64(e.PCIeLanes),
		"rated_drive_writes_per_day": e.RatedDriveWritesPerDay, "warranty_years": e.WarrantyYears,
		"rated_read_latency_us": e.RatedReadLatencyUS, "rated_write_latency_us": e.RatedWriteLatencyUS,
		"rated_seq_read_mb_per_s": e.RatedSeqReadMBs, "rated_seq_write_mb_per_s": e.RatedSeqWriteMBs,
		"rated_read_iops": e.RatedReadIOPS, "rated_write_iops": e.RatedWriteIOPS,
		"read_only_at_percent": float64(e.ReadOnlyAtPercent), "drives_seen": float64(e.DrivesSeen),
	}
}

// entryStart skips what stands between two entries.
func entryStart(b []byte, offset int64) int64 {
	rest := bytes.TrimLeft(b[offset:], ", \t\r\n")
	return int64(len(b) - len(rest))
}

// errorOffset is where the decoder found the error, and otherwise where the
// entry begins.
func errorOffset(err error, start int64) int64 {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return syntax.Offset
	case errors.As(err, &kind):
		return kind.Offset
	}
	return start
}

func atOffset(b []byte, offset int64, err error) error {
	line := 1 + bytes.Count(b[:min(max(offset, 0), int64(len(b)))], []byte("\n"))
	return fmt.Errorf("drive database: line %d: %w", line, err)
}

func orElse(err error, text string) error {
	if err != nil {
		return err
	}
	return errors.New(text)
}
