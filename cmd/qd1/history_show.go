package main

import (
	"bytes"
	"encoding/json"
	"io"

	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/record"
	"qd1.example/qd1/internal/render"
	"qd1.example/qd1/internal/report"
)

// behind makes the run function of a command that is below another one with
// flags of its own: those would be read by nobody.
func behind(run func(*invocation) error) func(*invocation) error {
	return func(in *invocation) error {
		if above := in.Lineage(); len(above) > 1 {
			for _, name := range above[1].LocalFlagNames() {
				return usagef("flags stand behind %s: move --%s there", in.name, name)
			}
		}
		return run(in)
	}
}

func historyShowCommand() command {
	return command{
		name: "show", args: "RECORD", access: none, maxArgs: 1,
		short: "a record as its command has shown it",
		help: `RECORD is the identifier of a record or its beginning, a label that only one
record has, or a FILE that history export or --format json made.`,
		flags: outputFlags("json"),
		run:   behind(runHistoryShow),
	}
}

func runHistoryShow(in *invocation) error {
	format, err := in.format("json")
	if err != nil {
		return err
	}
	if in.NArg() == 0 {
		return usagef("%s needs the identifier of a record; qd1 history DRIVE lists them", in.name)
	}
	s, err := in.store()
	if err != nil {
		return err
	}
	list, err := s.Find(record.Query{}, in.arg(0))
	if err != nil {
		return recordError(err)
	}
	if len(list) != 1 {
		var b bytes.Buffer
		if err := render.Records(&b, list, in.messageStyle()); err != nil {
			return err
		}
		in.env.stderr.Write(b.Bytes())
		return failf("name one of them by its identifier", "%s is the name of %d records", in.arg(0), len(list))
	}
	return in.show(format, list[0], func(w io.Writer, s render.Style) error { return recordText(w, list[0], s) })
}

// recordText writes what a record is and what it carries: as text if this
// version knows how, else as JSON.
func recordText(w io.Writer, r *record.Record, s render.Style) error {
	if err := render.RecordHead(w, r, s); err != nil {
		return err
	}
	text := bodyText(r.Body, s)
	if text == nil {
		var b bytes.Buffer
		if err := json.Indent(&b, r.Body, "", "  "); err != nil {
			return err
		}
		text = append(b.Bytes(), '\n')
	}
	_, err := w.Write(text)
	return err
}

// bodyText is a result as its command shows it, nil for one that this version
// does not know or that lacks what it shows.
func bodyText(body json.RawMessage, s render.Style) []byte {
	var head struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(body, &head) != nil {
		return nil
	}
	switch head.Schema {
	case report.Schema:
		return textOf(body, s, render.Report)
	case report.BenchSchema:
		return textOf(body, s, render.Bench)
	case report.LaunchSchema:
		return textOf(body, s, render.Launch)
	case erase.Schema:
		return textOf(body, s, render.EraseResult)
	}
	return nil
}

// textOf decodes a result for the function that writes it. Records come from
// other versions and other computers too: where the function relies on what
// is not there, the text is nil.
func textOf[T any](body json.RawMessage, s render.Style, write func(io.Writer, *T, render.Style) error) (text []byte) {
	defer func() {
		if recover() != nil {
			text = nil
		}
	}()
	v := new(T)
	var b bytes.Buffer
	if json.Unmarshal(body, v) != nil || write(&b, v, s) != nil {
		return nil
	}
	return b.Bytes()
}
