package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/prometheus"
	"qd1.example/qd1/internal/report"
)

func exportCommand() command {
	return command{
		name: "export", short: "what monitoring reads", access: none,
		subs: func() []command { return []command{exportPrometheusCommand()} },
	}
}

func exportPrometheusCommand() command {
	return command{
		name: "prometheus", args: "[DRIVE…]", access: reads, maxArgs: 1000,
		short: "health, verdict, wear and link of the drives as Prometheus metrics",
		help: `Without arguments all NVMe drives of this computer. --textfile is for the
textfile collector of node_exporter: the file is replaced as a whole, and a
drive that was in it before and is gone now is in it as absent. The names are
those of nvme_metrics of prometheus-community where they exist.`,
		flags: append(driveFlags(),
			&cli.StringFlag{Name: "textfile", Usage: "write to `FILE`, which ends in .prom, instead of standard output"},
			&cli.BoolFlag{Name: "forget", DisableDefaultText: true, Usage: "forget the drives that were in the file before and are gone"}),
		run: runExportPrometheus,
	}
}

func runExportPrometheus(in *invocation) error {
	timeout, err := in.timeout()
	if err != nil {
		return err
	}
	file, err := in.textfile()
	if err != nil {
		return err
	}
	selectors, open, err := in.selectors()
	if err != nil {
		return err
	}
	known := []prometheus.Known{}
	if file != "" && !in.Bool("forget") {
		known = knownBefore(file)
	}
	ctx := in.Context.Context
	start := in.env.now()
	scraped := scrapeAll(ctx, selectors, func(selector string) scraped { return in.scrape(selector, open, timeout) })
	if ctx.Err() != nil {
		return silently(exitInterrupted) // What was read is not whole.
	}
	if err := misnamed(scraped); err != nil {
		return err
	}
	s := &prometheus.Scrape{Tool: tool(), Time: start, Drives: scrapedDrives(scraped), Absent: absent(scraped, known, in.NArg() > 0)}
	var b bytes.Buffer
	if err := prometheus.Write(&b, s); err != nil {
		return err
	}
	if err := in.deliverMetrics(file, b.Bytes()); err != nil {
		return err
	}
	return scrapeOutcome(scraped)
}

// textfile returns the checked name of the file, "" for standard output.
func (in *invocation) textfile() (string, error) {
	file := in.String("textfile")
	switch {
	case file == "" && in.IsSet("textfile"):
		return "", usagef("--textfile= needs a file")
	case file == "" && in.Bool("forget"):
		return "", usagef("--forget needs --textfile")
	case file != "" && !strings.HasSuffix(file, ".prom"):
		return "", usagef("--textfile %s: node_exporter reads only files that end in .prom", file)
	}
	return file, checkOutput(file, in.Args().Slice())
}

// knownBefore returns the drives of the file that is going to be replaced.
// Without one, or where it cannot be read, there are none.
func knownBefore(file string) []prometheus.Known {
	f, err := openRegular(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	const mostBytes = 16 << 20
	b, err := io.ReadAll(io.LimitReader(f, mostBytes))
	if err != nil {
		return nil
	}
	return prometheus.ReadKnown(string(b))
}

// scraped is what became of one selector. unknown says why it fits no drive.
type scraped struct {
	prometheus.Drive
	selector string
	unknown  error
}

// scrapeAll reads all drives at once, so that a slow one costs only its own
// samples.
func scrapeAll(ctx context.Context, selectors []string, read func(string) scraped) []scraped {
	list := make([]scraped, len(selectors))
	var wg sync.WaitGroup
	for i, selector := range selectors {
		wg.Go(func() { list[i] = read(selector) })
	}
	wg.Wait()
	return list
}

// scrape reads one drive. The logs of the vendor and a benchmark take no part.
func (in *invocation) scrape(selector string, open opener, timeout time.Duration) scraped {
	ctx, start := in.Context.Context, in.env.now()
	d, err := open(selector)
	s := scraped{selector: selector}
	s.Device = deviceLabel(d, selector)
	if d != nil && d.Host != nil {
		s.Known = prometheus.Known{Serial: d.Host.Serial, Model: d.Host.Model}
	}
	switch {
	case err == nil:
		defer d.Close()
		s.Report = report.Collect(ctx, d, report.Options{
			Tool: tool(), Host: hostFacts(), Now: in.env.now, Timeout: timeout, VendorLogs: report.VendorLogsOff})
	case d != nil:
		s.Problem = exitOf(ctx, err).problem()
	default:
		s.unknown = err
	}
	s.Took = in.env.now().Sub(start)
	return s
}

// misnamed returns the first selector that can name no drive at all, which is
// a mistake and no absent drive.
func misnamed(list []scraped) error {
	for _, s := range list {
		var x *exitError
		if errors.As(s.unknown, &x) && x.status == exitUsage {
			return s.unknown
		}
	}
	return nil
}

// deviceLabel is the name of the controller. A drive that is not of this
// computer is known by what the user wrote.
func deviceLabel(d *report.Drive, selector string) string {
	if d == nil {
		return selector
	}
	if host := ofThisComputer(d, selector); host != nil {
		return host.Name
	}
	return selector
}

// scrapedDrives returns the drives that are there, each controller once, whichever
// of its names it was given by.
func scrapedDrives(list []scraped) []prometheus.Drive {
	drives := []prometheus.Drive{}
	for _, s := range list {
		if s.unknown == nil && !slices.ContainsFunc(drives, func(d prometheus.Drive) bool { return d.Device == s.Device }) {
			drives = append(drives, s.Drive)
		}
	}
	return drives
}

// absent returns the drives that are missing: those that were known before,
// and those that were named. If drives were named, others do not count.
func absent(list []scraped, known []prometheus.Known, named bool) []prometheus.Known {
	missing := []prometheus.Known{}
	for _, s := range list {
		if s.unknown == nil {
			continue
		}
		fits := func(k prometheus.Known) bool { return strings.HasSuffix(k.Serial, s.selector) }
		if i := slices.IndexFunc(known, fits); i >= 0 {
			missing = append(missing, known[i])
		} else {
			missing = append(missing, prometheus.Known{Serial: s.selector})
		}
	}
	if named {
		return missing
	}
	present := func(k prometheus.Known) bool {
		return slices.ContainsFunc(list, func(s scraped) bool { return serialOf(&s.Drive) == k.Serial })
	}
	for _, k := range known {
		if !present(k) {
			missing = append(missing, k)
		}
	}
	return missing
}

func serialOf(d *prometheus.Drive) string {
	if d.Report != nil && d.Report.Drive.Serial != "" {
		return d.Report.Drive.Serial
	}
	return d.Known.Serial
}

// deliverMetrics replaces the file as a whole, or writes to standard output.
func (in *invocation) deliverMetrics(file string, b []byte) error {
	if file == "" {
		return in.deliver(b)
	}
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return writeFile(file, b)
	}
	if err := replaceTextfile(realName(file), b); err != nil {
		return failf("is the disk full? the file is as it was before", "cannot write %s: %w", file, err)
	}
	return nil
}

// replaceTextfile writes beside the file and renames. Everybody may read it,
// because node_exporter is not root; until then its name does not end in
// .prom, because node_exporter would read it.
func replaceTextfile(name string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".qd1-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	const everybodyReads = 0o644
	err = f.Chmod(everybodyReads)
	if err == nil {
		_, err = f.Write(b)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// scrapeOutcome is a failure if there are drives and none of them could be
// read, as without root. One that fails among others is a matter of its
// samples.
func scrapeOutcome(list []scraped) error {
	var first error
	for _, s := range list {
		switch {
		case s.unknown != nil:
			first = cmpError(first, s.unknown)
		case s.Problem != nil:
			first = cmpError(first, s.Problem)
		case s.Report.SMART.Problem != nil:
			first = cmpError(first, s.Report.SMART.Problem)
		default:
			return nil
		}
	}
	return first
}

// cmpError returns the first one that is an error.
func cmpError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
