package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
)

// maxFileBytes is the size of the largest file that ReadFile reads, 256 MiB.
const maxFileBytes = 256 << 20

// ReadFile reads the records in a file: one, several behind each other as
// Export writes them, or an array of them. The results of bench, report and
// launch as the commands print them in JSON are taken as records that were
// never kept: their ID is "".
func ReadFile(path string) ([]*Record, error) {
	data, err := readFile(path, maxFileBytes)
	if err != nil {
		return nil, err
	}
	list, err := objects(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, r := range list {
		r.File = path
	}
	return list, nil
}

// objects reads all objects in a text.
func objects(data []byte) ([]*Record, error) {
	var list []*Record
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		switch {
		case errors.Is(err, io.EOF) && len(list) == 0:
			return nil, fmt.Errorf("%w: it has no result", ErrNotRecord)
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil && len(list) == 0 && !object(data) && !array(data):
			return nil, fmt.Errorf("%w: no JSON: %w", ErrNotRecord, err)
		case err != nil:
			return nil, fmt.Errorf("object %d: %w: %w", len(list)+1, ErrDamaged, err)
		}
		if list, err = appendObjects(list, raw); err != nil {
			return nil, err
		}
	}
}

func array(raw []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("[")) }

// appendObjects appends what one JSON value holds, which may be an array.
func appendObjects(list []*Record, raw json.RawMessage) ([]*Record, error) {
	values := []json.RawMessage{raw}
	if array(raw) {
		values = nil
		if err := json.Unmarshal(raw, &values); err != nil {
			return nil, err
		}
	}
	for _, v := range values {
		r, err := fromObject(v)
		if err != nil {
			return nil, fmt.Errorf("object %d: %w", len(list)+1, err)
		}
		list = append(list, r)
	}
	return list, nil
}

// result is what the results of several commands have in common.
type result struct {
	Schema    string  `json:"schema"`
	Time      string  `json:"time"`
	Tool      Tool    `json:"tool"`
	Label     *string `json:"label"`
	Simulated bool    `json:"simulated"`
	Drive     *struct {
		Selector string `json:"selector"`
		Serial   string `json:"serial"`
		Model    string `json:"model"`
	} `json:"drive"`
	Target *struct {
		Name  string `json:"name"`
		Kind  string `json:"kind"`
		Path  string `json:"path"`
		Bytes int64  `json:"bytes"`
	} `json:"target"`
	Launch *struct {
		Program    []string `json:"program"`
		Executable string   `json:"executable"`
	} `json:"launch"`
}

// fromObject makes a record of a record or of a bare result.
func fromObject(raw json.RawMessage) (*Record, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(raw, &head); err != nil || head.Schema == "" {
		return nil, fmt.Errorf("%w: it has no schema of qd1", ErrNotRecord)
	}
	switch head.Schema {
	case "qd1.bench/1", "qd1.report/1", "qd1.launch/1":
		return fromResult(raw)
	}
	return decode(raw)
}

func fromResult(raw json.RawMessage) (*Record, error) {
	var v result
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	at, err := time.Parse(time.RFC3339, v.Time)
	if err != nil {
		return nil, fmt.Errorf("%w: its time: %w", ErrDamaged, err)
	}
	r := &Record{Schema: Schema, Time: at.UTC(), Kind: v.kind(), Subject: v.subject(), Tool: v.Tool, Body: bytes.Clone(raw)}
	if v.Label != nil {
		r.Label = *v.Label
	}
	return r, nil
}

// kind is the word between the name of the program and the version.
func (v *result) kind() string {
	kind := strings.TrimSuffix(strings.TrimPrefix(v.Schema, "qd1."), "/1")
	if kind == "launch" && v.Launch == nil {
		return "boot"
	}
	return kind
}

// SubjectOf returns what a result in JSON, such as a qd1.bench/1 or a
// qd1.report/1, is about. It is empty where the result does not say. A file
// that was made in a directory for the measurement has a name of its own each
// time: the subject is then the directory. That of the start of a program is its command
// line.
func SubjectOf(body json.RawMessage) Subject {
	var v result
	if json.Unmarshal(body, &v) != nil {
		return Subject{}
	}
	return v.subject()
}

// scratchPrefix and scratchSuffix are of the names of files that a measurement
// makes in a directory.
const (
	scratchPrefix = "qd1-bench-"
	scratchSuffix = ".tmp"
)

func (v *result) subject() Subject {
	s := Subject{Simulated: v.Simulated}
	if v.Drive != nil {
		s.Serial, s.Model, s.Path = v.Drive.Serial, v.Drive.Model, v.Drive.Selector
	}
	if v.Target != nil && v.Target.Path != "" {
		s.Path, s.Bytes = v.Target.Path, v.Target.Bytes
	}
	if v.Launch != nil && v.Launch.Executable != "" {
		s.Path = strings.Join(append([]string{v.Launch.Executable}, v.Launch.Program[min(1, len(v.Launch.Program)):]...), " ")
	}
	if name := filepath.Base(s.Path); strings.HasPrefix(name, scratchPrefix) && strings.HasSuffix(name, scratchSuffix) {
		s.Path, s.Bytes = filepath.Dir(s.Path), 0
	}
	return s
}
