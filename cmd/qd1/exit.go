package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/nvme"
)

// The exit statuses; docs/exit-status.md explains them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitFindings    = 3
	exitPartial     = 4
	exitRefused     = 5
	exitUnproven    = 6 // the verification failed
	exitUndecided   = 7 // the verification was inconclusive
	exitWorking     = 8 // the drive may still be working
	exitInterrupted = 130
)

// exitError is an error with its exit status and the next step for the user.
type exitError struct {
	status int
	err    error
	hint   string
	// silent: the result on stdout already says it.
	silent bool
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// hintUsage is the next step after a usage error; [ofCommand] names the command.
const hintUsage = "qd1 --help shows what is possible"

// ofCommand names the command of args in the hint of a usage error.
func ofCommand(err error, args []string, table []command) error {
	var x *exitError
	if !errors.As(err, &x) || x.hint != hintUsage {
		return err
	}
	path := "qd1"
	for _, arg := range args {
		i := slices.IndexFunc(table, func(c command) bool { return c.name == arg })
		if i < 0 && strings.HasPrefix(arg, "-") {
			continue
		}
		if i < 0 {
			break
		}
		path, table = path+" "+arg, table[i].below()
	}
	named := *x
	named.hint = strings.Replace(hintUsage, "qd1", path, 1)
	return &named
}

func usagef(format string, args ...any) error {
	return &exitError{status: exitUsage, err: fmt.Errorf(format, args...), hint: hintUsage}
}

func failf(hint, format string, args ...any) error {
	return &exitError{status: exitFailed, err: fmt.Errorf(format, args...), hint: hint}
}

// refusef is a refusal by a safety check: nothing was written and nothing sent.
func refusef(hint, format string, args ...any) error {
	return &exitError{status: exitRefused, err: fmt.Errorf("refused: "+format, args...), hint: hint}
}

// silently is an exit status for which the result itself is the message.
func silently(status int) error {
	return &exitError{status: status, err: errors.New("see the result"), silent: true}
}

const hintRoot = "NVMe commands need root (CAP_SYS_ADMIN): run it again with sudo, or give the container of root that capability"

// exitOf classifies an error: the one place where errors become exit statuses.
func exitOf(ctx context.Context, err error) *exitError {
	var known *exitError
	var selector *sysfs.SelectError
	var problem *report.Problem
	var measured *bench.Error
	var request *erase.RequestError
	var status nvme.Status
	switch {
	case errors.As(err, &known):
		return known
	case ctx.Err() != nil, errors.Is(err, bench.ErrInterrupted):
		return &exitError{status: exitInterrupted, err: errors.New("interrupted"), hint: ""}
	case errors.As(err, &selector):
		return &exitError{status: exitFailed, err: err, hint: selector.Hint}
	case errors.As(err, &problem):
		return &exitError{status: exitFailed, err: err, hint: problem.Hint}
	case errors.As(err, &measured):
		return &exitError{status: exitFailed, err: err, hint: measured.Hint}
	case errors.As(err, &request):
		return &exitError{status: exitFailed, err: err, hint: request.Hint}
	case errors.As(err, &status):
		return &exitError{status: exitFailed, err: err, hint: "the drive refused the command: this model may not have what was asked for"}
	case errors.Is(err, fs.ErrPermission):
		return &exitError{status: exitFailed, err: err, hint: hintRoot}
	}
	return &exitError{status: exitFailed, err: err}
}

// fromLibrary turns the errors with which the command line library would end
// the program by itself into usage errors.
func fromLibrary(err error) error {
	var coder cli.ExitCoder
	if errors.As(err, &coder) {
		return usagef("%s", lowerFirst(err.Error()))
	}
	return err
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// problem is the error as a report shows it.
func (e *exitError) problem() *report.Problem {
	kind := report.KindHost
	if errors.Is(e.err, fs.ErrPermission) {
		kind = report.KindPermission
	}
	return &report.Problem{Kind: kind, Text: e.Error(), Hint: e.hint}
}

// say writes a message that is neither result nor error.
func (e *env) say(format string, args ...any) {
	fmt.Fprintf(e.stderr, "qd1: %s\n", oneLine(fmt.Sprintf(format, args...)))
}

// fail tells the user about an error and returns the exit status.
func (e *env) fail(ctx context.Context, err error, asJSON bool) int {
	if err == nil {
		return exitDone
	}
	x := exitOf(ctx, err)
	switch {
	case x.silent:
	case asJSON:
		e.failJSON(x)
	default:
		fmt.Fprintf(e.stderr, "qd1: error: %s\n", oneLine(x.Error()))
		if x.hint != "" {
			fmt.Fprintf(e.stderr, "qd1: hint: %s\n", oneLine(x.hint))
		}
	}
	return x.status
}

func (e *env) failJSON(x *exitError) {
	type object struct {
		Text   string `json:"text"`
		Hint   string `json:"hint,omitempty"`
		Status int    `json:"exit_status"`
	}
	b, err := json.Marshal(map[string]object{"error": {oneLine(x.Error()), x.hint, x.status}})
	if err != nil {
		b = []byte(`{"error":{"exit_status":1}}`)
	}
	fmt.Fprintln(e.stderr, string(b))
}

// oneLine keeps a message on its line, and what could steer a terminal out of
// it: names of files and drives are part of messages.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ReplaceAll(s, "\n", "; "))
}
