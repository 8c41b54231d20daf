package nvme

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

func TestStatusBits(t *testing.T) {
	s := Status(0x7A81) // DNR, More, CRD 3, SCT 2, SC 81h.
	if s.SC() != 0x81 || s.SCT() != 2 || s.CRD() != 3 || !s.More() || !s.DNR() || s.OK() {
		t.Errorf("%#x: SC %#x, SCT %d, CRD %d, more %v, DNR %v, OK %v", uint16(s), s.SC(), s.SCT(), s.CRD(), s.More(), s.DNR(), s.OK())
	}
	if got := s.Code(); got != StatusUnrecoveredReadError {
		t.Errorf("Code = %#x, want %#x", uint16(got), uint16(StatusUnrecoveredReadError))
	}
	if zero := Status(0); !zero.OK() || zero.DNR() || zero.More() || zero.CRD() != 0 {
		t.Error("status 0 is not plain success")
	}
}

func TestStatusText(t *testing.T) {
	tests := []struct {
		status      Status
		text, error string
	}{
		{0x0000, "Successful Completion", "Successful Completion (0x000)"},
		{0x4002, "Invalid Field in Command", "Invalid Field in Command (0x002, do not retry)"},
		{0x2109, "Invalid Log Page", "Invalid Log Page (0x109, more in the error log)"},
		{0x0821, "Command Interrupted", "Command Interrupted (0x021, retry delay 1)"},
		{0x7281, "Unrecovered Read Error", "Unrecovered Read Error (0x281, retry delay 2, more in the error log, do not retry)"},
		{0x0017, "Reserved Status SCT 0h SC 17h", "Reserved Status SCT 0h SC 17h (0x017)"},
		{0x02C1, "Vendor Specific Status SCT 2h SC C1h", "Vendor Specific Status SCT 2h SC C1h (0x2c1)"},
		{0x4712, "Vendor Specific Status SCT 7h SC 12h", "Vendor Specific Status SCT 7h SC 12h (0x712, do not retry)"},
	}
	for _, tt := range tests {
		if got := tt.status.String(); got != tt.text {
			t.Errorf("%#04x String = %q, want %q", uint16(tt.status), got, tt.text)
		}
		if got := tt.status.Error(); got != tt.error {
			t.Errorf("%#04x Error = %q, want %q", uint16(tt.status), got, tt.error)
		}
	}
}

func TestStatusIs(t *testing.T) {
	err := fmt.Errorf("get SMART log: %w", &CommandError{Command: "Get Log Page", Status: 0x6002})
	tests := []struct {
		name   string
		err    error
		target error
		want   bool
	}{
		{"same code, other bits", err, StatusInvalidField, true},
		{"same code, bits in the target", err, Status(0x4002), true},
		{"other code", err, StatusInvalidOpcode, false},
		{"same SC, other SCT", Status(0x0102), StatusInvalidField, false},
		{"invalid field is not supported", err, ErrNotSupported, true},
		{"invalid opcode is not supported", Status(0x4001), ErrNotSupported, true},
		{"invalid log page is not supported", Status(0x6109), ErrNotSupported, true},
		{"command set is not supported", Status(0x4129), ErrNotSupported, true},
		{"media error is not ErrNotSupported", StatusUnrecoveredReadError, ErrNotSupported, false},
		{"lockdown is not ErrNotSupported", StatusProhibitedByLockdown, ErrNotSupported, false},
		{"invalid field is not another sentinel", err, ErrWouldModify, false},
	}
	for _, tt := range tests {
		if got := errors.Is(tt.err, tt.target); got != tt.want {
			t.Errorf("%s: errors.Is = %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestCommandError(t *testing.T) {
	var err error = &CommandError{Command: "Format NVM", Queue: AdminQueue, Opcode: AdminFormatNVM, NSID: 1, Status: 0x410A}
	if got, want := err.Error(), "Format NVM: Invalid Format (0x10a, do not retry)"; got != want {
		t.Errorf("Error = %q, want %q", got, want)
	}
	status, ok := errors.AsType[Status](err)
	if !ok || status != 0x410A {
		t.Errorf("status in the chain = %#x, %v, want 0x410a", uint16(status), ok)
	}
}

// TestStatusTable holds every constant against the names: none without, and
// none twice.
func TestStatusTable(t *testing.T) {
	constants := 0
	for _, file := range parseFiles(t, "", nil) {
		ast.Inspect(file, func(n ast.Node) bool {
			gen, ok := n.(*ast.GenDecl)
			if ok && gen.Tok == token.CONST {
				constants += statusConstants(gen)
			}
			return true
		})
	}
	if constants != len(statusNames) || constants < 100 {
		t.Errorf("%d status constants, %d names, want the same and at least 100", constants, len(statusNames))
	}
	// A name starts with a capital and has nothing of the Go identifier.
	shape := regexp.MustCompile(`^[A-Z][A-Za-z/-]*( [A-Za-z/-]+)+$`)
	seen := make(map[string]Status)
	for s, name := range statusNames {
		if !shape.MatchString(name) || strings.HasPrefix(name, "Status") {
			t.Errorf("%#03x: name %q", uint16(s), name)
		}
		if other, ok := seen[name]; ok {
			t.Errorf("%#03x and %#03x are both %q", uint16(s), uint16(other), name)
		}
		seen[name] = s
	}
}

func statusConstants(gen *ast.GenDecl) int {
	n := 0
	for _, spec := range gen.Specs {
		v := spec.(*ast.ValueSpec)
		if strings.HasPrefix(v.Names[0].Name, "Status") {
			n += len(v.Names)
		}
	}
	return n
}
