package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"qd1.example/qd1/internal/record"
)

func historyExportCommand() command {
	return command{
		name: "export", args: "[DRIVE] FILE|-", access: none, maxArgs: 2,
		short: "write records to a file, to keep them elsewhere or to give them away",
		help: `One record a line (JSON Lines), of DRIVE or of all. They have serial numbers in
them. history import and compare read the file.`,
		flags: chooseFlags(),
		run:   behind(runHistoryExport),
	}
}

func runHistoryExport(in *invocation) error {
	if in.NArg() == 0 {
		return usagef("%s needs a file, or - for standard output", in.name)
	}
	name := in.arg(in.NArg() - 1)
	q, err := in.query()
	if err != nil {
		return err
	}
	if err := checkOutput(name, nil); err != nil {
		return err
	}
	s, err := in.store()
	if err != nil {
		return err
	}
	if in.NArg() == 2 {
		subject, err := in.kept(s, in.arg(0))
		if err != nil {
			return err
		}
		q.Drive = subject.Key()
	}
	n, faults, err := in.export(s, q, name)
	for _, f := range faults {
		in.env.warn(f, "")
	}
	if err != nil {
		return err
	}
	in.env.say("records written to %s: %d", shownName(name), n)
	return nil
}

// shownName is the name of a file for a message.
func shownName(name string) string {
	if name == "-" {
		return "standard output"
	}
	return name
}

// errNoRecords keeps an export of nothing from replacing a file.
var errNoRecords = errors.New("there is no such record")

// export writes records to a file, which appears only when it is whole, or to
// standard output. faults are records that cannot be read.
func (in *invocation) export(s *record.Store, q record.Query, name string) (n int, faults []error, err error) {
	write := func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<20)
		n, faults = s.Export(&failing{w: b, err: &err}, q)
		if err != nil {
			faults = faults[:len(faults)-1] // That of the writer.
			return err
		}
		if n == 0 {
			return errNoRecords
		}
		return b.Flush()
	}
	info, e := os.Stat(name)
	switch {
	case name == "-":
		err = write(in.env.stdout)
	case e == nil && !info.Mode().IsRegular():
		err = writeTo(name, write)
	default:
		err = replaceWith(realName(name), write)
	}
	switch {
	case errors.Is(err, errNoRecords):
		err = &exitError{status: exitFailed, err: err, hint: "qd1 history lists what there are records of"}
	case err != nil:
		err = failf("is the disk full? nothing was written under that name", "cannot write %s: %w", shownName(name), err)
	}
	return n, faults, err
}

// failing keeps the error of a writer apart from those of what is written.
type failing struct {
	w   io.Writer
	err *error
}

// Write implements io.Writer.
func (f *failing) Write(b []byte) (int, error) {
	n, err := f.w.Write(b)
	if err != nil {
		*f.err = err
	}
	return n, err
}

// writeTo writes to a pipe or what else is there.
func writeTo(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// replaceWith writes a file beside another one, and takes its place when it is
// whole and on the disk.
func replaceWith(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(filepath.Join(filepath.Dir(name), fmt.Sprintf(".qd1-%d-%s", os.Getpid(), filepath.Base(name))), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
