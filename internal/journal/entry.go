package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Schema is the format of the files, the first line says it.
const Schema = "qd1.journal/1"

// The bounds of a file. Append does not go beyond them, and a file beyond them
// is not read.
const (
	// MaxLineBytes is the length of the longest line with its end, 1 MiB.
	MaxLineBytes = 1 << 20
	// MaxFileBytes is the size of the largest journal, 64 MiB.
	MaxFileBytes = 64 << 20
)

// State is a step of a job. A newer version may have others than these.
type State string

// The states in their order: about to be sent, sent for all that is known,
// answered or failed, being verified, ended.
const (
	Armed    State = "ARMED"
	Sent     State = "SENT"
	Returned State = "RETURNED"
	Verify   State = "VERIFY"
	Done     State = "DONE"
)

// Entry is a line that was on stable storage before its step was taken.
type Entry struct {
	Time  time.Time `json:"time"`
	State State     `json:"state"`
	// PID is the process that wrote it, Boot the kernel's identifier of the
	// time since the machine was started, "" if it was not known.
	PID  int    `json:"pid"`
	Boot string `json:"boot_id,omitempty"`
	// Data is what the job adds, nil for nothing.
	Data json.RawMessage `json:"data,omitempty"`
}

// header is the first line.
type header struct {
	Schema string          `json:"schema"`
	ID     string          `json:"id"`
	Kind   string          `json:"kind"`
	Serial string          `json:"serial"`
	Time   time.Time       `json:"time"`
	PID    int             `json:"pid"`
	Boot   string          `json:"boot_id,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
}

// Record is a job as its journal tells it.
type Record struct {
	ID, Kind, Serial string
	// Time is when the job was created.
	Time time.Time
	// Header is what Create was given, nil for nothing.
	Header  json.RawMessage
	Entries []Entry
	// Torn says that the file ends in a line that is not whole: its writer
	// ended before Append returned. It is none of the Entries.
	Torn bool
	// Live says that a process holds the job, PID which one wrote last.
	Live bool
	PID  int
	// Boot is the kernel's identifier of the time since the machine was started
	// when the last line was written. Restarted tells whether the machine was
	// started again since; nil if that is not known.
	Boot      string
	Restarted *bool
	// Path is the file.
	Path string
}

// State returns that of the last entry, "" if there is none: the job had not
// begun.
func (r *Record) State() State {
	if len(r.Entries) == 0 {
		return ""
	}
	return r.Entries[len(r.Entries)-1].State
}

// Ended reports whether the job came to its end: it has an entry Done.
func (r *Record) Ended() bool {
	return slices.ContainsFunc(r.Entries, func(e Entry) bool { return e.State == Done })
}

// newRecord makes the record of a header.
func newRecord(h *header) *Record {
	return &Record{
		ID: h.ID, Kind: h.Kind, Serial: h.Serial, Time: h.Time,
		Header: h.Data, PID: h.PID, Boot: h.Boot,
	}
}

// add adds an entry.
func (r *Record) add(e Entry) {
	r.Entries = append(r.Entries, e)
	r.PID, r.Boot = e.PID, e.Boot
}

// parseHeader decodes the first line. Unknown keys are left out.
func parseHeader(line []byte) (*header, error) {
	var h header
	if err := unmarshal(line, &h); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotJournal, err)
	}
	switch {
	case h.Schema == "":
		return nil, ErrNotJournal
	case h.Schema != Schema:
		return nil, fmt.Errorf("%w: the schema is %q, this version reads %q", ErrVersion, h.Schema, Schema)
	case h.ID == "" || h.Serial == "":
		return nil, fmt.Errorf("%w: the header has no id or no serial", ErrNotJournal)
	}
	h.Data = orNil(h.Data)
	return &h, nil
}

// parseEntry decodes any other line.
func parseEntry(line []byte) (Entry, error) {
	var e Entry
	if err := unmarshal(line, &e); err != nil {
		return Entry{}, err
	}
	if e.State == "" || e.Time.IsZero() {
		return Entry{}, errors.New("an entry without state or time")
	}
	e.Data = orNil(e.Data)
	return e, nil
}

// unmarshal decodes an object. The null that JSON allows in its place does
// not count as one.
func unmarshal(line []byte, v any) error {
	if b := bytes.TrimSpace(line); len(b) == 0 || b[0] != '{' {
		return errors.New("not a JSON object")
	}
	return json.Unmarshal(line, v)
}

// marshal writes v as one line. Characters of HTML stay as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	if b.Len() > MaxLineBytes {
		return nil, fmt.Errorf("%w: a line of %d bytes", ErrTooLarge, b.Len())
	}
	return b.Bytes(), nil
}

// rawData encodes the data of a line.
func rawData(data any) (json.RawMessage, error) {
	b, err := marshal(data)
	return orNil(bytes.TrimSpace(b)), err
}

// orNil makes nil of the null of JSON.
func orNil(b json.RawMessage) json.RawMessage {
	if len(b) == 0 || string(b) == "null" {
		return nil
	}
	return b
}
