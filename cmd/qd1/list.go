package main

import (
	"context"
	"io"
	"sync"
	"time"

	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
)

func listCommand() command {
	return command{
		name: "list", args: "[DRIVE…]", access: reads, maxArgs: 1000,
		short: "one row a drive: serial, model, size, firmware, link, temperature, wear",
		help:  "Without arguments all NVMe drives of this computer.",
		flags: append(outputFlags("json"), driveFlags()...),
		run:   runList,
	}
}

func runList(in *invocation) error {
	format, err := in.format("json")
	if err != nil {
		return err
	}
	timeout, err := in.timeout()
	if err != nil {
		return err
	}
	selectors, open, err := in.selectors()
	if err != nil {
		return err
	}
	rows := readRows(in.Context.Context, selectors, open, timeout)
	if len(rows) == 0 && format != "json" {
		in.env.say("no NVMe drive is present")
		in.env.say("hint: lspci shows whether the host sees one; sim:optane-905p is a simulated drive to try")
	}
	l := &report.List{Schema: report.ListSchema, Drives: []report.Row{}}
	for _, r := range rows {
		l.Drives = append(l.Drives, r.Row)
	}
	if err := in.show(format, l, func(w io.Writer, s render.Style) error { return render.List(w, l, s) }); err != nil {
		return err
	}
	return in.listOutcome(rows)
}

// listOutcome is an error if the user named what is no drive. A drive that
// does not answer is none: its row says so.
func (in *invocation) listOutcome(rows []row) error {
	if in.Context.Context.Err() != nil {
		return silently(exitInterrupted)
	}
	for _, r := range rows {
		if r.unknown != nil && in.NArg() > 0 {
			return r.unknown
		}
	}
	return nil
}

// opener opens what a selector names.
type opener func(selector string) (*report.Drive, error)

// selectors returns the arguments, or the controllers of this computer, with
// the way to open them.
func (in *invocation) selectors() ([]string, opener, error) {
	if in.NArg() > 0 {
		return in.Args().Slice(), openDrive, nil
	}
	names, err := sysfs.Names(hostSysfs())
	return names, openController, err
}

// row is a row of the list; unknown says why its selector fits no drive.
type row struct {
	report.Row
	unknown error
}

// readRows makes all rows at once, so that a slow drive costs only its own
// row.
func readRows(ctx context.Context, selectors []string, open opener, timeout time.Duration) []row {
	rows := make([]row, len(selectors))
	var wg sync.WaitGroup
	for i, selector := range selectors {
		wg.Go(func() { rows[i] = readRow(ctx, selector, open, timeout) })
	}
	wg.Wait()
	return rows
}

// readRow makes one row. A drive that cannot be opened still has the row that
// the host knows.
func readRow(ctx context.Context, selector string, open opener, timeout time.Duration) row {
	d, err := open(selector)
	switch {
	case err == nil:
		defer d.Close()
		return row{Row: report.ReadRow(ctx, d, timeout)}
	case d != nil:
		return row{Row: report.FailedRow(d, exitOf(ctx, err).problem())}
	}
	r := row{Row: report.FailedRow(&report.Drive{Selector: selector}, exitOf(ctx, err).problem()), unknown: err}
	r.Controller = selector
	return r
}
