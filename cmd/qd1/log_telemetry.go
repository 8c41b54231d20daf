package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
)

// telemetryFlags are those of a telemetry log that goes to a file.
func telemetryFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "file", Aliases: []string{"output-file"}, Usage: "of telemetry: write the log to `FILE`; until it is whole it is called FILE.partial"},
		&cli.IntFlag{Name: "area", Aliases: []string{"data-area", "d"}, Value: 3, Usage: "of telemetry: up to the end of this data `AREA`, 1 to 4"},
		&cli.IntFlag{Name: "host-generate", Aliases: []string{"g"}, Value: 1, Usage: "of telemetry-host: `1` lets the drive make new data first, 0 reads those that there are"},
		&cli.BoolFlag{Name: "resume", DisableDefaultText: true, Usage: "of telemetry: go on with FILE.partial"},
	}
}

// onlyWithFile refuses flags that mean nothing without --file.
func (in *invocation) onlyWithFile() error {
	for _, name := range []string{"area", "host-generate", "resume"} {
		if in.IsSet(name) {
			return usagef("--%s goes with --file", name)
		}
	}
	return nil
}

// partialSuffix marks a file that is not whole.
const partialSuffix = ".partial"

// telemetryFile is a telemetry log on its way into a file.
type telemetryFile struct {
	in      *invocation
	s       *report.Session
	req     nvme.TelemetryRequest
	name    string
	partial string
	// done and total are bytes.
	done, total uint64
	header      *nvme.TelemetryHeader
	progress    *progress
}

// saveTelemetry streams a telemetry log to a file.
func (in *invocation) saveTelemetry(format string, req report.LogRequest) error {
	t, err := in.newTelemetryFile(format, req)
	if err != nil {
		return err
	}
	s, end, err := in.beginAt(1)
	if err != nil {
		return err
	}
	defer end()
	t.s = s
	if ok, why, err := s.Logs().Listed(in.Context.Context, req.LID); err != nil || !ok && !req.Force {
		if err == nil {
			err = report.NotListed("Telemetry", why)
		}
		return err
	}
	t.progress = in.env.startProgress()
	t.progress.step("reading " + req.LID.String())
	err = t.save(in.Context.Context)
	t.progress.end()
	if err != nil {
		return t.explain(err)
	}
	return t.show(format)
}

// newTelemetryFile checks what can be checked before the drive is opened.
func (in *invocation) newTelemetryFile(format string, req report.LogRequest) (*telemetryFile, error) {
	name := in.String("file")
	t := &telemetryFile{in: in, name: name, partial: name + partialSuffix, req: nvme.TelemetryRequest{
		LID: req.LID, Area: in.Int("area"), Create: in.Int("host-generate") == 1 && !in.Bool("resume"), Release: req.ClearEvent,
	}}
	switch {
	case req.LID != nvme.LIDTelemetryHost && req.LID != nvme.LIDTelemetryController:
		return nil, usagef("--file is of telemetry only; --output FILE with --raw-binary writes other pages")
	case req.Bytes != 0 || req.Offset != 0 || req.LSP != 0:
		return nil, usagef("--file takes the whole log: --log-len, --lpo and --lsp do not go with it")
	case t.req.Area < 1 || t.req.Area > 4:
		return nil, usagef("--area %d: there are data areas 1 to 4", t.req.Area)
	case in.Int("host-generate") != 0 && in.Int("host-generate") != 1:
		return nil, usagef("--host-generate %d: 0 or 1 is needed", in.Int("host-generate"))
	case format == "binary":
		return nil, usagef("with --file the bytes go there: --format text and json tell of them")
	}
	for _, n := range []string{name, t.partial} {
		if info, err := os.Stat(n); err == nil && !info.Mode().IsRegular() {
			return nil, refusef("name a file that there is not yet", "%s is not a regular file", n)
		}
		if err := checkOutput(n, in.Args().Slice()); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// save reads the log, once more from its start if the drive made new data
// meanwhile, and gives the file its name when it is whole.
func (t *telemetryFile) save(ctx context.Context) error {
	f, err := t.open()
	if err != nil {
		return err
	}
	defer f.Close()
	t.req.Progress = func(done, total uint64) {
		t.done, t.total = done, total
		t.progress.text(fmt.Sprintf("reading %v: %d of %d bytes", t.req.LID, done, total))
	}
	err = t.read(ctx, f)
	if errors.Is(err, nvme.ErrTelemetryChanged) && !t.in.Bool("resume") {
		t.in.env.say("%v: reading them from the start", err)
		t.req.Create, t.req.From, t.done = false, 0, 0
		if err = restart(f); err == nil {
			err = t.read(ctx, f)
		}
	}
	if err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if info, err := f.Stat(); err != nil || uint64(info.Size()) != t.done {
		return fmt.Errorf("%s has another length than what was read: %w", t.partial, err)
	}
	return os.Rename(t.partial, t.name)
}

func (t *telemetryFile) read(ctx context.Context, f *os.File) error {
	header, err := t.s.Telemetry(ctx, t.s.ID, t.req, f)
	if header != nil {
		t.header = header
	}
	return err
}

func restart(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// open makes the partial file, or opens the one that is there to go on with it.
func (t *telemetryFile) open() (*os.File, error) {
	if !t.in.Bool("resume") {
		return os.OpenFile(t.partial, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	}
	f, err := os.OpenFile(t.partial, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, failf("without --resume a new file is made", "nothing to go on with: %w", err)
	}
	if err != nil {
		return nil, err
	}
	t.req.Start = make([]byte, nvme.TelemetryBlock)
	if _, err := io.ReadFull(f, t.req.Start); err != nil {
		f.Close()
		return nil, failf("without --resume the file is made anew", "%s is too short to go on with", t.partial)
	}
	size, err := f.Seek(0, io.SeekEnd)
	t.req.From = uint64(size) / nvme.TelemetryBlock * nvme.TelemetryBlock
	t.done = t.req.From
	if err == nil {
		err = f.Truncate(int64(t.req.From))
	}
	if err == nil {
		_, err = f.Seek(int64(t.req.From), io.SeekStart)
	}
	return f, err
}

// explain says what became of the file.
func (t *telemetryFile) explain(err error) error {
	info, e := os.Stat(t.partial)
	if e == nil && info.Size() == 0 {
		os.Remove(t.partial)
		return t.hint(err)
	}
	if e == nil {
		t.in.env.say("%s is not whole: %d bytes%s; there is no %s from this run", t.partial, info.Size(), t.ofTotal(), t.name)
	}
	return t.hint(err)
}

func (t *telemetryFile) ofTotal() string {
	if t.total == 0 {
		return ""
	}
	return fmt.Sprintf(" of %d", t.total)
}

// hint adds what the user can do.
func (t *telemetryFile) hint(err error) error {
	hint := ""
	switch {
	case t.in.Context.Context.Err() != nil:
		return err
	case errors.Is(err, unix.ENOSPC):
		hint = "the disk is full: make room, or name a file on another one; --resume goes on with controller-initiated data"
	case errors.Is(err, nvme.ErrNoTelemetry) && t.req.Area == 4:
		hint = "--area 3 has what there is; a drive makes area 4 only for a host that asks for it (feature 16h, Extended Telemetry Data Area 4)"
	case errors.Is(err, nvme.ErrNoTelemetry) && t.req.LID == nvme.LIDTelemetryController:
		hint = "nothing has happened that the drive kept its state for; qd1 log telemetry-host --file FILE lets it make data now"
	case errors.Is(err, nvme.ErrNoTelemetry):
		hint = "nobody has made data yet: --host-generate 1 lets the drive make them"
	case errors.Is(err, nvme.ErrTelemetryChanged):
		hint = "another program makes telemetry data of this drive; read them again without --resume"
	case errors.Is(err, nvme.ErrTelemetryShort), errors.Is(err, nvme.ErrTelemetry), errors.Is(err, nvme.ErrNotSupported):
		hint = "the maker of the drive may read what there is of it; a smaller --area may come whole"
	case t.done > 0:
		hint = "--resume goes on where it ended"
	default:
		return err
	}
	return failf(hint, "%w", err)
}

// show tells of the file that is whole.
func (t *telemetryFile) show(format string) error {
	raw, err := readStart(t.name)
	if err != nil {
		return err
	}
	page, _ := spec.LogPageOf(t.req.LID)
	header, err := report.NewSpecPage(page.Name, page.Structure, raw, map[string]uint64{"lid": uint64(t.req.LID)})
	if err != nil {
		return err
	}
	header.Text = fmt.Sprintf("%s: %d bytes up to the end of data area %d, whole: the same data before and after", t.name, t.done, t.req.Area)
	object := logObject(t.s, "page", &report.LogPage{SpecPage: header, WholeBytes: &t.done, Hex: raw})
	object["file"] = t.name
	return t.in.show(format, object, func(w io.Writer, style render.Style) error {
		return render.SpecPage(w, head(t.s), header, style)
	})
}

// readStart reads the header that a telemetry file begins with.
func readStart(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, nvme.TelemetryBlock)
	_, err = io.ReadFull(f, b)
	return b, err
}
