package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/state"
)

// keepFlags are the flags of a command whose result can be kept as a record.
// standard says that it is kept unless --no-save is given.
func keepFlags(standard bool) []cli.Flag {
	save, label := "keep the result as a record, which qd1 history shows", "`TEXT` to find the record by; needs --save"
	if standard {
		save, label = "keep the result of a simulated drive too", "`TEXT` to keep with the result, and to find it by"
	}
	return []cli.Flag{
		&cli.BoolFlag{Name: "save", DisableDefaultText: true, Usage: save, Action: func(c *cli.Context, save bool) error {
			if save && c.Bool("no-save") {
				return usagef("--save and --no-save are opposites")
			}
			return nil
		}},
		&cli.BoolFlag{Name: "no-save", DisableDefaultText: true, Usage: "keep no record of the result"},
		&cli.StringFlag{Name: "label", Usage: label, Action: func(c *cli.Context, label string) error {
			if label != "" && !standard && !c.Bool("save") {
				return usagef("--label %s: only a record has a label here; add --save", label)
			}
			return nil
		}},
	}
}

// keep saves a result as a record and says under which identifier, which it
// returns. Without a subject it is the one that the result names. "" says that
// the result was not to be kept, or that this failed: which is told, and no
// failure of the command.
//
// A standard result is kept unless --no-save is given, others if --save is. Of
// simulated drives nothing is kept without --save: a demonstration must leave
// nothing behind.
func (in *invocation) keep(kind string, subject record.Subject, body any, standard bool) (id string) {
	if in.Bool("no-save") || !standard && !in.Bool("save") {
		return "" // Without looking who it is of.
	}
	r, err := in.newRecord(kind, subject, body)
	if !in.keeps(r.Subject.Simulated, standard) {
		return ""
	}
	var s *record.Store
	if err == nil {
		s, err = in.store()
	}
	if err == nil {
		_, err = s.Save(r)
	} else {
		err = fmt.Errorf("the record was not kept: %w", err)
	}
	if err != nil {
		in.env.warn(err, hintNotKept(err))
		return ""
	}
	if in.String("format") != "json" { // The result has it, and standard error is for an error object.
		in.env.say("kept as record %s", r.ID)
	}
	return r.ID
}

// keeps reports whether the flags, or the habit of the command, want a result
// to be kept.
func (in *invocation) keeps(simulated, standard bool) bool {
	switch {
	case in.Bool("no-save"):
		return false
	case in.IsSet("save"):
		return in.Bool("save")
	}
	return standard && !simulated
}

// newRecord makes a record of a result. It is never nil.
func (in *invocation) newRecord(kind string, subject record.Subject, body any) (*record.Record, error) {
	raw, err := json.Marshal(body)
	if subject == (record.Subject{}) {
		subject = record.SubjectOf(raw)
	}
	r := &record.Record{
		Time: timeOf(raw, in.env.now()), Kind: kind, Subject: subject, Label: in.String("label"), Tool: record.Tool(tool()), Body: raw,
	}
	if subject.Serial != "" {
		return r, err
	}
	if isStdin(subject.Path) {
		r.Subject.Path = "" // Every result of standard input would be of the same drive.
	} else if _, e := os.Stat(subject.Path); e == nil {
		r.Subject.Path, e = filepath.Abs(subject.Path)
		err = errors.Join(err, e)
	}
	return r, err
}

// timeOf is when a result says that it was made.
func timeOf(raw []byte, otherwise time.Time) time.Time {
	var v struct {
		Time time.Time `json:"time"`
	}
	if json.Unmarshal(raw, &v) != nil || v.Time.IsZero() {
		return otherwise
	}
	return v.Time
}

// hintNotKept is what can be done about a record that was not kept.
func hintNotKept(err error) string {
	for _, e := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		if errors.Is(err, e) {
			return "make room: qd1 history prune removes old records. The result itself is whole"
		}
	}
	for _, e := range []error{fs.ErrPermission, syscall.EROFS, state.ErrUnsafe, state.ErrNoDir} {
		if errors.Is(err, e) {
			return "set XDG_STATE_HOME to a folder that only you can write to, or add --no-save"
		}
	}
	return ""
}

// store is where records are kept.
func (in *invocation) store() (*record.Store, error) {
	dir, err := stateDir()
	if err != nil {
		return nil, failf("set XDG_STATE_HOME", "there is no place for records: %w", err)
	}
	return record.Open(filepath.Join(dir, "records")), nil
}

// warn tells of something that went wrong beside the result.
func (e *env) warn(err error, hint string) {
	e.say("warning: %v", err)
	if hint != "" {
		e.say("hint: %s", hint)
	}
}
