package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/page"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/sysfs"
)

func historyCommand() command {
	return command{
		name: "history", args: "[DRIVE]", access: none, maxArgs: 1,
		short: "the records of a drive: list, trends, counters that went backwards, forecast",
		help: `DRIVE is a serial number or its end, a drive that is here by any of its names, or
the path of what has no serial number; the drive itself need not be here. Without
it: what there are records of. Only the records are read, no drive is asked.

Records are in /var/lib/qd1/records for root, else in ~/.local/state/qd1/records;
XDG_STATE_HOME moves them.`,
		flags: append(append(outputFlags("json", "html"), chooseFlags()...),
			&cli.IntFlag{Name: "last", Value: 200, Usage: "read the newest `N` records and the oldest few; 0 for all"}),
		subs: func() []command {
			return []command{historyShowCommand(), historyExportCommand(), historyImportCommand(), historyPruneCommand()}
		},
		run: runHistory,
	}
}

// chooseFlags choose records.
func chooseFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "kind", Usage: "only records of the `KIND` bench, report, launch, boot, erase, age, …"},
		&cli.StringFlag{Name: "label", Usage: "only records with the label `TEXT`"},
		&cli.StringFlag{Name: "since", Usage: "only records from `WHEN` on: a date, 2026-01-31, or a time ago, 90d"},
	}
}

// query is what chooseFlags choose, of all drives.
func (in *invocation) query() (record.Query, error) {
	q := record.Query{Kind: in.String("kind"), Label: in.String("label")}
	if text := in.String("since"); text != "" {
		var err error
		if q.Since, err = in.moment("since", text); err != nil {
			return q, err
		}
	}
	return q, nil
}

// moment reads a flag that is a date, or a time ago.
func (in *invocation) moment(name, text string) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	ago, err := parseAge(text)
	if err != nil {
		return time.Time{}, usagef("--%s %s: a date such as 2026-01-31, or a time ago such as 90d, 12w or 36h is needed", name, text)
	}
	return in.env.now().Add(-ago), nil
}

// parseAge reads "90d", "12w", "1y", or a duration with a unit.
func parseAge(text string) (time.Duration, error) {
	const day, most = 24 * time.Hour, 100 * 365
	for unit, days := range map[string]float64{"d": 1, "w": 7, "y": 365} {
		number, ok := strings.CutSuffix(text, unit)
		if n, err := strconv.ParseFloat(number, 64); ok && err == nil {
			if !(n >= 0 && n*days <= most) {
				return 0, strconv.ErrRange
			}
			return time.Duration(n * days * float64(day)), nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, strconv.ErrSyntax
	}
	return d, nil
}

func runHistory(in *invocation) error {
	formats := []string{"json"}
	if in.NArg() > 0 {
		formats = append(formats, "html")
	}
	format, err := in.format(formats...)
	if err != nil {
		return err
	}
	q, err := in.query()
	if err != nil {
		return err
	}
	if in.Int("last") < 0 {
		return usagef("--last %d: 0 or more is needed", in.Int("last"))
	}
	s, err := in.store()
	if err != nil {
		return err
	}
	if in.NArg() == 0 {
		return in.showOverview(format, s, q)
	}
	subject, err := in.kept(s, in.arg(0))
	if err != nil {
		return err
	}
	h := s.History(subject, q, in.Int("last"))
	h.Tool, h.Time = record.Tool(tool()), in.env.now().UTC()
	in.warnUnreadable(h.Unreadable)
	return in.show(format, history{h}, func(w io.Writer, s render.Style) error { return render.History(w, h, s) })
}

// history is shown as a page too.
type history struct{ *record.History }

func (h history) page() any {
	return &page.Records{Tool: report.Tool(h.Tool), Time: h.Time, Subject: h.Subject, Points: h.Points, Trend: h.Trend, Forecast: h.Forecast, Backwards: h.Backwards}
}

func (in *invocation) showOverview(format string, s *record.Store, q record.Query) error {
	o := s.Overview(q)
	o.Tool, o.Time = record.Tool(tool()), in.env.now().UTC()
	in.warnUnreadable(o.Unreadable)
	if len(o.Subjects) == 0 && len(o.Unreadable) == 0 {
		if q.Kind != "" || q.Label != "" || !q.Since.IsZero() {
			return failf("qd1 history without --kind, --label and --since shows what there are records of", "no record is so")
		}
		in.env.say("hint: %s", hintRecords())
	}
	return in.show(format, o, func(w io.Writer, s render.Style) error { return render.Overview(w, o, s) })
}

// warnUnreadable says how many files were left out. The result names them.
func (in *invocation) warnUnreadable(list []record.Unreadable) {
	if n := len(list); n > 0 {
		in.env.say("warning: files that could not be read as records: %d; the result names them", n)
	}
}

// hintRecords says where other records may be.
func hintRecords() string {
	if os.Getuid() != 0 {
		return "the records that root made are in /var/lib/qd1/records: run it with sudo to see them"
	}
	return "the records of another user are in .local/state/qd1/records of the home directory: XDG_STATE_HOME=~USER/.local/state shows them"
}

// kept finds the subject that a word names: by its records, or as a drive or a
// file that is here.
func (in *invocation) kept(s *record.Store, word string) (record.Subject, error) {
	subject, err := s.Lookup(word)
	if !errors.Is(err, record.ErrNotFound) {
		return subject, recordError(err)
	}
	name, what := here(word)
	if name != "" {
		if subject, e := s.Lookup(name); e == nil {
			return subject, nil
		}
		err = errors.New("there are no records of " + what)
	}
	hint := "qd1 history lists what there are records of"
	if near := nearest(word, []string{"show", "export", "import", "prune"}); near != "" {
		hint = fmt.Sprintf("did you mean qd1 history %s? %s", near, hint)
	}
	return record.Subject{}, failf(hint, "%w", err)
}

// here is the name in records of a drive or a file that is here, and what it
// is; "" for none.
func here(word string) (name, what string) {
	if profile, ok := strings.CutPrefix(word, "sim:"); ok {
		d, err := openSimulated(profile, plain)
		if err != nil {
			return "", ""
		}
		defer d.Close()
		subject := record.Subject{Serial: d.Host.Serial, Simulated: true}
		return subject.Key(), subject.String()
	}
	if info, err := os.Stat(word); err == nil && (info.Mode().IsRegular() || info.IsDir()) {
		path, err := filepath.Abs(word)
		if err != nil {
			return "", ""
		}
		return path, path
	}
	root := hostSysfs()
	sel, err := sysfs.Select(root, word)
	if err != nil {
		return "", ""
	}
	c, err := sysfs.Read(root, sel.Controller)
	if err != nil || strings.TrimSpace(c.Serial) == "" {
		return "", ""
	}
	subject := record.Subject{Serial: c.Serial, Model: c.Model, Simulated: strings.HasPrefix(c.SubsystemNQN, servedPrefix)}
	return subject.Key(), subject.String()
}

// recordError gives errors of the store their next step.
func recordError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, record.ErrAmbiguous):
		return failf("name it by more letters", "%w", err)
	case errors.Is(err, record.ErrNotFound):
		return failf("qd1 history lists drives, qd1 history DRIVE their records", "%w", err)
	case errors.Is(err, fs.ErrPermission):
		return failf("the records of root need root: run it with sudo", "%w", err)
	}
	return err
}
