package main

import (
	"bytes"
	"encoding/json"
	"io"

	"qd1.example/qd1/internal/aging"
	"qd1.example/qd1/internal/erase"
	"qd1.example/qd1/internal/firmware"
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
		flags: outputFlags("json", "html", "markdown"),
		run:   behind(runHistoryShow),
	}
}

func runHistoryShow(in *invocation) error {
	format, err := in.format("json", "html", "markdown")
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
	return in.showRecord(format, list[0])
}

// showRecord shows a record as text with a head, as JSON, or what it carries as
// a page. Records come from other versions and other computers too: one that
// lacks what this version shows is no reason to fall over.
func (in *invocation) showRecord(format string, r *record.Record) (err error) {
	defer func() {
		if recover() != nil {
			err = failf("--format json shows it as it is", "record %s lacks what this version shows of a %s", r.ID, r.Kind)
		}
	}()
	result := resultOf(r.Body)
	return in.show(format, keptResult{r, result.value}, func(w io.Writer, s render.Style) error {
		if err := render.RecordHead(w, r, s); err != nil {
			return err
		}
		_, err := w.Write(result.asText(r.Body, s))
		return err
	})
}

// keptResult is a record that is shown as the page of what it carries.
type keptResult struct {
	*record.Record
	value any
}

func (k keptResult) page() any { return k.value }

// result is what a record carries, as far as this version knows it.
type result struct {
	// value is for pages, nil for what is not known; text writes it.
	value any
	text  func(io.Writer, render.Style) error
}

// resultOf decodes what a record carries.
func resultOf(body json.RawMessage) result {
	var head struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(body, &head) != nil {
		return result{}
	}
	switch head.Schema {
	case report.Schema:
		return decoded(body, render.Report)
	case report.BenchSchema:
		return decoded(body, render.Bench)
	case report.LaunchSchema:
		return decoded(body, render.Launch)
	case erase.Schema:
		return decoded(body, render.EraseResult)
	case firmware.Schema:
		return decoded(body, render.FirmwareResult)
	case aging.Schema:
		return decoded(body, render.AgeResult)
	}
	return result{}
}

// decoded is a result with the function that writes it.
func decoded[T any](body json.RawMessage, write func(io.Writer, *T, render.Style) error) result {
	v := new(T)
	if json.Unmarshal(body, v) != nil {
		return result{}
	}
	return result{v, func(w io.Writer, s render.Style) error { return write(w, v, s) }}
}

// asText is the result as its command shows it, or as JSON if that cannot be.
func (r result) asText(body json.RawMessage, s render.Style) (text []byte) {
	defer func() {
		if recover() != nil {
			text = indented(body)
		}
	}()
	var b bytes.Buffer
	if r.text == nil || r.text(&b, s) != nil {
		return indented(body)
	}
	return b.Bytes()
}

// indented is JSON for people to read.
func indented(body json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Indent(&b, body, "", "  ") != nil {
		return body
	}
	b.WriteByte('\n')
	return b.Bytes()
}
