package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/conditions"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
	"qd1.example/qd1/internal/watch"
	"qd1.example/qd1/nvme"
)

func watchCommand() command {
	return command{
		name: "watch", args: "[DRIVE…]", access: reads, maxArgs: 1000,
		short: "heat, throttling, rates, link errors and wear of the drives, live",
		help: `Without arguments all NVMe drives of this computer. A terminal shows the last
row of each drive; otherwise each look adds a row. Ctrl-C ends it with a
summary: least, mean and greatest value, and what counted on.`,
		flags: append(driveFlags(),
			&cli.StringFlag{Name: "every", Value: "10s", Usage: "`TIME` from one look to the next, at least 1s"},
			&cli.BoolFlag{Name: "force-fast", DisableDefaultText: true, Usage: "allow --every down to 100ms: each look is a command, and some drives get warm or slow of that"},
			&cli.IntFlag{Name: "count", DefaultText: "until Ctrl-C", Usage: "look `N` times"},
			&cli.StringFlag{Name: "format", Aliases: []string{"o", "output-format"}, Value: "text", Usage: "`FORMAT` of the rows: text, csv, jsonl (JSON Lines)"}),
		run: runWatch,
	}
}

func runWatch(in *invocation) error {
	plan, err := in.watchPlan()
	if err != nil {
		return err
	}
	selectors, open, err := in.selectors()
	if err != nil {
		return err
	}
	drives, err := watched(selectors, open)
	if err != nil {
		return err
	}
	if len(drives) == 0 {
		return failf("lspci shows whether the host sees one; sim:optane-905p is a simulated drive to try", "no NVMe drive is present")
	}
	ctx := in.Context.Context
	out := in.watchOutput()
	failed := true
	summaries, err := watch.Run(ctx, plan, drives, func(rows []watch.Row) error {
		failed = failed && !slices.ContainsFunc(rows, func(r watch.Row) bool { return r.Error == "" })
		return out.rows(rows)
	})
	if err == nil {
		err = out.summaries(summaries)
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil && plan.Count > 0:
		return silently(exitInterrupted)
	case failed && ctx.Err() == nil:
		return silently(exitFailed)
	}
	return nil
}

// watchPlan checks the flags.
func (in *invocation) watchPlan() (watch.Plan, error) {
	timeout, err := in.timeout()
	if err != nil {
		return watch.Plan{}, err
	}
	every, err := parseDuration(in.String("every"))
	const fastest, slowest = 100 * time.Millisecond, 24 * time.Hour
	switch {
	case err != nil || every < fastest || every > slowest:
		return watch.Plan{}, usagef("--every %s: a time from 1s to 24h is needed, such as 10s", in.String("every"))
	case every < time.Second && !in.Bool("force-fast"):
		return watch.Plan{}, usagef("--every %s: below 1s it disturbs the drive; --force-fast does it nevertheless", in.String("every"))
	case in.IsSet("count") && in.Int("count") < 1:
		return watch.Plan{}, usagef("--count %d: a number from 1 is needed", in.Int("count"))
	case !slices.Contains([]string{"text", "csv", "jsonl"}, in.String("format")):
		return watch.Plan{}, usagef("--format %s: %s has text, csv, jsonl", in.String("format"), in.name)
	}
	return watch.Plan{Every: every, Count: in.Int("count"), Timeout: timeout}, nil
}

// watched are the drives of the selectors. They are opened later, by the side
// of each other; only a selector that can name no drive is an error now.
func watched(selectors []string, open opener) ([]watch.Drive, error) {
	var drives []watch.Drive
	for i, selector := range selectors {
		if slices.Contains(selectors[:i], selector) {
			continue
		}
		if strings.HasPrefix(selector, "sim:") || strings.HasPrefix(selector, "replay:") {
			d, err := open(selector)
			if err != nil {
				return nil, err
			}
			d.Close()
		}
		drives = append(drives, watch.Drive{Who: watch.Who{Device: selector}, Open: func() (watch.Session, watch.Who, error) {
			d, err := open(selector)
			if err != nil {
				return nil, watch.Who{}, err
			}
			return newWatchSession(d, selector)
		}})
	}
	return drives, nil
}

// watchSession is an open drive that is watched.
type watchSession struct {
	*report.Drive
	controller *nvme.Controller
	// host is the controller in sysfs, nil for a drive that is not of this
	// computer.
	host *sysfs.Controller
}

func newWatchSession(d *report.Drive, selector string) (watch.Session, watch.Who, error) {
	s := &watchSession{Drive: d, controller: nvme.NewController(d.Passthru), host: ofThisComputer(d, selector)}
	who := watch.Who{Device: deviceLabel(d, selector), Simulated: d.Simulated}
	if d.Host != nil {
		who.Serial, who.Model = strings.TrimSpace(d.Host.Serial), strings.TrimSpace(d.Host.Model)
	}
	return s, who, nil
}

// Close implements watch.Session.
func (s *watchSession) Close() error { return s.Drive.Close() }

// Read implements watch.Session.
func (s *watchSession) Read(ctx context.Context) (*watch.Reading, error) {
	host := s.Host
	if s.host != nil {
		now, err := sysfs.Read(hostSysfs(), s.host.Name)
		switch {
		case err != nil || now.Serial != s.host.Serial:
			return nil, fmt.Errorf("%s is gone", s.host.Name)
		case now.State != "live" && now.State != "":
			return nil, fmt.Errorf("%s is %s", s.host.Name, now.State)
		}
		host = now
	}
	l, err := s.controller.SMARTLog(ctx)
	if err != nil {
		return nil, err
	}
	r := &watch.Reading{At: time.Now(), SMART: *l}
	if host != nil {
		r.Link = host.Link
	}
	r.IO = s.statistics(host)
	return r, nil
}

// statistics adds up those of the namespaces, nil if one of them has none.
func (s *watchSession) statistics(host *sysfs.Controller) *conditions.Counters {
	if s.host == nil {
		return nil
	}
	var sum *conditions.Counters
	for _, n := range host.Namespaces {
		if n.Block == "" {
			continue
		}
		st, err := conditions.ReadStats(hostRoot(), n.Block)
		if err != nil || !st.Kept {
			return nil
		}
		if sum == nil {
			sum = &conditions.Counters{}
		}
		sum.Reads, sum.ReadSectors = sum.Reads+st.Reads, sum.ReadSectors+st.ReadSectors
		sum.Writes, sum.WriteSectors = sum.Writes+st.Writes, sum.WriteSectors+st.WriteSectors
	}
	return sum
}

// watchOutput writes rows in one of the formats.
type watchOutput struct {
	env    *env
	format string
	// live says that a terminal shows the rows, drawn that many lines of it.
	live  bool
	drawn int
	begun bool
}

func (in *invocation) watchOutput() *watchOutput {
	_, live := terminal(in.env.stdout)
	return &watchOutput{env: in.env, format: in.String("format"), live: live && in.String("format") == "text"}
}

func (o *watchOutput) rows(rows []watch.Row) error {
	head := !o.begun
	o.begun = true
	switch o.format {
	case "csv":
		return watch.WriteCSV(o.env.stdout, rows, head)
	case "jsonl":
		return writeLines(o.env.stdout, rows)
	}
	for i := range rows {
		rows[i].Error = oneLine(rows[i].Error)
	}
	return o.text(rows, head)
}

// text draws the table over the one before on a terminal; elsewhere it goes
// on, with the time.
func (o *watchOutput) text(rows []watch.Row, head bool) error {
	var b strings.Builder
	lines := watch.Table(rows)
	switch {
	case o.live:
		width, _ := terminal(o.env.stdout)
		if o.drawn > 0 {
			fmt.Fprintf(&b, "\x1b[%dA", o.drawn)
		}
		for _, line := range lines {
			b.WriteString(clearLine + cut(line, width-1) + "\n")
		}
		o.drawn = len(lines)
	default:
		for i, line := range lines {
			switch {
			case i > 0:
				fmt.Fprintf(&b, "%s  %s\n", rows[i-1].Time.Format(time.TimeOnly), line)
			case head:
				fmt.Fprintf(&b, "%-8s  %s\n", "UTC", line)
			}
		}
	}
	_, err := io.WriteString(o.env.stdout, b.String())
	return err
}

// summaries writes what the rows come to: as text after the rows, or to
// standard error where it would be no row of the table.
func (o *watchOutput) summaries(list []watch.Summary) error {
	if o.format == "jsonl" {
		return writeLines(o.env.stdout, list)
	}
	w := o.env.stdout
	if o.format == "csv" {
		w = o.env.stderr
	}
	var err error
	for i := range list {
		_, e := fmt.Fprintln(w, strings.Join(list[i].Lines(), "\n"))
		err = errors.Join(err, e)
	}
	return err
}

// writeLines writes a JSON object a line.
func writeLines[T any](w io.Writer, list []T) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i := range list {
		if err := e.Encode(&list[i]); err != nil {
			return err
		}
	}
	return nil
}
