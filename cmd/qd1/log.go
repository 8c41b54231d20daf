package main

import (
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
	"qd1.example/qd1/nvme"
	"qd1.example/qd1/nvme/spec"
)

func logCommand() command {
	return command{
		name: "log", args: "list | NAME | 0xNN [DRIVE]", access: reads, maxArgs: 2,
		short: "any log page: decoded, as JSON, or as bytes",
		help: `"log list" shows which log pages the drive has, and why the others are not
asked for. A page is named by its word (smart, error, firmware, effects, ...) or
its number. Reading clears no event of the drive unless --rae=false is given.
"log telemetry-host" and "log telemetry-controller" with --file write the whole
log to a file.`,
		flags: specFlags(append(logFlags(), telemetryFlags()...)...),
		run:   runLog,
	}
}

// logFlags are the parameters of Get Log Page, with the letters of nvme-cli.
func logFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "namespace-id", Aliases: []string{"n"}, Usage: "`NSID`; without it the controller, or for a page of a namespace the one that DRIVE names or the first"},
		&cli.StringFlag{Name: "log-len", Aliases: []string{"l"}, Usage: "read `BYTES`; without it the whole page, 512 of an unknown one"},
		&cli.StringFlag{Name: "lpo", Aliases: []string{"O", "L"}, Usage: "begin at this `OFFSET` in the page, bytes"},
		&cli.StringFlag{Name: "lsp", Aliases: []string{"s"}, Usage: "Log Specific `PARAMETER`, up to 127"},
		&cli.StringFlag{Name: "lsi", Aliases: []string{"S"}, Usage: "Log Specific `IDENTIFIER`: the endurance group, NVM set or domain"},
		&cli.StringFlag{Name: "uuid-index", Aliases: []string{"U"}, Usage: "`INDEX` of a UUID for a page of the vendor"},
		&cli.StringFlag{Name: "csi", Aliases: []string{"y"}, Usage: "Command Set `IDENTIFIER`"},
		&cli.BoolFlag{Name: "rae", Aliases: []string{"r"}, Value: true, Usage: "keep the event that belongs to the page; --rae=false clears it"},
		&cli.BoolFlag{Name: "release", DisableDefaultText: true, Usage: "of persistent-event: end the reporting context, whoever made it, and read nothing"},
	}
}

func runLog(in *invocation) error {
	name := in.arg(0)
	if name == "" {
		return usagef("qd1 log needs the name or the number of a page; qd1 log list shows them")
	}
	format, err := in.logFormat()
	if err != nil {
		return err
	}
	if name == "list" {
		return in.listLogs(format)
	}
	req, err := in.logRequest(name)
	if err != nil {
		return err
	}
	switch {
	case in.String("file") != "":
		return in.saveTelemetry(format, req)
	case in.IsSet("file"):
		return usagef("--file is empty: is a variable not set?")
	}
	if err := in.onlyWithFile(); err != nil {
		return err
	}
	s, done, err := in.beginAt(1)
	if err != nil {
		return err
	}
	defer done()
	if in.Bool("release") {
		return in.releasePersistentEvents(s, req)
	}
	page, err := s.Logs().Read(in.Context.Context, req)
	if page == nil {
		return err
	}
	if e := in.showLog(format, s, page); e != nil {
		return e
	}
	return err
}

// logFormat is the format of a log page.
func (in *invocation) logFormat() (string, error) {
	format, err := in.format("json", "binary")
	if err != nil {
		return "", err
	}
	if in.Bool("raw-binary") {
		format = "binary"
	}
	if _, ok := terminal(in.env.stdout); ok && format == "binary" && in.String("output") == "" {
		return "", usagef("binary output would upset the terminal: use --output FILE or a pipe")
	}
	return format, nil
}

// logRequest checks the flags that say what is read.
func (in *invocation) logRequest(name string) (report.LogRequest, error) {
	req := report.LogRequest{ClearEvent: !in.Bool("rae"), Force: in.Bool("force")}
	if page, ok := spec.FindLogPage(name); ok {
		req.LID = page.LID
	} else if n, err := strconv.ParseUint(strings.ToLower(name), 0, 8); err == nil {
		req.LID = nvme.LID(n)
	} else {
		return req, usagef("no log page is called %q%s; qd1 log list shows them, and a number such as 0xc0 is possible", name, logSuggestion(name))
	}
	var err error
	if req.NSID, err = in.nsid(); err != nil {
		return req, err
	}
	const mostLength = 16 << 20
	numbers := in.numbers()
	req.Bytes = int(numbers.of("log-len", mostLength))
	req.Offset = numbers.of("lpo", 1<<63)
	req.LSP = uint8(numbers.of("lsp", 0x7F))
	req.UUIDIndex = uint8(numbers.of("uuid-index", 0x7F))
	req.CSI = uint8(numbers.of("csi", 0xFF))
	if in.String("lsi") != "" {
		req.LSI = new(uint16(numbers.of("lsi", 0xFFFF)))
	}
	switch {
	case numbers.err != nil:
		return req, numbers.err
	case req.Offset%4 != 0:
		return req, usagef("--lpo %s: an offset is a multiple of 4", in.String("lpo"))
	case in.String("log-len") != "" && req.Bytes == 0:
		return req, usagef("--log-len 0: at least one byte is needed")
	}
	return req, nil
}

// logSuggestion is the name that a word was meant to be.
func logSuggestion(word string) string {
	var names []command
	for _, p := range spec.LogPages() {
		names = append(names, command{name: p.Name})
	}
	return suggestion(word, names)
}

// numbers reads flags that are numbers, and keeps the first error.
func (in *invocation) numbers() *flagNumbers { return &flagNumbers{in: in} }

type flagNumbers struct {
	in  *invocation
	err error
}

// of returns the number of a flag, 0 if it was not given.
func (f *flagNumbers) of(flag string, most uint64) uint64 {
	text := f.in.String(flag)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(text, 0, 64)
	if f.err == nil && (err != nil || n > most) {
		f.err = usagef("--%s %s: a number up to %d is needed", flag, text, most)
	}
	return n
}

// beginAt is begin for a drive that is the i-th argument.
func (in *invocation) beginAt(i int) (*report.Session, func(), error) {
	timeout, err := in.timeout()
	if err != nil {
		return nil, nil, err
	}
	d, err := openDrive(in.arg(i))
	if err != nil {
		return nil, nil, err
	}
	s, err := report.Begin(in.Context.Context, d, timeout)
	if err != nil {
		d.Close()
		return nil, nil, err
	}
	return s, func() { d.Close() }, nil
}

// showLog writes a page in the format that was asked for.
func (in *invocation) showLog(format string, s *report.Session, page *report.LogPage) error {
	if format == "binary" {
		return in.deliver(page.Hex)
	}
	page.Options = spec.LineOptions{Full: in.Bool("verbose"), Vendor: in.Bool("vendor-specific")}
	return in.show(format, logObject(s, "page", page), func(w io.Writer, style render.Style) error {
		return render.LogPage(w, head(s), page, style)
	})
}

func logObject(s *report.Session, key string, v any) map[string]any {
	return map[string]any{"schema": "qd1.log/1", "simulated": s.Drive.Simulated, "drive": s.Identity, key: v}
}

func head(s *report.Session) render.Part {
	return render.Part{Simulated: s.Drive.Simulated, Drive: &s.Identity}
}

func (in *invocation) listLogs(format string) error {
	if format == "binary" {
		return usagef("qd1 log list has no bytes")
	}
	s, done, err := in.beginAt(1)
	if err != nil {
		return err
	}
	defer done()
	list, err := s.Logs().List(in.Context.Context)
	if err != nil {
		return err
	}
	return in.show(format, logObject(s, "pages", list), func(w io.Writer, style render.Style) error {
		return render.LogList(w, head(s), list, style)
	})
}

// releasePersistentEvents ends a reporting context that somebody left behind.
func (in *invocation) releasePersistentEvents(s *report.Session, req report.LogRequest) error {
	if req.LID != nvme.LIDPersistentEvent {
		return usagef("--release is of persistent-event only")
	}
	if ok, why, err := s.Logs().Listed(in.Context.Context, req.LID); err != nil || !ok && !req.Force {
		if err == nil {
			err = report.NotListed("the Persistent Event log", why)
		}
		return err
	}
	if err := s.ReleasePersistentEventLog(in.Context.Context, s.ID); err != nil {
		return err
	}
	in.env.say("serial %s: no reporting context of the Persistent Event log any more", s.Identity.Serial)
	return nil
}
