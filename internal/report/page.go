package report

import "qd1.example/qd1/nvme/spec"

// SpecPage is a data structure that a drive returned, decoded by the table of the
// specification.
type SpecPage struct {
	// Name is the word of the command line, Title the specification's words.
	Name  string `json:"name"`
	Title string `json:"title"`
	// Source is the document and section.
	Source string `json:"source,omitempty"`
	// Parameters are what the drive was asked for: cns, lid or fid, and nsid, cntid,
	// csi and so on where the page takes them.
	Parameters map[string]uint64 `json:"parameters"`
	// Bytes is how much came.
	Bytes int `json:"bytes"`
	// Fields are the decoded bytes, nil where there is no table for them.
	Fields *spec.Value `json:"fields"`
	// Text is what the command says beside the fields, "" for nothing.
	Text string `json:"text,omitempty"`
	// Raw are the bytes as they came.
	Raw []byte `json:"-"`
	// Options say how much of the fields the text has.
	Options spec.LineOptions `json:"-"`
}

// NewSpecPage decodes a page. A nil table leaves the bytes as they are.
func NewSpecPage(name string, table *spec.Structure, raw []byte, parameters map[string]uint64) (*SpecPage, error) {
	p := &SpecPage{Name: name, Parameters: parameters, Bytes: len(raw), Raw: raw}
	if table == nil {
		return p, nil
	}
	v, err := table.Decode(raw)
	if err != nil {
		return nil, err
	}
	p.Title, p.Source, p.Fields = table.Title, table.Source, v
	return p, nil
}

// KindNotListed is the kind of a page that the drive does not list.
const KindNotListed Kind = "not-listed"

// NotListed is the problem of a page that a drive does not list, and so is not
// asked for.
func NotListed(title, why string) *Problem {
	return &Problem{Kind: KindNotListed, Text: title + " is not asked for: " + why,
		Hint: "--force asks all the same; a drive that does not have it refuses, and counts an error in its log"}
}
