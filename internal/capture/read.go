package capture

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"qd1.example/qd1/nvme"
)

// The bounds of what Read keeps in memory.
const (
	// MaxLineBytes is the length of the longest line, 16 MiB.
	MaxLineBytes = 16 << 20
	// MaxDataBytes is the sum of all data and texts, 256 MiB.
	MaxDataBytes = 256 << 20
	// MaxLines is the number of exchanges and sysfs lines.
	MaxLines = 1 << 18

	maxHeaderBytes = 64 << 10
)

// Errors of Read and Redact. They come wrapped in a [*ParseError].
var (
	// ErrNotCapture is a file that does not begin with the header of a capture.
	ErrNotCapture = errors.New("not a qd1 capture")
	// ErrVersion is a capture of another version of the format.
	ErrVersion = errors.New("made by another version of qd1")
	// ErrTooLarge is a capture beyond the bounds of this package.
	ErrTooLarge = errors.New("too large")
	// ErrTruncated is a line that ends in the middle of an object.
	ErrTruncated = errors.New("truncated JSON")
)

// ParseError is a fault in a capture.
type ParseError struct {
	// Line is the number of the line, from 1.
	Line int
	// Err is the cause.
	Err error
}

// Error names the line and the cause.
func (e *ParseError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *ParseError) Unwrap() error { return e.Err }

// Read reads a capture. It stops at the first fault with a [*ParseError], and
// never holds more than the bounds of this package whatever r gives. A byte
// order mark, CR LF line ends, empty lines and unknown keys are accepted.
func Read(r io.Reader) (*Capture, error) {
	p := newParser()
	if err := p.parse(r, nil); err != nil {
		return nil, err
	}
	return p.capture, nil
}

// limits are the bounds of a parser.
type limits struct{ lineBytes, dataBytes, lines int }

// parser builds a Capture from its lines.
type parser struct {
	limits    limits
	capture   *Capture
	lines     int
	exchanges int
	bytes     int
}

func newParser() *parser {
	return &parser{
		limits: limits{MaxLineBytes, MaxDataBytes, MaxLines},
		capture: &Capture{
			texts: map[string]string{}, links: map[string]string{},
			answers: map[key][]answer{}, next: map[key]int{},
		},
	}
}

// parse reads everything. It calls each, if not nil, with every line that is
// good; the line is valid until each returns.
func (p *parser) parse(r io.Reader, each func(line []byte, rec *record)) error {
	in := newLines(r, p.limits.lineBytes)
	for first := true; ; first = false {
		line, err := in.next()
		if err == io.EOF && !first {
			return nil
		}
		var rec *record
		switch {
		case err == io.EOF:
			err = ErrNotCapture
		case err != nil:
		case first:
			err = p.parseHeader(line)
		default:
			rec, err = p.parseLine(line, in.last)
		}
		if err != nil {
			return &ParseError{Line: in.number, Err: err}
		}
		if each != nil {
			each(line, rec)
		}
	}
}

// parseHeader decodes the first line. Apart from the format, the header is only
// information: a value of another type than expected is left out.
func (p *parser) parseHeader(line []byte) error {
	var mark struct{ Capture string }
	if !json.Valid(line) || json.Unmarshal(line, &mark) != nil || !strings.HasPrefix(mark.Capture, "qd1/") {
		return ErrNotCapture
	}
	if mark.Capture != Format {
		return fmt.Errorf("%w: the format is %q, this version reads %q", ErrVersion, mark.Capture, Format)
	}
	_ = json.Unmarshal(line, &p.capture.header)
	return nil
}

// record is any line but the header.
type record struct {
	Capture *string `json:"capture"`
	sysfsLine
	exchange
}

func (p *parser) parseLine(line []byte, last bool) (*record, error) {
	if p.lines++; p.lines > p.limits.lines {
		return nil, fmt.Errorf("%w: more than %d lines", ErrTooLarge, p.limits.lines)
	}
	var rec record
	if err := unmarshal(line, &rec); err != nil {
		return nil, p.explain(err, last)
	}
	switch {
	case rec.Capture != nil:
		return nil, errors.New("a second header")
	case rec.Path != "":
		return &rec, p.addSysfs(&rec.sysfsLine)
	case rec.Queue == "":
		return nil, errors.New("neither an exchange nor a sysfs line")
	}
	return &rec, p.addExchange(&rec.exchange)
}

// unmarshal decodes an object. The null that JSON allows in its place does
// not count as one.
func unmarshal(line []byte, v any) error {
	if !isObject(line) {
		return errNotObject
	}
	return json.Unmarshal(line, v)
}

// explain turns an error of the JSON decoder into a cause that a user of the
// file understands.
func (p *parser) explain(err error, last bool) error {
	var (
		syntax *json.SyntaxError
		kind   *json.UnmarshalTypeError
		base   base64.CorruptInputError
	)
	switch {
	case errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end") && last:
		return fmt.Errorf("%w: the file ends in the middle of an object; the %d exchanges before it are whole", ErrTruncated, p.exchanges)
	case errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end"):
		return fmt.Errorf("%w: the line ends in the middle of an object", ErrTruncated)
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON: %w", err)
	case errors.As(err, &kind):
		return fmt.Errorf("the value of %s cannot be a %s", kind.Field[strings.LastIndexByte(kind.Field, '.')+1:], kind.Value)
	case errors.As(err, &base):
		return errors.New("data is not base64")
	}
	return err
}

func (p *parser) addSysfs(s *sysfsLine) error {
	if !fs.ValidPath(s.Path) {
		return fmt.Errorf("the sysfs path %q is not relative to /sys", s.Path)
	}
	c := p.capture
	if s.Link != nil {
		c.links[s.Path] = *s.Link
		return p.keep(len(s.Path) + len(*s.Link))
	}
	if s.Text == nil {
		return errors.New(`a sysfs line without "text" or "link"`)
	}
	c.texts[s.Path] = *s.Text
	return p.keep(len(s.Path) + len(*s.Text))
}

const maxStatus nvme.Status = 1<<15 - 1

func (p *parser) addExchange(e *exchange) error {
	k, err := newKey(e)
	if err != nil {
		return err
	}
	if e.Status > maxStatus {
		return fmt.Errorf("status %d has more than 15 bits", e.Status)
	}
	p.capture.answers[k] = append(p.capture.answers[k], newAnswer(e))
	p.exchanges++
	return p.keep(len(e.Data) + len(e.Error))
}

// keep counts what stays in memory.
func (p *parser) keep(n int) error {
	if p.bytes += n; p.bytes > p.limits.dataBytes {
		return fmt.Errorf("%w: more than %d MiB of data", ErrTooLarge, p.limits.dataBytes>>20)
	}
	return nil
}
