package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Schema is the name and version of the JSON object of a Record.
const Schema = "qd1.record/1"

// MaxBytes is the size of the largest record, 64 MiB.
const MaxBytes = 64 << 20

// Record is one result of a command.
type Record struct {
	Schema string `json:"schema"`
	// ID is unique, a file name, and sorts by time: 20260102T030405Z-abc234. It
	// is "" for what was never kept.
	ID string `json:"id"`
	// Time is when the result was made, in UTC.
	Time time.Time `json:"time"`
	// Kind is what it is a result of: bench, report, launch, boot, erase, age or
	// another word of small letters and "-".
	Kind    string  `json:"kind"`
	Subject Subject `json:"subject"`
	// Label is a name that the user gave, "" for none.
	Label string `json:"label,omitempty"`
	Tool  Tool   `json:"tool"`
	// Body is the whole result, a JSON object with a schema of its own. It is
	// nil in what Headers returns.
	Body json.RawMessage `json:"body"`

	// File is where it was read from, "" if it was not.
	File string `json:"-"`
}

// Tool is the program that made a record.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// encode makes the line that a record is kept as. It refuses what decode would
// not accept.
func encode(r *Record) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("the record cannot be encoded: %w", err)
	}
	return b.Bytes(), nil
}

// oneLine returns JSON without spaces, and with keys that are not of this
// version. What is no JSON stays as it is.
func oneLine(data []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return data
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// decode reads a record and checks all that the package relies on. Keys that
// it does not know are ignored.
func decode(data []byte) (*Record, error) {
	var r Record
	err := json.Unmarshal(data, &r)
	if err != nil {
		r.Schema, err = schemaOf(data, err)
	}
	switch {
	case r.Schema == Schema && err != nil:
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	case r.Schema == Schema:
	case strings.HasPrefix(r.Schema, "qd1.record/"):
		return nil, fmt.Errorf("%w: its format is %q", ErrVersion, r.Schema)
	case r.Schema != "":
		return nil, fmt.Errorf("%w: its format is %q", ErrNotRecord, r.Schema)
	case err != nil:
		return nil, err
	default:
		return nil, ErrNotRecord
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return &r, nil
}

// schemaOf finds the schema of what is no record of this version, and says
// what is wrong with it: cause if it is JSON.
func schemaOf(data []byte, cause error) (string, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	err := json.Unmarshal(data, &head)
	var syntax *json.SyntaxError
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return "", fmt.Errorf("%w: it is empty", ErrDamaged)
	case errors.As(err, &syntax):
		return "", fmt.Errorf("%w: at byte %d: %w", ErrDamaged, syntax.Offset, err)
	case err != nil || head.Schema == "":
		return "", ErrNotRecord
	}
	return head.Schema, cause
}

// check looks at all parts but the inside of the body.
func (r *Record) check() error {
	switch {
	case r.Schema != Schema:
		return fmt.Errorf("the schema is %q, not %q", r.Schema, Schema)
	case !validID(r.ID):
		return fmt.Errorf("%q is no identifier of a record", r.ID)
	case r.Time.IsZero():
		return errors.New("it has no time")
	case !validKind(r.Kind):
		return fmt.Errorf("%q is no kind of record", r.Kind)
	case r.Subject.empty():
		return ErrNoSubject
	case !object(r.Body):
		return errors.New("its body is no JSON object")
	}
	return nil
}

// validKind accepts words of small letters and "-", of at most 32 bytes.
func validKind(kind string) bool {
	good := func(r rune) bool { return 'a' <= r && r <= 'z' || r == '-' }
	return kind != "" && len(kind) <= 32 && strings.IndexFunc(kind, func(r rune) bool { return !good(r) }) < 0
}

// object reports whether raw JSON is an object, if it is valid at all.
func object(raw json.RawMessage) bool {
	return bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{"))
}
