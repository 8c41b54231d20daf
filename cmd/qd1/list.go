package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
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
	selectors, err := in.selectors()
	if err != nil {
		return err
	}
	l := &report.List{Schema: report.ListSchema, Drives: readRows(in.Context.Context, selectors, timeout)}
	if len(l.Drives) == 0 {
		fmt.Fprintln(in.env.stderr, "qd1: no NVMe drive is present")
		fmt.Fprintln(in.env.stderr, "qd1: hint: lspci shows whether the host sees one; sim:optane-905p is a simulated drive to try")
		if format != "json" {
			return nil
		}
	}
	return in.show(format, l, func(w io.Writer, s render.Style) error { return render.List(w, l, s) })
}

// selectors returns the arguments, or the controllers of this computer.
func (in *invocation) selectors() ([]string, error) {
	if in.NArg() > 0 {
		return in.Args().Slice(), nil
	}
	names, err := sysfs.Names(os.DirFS("/sys"))
	if err != nil {
		return nil, err
	}
	return names, nil
}

// readRows makes all rows at once, so that a slow drive costs only its own
// row.
func readRows(ctx context.Context, selectors []string, timeout time.Duration) []report.Row {
	rows := make([]report.Row, len(selectors))
	var wg sync.WaitGroup
	for i, selector := range selectors {
		wg.Go(func() { rows[i] = readRow(ctx, selector, timeout) })
	}
	wg.Wait()
	return rows
}

// readRow makes one row. A drive that cannot be opened still has the row that
// the host knows.
func readRow(ctx context.Context, selector string, timeout time.Duration) report.Row {
	d, err := openDrive(selector)
	if err == nil {
		defer d.Close()
		return report.ReadRow(ctx, d, timeout)
	}
	d = &report.Drive{Selector: selector}
	if !strings.Contains(selector, ":") || sysfsName(selector) {
		d.Host = hostOf(selector)
	}
	row := report.FailedRow(d, exitOf(ctx, err).problem())
	if row.Controller == "" {
		row.Controller = selector
	}
	return row
}

func sysfsName(s string) bool { return strings.HasPrefix(s, "nvme") }

// hostOf returns what the host knows of a drive without asking it.
func hostOf(selector string) *sysfs.Controller {
	root := os.DirFS("/sys")
	sel, err := sysfs.Select(root, selector)
	if err != nil {
		return nil
	}
	host, err := sysfs.Read(root, sel.Controller)
	if err != nil {
		return nil
	}
	return host
}
