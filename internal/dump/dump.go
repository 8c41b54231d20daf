package dump

import (
	"errors"
	"fmt"
	"io"
	"strings"
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
	// ErrEmpty is a file or pipe in which there is nothing but white space.
	ErrEmpty = errors.New("empty")
	// ErrCompressed is a compressed file. The error that wraps it says how.
	ErrCompressed = errors.New("compressed")
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
	if how := compression(b); how != "" {
		return nil, &ParseError{Err: fmt.Errorf("%w with %s", ErrCompressed, how)}
	}
	text, isText := decodeText(b)
	if isText && strings.TrimSpace(text) == "" {
		return nil, &ParseError{Err: ErrEmpty}
	}
	if !isText {
		return readRaw(b)
	}
	d, err := readText(text)
	if plain := dedent(text); errors.Is(err, ErrNotDump) && plain != text {
		return readText(plain)
	}
	return d, err
}

// compression names the program that wrote a compressed file, "" for another
// one, by the bytes that such files begin with: RFC 1952, section 2.3.1 (gzip),
// RFC 8878, section 3.1.1 (zstd), and those of xz, bzip2, zip and 7-Zip.
func compression(b []byte) string {
	for _, c := range []struct{ start, name string }{
		{"\x1f\x8b", "gzip"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"\xfd7zXZ\x00", "xz"},
		{"BZh", "bzip2"}, {"PK\x03\x04", "zip"}, {"7z\xbc\xaf\x27\x1c", "7-Zip"},
	} {
		if strings.HasPrefix(string(b[:min(len(b), len(c.start))]), c.start) {
			return c.name
		}
	}
	return ""
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
