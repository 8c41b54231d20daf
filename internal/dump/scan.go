package dump

import (
	"fmt"
	"slices"
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
)

// kind says what a section of a dump is.
type kind uint8

const (
	noKind kind = iota
	smartctlText
	nvmeController
	nvmeNamespace
	nvmeSMART
	nvmeErrors
	nvmeFirmware
	nvmeList
	crystalDiskInfo
	unused // Known output that no report has a use for.
)

// The tools by name.
const (
	smartctlTool = "smartctl"
	nvmeTool     = "nvme-cli"
	crystalTool  = "CrystalDiskInfo"
	rawTool      = "raw page"
)

// start is a line that a section begins with, or that shows its kind where the
// user did not copy its beginning. A section goes on over the starts of its
// kind in order of rank; one that comes again begins the next section. Starts
// with many may come again.
type start struct {
	kind kind
	rank int
	many bool
	line *lazyregexp.Regexp
}

// starts are the recognised lines, of each kind the true beginning first.
var starts = []start{
	{smartctlText, 0, false, lazyregexp.New(`^smartctl (?:pre-)?[0-9]+\.[0-9]+`)},
	{smartctlText, 1, false, lazyregexp.New(`^=== START OF INFORMATION SECTION ===`)},
	{smartctlText, 2, false, lazyregexp.New(`^=== START OF SMART DATA SECTION ===`)},
	{smartctlText, 3, false, lazyregexp.New(`^SMART/Health Information \(NVMe Log 0x02`)},
	{nvmeController, 0, false, lazyregexp.New(`^NVME Identify Controller`)},
	{nvmeController, 1, false, lazyregexp.New(`^vid\s*:`)},
	{nvmeNamespace, 0, false, lazyregexp.New(`^NVME Identify Namespace [0-9]+`)},
	{nvmeNamespace, 1, false, lazyregexp.New(`^nsze\s*:`)},
	{nvmeSMART, 0, false, lazyregexp.New(`^Smart Log for NVME device`)},
	{nvmeSMART, 1, false, lazyregexp.New(`^critical_warning\s*:`)},
	{nvmeErrors, 0, false, lazyregexp.New(`^Error Log Entries for device`)},
	{nvmeErrors, 1, true, lazyregexp.New(`^ *Entry\[ *[0-9]+\]`)},
	{nvmeErrors, 1, true, lazyregexp.New(`^error_count\s*:`)},
	{nvmeFirmware, 0, false, lazyregexp.New(`^Firmware Log for device`)},
	{nvmeFirmware, 1, false, lazyregexp.New(`^afi\s*:`)},
	{nvmeList, 0, false, lazyregexp.New(`^Node +(Generic +)?SN +Model `)},
	{unused, 0, false, lazyregexp.New(`^(Device Self Test Log for NVME device|Sanitize Progress +\(SPROG\)|nvme-subsys[0-9]+ - NQN=|Persistent Event Log|Commands Supported and Effects)`)},
	{crystalDiskInfo, 0, false, lazyregexp.New(`^CrystalDiskInfo [0-9]`)},
	{crystalDiskInfo, 1, true, lazyregexp.New(`^ *Model : .`)},
}

// startOf returns the start that a line is, nil if none.
func startOf(text string) *start {
	for i := range starts {
		if starts[i].line.MatchString(text) {
			return &starts[i]
		}
	}
	return nil
}

// section is a run of lines of one kind.
type section struct {
	kind  kind
	rank  int
	lines []line
}

// endsAt reports whether a new section begins with s.
func (c *section) endsAt(s *start) bool {
	return c.kind != s.kind || s.rank < c.rank || s.rank == c.rank && !s.many
}

// scanner splits a dump into sections and collects the parts that they are.
type scanner struct {
	dump  *Dump
	parts []part
	now   section
	count int
	// cut is the number of the last line if it was left out because it has no
	// end, 0 otherwise.
	cut int
	// foreign is the first thing that was recognised and is of no use, with
	// the reason.
	foreign error
}

// scan reads a whole text.
func (s *scanner) scan(text string) error {
	for pos := 0; pos < len(text); {
		if s.count++; s.count > MaxLines {
			return &ParseError{Line: s.count, Err: fmt.Errorf("%w: more than %d lines", ErrTooLarge, MaxLines)}
		}
		if opensJSON(text[pos:]) {
			n, err := s.json(text[pos:])
			if err != nil {
				return err
			}
			s.count += strings.Count(text[pos:pos+n], "\n") - 1
			pos += n
			continue
		}
		n := strings.IndexByte(text[pos:], '\n') + 1
		if n == 0 {
			n = len(text) - pos
			if s.cutOff(text[pos:]) {
				break
			}
		}
		if err := s.line(strings.TrimRight(text[pos:pos+n], "\r\n")); err != nil {
			return err
		}
		pos += n
	}
	return s.endLast()
}

// endLast parses the section at the end of the dump.
func (s *scanner) endLast() error {
	before := len(s.parts)
	if err := s.endSection(); err != nil {
		return err
	}
	if s.cut > 0 && len(s.parts) > before {
		s.parts[len(s.parts)-1].drive.note(fmt.Sprintf("line %d is left out: the file ends in it, and its value may be cut", s.cut))
	}
	return nil
}

// opensJSON reports whether a line begins a JSON object, or an array of
// objects and not some message in brackets.
func opensJSON(text string) bool {
	text = strings.TrimLeft(text, " \t")
	rest, array := strings.CutPrefix(text, "[")
	if array {
		text = strings.TrimLeft(rest, " \t\r\n")
	}
	return strings.HasPrefix(text, "{")
}

func (s *scanner) line(text string) error {
	st := startOf(text)
	if st != nil && s.now.endsAt(st) {
		if err := s.endSection(); err != nil {
			return err
		}
	}
	if st != nil {
		s.now.kind, s.now.rank = st.kind, st.rank
	}
	if s.now.kind != noKind {
		s.now.lines = append(s.now.lines, line{s.count, text})
	}
	return nil
}

// endSection parses the section that is complete now.
func (s *scanner) endSection() error {
	c := s.now
	s.now = section{}
	switch c.kind {
	case smartctlText:
		return s.smartctl(c.lines)
	case nvmeController:
		return s.nvmeController(c.lines)
	case nvmeNamespace:
		return s.nvmeNamespace(c.lines)
	case nvmeSMART:
		return s.nvmeSMART(c.lines)
	case nvmeErrors:
		return s.nvmeErrors(c.lines)
	case nvmeFirmware:
		return s.nvmeFirmware(c.lines)
	case nvmeList:
		return s.nvmeList(c.lines)
	case crystalDiskInfo:
		return s.crystal(c.lines)
	case unused:
		s.useless(nvmeTool, c.lines[0].number, "%q has nothing that a report is made of", printable(c.lines[0].text))
	}
	return nil
}

// add takes a part, unless there are too many.
func (s *scanner) add(p part) error {
	if len(s.parts) >= maxDrives {
		return &ParseError{p.tool, p.line, fmt.Errorf("%w: more than %d drives and pages", ErrTooLarge, maxDrives)}
	}
	s.parts = append(s.parts, p)
	return nil
}

// useless remembers that something was recognised and why it gives nothing.
func (s *scanner) useless(tool string, number int, format string, args ...any) {
	if s.foreign == nil {
		s.foreign = &ParseError{tool, number, fmt.Errorf("%w: "+format, append([]any{ErrNoDrive}, args...)...)}
	}
}

// finish puts the parts together.
func (s *scanner) finish() (*Dump, error) {
	switch {
	case len(s.parts) > 0:
	case s.foreign != nil:
		return nil, s.foreign
	case s.dump.Tool == "":
		return nil, &ParseError{Err: ErrNotDump}
	}
	var err error
	for _, p := range s.parts {
		s.dump.from(p.tool, p.version)
	}
	s.dump.Drives, err = assemble(s.parts)
	if err != nil {
		return nil, err
	}
	return s.dump, nil
}

// from adds a tool and the version that it gave.
func (d *Dump) from(tool, version string) {
	known := strings.Split(d.Tool, " + ")
	switch {
	case d.Tool == "":
		d.Tool = tool
	case !slices.Contains(known, tool):
		d.Tool += " + " + tool
	}
	if d.Version == "" {
		d.Version = version
	}
}
