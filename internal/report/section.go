package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/nvme"
)

// Section is one part of a report: either Data or Problem is set, or neither
// where the drive has no such thing. Its JSON is that of Data, null, or
// {"error": Problem}.
type Section[T any] struct {
	Data    *T
	Problem *Problem
}

// MarshalJSON implements json.Marshaler.
func (s Section[T]) MarshalJSON() ([]byte, error) {
	if s.Problem != nil {
		return json.Marshal(struct {
			Error *Problem `json:"error"`
		}{s.Problem})
	}
	return json.Marshal(s.Data)
}

// UnmarshalJSON reads what MarshalJSON writes: an object whose only key is
// "error" is a problem.
func (s *Section[T]) UnmarshalJSON(b []byte) error {
	*s = Section[T]{}
	var fields map[string]json.RawMessage
	if json.Unmarshal(b, &fields) == nil && len(fields) == 1 && fields["error"] != nil {
		return json.Unmarshal(fields["error"], &s.Problem)
	}
	return json.Unmarshal(b, &s.Data)
}

// Kind says what stopped a section from being read.
type Kind string

// The kinds of Problem.
const (
	KindStatus      Kind = "status"         // The drive refused the command.
	KindTimeout     Kind = "timeout"        // The drive did not answer in time.
	KindPermission  Kind = "permission"     // The host refused the command.
	KindNotRecorded Kind = "not-in-capture" // The capture has no answer.
	KindNotInDump   Kind = "not-in-dump"    // The dump does not have it.
	KindNoData      Kind = "no-data"        // The drive answered with an empty page.
	KindSkipped     Kind = "skipped"        // Not tried after an earlier failure.
	KindInterrupted Kind = "interrupted"    // The user stopped the program.
	KindHost        Kind = "host"           // Anything else.
)

const hintGone = "the drive has left the bus or does not answer any more; the kernel log (dmesg) says since when. A reset (echo 1 to reset_controller of the drive in /sys/class/nvme), the power off and on, or another slot may bring it back"

const hintTimeout = "look at the kernel log (dmesg) for resets of this drive; give more time with --timeout"

// Problem says why a section has no data.
type Problem struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
	// Status is the NVMe status, 15 bits, null unless the drive refused.
	Status *uint16 `json:"status"`
}

// Error makes a Problem an error.
func (p *Problem) Error() string { return p.Text }

// problemOf classifies err; nil stays nil.
func problemOf(err error) *Problem {
	if err == nil {
		return nil
	}
	p := &Problem{Kind: KindHost, Text: err.Error()}
	var known *Problem
	var status nvme.Status
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &status):
		code := uint16(status)
		p.Kind, p.Status = KindStatus, &code
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		p.Kind = KindTimeout
		p.Hint = hintTimeout
	case errors.Is(err, context.Canceled):
		p.Kind, p.Text = KindInterrupted, "interrupted"
	case errors.Is(err, syscall.ENODEV), errors.Is(err, syscall.ENXIO):
		p.Hint = hintGone
	case errors.Is(err, fs.ErrPermission):
		p.Kind = KindPermission
		p.Hint = "NVMe admin commands need root (CAP_SYS_ADMIN): run it with sudo"
	}
	return p
}

// section makes a Section of the usual pair of results.
func section[T any](v *T, err error) Section[T] {
	if err != nil {
		return Section[T]{Problem: problemOf(err)}
	}
	return Section[T]{Data: v}
}

func failf[T any](kind Kind, format string, args ...any) Section[T] {
	return Section[T]{Problem: &Problem{Kind: kind, Text: fmt.Sprintf(format, args...)}}
}

// benchProblem is the problem of a benchmark without any result.
func benchProblem(err error) *Problem {
	if err == nil {
		return &Problem{Kind: KindHost, Text: "the benchmark completed no operation"}
	}
	p := problemOf(err)
	var b *bench.Error
	if errors.As(err, &b) && p.Hint == "" {
		p.Hint = b.Hint
	}
	switch {
	case errors.Is(err, bench.ErrStalled):
		p.Kind = KindTimeout
	case errors.Is(err, bench.ErrInterrupted):
		p.Kind = KindInterrupted
	}
	return p
}
