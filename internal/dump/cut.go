package dump

import (
	"strings"

	"qd1.example/qd1/internal/lazyregexp"
)

var (
	// wholeEnd is what a value that is whole can end in, and the prompt of a
	// shell.
	wholeEnd = lazyregexp.New(`([%\])$#>]|\bCelsius|[0-9] C)\s*$`)
	// lastLines are the last lines of the tools' outputs, and messages.
	lastLines = lazyregexp.New(`(?i)^\s*(thermal management t2 total time|thermal temp\. 2 total time|frs[1-7]\s*:|lbaf.*\brp:|lba format.*relative performance:)|active_power|failed:`)
)

// cutOff reports whether the last line of a dump, which has no end, may have
// lost the end of its value, and remembers it then. The program that a tool's
// output was copied with may have taken away the end of the line only.
func (s *scanner) cutOff(text string) bool {
	if strings.HasSuffix(text, "\r") || s.now.kind == noKind && startOf(text) == nil {
		return false
	}
	if s.wholeLine(text) {
		return false
	}
	s.cut = s.count
	return true
}

// wholeLine reports whether a line can be the last of a tool's output, or has
// no value that could be cut.
func (s *scanner) wholeLine(text string) bool {
	if strings.TrimSpace(text) == "" || wholeEnd.MatchString(text) || lastLines.MatchString(text) {
		return true
	}
	switch s.now.kind {
	case unused:
		return true
	case nvmeList:
		last := strings.Index(s.now.lines[0].text, "FW Rev")
		return last > 0 && len(text) > last
	case crystalDiskInfo:
		if crystalRaw.MatchString(text) || crystalBytes.MatchString(text) || crystalWords.MatchString(text) {
			return true
		}
	case smartctlText:
		if isRow(text) {
			const columns = 9 // Of the error log, which comes last.
			return len(strings.Fields(text)) >= columns && strings.Contains(text, " 0x")
		}
	}
	return !strings.Contains(text, ":")
}

// isRow reports whether a line is one of a table of smartctl.
func isRow(text string) bool {
	f := strings.Fields(text)
	return len(f) > 0 && strings.Trim(f[0], "0123456789") == ""
}
