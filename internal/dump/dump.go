package dump

import (
	"errors"
	"fmt"
	"io"
)

// The bounds of what Read accepts.
const (
	// MaxBytes is the length of the longest dump, 16 MiB.
	MaxBytes = 16 << 20
	// MaxLines is the number of its lines.
	MaxLines = 1 << 17

	maxDrives = 256
	maxNodes  = 1 << 17 // Values in one piece of JSON.
	maxDepth  = 64
)

// Errors of Read and of the drives that it returns.
var (
	// ErrNotDump is a file in which nothing was recognised.
	ErrNotDump = errors.New("not a dump that qd1 reads (smartctl, nvme-cli, CrystalDiskInfo)")
	// ErrNoDrive is output of a known tool that is of no NVMe drive.
	ErrNoDrive = errors.New("no NVMe drive in this dump")
	// ErrTooLarge is a dump beyond the bounds of this package.
	ErrTooLarge = errors.New("too large")
	// ErrSeveralDrives is a dump whose pages are of several drives, and which
	// page is of which cannot be told.
	ErrSeveralDrives = errors.New("the pages are of different drives")
	// ErrNotInDump is a command that a dump has no answer to. The error that
	// wraps it names the command.
	ErrNotInDump = errors.New("not in this dump")
)

// ParseError is a fault in a dump.
type ParseError struct {
	// Tool is what was recognised there, "" for nothing.
	Tool string
	// Line is the number of the line, from 1. 0 means the file as a whole.
	Line int
	// Err is the cause.
	Err error
}

// Error names the line, what was recognised and the cause.
func (e *ParseError) Error() string {
	text := e.Err.Error()
	if e.Tool != "" {
		text = e.Tool + ": " + text
	}
	if e.Line > 0 {
		text = fmt.Sprintf("line %d: %s", e.Line, text)
	}
	return text
}

// Unwrap returns the cause.
func (e *ParseError) Unwrap() error { return e.Err }

// Dump is what other tools printed about one or more drives.
type Dump struct {
	// Tool is the tool that printed it: "smartctl", "nvme-cli",
	// "CrystalDiskInfo" or "raw page"; several are joined with " + ".
	Tool string
	// Version is the version of the first tool that says it, "" if none does.
	Version string
	// Drives are in the order of the dump. There is at least one, but for a
	// list that says that the host has none.
	Drives []*Drive
	// Skipped are drives that are not NVMe, by the names that the tool gives.
	Skipped []string
	// Guessed says that the kind of the page was not written anywhere and
	// was concluded from plausible contents.
	Guessed bool
}

// Read reads a dump. It stops at the first fault, with a [*ParseError] except
// for an error of r, and never holds more than a small multiple of [MaxBytes],
// whatever r gives.
func Read(r io.Reader) (*Dump, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(b) > MaxBytes {
		return nil, &ParseError{Err: fmt.Errorf("%w: more than %d MiB", ErrTooLarge, MaxBytes>>20)}
	}
	text, isText := decodeText(b)
	if !isText {
		return readRaw(b)
	}
	d, err := readText(text)
	if plain := dedent(text); errors.Is(err, ErrNotDump) && plain != text {
		return readText(plain)
	}
	return d, err
}

func readText(text string) (*Dump, error) {
	s := &scanner{dump: &Dump{}}
	if err := s.scan(text); err != nil {
		return nil, err
	}
	return s.finish()
}

// fault makes a ParseError, unless err is one or nil.
func fault(tool string, line int, err error) error {
	var known *ParseError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &ParseError{Tool: tool, Line: line, Err: err}
}
