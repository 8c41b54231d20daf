package capture

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"qd1.example/qd1/nvme"
)

// Redact copies a capture from r to w with invented values in place of what
// identifies the drive or its host: serial number, NGUID, EUI-64, UUID, NVMe
// Qualified Name, FRU and host identifiers.
//
// It replaces them in the fields of Identify and, in any encoding that sysfs
// and the logs use, wherever else they occur: in other data, in texts, links,
// names and unknown keys, also across the parts of a log page that was read in
// parts. An invented value has the length of the original, and
// digits and letters where the original has them; every other byte stays. The
// same original has the same invented value throughout the capture. Invented
// values depend only on the order in which the originals occur, not on the
// originals, so that none can be found by trying; therefore two drives with
// serial numbers of one shape have the same invented one.
//
// Identities so short or uniform that they would be found by chance (a serial
// number of fewer than 6 characters) are replaced only where they stand alone.
//
// Nothing is written before the whole capture is read without a fault; the
// bounds and errors are those of [Read]. White space between the elements of
// a line is not kept.
func Redact(r io.Reader, w io.Writer) error {
	var (
		ids   identities
		pages parts
		lines [][]byte
	)
	err := newParser().parse(r, func(line []byte, rec *record) {
		ids.add(rec)
		if rec != nil {
			pages.add(len(lines), &rec.exchange)
		}
		lines = append(lines, bytes.Clone(line))
	})
	if err == nil {
		err = ids.check()
	}
	if err != nil {
		return err
	}
	rd := newRedactor(&ids)
	joined := pages.redacted(rd)
	for i, line := range lines {
		rd.joined = joined[i]
		out, err := rd.line(line)
		if err != nil {
			return &ParseError{Line: i + 1, Err: err}
		}
		if _, err := w.Write(out); err != nil {
			return fmt.Errorf("writing the redacted capture: %w", err)
		}
	}
	return nil
}

// redactor replaces identities.
type redactor struct {
	// anywhere replaces identities wherever they occur.
	anywhere *strings.Replacer
	// whole has every identity as it stands in a field of its own.
	whole map[string]string
	// joined is the data of the line that is being copied where it is a part of a
	// longer page, with identities replaced already; nil where it is not.
	joined []byte
}

// line returns the redacted line with its line end.
func (rd *redactor) line(line []byte) ([]byte, error) {
	var e exchange
	// The line was decoded before; what does not fit here is not an exchange.
	_ = json.Unmarshal(line, &e)
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var out bytes.Buffer
	if err := rd.value(dec, &out, &e, ""); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// value copies one JSON value. The key is that of the outermost object, "" if
// the value is not a direct member of it; e is the exchange of the line.
func (rd *redactor) value(dec *json.Decoder, out *bytes.Buffer, e *exchange, key string) error {
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	switch t := tok.(type) {
	case json.Delim:
		return rd.composite(dec, out, e, t)
	case string:
		return writeString(out, rd.member(e, key, t))
	case json.Number:
		out.WriteString(t.String())
	case bool:
		fmt.Fprint(out, t)
	case nil:
		out.WriteString("null")
	}
	return nil
}

// composite copies the members of an object or array that has begun.
func (rd *redactor) composite(dec *json.Decoder, out *bytes.Buffer, e *exchange, open json.Delim) error {
	outermost := out.Len() == 0
	out.WriteString(open.String())
	for first := true; dec.More(); first = false {
		if !first {
			out.WriteByte(',')
		}
		key := ""
		if open == '{' {
			name, err := rd.key(dec, out)
			if err != nil {
				return err
			}
			if outermost {
				key = name
			}
		}
		if err := rd.value(dec, out, e, key); err != nil {
			return err
		}
	}
	end, err := dec.Token()
	if err != nil {
		return err
	}
	fmt.Fprint(out, end)
	return nil
}

// key copies the key of a member with its colon, and returns the original.
func (rd *redactor) key(dec *json.Decoder, out *bytes.Buffer) (string, error) {
	tok, err := dec.Token()
	if err != nil {
		return "", err
	}
	name, _ := tok.(string)
	if err := writeString(out, rd.text(name)); err != nil {
		return "", err
	}
	out.WriteByte(':')
	return name, nil
}

// member returns a redacted string value.
func (rd *redactor) member(e *exchange, key, value string) string {
	if strings.EqualFold(key, "data") && e.Queue != "" {
		if data, err := base64.StdEncoding.DecodeString(value); err == nil {
			return base64.StdEncoding.EncodeToString(rd.data(e, data))
		}
	}
	return rd.text(value)
}

// text replaces identities in a text.
func (rd *redactor) text(s string) string {
	core := strings.TrimSpace(s)
	if to, ok := rd.whole[core]; ok {
		return strings.Replace(s, core, to, 1)
	}
	return rd.anywhere.Replace(s)
}

// data replaces identities in what a command returned.
func (rd *redactor) data(e *exchange, data []byte) []byte {
	if rd.joined != nil {
		data = bytes.Clone(rd.joined)
	} else {
		data = []byte(rd.anywhere.Replace(string(data)))
	}
	if e.Queue != nvme.AdminQueue.String() {
		return data
	}
	page := *e
	page.Data = data
	for _, f := range identityFields(&page) {
		if to, ok := rd.whole[f.name()]; ok {
			copy(f.data[bytes.Index(f.data, []byte(f.name())):], to)
		}
	}
	return data
}

// writeString writes a JSON string as the lines of a Writer have it.
func writeString(out *bytes.Buffer, s string) error {
	b, err := marshal(s)
	out.Write(bytes.TrimSuffix(b, []byte("\n")))
	return err
}
