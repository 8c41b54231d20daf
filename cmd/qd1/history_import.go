package main

import (
	"context"
	"errors"
	"syscall"

	"qd1.example/qd1/internal/record"
)

func historyImportCommand() command {
	return command{
		name: "import", args: "FILE|-", access: none, maxArgs: 1,
		short: "take over records that history export wrote",
		help: `FILE has one record a line. Records that are here already are left as they are, so
that an import can be repeated. A line that is no record keeps no other one out; the
exit status is then 1.`,
		run: behind(runHistoryImport),
	}
}

func runHistoryImport(in *invocation) error {
	if in.NArg() == 0 {
		return usagef("%s needs a file, or - for standard input", in.name)
	}
	s, err := in.store()
	if err != nil {
		return err
	}
	f, err := in.openText(in.arg(0))
	if err != nil {
		return err
	}
	defer f.Close()
	added, faults := s.Import(f)
	in.env.say("records that are new here: %d", added)
	if in.Context.Context.Err() != nil {
		return context.Canceled
	}
	return importOutcome(in, faults)
}

// mostFaults is how many lines of an import are named.
const mostFaults = 20

// importOutcome tells of the lines that are not here now.
func importOutcome(in *invocation, faults []error) error {
	if len(faults) == 0 {
		return nil
	}
	for i, err := range faults {
		if i == mostFaults {
			in.env.say("warning: … and %d more lines", len(faults)-i)
			break
		}
		in.env.warn(err, "")
	}
	last := faults[len(faults)-1]
	switch {
	case errors.Is(last, syscall.ENOSPC), errors.Is(last, syscall.EDQUOT), errors.Is(last, syscall.EROFS), errors.Is(last, record.ErrBusy):
		return failf("repeat the import when the cause is gone: what is here already does no harm", "the import ended early: %w", last)
	}
	return failf("history export writes one record a line; qd1 compare reads bare results", "%d lines were not taken over", len(faults))
}
