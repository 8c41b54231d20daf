package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"qd1.example/qd1/internal/inuse"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
)

func listCommand() command {
	return command{
		name: "list", args: "[DRIVE…]", access: reads, maxArgs: 1000,
		short: "one row a drive: serial, model, size, firmware, link, temperature, wear, use",
		help:  "Without arguments all NVMe drives of this computer.",
		flags: append(textFlags("json"), driveFlags()...),
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
	l := &report.List{Schema: report.ListSchema, Drives: []report.Row{}, Unchecked: lookForUses(in.Context.Context, rows, inuse.System().Survey, timeout)}
	for _, r := range rows {
		l.Drives = append(l.Drives, r.Row)
	}
	if in.NArg() == 0 {
		l.Hidden = append([]sysfs.Hidden{}, sysfs.FindHidden(hostSysfs())...)
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

// row is a row of the list; unknown says why its selector fits no drive, and
// host is a drive of this computer, whose use can be looked for.
type row struct {
	report.Row
	unknown error
	host    *sysfs.Controller
}

// surveyor looks at who uses devices.
type surveyor func(ctx context.Context, devices []string) (*inuse.Survey, error)

// within is a surveyor that waits no longer than limit for another: a file system
// of a drive that is dead can hold whoever looks at it.
func within(limit time.Duration, look surveyor) surveyor {
	type answer struct {
		survey *inuse.Survey
		err    error
	}
	return func(ctx context.Context, devices []string) (*inuse.Survey, error) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		answers := make(chan answer, 1)
		go func() {
			s, err := look(ctx, devices)
			answers <- answer{s, err}
		}()
		select {
		case a := <-answers:
			return a.survey, a.err
		case <-ctx.Done():
			return nil, fmt.Errorf("looking took longer than %v: %w", limit, ctx.Err())
		}
	}
}

// lookForUses enters what uses the drives of this computer, all by one survey,
// and returns what could not be looked at.
func lookForUses(ctx context.Context, rows []row, look surveyor, limit time.Duration) []string {
	var nodes []string
	for _, r := range rows {
		if r.host != nil {
			nodes = append(nodes, report.Nodes(r.host)...)
		}
	}
	if len(nodes) == 0 {
		return []string{}
	}
	s, err := within(limit, look)(ctx, nodes)
	if err != nil {
		return []string{"the use of the drives: " + err.Error()}
	}
	for i := range rows {
		if rows[i].host != nil {
			rows[i].SetInUse(s, rows[i].host)
		}
	}
	return s.Unchecked
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
		return row{Row: report.ReadRow(ctx, d, timeout), host: ofThisComputer(d, selector)}
	case d != nil:
		return row{Row: report.FailedRow(d, exitOf(ctx, err).problem()), host: ofThisComputer(d, selector)}
	}
	r := row{Row: report.FailedRow(&report.Drive{Selector: selector}, exitOf(ctx, err).problem()), unknown: err}
	r.Controller = selector
	return r
}

// ofThisComputer is what the host shows of a drive that is attached to it: not
// of one in this process or in a capture.
func ofThisComputer(d *report.Drive, selector string) *sysfs.Controller {
	if strings.HasPrefix(selector, "sim:") || strings.HasPrefix(selector, "replay:") {
		return nil
	}
	return d.Host
}
