package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/bench"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/internal/surface"
)

func scanCommand() command {
	flags := append(append(outputFlags("json", "html"), driveFlags()...),
		&cli.StringFlag{Name: "namespace-id", Aliases: []string{"n"}, Usage: "`NSID` of the namespace of a drive; without it the first"},
		&cli.StringFlag{Name: "stall-limit", DefaultText: "60s", Usage: "longest `TIME` that one read may take before the drive counts as one that does not answer"},
	)
	resume := command{
		name: "resume", args: "DRIVE|DEVICE|FILE", access: reads, maxArgs: 1,
		short: "carry on with a scan that was broken off", flags: flags,
		run: func(in *invocation) error { return in.scan(true) },
	}
	return command{
		name: "scan", args: "[DRIVE|DEVICE|FILE]", access: reads, maxArgs: 1, subs: func() []command { return []command{resume} },
		short: "read the whole surface: what cannot be read, what is slow",
		help: `Reads everything once, in order, past the cache. What cannot be read is split down
to the block; what is slow is read several times more. Ctrl-C keeps what was read, and
"scan resume" carries on.

--errors-only reads nothing but the blocks that the drive's error log names: still
bad, or readable now.

Exit status: 0 all could be read, 1 some blocks cannot be read, 8 the drive does not
answer, 130 interrupted.`,
		flags: append(flags,
			&cli.BoolFlag{Name: "errors-only", Aliases: []string{"relook"}, DisableDefaultText: true, Usage: "read only the blocks of the error log again"},
			&cli.StringFlag{Name: "start", Usage: "begin at `SIZE` from the start, such as 400GB"},
			&cli.StringFlag{Name: "size", Usage: "read `SIZE` from there on"},
		),
		run: func(in *invocation) error { return in.scan(false) },
	}
}

// scanRun is a scan under way.
type scanRun struct {
	in     *invocation
	format string
	target bench.Target
	report *surface.Report
	limit  time.Duration
	state  *scanState
	m      *surface.Map
}

// scan is the command, and its resume.
func (in *invocation) scan(resume bool) error {
	format, err := in.format("json", "html")
	if err != nil {
		return err
	}
	s := &scanRun{in: in, format: format, report: &surface.Report{Schema: "qd1.scan/1", Time: in.env.now()}}
	if text := in.String("stall-limit"); text != "" {
		if s.limit, err = parseDuration(text); err != nil || s.limit <= 0 {
			return usagef("--stall-limit %s: a time is needed, such as 60s", text)
		}
	}
	part, err := in.scanPart()
	if err != nil {
		return err
	}
	if in.Bool("errors-only") {
		if part != (surface.Extent{}) {
			return usagef("--errors-only reads the blocks of the error log, and takes no --start and --size")
		}
		return s.errorsOnly()
	}
	return s.whole(part, resume)
}

// scanPart is what --start and --size ask for.
func (in *invocation) scanPart() (surface.Extent, error) {
	var e surface.Extent
	for flag, to := range map[string]*int64{"start": &e.Offset, "size": &e.Bytes} {
		text := in.String(flag)
		if text == "" {
			continue
		}
		n, err := parseSize(flag, text)
		if err != nil {
			return e, err
		}
		if flag == "size" && n == 0 {
			return e, usagef("--size 0: there is nothing to read")
		}
		*to = n
	}
	return e, nil
}

// whole reads the surface.
func (s *scanRun) whole(part surface.Extent, resume bool) error {
	b := &report.BenchReport{}
	p, err := s.in.place(b)
	if err != nil {
		return err
	}
	defer p.close()
	if p.directory != "" {
		return failf("name a file in it, or the drive below it", "%s is a directory, which has no surface", p.Name)
	}
	s.about(b, p)
	for _, w := range p.warnings {
		s.in.env.say("note: %s", w)
	}
	if err := s.open(part, resume); err != nil {
		return err
	}
	defer s.state.close()
	return s.conclude(s.read(s.in.Context.Context))
}

// about notes what is read.
func (s *scanRun) about(b *report.BenchReport, p *place) {
	s.target, s.report.Simulated = p.Target, b.Simulated
	t := surface.Target{Name: p.Name, Detail: p.Detail, Path: p.Target.Path, Bytes: p.Target.Bytes}
	if b.Drive != nil {
		t.Model, t.Serial, t.Firmware = b.Drive.Model, b.Drive.Serial, b.Drive.Firmware
	}
	s.report.Target = t
}

// subject names what is read, for the state. A device can have another name after
// a restart; a drive has its serial number.
func (s *scanRun) subject() string {
	t := &s.report.Target
	if t.Serial != "" && !s.report.Simulated {
		return fmt.Sprintf("%s %s namespace %d %s", t.Model, t.Serial, s.target.NSID, partitionOf(s.target))
	}
	path, err := filepath.Abs(t.Path)
	if err != nil || s.report.Simulated {
		path = t.Path
	}
	return string(s.target.Kind) + " " + path
}

// partitionOf tells a partition from its drive: it has no namespace of its own.
func partitionOf(t bench.Target) string {
	if t.NSID != 0 {
		return ""
	}
	return filepath.Base(t.Path)
}

// open makes the map, or takes the one that was kept.
func (s *scanRun) open(part surface.Extent, resume bool) error {
	var err error
	if s.state, err = openScanState(s.subject()); err != nil {
		return err
	}
	kept, err := s.state.load()
	if err == nil && resume {
		err = s.takeUp(kept)
	}
	if err == nil && !resume {
		if kept != nil {
			s.in.env.say("an earlier scan that was broken off is begun anew; qd1 scan resume would have carried on with it")
		}
		s.m, err = surface.NewMap(s.subject(), s.target, part, s.in.env.now())
	}
	if errors.Is(err, surface.ErrPart) {
		err = usagef("%w", err)
	}
	if err != nil {
		s.state.close()
	}
	return err
}

// takeUp carries on with the map that was kept.
func (s *scanRun) takeUp(kept *surface.Map) error {
	switch {
	case kept == nil:
		return failf("qd1 scan "+s.in.arg(0)+" begins one", "there is no scan of %s to carry on with", s.report.Target.Name)
	case kept.Subject != s.subject() || kept.Bytes != s.target.Bytes:
		return failf("qd1 scan "+s.in.arg(0)+" begins anew", "the scan that was broken off is of something else: %s of %d bytes", kept.Subject, kept.Bytes)
	}
	s.m = kept
	return nil
}

// read reads what is left.
func (s *scanRun) read(ctx context.Context) error {
	progress := s.in.env.startProgress()
	defer progress.end()
	progress.step("reading")
	return surface.Scan(ctx, s.m, surface.Options{
		Target: s.target, Run: s.in.env.scanWorker(s.limit), Save: s.state.save, Now: time.Now,
		Observe: func(p surface.Progress) { progress.text(scanProgress(p)) },
	})
}

// scanProgress is how far a scan is, in one line.
func scanProgress(p surface.Progress) string {
	if p.Again {
		return "reading slow parts again"
	}
	text := fmt.Sprintf("%.1f %%, %.0f MB/s", 100*float64(p.DoneBytes)/float64(p.TotalBytes), p.MBPerS)
	if p.MBPerS > 0 {
		text += ", about " + left(float64(p.TotalBytes-p.DoneBytes)/1e6/p.MBPerS) + " left"
	}
	if p.Unreadable > 0 {
		text += fmt.Sprintf(", %d ranges cannot be read", p.Unreadable)
	}
	return text
}

// conclude shows what was read, with the exit status of how it ended.
func (s *scanRun) conclude(err error) error {
	s.report.Scan = s.m.Result()
	if s.report.Scan.Complete && err == nil {
		s.state.remove()
	}
	if e := s.show(); e != nil {
		return e
	}
	hint := "qd1 scan resume " + cmp.Or(s.in.arg(0), s.report.Target.Serial) + " carries on"
	switch {
	case errors.Is(err, bench.ErrInterrupted):
		return &exitError{status: exitInterrupted, err: errors.New("interrupted; what was read is kept"), hint: hint}
	case errors.Is(err, bench.ErrStalled):
		return &exitError{status: exitWorking, err: err, hint: "look at the kernel log for time-outs and resets of this drive; then " + hint + " after the place"}
	case err != nil:
		return failf(hint, "%w; what was read is kept", err)
	case s.report.Scan.UnreadableBlocks > 0:
		return failf("save what is on it: what cannot be read is lost unless a copy is elsewhere; writing a block can make it readable again", "%s", s.report.Scan.Text)
	}
	return nil
}

func (s *scanRun) show() error {
	return s.in.show(s.format, s.report, func(w io.Writer, style render.Style) error { return render.Scan(w, s.report, style) })
}

// errorsOnly reads the blocks of the error log again.
func (s *scanRun) errorsOnly() error {
	session, done, err := s.in.begin()
	if err != nil {
		return err
	}
	defer done()
	ctx := s.in.Context.Context
	log, err := session.ErrorLog(ctx, session.ID)
	if err != nil {
		return err
	}
	id := &session.Identity
	s.report.Simulated = session.Drive.Simulated
	s.report.Target = surface.Target{Name: cmp.Or(strings.TrimSpace(id.Model), id.Selector), Detail: "serial " + id.Serial, Model: id.Model, Serial: id.Serial, Firmware: id.Firmware}
	spots := spotsOf(log)
	err = s.relook(ctx, session, spots)
	s.report.Relook = surface.Look(spots)
	if e := s.show(); e != nil {
		return e
	}
	switch bad := s.report.Relook.StillBad(); {
	case errors.Is(err, bench.ErrStalled):
		return &exitError{status: exitWorking, err: err, hint: "look at the kernel log for time-outs and resets of this drive"}
	case err != nil:
		return err
	case bad > 0:
		return failf("save what is on the drive; qd1 scan looks at the rest of it", "%s", s.report.Relook.Text)
	}
	return nil
}
